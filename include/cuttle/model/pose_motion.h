#pragma once

#include <array>
#include <optional>

#include "cuttle/api.h"
#include "cuttle/model/signal.h"

namespace CUTTLE_API cuttle {

/// A pose in time, in the numbers that a pose has in a robot file.
struct PoseMotion {
  std::optional<std::array<Signal, 3>> position{};  ///< [m]; none: stays where it is
  std::optional<std::array<Signal, 3>> rpy{};       ///< roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll) [rad]; none: stays

  bool empty() const { return !position && !rpy; }
  bool operator==(const PoseMotion&) const = default;
};

}  // namespace cuttle
