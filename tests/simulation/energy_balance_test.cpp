// What the energies of a robot say about a simulation: the change of energy is the work of damping, inputs and loads,
// which are integrated as states of their own; the momentum of a robot that nothing touches stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "simulation/simulation_robots.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Scenario scenario(const std::string& type, double tolerance, double duration) {
  Scenario s;
  s.duration = duration;
  s.output_step = 0.02;
  s.integrator.type = type;
  s.integrator.relative_tolerance = tolerance;
  s.integrator.absolute_tolerance = 1e-2 * tolerance;
  return s;
}

/// A robot from a state, and which kinds of work change its energy.
struct BalanceCase {
  std::string name;
  Robot robot;
  double duration;
  std::map<std::string, InitialState> initial;
  std::map<std::string, Signal> inputs = {};
  bool damped = false, driven = false, loaded = false;
  bool stiff = false;         ///< for bdf only
  double output_step = 0.02;  ///< longer where an explicit step between two outputs is exact at any tolerance
};

Robot two_rods(double damping) {
  Robot robot;
  robot.name = "two_rods";
  robot.links.push_back({.name = "rod1", .body = test::rod_body(0.3, 0.015, "pcc", damping)});
  robot.links.push_back({.name = "rod2", .body = test::rod_body(0.25, 0.012, "pcc", damping)});
  return robot;
}

Robot soft_pendulum(const std::string& strain) {
  Robot robot;
  robot.name = "soft_pendulum";
  robot.links.push_back(
      {.name = "rod", .joint = make_revolute_joint<double>({0, 1, 0}), .body = test::rod_body(0.4, 0.02, strain, 0.0)});
  return robot;
}

Robot stiff_arm() {
  Robot robot;
  robot.name = "stiff_arm";
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = test::dynamics({}, {0.01}),
                         .body = test::rigid_body(0.5, {0, 0, 0.1}, {0.002, 0.003, 0.001}, {0, 0, 0.2})});
  RodParameters p;
  p.length = 0.3;
  p.section.radius = 0.01;
  p.material.density = 1070;
  p.material.young_modulus = 2e8;
  p.material.damping_time = 0.02;
  p.strain = strain_shorthand<double>("pcs", p.length);
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  return robot;
}

