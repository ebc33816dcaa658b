#include "cuttle/algorithms/forward_dynamics.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <iostream>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/random_state.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Random wrenches at random frames of the robot, in either axes.
std::vector<ExternalWrench> random_wrenches(const RobotCase& robot, Random& random) {
  std::vector<ExternalWrench> wrenches;
  const auto vector = [&] {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    return Vector3{x, y, z};
  };
  const auto add = [&](const Frame& frame) {
    const Vector3 torque = vector();
    wrenches.push_back({frame, {torque, vector()}, wrenches.size() % 2 == 0 ? Axes::body : Axes::world});
  };
  for (std::size_t k = 0; k < robot.plain.markers.size(); ++k)
    add(robot.model.marker_frame("marker_" + std::to_string(k)));
  add(robot.model.base_frame());
  const auto& links = robot.model.links();
  add(links.back().tip);
  add(links[links.size() / 2].base);
  add(links[links.size() / 2].tip);
  return wrenches;
}

/// Forces that no acceleration was behind; on stiff modes of small inertia they make very large ones.
VectorXd random_force(const Model& model, Random& random) {
  VectorXd tau(model.nv());
  for (int i = 0; i < model.nv(); ++i) tau[i] = random.uniform();
  return tau;
}

// |ID(FD(tau)) - tau| <= 1e-10 (|M| |a| + |bias|), on trees of 1 - 50 links of every kind.
TEST(ForwardDynamicsTest, UndoesInverseDynamics) {
  double worst = 0.0;
  for_every_robot([&](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    const MatrixXd M = mass_matrix(model, data, s.q);
    const VectorXd bias = inverse_dynamics(model, data, s.q, s.v, VectorXd::Zero(model.nv()));
    Random random(robot.seed + 31);
    // forces of a moderate acceleration, which make the bound sharp, and any forces
    for (const VectorXd& tau : {VectorXd(bias + M * s.a), random_force(model, random)}) {
      const VectorXd a = forward_dynamics(model, data, s.q, s.v, tau);
      ASSERT_TRUE(a.allFinite());
      const VectorXd force = inverse_dynamics(model, data, s.q, s.v, a);
      const double scale = M.norm() * a.norm() + bias.norm();
      EXPECT_LE((force - tau).norm(), 1e-10 * scale);
      worst = std::max(worst, (force - tau).norm() / scale);
    }
  });
  std::cout << "largest |ID(FD(tau)) - tau| / (|M| |a| + |bias|): " << worst << '\n';
}

TEST(ForwardDynamicsTest, InverseDynamicsOfAnAccelerationGivesItBack) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const Model& model = robot.model;
        const VectorXd tau = inverse_dynamics(model, data, s.q, s.v, s.a);
        const VectorXd a = forward_dynamics(model, data, s.q, s.v, tau);
        const MatrixXd M = mass_matrix(model, data, s.q);
        const VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
        // backward error of some hundred eps of the force, amplified by the smallest inertia
        const double tolerance = 1e4 * k_eps * (M.norm() * s.a.norm() + tau.norm()) / eigenvalues[0];
        EXPECT_LE((a - s.a).norm(), tolerance);
      },
      100);
}

TEST(ForwardDynamicsTest, AgreesWithTheDenseRoute) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    Random random(robot.seed + 33);
    const auto wrenches = random_wrenches(robot, random);
    const VectorXd external = external_force(model, data, s.q, wrenches);
    const VectorXd tau = inverse_dynamics(model, data, s.q, s.v, s.a) - external;
    const VectorXd a = forward_dynamics(model, data, s.q, s.v, tau, wrenches);
    const VectorXd dense = forward_dynamics_dense(model, data, s.q, s.v, tau, wrenches);
    const MatrixXd M = mass_matrix(model, data, s.q);
    const VectorXd bias = inverse_dynamics(model, data, s.q, s.v, VectorXd::Zero(model.nv()));
    // where M is ill conditioned the accelerations may differ, but not the forces
    EXPECT_LE((M * (a - dense)).norm(), 1e-10 * (M.norm() * a.norm() + bias.norm()));
  });
}

