// Gradients backwards through states: bristles of contacts and states of elements, against those forward along the same
// run, which share nothing of the way back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/transmissions/joint.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using test::fixed;
using Paths = std::vector<std::string>;

constexpr double k_radius = 0.05, k_mass = 0.5;

void expect_both_ways_alike(const Model& model, const Scenario& scenario, const Paths& by, double tolerance) {
  const test::BothWays both = test::both_ways(model, scenario, {0.5 * scenario.duration, scenario.duration}, by);
  for (Eigen::Index k = 0; k < both.expected.size(); ++k) {
    EXPECT_GT(std::abs(both.expected[k]), 0.0) << by[static_cast<std::size_t>(k)];
  }
  test::expect_alike(both, by, tolerance, 1e-3 * tolerance);
}

/// A ball on a plane that moves along x and z and turns about y, pushed along.
std::string ball(const std::string& more = "") {
  const double inertia = 0.4 * k_mass * k_radius * k_radius;
  return fmt::format(R"(cuttle: 1
links:
  - {{name: along, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 1e-2, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - {{name: up, joint: {{type: prismatic, axis: [0, 0, 1]}}, body: {{type: rigid, mass: 1e-2, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - name: ball
    joint: {{type: revolute, axis: [0, 1, 0]}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
actuators: [{{name: push, type: joint, link: along}}, {{name: turn, type: joint, link: ball}}]
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {}, modulus: 1e5, dissipation: 0.5}}]
)",
                     k_mass, inertia, inertia, inertia, k_radius, more.empty() ? "0.4" : more);
}

Scenario thrown(double height, double speed, const IntegratorOptions& integrator) {
  Scenario scenario{.duration = 0.06, .output_step = 0.06, .integrator = integrator};
  scenario.initial["along"] = {{0.0}, {speed}};
  scenario.initial["up"] = {{height}, {-0.3}};
  scenario.initial["ball"] = {{0.2}, {3.0}};
  scenario.inputs["push"] = Signal::points({0.0, 0.02, 0.04, 0.06}, {0.3, 0.6, -0.4, 0.2});
  scenario.inputs["turn"] = Signal(0.002);
  return scenario;
}

const Paths k_by{"simulation.initial.along.v[0]", "simulation.initial.up.q[0]",      "simulation.initial.up.v[0]",
                 "simulation.initial.ball.v[0]",  "simulation.inputs.push.value[1]", "simulation.inputs.push.value[2]",
                 "simulation.inputs.turn"};

/// A spring behind a damper of which the rate grows with the cube: x' = (e + e^3) / T, e = y - x.
template <typename S>
class MaxwellLaw final : public EffortLaw<MaxwellLaw, S, 1, 0, 1> {
 public:
  explicit MaxwellLaw(double time_constant) : time_constant_(time_constant) {}
  std::string type_name() const override { return "maxwell"; }
  std::vector<ElementStateInfo> states() const override { return {{"extension", "rad", 0.05}}; }
  template <typename T>
  MaxwellLaw<T> cast() const {
    return MaxwellLaw<T>(time_constant_);
  }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    const T e = at.y[0] - at.state[0];
    efforts[0] = T(-4.0) * e;
    state_rates[0] = (e + e * e * e) / T(time_constant_);
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    const T e = at.y[0] - at.state[0];
    return T(2.0) * e * e;
  }

 private:
  double time_constant_;
};

class StatesOf : public testing::TestWithParam<std::string> {
 protected:
  static bool is_explicit() { return GetParam() == "rk4" || GetParam() == "tsit5"; }
  static IntegratorOptions method() { return fixed(GetParam(), is_explicit() ? 1e-5 : 4e-4); }
};
INSTANTIATE_TEST_SUITE_P(Methods, StatesOf,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

// It falls, slides, and flies on: bristles from nothing, along the cone, and away.
TEST_P(StatesOf, ABallThatBouncesGoesBackAsForward) {
  expect_both_ways_alike(Model(read_robot_text(ball(), "r.yaml")), thrown(k_radius + 2e-3, 1.0, method()), k_by, 1e-8);
}

// Sticking bristles are springs, which remember.
TEST_P(StatesOf, ABallThatRollsGoesBackAsForward) {
  expect_both_ways_alike(Model(read_robot_text(ball(), "r.yaml")), thrown(k_radius + 2e-3, 0.15, method()), k_by, 1e-8);
}

TEST_P(StatesOf, StaticCoefficientsGoBackAsForward) {
  expect_both_ways_alike(Model(read_robot_text(ball("{static: 0.6, kinetic: 0.4}"), "r.yaml")),
                         thrown(k_radius + 2e-3, 0.4, method()), k_by, 1e-8);
}

// Friction, stiffness, sizes and masses, ten of them.
TEST_P(StatesOf, NumbersOfTheRobotGoBackAsForward) {
  const Paths by{"contacts.floor.friction.static",
                 "contacts.floor.friction.kinetic",
                 "contacts.floor.modulus",
                 "contacts.floor.dissipation",
                 "links.ball.contact.radius",
                 "links.ball.body.mass",
                 "links.ball.body.inertia[1]",
                 "links.along.joint.damping",
                 "gravity[2]",
                 "gravity[0]",
                 "simulation.inputs.push.value[1]"};
  const Model model(read_robot_text(ball("{static: 0.6, kinetic: 0.4}"), "r.yaml"));
  expect_both_ways_alike(model, thrown(k_radius + 2e-3, 0.4, method()), by, 1e-8);
}

// A robot that touches begins with bristles in balance: those depend on start and inputs, by a difference of searches.
TEST_P(StatesOf, BristlesInBalanceDependOnTheStart) {
  Scenario scenario = thrown(k_radius - 1e-3, 0.0, method());
  scenario.initial["up"] = {{k_radius - 1e-3}, {0.0}};
  scenario.initial["ball"] = {{0.0}, {0.0}};
  scenario.inputs["push"] = Signal::points({0.0, 0.02, 0.04, 0.06}, {0.3, 0.5, 0.2, 0.2});
  expect_both_ways_alike(Model(read_robot_text(ball(), "r.yaml")), scenario,
                         {"simulation.initial.up.q[0]", "simulation.inputs.push.value[0]", "simulation.inputs.turn",
                          "links.ball.body.mass", "contacts.floor.modulus"},
                         1e-5);
}

/// Two links, the second behind a spring that gives, by the initial state against differences of order six: laws of
/// programs have no text, so no paths.
void expect_giving_arm_goes_back(const IntegratorOptions& method, double time_constant, double step, double tolerance) {
  SCOPED_TRACE(fmt::format("{}, {}", method.type, time_constant));
  Robot robot = read_robot_text(R"(cuttle: 1
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.5, com: [0, 0, 0.1], inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}}
  - {name: hand, attach: {pose: {position: [0, 0, 0.2]}}, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.2, com: [0, 0, 0.1], inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}}
actuators: [{name: motor, type: joint, link: arm}]
)",
                                "r.yaml");
  robot.elements.push_back({"give",
                            {std::make_shared<const JointTransmission>("hand")},
                            std::make_shared<MaxwellLaw<double>>(time_constant)});
  Scenario scenario{.duration = 0.12, .output_step = 0.06, .integrator = method};
  scenario.initial["arm"] = {{2.5}, {1.0}};
  scenario.initial["hand"] = {{0.6}, {-2.0}};
  scenario.inputs["motor"] = Signal::points({0.0, 0.031, 0.08, 0.12}, {0.2, 0.5, -0.3, 0.1});
  const Model model(robot);
  const auto gradient_at = [&](const Scenario& start) {
    return motion_adjoint(model, start, {0.06, 0.12},
                          [](double, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
                            for (Eigen::Index k = 0; k < 2; ++k)
                              by_q[k] = test::number_at(k, 0.0), by_v[k] = test::number_at(k + 2, 0.0);
                            return by_q.dot(q) + by_v.dot(v);
                          },
                          {});
  };
  const MotionGradient found = gradient_at(scenario);
  for (int k = 0; k < 4; ++k) {
    const auto value = [&](int steps) {
      Scenario start = scenario;
      InitialState& link = start.initial[k % 2 == 0 ? "arm" : "hand"];
      (k < 2 ? link.q : link.v)[0] += steps * step;
      return gradient_at(start).value;
    };
    const auto across = [&](int steps) { return value(steps) - value(-steps); };
    const double expected = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / step;
    EXPECT_NEAR(k < 2 ? found.by_q[k] : found.by_v[k - 2], expected, tolerance * (1.0 + std::abs(expected))) << k;
  }
}

