// Stiffness and compliance of equilibria: closed forms of beams, and other equilibria under small wrenches.
#include "cuttle/algorithms/compliance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/spatial/exponential.h"
#include "cuttle/spatial/logarithm.h"
#include "support/epsilon.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A robot at rest.
struct Resting {
  Resting(const Robot& robot, const StaticLoads& acting)
      : model(robot),
        data(model),
        loads(acting),
        found(static_equilibrium(model, data, loads, model.neutral())),
        stiffness(equilibrium_stiffness(model, data, loads, found)) {}

  Matrix6 compliance(const Frame& frame) { return frame_compliance(model, data, found, stiffness, frame); }

  Model model;
  Data data;
  StaticLoads loads;
  StaticEquilibrium found;
  EquilibriumStiffness stiffness;
};

/// A straight rod without gravity, clamped: moments that grow linearly from the tip are in its basis.
Robot cantilever(bool shears, const Pose& clamp) {
  RodParameters p;
  p.length = 0.7;
  p.mass_per_length = Profile(1.0);
  p.rotary_inertia = std::array<Profile, 3>{Profile(1e-3), Profile(1e-3), Profile(2e-3)};
  p.stiffness =
      std::array<Profile, 6>{Profile(2.0), Profile(3.0), Profile(5.0), Profile(70.0), Profile(110.0), Profile(130.0)};
  p.quadrature_points = 4;
  for (const int component : {kappa_x, kappa_y}) {
    p.strain[component] = StrainBasis::of_order(StrainBasis::Kind::legendre, 1);
  }
  for (const int component : {kappa_z, sigma_z}) {
    p.strain[component] = StrainBasis::of_order(StrainBasis::Kind::legendre, 0);
  }
  for (const int component : {sigma_x, sigma_y}) {
    if (shears) p.strain[component] = StrainBasis::of_order(StrainBasis::Kind::legendre, 0);
  }
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  robot.links[0].parent.link = "base";
  robot.links[0].parent.pose = clamp;
  return robot;
}

/// Of its tip, in axes of the clamp: L^3 / 3EI and L / GA, L^2 / 2EI, L / EI, L / GJ, L / EA.
Matrix6 cantilever_compliance(bool shears) {
  const double L = 0.7;
  Matrix6 C = Matrix6::Zero();
  C.diagonal() << L / 2.0, L / 3.0, L / 5.0, L * L * L / (3 * 3.0), L * L * L / (3 * 2.0), L / 130.0;
  if (shears) C(3, 3) += L / 70.0, C(4, 4) += L / 110.0;
  C(1, 3) = C(3, 1) = L * L / (2 * 3.0);   // a force along x turns the tip about y
  C(0, 4) = C(4, 0) = -L * L / (2 * 2.0);  // and one along y backwards about x
  return C;
}

/// A twist or a wrench with its axes turned.
Matrix6 turned(const Matrix3& R) {
  Matrix6 result = Matrix6::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) result(i, k) = result(3 + i, 3 + k) = R(i, k);
  }
  return result;
}

TEST(Compliance, OfACantileverIsThatOfBeamTheoryInWorldAxes) {
  const Pose clamp{rotation_exponential(Vector3{0.4, -1.1, 0.7}), {0.3, -0.2, 0.5}};
  for (const bool shears : {false, true}) {
    Resting rest(cantilever(shears, clamp), {});
    const Matrix6 world_clamp = turned(clamp.rotation);
    const Matrix6 expected = world_clamp * cantilever_compliance(shears) * world_clamp.transpose();
    const Matrix6 C = rest.compliance(rest.model.tip_frame("rod"));
    EXPECT_LT((C - expected).norm(), 1000 * k_eps * expected.norm()) << "shears " << shears << "\n" << C - expected;
    EXPECT_FALSE(rest.stiffness.singular);
    EXPECT_LT(
        (rest.stiffness.stiffness * rest.stiffness.flexibility - MatrixXd::Identity(rest.model.nv(), rest.model.nv()))
            .norm(),
        1000 * k_eps);
  }
}

