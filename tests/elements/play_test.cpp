// Play in joints: its curve, a motor and a link that rattle against each other, energy, derivatives.
#include "cuttle/elements/play.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/elements/coupling.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "elements/element_checks.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const Play k_play{.gap = 0.1, .stiffness = 20.0, .damping = 0.3, .range = 0.02, .rest = 0.04};

/// A rotor on the ground and beside it a link, both about z.
Robot motor_and_link(double rotor_inertia, double link_inertia) {
  Robot robot;
  robot.gravity = {};
  for (const auto& [name, inertia] : {std::pair("motor", rotor_inertia), std::pair("arm", link_inertia)}) {
    Link link;
    link.name = name, link.parent = {"base", PortLocation::base(), {}};
    link.joint = make_revolute_joint<double>({0, 0, 1});
    link.body = test::rigid_body(0.1, {}, {1e-4, 1e-4, inertia}, {});
    robot.links.push_back(std::move(link));
  }
  robot.actuators = {Actuator::joint("drive", "motor")};
  return robot;
}

// The curve by its pieces: nothing in the gap, x^2 / (2 range), then a line; damping where it touches.
TEST(Play, IsNothingInTheGapAndASpringBeyond) {
  Robot robot = motor_and_link(1e-3, 2e-3);
  robot.elements = {make_play<double>("gear", {"motor", "arm"}, {1.0, -2.0}, k_play)};
  const Model model(robot);
  Data data(model);
  ElementData elements(model);
  const double v = 0.6;
  for (const double y : {-0.3, -0.02, -0.01, -0.005, 0.0, 0.04, 0.09, 0.095, 0.11, 0.2}) {
    const double side = y < 0.04 ? -1.0 : 1.0, x = side * (y - 0.04) - 0.05;
    const double depth = x <= 0 ? 0.0 : x < 0.02 ? x * x / 0.04 : x - 0.01, contact = std::clamp(x / 0.02, 0.0, 1.0);
    VectorXd q(2), rate(2);
    q << y + 0.2, 0.1;
    rate << v + 0.4, 0.2;
    element_motion<double>(model, data, q, rate, elements);
    element_efforts<double>(model, 0.0, VectorXd::Zero(1), elements);
    const double effort = -side * 20.0 * depth - 0.3 * contact * v;
    EXPECT_NEAR(elements.efforts[0], effort, 1e-14) << y;
    const VectorXd force = elements.matrix * elements.efforts;
    EXPECT_NEAR(force[0], effort, 1e-14);
    EXPECT_NEAR(force[1], -2.0 * effort, 1e-14);
    EXPECT_NEAR(elements.lost_power, 0.3 * contact * v * v, 1e-14) << y;
    // what it stores is the work from the gap to here, by the trapezoidal rule of its force
    double work = 0.0;
    for (int k = 0; k < 4000 && x > 0; ++k) {
      const double at = x * (k + 0.5) / 4000;
      work += 20.0 * (at < 0.02 ? at * at / 0.04 : at - 0.01) * x / 4000;
    }
    EXPECT_NEAR(elements.stored_energy, work, 1e-7) << y;
  }
}

// Closed form: a free link between two hard flanks crosses the gap at constant speed; without damping it comes back as
// fast as it went, so the period of rattling is twice the crossing and two half vibrations in the flanks.
TEST(Play, AFreeLinkRattlesInTheGap) {
  const double inertia = 2e-3, k = 5e3, v0 = 1.5, gap = 0.1;
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 0, 1}),
                         .body = test::rigid_body(0.1, {}, {1e-4, 1e-4, inertia}, {})});
  robot.elements = {make_play<double>("loose", {"arm"}, {1.0}, {.gap = gap, .stiffness = k, .range = 1e-6})};
  const Model model(robot);
  const double period = 2 * gap / v0 + 2 * std::numbers::pi * std::sqrt(inertia / k);
  Scenario s;
  s.duration = 3 * period, s.output_step = period;
  s.integrator.type = "bdf", s.integrator.relative_tolerance = 1e-8, s.integrator.absolute_tolerance = 1e-10;
  s.initial["arm"] = {{0.0}, {v0}};
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, s).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  for (const Sample& sample : memory.samples()) {
    EXPECT_NEAR(sample.q[0], 0.0, 2e-4) << sample.time;
    EXPECT_NEAR(sample.v[0], v0, 1e-4) << sample.time;
    EXPECT_NEAR(sample.dissipated, 0.0, 1e-12) << sample.time;
  }
}

