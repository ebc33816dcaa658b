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

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
