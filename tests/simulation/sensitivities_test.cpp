// Derivatives of runs: against closed forms, against differences of the same discrete map, which fixed steps and
// implicit methods must meet to rounding, and of runs at tight tolerance; through element states, closed loops, loads
// that depend on the motion, quaternions and starts from statics.
#include "cuttle/simulation/sensitivities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

/// Sixth-order central difference of f, whose argument changes by `step`.
VectorXd difference_of(const std::function<VectorXd(double)>& f, double step) {
  return (45.0 * (f(step) - f(-step)) - 9.0 * (f(2 * step) - f(-2 * step)) + (f(3 * step) - f(-3 * step))) /
         (60.0 * step);
}

/// By plain runs of the simulator, so that values come from another code too.
VectorXd run_plainly(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  VectorXd all(model.nq() + model.nv());
  all << memory.samples().back().q, memory.samples().back().v;
  return all;
}

/// The same without what Newton's method leaves in the steps of implicit methods: 1e-9 of a step, of which differences
/// would see a thousand times more.
VectorXd run_to_rounding(const Model& model, const Scenario& scenario) {
  return sensitivities(model, scenario, {"q", "v"}, {}, {scenario.duration}).values.back();
}

/// All derivatives of q and v at the end by robot parameters, against differences of runs.
void expect_parameter_derivatives(const Model& model, const Scenario& scenario, const Paths& by, double tolerance,
                                  double part = 2e-3) {
  const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
  const VectorXd value = run_plainly(model, scenario);
  EXPECT_LE((found.values.back() - value).cwiseAbs().maxCoeff(), 3e-7 * (1.0 + value.cwiseAbs().maxCoeff()));
  const std::string type = scenario.integrator.type;
  const bool iterates = type != "rk4" && type != "tsit5" && type != "bdf" && type != "erk";
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double at = found.parameters[k].value, step = part * (at != 0.0 ? std::abs(at) : 1.0);
    const VectorXd expected = difference_of(
        [&](double change) {
          const Model changed = model.with(by[k], at + change);
          return iterates ? run_to_rounding(changed, scenario) : run_plainly(changed, scenario);
        },
        step);
    const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
    ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.0) << by[k];
    EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff())
        << by[k] << "\nfound " << derivative.transpose() << "\nexpected " << expected.transpose();
  }
}

ScenarioFile scenario_of(const std::string& name) {
  return load_scenario_file(test::k_source_dir + "/models/" + name + "_scenario.yaml");
}

// A mass on a spring with a damper, pushed by a sine: x'' = (F sin w t - k x - d x') / m, in closed form the derivative
// by its start is the free vibration.
TEST(Sensitivities, OfAnOscillatorAreThoseOfTheClosedForm) {
  const double m = 2.0, k = 50.0, d = 0.8, t = 1.3;
  const Model model(read_robot_text(R"(
cuttle: 1
name: oscillator
gravity: [0, 0, 0]
links:
  - {name: cart, joint: {type: prismatic, axis: [1, 0, 0], stiffness: 50, damping: 0.8}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}
actuators: [{name: push, type: joint, link: cart}]
)",
                                    "oscillator.yaml"));
  Scenario scenario;
  scenario.duration = t;
  scenario.output_step = 0.1;
  scenario.integrator = adaptive("erk", 1e-12);
  scenario.initial["cart"] = {{0.1}, {0.3}};
  scenario.inputs["push"] = 4.0;
  const Sensitivities found =
      sensitivities(model, scenario, {"q", "v", "tip.position", "energy.kinetic"},
                    {"simulation.initial.cart.q[0]", "simulation.inputs.push", "simulation.initial.cart.v[0]"}, {t});
  const double a = d / (2 * m), w = std::sqrt(k / m - a * a), e = std::exp(-a * t);
  const double from_q = e * (std::cos(w * t) + a / w * std::sin(w * t)), from_v = e * std::sin(w * t) / w;
  const double rate_from_q = -e * (k / m) / w * std::sin(w * t),
               rate_from_v = e * (std::cos(w * t) - a / w * std::sin(w * t));
  const MatrixXd& D = found.derivatives.back();
  EXPECT_NEAR(D(0, 0), from_q, 1e-9);
  EXPECT_NEAR(D(0, 1), (1.0 - from_q) / k, 1e-10);
  EXPECT_NEAR(D(0, 2), from_v, 1e-9);
  EXPECT_NEAR(D(1, 0), rate_from_q, 1e-8);
  EXPECT_NEAR(D(1, 2), rate_from_v, 1e-8);
  EXPECT_NEAR(D(2, 0), from_q, 1e-9);  // the frame moves with it
  EXPECT_NEAR(D(5, 0), m * found.values.back()[1] * rate_from_q, 1e-7);
  // x = x_p + (x_0 - x_p) g(t) + v_0 h(t): the value itself
  EXPECT_NEAR(found.values.back()[0], 4.0 / k + (0.1 - 4.0 / k) * from_q + 0.3 * from_v, 1e-10);
}

