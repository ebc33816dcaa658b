#pragma once

#include <memory>
#include <vector>

#include "cuttle/bodies/rod_body.h"
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

/// Whether a section is given and its outside an ellipse.
template <typename S>
bool has_elliptical_outline(const SectionT<S>& section) {
  using Shape = typename SectionT<S>::Shape;
  if (section.shape == Shape::ellipse) return !section.radius_x.empty() && !section.radius_y.empty();
  return (section.shape == Shape::circle || section.shape == Shape::annulus) && !section.radius.empty();
}

/// @throws ModelError: key, what was found, what was expected.
template <typename S>
std::shared_ptr<const StateLoadT<S>> make_fluid_load(const FluidT<S>& fluid, const FluidStationsT<S>& stations);
template <typename S>
std::shared_ptr<const StateLoadT<S>> make_drone_load(const DroneT<S>& drone, const FrameT<S>& frame);

}  // namespace cuttle
