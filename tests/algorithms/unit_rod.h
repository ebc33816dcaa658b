#pragma once

#include <memory>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/model.h"

namespace cuttle::test {

/// Of a rod of unit stiffness and unit mass a length that only bends (in x-z and y-z) and twists.
inline RodParameters unit_rod_parameters(double length, int order, int points, double rotary_inertia = 1e-3) {
  RodParameters p;
  p.length = length;
  p.mass_per_length = Profile(1.0);
  p.rotary_inertia =
      std::array<Profile, 3>{Profile(rotary_inertia), Profile(rotary_inertia), Profile(2.0 * rotary_inertia)};
  p.stiffness =
      std::array<Profile, 6>{Profile(1.0), Profile(1.0), Profile(1.0), Profile(1.0), Profile(1.0), Profile(1.0)};
  p.quadrature_points = points;
  for (const int component : {kappa_x, kappa_y, kappa_z}) {
    p.strain[component] = StrainBasis::of_order(StrainBasis::Kind::legendre, order);
  }
  return p;
}

/// One rod, clamped, no gravity.
inline Robot rod_robot(const RodParameters& parameters) {
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(parameters)});
  return robot;
}
inline Robot unit_rod(double length, int order, int points, double rotary_inertia = 1e-3) {
  return rod_robot(unit_rod_parameters(length, order, points, rotary_inertia));
}

inline StaticLoads tip_load(const Model& model, const Wrench& wrench, Axes axes) {
  return {{}, {{model.tip_frame("rod"), wrench, axes}}};
}

inline Vector3 tip(const Model& model, Data& data, const VectorXd& q) {
  return forward_kinematics<double>(model, data, q).pose(model.tip_frame("rod")).position;
}

}  // namespace cuttle::test
