// Inputs that hold a frame at rest: closed forms of a bar and of a bent rod, round trips through static_equilibrium,
// the balance of forces by other functions, least inputs, limits, loops.
#include "cuttle/algorithms/inverse_statics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "support/loop_robots.h"
#include "support/paths.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Model model_of(const char* text) { return Model(read_robot_text(text, "robot.yaml")); }
Model shipped(const std::string& name) { return Model(read_robot_file(test::k_source_dir + "/models/" + name)); }
Vector3 tip_of(const Model& model, const VectorXd& q) {
  Data data(model);
  return forward_kinematics<double>(model, data, q).pose(model.links().back().tip).position;
}
FrameTarget tip_at(const Model& model, const Vector3& position) {
  return FrameTarget::at_position(model.links().back().tip, position);
}
/// Largest entry of g + s - A u of a robot without loops, loads and elements.
double imbalance(const Model& model, const VectorXd& q, const VectorXd& u) {
  Data data(model);
  VectorXd left = gravity_force<double>(model, data, q);
  left += elastic_force<double>(model, data, q);
  left -= actuation_matrix<double>(model, data, q) * u;
  return size_of(left);
}

const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}]
)";

TEST(InverseStatics, HoldsABarAtAnAngle) {
  const Model model = model_of(k_bar);
  for (const double angle : {-1.2, -0.3, 0.0, 0.4, 2.0}) {
    // hanging down: m g l / 2 = 9.81 N m pulls it back, so does the spring
    const auto found = inverse_statics(model, {tip_at(model, {-std::sin(angle), 0, -std::cos(angle)})}, {},
                                       VectorXd::Constant(1, 0.1));
    ASSERT_TRUE(found.converged) << angle;
    EXPECT_NEAR(found.equilibrium.q[0], angle, 1e-8);
    EXPECT_NEAR(found.u[0], 20 * angle + 9.81 * std::sin(angle), 1e-7);
    EXPECT_EQ(found.equilibrium.stability, Stability::stable);
    EXPECT_TRUE(found.active_limits.empty());
  }
}

// Without gravity forces go with the square of the size: from 1 m to 10 um the same steps lead to the same shape.
TEST(InverseStatics, TakesTheSameStepsForARodThatIsScaledAsAWhole) {
  InverseStaticsResult whole;
  for (const double L : {1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    std::string text = fmt::format(
        "cuttle: 1\ngravity: [0, 0, 0]\nmaterials: {{rubber: {{density: 1000, young_modulus: 1.0e5}}}}\nlinks:\n"
        "- {{name: rod, body: {{type: rod, length: {}, material: rubber, section: {{shape: circle, radius: {}}}, "
        "strain: {{kappa_x: constant, kappa_y: {{basis: legendre, order: 1}}, sigma_z: constant}}}}}}\nactuators:\n",
        L, 0.05 * L);
    for (int i = 0; i < 3; ++i) {
      text += fmt::format("- {{name: t{}, type: tendon, routing: [{{link: rod, offset: [{}, {}]}}]}}\n", i,
                          0.04 * L * std::cos(2.1 * i), 0.04 * L * std::sin(2.1 * i));
    }
    const Model model = model_of(text.c_str());
    VectorXd pulls(3);
    pulls << 40.0 * L * L, 10.0 * L * L, 0.0;
    Data data(model);
    StaticLoads loads;
    loads.u = pulls;
    const VectorXd rest = static_equilibrium(model, data, loads, model.neutral()).q;
    const auto found = inverse_statics(model, {tip_at(model, tip_of(model, rest))}, {}, model.neutral());
    ASSERT_TRUE(found.converged && found.least_inputs) << L;
    EXPECT_LT(found.residual, 1e-9 * L);
    EXPECT_LT(size_of(found.u - pulls), 1e-6 * size_of(pulls)) << L;
    if (L == 1.0) whole = found;
    EXPECT_EQ(found.iterations, whole.iterations) << L;
    EXPECT_LT(size_of(found.u / (L * L) - whole.u), 1e-9 * size_of(whole.u)) << L;
  }
}

// [P] (49) where it can be solved by hand: a rod of constant curvature without gravity, E I / L q = u d, and two
// tendons at its sides that only pull: one is slack, at its limit.
const char* const k_finger = R"(cuttle: 1
name: finger
gravity: [0, 0, 0]
materials: {rubber: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}
links:
- {name: rod, body: {type: rod, length: 0.2, material: rubber, section: {shape: circle, radius: 0.01}, quadrature: {points: 4}, strain: {kappa_y: constant}}}
actuators:
- {name: left, type: tendon, routing: [{link: rod, offset: [0.008, 0]}]}
- {name: right, type: tendon, routing: [{link: rod, offset: [-0.008, 0]}]}
)";

