#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// A scenario file, docs/format.md, and the robot that it names.
struct ScenarioFile {
  Scenario scenario;
  Robot robot;
  std::vector<LinkVisual> visuals;            ///< of the robot
  std::string path;                           ///< of the scenario, as given
  std::string robot_path;                     ///< relative to the current directory, or absolute
  std::string scenario_yaml, robot_yaml;      ///< texts; overrides stand at their ends as comments
  Overrides overrides;                        ///< as given, of both files
  Overrides changes;                          ///< all that took effect: the scenario's `set`, then `overrides`
  FileTexts files, robot_files;               ///< that the scenario and the robot name, as they were
  std::vector<std::string> warnings;          ///< of both files: FILE:LINE:COLUMN: key: what is odd
  std::vector<std::string> notes;             ///< of the robot
  std::map<std::string, std::string> places;  ///< FILE:LINE:COLUMN by key path, of what check_against may report

  /// Names of links and inputs, sizes and values of initial states.
  /// @throws FileError with all errors found, a line each.
  void check_against(const Model& model) const;
};

/// Reads and checks a scenario and its robot, one against the other.
/// @throws FileError with all errors of both files, a line each: `FILE:LINE:COLUMN: key.path: found X, expected Y`.
ScenarioFile load_scenario_file(const std::string& path, const Overrides& overrides = {});

/// The same from texts: of the scenario, and of the robot that it names, whatever that name is. Other files that they
/// name are relative to where these would be.
/// @param name  stands for the scenario's file in messages.
ScenarioFile read_scenario_text(const std::string& text, const std::string& name, const std::string& robot_text,
                                const Overrides& overrides = {});

/// The text of a scenario file, numbers with all their digits.
/// @param robot  the robot's file as the scenario names it.   @param comments  lines before it, without `#`.
/// @param set  what is changed in the robot, as overrides `robot.PATH=VALUE`.
/// @param files  get tables of signals that need a file. Null: these are an ArgumentError.
std::string scenario_text(const Scenario& scenario, const std::string& robot,
                          const std::vector<std::string>& comments = {}, const Overrides& set = {},
                          FileTexts* files = nullptr);

/// What a file is, by its keys: a scenario has `robot` or `simulation`.
enum class FileKind { robot, scenario };
/// @throws FileError if it cannot be read or is no YAML.
FileKind kind_of_file(const std::string& path);

}  // namespace cuttle
