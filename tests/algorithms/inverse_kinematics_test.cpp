// Inverse kinematics: closed forms of planar arms, round trips on random robots, what least energy means, loops,
// limits, targets out of reach; derivatives of its rows against differences.
#include "cuttle/algorithms/inverse_kinematics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "algorithms/frame_targets.h"
#include "algorithms/sweep.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/spatial/exponential.h"
#include "support/loop_robots.h"
#include "support/paths.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double k_upper = 0.4, k_fore = 0.3;

/// Two bars in the xz plane; positive angles lift.
Robot two_bars() {
  Robot robot;
  robot.name = "two_bars";
  robot.links = {bar("upper", "base", k_upper, {0, -1, 0}), bar("fore", "upper", k_fore, {0, -1, 0})};
  return robot;
}
Vector3 tip_of(const Model& model, const VectorXd& q) {
  Data data(model);
  return forward_kinematics<double>(model, data, q).pose(model.links().back().tip).position;
}
FrameTarget tip_at(const Model& model, const Vector3& position) {
  return FrameTarget::at_position(model.links().back().tip, position);
}
double distance(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff(); }
/// Motions with J dq = 0, by columns.
MatrixXd null_space(const MatrixXd& J) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(J.transpose());
  qr.setThreshold(1e-9);
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(J.cols() - qr.rank());
}

TEST(InverseKinematics, FindsBothElbowsOfATwoBarArm) {
  const Model model(two_bars());
  const double x = 0.35, z = 0.25, square = x * x + z * z;
  const double elbow = std::acos((square - k_upper * k_upper - k_fore * k_fore) / (2 * k_upper * k_fore));
  for (const double sign : {1.0, -1.0}) {
    const VectorXd start = Eigen::Vector2d(0.2, 0.5 * sign);
    const auto found = inverse_kinematics(model, {tip_at(model, {x, 0, z})}, start);
    ASSERT_TRUE(found.converged);
    EXPECT_LT(found.residual, 1e-9);
    EXPECT_EQ(found.starts, 1);
    EXPECT_NEAR(found.q[1], sign * elbow, 1e-8);
    const double shoulder =
        std::atan2(z, x) - std::atan2(k_fore * std::sin(found.q[1]), k_upper + k_fore * std::cos(found.q[1]));
    EXPECT_NEAR(found.q[0], shoulder, 1e-8);
  }
}

// J^T r = 0 where the arm lies straight and the target is on its line: other starts must help
TEST(InverseKinematics, LeavesASingularStart) {
  const Model model(two_bars());
  const auto found = inverse_kinematics(model, {tip_at(model, {0.5, 0, 0})}, VectorXd::Zero(2));
  ASSERT_TRUE(found.converged);
  EXPECT_GT(found.starts, 1);
  EXPECT_NEAR(std::abs(found.q[1]), std::acos((0.25 - 0.16 - 0.09) / 0.24), 1e-8);
}

// The parts of an axis across its target vanish where it points the other way too.
TEST(InverseKinematics, TurnsAnOppositeAxisRound) {
  const Model model(two_bars());
  const Frame tip = tip_at(model, {}).frame;
  const Vector3 along{1, 0, 0}, beside{0, 1, 0};  // the bars turn about y
  const auto round = inverse_kinematics(model, {FrameTarget::in_direction(tip, along, -along)}, VectorXd::Zero(2));
  EXPECT_TRUE(round.converged);
  EXPECT_LT(round.errors[0].angle, 1e-8);
  EXPECT_NEAR(std::cos(round.q.sum()), -1.0, 1e-12);
  const auto never = inverse_kinematics(model, {FrameTarget::in_direction(tip, beside, -beside)}, VectorXd::Zero(2));
  EXPECT_FALSE(never.converged);
  EXPECT_NEAR(never.errors[0].angle, M_PI, 1e-9);
}