TEST(InverseStatics, BendsAFingerWithTheTendonThatPulls) {
  const Model model = model_of(k_finger);
  const double stiffness = 1e5 * std::numbers::pi * 1e-8 / 4 / 0.2;
  for (const double angle : {0.5, -1.1}) {
    const Vector3 tip{0.2 * (1 - std::cos(angle)) / angle, 0, 0.2 * std::sin(angle) / angle};
    const auto found = inverse_statics(model, {tip_at(model, tip)}, {}, VectorXd::Zero(1));
    ASSERT_TRUE(found.converged && found.least_inputs) << angle;
    EXPECT_NEAR(found.equilibrium.q[0], angle, 1e-8);
    const int slack = std::abs(found.u[0]) < std::abs(found.u[1]) ? 0 : 1;
    EXPECT_NEAR(found.u[slack], 0.0, 1e-12);
    EXPECT_EQ(found.active_limits, std::vector<int>{slack});
    EXPECT_NEAR(found.u[1 - slack], stiffness * std::abs(angle) / 0.008, 1e-7);
  }
}

// What static_equilibrium finds for inputs, asked back.
TEST(InverseStatics, FindsInputsThatARobotHas) {
  int asked = 0;
  for (const char* name : {"examples/tendon_arm.yaml", "jensen2022/arm.yaml", "jensen2022/arm_rods.yaml"}) {
    const Model model = shipped(name);
    if (model.nu() == 0 || !model.state_loads().empty()) continue;
    Data data(model);
    StaticLoads loads;
    Random random(5);
    loads.u.setZero(model.nu());
    // inputs that bend the robot a little
    const VectorXd rest = static_equilibrium(model, data, loads, model.neutral()).q;
    const MatrixXd A = actuation_matrix<double>(model, data, rest);
    const VectorXd push = elastic_force<double>(model, data, VectorXd(rest + VectorXd::Constant(model.nq(), 0.1)));
    for (int i = 0; i < model.nu(); ++i) {
      const double size = size_of(A.col(i));
      loads.u[i] = size > 0.0 ? 0.3 * size_of(push) / size * random.uniform(0.3, 1.0) : 0.0;
    }
    const StaticEquilibrium there = static_equilibrium(model, data, loads, model.neutral());
    const Vector3 tip = tip_of(model, there.q);
    StaticLoads none;
    const auto found = inverse_statics(model, {tip_at(model, tip)}, none, model.neutral());
    ASSERT_TRUE(found.converged) << name << ": " << found.residual;
    EXPECT_LT(norm(tip_of(model, found.equilibrium.q) - tip), 1e-8) << name;
    EXPECT_LT(found.equilibrium.residual, 1e-7 * (1.0 + size_of(push))) << name;
    if (model.elements().empty() && model.loops().empty()) {
      EXPECT_LT(imbalance(model, found.equilibrium.q, found.u), 1e-7 * (1.0 + size_of(push))) << name;
    }
    const std::string unit = model.input_info()[0].unit;
    const bool alike = std::all_of(model.input_info().begin(), model.input_info().end(),
                                   [&](const CoordinateInfo& info) { return info.unit == unit; });
    EXPECT_LE(found.least_inputs && alike ? found.u.norm() : 0.0, loads.u.norm() * (1 + 1e-6)) << name;
    ++asked;
  }
  EXPECT_GE(asked, 2);
}

