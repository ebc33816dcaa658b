// Derivatives of runs with controllers: against those of robots that have the law as a spring, and against differences
// of runs, whose controllers and robots are made anew with other numbers; laws that solve the motion, that remember,
// that sample, by numbers of the robot, the state, gains and references.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/motion_adjoint.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/integrator_runs.h"
#include "support/control_laws.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

/// q and v at the end.
VectorXd end_of(const Model& model, const Scenario& scenario, bool to_rounding) {
  if (to_rounding) {  // without what Newton's method leaves in steps
    return sensitivities(model, scenario, {"q", "v"}, {}, {scenario.duration}).values.back();
  }
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  VectorXd all(model.nq() + model.nv());
  all << memory.samples().back().q, memory.samples().back().v;
  return all;
}

/// The end of a run with another value of a number.
VectorXd end_with(const Model& model, Scenario scenario, const std::string& path, double value, bool to_rounding) {
  const std::string k_initial = "simulation.initial.", k_controller = "simulation.controllers.c.";
  if (path.starts_with(k_controller)) {
    auto& controller = scenario.controllers.front().controller;
    controller = controller->with_number(path.substr(k_controller.size()), value);
  } else if (path.starts_with(k_initial)) {
    scenario.initial["upper"].v = {value};
  } else {
    return end_of(model.with(path, value), scenario, to_rounding);
  }
  return end_of(model, scenario, to_rounding);
}

void expect_derivatives(const ScenarioFile& file, const Paths& by, bool to_rounding, double tolerance) {
  const Model model(file.robot);
  const Scenario& scenario = file.scenario;
  const Sensitivities found = sensitivities(model, scenario, {"q", "v"}, by, {scenario.duration});
  const VectorXd plain = end_of(model, scenario, false);
  EXPECT_LE((found.values.back() - plain).cwiseAbs().maxCoeff(), 3e-7 * (1.0 + plain.cwiseAbs().maxCoeff()));
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double at = found.parameters[k].value, step = 3e-3 * (at != 0.0 ? std::abs(at) : 1.0);
    const auto f = [&](int steps) { return end_with(model, scenario, by[k], at + steps * step, to_rounding); };
    const VectorXd expected = (45.0 * (f(1) - f(-1)) - 9.0 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60.0 * step);
    const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
    // a law that cancels a number leaves nothing of it: then what the differences of runs round is the scale
    const double rounding = 1e-12 * plain.cwiseAbs().maxCoeff() / step;
    EXPECT_LE((derivative - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff() + rounding)
        << by[k] << "\nfound " << derivative.transpose() << "\nexpected " << expected.transpose();
  }
}

/// A number of the robot, one of the state, and what the controller has first and last.
Paths some_numbers(const ScenarioFile& file) {
  Paths by{"materials.m.young_modulus", "links.fore.body.mass", "simulation.initial.upper.v[0]"};
  const auto numbers = file.scenario.controllers.front().controller->numbers();
  for (const ControllerNumber& number : {numbers.front(), numbers.back()}) {
    const std::string path = "simulation.controllers.c." + number.key;
    if (std::find(by.begin(), by.end(), path) == by.end()) by.push_back(path);
  }
  return by;
}

/// Nothing rests: drag has a kink there.
void set_in_motion(Scenario& scenario) {
  scenario.initial["upper"].v = {0.5}, scenario.initial["fore"].v = {0.7};
  scenario.initial["soft"].v = {2.0, -1.5, 0.3};
}

