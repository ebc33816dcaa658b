#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/part_reader.h"
#include "io/robot/materials.h"

namespace cuttle {

/// What a robot file has said so far: what the readers of its parts need to know of each other.
template <typename S>
struct RobotSoFar {
  struct KnownLink {
    int index = 0;  ///< in Robot::links
    int joint_nv = 0, nv = 0;
    bool read = false;  ///< without errors
  };

  NamedFiles& files;      ///< that the file names
  const Robot* before{};  ///< the robot that was read from the same tree, if it is read again with other numbers
  RobotT<S> robot{};
  ReadMaterialsT<S> materials{};
  std::map<std::string, KnownLink> links{};
  std::map<std::string, SourceMark> actuator_marks{};  ///< of actuators and elements, by name
  std::vector<std::string> warnings{};

  /// The body of a link that was read without errors; null: none.
  const BodyT<S>* body_of(const KnownLink& link) const { return robot.links[link.index].body.get(); }
  /// The link that a key names; reports unknown names.
  std::optional<std::string> read_link_name(const YamlCursor& cursor, bool with_base) const;
  /// The link that the key `link` names.
  std::optional<std::string> read_link(const YamlMap& map, bool with_base) const;
  /// `at` of a place on a link that is known or "base".
  void read_at(const YamlCursor& cursor, const std::string& link, bool with_points, PlaceT<S>& place) const;
  /// Reports a name that an actuator or element before has.
  void require_new_name(const YamlMap& map);
};

}  // namespace cuttle