// Without a spring the motor's torque is largest where the bar is level: there q is no function of it.
TEST(InverseStatics, RaisesABarPastTheHorizontal) {
  std::string text = k_bar;
  text.replace(text.find(", stiffness: 20"), 15, "");
  const Model model = model_of(text.c_str());
  const auto at = [&](double angle) { return Vector3{-std::sin(angle), 0, -std::cos(angle)}; };
  InverseStatics hold(model, {tip_at(model, at(0.1))});
  for (const double angle : {0.1, 0.6, 1.2, 1.5, 0.5 * std::numbers::pi, 1.6, 2.2, 3.0}) {
    hold.set_goal(0, {Matrix3::identity(), at(angle)});
    const auto& found = angle == 0.1 ? hold.solve(VectorXd::Constant(1, 0.2)) : hold.solve_from_last();
    ASSERT_TRUE(found.converged) << angle;
    EXPECT_NEAR(found.equilibrium.q[0], angle, 1e-8);
    EXPECT_NEAR(found.u[0], 9.81 * std::sin(angle), 1e-7);
    EXPECT_LT(found.iterations, 15) << angle;
    if (std::abs(std::cos(angle)) < 1e-6) continue;
    EXPECT_EQ(found.equilibrium.stable(), std::cos(angle) > 0.0) << angle;
  }
}

// An arm on two motors alone starts where it is asked to, out of rest without them, and keeps its elbow.
TEST(InverseStatics, KeepsTheElbowOfAnArmOnMotors) {
  const Model model = model_of(R"(cuttle: 1
name: arm
links:
- {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 2, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, 0.4]}}}
- {name: fore, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0.15], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, 0.3]}}}
actuators: [{name: m1, type: joint, link: upper}, {name: m2, type: joint, link: fore}]
)");
  const Vector3 target{0.45, 0, 0.2};
  for (const double elbow : {1.2, -1.2}) {
    const VectorXd start = Eigen::Vector2d(1.1 - 0.5 * elbow, elbow);
    const auto found = inverse_statics(model, {tip_at(model, target)}, {}, start);
    ASSERT_TRUE(found.converged) << elbow;
    EXPECT_GT(found.equilibrium.q[1] * elbow, 0.0);
    EXPECT_LT(norm(tip_of(model, found.equilibrium.q) - target), 1e-8);
    const double a = found.equilibrium.q[0], b = a + found.equilibrium.q[1];
    const double weight = -9.81 * 1 * 0.15 * std::sin(b);
    EXPECT_NEAR(found.u[1], weight, 1e-7);
    EXPECT_NEAR(found.u[0], weight - 9.81 * (2 * 0.2 + 1 * 0.4) * std::sin(a), 1e-7);
  }
}

// Twelve pressures for three coordinates of a tip: the least of them, found with exact second derivatives in few steps,
// against differences of equilibria.
TEST(InverseStatics, SettlesAtLeastInputsInFewSteps) {
  const Model model = shipped("jensen2022/arm_rods.yaml");
  Data data(model);
  StaticLoads loads;
  loads.u = VectorXd::LinSpaced(model.nu(), 1e4, 9e4);
  const Vector3 tip = tip_of(model, static_equilibrium(model, data, loads, model.neutral()).q);
  const auto found = inverse_statics(model, {tip_at(model, tip)}, {}, model.neutral());
  ASSERT_TRUE(found.converged && found.least_inputs);
  EXPECT_LT(found.iterations, 30);
  // no small change of the inputs along which the tip stays has a part along them: u = (dx/du)^T m
  const double h = 1e-2 * found.u.norm();
  MatrixXd slope(3, model.nu());
  for (int k = 0; k < model.nu(); ++k) {
    Vector3 side[2];
    for (const double sign : {1.0, -1.0}) {
      loads.u = found.u + sign * h * VectorXd::Unit(model.nu(), k);
      side[sign > 0 ? 0 : 1] = tip_of(model, static_equilibrium(model, data, loads, found.equilibrium.q).q);
    }
    const Vector3 d = (0.5 / h) * (side[0] - side[1]);
    slope.col(k) << d.x, d.y, d.z;
  }
  const VectorXd m = slope.transpose().colPivHouseholderQr().solve(found.u);
  EXPECT_LT((slope.transpose() * m - found.u).norm(), 1e-4 * found.u.norm());
}

