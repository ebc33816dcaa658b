// partial_feedback_linearization with a model that leaves something of the robot out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "io/io_support.h"
#include "support/controlled_arm.h"
#include "support/controlled_inputs.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

const char* const k_motors = R"(actuators:
  - {name: m1, type: joint, link: upper}
  - {name: m2, type: joint, link: fore}
)";
const char* const k_law =
    "{name: c, type: partial_feedback_linearization, inputs: [m1, m2], reference: [{type: sine, amplitude: 0.3, "
    "frequency: 1}, 0.2], kp: 50, kd: 8";

ScenarioFile scenario_of(const std::string& controllers, const std::string& robot) {
  return read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + controllers + "]\n", "s.yaml",
                            robot);
}

/// The arm without its soft rod, as a file of its own.
std::string arm_without_rod() {
  const std::string arm = k_arm;
  return arm.substr(0, arm.find("  - {name: soft"));
}

TEST(LawModel, WithoutALinkIsTheRobotWithoutIt) {
  // of what acts, that which needs the link is unknown to the law, and the rest is known
  const std::string known = R"(elements:
  - {name: band, type: spring, a: {link: base, pose: {position: [0.2, 0, 0.1]}}, b: {link: fore, at: tip}, stiffness: 4, damping: 0.1, rest_length: 0.15}
)";
  const std::string unknown =
      R"(  - {name: far, type: spring, a: {link: base}, b: {link: soft, at: tip}, stiffness: 2, rest_length: 0.1}
loads: [{type: wrench, link: soft, at: tip, force: [1, 0, 0]}]
)";
  Inputs whole(
      scenario_of(std::string(k_law) + ", model: {without: [soft]}}", std::string(k_arm) + k_motors + known + unknown));
  Inputs part(scenario_of(std::string(k_law) + "}", arm_without_rod() + k_motors + known));
  test::Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const auto state = test::random_state(whole.model, random);
    const VectorXd q = state.q, v = state.v;
    const VectorXd u = whole.at(0.2, q, v), expected = part.at(0.2, q.head(2), v.head(2));
    EXPECT_LT((u - expected).norm(), 1e-12 * (1.0 + expected.norm())) << trial;
  }
}

