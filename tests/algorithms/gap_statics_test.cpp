// Equilibria through the gap of a gear with play, where nothing holds the motor, and of robots without coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_weight = 9.81 * 0.2;  // of an arm of 1 kg, 0.2 m from its joint [N m]
constexpr double k_gap = 0.02, k_gear_stiffness = 400.0;

/// A motor whose gear has play, and the arm that hangs from its other side; motor - arm is in the gap at rest.
std::string geared(const std::string& more = "") {
  const auto link = [](const char* name, const char* parent, const char* com) {
    return std::string("  - {name: ") + name + ", " + parent + "joint: {type: revolute, axis: [0, 1, 0]}, " +
           "body: {type: rigid, mass: 1, com: " + com + ", inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}\n";
  };
  return "cuttle: 1\nname: geared\nlinks:\n" + link("motor", "", "[0, 0, 0]") +
         link("arm", "parent: base, ", "[0, 0, -0.2]") +
         "actuators:\n  - {name: drive, type: joint, link: motor}\nelements:\n" +
         "  - {name: gear, type: play, links: [motor, arm], factors: [1, -1], gap: 0.02, stiffness: 400, range: "
         "0.0005}\n" +
         more;
}

StaticEquilibrium equilibrium_of(const std::string& yaml, double torque) {
  const Model model(read_robot_text(yaml, "geared.yaml"));
  Data data(model);
  StaticLoads loads;
  loads.u = VectorXd::Constant(1, torque);
  return static_equilibrium(model, data, loads, model.neutral());
}

// The torque goes through the gear to the arm: weight sin(arm) = torque, and motor - arm is half the gap and what bends
// the gear's spring, which lacks half the range over which it grows.
TEST(GapStaticsTest, TheMotorGoesThroughTheGapAndLiftsTheArm) {
  for (const double torque : {1.0, -0.5, 0.1}) {
    const StaticEquilibrium found = equilibrium_of(geared(), torque);
    EXPECT_NEAR(found.q[1], std::asin(torque / k_weight), 1e-8) << torque;
    const double bent = std::abs(torque) / k_gear_stiffness;
    EXPECT_NEAR(std::abs(found.q[0] - found.q[1]), 0.5 * k_gap + bent, 0.0005) << torque;
    EXPECT_GT((found.q[0] - found.q[1]) * torque, 0.0);
    EXPECT_TRUE(found.stable()) << torque;
    EXPECT_LT(found.residual, 1e-8);
  }
}

// A joint that nothing stops, whatever the motor does, still has no equilibrium, and the error says which.
TEST(GapStaticsTest, WhatIsFreeStaysAnError) {
  const std::string free =
      geared("  - {name: other, type: play, links: [arm], factors: [1], gap: 0.5, stiffness: 1, range: 0.1}\n");
  const std::string text = free.substr(0, free.find("  - {name: gear")) + free.substr(free.find("  - {name: other"));
  try {
    equilibrium_of(text, 1.0);
    FAIL() << "found an equilibrium";
  } catch (const StaticsError& error) {
    EXPECT_NE(std::string(error.what()).find("nothing holds motor.joint.v0 (link 'motor')"), std::string::npos)
        << error.what();
  }
}

// With asserts in Eigen an LU factorization of nothing ends the program.
TEST(NoCoordinatesTest, NothingGivesWay) {
  const Model model(
      read_robot_text("cuttle: 1\nname: block\nlinks:\n  - {name: b, body: {type: rigid, mass: 1}}\n", "block.yaml"));
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, {}, model.neutral());
  const EquilibriumStiffness stiffness = equilibrium_stiffness(model, data, {}, found);
  EXPECT_FALSE(stiffness.singular);
  EXPECT_EQ(stiffness.flexibility.rows(), 0);
  EXPECT_EQ(stiffness.flexibility.cols(), 0);
  EXPECT_EQ(frame_compliance(model, data, found, stiffness, model.tip_frame("b")).norm(), 0.0);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