// States of elements, slow and faster than the steps.
TEST_P(StatesOf, ElementsGoBackAsForward) {
  const IntegratorOptions method = fixed(GetParam(), is_explicit() ? 1e-3 : 5e-3);
  for (const double time_constant : {0.1, is_explicit() ? 0.02 : 1e-3}) {
    expect_giving_arm_goes_back(method, time_constant, 2e-3, 1e-8);
  }
}

// Where the method chooses its steps: slow ones, and stiff ones.
TEST(StatesOfErrorControl, ElementsGoBackAsDifferences) {
  for (const double time_constant : {0.1, 1e-3}) {
    expect_giving_arm_goes_back(adaptive("bdf", 1e-11), time_constant, 2e-2, 1e-7);
    expect_giving_arm_goes_back(adaptive("erk", 1e-11), time_constant, 2e-2, 1e-7);
  }
}

/// Beside fixed steps of 2 us backwards, which see touch-downs within a step. @param of_touch  for what moves the
/// instant of touch, with coarse tolerances and with fine ones.
void expect_as_with_fixed_steps(const std::string& robot, Scenario scenario, const Paths& by,
                                std::array<double, 2> tolerances, std::array<double, 2> of_touch) {
  const Model model(read_robot_text(robot, "r.yaml"));
  const auto gradient = [&](const IntegratorOptions& method) {
    scenario.integrator = method;
    return motion_adjoint(
        model, scenario, {0.5 * scenario.duration, scenario.duration},
        [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
          return test::some_term(model, time, q, v, by_q, by_v);
        },
        by);
  };
  const VectorXd expected = gradient(fixed("tsit5", 2e-6)).by;
  for (const char* method : {"bdf", "erk"}) {
    for (const std::size_t fine : {0u, 1u}) {
      SCOPED_TRACE(fmt::format("{}, {}", method, fine ? "fine" : "coarse"));
      const VectorXd found = gradient(adaptive(method, fine ? 1e-10 : 1e-7)).by;
      for (Eigen::Index k = 0; k < expected.size(); ++k) {
        const std::string& path = by[static_cast<std::size_t>(k)];
        const bool moves_touch = path.find(".up.") != std::string::npos || path.find("radius") != std::string::npos;
        EXPECT_NEAR(found[k], expected[k], (moves_touch ? of_touch : tolerances)[fine] * (1e-3 + std::abs(expected[k])))
            << path;
      }
    }
  }
}

