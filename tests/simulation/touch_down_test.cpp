// What touches down and sticks: the rate of a bristle jumps there from nothing to the speed of the surface, so that a
// touch that begins later by dt leaves a bristle that is shorter by v dt. A step's map does not see when within it a
// touch began. Derivatives are held against a ball that moves by the prototype of the law, begun exactly where it
// touches, and against runs whose touches begin at the same place of a step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/contact_reference.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Paths = std::vector<std::string>;

/// Sixth-order central difference of f, whose argument changes by `step`.
VectorXd difference_of(const std::function<VectorXd(double)>& f, double step) {
  return (45.0 * (f(step) - f(-step)) - 9.0 * (f(2 * step) - f(-2 * step)) + (f(3 * step) - f(-3 * step))) /
         (60.0 * step);
}

/// A ball that falls on a plane while it rolls.
struct Fall {
  double height = 0.0507, fall = 0.34;  ///< at the start [m], [m/s]
  double speed = 0.3, slip = 2.8e-3;    ///< of its center, and of its surface below that [m/s]
  double radius = 0.05, friction = 0.5, modulus = 1e5;
  double mass = 0.5, inertia = 5e-4, dissipation = 0.3, damping_time = 5e-4;

  double spin() const { return (speed - slip) / 0.05; }
  std::string robot() const {
    return fmt::format(R"(cuttle: 1
base: {{motion: floating, pose: {{position: [0, 0, {:.17g}]}}}}
links:
  - name: ball
    body: {{type: rigid, mass: {}, inertia: [{:.17g}, {:.17g}, {:.17g}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {:.17g}}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {:.17g}, modulus: {:.17g}, dissipation: {}}}]
)",
                       height, mass, inertia, inertia, inertia, radius, friction, modulus, dissipation);
  }
  Scenario scenario(double duration, const IntegratorOptions& integrator) const {
    Scenario scenario{.duration = duration, .output_step = duration, .integrator = integrator};
    scenario.initial["base"] = {{}, {0.0, spin(), 0.0, speed, 0.0, -fall}};
    return scenario;
  }
};

/// x, z and the spin about y of such a ball, which falls freely until it touches: from there on by the method of order
/// four with steps that grow from nothing, as the stiffness does.
VectorXd end_of(const Fall& ball, double duration) {
  constexpr double k_gravity = 9.81, k_first = 1e-9, k_growth = 1.1, k_step = 1e-4;
  const double gap = ball.height - ball.radius;
  const double at = (std::sqrt(ball.fall * ball.fall + 2.0 * k_gravity * gap) - ball.fall) / k_gravity;
  ReferenceBall moving;
  moving.mass = ball.mass, moving.gyration = ball.inertia / (ball.mass * ball.radius * ball.radius);
  ContactReference& law = moving.law;
  law.stiffness = 4.0 / 3.0 * ball.modulus * std::sqrt(ball.radius), law.radius = ball.radius;
  law.dissipation = ball.dissipation, law.damping_time = ball.damping_time;
  law.forward = law.backward = law.sideways = ball.friction;
  ContactReference::State& state = moving.state;
  const double fall = ball.fall + k_gravity * at, slip = ball.speed - ball.spin() * ball.radius;
  state.position = {ball.speed * (at + k_first), 0.0, ball.radius - fall * k_first};
  state.velocity = {ball.speed, 0.0, -fall}, state.spin = {0.0, ball.spin(), 0.0};
  state.bristle = {slip * k_first, 0.0, 0.0};
  double since = k_first;
  while (since < duration - at) {
    const double h = std::min({(k_growth - 1.0) * since, k_step, duration - at - since});
    moving.step(h);
    since += h;
  }
  return Eigen::Vector3d(state.position.x(), state.position.z(), state.spin.y());
}

/// A number of a fall, and where runs know it.
struct Number {
  const char* path;
  double Fall::*of;
  double sign, step;
  double of_size;  ///< what a change of it is compared by
};
const std::vector<Number> k_numbers{{"simulation.initial.base.q[2]", &Fall::height, 1.0, 2e-5, 0.01},
                                    {"simulation.initial.base.v[5]", &Fall::fall, -1.0, 5e-3, 0.34},
                                    {"links.ball.contact.radius", &Fall::radius, 1.0, 2e-5, 0.01},
                                    {"contacts.floor.friction", &Fall::friction, 1.0, 2e-3, 0.5},
                                    {"contacts.floor.modulus", &Fall::modulus, 1.0, 1e3, 1e5}};