TEST(InverseKinematics, SaysHowFarATargetOutOfReachIs) {
  const Model model(two_bars());
  // too far along the arm, inside the hole of radius 0.1 m, and beside the plane in which it moves
  const struct {
    Vector3 position;
    double residual;
  } cases[] = {{{0.6, 0, 0.8}, 0.3}, {{0.03, 0, -0.04}, 0.05}, {{0.3, 0.2, 0.3}, 0.2}};
  for (const auto& [position, residual] : cases) {
    const auto found = inverse_kinematics(model, {tip_at(model, position)}, Eigen::Vector2d(0.3, 0.4));
    EXPECT_FALSE(found.converged);
    EXPECT_NEAR(found.residual, residual, 1e-6);
    EXPECT_NEAR(norm(tip_of(model, found.q) - position), found.residual, 1e-12);
    EXPECT_EQ(found.errors.size(), 1u);
    EXPECT_FALSE(found.least_energy);
  }
}

TEST(InverseKinematics, WeighsTargetsThatExcludeEachOther) {
  const Model model(two_bars());
  FrameTarget elbow = FrameTarget::at_position(model.links()[0].tip, {0.0, 0, k_upper});
  FrameTarget same_elbow = FrameTarget::at_position(model.links()[0].tip, {k_upper, 0, 0.0});
  same_elbow.weight = 3.0;
  const auto found = inverse_kinematics(model, {elbow, same_elbow}, Eigen::Vector2d(0.5, 0.1));
  EXPECT_FALSE(found.converged);
  // of |p(a) - p1|^2 + 9 |p(a) - p2|^2 on a circle: the angle of p1 + 9 p2
  EXPECT_NEAR(found.q[0], std::atan2(1.0, 9.0), 1e-6);
}

TEST(InverseKinematics, KeepsLimitsAndNamesThoseThatHold) {
  const Model model(two_bars());
  InverseKinematicsOptions options;
  options.limits = {Eigen::Vector2d(-1.0, 0.2), Eigen::Vector2d(0.1, 2.5)};
  // with the shoulder at its limit of 0.1 rad the tip still reaches this one, from below alone
  const VectorXd q = Eigen::Vector2d(0.1, 1.1);
  auto found = inverse_kinematics(model, {tip_at(model, tip_of(model, q))}, Eigen::Vector2d(-0.8, 2.0), options);
  ASSERT_TRUE(found.converged);
  EXPECT_LT(distance(found.q, q), 1e-7);
  EXPECT_EQ(found.active_limits, std::vector<int>{0});
  // this one needs the other elbow: nearest with the fore arm as straight as it may be, or the shoulder held
  found = inverse_kinematics(model, {tip_at(model, {0.5, 0, 0.4})}, Eigen::Vector2d(0.0, 0.5), options);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.active_limits, std::vector<int>{0});
  double least = 1e9;
  for (int i = 0; i <= 23000; ++i) {
    least = std::min(least, norm(tip_of(model, Eigen::Vector2d(0.1, 0.2 + 1e-4 * i)) - Vector3{0.5, 0, 0.4}));
  }
  EXPECT_NEAR(found.residual, least, 1e-6);
}

TEST(InverseKinematics, ReadsLimitsOfJoints) {
  Robot robot = two_bars();
  robot.elements = {make_joint_limit<double>("stop", "fore", 0, {-0.5, 0.7, 100.0, 0.0, 0.01})};
  const CoordinateLimits limits = joint_limits(Model(robot));
  EXPECT_TRUE(std::isinf(limits.lower[0]) && std::isinf(limits.upper[0]));
  EXPECT_EQ(limits.lower[1], -0.5);
  EXPECT_EQ(limits.upper[1], 0.7);
}

/// A target of each kind for a frame that is at `pose`, off by a rotation vector and a displacement.
std::vector<FrameTarget> targets_near(const Frame& frame, const Pose& pose, Random& random, double off) {
  const auto vector = [&] { return Vector3{random.uniform(), random.uniform(), random.uniform()}; };
  const Pose goal{pose.rotation * rotation_exponential(off * vector()), pose.position + off * vector()};
  const Vector3 axis = vector();
  return {FrameTarget::at_position(frame, goal.position), FrameTarget::at_pose(frame, goal),
          FrameTarget::in_direction(frame, axis, goal.rotation * axis)};
}

