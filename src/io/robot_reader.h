#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "io/named_files.h"
#include "io/rod_reader.h"
#include "io/yaml_cursor.h"

namespace cuttle {

/// Fills a Robot from the tree of a robot file; errors go to the cursor's list. One use each.
template <typename S>
class RobotReaderT {
 public:
  /// @param files  that the robot file names; outlive the reader.
  explicit RobotReaderT(NamedFiles& files) : files_(&files) {}
  /// Reads a tree again, with other numbers.
  /// @param before  what it was; gives what comes from other files, and the loads' signals, which have only double.
  explicit RobotReaderT(const Robot& before) : files_(&no_files_), before_(&before) {}

  RobotT<S> read(const YamlCursor& root);
  std::vector<std::string> take_warnings() { return std::move(warnings_); }
  std::vector<LinkVisual> take_visuals() { return std::move(visuals_); }

 private:
  /// What later parts of the file need to know about a link.
  struct KnownLink {
    int index = 0;  ///< in Robot::links
    int joint_nv = 0, nv = 0;
    bool read = false;  ///< without errors
  };

  /// The body of a link that was read without errors; null: none.
  const BodyT<S>* body_of(const KnownLink& link) const { return robot_.links[link.index].body.get(); }
  void read_base(const YamlMap& map);
  void add_visuals(const YamlMap& map, const std::string& link, LinkVisual::Frame frame);
  void collect_names(const YamlCursor& links);
  void read_link(const YamlMap& map, int index);
  std::string read_parent(const YamlMap& map, const std::string& name, int index);
  std::shared_ptr<const BodyT<S>> read_rigid(const YamlMap& map);
  void read_actuator(const YamlMap& map);
  // what follows its name, by type
  void read_linear_actuator(const YamlMap& map, ActuatorT<S>& actuator);
  void read_tendon(const YamlMap& map, ActuatorT<S>& actuator);
  void read_surface(const YamlCursor& cursor, const Key& rule, const std::string& link, ActuatorT<S>& actuator);
  void read_chamber(const YamlMap& map, ActuatorT<S>& actuator);
  void read_wrench_actuator(const YamlMap& map, ActuatorT<S>& actuator);
  std::optional<RoutingT<S>> read_routing(const YamlMap& map);
  void read_offset(const YamlCursor& cursor, const Key& rule, RoutingT<S>& entry);
  /// A list of points of `size` coordinates [m], at least one.
  std::optional<std::vector<std::vector<S>>> read_points(const YamlCursor& cursor, int size,
                                                         const std::string& expected);
  /// Reports a name that an actuator or element before has.
  void require_new_name(const YamlMap& map, const std::string& name);
  /// `link` and `index`: a coordinate of a joint.
  std::optional<std::pair<std::string, int>> read_joint_coordinate(const YamlMap& map);
  void read_element(const YamlMap& map);
  std::optional<ElementT<S>> read_spring(const YamlMap& map, const std::string& name);
  std::optional<ElementT<S>> read_joint_limit(const YamlMap& map, const std::string& name);
  void read_load(const YamlMap& map);
  void read_fluid(const YamlMap& map);
  void read_drone(const YamlMap& map);
  void read_gains(const YamlMap& map, const char* name, std::array<S, 6>& gains);
  /// A list of three. @param before  what was read from the file, if the tree is read again.
  void read_signals(const YamlMap& map, const char* name, const Signal* before, Signal* components);
  void read_loop(const YamlMap& map);
  std::optional<PlaceT<S>> read_loop_frame(const YamlMap& map, const char* name);
  /// `at` of a place on a link that is known or "base".
  void read_at(const YamlCursor& cursor, const std::string& link, bool with_points, PlaceT<S>& place);
  /// The link that a key names, "base" included; reports unknown names.
  std::optional<std::string> read_link_name(const YamlCursor& cursor, bool with_base) const;

  NamedFiles no_files_{""};
  NamedFiles* files_;
  const Robot* before_ = nullptr;
  RobotT<S> robot_;
  NamedMaterialsT<S> materials_;
  std::map<std::string, KnownLink> links_;          ///< read so far
  std::map<std::string, std::string> all_parents_;  ///< of all names in the file, as written; empty: the link before
  std::map<std::string, SourceMark> all_marks_;
  std::map<std::string, SourceMark> actuator_marks_;
  std::vector<std::string> warnings_;
  std::vector<LinkVisual> visuals_;
};
using RobotReader = RobotReaderT<double>;

}  // namespace cuttle
