// Gradients backwards along runs whose controllers keep states, or remember earlier samples: against those forward
// along them, which run copies of the controllers, and against differences of runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/rollout_function.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/control_laws.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::fixed;
using Paths = std::vector<std::string>;

const std::string k_inputs = test::k_start + "  inputs: {cable: 0.7, m1: {type: sine, amplitude: 0.3, frequency: 2}}\n";
const std::string k_pid =
    "{name: c, type: pid, inputs: [m1, cable], reference: [{type: step, time: 0.011, before: 0.1, after: 0.5}, 0.002], "
    "kp: [3, 400], kd: [0.2, 5], ki: [[40, 1], [0, 9000]]";

void set_in_motion(Scenario& scenario) {
  scenario.initial["upper"].v = {0.5}, scenario.initial["fore"].v = {0.7};
  scenario.initial["soft"].v = {2.0, -1.5, 0.3};
}

Paths numbers_of(const Scenario& scenario) {
  Paths by{"simulation.inputs.cable",       "simulation.inputs.m1.amplitude",
           "simulation.initial.upper.q[0]", "simulation.initial.soft.v[1]",
           "materials.m.young_modulus",     "links.fore.body.mass",
           "elements.band.stiffness",       "gravity[2]"};
  for (const NamedController& given : scenario.controllers) {
    for (const ControllerNumber& number : given.controller->numbers()) {
      if (number.value != 0.0) by.push_back("simulation.controllers." + given.name + "." + number.key);
    }
  }
  return by;
}

bool is_explicit(const std::string& method) { return method == "rk4" || method == "tsit5"; }

void expect_both_ways(const ScenarioFile& file, const std::string& method, double of_each = 1e-7,
                      double of_largest = 1e-8) {
  SCOPED_TRACE(method);
  Scenario scenario = file.scenario;
  const Model model(file.robot);
  scenario.duration = scenario.output_step = 0.02;
  scenario.integrator = fixed(method, is_explicit(method) ? 5e-4 : 2e-3);
  const Paths by = numbers_of(scenario);
  test::expect_alike(test::both_ways(model, scenario, {0.0, 0.0075, 0.02}, by), by, of_each, of_largest);
}

class StatesGoBack : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, StatesGoBack,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

// Integrals and estimates that have grown, under a reference that jumps.
TEST_P(StatesGoBack, OfIntegralsAndEstimates) {
  const std::string late = test::law("adaptive").text;
  for (const std::string& controllers :
       {k_pid + "}", k_pid + "}, {name: late" + late.substr(late.find(',')) + "}",
        std::string("{name: c, type: pid, inputs: [m1], reference: [{type: step, time: 0.009, before: 0.1, after: "
                    "0.6}], kp: 0, ki: 50}")}) {
    SCOPED_TRACE(controllers);
    ScenarioFile file = test::scenario_of(controllers, k_inputs);
    set_in_motion(file.scenario);
    expect_both_ways(file, GetParam());
  }
}

// Samples that remember: integrals and estimates by steps, limits of a rate that hold, delays, chains with laws that
// are asked at every instant and keep states.
TEST_P(StatesGoBack, BetweenSamples) {
  const std::string late = test::law("adaptive").text;
  const std::string held = "{name: held, type: pd_with_cancellation, inputs: [m1, m2, bend], " + test::k_reference +
                           ", kp: [2, 1, 0.1, 0.1, 10], kd: 0.05, rate: 400, limits: {rate: [3, 900, 900, 900, 900]}}";
  const std::string chains[] = {k_pid + ", rate: 330}", k_pid + ", rate: 330, delay: 0.0041}",
                                late + ", rate: 250}",  held,
                                k_pid + "}, " + held,   k_pid + ", rate: 300, limits: {rate: [7, 30]}}, " + held};
  for (const std::string& chain : chains) {
    SCOPED_TRACE(chain);
    ScenarioFile file = test::scenario_of(chain, k_inputs, "clip");
    set_in_motion(file.scenario);
    expect_both_ways(file, GetParam());
  }
}