class OfTheirOwnMap : public testing::TestWithParam<std::string> {
 protected:
  static IntegratorOptions with_step(double step) { return fixed(GetParam(), step); }
};
INSTANTIATE_TEST_SUITE_P(Methods, OfTheirOwnMap,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint"),
                         [](const auto& method) { return method.param; });

TEST_P(OfTheirOwnMap, TendonArm) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  const bool is_explicit = GetParam() == "rk4" || GetParam() == "tsit5";
  file.scenario.duration = is_explicit ? 0.008 : 0.3;
  file.scenario.output_step = 0.5 * file.scenario.duration;
  file.scenario.integrator = with_step(is_explicit ? 1e-4 : 0.01);
  file.scenario.inputs["right"] = Signal::points({0.0, 0.0053, 0.5}, {1.0, 3.0, 4.0});  // a kink within the run
  expect_parameter_derivatives(
      Model(file.robot), file.scenario,
      {"materials.silicone.young_modulus", "materials.silicone.density", "links.disk.body.mass", "gravity[2]",
       "links.upper.body.length", "materials.silicone.damping_time", "links.lower.body.section.radius[1]"},
      1e-8);
}

// Quaternions, and steps of which two parts meet at an output.
TEST_P(OfTheirOwnMap, FloatingRod) {
  ScenarioFile file = scenario_of("examples/floating_rod");
  const bool is_explicit = GetParam() == "rk4" || GetParam() == "tsit5";
  file.scenario.duration = is_explicit ? 0.003 : 0.2;
  file.scenario.integrator = with_step(is_explicit ? 1e-4 : 4e-3);
  const Model model(file.robot);
  const Paths by{"simulation.initial.base.v[0]", "simulation.initial.upper.q[0]", "simulation.initial.upper.q[3]"};
  const Sensitivities found = sensitivities(model, file.scenario, {"q", "v"}, by, {file.scenario.duration});
  const auto expect = [&](Eigen::Index k, const std::function<void(Scenario&, double)>& change) {
    const VectorXd expected = difference_of(
        [&](double by_this) {
          Scenario changed = file.scenario;
          change(changed, by_this);
          return run_to_rounding(model, changed);
        },
        2e-3);
    EXPECT_LE((found.derivatives.back().col(k) - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff())
        << by[static_cast<std::size_t>(k)];
  };
  expect(0, [](Scenario& s, double x) { s.initial["base"].v[0] += x; });
  expect(1, [](Scenario& s, double x) { s.initial["upper"].q[0] += x; });
  expect(2, [](Scenario& s, double x) { s.initial["upper"].q[3] += x; });
}

// Driven tendons act through laws; joints' and cables' numbers, more than eight of them.
TEST_P(OfTheirOwnMap, ServoFingerByTenNumbers) {
  ScenarioFile file = scenario_of("examples/servo_finger");
  const bool is_explicit = GetParam() == "rk4" || GetParam() == "tsit5";
  file.scenario.duration = is_explicit ? 0.002 : 0.2;  // the fastest vibrations are stable at 2e-5 s
  file.scenario.integrator = with_step(is_explicit ? 2e-5 : 5e-3);
  file.scenario.inputs["turn"] = 0.05;
  file.scenario.inputs["front"] = 5e-5, file.scenario.inputs["back"] = -2e-5;  // both cables stay taut
  expect_parameter_derivatives(
      Model(file.robot), file.scenario,
      {"actuators.front.stiffness", "actuators.back.pretension", "links.wrist.joint.stiffness",
       "links.wrist.joint.damping", "links.finger.body.section.radius[0]", "materials.silicone.density",
       "links.finger.body.section.radius[1]", "links.nail.body.mass", "links.finger.body.length", "gravity[2]"},
      1e-7);
}

// The numbers of all kinds of signals.
TEST(Sensitivities, ByNumbersOfInputs) {
  const ScenarioFile file = scenario_of("examples/pendulum");
  const Model model(file.robot);
  Scenario scenario = file.scenario;
  scenario.duration = 1.0;
  scenario.integrator = fixed("rk4", 0.01);
  const std::vector<std::pair<Signal, std::vector<std::pair<std::string, std::function<Signal(double)>>>>> cases{
      {Signal(0.3), {{"", [](double x) { return Signal(0.3 + x); }}}},
      {Signal::step(0.5, 0.1, 0.4),
       {{".before", [](double x) { return Signal::step(0.5, 0.1 + x, 0.4); }},
        {".after", [](double x) { return Signal::step(0.5, 0.1, 0.4 + x); }}}},
      {Signal::ramp(0.2, 0.7, 0.1, 0.4),
       {{".from", [](double x) { return Signal::ramp(0.2, 0.7, 0.1 + x, 0.4); }},
        {".to", [](double x) { return Signal::ramp(0.2, 0.7, 0.1, 0.4 + x); }}}},
      {Signal::sine(0.4, 0.7, 0.2, 0.1),
       {{".amplitude", [](double x) { return Signal::sine(0.4 + x, 0.7, 0.2, 0.1); }},
        {".frequency", [](double x) { return Signal::sine(0.4, 0.7 + x, 0.2, 0.1); }},
        {".phase", [](double x) { return Signal::sine(0.4, 0.7, 0.2 + x, 0.1); }},
        {".offset", [](double x) { return Signal::sine(0.4, 0.7, 0.2, 0.1 + x); }}}},
      {Signal::points({0.1, 0.4, 0.9}, {0.1, 0.5, 0.2}),
       {{".value[1]", [](double x) { return Signal::points({0.1, 0.4, 0.9}, {0.1, 0.5 + x, 0.2}); }}}},
      {Signal::table({0.1, 0.4, 0.9}, {0.1, 0.5, 0.2}, true),
       {{".value[0]", [](double x) { return Signal::table({0.1, 0.4, 0.9}, {0.1 + x, 0.5, 0.2}, true); }}}},
      {Signal::spline({0.1, 0.4, 0.9}, {0.1, 0.5, 0.2}),
       {{".value[2]", [](double x) { return Signal::spline({0.1, 0.4, 0.9}, {0.1, 0.5, 0.2 + x}); }}}},
      {Signal::steps({0.3, 0.6}, {0.1, 0.5, 0.2}),
       {{".values[1]", [](double x) { return Signal::steps({0.3, 0.6}, {0.1, 0.5 + x, 0.2}); }}}},
      {Signal::cubic(0.1, 0.8, 0.1, 0.5),
       {{".from", [](double x) { return Signal::cubic(0.1, 0.8, 0.1 + x, 0.5); }},
        {".to", [](double x) { return Signal::cubic(0.1, 0.8, 0.1, 0.5 + x); }}}},
      {Signal::minimum_jerk(0.1, 0.8, 0.1, 0.5),
       {{".to", [](double x) { return Signal::minimum_jerk(0.1, 0.8, 0.1, 0.5 + x); }}}},
  };
  for (const auto& [signal, numbers] : cases) {
    for (const auto& [key, changed] : numbers) {
      scenario.inputs["motor"] = signal;
      const Sensitivities found =
          sensitivities(model, scenario, {"q", "v"}, {"simulation.inputs.motor" + key}, {scenario.duration});
      const VectorXd expected = difference_of(
          [&, &make = changed](double x) {
            Scenario other = scenario;
            other.inputs["motor"] = make(x);
            return run_plainly(model, other);
          },
          1e-2);
      EXPECT_LE((found.derivatives.back().col(0) - expected).cwiseAbs().maxCoeff(),
                1e-9 * expected.cwiseAbs().maxCoeff())
          << key;
    }
  }
}

// bdf and erk integrate derivatives: within what their tolerances promise of the motion, against differences of runs.
TEST(Sensitivities, OfChosenSteps) {
  for (const char* type : {"bdf", "erk"}) {
    ScenarioFile file = scenario_of("examples/servo_finger");
    file.scenario.duration = 0.1;
    file.scenario.output_step = 0.1;
    file.scenario.integrator = adaptive(type, 1e-9);
    expect_parameter_derivatives(
        Model(file.robot), file.scenario,
        {"materials.silicone.young_modulus", "actuators.front.stiffness", "links.nail.body.mass"}, 3e-6, 2e-2);
  }
}

// A base that turns, whose quaternion the methods keep near unit norm by projection.
TEST(Sensitivities, OfChosenStepsWithQuaternions) {
  for (const char* type : {"bdf", "erk"}) {
    ScenarioFile file = scenario_of("examples/floating_rod");
    file.scenario.duration = 0.05;
    file.scenario.integrator = adaptive(type, 1e-10);
    const Model model(file.robot);
    const Sensitivities found =
        sensitivities(model, file.scenario, {"q", "v"}, {"simulation.initial.base.v[0]"}, {file.scenario.duration});
    const VectorXd expected = difference_of(
        [&](double x) {
          Scenario changed = file.scenario;
          changed.initial["base"].v[0] += x;
          return run_plainly(model, changed);
        },
        2e-2);
    EXPECT_LE((found.derivatives.back().col(0) - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff())
        << type;
  }
}

// Loops' reactions follow the robot's numbers; loads that integrate along the motion too.
TEST(Sensitivities, ThroughClosedLoops) {
  ScenarioFile file = scenario_of("boyer2023/parallel_robot");
  file.scenario.duration = 1.1;
  for (const char* type : {"midpoint", "generalized_alpha", "energy_conserving"}) {
    file.scenario.integrator = fixed(type, 0.01);
    const Model model(file.robot);
    const Paths by{"links.leg1.body.stiffness[1]", "links.leg2.body.mass_per_length", "links.leg2.body.stiffness[1]"};
    expect_parameter_derivatives(model, file.scenario, by, 1e-6);  // what multipliers of index 3 let be told apart
    EXPECT_THROW(sensitivities(model, file.scenario, {"q"}, {"links.leg2.body.length"}, {0.1}), ArgumentError);
  }
}

TEST(Sensitivities, OfDrones) {
  ScenarioFile file = scenario_of("boyer2023/drones");
  file.scenario.duration = 0.3;
  for (const char* type : {"midpoint", "generalized_alpha", "energy_conserving"}) {
    file.scenario.integrator = fixed(type, 0.01);
    const Model model(file.robot);
    expect_parameter_derivatives(model, file.scenario, {"gravity[2]"}, 1e-8);
  }
}

// The start moves with the parameter: the equilibrium under gravity and inputs.
TEST(Sensitivities, FromStatics) {
  ScenarioFile file = scenario_of("examples/servo_finger");
  file.scenario.initial.clear();
  file.scenario.statics = InitialStatics{{{"front", 0.004}}};
  file.scenario.inputs["front"] = Signal(0.001);
  file.scenario.duration = 0.1;
  file.scenario.integrator = fixed("generalized_alpha", 5e-3);
  expect_parameter_derivatives(Model(file.robot), file.scenario,
                               {"materials.silicone.young_modulus", "actuators.front.stiffness", "links.nail.body.mass",
                                "links.finger.body.length"},
                               1e-7);
}

// An equilibrium of a closed loop moves with lengths too, which a given start does not.
TEST(Sensitivities, FromStaticsOfAClosedLoop) {
  ScenarioFile file = scenario_of("boyer2023/parallel_robot_path");
  file.scenario.initial.clear(), file.scenario.controllers.clear();
  file.scenario.statics = InitialStatics{{{"motor1", 9.76}, {"motor2", -9.7}}};
  file.scenario.duration = 0.1, file.scenario.output_step = 0.05;
  const Model model(file.robot);
  for (const char* type : {"midpoint", "generalized_alpha"}) {
    file.scenario.integrator = fixed(type, 0.01);
    SCOPED_TRACE(type);
    expect_parameter_derivatives(model, file.scenario,
                                 {"links.leg1.body.stiffness[1]", "links.leg2.body.length", "links.leg1.body.length"},
                                 1e-5, 1e-4);
  }
}

// States of elements: pressures that follow their valves, from a statics start that fills them, by lag and all else.
TEST(Sensitivities, ThroughStatesOfElements) {
  ScenarioFile file = scenario_of("jensen2022/arm_valves");
  file.scenario.initial.clear();
  file.scenario.statics = InitialStatics{{{"pressure1.0", 3e4}, {"pressure2.1", 1e4}}};
  file.scenario.inputs = {{"pressure1.0", Signal::cubic(0.0, 0.1, 3e4, 5e4)}, {"pressure3.1", Signal(2e4)}};
  for (const char* type : {"tsit5", "generalized_alpha", "midpoint", "energy_conserving", "bdf"}) {
    file.scenario.duration = file.scenario.output_step = type == std::string("tsit5") ? 0.01 : 0.1;
    const bool chosen = type == std::string("bdf");
    file.scenario.integrator =
        chosen ? adaptive("bdf", 1e-10) : fixed(type, type == std::string("tsit5") ? 5e-4 : 5e-3);
    SCOPED_TRACE(type);
    expect_parameter_derivatives(Model(file.robot), file.scenario,
                                 {"actuators.pressure1.lag", "actuators.pressure3.lag", "gravity[2]"},
                                 chosen ? 3e-6 : 1e-7);
  }
}

// Water: added mass, wake and drag, by the fluid's numbers and the swimmer's.
TEST(Sensitivities, OfASwimmer) {
  ScenarioFile file = scenario_of("boyer2023/swimmer");
  file.scenario.initial["base"].v = {0.1, 0.2, 0.3, 0.05, 0.1, -0.2};  // drag has a kink at rest
  file.scenario.duration = file.scenario.output_step = 0.2;
  const Model model(file.robot);
  const Paths by{"loads[0].density", "loads[0].normal_drag", "links.head.body.mass", "links.front.body.stiffness[1]"};
  for (const char* type : {"generalized_alpha", "midpoint", "energy_conserving"}) {
    file.scenario.integrator = fixed(type, 5e-3);
    SCOPED_TRACE(type);
    expect_parameter_derivatives(model, file.scenario, by, 1e-6);
  }
}

// All that can be asked for, by one number, against differences of the same outputs.
TEST(Sensitivities, OfFramesAndEnergies) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = file.scenario.output_step = 0.1;
  file.scenario.integrator = fixed("generalized_alpha", 0.01);
  const Paths of{"tip.position",   "tip.velocity",   "tip.rotation",   "disk.base.position",
                 "energy.kinetic", "energy.gravity", "energy.elastic", "u",
                 "right"};
  const std::string path = "materials.silicone.young_modulus";
  const Model model(file.robot);
  const auto values = [&](double change) {
    const Model other = model.with(path, model.parameter(path).value + change);
    return sensitivities(other, file.scenario, of, {}, {0.1}).values.back();
  };
  const Sensitivities found = sensitivities(model, file.scenario, of, {path}, {0.1});
  const VectorXd expected = difference_of(values, 2e-3 * model.parameter(path).value);
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    const double scale = std::abs(found.values.back()[i]) / model.parameter(path).value;
    EXPECT_NEAR(found.derivatives.back()(i, 0), expected[i], 1e-8 * (std::abs(expected[i]) + scale))
        << found.outputs[static_cast<std::size_t>(i)].name;
  }
}