// Where derivatives forward have no step that is short enough: it slides while its cone opens.
TEST(ContactsOfErrorControl, ABallThatBouncesGoesBackAsWithFixedSteps) {
  expect_as_with_fixed_steps(ball(), thrown(k_radius + 2e-3, 1.0, {}), k_by, {1e-3, 2e-4}, {5e-3, 5e-3});
}

TEST(ContactsOfErrorControl, ABallThatRollsGoesBackAsWithFixedSteps) {
  expect_as_with_fixed_steps(ball(), thrown(k_radius + 2e-3, 0.15, {}), k_by, {2e-4, 2e-5}, {1e-3, 1e-4});
}

TEST(ContactsOfErrorControl, NumbersOfTheRobotGoBackAsWithFixedSteps) {
  expect_as_with_fixed_steps(
      ball(), thrown(k_radius + 2e-3, 0.15, {}),
      {"contacts.floor.friction", "contacts.floor.modulus", "contacts.floor.dissipation", "links.ball.contact.radius",
       "links.ball.body.mass", "gravity[2]", "simulation.inputs.push.value[1]"},
      {1e-3, 1e-4}, {2e-2, 1e-3});
}

// The coefficient is a state then. How it depends on the instant of touch is known less well.
TEST(ContactsOfErrorControl, StaticCoefficientsGoBackAsWithFixedSteps) {
  expect_as_with_fixed_steps(ball("{static: 0.6, kinetic: 0.4}"), thrown(k_radius + 2e-3, 0.4, {}), k_by, {3e-3, 3e-3},
                             {6e-2, 6e-2});
}