/// A law of a program: what it remembers of the inputs before it, and of the motion, leaks away.
class Leaky final : public ControlLaw {
 public:
  int state_count() const override { return 1; }
  void start(VectorOutT<double> state) const override { state[0] = 0.2; }
  // x' = drive - k_leak x at x = state + factor x'
  void state_rates(const ControlArguments& at, VectorOutT<double> rates) override {
    rates[0] = (drive(at) - k_leak * at.state[0]) / (1.0 + k_leak * at.factor);
  }
  void add_inputs(const ControlArguments& at, VectorXd& u) override {
    u[1] += 0.7 * at.state[0] + 0.3 * at.state[0] * at.state[0];
  }
  void add_derivatives(const ControlArguments& at, MatrixXd& by_q, MatrixXd& by_v) override {
    const double slope = (0.7 + 0.6 * at.state[0]) * at.factor / (1.0 + k_leak * at.factor);
    by_q.row(1) += slope * 4.0 * by_q.row(0), by_v.row(1) += slope * 4.0 * by_v.row(0);
    by_q(1, 0) += slope * 5.0 * std::cos(at.q[0]), by_v(1, 0) += slope * 2.0 * at.v[0];
  }

 private:
  static constexpr double k_leak = 30.0;
  static double drive(const ControlArguments& at) {
    return 4.0 * at.u[0] + 5.0 * std::sin(at.q[0]) + at.v[0] * at.v[0];
  }
};
class LeakyController final : public Controller {
 public:
  std::string type_name() const override { return "leaky"; }
  std::unique_ptr<ControlLaw> bind(const Model& /*model*/) const override { return std::make_unique<Leaky>(); }
  bool acts_at_every_instant() const override { return true; }
};

TEST_P(StatesGoBack, OfALawOfAProgram) {
  for (const bool clocked : {false, true}) {
    ScenarioFile file = test::scenario_of(k_pid + (clocked ? ", rate: 300}" : "}"), k_inputs);
    set_in_motion(file.scenario);
    file.scenario.controllers.push_back({"leaky", std::make_shared<LeakyController>()});
    expect_both_ways(file, GetParam());
  }
}

// Nothing of the way forward: differences of order six of runs.
TEST(StatesGoBackWith, DifferencesOfRuns) {
  for (const char* more : {"}", ", rate: 250, limits: {rate: [9, 900]}}"}) {
    SCOPED_TRACE(more);
    ScenarioFile file = test::scenario_of(k_pid + more, k_inputs);
    set_in_motion(file.scenario);
    file.scenario.duration = file.scenario.output_step = 0.03;
    file.scenario.integrator = fixed("generalized_alpha", 2e-3);
    const Model model(file.robot);
    const Paths by{"simulation.inputs.m1.amplitude", "simulation.initial.upper.q[0]", "simulation.controllers.c.ki[0]",
                   "simulation.controllers.c.reference[0].after", "links.fore.body.mass"};
    RolloutFunction run(model, file.scenario, {"q", "v"}, {0.03}, by);
    VectorXd numbers(5);
    for (Eigen::Index k = 0; k < 5; ++k) numbers[k] = run.parameters()[static_cast<std::size_t>(k)].value;
    const auto worth_at = [&](const VectorXd& x) {
      const MatrixXd& y = run.run(x);
      double sum = 0.0;
      for (Eigen::Index i = 0; i < y.cols(); ++i) sum += test::number_at(i, 0.0) * y(0, i);
      return sum;
    };
    worth_at(numbers);
    MatrixXd by_y(1, model.nq() + model.nv());
    for (Eigen::Index i = 0; i < by_y.cols(); ++i) by_y(0, i) = test::number_at(i, 0.0);
    const VectorXd found = run.back(by_y);
    for (Eigen::Index k = 0; k < 5; ++k) {
      const double h = 2e-3 * std::max(0.1, std::abs(numbers[k]));
      const auto across = [&](int steps) {
        const VectorXd step = steps * h * VectorXd::Unit(5, k);
        return worth_at(numbers + step) - worth_at(numbers - step);
      };
      const double expected = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / h;
      EXPECT_NEAR(found[k], expected, 1e-7 * std::abs(expected) + 1e-8) << by[static_cast<std::size_t>(k)];
    }
  }
}