TEST(Sensitivities, ComeInGroupsOfEightInTheOrderAsked) {
  ScenarioFile file = scenario_of("examples/tendon_arm");
  file.scenario.duration = 0.02;
  file.scenario.integrator = fixed("midpoint", 0.01);
  const Model model(file.robot);
  const Paths by{"simulation.inputs.right.value[0]",
                 "materials.silicone.density",
                 "gravity[0]",
                 "gravity[1]",
                 "gravity[2]",
                 "simulation.initial.upper.q[0]",
                 "links.disk.body.mass",
                 "links.upper.body.length",
                 "simulation.inputs.coil.to",
                 "links.lower.body.length",
                 "materials.silicone.young_modulus"};
  const std::vector<double> times{0.0, 0.01, 0.02};
  const Sensitivities all = sensitivities(model, file.scenario, {"tip.position", "energy.elastic"}, by, times);
  ASSERT_EQ(all.outputs.size(), 4u);
  EXPECT_EQ(all.outputs[0].name, "tip.x");
  for (std::size_t k = 0; k < by.size(); ++k) {
    EXPECT_EQ(all.parameters[k].path, by[k]);
    const Sensitivities one = sensitivities(model, file.scenario, {"tip.position", "energy.elastic"}, {by[k]}, times);
    for (std::size_t t = 0; t < times.size(); ++t) {
      EXPECT_TRUE(one.derivatives[t].col(0).isApprox(all.derivatives[t].col(static_cast<Eigen::Index>(k)), 1e-12) ||
                  (one.derivatives[t].col(0) - all.derivatives[t].col(static_cast<Eigen::Index>(k))).norm() < 1e-12)
          << by[k] << " " << t;
    }
  }
}

TEST(Sensitivities, RefuseWhatHasNone) {
  const ScenarioFile file = scenario_of("examples/tendon_arm");
  const Model model(file.robot);
  const auto error_of = [&](const Scenario& scenario, const Paths& of, const Paths& by,
                            double time = 0.0) -> std::string {
    try {
      sensitivities(model, scenario, of, by, {time});
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(error_of(file.scenario, {"q"}, {"materials.silicone.youngs_modulus"}), "young_modulus");
  expect(error_of(file.scenario, {"tip.positoin"}, {"gravity[2]"}), "tip.position");
  expect(error_of(file.scenario, {"q"}, {"simulation.inputs.rihgt"}), "right");
  expect(error_of(file.scenario, {"q"}, {"simulation.inputs.right.times[0]"}), "times are held");
  expect(error_of(file.scenario, {"q"}, {"simulation.initial.upper.q[9]"}), "q[0] .. q[5]");
  expect(error_of(file.scenario, {"q"}, {"simulation.duration"}), "no derivatives by it");
  expect(error_of(file.scenario, {"q"}, {"gravity[2]"}, 99.0), "ascending times of the run");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