// Two joints in series, a rotor and on it a link: turned to and fro the link follows behind by half a gap on either
// side, and both hold the account of energy.
TEST(Play, LetsALinkLagBehindItsMotorByTheGap) {
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "rotor",
                         .joint = make_revolute_joint<double>({0, 0, 1}),
                         .body = test::rigid_body(0.1, {}, {1e-4, 1e-4, 1e-3}, {})});
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 0, 1}),
                         .body = test::rigid_body(0.1, {}, {1e-4, 1e-4, 4e-4}, {})});
  robot.elements = {
      make_play<double>("play", {"arm"}, {1.0}, {.gap = 0.2, .stiffness = 40, .damping = 0.05, .range = 0.01}),
      make_coupling<double>("servo", {"rotor"}, {1.0}, {.stiffness = 2.0, .damping = 0.05})};
  robot.actuators = {Actuator::joint("drive", "rotor")};
  const Model model(robot);
  Scenario s;
  s.duration = 4.0, s.output_step = 0.01;
  s.integrator.type = "bdf", s.integrator.relative_tolerance = 1e-6;
  s.inputs["drive"] = Signal::sine(2.0, 0.5, 0.0, 0.0);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, s).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  double lowest = 0.0, highest = 0.0;
  for (const Sample& sample : memory.samples()) {
    lowest = std::min(lowest, sample.q[1]), highest = std::max(highest, sample.q[1]);
  }
  EXPECT_GT(highest, 0.1);
  EXPECT_LT(highest, 0.13);
  EXPECT_LT(lowest, -0.1);
  EXPECT_GT(lowest, -0.13);
  EXPECT_LT(outcome.energy_error, 1e-3 * outcome.peak_kinetic);
}

TEST(Play, DerivativesAndAccountsAreExactOnAnyRobot) {
  for (const unsigned seed : {1u, 2u}) {
    Robot robot = test::random_chain(seed);
    // rounded so far that a difference over 1e-3 stays on one piece of the curve nearly everywhere
    robot.elements.push_back(
        make_play<double>("hip", {"arm"}, {1.0}, {.gap = 0.1, .stiffness = 8, .damping = 0.2, .range = 3}));
    robot.elements.push_back(make_play<double>("gear", {"arm", "slide"}, {1.0, -20.0},
                                               {.gap = 0.1, .stiffness = 2, .damping = 0.1, .range = 5, .rest = 0.3}));
    test::expect_exact_motion(robot);
  }
}

TEST(Play, ParametersByNameHaveGradients) {
  test::expect_parameter_gradients(
      "  - {name: gear, type: play, links: [motor, arm], factors: [1, -2], gap: 0.1, rest: 0.04, stiffness: 20, "
      "damping: "
      "0.3, range: 2}\n",
      {"elements.gear.gap", "elements.gear.rest", "elements.gear.stiffness", "elements.gear.damping",
       "elements.gear.range", "elements.gear.factors[0]", "elements.gear.factors[1]"});
}

std::string error_of(const Play& play, std::vector<std::string> links = {"arm"}) {
  try {
    make_play<double>("rub", std::move(links), {1.0}, play);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Play, ErrorsNameTheKey) {
  EXPECT_EQ(error_of({.gap = -1, .stiffness = 1, .range = 1}), "gap: found -1, expected a number >= 0 [of y]");
  EXPECT_EQ(error_of({.gap = 1, .stiffness = 0, .range = 1}),
            "stiffness: found 0, expected a number > 0 [effort per y]");
  EXPECT_EQ(error_of({.gap = 1, .stiffness = 1, .range = 0}), "range: found 0, expected a number > 0 [of y]");
  EXPECT_EQ(error_of({.gap = 1, .stiffness = 1, .range = 1, .rest = NAN}), "rest: found nan, expected a number");
  EXPECT_EQ(error_of({.gap = 1, .stiffness = 1, .range = 1}, {}), "links: found none, expected at least one");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
