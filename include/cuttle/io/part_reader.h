#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/key_reader.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct RobotSoFar;

/// Reads a part of a robot: its own keys, and what these say of links that stand before it. Getters are as those of
/// KeyReader: what is wrong is reported, and something is given in any case.
template <typename S>
class PartReader : public KeyReader<S> {
 public:
  PartReader(const YamlMap& map, RobotSoFar<S>& robot);

  /// Key `name` of elements and actuators, which has been checked.
  std::string name() const;
  /// Key `link`. @param or_base  it may be "base" too.
  std::string link(bool or_base = false) const;
  /// The body of a link; null: it has none, or one that could not be read.
  const BodyT<S>* body(const std::string& link) const;
  /// Keys `link` and `at` (place_key): a place on it.
  PlaceT<S> place(bool or_base = true) const;
  /// A mapping of `link`, `at` and `pose` (frame_key): a frame.
  PlaceT<S> frame(const std::string& name) const;
  /// Keys `link` and `index` (joint_coordinate_keys).
  LinkCoordinate joint_coordinate() const;
  /// What a tendon runs along (routing_key).
  std::vector<RoutingT<S>> routing(const std::string& name = "routing") const;

  /// Warns of something about this part.
  void warn(const std::string& message) const;
  /// What the file said before: for the library's own kinds.
  RobotSoFar<S>& robot() const { return *robot_; }

 private:
  RobotSoFar<S>* robot_;
};

}  // namespace cuttle
