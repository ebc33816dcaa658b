// Derivatives of frequencies and damping ratios by parameters and inputs: in closed form, and against differences of
// modes of equilibria that are solved anew; and parameters from frequencies.
#include "cuttle/algorithms/mode_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "cuttle/identification/identification.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const char* const k_oscillator = R"(cuttle: 1
name: oscillator
links:
- {name: cart, joint: {type: prismatic, axis: [1, 0, 0], stiffness: 50, damping: 3}, body: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
)";

const char* const k_round_rod = R"(cuttle: 1
name: cantilever
gravity: [0, 0, 0]
materials: {rubber: {density: 1100, young_modulus: 4.0e6, damping_time: 0.001}}
links:
- {name: rod, body: {type: rod, length: 0.3, material: rubber, section: {shape: circle, radius: 0.008}, quadrature: {points: 5}, strain: {kappa_x: {basis: legendre, order: 2}, kappa_y: {basis: legendre, order: 2}}}}
)";

// Bent by a tendon and its weight, on a sprung hinge; the tendon's motor follows with a lag.
const char* const k_bent_arm = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5, damping_time: 0.02}}
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20, damping: 0.3}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
- name: rod
  attach: {pose: {rpy: [3.14159265358979, 0, 0]}}
  body: {type: rod, length: 0.2, material: silicone, section: {shape: ellipse, radius_x: 0.012, radius_y: 0.009}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}
actuators:
- {name: pull, type: tendon, routing: [{link: rod, offset: [0.006, 0.002]}], drive: length, stiffness: 300, pretension: 0.4}
loads:
- {type: wrench, link: rod, at: tip, force: [0.02, 0.05, 0]}
)";