// Loops, and contacts whose bristles remember, beside an integral.
TEST(StatesGoBackWith, Loops) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/boyer2023/parallel_robot_path_scenario.yaml");
  file.scenario.duration = file.scenario.output_step = 0.05;
  file.scenario.inputs["motor1"] = Signal::sine(1.0, 3.0, 0.3, 9.7);
  file.scenario.inputs["motor2"] = Signal::steps({0.023}, {-9.7, -9.0});
  PidSettings settings;
  settings.inputs = {"motor1"}, settings.reference = {Signal(0.1)}, settings.kp = {4}, settings.kd = {0.1};
  settings.ki = {300};
  const Model model(file.robot);
  for (const bool clocked : {false, true}) {
    if (clocked) settings.rate = 90.0, settings.limits.rate = {20.0};
    file.scenario.controllers = {{"servo", make_pid(settings)}};
    for (const char* type : {"midpoint", "generalized_alpha"}) {
      SCOPED_TRACE(type);
      file.scenario.integrator = fixed(type, 5e-3);
      const Paths by{"simulation.inputs.motor1.amplitude", "simulation.inputs.motor2.values[1]",
                     "simulation.controllers.servo.ki", "simulation.controllers.servo.reference[0]", "gravity[2]"};
      test::expect_alike(test::both_ways(model, file.scenario, {0.02, 0.05}, by), by, 1e-7, 1e-8);
    }
  }
}

// A ball that sticks and slides on a plane: bristles remember too, and a servo pushes it along.
TEST(StatesGoBackWith, Contacts) {
  const std::string robot = R"(cuttle: 1
links:
  - {name: along, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 1e-2, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}
  - {name: up, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 1e-2, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}
  - name: ball
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4, 0, 0, 0]}
    contact: {shape: sphere, radius: 0.05}
actuators: [{name: push, type: joint, link: along}, {name: turn, type: joint, link: ball}]
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: ball, b: ground, friction: 0.4, modulus: 1e5, dissipation: 0.5}]
)";
  for (const char* more : {"", ", rate: 300", ", rate: 300, limits: {rate: 40}"}) {
    ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: r.yaml\nsimulation:\n  initial: {along: {v: [0.4]}, up: {q: [0.0495], v: [-0.1]}, ball: {q: "
        "[0.2], v: [3]}}\n  inputs: {push: 0.3, turn: 0.002}\n  controllers: [{name: c, type: pid, inputs: [push], "
        "reference: [0.03], kp: 9, kd: 1, ki: 400" +
            std::string(more) + "}]\n",
        "s.yaml", robot);
    file.scenario.duration = file.scenario.output_step = 0.03;
    const Model model(file.robot);
    const Paths by{"simulation.initial.along.v[0]", "simulation.initial.ball.v[0]",
                   "simulation.inputs.push",        "simulation.controllers.c.kp",
                   "simulation.controllers.c.ki",   "simulation.controllers.c.reference[0]",
                   "contacts.floor.friction"};
    for (const char* type : {"midpoint", "generalized_alpha", "rk4"}) {
      SCOPED_TRACE(std::string(type) + more);
      file.scenario.integrator = fixed(type, type == std::string("rk4") ? 2e-4 : 1e-3);
      test::expect_alike(test::both_ways(model, file.scenario, {0.015, 0.03}, by), by, 1e-6, 1e-7);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
