// Laws that are asked at every instant are differentiated by their own derivatives, along numbers that change neither
// robot nor controllers: without copies of the robot, against differences of runs, and after signals that a law sees.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuttle/simulation/sensitivities.h"
#include "simulation/forward_controllers.h"
#include "support/control_laws.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// How many copies ForwardControllers makes along a number of the robot, and along one of the state.
std::pair<int, int> copies_of(const ScenarioFile& file) {
  const Model model(file.robot);
  const std::vector<NamedController>& given = file.scenario.controllers;
  RobotSystem plain(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())), .controllers = given});
  std::vector<int> asked(2, 0);
  const auto make = [&](int direction, int steps) {
    ++asked[static_cast<std::size_t>(direction)];
    const std::shared_ptr<const Model> same(std::shared_ptr<const Model>(), &model);
    if (direction == 1) return ControlledVariant{same, given};
    const double mass = model.parameter("links.fore.body.mass").value;
    return ControlledVariant{std::make_shared<const Model>(model.with("links.fore.body.mass", mass + 1e-3 * steps)),
                             given};
  };
  const ForwardControllers controllers(plain, given, 0, {1.0, 1.0}, make);
  EXPECT_FALSE(controllers.is_exact(0));
  if (!controllers.is_exact(1)) return {6, 6};
  EXPECT_EQ(asked[1], 1);
  return {6, 0};
}

TEST(WithoutCopies, AreLawsOfEveryInstantWithoutStates) {
  for (const test::Law& law : test::laws()) {
    const ScenarioFile file = test::scenario_of(law.text + "}");
    const Model model(file.robot);
    const int states = file.scenario.controllers.front().controller->bind(model)->state_count();
    EXPECT_EQ(copies_of(file).second, states > 0 ? 6 : 0) << law.name;
    EXPECT_EQ(copies_of(test::scenario_of(law.text + ", rate: 100}")).second, 6) << law.name;
  }
}

Scenario with_number(Scenario scenario, const std::string& path, double value) {
  if (path == "simulation.inputs.cable") {
    scenario.inputs["cable"] = Signal(value);
  } else {
    scenario.initial["upper"].v = {value};
  }
  return scenario;
}

VectorXd end_of(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  VectorXd all(model.nq() + model.nv());
  all << memory.samples().back().q, memory.samples().back().v;
  return all;
}

// A controller before the law pulls the same cable, and the law knows: it cannot push, nor pull more than its limit.
TEST(WithoutCopies, DerivativesAreThoseOfDifferencesToTheirRounding) {
  const std::string earlier =
      "{name: first, type: pid, inputs: [m2, cable], reference: [0.2, 0.001], kp: [0.5, 300], kd: 0.1}, ";
  int seen = 0;
  for (const test::Law& law : test::laws()) {
    for (const bool early : {false, true}) {
      ScenarioFile file = test::scenario_of((early ? earlier : "") + law.text + "}",
                                            test::k_start + "  inputs: {cable: 0.7}\n", early ? "clip" : "allow");
      if (copies_of(file).second > 0) continue;
      ++seen;
      const Model model(file.robot);
      Scenario& scenario = file.scenario;
      scenario.initial["upper"].v = {0.5}, scenario.initial["fore"].v = {0.7};  // at rest drag has a kink
      scenario.initial["soft"].v = {2.0, -1.5, 0.3};
      scenario.duration = scenario.output_step = 0.02;
      scenario.integrator.type = "rk4", scenario.integrator.step = 5e-4;
      const std::vector<std::string> by{"simulation.initial.upper.v[0]", "simulation.inputs.cable"};
      const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
      for (std::size_t k = 0; k < by.size(); ++k) {
        const double at = found.parameters[k].value, step = 3e-3 * at;
        const auto f = [&](int steps) { return end_of(model, with_number(scenario, by[k], at + steps * step)); };
        const VectorXd expected = (45.0 * (f(1) - f(-1)) - 9.0 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60.0 * step);
        const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
        const double rounding = 1e-14 * found.values.back().cwiseAbs().maxCoeff() / step;
        EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(),
                  1e-9 * expected.cwiseAbs().maxCoeff() + 100.0 * rounding)
            << law.name << (early ? " after another, " : ", ") << by[k] << "\nfound " << derivative.transpose()
            << "\nexpected " << expected.transpose();
      }
    }
  }
  EXPECT_GE(seen, 10);
}