class EveryLawOfARun : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
std::vector<std::string> names_of_laws() {
  std::vector<std::string> names;
  for (const auto& law : test::laws()) names.emplace_back(law.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Laws, EveryLawOfARun,
                         testing::Combine(testing::ValuesIn(names_of_laws()),
                                          testing::Values("tsit5", "generalized_alpha", "bdf")),
                         [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST_P(EveryLawOfARun, HasTheDerivativesOfDifferences) {
  const auto& [name, method] = GetParam();
  ScenarioFile file = test::scenario_of(test::law(name).text + "}", test::k_start);
  set_in_motion(file.scenario);
  file.scenario.duration = file.scenario.output_step = 0.02;
  const bool chosen = method == "bdf";
  file.scenario.integrator = chosen ? adaptive("bdf", 1e-11) : fixed(method, method == "tsit5" ? 5e-4 : 4e-3);
  expect_derivatives(file, some_numbers(file), method == "generalized_alpha", chosen ? 1e-5 : 1e-7);
}

// What a digital law holds depends on all that it was told before.
class SampledLawOfARun : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, SampledLawOfARun, testing::Values("rk4", "midpoint", "erk"),
                         [](const auto& test) { return test.param; });

TEST_P(SampledLawOfARun, RemembersDerivatives) {
  const std::string law = test::law("pid").text + ", rate: 200, delay: 0.002, noise: {q: 0.001, v: 0.01}}";
  ScenarioFile file = test::scenario_of(law, test::k_start);
  set_in_motion(file.scenario);
  file.scenario.duration = file.scenario.output_step = 0.05;
  file.scenario.integrator = GetParam() == "erk" ? adaptive("erk", 1e-11) : fixed(GetParam(), 1e-3);
  expect_derivatives(file,
                     {"materials.m.young_modulus", "simulation.initial.upper.v[0]", "simulation.controllers.c.kp[1]",
                      "simulation.controllers.c.ki[3]", "simulation.controllers.c.reference[0].to"},
                     GetParam() == "midpoint", GetParam() == "erk" ? 1e-6 : 1e-7);
}

// A proportional law on a joint is a spring in it: the same derivatives by both, of code that shares nothing.
TEST(ControlledRun, HasTheDerivativesOfTheSpringThatItsLawIs) {
  const auto cart = [](double stiffness) {
    return Model(
        read_robot_text(R"(
cuttle: 1
name: oscillator
links:
  - {name: cart, joint: {type: revolute, axis: [0, 1, 0], damping: 0.2, stiffness: )" +
                            std::to_string(stiffness) +
                            R"(}, body: {type: rigid, mass: 2, com: [0, 0, -0.4], inertia: [0.4, 0.4, 0.1, 0, 0, 0]}}
actuators: [{name: push, type: joint, link: cart}]
)",
                        "oscillator.yaml"));
  };
  Scenario scenario;
  scenario.duration = 1.3, scenario.output_step = 0.1;
  scenario.integrator = adaptive("bdf", 1e-11);
  scenario.initial["cart"] = {{0.7}, {0.3}};
  const Model sprung = cart(5.0);
  const MatrixXd expected =
      sensitivities(sprung, scenario, {"q", "v"}, {"links.cart.joint.stiffness", "links.cart.body.mass"}, {1.3})
          .derivatives.back();
  PidSettings hold;
  hold.reference = {Signal(0.0)}, hold.kp = {5.0};
  scenario.controllers = {{"hold", make_pid(hold)}};
  const Model driven = cart(0.0);
  const Sensitivities found =
      sensitivities(driven, scenario, {"q", "v"}, {"simulation.controllers.hold.kp", "links.cart.body.mass"}, {1.3});
  EXPECT_EQ(found.parameters[0].value, 5.0);
  EXPECT_LE((found.derivatives.back() - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff())
      << found.derivatives.back() << "\nexpected\n"
      << expected;
}

// u is what the law sets: by its gain, with the motion held, K_P's error.
TEST(ControlledRun, HasInputsWithDerivativesToo) {
  ScenarioFile file = test::scenario_of(test::law("pid").text + "}", test::k_start);
  file.scenario.duration = file.scenario.output_step = 0.01;
  file.scenario.integrator = fixed("generalized_alpha", 2e-3);
  const Model model(file.robot);
  const Sensitivities found =
      sensitivities(model, file.scenario, {"m1", "upper.joint.v0"}, {"simulation.controllers.c.kp[0]"}, {0.0, 0.01});
  // at the start nothing has moved: e = cubic(0) - q = 0.1 - 0.4
  EXPECT_NEAR(found.derivatives[0](0, 0), -0.3, 1e-9);
  EXPECT_EQ(found.derivatives[0](1, 0), 0.0);
  EXPECT_LT(found.derivatives[1](1, 0), 0.0) << "the arm is pushed backwards";
}

TEST(ControlledRun, RefusesWhatHasNoDerivatives) {
  const auto message = [](const std::string& controllers, const Paths& by) -> std::string {
    ScenarioFile file = test::scenario_of(controllers, test::k_start);
    try {
      sensitivities(Model(file.robot), file.scenario, {"q"}, by, {file.scenario.duration});
      return "";
    } catch (const ArgumentError& error) {
      return error.what();
    }
  };
  const std::string pid = test::law("pid").text + "}";
  EXPECT_EQ(message(pid, {"simulation.controllers.d.kp"}), "simulation.controllers.d.kp: found no such controller");
  EXPECT_NE(message(pid, {"simulation.controllers.c.kq[0]"}).find("found no such number of controller 'c' of type pid"),
            std::string::npos)
      << message(pid, {"simulation.controllers.c.kq[0]"});
  EXPECT_EQ(message("{name: c, type: external, inputs: [m1], command: [nobody], rate: 10}", {"gravity[2]"}),
            "controllers: found 'c' of type external, expected laws of the library or of C++: runs with others have no "
            "derivatives");
}

// Below zero a damping has no meaning: copies of controllers stand to one side, as the differences do.
TEST(DerivativesAtBounds, OfDampingsOfZeroBesideControllers) {
  std::string robot = test::k_arm_with_all;
  robot.replace(robot.find("SLACK"), 5, "allow");
  for (const char* damping : {", damping: 0.1, rest", ", damping: 0.05, range"}) {
    const std::string word = damping;
    robot.replace(robot.find(word), word.size(), ", damping: 0" + word.substr(word.rfind(',')));
  }
  const std::string pid = "{name: c, type: pid, inputs: [m1], reference: [0.3], kp: 2, kd: 0.1, ki: 9}";
  for (const std::string& law : {pid, test::law("partial_feedback_linearization").text + "}"}) {
    SCOPED_TRACE(law);
    ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + law + "]\n" + test::k_start, "s.yaml", robot);
    file.scenario.initial["fore"].q = {0.65}, file.scenario.initial["fore"].v = {0.7};  // beyond its stop
    file.scenario.initial["upper"].v = {0.5};
    file.scenario.duration = file.scenario.output_step = 0.04;
    file.scenario.integrator = fixed("generalized_alpha", 4e-3);
    const Model model(file.robot);
    const Paths by{"elements.band.damping", "elements.stop.damping", "elements.band.stiffness"};
    const Sensitivities found = sensitivities(model, file.scenario, {"q", "v"}, by, {0.04});
    const MotionGradient back = motion_adjoint(
        model, file.scenario, {0.04},
        [](double, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
          by_q.setOnes(), by_v.setOnes();
          return q.sum() + v.sum();
        },
        by);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(found.parameters[k].value, 0.0);
      constexpr double k_step = 3e-3;
      const auto f = [&](int steps) { return end_with(model, file.scenario, by[k], steps * k_step, true); };
      const VectorXd expected =
          (-147.0 * f(0) + 360.0 * f(1) - 450.0 * f(2) + 400.0 * f(3) - 225.0 * f(4) + 72.0 * f(5) - 10.0 * f(6)) /
          (60.0 * k_step);
      const VectorXd derivative = found.derivatives.back().col(static_cast<Eigen::Index>(k));
      ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.0);
      EXPECT_LT((derivative - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff()) << by[k];
      EXPECT_NEAR(back.by[static_cast<Eigen::Index>(k)], derivative.sum(), 1e-7 * derivative.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