// A frame that is fixed to the tip, aside and turned: the same displacements and wrenches, moved to its origin.
TEST(Compliance, OfAMarkerIsThatOfTheTipAtAnotherPoint) {
  const Pose clamp{rotation_exponential(Vector3{0.4, -1.1, 0.7}), {0.3, -0.2, 0.5}};
  Robot robot = cantilever(true, clamp);
  const Vector3 aside{0.05, -0.12, 0.2};
  Marker marker;
  marker.name = "probe";
  marker.place.link = "rod";
  marker.place.pose = {rotation_exponential(Vector3{-0.9, 0.3, 0.2}), aside};
  robot.markers = {marker};
  Resting rest(robot, {});
  const Vector3 r = clamp.rotation * aside;
  Matrix6 X = Matrix6::Identity();  // displacement at the probe: d + rotation x r
  X.block<3, 3>(3, 0) << 0, r.z, -r.y, -r.z, 0, r.x, r.y, -r.x, 0;
  const Matrix6 tip = rest.compliance(rest.model.tip_frame("rod"));
  const Matrix6 expected = X * tip * X.transpose();
  EXPECT_LT((rest.compliance(rest.model.marker_frame("probe")) - expected).norm(), 1000 * k_eps * expected.norm());
}

/// Compliance from other equilibria: two central differences of the frame's pose, extrapolated.
/// @param length  by which displacements and forces are measured.
Matrix6 compliance_by_differences(Resting& rest, const Frame& frame, const Matrix6& C, double length) {
  const auto pose_under = [&](int k, double size) {
    StaticLoads loads = rest.loads;
    Wrench wrench;
    wrench[k] = size;
    loads.external.push_back({frame, wrench, Axes::world});
    const StaticEquilibrium found = static_equilibrium(rest.model, rest.data, loads, rest.found.q);
    return forward_kinematics<double>(rest.model, rest.data, found.q).pose(frame);
  };
  Matrix6 result;
  for (int k = 0; k < 6; ++k) {
    const double moves = std::max(C.col(k).head<3>().norm(), C.col(k).tail<3>().norm() / length);
    const double far = std::min(1e-4 / moves, 0.01);
    const auto difference = [&](double size) {
      const Pose plus = pose_under(k, size), minus = pose_under(k, -size);
      const Vector3 turn = rotation_logarithm(plus.rotation * minus.rotation.transpose());
      const Vector3 way = plus.position - minus.position;
      Eigen::Matrix<double, 6, 1> rate;
      rate << turn.x, turn.y, turn.z, way.x, way.y, way.z;
      return Eigen::Matrix<double, 6, 1>(rate / (2.0 * size));
    };
    result.col(k) = (4.0 * difference(0.5 * far) - difference(far)) / 3.0;
  }
  return result;
}

/// A robot at rest by its file, and frames at which it is pushed.
struct RestCase {
  std::string file;
  std::vector<std::pair<std::string, double>> inputs;
  std::vector<std::string> frames;
  bool follows = false;  ///< a wrench that follows the last of these frames
  Overrides settings = {};
};

/// With its round section the arch would hardly resist turning about the line between its ends.
const char* const k_flat_cable = "robot.links.cable.body.section={shape: rectangle, width: 0.004, height: 0.008}";

/// Tendons and a chamber, without and with a wrench that follows; servos; a mechanism of springs; loops of rods; a
/// hyperelastic arm.
const std::vector<RestCase> k_rest_cases{
    {"examples/tendon_arm",
     {{"right", 3.0}, {"coil", 1.0}, {"pocket", 4e4}},
     {"upper.tip", "disk.tip", "lower.base", "lower.tip"}},
    {"examples/tendon_arm", {{"right", 3.0}}, {"lower.tip"}, true},
    {"examples/servo_finger", {{"front", 0.01}, {"turn", 0.2}}, {"finger.tip", "nail.tip"}},
    {"examples/spring_leg", {{"hip", 0.4}}, {"shank.tip", "foot.tip"}},
    {"boyer2023/parallel_robot", {{"motor1", 0.5}, {"motor2", -0.3}}, {"leg1.tip", "leg2.tip"}},
    {"examples/gripped_rod", {}, {"middle"}, false, {k_flat_cable}},
    {"caasenbrood2021/hyperelastic_arm", {}, {"load.tip"}},
};

