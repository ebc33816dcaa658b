#pragma once

#include <cmath>
#include <string>

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/error.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

// External wrenches as the sweeps take them: at nodes, in their axes.

namespace cuttle::sweep {

/// The frame's wrench at its node, node axes.
/// @param kinematics  with poses if there are wrenches in world axes.
template <typename S>
WrenchT<S> node_wrench(const ExternalWrenchT<S>& external, const KinematicsT<S>* kinematics) {
  WrenchT<S> w = external.wrench;
  if (external.axes == Axes::world) {
    const Matrix3T<S> R = kinematics->pose(external.frame).rotation;
    w = {R.transpose_times(w.torque), R.transpose_times(w.force)};
  }
  return external.frame.node_frame.act(w);
}

template <typename S>
bool any_in_world_axes(ExternalWrenchesT<S> external) {
  for (const auto& e : external) {
    if (e.axes == Axes::world) return true;
  }
  return false;
}

template <typename S>
void check_external(const ModelT<S>& model, const char* function, ExternalWrenchesT<S> external) {
  for (std::size_t i = 0; i < external.size(); ++i) {
    const auto place = [&] { return "external[" + std::to_string(i) + "]"; };
    if (static_cast<std::size_t>(external[i].frame.node) >= model.topology().nodes.size()) {
      check_frame(model, function, place() + ".frame", external[i].frame);
    }
    for (int k = 0; k < 6; ++k) {
      using std::isfinite;
      if (k_has_lanes<S> || isfinite(external[i].wrench[k])) continue;
      throw ArgumentError(std::string(function) + ": " + place() + ".wrench: found " +
                          number_text(external[i].wrench[k]) + ", expected finite numbers");
    }
  }
}

}  // namespace cuttle::sweep
