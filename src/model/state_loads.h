#pragma once

#include <memory>
#include <vector>

#include "cuttle/model/load.h"
#include "cuttle/model/state_load.h"

namespace cuttle {

/// Where along a link a fluid acts: frames with z along the link, positions t = s / L and weights [m].
template <typename S>
struct FluidStationsT {
  std::vector<FrameT<S>> frames;
  std::vector<S> t, weights;
  FrameT<S> end;  ///< of the far end, where the wake begins
};

/// @throws ModelError: key, what was found, what was expected.
template <typename S>
std::shared_ptr<const StateLoadT<S>> make_fluid_load(const FluidT<S>& fluid, const FluidStationsT<S>& stations);
template <typename S>
std::shared_ptr<const StateLoadT<S>> make_drone_load(const DroneT<S>& drone, const FrameT<S>& frame);

}  // namespace cuttle