TEST(InverseStatics, StaysWithinLimits) {
  const Model model = model_of(k_bar);
  InverseStaticsOptions options;
  options.limits = {VectorXd::Constant(1, -5.0), VectorXd::Constant(1, 5.0)};
  const double wanted = 0.8;
  const auto found = inverse_statics(model, {tip_at(model, {-std::sin(wanted), 0, -std::cos(wanted)})}, {},
                                     VectorXd::Zero(1), options);
  EXPECT_FALSE(found.converged);
  EXPECT_NEAR(found.u[0], 5.0, 1e-9);
  EXPECT_EQ(found.active_limits, std::vector<int>{0});
  const double q = found.equilibrium.q[0];
  EXPECT_NEAR(20 * q + 9.81 * std::sin(q), 5.0, 1e-8);
  EXPECT_NEAR(found.residual, 2 * std::sin(0.5 * (wanted - q)), 1e-9);
}

// Inputs that may not change keep what the loads say.
TEST(InverseStatics, ChangesOnlyTheInputsThatItMay) {
  const Model model = model_of(k_finger);
  const double stiffness = 1e5 * std::numbers::pi * 1e-8 / 4 / 0.2;
  StaticLoads loads;
  loads.u = Eigen::Vector2d(0.01, 0.01);
  const double angle = 0.5;
  const Vector3 tip{0.2 * (1 - std::cos(angle)) / angle, 0, 0.2 * std::sin(angle) / angle};
  InverseStaticsOptions options;
  for (const int input : {0, 1}) {
    options.inputs = {input};
    const auto found = inverse_statics(model, {tip_at(model, tip)}, loads, VectorXd::Zero(1), options);
    EXPECT_EQ(found.u[1 - input], 0.01);
    Data data(model);
    const double y_slope = actuation_matrix<double>(model, data, VectorXd::Zero(1))(0, input);
    if (y_slope < 0.0) {  // this one bends it away from there
      EXPECT_FALSE(found.converged);
      continue;
    }
    ASSERT_TRUE(found.converged);
    EXPECT_NEAR(0.008 * (found.u[input] - 0.01), stiffness * angle, 1e-9);
  }
}

TEST(InverseStatics, HoldsALinkageWithALoop) {
  FourBar linkage;
  linkage.type = LoopType::spherical;
  Robot robot = linkage.robot();
  robot.actuators = {Actuator::joint("motor", "crank")};
  const Model model(robot);
  const double angle = 1.2;
  const auto found = inverse_statics(
      model, {FrameTarget::in_direction(model.links()[0].tip, {1, 0, 0}, {std::cos(angle), 0, std::sin(angle)})}, {},
      Eigen::Vector3d(0.9, -0.4, 1.9));
  ASSERT_TRUE(found.converged) << found.residual;
  EXPECT_NEAR(found.equilibrium.q[0], angle, 1e-8);
  // the motor's torque is the slope of the weight's energy along the one motion of the linkage
  Data data(model);
  ConstraintData constraints(model);
  const MatrixXd G = constraint_jacobian<double>(model, data, constraints, found.equilibrium.q);
  const Eigen::FullPivLU<MatrixXd> lu = [&] {
    Eigen::FullPivLU<MatrixXd> made(G);
    made.setThreshold(1e-9);
    return made;
  }();
  const VectorXd motion = lu.kernel().col(0);
  ASSERT_EQ(lu.kernel().cols(), 1);
  const double weight = gravity_force<double>(model, data, found.equilibrium.q).dot(motion);
  EXPECT_NEAR(found.u[0], weight / motion[0], 1e-7);
}