// A law with a clock sees the signals at its samples: copies are told of them, too.
TEST(WithCopies, LawsWithAClockSeeSignalsThatChange) {
  for (const char* name : {"computed_torque", "partial_feedback_linearization", "pd_plus"}) {
    ScenarioFile file = test::scenario_of(test::law(name).text + ", rate: 250, delay: 0.001}",
                                          test::k_start + "  inputs: {cable: 0.7}\n");
    const Model model(file.robot);
    Scenario& scenario = file.scenario;
    scenario.initial["upper"].v = {0.5}, scenario.initial["fore"].v = {0.7};
    scenario.initial["soft"].v = {2.0, -1.5, 0.3};
    scenario.duration = scenario.output_step = 0.02;
    scenario.integrator.type = "rk4", scenario.integrator.step = 5e-4;
    const std::string by = "simulation.inputs.cable";
    const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, {by}, {scenario.duration});
    const double step = 2e-3;
    const auto f = [&](int steps) { return end_of(model, with_number(scenario, by, 0.7 + steps * step)); };
    const VectorXd expected = (45.0 * (f(1) - f(-1)) - 9.0 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60.0 * step);
    EXPECT_LE((found.derivatives.back() - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff())
        << name << "\nfound " << found.derivatives.back().transpose() << "\nexpected " << expected.transpose();
  }
}

// Slopes of laws are by displacements; a run knows how its quaternions change. A law that cancels the weight of a rod
// on a floating base and a spherical joint, and one that follows a frame.
TEST(WithoutCopies, RobotsWithQuaternionsAreThoseOfDifferencesToo) {
  const std::string robot = R"(cuttle: 1
name: quaternions
materials: {m: {density: 1070, young_modulus: 1.5e+5, poisson_ratio: 0.45, damping_time: 0.05}}
base: {motion: floating}
links:
  - {name: hub, parent: base, body: {type: rigid, mass: 0.3, com: [0.01, 0.02, 0], inertia: [1.0e-3, 2.0e-3, 1.5e-3, 0, 0, 0]}}
  - {name: ball, parent: hub, joint: {type: spherical, damping: 0.01}, body: {type: rigid, mass: 0.2, com: [0.01, 0, 0.05], inertia: [1.0e-3, 1.0e-3, 5.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.1]}}}
  - {name: soft, parent: ball, body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.012}, material: m, strain: pcc, quadrature: {points: 4}}}
actuators:
  - {name: bend, type: linear, links: [soft], matrix: [[1, 0.2, 0], [0, 1, 0.1], [0.1, 0, 1]]}
  - {name: push, type: wrench, link: hub, frame: body}
)";
  const std::vector<std::string> laws{
      "{name: c, type: pd_plus, inputs: [bend], links: [soft], reference: [0.1, 0.2, 0.01], kp: 0.1, kd: 0.01}",
      "{name: c, type: operational_space, inputs: [bend, push], frame: soft.tip, reference: {position: [0.1, 0, 0.3], "
      "quaternion: [0.9, 0.1, 0.3, 0.2]}, stiffness: [0.01, 0.02, 0, 1, 0.5, 2], damping: [0, 0.01, 0, 0.1, 0, 0.1]}"};
  for (const std::string& law : laws) {
    ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: q.yaml\nsimulation:\n  controllers: [" + law +
            "]\n  initial: {base: {v: [0.8, -0.5, 0.7, 0.1, 0.2, -0.1]}, ball: {v: [1.5, -0.9, 0.6]}, soft: {q: [0.2, "
            "-0.3, 0.01]}}\n",
        "s.yaml", robot);
    Scenario& scenario = file.scenario;
    scenario.duration = scenario.output_step = 0.02;
    scenario.integrator.type = "rk4", scenario.integrator.step = 5e-4;
    const Model model(file.robot);
    const RobotSystem plain(model, {.controllers = scenario.controllers});
    ASSERT_EQ(plain.layout().size(), plain.layout().works) << law;
    const std::vector<std::string> by{"simulation.initial.base.v[1]", "simulation.initial.ball.v[0]"};
    const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
    for (std::size_t k = 0; k < by.size(); ++k) {
      const double at = found.parameters[k].value, step = 3e-3;
      const auto f = [&](int steps) {
        Scenario moved = scenario;
        moved.initial[k == 0 ? "base" : "ball"].v[k == 0 ? 1 : 0] = at + steps * step;
        return end_of(model, moved);
      };
      const VectorXd expected = (45.0 * (f(1) - f(-1)) - 9.0 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60.0 * step);
      const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
      EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff())
          << law << by[k] << "\nfound " << derivative.transpose() << "\nexpected " << expected.transpose();
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