MatrixXd expected_of(const Fall& ball, double duration) {
  MatrixXd expected(3, static_cast<Eigen::Index>(k_numbers.size()));
  for (std::size_t k = 0; k < k_numbers.size(); ++k) {
    const Number& number = k_numbers[k];
    expected.col(static_cast<Eigen::Index>(k)) = number.sign * difference_of(
                                                                   [&](double change) {
                                                                     Fall changed = ball;
                                                                     // its spin stays
                                                                     changed.*number.of += change;
                                                                     return end_of(changed, duration);
                                                                   },
                                                                   number.step);
  }
  return expected;
}

Paths paths_of_numbers() {
  Paths by;
  for (const Number& number : k_numbers) by.emplace_back(number.path);
  return by;
}

struct Method {
  const char* type;
  double step, tolerance;  ///< of derivatives, beside the largest of their row by a number's size
};

IntegratorOptions options_of(const Method& method) {
  if (method.step > 0.0) return fixed(method.type, method.step);
  IntegratorOptions options = {.type = method.type};
  options.relative_tolerance = 1e-7, options.absolute_tolerance = 1e-10;
  return options;
}

class FallingBall : public testing::TestWithParam<Method> {};

/// A fall that sticks at once, with a slip far below what the cone holds, or slides, with one far beyond it, and when
/// it is looked at: while the ball is pressed in, or when it has just left again.
struct Look {
  double slip, time;
};

TEST_P(FallingBall, MovesAsOneThatTouchesAtItsInstant) {
  const Method& method = GetParam();
  const bool chooses = method.step == 0.0;
  const Paths by = paths_of_numbers();
  for (const auto& [slip, time] : {Look{2.8e-3, 0.02}, Look{2.8e-3, 0.054}, Look{1.0, 0.02}}) {
    if (chooses && slip == 1.0) continue;  // derivatives of these methods end where a ball slides as its cone opens
    Fall ball;
    ball.slip = slip;
    const Model model(read_robot_text(ball.robot(), "r.yaml"));
    const Scenario scenario = ball.scenario(time, options_of(method));
    const MatrixXd found = sensitivities(model, scenario, {"q", "v"}, by, {time}).derivatives[0];
    const MatrixXd expected = expected_of(ball, time);
    MatrixXd derivatives(3, expected.cols());  // x, z and the spin about y
    derivatives << found.row(0), found.row(2), found.row(8);
    VectorXd size(expected.cols());
    for (Eigen::Index k = 0; k < size.size(); ++k) size[k] = k_numbers[static_cast<std::size_t>(k)].of_size;
    for (int i = 0; i < 3; ++i) {
      const double largest = expected.row(i).transpose().cwiseProduct(size).cwiseAbs().maxCoeff();
      for (Eigen::Index k = 0; k < size.size(); ++k) {
        EXPECT_NEAR(derivatives(i, k) * size[k], expected(i, k) * size[k], method.tolerance * largest)
            << by[static_cast<std::size_t>(k)] << ", row " << i << ", t " << time << ", slip " << slip;
      }
    }
    if (!chooses) expect_alike(both_ways(model, scenario, {0.5 * time, time}, by), by, 1e-7, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, FallingBall,
                         testing::Values(Method{"generalized_alpha", 1e-4, 1e-2}, Method{"newmark", 1e-4, 1e-2},
                                         Method{"hht", 1e-4, 1e-2}, Method{"midpoint", 1e-4, 1e-2},
                                         Method{"rk4", 2e-5, 1e-3}, Method{"bdf", 0.0, 1e-4}, Method{"erk", 0.0, 1e-5}),
                         [](const auto& method) { return std::string(method.param.type); });

/// What falls evenly, without weight, until many of its sites touch at once. Its touch is as much later as it is
/// higher, over its speed: runs whose touches are whole steps apart stand on the same place of the staircase that
/// values go up with the instant of touch, and their differences are those of the solution.
struct Flat {
  std::string robot;  ///< at its height
  double lowest;      ///< below its base [m]
  const char* size;   ///< a number that lowers that
  double by_size;     ///< by so much
  int height, place;  ///< coordinates of its place: upward and along the plane
  int down, along;    ///< of its first velocity
  double up;          ///< sign of what is upward along the first ones
  double fall, slip;  ///< [m/s]
};

Flat box() {
  return {R"(cuttle: 1
gravity: [0, 0, 0]
base: {motion: floating}
links:
  - name: body
    body: {type: rigid, mass: 0.5, inertia: [3e-4, 5e-4, 6e-4, 0, 0, 0]}
    contact: {shape: box, size: [0.1, 0.06, 0.05]}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: body, b: ground, friction: 0.5, modulus: 1e5, dissipation: 0.3}]
)", 0.025, "links.body.contact.size[2]", 0.5, 2, 0, 5, 3, 1.0, 0.3, 0.02};
}

