#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

/// Axes of a wrench: those of the world, or of the frame at which it acts.
enum class Axes { world, body };

/// A place on a robot: a port of a link, and a constant pose in that port's frame. Link "base" is the robot's base.
template <typename S>
struct PlaceT {
  std::string link;
  PortLocationT<S> at = PortLocationT<S>::tip();
  PoseT<S> pose{};

  bool operator==(const PlaceT&) const = default;
  template <typename T>
  PlaceT<T> cast() const {
    return {link, at.template cast<T>(), pose.template cast<T>()};
  }
};
using Place = PlaceT<double>;

}  // namespace cuttle