const char* const k_four_bars = R"(cuttle: 1
name: bars
links:
- {name: left, parent: base, joint: {type: revolute, axis: [0, 1, 0], stiffness: 0.5}, body: {type: rigid, mass: 0.3, com: [0, 0, 0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
loops:
- {name: corner, type: spherical, a: {link: left, at: tip}, b: {link: base, pose: {position: [0, 0, 0.2]}}}
)";

std::vector<ModeNumbersT<ForwardDual>> varied_modes(const Model& model, const RestLoads& loads,
                                                    const std::vector<std::string>& paths, std::size_t count) {
  Data data(model);
  const StaticEquilibrium at = static_equilibrium(model, data, static_loads(model, loads), model.neutral());
  const ModelT<ForwardDual> variable = differentiate(model, paths);
  VariedRest varied(variable, model);
  RestLoadsT<ForwardDual> varied_loads{loads.u.cast<ForwardDual>(), loads.time, {}};
  for (Eigen::Index i = 0; i < loads.u.size(); ++i) {
    varied_loads.u[i].derivative[static_cast<std::size_t>(i) + paths.size()] = 1.0;
  }
  EquilibriumTangent(model, data, loads, at).vary(varied_loads, varied);
  return ModeTangent(model, data, loads, at).vary(varied_loads, count, varied);
}

std::vector<double> mode_numbers(const Model& model, const RestLoads& loads, std::size_t count) {
  Data data(model);
  const StaticLoads acting = static_loads(model, loads);
  const StaticEquilibrium at = static_equilibrium(model, data, acting, model.neutral());
  const std::vector<Mode> all = modes(linearized_motion(model, data, acting, at));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(all[i].frequency()), numbers.push_back(all[i].damping_ratio());
  }
  return numbers;
}

TEST(ModeGradient, OfAnOscillatorInClosedForm) {
  const Model model(read_robot_text(k_oscillator, "cart.yaml"));
  const auto found =
      varied_modes(model, {}, {"links.cart.joint.stiffness", "links.cart.joint.damping", "links.cart.body.mass"}, 1);
  const double k = 50.0, c = 3.0, m = 2.0, f = std::sqrt(k / m) / (2.0 * std::numbers::pi);
  const double ratio = c / (2.0 * std::sqrt(k * m));
  EXPECT_NEAR(found[0].frequency.value, f, 1e-13);
  EXPECT_NEAR(found[0].frequency.derivative[0], f / (2.0 * k), 1e-11 * f / k);
  EXPECT_NEAR(found[0].frequency.derivative[1], 0.0, 1e-11);
  EXPECT_NEAR(found[0].frequency.derivative[2], -f / (2.0 * m), 1e-10 * f);
  EXPECT_NEAR(found[0].damping_ratio.value, ratio, 1e-13);
  EXPECT_NEAR(found[0].damping_ratio.derivative[0], -ratio / (2.0 * k), 1e-11 * ratio);
  EXPECT_NEAR(found[0].damping_ratio.derivative[1], ratio / c, 1e-11 * ratio);
  EXPECT_NEAR(found[0].damping_ratio.derivative[2], -ratio / (2.0 * m), 1e-10 * ratio);
}

// Frequencies go with sqrt(E / density) / length^2 r and damping ratios with frequency; the two planes have equal ones.
TEST(ModeGradient, OfEqualModes) {
  const Model model(read_robot_text(k_round_rod, "rod.yaml"));
  const auto found = varied_modes(
      model, {}, {"materials.rubber.young_modulus", "materials.rubber.density", "materials.rubber.damping_time"}, 4);
  for (const auto& mode : found) {
    const double f = mode.frequency.value, ratio = mode.damping_ratio.value;
    EXPECT_NEAR(mode.frequency.derivative[0] * 4.0e6, 0.5 * f, 1e-9 * f);
    EXPECT_NEAR(mode.frequency.derivative[1] * 1100.0, -0.5 * f, 1e-9 * f);
    EXPECT_NEAR(mode.frequency.derivative[2] * 0.001, 0.0, 1e-9 * f);
    EXPECT_NEAR(mode.damping_ratio.derivative[0] * 4.0e6, 0.5 * ratio, 1e-9 * ratio);
    EXPECT_NEAR(mode.damping_ratio.derivative[2] * 0.001, ratio, 1e-9 * ratio);
  }
  EXPECT_NEAR(found[0].frequency.value, found[1].frequency.value, 1e-9 * found[0].frequency.value);
  EXPECT_GT(found[2].frequency.value, 5.0 * found[0].frequency.value);
}

TEST(ModeGradient, OfABentArmAgainstDifferences) {
  const Model model(read_robot_text(k_bent_arm, "arm.yaml"));
  RestLoads loads;
  loads.u = VectorXd::Constant(1, 0.004);
  const std::vector<std::string> paths = {"materials.silicone.young_modulus",
                                          "materials.silicone.density",
                                          "materials.silicone.damping_time",
                                          "actuators.pull.stiffness",
                                          "actuators.pull.routing[0].offset[0]",
                                          "links.bar.joint.damping",
                                          "links.rod.body.length"};
  constexpr std::size_t k_modes = 5;
  const auto found = varied_modes(model, loads, paths, k_modes);
  for (std::size_t p = 0; p <= paths.size(); ++p) {
    const bool input = p == paths.size();
    const double value = input ? loads.u[0] : model.parameter(paths[p]).value, step = 2e-3 * std::abs(value);
    std::vector<double> slope(2 * k_modes, 0.0);
    constexpr double k_weights[] = {45.0, -9.0, 1.0};
    for (int i = 1; i <= 3; ++i) {
      for (const double sign : {1.0, -1.0}) {
        RestLoads moved = loads;
        const double at = value + sign * i * step;
        if (input) moved.u[0] = at;
        const auto numbers = mode_numbers(input ? model : model.with(paths[p], at), moved, k_modes);
        for (std::size_t n = 0; n < slope.size(); ++n) slope[n] += sign * k_weights[i - 1] * numbers[n] / (60.0 * step);
      }
    }
    double largest = 0.0;
    for (std::size_t mode = 0; mode < k_modes; ++mode) {
      const auto& [frequency, ratio] = found[mode];
      EXPECT_NEAR(frequency.derivative[p] * value, slope[2 * mode] * value, 1e-7 * frequency.value) << mode << " " << p;
      EXPECT_NEAR(ratio.derivative[p] * value, slope[2 * mode + 1] * value, 1e-7) << mode << " " << p;
      largest = std::max(largest, std::abs(ratio.derivative[p] * value));
    }
    EXPECT_GT(largest, 1e-5) << p;
  }
}

TEST(ModeGradient, RefusesLoopsAndModesThatAreNotThere) {
  const Model loop(read_robot_text(k_four_bars, "bars.yaml")), cart(read_robot_text(k_oscillator, "cart.yaml"));
  EXPECT_THAT([&] { varied_modes(loop, {}, {}, 1); }, ThrowsMessage<ArgumentError>(HasSubstr("closed loops")));
  EXPECT_THAT([&] { varied_modes(cart, {}, {}, 2); },
              ThrowsMessage<StaticsError>(HasSubstr("found 1 modes, expected at least 2")));
}

/// What a robot shows in rows of tensions, as a table.
MeasuredTable measured(const Model& truth, MeasuredTable table) {
  const auto experiment = make_equilibrium_experiment(truth, table, {});
  VectorXd predicted;
  std::string trouble;
  EXPECT_TRUE(experiment->predict(FreedRobot(truth, {}, VectorXd(), false), {}, predicted, nullptr, trouble))
      << trouble;
  for (std::size_t i = 0; i < experiment->points().size(); ++i) {
    const MeasuredPoint& point = experiment->points()[i];
    for (NumberColumn& numbers : table.numbers) {
      if (numbers.name != experiment->channels()[point.channel].column) continue;
      numbers.values[point.row] = predicted[static_cast<Eigen::Index>(i)];
    }
  }
  return table;
}

// Shapes alone tell the modulus only by its ratio to the density: frequencies tell both, and damping.
TEST(Identification, LearnsFromFrequenciesAndShapesTogether) {
  const Model model(read_robot_text(k_bent_arm, "arm.yaml"));
  const std::vector<std::string> names = {"materials.silicone.young_modulus", "materials.silicone.density",
                                          "materials.silicone.damping_time"};
  const Model truth = model.with({{names[0], 1.3e5}, {names[1], 1080.0}, {names[2], 0.025}});
  const MeasuredTable table = measured(truth, {"taps.csv",
                                               {{"pull", "", {0.0, 0.004}},
                                                {"rod.tip.x", "", {0.0, 0.0}},
                                                {"modes[0].frequency", "", {0.0, 0.0}},
                                                {"modes[2].frequency", "", {0.0, 0.0}},
                                                {"modes[0].damping_ratio", "", {0.0, 0.0}}},
                                               {},
                                               2});
  EXPECT_GT(table.numbers[2].values[0], 0.0);
  std::vector<FreeParameter> parameters;
  for (const std::string& name : names) parameters.push_back(parse_free_parameter(model, name, table.names()));
  const auto experiment = make_equilibrium_experiment(model, table, {});
  for (MeasuredChannel& channel : experiment->channels()) channel.deviation = 0.001;
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  EXPECT_EQ(found.status, LeastSquaresStatus::converged);
  EXPECT_NEAR(found.values[0], 1.3e5, 1.3e5 * 1e-6);
  EXPECT_NEAR(found.values[1], 1080.0, 1080.0 * 1e-6);
  EXPECT_NEAR(found.values[2], 0.025, 0.025 * 1e-6);
}

// A robot that nothing drives has one row: how it rings.
TEST(Identification, LearnsFromHowARobotWithoutInputsRings) {
  const Model model(read_robot_text(k_round_rod, "rod.yaml"));
  const std::string modulus = "materials.rubber.young_modulus";
  const MeasuredTable table =
      measured(model.with(modulus, 5.0e6),
               {"ring.csv", {{"modes[0].frequency", "", {0.0}}, {"modes[2].frequency", "", {0.0}}}, {}, 1});
  const auto experiment = make_equilibrium_experiment(model, table, {});
  const Identification found =
      identify(model, {parse_free_parameter(model, modulus, table.names())}, {experiment.get()}, {});
  EXPECT_NEAR(found.values[0], 5.0e6, 5.0e6 * 1e-7);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