TEST(ForwardDynamicsTest, ExternalWrenchesActAsTheirGeneralizedForce) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    Random random(robot.seed + 35);
    const auto wrenches = random_wrenches(robot, random);
    const VectorXd external = external_force(model, data, s.q, wrenches);
    const VectorXd tau = inverse_dynamics(model, data, s.q, s.v, s.a) - external;
    const VectorXd a = forward_dynamics(model, data, s.q, s.v, tau, wrenches);
    const VectorXd force = inverse_dynamics(model, data, s.q, s.v, a);
    const VectorXd bias = inverse_dynamics(model, data, s.q, s.v, VectorXd::Zero(model.nv()));
    const double scale = mass_matrix(model, data, s.q).norm() * a.norm() + bias.norm() + external.norm();
    EXPECT_LE((force - external - tau).norm(), 1e-10 * scale);
  });
}

// The tip of a rod at which nothing else hangs.
TEST(ForwardDynamicsTest, WrenchAtTheBareTipOfARodActs) {
  PlainRobot plain;
  PlainLink rod;
  rod.name = "rod";
  rod.rod.emplace();
  rod.rod->length = 0.3, rod.rod->shorthand = "planar_cc", rod.rod->density = 1000.0, rod.rod->young_modulus = 1e5;
  rod.rod->section.lengths["radius"] = {0.02};
  plain.links = {rod};
  const Model model(to_robot(plain));
  Data data(model);
  const VectorXd q = VectorXd::Constant(1, 0.4), v = VectorXd::Constant(1, 0.3), zero = VectorXd::Zero(1);
  const std::vector<ExternalWrench> push{{model.tip_frame("rod"), {{0.0, 0.7, 0.0}, {}}, Axes::body}};
  const double without = forward_dynamics(model, data, q, v, zero)[0];
  const double with = forward_dynamics(model, data, q, v, zero, push)[0];
  // the tip turns by q: a torque of 0.7 N m about its y axis is a generalized force of 0.7
  EXPECT_NEAR((with - without) * mass_matrix(model, data, q)(0, 0), 0.7, 1e-12);
}

// external_force = sum J^T w, with wrenches in world axes turned into the frame's.
TEST(ForwardDynamicsTest, ExternalForceIsTheTransposedJacobian) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    Random random(robot.seed + 37);
    const auto wrenches = random_wrenches(robot, random);
    VectorXd expected = VectorXd::Zero(model.nv());
    double scale = 1.0;
    for (const ExternalWrench& w : wrenches) {
      const Pose pose = forward_kinematics(model, data, s.q).pose(w.frame);
      const Wrench in_frame = w.axes == Axes::body ? w.wrench
                                                   : Wrench{pose.rotation.transpose_times(w.wrench.torque),
                                                            pose.rotation.transpose_times(w.wrench.force)};
      const MatrixXd J = frame_jacobian(model, data, s.q, w.frame);
      expected += J.transpose() * to_eigen(in_frame);
      scale += size_of(J);
    }
    EXPECT_LE(size_of(external_force(model, data, s.q, wrenches) - expected), 1000 * k_eps * scale);
  });
}

TEST(ForwardDynamicsTest, InverseDynamicsTakesWrenchesInItsSweep) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    Random random(robot.seed + 41);
    const auto wrenches = random_wrenches(robot, random);
    const VectorXd external = external_force(model, data, s.q, wrenches);
    const VectorXd without = inverse_dynamics(model, data, s.q, s.v, s.a);
    const VectorXd with = inverse_dynamics(model, data, s.q, s.v, s.a, wrenches);
    EXPECT_LE(size_of(with - (without - external)), 1e-11 * (size_of(without) + size_of(external) + 1.0));
    EXPECT_GT(size_of(with - without), 0.0);
  });
}