// Rows, their Jacobian and its change: three functions that share no line but the pose.
TEST(InverseKinematics, DerivativesOfItsRowsAreExact) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const Model& model = robot.model;
        Random random(robot.seed + 3);
        const Frame frame = model.links().back().tip;
        const Pose pose = forward_kinematics<double>(model, data, s.q).pose(frame);
        for (const double off : {0.0, 0.02, 0.8}) {
          FrameTargets targets(model, "test", targets_near(frame, pose, random, off), 0.7);
          const auto rows_at = [&](const VectorXd& q) {
            VectorXd rows(targets.row_count());
            targets.rows(forward_kinematics<double>(model, data, q), rows);
            return rows;
          };
          const auto jacobian_at = [&](const VectorXd& q) {
            MatrixXd J(targets.row_count(), model.nv());
            sweep::outward<MotionLevel::pose, false, true, double>(model, data, q.data(), nullptr, nullptr, {});
            sweep::world_poses(model, data);
            targets.jacobian(model, data, J);
            return J;
          };
          const MatrixXd J = jacobian_at(s.q);
          VectorXd d(model.nv());
          for (double& x : d) x = random.uniform();
          const VectorXd slope = derivative([&](double t) { return rows_at(moved(model, s.q, d, t)); }, 1e-3);
          EXPECT_LT(size_of(slope - J * d), 1e-9 * (1.0 + size_of(J) * model.nv())) << "off " << off;
          // generalized force of the wrenches, and the whole of its change where the target is reached
          VectorXd multipliers(targets.row_count());
          for (double& x : multipliers) x = random.uniform();
          std::vector<ExternalWrench> pulls(targets.targets().size());
          targets.wrenches(forward_kinematics<double>(model, data, s.q), multipliers, pulls);
          const VectorXd force = external_force<double>(model, data, s.q, pulls);
          EXPECT_LT(size_of(force - J.transpose() * multipliers), 1e-12 * (1.0 + size_of(J) * model.nv()));
          if (off > 0.0 || robot.name.find("functions") != std::string::npos || model.nv() > 30) continue;
          for (ExternalWrench& pull : pulls) pull.wrench = -1.0 * pull.wrench;
          DerivativeData derivatives(model);
          const VectorXd zero = VectorXd::Zero(model.nv());
          inverse_dynamics_derivatives(model, data, derivatives, s.q, zero, zero, {nullptr, {}, 0.0});
          const MatrixXd alone = derivatives.by_q;
          inverse_dynamics_derivatives(model, data, derivatives, s.q, zero, zero, {nullptr, pulls, 0.0});
          MatrixXd K = derivatives.by_q - alone;
          jacobian_at(s.q);
          targets.add_turning(data.kinematics, multipliers, K);
          const VectorXd change = derivative(
              [&](double t) { return VectorXd(jacobian_at(moved(model, s.q, d, t)).transpose() * multipliers); }, 1e-3);
          EXPECT_LT(size_of(change - K * d), 1e-8 * (1.0 + size_of(K) * model.nv() + size_of(alone)));
        }
      },
      60);
}

