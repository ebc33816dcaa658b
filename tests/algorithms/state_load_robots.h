#pragma once

#include <memory>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/model/model.h"
#include "support/changed_load.h"

/// Robots of the tests of loads that depend on the motion.
namespace cuttle::test {

inline Fluid water() {
  Fluid fluid;
  fluid.density = 1000;
  return fluid;
}

/// A rigid body of 2 kg that nothing holds, water around it along z from 0 to `length`.
inline Robot floating_body(double length, const Profile& radius_x, const Profile& radius_y) {
  Robot robot;
  robot.gravity = {};
  robot.floating_base = true;
  RigidParameters p;
  p.mass = 2.0, p.com = {0, 0, length / 2}, p.inertia = SymmetricMatrix3::diagonal(0.1, 0.1, 0.02);
  robot.links.push_back({.name = "hull", .body = std::make_shared<RigidBody>(p)});
  Fluid fluid = water();
  fluid.length = length, fluid.radius_x = radius_x, fluid.radius_y = radius_y;
  robot.loads.push_back(make_fluid_load("hull", fluid));
  return robot;
}

}  // namespace cuttle::test
