#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/model.h"
#include "support/changed_load.h"

/// Small robots of the tests of simulation; numbers are arbitrary, without symmetry where a slip could hide.
namespace cuttle::test {

inline std::shared_ptr<const Body> rigid_body(double mass, const Vector3& com, const Vector3& moments,
                                              const Vector3& tip) {
  RigidParameters p;
  p.mass = mass;
  p.com = com;
  p.inertia = SymmetricMatrix3::diagonal(moments.x, moments.y, moments.z);
  p.tip.position = tip;
  return std::make_shared<RigidBody>(p);
}

inline std::shared_ptr<const Body> rod_body(double length, double radius, const std::string& strain, double damping) {
  RodParameters p;
  p.length = length;
  p.section.radius = Profile(std::vector<double>{radius, 0.6 * radius});
  p.material.density = 1070;
  p.material.young_modulus = 3e5;
  if (damping > 0.0) p.material.damping_time = damping;
  p.quadrature_points = 5;
  p.strain = strain_shorthand<double>(strain, length);
  return std::make_shared<RodBody>(p);
}

inline JointDynamicsT<double> dynamics(const std::vector<double>& stiffness, const std::vector<double>& damping) {
  return {stiffness, damping, {}, {}};
}

/// Pendulum of 1 kg at 1 m about y, hanging down at q = 0, without friction.
inline Robot pendulum() {
  Robot robot;
  robot.name = "pendulum";
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = rigid_body(1.0, {0, 0, -1}, {}, {0, 0, -1})});
  robot.actuators.push_back(Actuator::joint("motor", "arm"));
  return robot;
}

/// One rigid body that nothing holds, its center of mass off the base frame.
inline Robot free_body(const Vector3& moments, const Vector3& com = {0.03, -0.02, 0.05}) {
  Robot robot;
  robot.name = "free_body";
  robot.floating_base = true;
  robot.gravity = {};
  robot.links.push_back({.name = "block", .body = rigid_body(1.3, com, moments, {0, 0, 0.2})});
  return robot;
}

/// Fixed base: revolute and spherical joints with friction, two rods, a motor, a wrench at the tip and a distributed
/// load.
inline Robot mixed_arm() {
  Robot robot;
  robot.name = "mixed_arm";
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = dynamics({}, {0.05}),
                         .body = rigid_body(1.0, {0, 0.01, 0.2}, {0.013, 0.015, 0.003}, {0, 0, 0.4})});
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .joint_dynamics = dynamics({0.4, 0.5, 0.3}, {0.02, 0.03, 0.01}),
                         .body = rigid_body(0.5, {0.01, 0, 0.1}, {0.004, 0.005, 0.002}, {0, 0, 0.25})});
  robot.links.push_back({.name = "rod1", .body = rod_body(0.3, 0.02, "pcc", 0.05)});
  robot.links.push_back({.name = "rod2", .body = rod_body(0.25, 0.015, "kirchhoff", 0.04)});
  robot.actuators.push_back(Actuator::joint("motor", "arm"));
  TimedWrench wrench, wind;
  wrench.force[0] = Signal::sine(0.3, 0.8, 0.2, 0.1);
  wrench.torque[2] = Signal::ramp(1.0, 2.0, 0.0, 0.01);
  wrench.axes = Axes::body;
  wind.force[1] = Signal::step(0.5, 0.0, 0.4);
  robot.loads = {make_wrench_load({"rod2"}, wrench), make_distributed_load("rod1", wind)};
  return robot;
}

/// Floating: a rigid hub with two rods at different places.
inline Robot floating_hub(double damping) {
  Robot robot;
  robot.name = "floating_hub";
  robot.floating_base = true;
  robot.gravity = {};
  robot.links.push_back(
      {.name = "hub", .body = rigid_body(0.4, {0.01, 0.02, 0.03}, {0.002, 0.003, 0.0025}, {0, 0, 0.1})});
  robot.links.push_back({.name = "rod1", .body = rod_body(0.3, 0.02, "pcc", damping)});
  robot.links.push_back({.name = "rod2",
                         .parent = {"hub", PortLocation::base(), {}},
                         .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}),
                         .joint_dynamics = dynamics({}, {0.01 * damping, 0.01 * damping}),
                         .body = rod_body(0.2, 0.015, "pac", damping)});
  return robot;
}

}  // namespace cuttle::test