// Poses that a robot has, asked of it from nearby.
TEST(InverseKinematics, FindsPosesThatARobotHas) {
  int converged = 0, asked = 0;
  for_every_robot(
      [&](const RobotCase& robot, Data& data, const RandomState& s) {
        if (robot.name.find("functions") != std::string::npos) return;
        const Model& model = robot.model;
        Random random(robot.seed + 5);
        VectorXd d(model.nv());
        for (double& x : d) x = random.uniform();
        const VectorXd q = moved(model, s.q, d, 0.01);
        const auto& kinematics = forward_kinematics<double>(model, data, q);
        std::vector<FrameTarget> targets;
        const LinkInfoT<double>&last = model.links().back(), &middle = model.links()[model.links().size() / 2];
        targets.push_back(FrameTarget::at_pose(last.tip, kinematics.pose(last.tip)));
        targets.push_back(FrameTarget::at_position(middle.tip, kinematics.pose(middle.tip).position));
        targets.push_back(FrameTarget::in_direction(middle.base, {0.3, 0.4, -0.5},
                                                    kinematics.pose(middle.base).rotation * Vector3{0.3, 0.4, -0.5}));
        const auto found = inverse_kinematics(model, targets, s.q);
        ++asked;
        converged += found.converged ? 1 : 0;
        EXPECT_TRUE(found.converged) << found.residual << " after " << found.iterations << ", starts " << found.starts;
        if (!found.converged || !found.least_energy) return;
        // what elasticity pushes is held by the targets: J^T lambda
        MatrixXd J(0, model.nv());
        for (const FrameTarget& target : targets) {
          const MatrixXd its = frame_jacobian<double>(model, data, found.q, target.frame);
          MatrixXd all(J.rows() + 6, model.nv());
          all << J, its;
          J = all;
        }
        const VectorXd push = elastic_force<double>(model, data, found.q);
        const MatrixXd free = null_space(J);
        if (free.cols() == 0) return;
        EXPECT_LT(size_of(free.transpose() * push), 1e-5 * (1e-3 + size_of(push)));
      },
      40);
  EXPECT_GE(asked, 10);
  RecordProperty("converged", converged);
}

const char* const k_soft_arm = R"(cuttle: 1
name: soft_arm
materials: {silicone: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}
links:
- {name: turn, joint: {type: revolute, axis: [0, 0, 1]}}
- name: lower
  body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: constant, kappa_y: constant}}
- name: upper
  body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}
)";

// The least energy among the configurations that reach: no neighbor that reaches has less, from any start.
TEST(InverseKinematics, TakesTheConfigurationOfLeastEnergy) {
  const Model model(read_robot_text(k_soft_arm, "robot.yaml"));
  Data data(model);
  Random random(4);
  const Vector3 position{0.1, 0.06, 0.3};
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 6; ++i) {
    VectorXd start(model.nq());
    for (double& x : start) x = random.uniform(-1.5, 1.5);
    start[model.nq() - 1] *= 0.05;  // stretch
    const auto found = inverse_kinematics(model, {tip_at(model, position)}, start);
    ASSERT_TRUE(found.converged && found.least_energy) << i;
    EXPECT_NEAR(elastic_energy<double>(model, data, found.q), found.elastic_energy, 1e-12 * found.elastic_energy);
    least = std::min(least, found.elastic_energy);
    const MatrixXd free =
        null_space(MatrixXd(frame_jacobian<double>(model, data, found.q, model.links().back().tip).bottomRows(3)));
    ASSERT_EQ(free.cols(), model.nv() - 3);
    const VectorXd push = elastic_force<double>(model, data, found.q);
    EXPECT_LT(size_of(free.transpose() * push), 1e-6 * size_of(push));
    for (int k = 0; k < 10; ++k) {
      VectorXd d(free.cols());
      for (double& x : d) x = random.uniform();
      InverseKinematicsOptions nearest;
      nearest.least_energy = false;
      const VectorXd beside = found.q + 0.05 * (free * d);
      const auto other = inverse_kinematics(model, {tip_at(model, position)}, beside, nearest);
      ASSERT_TRUE(other.converged);
      EXPECT_GT(elastic_energy<double>(model, data, other.q), found.elastic_energy * (1 - 1e-9)) << i;
    }
  }
  // turned towards the target both rods bend in one plane; that nothing bends less was found by 2000 random starts
  EXPECT_NEAR(least, 0.00790835317842, 1e-12);
}

