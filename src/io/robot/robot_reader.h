#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "io/robot/robot_so_far.h"

namespace cuttle {

/// Fills a Robot from the tree of a robot file; errors go to the cursor's list. One use each.
template <typename S>
class RobotReaderT {
 public:
  /// @param files   that the robot file names; outlive the reader.
  /// @param before  what was read from the tree, which is now read again with other numbers; gives what is made of
  /// other
  ///                files, and the loads' signals, which have only double. Null: read for the first time.
  explicit RobotReaderT(NamedFiles& files, const Robot* before = nullptr) : so_far_{files, before} {}

  RobotT<S> read(const YamlCursor& root);
  std::vector<std::string> take_warnings() { return std::move(so_far_.warnings); }
  std::vector<LinkVisual> take_visuals() { return std::move(visuals_); }

 private:
  void read_base(const YamlMap& map);
  void add_visuals(const YamlMap& map, const std::string& link, LinkVisual::Frame frame);
  void collect_names(const YamlCursor& links);
  void read_link(const YamlMap& map, int index);
  std::string read_parent(const YamlMap& map, const std::string& name, int index);
  void read_actuator(const YamlMap& map);
  void read_element(const YamlMap& map);
  void read_load(const YamlMap& map);
  void read_loop(const YamlMap& map);
  void read_obstacle(const YamlMap& map);
  void read_contact(const YamlMap& map);
  std::vector<std::string> read_side(const YamlMap& map, const std::string& side);
  void require_surface(const YamlMap& contact, const std::string& name, const std::string& by);
  LinkContactT<S> read_link_contact(const YamlCursor& cursor, const Key& rule);
  void read_marker(const YamlMap& map);
  void read_sensor(const YamlMap& map);

  RobotSoFar<S> so_far_;
  std::map<std::string, std::string> all_parents_;  ///< of all names in the file, as written; empty: the link before
  std::map<std::string, SourceMark> all_marks_;
  std::vector<LinkVisual> visuals_;
};
using RobotReader = RobotReaderT<double>;

}  // namespace cuttle