TEST(ContactsOfErrorControl, BristlesInBalanceDependOnTheStart) {
  Scenario scenario = thrown(k_radius - 1e-3, 0.0, {});
  scenario.initial["up"] = {{k_radius - 1e-3}, {0.0}};
  scenario.initial["ball"] = {{0.0}, {0.0}};
  scenario.inputs["push"] = Signal::points({0.0, 0.02, 0.04, 0.06}, {0.3, 0.5, 0.2, 0.2});
  for (const char* method : {"bdf", "erk"}) {
    scenario.integrator = adaptive(method, 1e-10);
    expect_both_ways_alike(Model(read_robot_text(ball(), "r.yaml")), scenario,
                           {"simulation.initial.up.q[0]", "simulation.inputs.push.value[0]", "simulation.inputs.turn",
                            "links.ball.body.mass", "contacts.floor.modulus"},
                           1e-5);
  }
}

// Numbers at the end of their range: the balance in which bristles begin is sought to the other side alone.
TEST(DerivativesAtBounds, OfADissipationOfZero) {
  std::string robot = ball();
  robot.replace(robot.find("dissipation: 0.5"), 16, "dissipation: 0");
  Scenario scenario = thrown(k_radius - 1e-3, 0.0, fixed("generalized_alpha", 4e-4));
  scenario.initial["up"] = {{k_radius - 1e-3}, {-0.02}};
  scenario.initial["ball"] = {{0.0}, {0.0}};
  expect_both_ways_alike(Model(read_robot_text(robot, "r.yaml")), scenario,
                         {"contacts.floor.dissipation", "contacts.floor.modulus", "links.ball.body.mass"}, 1e-5);
}

// Without friction there are no bristles, with any there are; so are states of static coefficients.
TEST(DerivativesAtBounds, WhereFrictionBeginsThereIsNone) {
  for (const auto& [friction, path] : {std::pair("0.0", "contacts.floor.friction"),
                                       std::pair("{static: 0.4, kinetic: 0.4}", "contacts.floor.friction.static")}) {
    const Model model(read_robot_text(ball(friction), "r.yaml"));
    const Scenario scenario = thrown(k_radius + 2e-3, 1.0, fixed("generalized_alpha", 4e-4));
    const auto expect_refused = [&](const auto& differentiate) {
      try {
        differentiate();
        FAIL() << path;
      } catch (const ArgumentError& error) {
        EXPECT_EQ(std::string(error.what()).find(path), 0u) << error.what();
        EXPECT_NE(std::string(error.what()).find("has other states"), std::string::npos) << error.what();
      }
    };
    expect_refused([&, by = path] { sensitivities(model, scenario, {"q"}, {by}, {0.06}); });
    expect_refused([&, by = path] { MotionAdjoint(model, scenario, {0.06}, {by}); });
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