/// What hangs on a link goes with it; one on the other branch stays.
TEST(LawModel, WithoutALinkAlsoWithoutWhatHangsOnIt) {
  const std::string more =
      R"(  - {name: hand, parent: soft, joint: {type: revolute, axis: [1, 0, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0.1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
  - {name: other, parent: upper, joint: {type: revolute, axis: [1, 0, 0]}, body: {type: rigid, mass: 0.2, com: [0, 0.1, 0.1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
)";
  const std::string other = more.substr(more.find("  - {name: other"));
  Inputs whole(scenario_of(std::string(k_law) + ", model: {without: [soft]}}", std::string(k_arm) + more + k_motors));
  Inputs part(scenario_of(std::string(k_law) + "}", arm_without_rod() + other + k_motors));
  test::Random random(4);
  const auto state = test::random_state(whole.model, random);
  VectorXd q(3), v(3);
  q << state.q.head(2), state.q[state.q.size() - 1];
  v << state.v.head(2), state.v[state.v.size() - 1];
  const VectorXd u = whole.at(0.2, state.q, state.v), expected = part.at(0.2, q, v);
  EXPECT_LT((u - expected).norm(), 1e-12 * (1.0 + expected.norm()));
}

/// Against a cylinder written down as a rigid body, with a link on its tip and one in its middle.
TEST(LawModel, RigidIsTheRobotAtRest) {
  const std::string on_tip =
      "  - {name: hand, joint: {type: revolute, axis: [1, 0, 0]}, body: {type: rigid, mass: 0.1, com: [0, 0, 0.1], "
      "inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}\n";
  const std::string fin =
      ", joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.05, com: [0.1, 0, 0], inertia: [0.01, "
      "0.01, 0.01, 0, 0, 0]}}\n";
  const double length = 0.25, radius = 0.012, mass = 1000 * M_PI * radius * radius * length;
  const double across = mass * (3 * radius * radius + length * length) / 12, along = mass * radius * radius / 2;
  const auto text = [](double x) { return std::to_string(1e9 * x) + "e-9"; };
  const std::string rod = "  - {name: soft, body: {type: rigid, mass: " + text(mass) +
                          ", com: [0, 0, 0.125], inertia: [" + text(across) + ", " + text(across) + ", " + text(along) +
                          ", 0, 0, 0], tip: {position: [0, 0, 0.25]}}}\n";
  const std::string tendon =
      "  - {name: cable, type: tendon, slack: allow, routing: [{link: soft, offset: [0.01, 0]}]}\n";
  std::string arm = k_arm;
  arm.replace(arm.find("points: 4}"), 9, "points: 40");
  Inputs whole(scenario_of(
      std::string(k_law) + ", model: rigid}",
      arm + on_tip + "  - {name: fin, parent: soft, attach: {at: {s: 0.1}, pose: {position: [0.02, 0, 0]}}" + fin +
          k_motors + tendon + "loads: [{type: wrench, link: soft, at: tip, force: [0.5, 0.2, 0]}]\n"));
  Inputs rigid(scenario_of(std::string(k_law) + "}",
                           arm_without_rod() + rod + on_tip +
                               "  - {name: fin, parent: soft, attach: {at: base, pose: {position: [0.02, 0, 0.1]}}" +
                               fin + k_motors +
                               "loads: [{type: wrench, link: soft, at: tip, force: [0.5, 0.2, 0]}]\n"));
  test::Random random(5);
  const auto state = test::random_state(whole.model, random);
  VectorXd q(4), v(4);
  q << state.q.head(2), state.q.tail(2);
  v << state.v.head(2), state.v.tail(2);
  const VectorXd u = whole.at(0.2, state.q, state.v).head(2), expected = rigid.at(0.2, q, v);
  EXPECT_LT((u - expected).norm(), 1e-6 * (1.0 + expected.norm()));  // of six digits in the text, and the points
}

/// An earlier law moves what this one knows by coordinates that it does not know.
TEST(LawModel, DerivativesGoThroughEarlierLaws) {
  const std::string first =
      "{name: first, type: pd_with_cancellation, inputs: [m2], links: [fore], reference: [0.2], kp: 0.5, kd: 0.1}, ";
  const std::string law =
      "{name: c, type: partial_feedback_linearization, inputs: [m1], reference: [0.3], kp: 50, kd: 8, model: ";
  for (const std::string& what : {std::string("{without: [soft]}"), std::string("rigid"), std::string("complete")}) {
    const ScenarioFile file = scenario_of(first + law + what + "}", std::string(k_arm) + k_motors);
    const Model model(file.robot);
    std::unique_ptr<ControlLaw> laws[2];
    for (int i = 0; i < 2; ++i)
      laws[i] = file.scenario.controllers[static_cast<std::size_t>(i)].controller->bind(model);
    const VectorXd states = start_of_auxiliary(model), none;
    const auto inputs = [&](const VectorXd& q, const VectorXd& v) {
      VectorXd u = VectorXd::Zero(model.nu());
      for (const auto& each : laws) {
        const VectorXd before = u;
        each->add_inputs({0.1, q, v, before, none, states}, u);
      }
      return u;
    };
    test::Random random(6);
    const auto state = test::random_state(model, random);
    MatrixXd by_q = MatrixXd::Zero(model.nu(), model.nv()), by_v = by_q;
    VectorXd u = VectorXd::Zero(model.nu());
    for (const auto& each : laws) {
      const VectorXd before = u;
      const ControlArguments at{0.1, state.q, state.v, before, none, states};
      each->add_derivatives(at, by_q, by_v);
      each->add_inputs(at, u);
    }
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXd e = 1e-5 * VectorXd::Unit(model.nv(), k);
      const VectorXd q_slope = (inputs(state.q + e, state.v) - inputs(state.q - e, state.v)) / 2e-5;
      const VectorXd v_slope = (inputs(state.q, state.v + e) - inputs(state.q, state.v - e)) / 2e-5;
      EXPECT_LT((by_q.col(k) - q_slope).norm(), 1e-6 * (1.0 + by_q.norm())) << what << " column " << k;
      EXPECT_LT((by_v.col(k) - v_slope).norm(), 1e-6 * (1.0 + by_v.norm())) << what << " column " << k;
    }
  }
}

TEST(LawModel, ErrorsSayWhatIsMissing) {
  const std::string robot =
      std::string(k_arm) + k_motors + "  - {name: cable, type: tendon, routing: [{link: soft, offset: [0.01, 0]}]}\n";
  const auto complaint = [&](const std::string& law) { return message<Error>([&] { scenario_of(law, robot); }); };
  const std::string one = "{name: c, type: partial_feedback_linearization, reference: [0.1], inputs: ";
  EXPECT_THAT(complaint(one + "[m1], model: {without: [sof]}}"),
              AllOf(HasSubstr("model.without[0]"), HasSubstr("no link 'sof'"), HasSubstr("did you mean 'soft'")));
  EXPECT_THAT(complaint(one + "[m1], model: {without: [upper]}}"), HasSubstr("all links"));
  EXPECT_THAT(complaint(one + "[cable], model: {without: [soft]}}"),
              HasSubstr("'cable', which acts on what `model` leaves out"));
  EXPECT_THAT(complaint(one + "[cable], model: rigid}"), HasSubstr("'cable', which acts on what `model` leaves out"));
  EXPECT_THAT(complaint(one + "[m1], model: stiff}"), HasSubstr("complete, rigid"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