/// An arm that bends, turns its shape and stretches, of a length [m].
Model arm_of_length(double L) {
  const auto rod = [L](const char* name, const char* strain) {
    return fmt::format(
        "- {{name: {}, body: {{type: rod, length: {}, material: silicone, section: {{shape: circle, radius: {}}}, "
        "quadrature: {{points: 6}}, strain: {{{}}}}}}}\n",
        name, 0.5 * L, 0.025 * L, strain);
  };
  return Model(read_robot_text(
      "cuttle: 1\nmaterials: {silicone: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}\nlinks:\n"
      "- {name: turn, joint: {type: revolute, axis: [0, 0, 1]}}\n" +
          rod("lower", "kappa_x: constant, kappa_y: constant") +
          rod("upper", "kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant"),
      "robot.yaml"));
}

// Nothing in the search has a size of its own: from 1 m to 10 um the same steps lead to the same shape.
TEST(InverseKinematics, TakesTheSameStepsForAnArmThatIsScaledAsAWhole) {
  const Vector3 place{0.25, 0.15, 0.75};
  Random random(6);
  int least = 0;
  for (int start = 0; start < 8; ++start) {
    InverseKinematicsResult whole;
    VectorXd shape;
    for (const double L : {1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5}) {
      const Model model = arm_of_length(L);
      if (shape.size() == 0) {
        shape.resize(model.nq());
        for (double& x : shape) x = random.uniform(-1.5, 1.5);
        shape[model.nq() - 1] *= 0.1;  // stretch
      }
      VectorXd unit = VectorXd::Ones(model.nq());
      unit[model.nq() - 1] = L;
      const auto found = inverse_kinematics(model, {tip_at(model, L * place)}, shape.cwiseProduct(unit));
      ASSERT_TRUE(found.converged) << L << ", start " << start;
      EXPECT_LT(found.residual, 1e-9 * L);
      if (L == 1.0) {
        whole = found;
        least += found.least_energy ? 1 : 0;
        continue;
      }
      EXPECT_EQ(found.least_energy, whole.least_energy) << L << ", start " << start;
      EXPECT_EQ(found.iterations, whole.iterations) << L << ", start " << start;
      EXPECT_EQ(found.starts, whole.starts) << L << ", start " << start;
      EXPECT_LT(distance(found.q.cwiseQuotient(unit), whole.q), 1e-7) << L << ", start " << start;
      EXPECT_NEAR(found.elastic_energy, L * L * L * whole.elastic_energy, 1e-9 * found.elastic_energy);
    }
  }
  EXPECT_EQ(least, 8);
}

// A limit on a soft coordinate: least energy within it.
TEST(InverseKinematics, LowersTheEnergyWithinLimits) {
  const Model model(read_robot_text(k_soft_arm, "robot.yaml"));
  const Vector3 position{0.1, 0.0, 0.33};
  const VectorXd start = VectorXd::Constant(model.nq(), 0.1);
  const auto free = inverse_kinematics(model, {tip_at(model, position)}, start);
  ASSERT_TRUE(free.converged && free.least_energy);
  InverseKinematicsOptions options;
  const double inf = std::numeric_limits<double>::infinity();
  options.limits = {VectorXd::Constant(model.nq(), -inf), VectorXd::Constant(model.nq(), inf)};
  // the lower rod's curvatures may be half of what they are
  for (const int i : {1, 2}) {
    options.limits.lower[i] = -0.5 * std::abs(free.q[i]), options.limits.upper[i] = 0.5 * std::abs(free.q[i]);
  }
  const auto held = inverse_kinematics(model, {tip_at(model, position)}, start, options);
  ASSERT_TRUE(held.converged && held.least_energy);
  EXPECT_FALSE(held.active_limits.empty());
  EXPECT_GT(held.elastic_energy, free.elastic_energy);
  for (const int i : {1, 2}) {
    EXPECT_GE(held.q[i], options.limits.lower[i]);
    EXPECT_LE(held.q[i], options.limits.upper[i]);
  }
  // stationary along motions that keep the tip and the coordinates that are held
  Data data(model);
  const MatrixXd J_tip = frame_jacobian<double>(model, data, held.q, model.links().back().tip).bottomRows(3);
  MatrixXd J(3 + static_cast<Eigen::Index>(held.active_limits.size()), model.nv());
  J.setZero();
  J.topRows(3) = J_tip;
  for (std::size_t i = 0; i < held.active_limits.size(); ++i) {
    J(3 + static_cast<Eigen::Index>(i), held.active_limits[i]) = 1.0;
  }
  const VectorXd push = elastic_force<double>(model, data, held.q);
  EXPECT_LT(size_of(null_space(J).transpose() * push), 1e-7 * size_of(push));
}

