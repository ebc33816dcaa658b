// What slides and lifts off, again and again: friction's impulse, the book of energy and derivatives, by methods that
// keep a matrix and by explicit ones. As long as all of a robot slides forward friction's impulse is mu times that of
// the normal force, and both follow from the momentum along and across the ground: p(T) = p(0) - mu (M g T + w(T) -
// w(0)). What damps has no friction; its impulse over a touch that lasts is c times what the contact stores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81, k_speed = 2.0, k_dissipation = 0.3;

struct Hopper {
  const char* name;
  std::string robot;  ///< its first coordinate is along the ground, the second upward
  double friction, height, fall, modulus;
};

std::string on_rails(const std::string& hopper) {
  return R"(cuttle: 1
materials: {rubber: {density: 1100, young_modulus: 2.0e6, poisson_ratio: 0.5, damping_time: 0.01}}
links:
  - {name: along, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}
)" + hopper;
}

std::string floor_of(double friction, double modulus) {
  return fmt::format(R"(obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: hopper, b: ground, friction: {}, modulus: {}, dissipation: {}}}]
)",
                     friction, modulus, k_dissipation);
}

Hopper ball(double friction, double fall, double modulus) {
  return {"ball",
          on_rails(R"(  - name: hopper
    joint: {type: prismatic, axis: [0, 0, 1]}
    body: {type: rigid, mass: 0.5, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}
    contact: {shape: sphere, radius: 0.05}
)") + floor_of(friction, modulus),
          friction,
          0.05001,
          fall,
          modulus};
}

/// On four corners.
Hopper box(double friction, double fall, double modulus) {
  return {"box",
          on_rails(R"(  - name: hopper
    joint: {type: prismatic, axis: [0, 0, 1]}
    body: {type: rigid, mass: 0.5, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}
    contact: {shape: box, size: [0.1, 0.06, 0.05]}
)") + floor_of(friction, modulus),
          friction,
          0.02501,
          fall,
          modulus};
}

/// Held at one end above the ground, it hangs down to the ground and drags its other end along.
Hopper rod(double friction, double fall, double modulus) {
  return {
      "rod",
      on_rails(
          R"(  - {name: up, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4, 0, 0, 0]}}
  - name: hopper
    attach: {pose: {rpy: [0, -1.9, 0]}}
    body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: rubber, strain: {kappa_y: constant}, quadrature: {points: 8}}
)") + floor_of(friction, modulus),
      friction,
      0.2 * std::sin(1.9 - 1.5707963267948966) + 0.01 + 1e-5,
      fall,
      modulus};
}

struct Hop {
  double friction = 0.0, normal = 0.0;  ///< impulses [N s]
  double book = 0.0;                    ///< largest error over the energy that moves
  long steps = 0;
};

Scenario scenario_of(const Hopper& hopper, const std::string& type, double time) {
  Scenario scenario{.duration = time, .output_step = time / 100, .integrator = {.type = type}};
  scenario.initial["along"] = {{0.0}, {k_speed}};
  scenario.initial[std::string(hopper.name) == "rod" ? "up" : "hopper"] = {{hopper.height}, {-hopper.fall}};
  return scenario;
}

Hop hop(const Hopper& hopper, const Scenario& scenario) {
  const Model model(read_robot_text(hopper.robot, "r.yaml"));
  Data data(model);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  const Sample &first = memory.samples().front(), &last = memory.samples().back();
  const auto momentum = [&](const Sample& s) -> VectorXd { return mass_matrix<double>(model, data, s.q) * s.v; };
  const VectorXd before = momentum(first), after = momentum(last);
  const double mass = mass_matrix<double>(model, data, first.q)(1, 1);
  Hop result;
  result.friction = before[0] - after[0];
  result.normal = after[1] - before[1] + mass * k_gravity * (last.time - first.time) - k_dissipation * last.contact;
  const auto left = [](const Sample& s) { return s.energy() - s.input - s.load + s.dissipated; };
  double moved = 0.0;
  for (const Sample& s : memory.samples()) {
    result.book = std::max(result.book, std::abs(left(s) - left(first)));
    moved = std::max({moved, s.kinetic, s.dissipated});
  }
  result.book /= moved;
  EXPECT_GT(last.v[0], 0.2);
  EXPECT_GT(last.dissipated, 1e-2 * moved);
  return result;
}