/// Along x. So slow that steps see how its force begins, within 1e-3 of its radius.
Flat rod() {
  return {R"(cuttle: 1
gravity: [0, 0, 0]
base: {motion: floating, pose: {rpy: [0, 1.5707963267948966, 0]}}
materials: {rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.5, damping_time: 0.01}}
links:
  - name: body
    body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: rubber, strain: pcc}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: body, b: ground, friction: 0.5, modulus: 1e5, dissipation: 0.3}]
)", 0.01, "links.body.body.section.radius", 1.0, 0, 2, 3, 5, -1.0, 0.003, 2e-4};
}

struct FlatFall {
  const char* name;
  Flat body;
  const char* type;
  double step, tolerance;
};
class FallingFlat : public testing::TestWithParam<FlatFall> {};

TEST_P(FallingFlat, MovesAsOneThatTouchesAtItsInstant) {
  const auto& [name, flat, type, h, tolerance] = GetParam();
  const double touch = 0.004 + 0.4 * h, duration = 0.01, gap = touch * flat.fall, later = std::ceil(1e-4 / h) * h;
  const Model model(read_robot_text(flat.robot, "r.yaml"));
  const auto scenario_of = [&](double height, double fall) {
    Scenario scenario{.duration = duration, .output_step = duration, .integrator = fixed(type, h)};
    std::vector<double> q{0, 0, 0, 1, 0, 0, 0}, v(6, 0.0);
    q[static_cast<std::size_t>(flat.height)] = flat.up * height;
    v[static_cast<std::size_t>(flat.down)] = -flat.up * fall, v[static_cast<std::size_t>(flat.along)] = flat.slip;
    scenario.initial["base"] = {q, v};
    return scenario;
  };
  const double height = flat.lowest + gap;
  const auto end = [&](const Model& of, double at, double fall) {
    return VectorXd(sensitivities(of, scenario_of(at, fall), {"q", "v"}, {}, {duration}).values.back());
  };
  const auto by_number = [&](const char* path, double change) {
    const double at = model.parameter(path).value;
    return difference_of([&](double by) { return end(model.with(path, at + by), height, flat.fall); }, change);
  };
  const Paths by{fmt::format("simulation.initial.base.q[{}]", flat.height),
                 fmt::format("simulation.initial.base.v[{}]", flat.down), flat.size, "contacts.floor.friction",
                 "contacts.floor.modulus"};
  const std::vector<VectorXd> expected{
      flat.up / flat.fall *
          difference_of([&](double t) { return end(model, height + t * flat.fall, flat.fall); }, later),
      // fall = gap / (touch + t)
      flat.up * touch * touch / gap *
          difference_of([&](double t) { return end(model, height, gap / (touch + t)); }, later),
      by_number(flat.size, later * flat.fall / flat.by_size), by_number("contacts.floor.friction", 1e-3),
      by_number("contacts.floor.modulus", 1e2)};
  const std::vector<double> size{0.01, flat.fall, 0.01, 0.5, 1e5};
  const Scenario scenario = scenario_of(height, flat.fall);
  const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {duration});
  double largest = 0.0, farthest = 0.0;  // of all, and of its place along the plane, which follows its bristles alone
  for (std::size_t k = 0; k < by.size(); ++k) {
    largest = std::max(largest, size[k] * expected[k].cwiseAbs().maxCoeff());
    farthest = std::max(farthest, size[k] * std::abs(expected[k][flat.place]));
  }
  for (std::size_t k = 0; k < by.size(); ++k) {
    const VectorXd off = size[k] * (found.derivatives.back().col(static_cast<Eigen::Index>(k)) - expected[k]);
    EXPECT_LE(off.cwiseAbs().maxCoeff(), tolerance * largest) << by[k];
    EXPECT_LE(std::abs(off[flat.place]), 2e-2 * farthest) << by[k];  // a step is 1/60 of the time since
  }
  expect_alike(both_ways(model, scenario, {0.5 * duration, duration}, by), by, 1e-7, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Bodies, FallingFlat,
                         testing::Values(FlatFall{"box", box(), "generalized_alpha", 1e-4, 5e-3},
                                         FlatFall{"box", box(), "midpoint", 1e-4, 5e-3},
                                         FlatFall{"box", box(), "rk4", 1e-4, 5e-3},
                                         FlatFall{"rod", rod(), "generalized_alpha", 1e-4, 5e-3},
                                         FlatFall{"rod", rod(), "midpoint", 1e-4, 5e-3}),
                         [](const auto& fall) { return fmt::format("{}_{}", fall.param.name, fall.param.type); });

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
