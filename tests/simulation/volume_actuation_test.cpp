// Tendons and chambers that drive volumes: their work is the energy that goes in, and slack tendons do as they are
// told.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/volume_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

/// A rod, a plate on a hinge and a tube with a bore; a tendon runs through all of them, another within the tube.
Robot driven_arm() {
  Robot robot;
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.2, 0.02, "pcc", 0.05)});
  robot.links.push_back({.name = "plate",
                         .joint = make_revolute_joint<double>({0.3, 1, 0}),
                         .joint_dynamics = test::dynamics({0.3}, {0.002}),
                         .body = test::rigid_body(0.05, {0, 0, 0.005}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
  robot.links.push_back(
      {.name = "tube",
       .body = test::lvp_tube({.primitives = {{.type = Type::source, .modes = {{1e-3}}},
                                              {.type = Type::stretch, .modes = {{0.0, 1.0}}},
                                              {.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}}})});
  Routing along, eyelet, through, side;
  along.link = "rod", along.offset = {{0.012, 0.002}};
  eyelet.link = "plate", eyelet.points = {{0.014, -0.003, 0.004}};
  through.link = "tube", through.points = {{0.016, 0.0, 0.02}, {0.016, 0.0, 0.1}, {0.015, 0.002, 0.19}};
  side.link = "tube", side.points = {{-0.004, 0.016, 0.0}, {-0.004, 0.016, 0.1}, {-0.004, 0.016, 0.2}};
  robot.actuators = {Actuator::tendon("through", {along, eyelet, through}),
                     Actuator::tendon("side", {side}, Slack::clip), Actuator::chamber("bore", "tube", "inner")};
  return robot;
}

Scenario driven(double tolerance) {
  Scenario s;
  s.duration = 1.0;
  s.output_step = 2e-3;
  s.integrator.type = "bdf";
  s.integrator.relative_tolerance = tolerance, s.integrator.absolute_tolerance = 0.01 * tolerance;
  s.inputs = {{"through", Signal::ramp(0.0, 0.5, 1.0, 5.0)},
              {"side", Signal::sine(3.0, 1.6, 0.3, 0.0)},
              {"bore", Signal::ramp(0.2, 0.7, 0.0, 1e4)}};
  return s;
}

// As docs/accuracy.md promises for every robot.
TEST(VolumeActuationTest, EnergyBalances) {
  const Model model(driven_arm());
  for (const double tolerance : {1e-4, 1e-6}) {
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, driven(tolerance)).run({&memory});
    EXPECT_LT(outcome.energy_error, 20 * tolerance * outcome.peak_kinetic) << tolerance;
    EXPECT_GT(std::abs(memory.samples().back().input), 10 * 20 * 1e-4 * outcome.peak_kinetic);
  }
}

// Each input's own work, as trapezoids of tension over shortening and of pressure over volume.
TEST(VolumeActuationTest, InputsWorkOnTheirCoordinates) {
  const Model model(driven_arm());
  MemoryRecorder memory;
  Simulator(model, driven(1e-7)).run({&memory});
  VectorXd work = VectorXd::Zero(3);
  bool clipped = false;
  for (std::size_t i = 1; i < memory.samples().size(); ++i) {
    const Sample &a = memory.samples()[i - 1], &b = memory.samples()[i];
    work += 0.5 * (a.u + b.u).cwiseProduct(b.y - a.y);
    clipped |= b.u[1] == 0.0;
    EXPECT_GE(b.u[1], 0.0);
  }
  EXPECT_TRUE(clipped);
  EXPECT_GT(work.cwiseAbs().minCoeff(), 1e-3);  // each matters
  EXPECT_NEAR(work.sum(), memory.samples().back().input, 1e-3 * work.cwiseAbs().sum());
  EXPECT_GT(memory.samples().back().y[2], memory.samples().front().y[2]);  // pressure opens the bore
}

TEST(VolumeActuationTest, ATendonThatIsToldToPushEndsTheSimulation) {
  const Model model(driven_arm());
  Scenario s = driven(1e-6);
  s.inputs = {{"through", Signal::step(0.1, 1.0, -1.0)}};
  try {
    Simulator(model, s).run({});
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("actuator 'through': found a tension of -1 N, expected >= 0"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
