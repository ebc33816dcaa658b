#pragma once

#include <functional>

#include "cuttle/algorithms/equilibrium_gradient.h"

namespace cuttle {

/// Elements are taken at this time in statics [s].
constexpr double k_rest_time = 0.0;

struct GradientMotion {
  VectorXT<Gradient> q, v, a;
};

/// What acts on a robot beside its bodies and their weight: inputs, elements and loads, those too that depend on the
/// motion.
/// @param u  with slack tendons clipped.
/// @param set_efforts  called when the motion of at.elements is known; fills their efforts.
VectorXT<Gradient> acting_force(const RestLoadsT<Gradient>& loads, const VectorXT<Gradient>& u,
                                const GradientMotion& motion, const std::function<void()>& set_efforts, VariedRest& at);

}  // namespace cuttle