class LiftOff : public testing::TestWithParam<const char*> {};

TEST_P(LiftOff, KeepsFrictionsImpulseAndTheBook) {
  for (const Hopper& hopper : {ball(0.4, 0.02, 1e8), ball(0.4, 0.2, 1e6), box(0.3, 0.05, 1e7), rod(0.4, 0.05, 1e7)}) {
    for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8}) {
      Scenario scenario = scenario_of(hopper, GetParam(), 0.1);
      scenario.integrator.relative_tolerance = tolerance, scenario.integrator.absolute_tolerance = 1e-3 * tolerance;
      const Hop found = hop(hopper, scenario);
      EXPECT_GT(found.normal, 0.0);
      const double expected = hopper.friction * found.normal;
      EXPECT_NEAR(found.friction, expected, std::max(1e-3, 200 * tolerance) * expected)
          << hopper.name << ", " << tolerance;
      EXPECT_LT(found.book, 20 * tolerance) << hopper.name << ", " << tolerance;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LiftOff, testing::Values("bdf", "erk"),
                         [](const auto& method) { return std::string(method.param); });

/// Sixth-order central difference of f, whose argument changes by `step`.
VectorXd difference_of(const std::function<VectorXd(double)>& f, double step) {
  return (45.0 * (f(step) - f(-step)) - 9.0 * (f(2 * step) - f(-2 * step)) + (f(3 * step) - f(-3 * step))) /
         (60.0 * step);
}

struct Stepped {
  const char* type;
  double step;
};
class DerivativesOfLiftOff : public testing::TestWithParam<Stepped> {};

// Against those of the motion itself, by differences of runs of another method at tight tolerances. Beyond its cone a
// bristle shrinks no faster than the cone does, else a stage just before a lift-off takes them away.
TEST_P(DerivativesOfLiftOff, AreThoseOfTheMotion) {
  const Hopper hopper = ball(0.4, 0.05, 1e6);
  Scenario scenario = scenario_of(hopper, GetParam().type, 0.1), tight = scenario_of(hopper, "erk", 0.1);
  scenario.integrator.step = GetParam().step;
  tight.integrator.relative_tolerance = 1e-9, tight.integrator.absolute_tolerance = 1e-11;
  const std::vector<std::string> by{"links.hopper.body.mass", "contacts.floor.friction",
                                    "simulation.initial.along.v[0]", "simulation.initial.hopper.v[0]"};
  const Model model(read_robot_text(hopper.robot, "r.yaml"));
  const Sensitivities found = sensitivities(model, scenario, {"v"}, by, {scenario.duration});
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double at = found.parameters[k].value;
    const auto end_of = [&](double change) -> VectorXd {
      Scenario changed = tight;
      if (k == 2) changed.initial["along"].v[0] += change;
      if (k == 3) changed.initial["hopper"].v[0] += change;
      MemoryRecorder memory;
      Simulator(k < 2 ? model.with(by[k], at + change) : model, changed).run({&memory});
      return memory.samples().back().v;
    };
    const VectorXd expected = difference_of(end_of, 1e-3 * std::abs(at));
    const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
    EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(), 0.05 * expected.cwiseAbs().maxCoeff())
        << by[k] << "\nfound " << derivative.transpose() << "\nexpected " << expected.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, DerivativesOfLiftOff,
                         testing::Values(Stepped{"rk4", 5e-6}, Stepped{"generalized_alpha", 1e-5}),
                         [](const auto& method) { return std::string(method.param.type); });

// tsit5 has a stage there whose bristle nothing bounds: no number is better than 1e15 in place of 0.05.
TEST(LiftOff, DerivativesThatAMethodLosesAreRefused) {
  const Hopper hopper = ball(0.4, 0.05, 1e6);
  Scenario scenario = scenario_of(hopper, "tsit5", 0.3);
  scenario.integrator.step = 5e-6;
  const Model model(read_robot_text(hopper.robot, "r.yaml"));
  try {
    sensitivities(model, scenario, {"v"}, {"contacts.floor.friction"}, {scenario.duration});
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("expected a method whose stages follow what lifts off"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