Resting rest_of(const RestCase& c) {
  const Robot robot = load_robot_file(test::k_source_dir + "/models/" + c.file + ".yaml", c.settings).robot;
  const Model model(robot);
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  for (const auto& [name, value] : c.inputs) {
    for (int i = 0; i < model.nu(); ++i) {
      if (model.input_info()[static_cast<std::size_t>(i)].name == name) loads.u[i] = value;
    }
  }
  if (c.follows) {
    loads.external.push_back(
        {*find_frame(model, c.frames.back()), {{0.002, 0.001, 0.003}, {0.05, -0.08, 0.1}}, Axes::body});
  }
  return {robot, loads};
}

TEST(Compliance, IsHowEquilibriaChangeUnderSmallWrenches) {
  for (const RestCase& c : k_rest_cases) {
    Resting rest = rest_of(c);
    ASSERT_FALSE(rest.stiffness.singular) << c.file;
    for (const std::string& name : c.frames) {
      const Frame frame = *find_frame(rest.model, name);
      const Matrix6 C = rest.compliance(frame);
      const double length = 0.2;
      const Matrix6 expected = compliance_by_differences(rest, frame, C, length);
      Matrix6 size = Matrix6::Identity();  // forces and displacements beside torques and angles
      size.diagonal().tail<3>().setConstant(1.0 / length);
      const Matrix6 scaled = size * C * size, difference = size * (C - expected) * size;
      for (int k = 0; k < 6; ++k) {  // what the steps and Newton's residual over them leave is a tenth of it
        EXPECT_LT(difference.col(k).norm(), 1e-6 * scaled.col(k).norm() + 1e-8 * scaled.norm())
            << c.file << " " << name << " column " << k;
      }
      const double unsymmetric = (scaled - scaled.transpose()).norm() / scaled.norm();
      if (c.follows) {
        EXPECT_GT(unsymmetric, 1e-3) << c.file << ": what follows the body has no energy";
      } else {
        EXPECT_LT(unsymmetric, 1e-10) << c.file << " " << name;  // to what Newton's method leaves
      }
    }
  }
}

// Column k is the change of the force that is zero in equilibrium, along integrate(q, h e_k).
TEST(Compliance, StiffnessIsTheSlopeOfTheForcesAtRest) {
  Resting rest = rest_of(k_rest_cases[0]);
  const Model& model = rest.model;
  const MatrixXd& K = rest.stiffness.stiffness;
  ASSERT_EQ(K.rows(), model.nv());
  const auto force_at = [&](int k, double h) {
    VectorXd q(model.nq());
    integrate<double>(model, rest.found.q, h * VectorXd::Unit(model.nv(), k), q);
    VectorXd force = elastic_force<double>(model, rest.data, q);
    force += gravity_force<double>(model, rest.data, q);
    force -= actuation_force<double>(model, rest.data, q, rest.loads.u);
    return force;
  };
  const double h = 1e-5;
  for (int k = 0; k < model.nv(); ++k) {
    const VectorXd slope = (force_at(k, h) - force_at(k, -h)) / (2.0 * h);
    EXPECT_LT((slope - K.col(k)).norm(), 1e-8 * K.norm()) << model.velocity_info()[static_cast<std::size_t>(k)].name;
  }
  const MatrixXd even = 0.5 * (K + K.transpose());
  const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(even).eigenvalues()[0];
  EXPECT_NEAR(least, rest.found.smallest_stiffness, 1e-9 * std::abs(least));
}