// Along a path each target is found from the last one, in few steps.
TEST(InverseStatics, FollowsAMovingTarget) {
  const Model model = shipped("examples/tendon_arm.yaml");
  Data data(model);
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  loads.u[0] = 2.0;
  const VectorXd q = static_equilibrium(model, data, loads, model.neutral()).q;
  const Vector3 there = tip_of(model, q), home = tip_of(model, model.neutral());
  InverseStatics hold(model, {tip_at(model, there)}, loads);
  ASSERT_TRUE(hold.solve(model.neutral()).converged);
  for (int i = 0; i <= 5; ++i) {
    // on the arc between: where the tip is under part of that input
    StaticLoads part = loads;
    part.u[0] = 2.0 - 0.2 * i;
    const Vector3 goal = tip_of(model, static_equilibrium(model, data, part, model.neutral()).q);
    hold.set_goal(0, {Matrix3::identity(), goal});
    const auto& found = hold.solve_from_last();
    ASSERT_TRUE(found.converged) << i << ": " << found.residual;
    EXPECT_LT(norm(tip_of(model, found.equilibrium.q) - goal), 1e-8);
    EXPECT_LE(found.iterations, 40) << i;
  }
  EXPECT_GT(norm(there - home), 1e-3);
}

// in the search for inputs, in the equilibrium that it begins with, and in others that are tried
TEST(InverseStatics, EndsWithItsHeartbeat) {
  struct Enough {};
  const Model model = shipped("examples/tendon_arm.yaml");
  int beats = 0, most = 1000000;
  InverseStaticsOptions options;
  options.heartbeat = [&] {
    if (++beats > most) throw Enough();
  };
  InverseStatics hold(model, {tip_at(model, {0, 0, 1})}, {}, options);  // out of reach
  const VectorXd nearest = hold.solve(model.neutral()).u;
  const int all = beats;
  EXPECT_GT(all, 20);
  for (most = 1; most < all; most += all / 10) {
    beats = 0;
    EXPECT_THROW(hold.solve(model.neutral()), Enough) << most;
  }
  most = 1000000;
  EXPECT_LT(size_of(hold.solve(model.neutral()).u - nearest), 1e-6 * (1.0 + size_of(nearest)));
}

TEST(InverseStatics, NamesWhatIsWrong) {
  const Model model = model_of(k_bar);
  const auto making = [&](InverseStaticsOptions options, std::vector<FrameTarget> targets) {
    return [&model, targets, options] { InverseStatics made(model, targets, {}, options); };
  };
  const auto says = [](const std::string& text) { return ThrowsMessage<ArgumentError>(HasSubstr(text)); };
  EXPECT_THAT(making({}, {}), says("inverse_statics: targets: found none, expected at least one"));
  const FrameTarget target = tip_at(model, {0, 0, -1});
  InverseStaticsOptions options;
  options.limits = {VectorXd::Zero(2), VectorXd::Zero(2)};
  EXPECT_THAT(making(options, {target}), says("options.limits.lower: found size 2, expected 1 (nu of 'bar')"));
  options.limits = {VectorXd::Ones(1), VectorXd::Zero(1)};
  EXPECT_THAT(making(options, {target}), says("options.limits of motor: found 1 to 0, expected lower <= upper"));
  options = {};
  options.inputs = {1};
  EXPECT_THAT(making(options, {target}), says("options.inputs: found 1, expected numbers of inputs, 0 to 0"));
  InverseStatics hold(model, {target});
  EXPECT_THAT([&] { hold.solve_from_last(); }, says("found no equilibrium yet"));
  EXPECT_THAT([&] { hold.solve(VectorXd::Zero(2)); }, says("inverse_statics: q0: found size 2, expected 1"));
  const Model idle(FourBar{}.robot());
  EXPECT_THAT([&] { InverseStatics made(idle, {tip_at(idle, {0, 0, 1})}); }, says("'four_bar' without actuators"));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
