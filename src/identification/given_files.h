#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/identification/identification_job.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/scenario.h"

namespace cuttle {

/// A robot as it stands in a file, or in the scenario that names it.
struct GivenRobot {
  Robot robot;
  std::string path, yaml;
  std::vector<LinkVisual> visuals;
  std::vector<std::string> warnings;
  bool as_in_file = true;  ///< nothing was overridden
  bool alone = true;       ///< its text names no other file
  std::optional<Scenario> scenario = {};
};

/// A table of measurements, and the robot or scenario file that stands before it.
struct GivenTable {
  std::string given;
  MeasuredTable table;
  bool motion = false;
};

/// Files as they are given: each table belongs to the last file before it that is none.
class GivenFiles {
 public:
  /// @throws FileError, ArgumentError for files that do not belong together. The request must outlive it.
  explicit GivenFiles(const IdentificationRequest& request);

  const GivenRobot& robot() const { return robots_.at(first_); }
  const std::vector<GivenTable>& tables() const { return tables_; }
  const std::vector<GivenTable>& held_out() const { return held_out_; }
  std::vector<std::string> warnings() const;
  std::unique_ptr<Experiment> experiment(const Model& model, const GivenTable& given, const std::string& group,
                                         int stretches) const;

 private:
  void read(const std::string& path);
  void require_same_robot(const std::string& path, const GivenRobot& robot) const;
  void add_table(const std::string& given, const std::string& file, std::vector<GivenTable>& tables) const;
  void require_maps() const;
  std::vector<ColumnMap> maps_of(const GivenTable& given) const;
  bool is_input(const std::string& name) const;

  const IdentificationRequest& request_;
  std::vector<ColumnMap> maps_;
  std::map<std::string, GivenRobot> robots_;  // by the files that name them
  std::vector<std::string> inputs_;           // of the robot
  std::string first_, last_;
  std::vector<GivenTable> tables_, held_out_;
};

}  // namespace cuttle