TEST(InverseKinematics, KeepsLoopsClosed) {
  for (const LoopType type : {LoopType::spherical, LoopType::revolute}) {  // the second with rows that are redundant
    FourBar linkage;
    linkage.type = type;
    const Model model(linkage.robot());
    Data data(model);
    ConstraintData constraints(model);
    const VectorXd start = Eigen::Vector3d(0.9, -0.4, 1.9);
    const double angle = 1.4;
    auto found = inverse_kinematics(
        model, {FrameTarget::in_direction(model.links()[0].tip, {1, 0, 0}, {std::cos(angle), 0, std::sin(angle)})},
        start);
    ASSERT_TRUE(found.converged);
    EXPECT_NEAR(found.q[0], angle, 1e-8);
    EXPECT_LT(size_of(constraint_residual<double>(model, data, constraints, found.q)), 1e-9);
    // out of reach: as near as the loop allows, and the loop is closed
    const Vector3 position{0.3, 0, 0.9};
    found = inverse_kinematics(model, {FrameTarget::at_position(model.links()[2].tip, position)}, start);
    EXPECT_FALSE(found.converged);
    EXPECT_LT(size_of(constraint_residual<double>(model, data, constraints, found.q)), 1e-9);
    const Vector3 pivot{linkage.ground, 0, 0};
    // on the rocker's circle the nearest point, if the linkage gets there
    EXPECT_NEAR(found.residual, norm(position - pivot) - linkage.rocker, 1e-6);
  }
}

TEST(InverseKinematics, FollowsAMovingTargetInFewSteps) {
  const Model model(read_robot_file(test::k_source_dir + "/models/pustina2025/hybrid_arm.yaml"));
  Data data(model);
  VectorXd q = VectorXd::Constant(model.nq(), 0.3);
  const Pose goal = forward_kinematics<double>(model, data, q).pose(model.links().back().tip);
  InverseKinematics follow(model, {FrameTarget::at_pose(model.links().back().tip, goal)});
  q = follow.solve(q).q;
  for (int i = 0; i < 200; ++i) {
    Pose next = goal;
    next.position.x += 0.05 * std::sin(2 * pi * i / 100.0);
    follow.set_goal(0, next);
    const auto& found = follow.solve(q);
    ASSERT_TRUE(found.converged && found.least_energy) << i;
    EXPECT_EQ(found.starts, 1);
    EXPECT_LE(found.iterations, i > 0 ? 8 : 100) << i;
    q = found.q;
    EXPECT_LT(norm(tip_of(model, q) - next.position), 1e-8);
  }
  EXPECT_EQ(follow.solve(q).iterations, 1);  // there already
}

