#pragma once

#include <span>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// A wrench that the world puts on the robot at a frame.
template <typename S>
struct ExternalWrenchT {
  FrameT<S> frame;
  WrenchT<S> wrench;       ///< at the frame's origin [N m, N]
  Axes axes = Axes::body;  ///< of the wrench: the frame's own, or the world's
};
using ExternalWrench = ExternalWrenchT<double>;
template <typename S>
using ExternalWrenchesT = typename std::type_identity<std::span<const ExternalWrenchT<S>>>::type;

}  // namespace cuttle