TEST(ForwardDynamicsTest, ResultsDoNotDependOnEarlierCalls) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const Model& model = robot.model;
        Random random(robot.seed + 39);
        const RandomState other = random_state(model, random);
        const VectorXd tau = random_force(model, random);
        const auto wrenches = random_wrenches(robot, random);
        const VectorXd first = forward_dynamics(model, data, s.q, s.v, tau, wrenches);
        forward_dynamics(model, data, other.q, other.v, -tau);
        mass_inverse_dynamics(model, data, other.q, other.v, other.a);
        EXPECT_EQ(size_of(forward_dynamics(model, data, s.q, s.v, tau, wrenches) - first), 0.0);
        const VectorXd force = external_force(model, data, s.q, wrenches);
        const VectorXd dense = forward_dynamics_dense(model, data, s.q, s.v, tau, wrenches);
        forward_dynamics_dense(model, data, other.q, other.v, tau);
        external_force(model, data, other.q, wrenches);
        EXPECT_EQ(size_of(forward_dynamics_dense(model, data, s.q, s.v, tau, wrenches) - dense), 0.0);
        EXPECT_EQ(size_of(external_force(model, data, s.q, wrenches) - force), 0.0);
        Data fresh(model);
        EXPECT_EQ(size_of(forward_dynamics(model, fresh, s.q, s.v, tau, wrenches) - first), 0.0);
      },
      150);
}

// A massless end of a chain that can move makes M singular: the error names the link.
TEST(ForwardDynamicsTest, NamesTheLinkThatMovesNoMass) {
  for (const char* type : {"revolute", "prismatic", "universal", "spherical", "planar"}) {
    PlainRobot plain;
    Random random(3);
    PlainLink arm, stub;
    arm.name = "arm", arm.joint.type = "revolute", arm.rigid = random_rigid(random);
    stub.name = "stub", stub.parent.link = 0, stub.joint.type = type;
    plain.links = {arm, stub};
    const Model model(to_robot(plain));
    Data data(model);
    const RandomState s = random_state(model, random);
    for (const bool dense : {false, true}) {
      try {
        if (dense) {
          forward_dynamics_dense(model, data, s.q, s.v, s.a);
        } else {
          forward_dynamics(model, data, s.q, s.v, s.a);
        }
        ADD_FAILURE() << "no error for a massless " << type << (dense ? " (dense)" : "");
      } catch (const SingularMassError& error) {
        EXPECT_NE(std::string(error.what()).find("stub"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(ForwardDynamicsTest, RefusesWrongArguments) {
  const RobotCase& robot = *standard_cases()[0];
  Data data(robot.model);
  const RandomState& s = robot.state;
  VectorXd bad = s.a;
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  for (int route = 0; route < 2; ++route) {
    const auto call = [&](const VectorXd& v, const VectorXd& tau) -> std::string {
      try {
        if (route == 0) {
          forward_dynamics(robot.model, data, s.q, v, tau);
        } else {
          forward_dynamics_dense(robot.model, data, s.q, v, tau);
        }
      } catch (const ArgumentError& error) {
        return error.what();
      }
      return "no error";
    };
    const std::string prefix = route == 0 ? "forward_dynamics: " : "forward_dynamics_dense: ";
    const std::string nan = call(s.v, bad), size = call(VectorXd::Zero(robot.model.nv() + 2), s.a);
    EXPECT_EQ(nan.rfind(prefix + "tau", 0), 0u) << nan;
    EXPECT_EQ(size.rfind(prefix + "v: found size", 0), 0u) << size;
  }
  const std::vector<ExternalWrench> nan{{robot.model.links().back().tip, {{0.0, bad[0], 0.0}, {}}, Axes::body}};
  EXPECT_THROW(forward_dynamics(robot.model, data, s.q, s.v, s.a, nan), ArgumentError);
  EXPECT_THROW(external_force(robot.model, data, s.q, nan), ArgumentError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