/// Two rods with a hinged plate between them, and tendons straight, wound and through the gap; one goes slack.
Robot tendon_arm() {
  Robot robot;
  robot.name = "tendon_arm";
  robot.links.push_back({.name = "rod1", .body = test::rod_body(0.3, 0.02, "pcc", 0.05)});
  robot.links.push_back({.name = "plate",
                         .joint = make_revolute_joint<double>({0.3, 1, 0}),
                         .joint_dynamics = test::dynamics({0.3}, {0.002}),
                         .body = test::rigid_body(0.05, {0, 0, 0.005}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
  robot.links.push_back({.name = "rod2", .body = test::rod_body(0.2, 0.015, "kirchhoff", 0.05)});
  Routing along1, eyelet, along2, wound;
  along1.link = "rod1", along1.offset = {{0.012, 0.002}}, along1.to = 0.28;
  eyelet.link = "plate", eyelet.points = {{0.014, -0.003, 0.004}};
  along2.link = "rod2", along2.offset = {{0.009, 0.0}, {0.004, 0.003}};
  wound.link = "rod2", wound.helix = Routing::Helix{0.008, 1.0, -0.75};
  robot.actuators = {Actuator::tendon("through", {along1, eyelet, along2}),
                     Actuator::tendon("wound", {wound}, Slack::clip),
                     Actuator::chamber("pocket", "rod1", {-0.01, 0}, 4e-5)};
  return robot;
}

/// Trees of rods and rigid links that fall and tumble. Without damping the last digits of their motion are chaos.
BalanceCase random_case(unsigned seed, bool damped) {
  test::RandomRobotOptions options;
  options.min_links = 2, options.max_links = 4, options.max_modes = 5;
  BalanceCase c{"random " + std::to_string(seed), test::to_robot(test::random_robot(seed, options)), 2.0, {}};
  c.damped = damped;
  const Model model(c.robot);
  test::Random random(seed + 77);
  const test::RandomState state = test::random_state(model, random);
  for (const auto& link : model.links()) {
    const double *q = state.q.data() + link.q, *v = state.v.data() + link.v;
    c.initial[link.name] = {{q, q + link.nq}, {v, v + link.nv}};
  }
  return c;
}

std::vector<BalanceCase> balance_cases() {
  const InitialState base{{0.1, 0.2, -0.3, 0.5, -0.5, 0.5, 0.5}, {0.9, -0.6, 0.7, 0.2, 0.1, -0.3}};
  const InitialState bent{{0.5, -0.3, 0.01}, {1.0, 2.0, 0.0}};
  std::vector<BalanceCase> cases;
  cases.push_back({.name = "mixed arm",
                   .robot = test::mixed_arm(),
                   .duration = 10.0,
                   .initial = {{"arm", {{0.7}, {0.5}}}, {"ball", {{0.5, 0.5, -0.5, 0.5}, {0.3, -0.2, 0.4}}}},
                   .inputs = {{"motor", Signal::step(3.21, 0.3, -1.5)}},
                   .damped = true,
                   .driven = true,
                   .loaded = true});
  cases.push_back({.name = "pendulum",
                   .robot = test::pendulum(),
                   .duration = 10.0,
                   .initial = {{"arm", {{1.5}, {}}}},
                   .output_step = 0.5});
  cases.push_back({.name = "free body",
                   .robot = test::free_body({0.013, 0.02, 0.008}),
                   .duration = 10.0,
                   .initial = {{"base", base}},
                   .output_step = 1.0});
  cases.push_back({"undamped hub", test::floating_hub(0.0), 3.0, {{"base", base}, {"rod1", bent}}});
  cases.push_back({.name = "damped hub",
                   .robot = test::floating_hub(0.05),
                   .duration = 3.0,
                   .initial = {{"base", base}, {"rod1", bent}},
                   .damped = true});
  cases.push_back({"soft pendulum", soft_pendulum("kirchhoff"), 5.0, {{"rod", {{1.4, 0.3, -0.2, 0.1}, {}}}}});
  // stretched by half: most of the energy is gone, or turns, before anything falls
  const std::map<std::string, InitialState> stretched{{"rod1", {{1.0, 0.5, 0.15}, {}}},
                                                      {"rod2", {{1.0, 1.0, 0.1}, {}}}};
  cases.push_back({.name = "stretch", .robot = two_rods(0.1), .duration = 5.0, .initial = stretched, .damped = true});
  cases.push_back({"undamped stretch", two_rods(0.0), 1.0, stretched});
  cases.push_back({.name = "stiff arm",
                   .robot = stiff_arm(),
                   .duration = 5.0,
                   .initial = {{"arm", {{1.2}, {}}}, {"rod", {{0.3, 0.1, 0, 0, 0, 0}, {}}}},
                   .damped = true,
                   .stiff = true});
  // the input bends every 10 ms, and the method starts again each time
  std::vector<double> times, torques;
  for (int k = 0; k <= 300; ++k) {
    times.push_back(0.01 * k);
    torques.push_back(0.1 * std::sin(0.9 * k));
  }
  BalanceCase bends{"bends", soft_pendulum("pcc"), 3.0, {{"rod", {{1.4, 0.3, -0.2, 0.01}, {}}}}};
  bends.robot.actuators.push_back(Actuator::joint("motor", "rod"));
  bends.driven = true;
  bends.inputs["motor"] = Signal::points(times, torques);
  cases.push_back(bends);
  cases.push_back({.name = "tendon arm",
                   .robot = tendon_arm(),
                   .duration = 3.0,
                   .initial = {{"plate", {{0.2}, {}}}},
                   .inputs = {{"through", Signal::step(0.37, 1.0, 6.0)},
                              {"wound", Signal::sine(3.0, 0.8, 0.3, 0.0)},
                              {"pocket", Signal::step(1.1, 0.0, 2e4)}},
                   .damped = true,
                   .driven = true});
  cases.push_back(random_case(4, true));
  cases.push_back(random_case(8, false));
  return cases;
}

// The promise of docs/accuracy.md: the energy error stays below 20 rtol of the peak kinetic energy, and falls with
// rtol, for whatever robot.
TEST(EnergyBalanceTest, ErrorIsBelowTwentyTolerancesOfThePeakKineticEnergy) {
  for (const BalanceCase& c : balance_cases()) {
    const Model model(c.robot);
    for (const std::string type : {"bdf", "erk"}) {
      if (c.stiff && type != "bdf") continue;
      double last = 1e300;
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        SCOPED_TRACE(testing::Message() << c.name << ", " << type << " at " << tolerance);
        Scenario s = scenario(type, tolerance, c.duration);
        s.output_step = c.output_step;
        s.initial = c.initial;
        s.inputs = c.inputs;
        MemoryRecorder memory;
        const Outcome outcome = Simulator(model, s).run({&memory});
        const Sample &first = memory.samples().front(), &end = memory.samples().back();
        double kinetic = 0.0, largest = 0.0, error = 0.0;
        for (const Sample& x : memory.samples()) {
          kinetic = std::max(kinetic, x.kinetic);
          largest = std::max(largest, std::abs(x.energy()));
          error = std::max(error, std::abs(x.energy() - first.energy() - (x.input + x.load - x.dissipated)));
        }
        EXPECT_EQ(error, outcome.energy_error);
        EXPECT_EQ(kinetic, outcome.peak_kinetic);
        EXPECT_EQ(largest, outcome.peak_energy);
        EXPECT_LT(error, 20 * tolerance * kinetic) << error / (tolerance * kinetic) << " tolerances";
        EXPECT_LT(error, 0.2 * last);
        last = error;
        // each kind of work at play is ten times what the loosest tolerance lets pass, so none could be forgotten
        const double much = 10 * 20 * 1e-4 * kinetic;
        EXPECT_EQ(end.dissipated > much, c.damped) << end.dissipated;
        EXPECT_EQ(std::abs(end.input) > much, c.driven) << end.input;
        EXPECT_EQ(std::abs(end.load) > much, c.loaded) << end.load;
      }
    }
  }
}

// A fixed step says the same: the balance error falls with its order.
TEST(EnergyBalanceTest, FixedStepsBalanceWithTheirOrder) {
  const Model model(test::mixed_arm());
  for (const auto& [type, least_order] : {std::pair("rk4", 3.5), std::pair("tsit5", 4.5)}) {
    double last = 0.0;
    for (const double step : {2e-3, 1e-3, 5e-4}) {
      Scenario s = scenario("", 0, 1.0);
      s.integrator = {};
      s.integrator.type = type;
      s.integrator.step = step;
      s.initial["arm"] = {{0.7}, {0.5}};
      s.inputs["motor"] = Signal::step(0.5, 0.3, -0.5);
      const double error = Simulator(model, s).run({}).energy_error;
      if (last > 0.0) {
        EXPECT_GT(std::log2(last / error), least_order) << type << ", step " << step << ", error " << error;
      }
      last = error;
    }
  }
}

// The recorded inputs are those that act, and do work on the recorded coordinates.
TEST(EnergyBalanceTest, TendonsWorkOnTheirShortening) {
  const Model model(tendon_arm());
  Scenario s = scenario("erk", 1e-8, 1.0);
  s.output_step = 1e-3;
  s.inputs = {{"through", Signal::ramp(0.0, 0.5, 1.0, 6.0)}, {"wound", Signal::sine(3.0, 0.8, 0.3, 0.0)}};
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  double work = 0.0;  // trapezoids
  bool clipped = false;
  for (std::size_t i = 1; i < memory.samples().size(); ++i) {
    const Sample &a = memory.samples()[i - 1], &b = memory.samples()[i];
    work += 0.5 * (a.u + b.u).dot(b.y - a.y);
    EXPECT_GE(b.u[1], 0.0);
    clipped |= b.u[1] == 0.0;
  }
  EXPECT_TRUE(clipped);
  EXPECT_GT(memory.samples().back().input, 1e-2);
  EXPECT_NEAR(work, memory.samples().back().input, 1e-5 * work);
}

TEST(EnergyBalanceTest, ATendonThatIsToldToPushEndsTheSimulation) {
  const Model model(tendon_arm());
  Scenario s = scenario("bdf", 1e-6, 1.0);
  s.inputs = {{"through", Signal::step(0.25, 1.0, -1.0)}};
  try {
    Simulator(model, s).run({});
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("actuator 'through': found a tension of -1 N, expected >= 0"),
              std::string::npos)
        << error.what();
  }
}

// Undamped and untouched: energy stays. Damping only takes: dissipated grows from sample to sample.
TEST(EnergyBalanceTest, DampingOnlyTakes) {
  for (const double damping : {0.0, 0.05}) {
    const Model model(test::floating_hub(damping));
    Scenario s = scenario("erk", 1e-8, 2.0);
    s.initial["rod1"] = {{0.5, -0.3, 0.01}, {}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_LT(outcome.energy_error, 20e-8 * outcome.peak_kinetic);
    double last = 0.0;
    for (const Sample& sample : memory.samples()) {
      EXPECT_GE(sample.dissipated, last);
      EXPECT_EQ(sample.input, 0.0);
      EXPECT_EQ(sample.load, 0.0);
      last = sample.dissipated;
    }
    EXPECT_EQ(last > 0.0, damping > 0.0);
  }
}

// Momentum about the world's origin of a floating robot without gravity, internal damping or not.
TEST(MomentumTest, FloatingRobotKeepsIt) {
  const Model model(test::floating_hub(0.05));
  Data data(model);
  for (const char* type : {"bdf", "erk", "rk4"}) {
    double last = 1e300;
    for (const double tolerance : {1e-5, 1e-7}) {
      Scenario s = scenario(type, tolerance, 3.0);
      if (s.integrator.type == "rk4") {
        s.integrator = {};
        s.integrator.type = type;
        s.integrator.step = tolerance == 1e-5 ? 1e-3 : 5e-4;
      }
      s.initial["base"] = {{0.1, 0.2, -0.3, 0.5, -0.5, 0.5, 0.5}, {0.9, -0.6, 0.7, 0.2, 0.1, -0.3}};
      s.initial["rod1"] = {{0.5, -0.3, 0.01}, {1.0, 2.0, 0.0}};
      MemoryRecorder memory;
      Simulator(model, s).run({&memory});
      const auto momentum_of = [&](const Sample& x) { return to_eigen(momentum<double>(model, data, x.q, x.v)); };
      const auto start = momentum_of(memory.samples().front());
      double error = 0.0;
      for (const Sample& sample : memory.samples()) error = std::max(error, (momentum_of(sample) - start).norm());
      error /= start.norm();
      EXPECT_LT(error, s.integrator.step ? 1e-6 : 1e3 * tolerance) << type;
      EXPECT_LT(error, 0.3 * last) << type;
      last = error;
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