// From far away, the neutral configuration: positions and poses that the robot has anywhere, by the first start.
TEST(InverseKinematics, FindsDistantPosesFromTheNeutralConfiguration) {
  const Model model(read_robot_file(test::k_source_dir + "/models/pustina2025/hybrid_arm.yaml"));
  Data data(model);
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    VectorXd q(model.nq());
    for (int k = 0; k < model.nq(); ++k) {
      q[k] = (model.configuration_info()[k].unit == "m" ? 0.02 : 2.0) * random.uniform();
    }
    const Frame tip = model.links().back().tip;
    const Pose goal = forward_kinematics<double>(model, data, q).pose(tip);
    for (const FrameTarget& target : {FrameTarget::at_position(tip, goal.position), FrameTarget::at_pose(tip, goal)}) {
      const auto found = inverse_kinematics(model, {target}, model.neutral());
      EXPECT_TRUE(found.converged && found.least_energy) << i;
      EXPECT_EQ(found.starts, 1) << i;
      EXPECT_LE(found.elastic_energy, elastic_energy<double>(model, data, q) * (1 + 1e-6) + 1e-12) << i;
    }
  }
}

TEST(InverseKinematics, EndsWithItsHeartbeat) {
  struct Enough {};
  const Model model(two_bars());
  bool enough = false;
  int beats = 0;
  InverseKinematicsOptions options;
  options.heartbeat = [&] {
    if (++beats > 3 && enough) throw Enough();
  };
  const VectorXd start = Eigen::Vector2d(0.2, 0.5);
  InverseKinematics reach(model, {tip_at(model, {0.35, 0, 0.25})}, options);
  const VectorXd expected = reach.solve(start).q;
  EXPECT_GT(beats, 3);
  enough = true, beats = 0;
  EXPECT_THROW(reach.solve(start), Enough);
  enough = false;
  ASSERT_TRUE(reach.solve(start).converged);
  EXPECT_LT(distance(reach.solve(start).q, expected), 1e-8);
}

TEST(InverseKinematics, NamesWhatIsWrong) {
  const Model model(two_bars());
  const auto making = [&](std::vector<FrameTarget> targets, InverseKinematicsOptions options = {}) {
    return [&model, targets, options] { InverseKinematics made(model, targets, options); };
  };
  const auto says = [](const std::string& text) { return ThrowsMessage<ArgumentError>(HasSubstr(text)); };
  EXPECT_THAT(making({}), says("inverse_kinematics: targets: found none, expected at least one"));
  FrameTarget target = tip_at(model, {0.3, 0, 0});
  target.weight = 0.0;
  EXPECT_THAT(making({target}), says("target 0: weight: found 0, expected a number > 0"));
  target.weight = 1.0, target.frame.node = 40, target.name = "hand";
  EXPECT_THAT(making({target}), says("hand: frame: found a frame of another model (node 40)"));
  target = FrameTarget::at_pose(model.links()[1].tip, {});
  target.goal.rotation.row0 = {2, 0, 0};
  EXPECT_THAT(making({target}), says("target 0: found a matrix that is 3 off orthonormal rows"));
  EXPECT_THAT(
      [&] {
        FrameTarget::in_direction(model.links()[1].tip, {0, 0, 0}, {1, 0, 0});
      },
      says("found a vector of length 0"));
  target = tip_at(model, {0.3, 0, 0});
  InverseKinematicsOptions options;
  options.limits = {Eigen::Vector2d(0, 1), Eigen::Vector2d(1, 0)};
  EXPECT_THAT(making({target}, options),
              says("options.limits of fore.joint.q0: found 1 to 0, expected lower <= upper"));
  options.limits = {VectorXd::Zero(3), VectorXd::Zero(3)};
  EXPECT_THAT(making({target}, options), says("options.limits.lower: found size 3, expected 2 (nq of 'two_bars')"));
  options = {};
  options.tolerance = 0.0;
  EXPECT_THAT(making({target}, options), says("options.tolerance: found 0, expected a number > 0"));
  InverseKinematics made(model, {target});
  EXPECT_THAT([&] { made.solve(VectorXd::Zero(3)); }, says("inverse_kinematics: q0: found size 3, expected 2"));
  EXPECT_THAT([&] { made.set_goal(1, {}); }, says("target: found 1, expected the number of one of 1 targets"));
  EXPECT_THAT(
      [&] {
        made.set_direction(0, {1, 0, 0});
      },
      says("target 0: found a target of a position or a pose, expected one of a direction"));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