// A spherical joint with springs, bent by a weight aside: coordinates of q and v are not the same.
TEST(Compliance, OfAJointWithAQuaternion) {
  const Robot robot = read_robot_text(R"(cuttle: 1
name: ball
links:
  - name: bar
    joint: {type: spherical, stiffness: 3, rest: [0.8, 0.2, 0.4, -0.4]}
    body: {type: rigid, mass: 0.8, com: [0.2, 0.05, 0.1], inertia: [0.01, 0.02, 0.03, 0, 0, 0], tip: {position: [0.4, 0.1, 0.2]}}
)",
                                      "ball.yaml");
  Resting rest(robot, {});
  const Frame tip = rest.model.tip_frame("bar");
  const Matrix6 C = rest.compliance(tip);
  EXPECT_LT((C - compliance_by_differences(rest, tip, C, 0.4)).norm(), 1e-6 * C.norm());
  EXPECT_LT((C - C.transpose()).norm(), 1e-10 * C.norm());
}

// A closed loop without elasticity that can swing: its only stiffness is gravity's.
TEST(Compliance, OfALinkageUnderItsWeight) {
  Resting rest(FourBar{}.robot(), {});
  ASSERT_EQ(rest.stiffness.motions.cols(), 1);
  const Frame tip = rest.model.tip_frame("coupler");
  const Matrix6 C = rest.compliance(tip);
  EXPECT_LT((C - compliance_by_differences(rest, tip, C, 0.5)).norm(), 1e-6 * C.norm());
  const Matrix6 rocker = rest.compliance(rest.model.tip_frame("rocker"));
  EXPECT_LT((rocker - C).bottomRightCorner(3, 3).norm(), 1e-9 * C.norm()) << "both ends are the same pin";
}

TEST(Compliance, IsRefusedWhereSomethingMovesFreely) {
  RigidParameters rigid;
  rigid.mass = 1.0, rigid.com = {0.1, 0, 0};
  Robot robot;
  robot.name = "swivel";
  Link link;
  link.name = "bar", link.joint = make_revolute_joint<double>({0, 0, 1});
  link.body = std::make_shared<const RigidBody>(rigid);
  robot.links = {link};
  Resting rest(robot, {});
  EXPECT_TRUE(rest.stiffness.singular);
  EXPECT_EQ(rest.stiffness.flexibility.size(), 0);
  EXPECT_EQ(rest.stiffness.stiffness.size(), 1);
  try {
    rest.compliance(rest.model.tip_frame("bar"));
    FAIL();
  } catch (const StaticsError& error) {
    EXPECT_STREQ(error.what(),
                 "frame_compliance: 'swivel': found an equilibrium with a singular stiffness, expected one in which "
                 "nothing moves freely");
  }
}

TEST(Compliance, IsZeroWhereNothingCanMove) {
  RigidParameters rigid;
  rigid.mass = 1.0;
  Robot robot;
  Link link;
  link.name = "block", link.body = std::make_shared<const RigidBody>(rigid);
  robot.links = {link};
  Resting rest(robot, {});
  EXPECT_FALSE(rest.stiffness.singular);
  EXPECT_EQ(rest.compliance(rest.model.tip_frame("block")), Matrix6(Matrix6::Zero()));
}

TEST(Compliance, NamesSizesThatAreWrong) {
  Resting rest = rest_of(k_rest_cases[4]);
  StaticEquilibrium found = rest.found;
  found.multipliers.resize(1);
  try {
    equilibrium_stiffness(rest.model, rest.data, rest.loads, found);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 ("equilibrium_stiffness: equilibrium.multipliers: found size 1, expected " +
                  std::to_string(rest.model.constraint_count()) + " (rows of the loops of 'parallel_robot')")
                     .c_str());
  }
  EquilibriumStiffness of_another;
  EXPECT_THROW(frame_compliance(rest.model, rest.data, rest.found, of_another, rest.model.tip_frame("leg1")),
               ArgumentError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
