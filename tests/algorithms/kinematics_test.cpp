#include "cuttle/algorithms/kinematics.h"

#include <gtest/gtest.h>

#include "cuttle/error.h"
#include "support/random_state.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// The base, the markers, and ends of some links.
std::vector<Frame> frames_of(const RobotCase& robot) {
  std::vector<Frame> frames{robot.model.base_frame()};
  for (std::size_t k = 0; k < robot.plain.markers.size(); ++k) {
    frames.push_back(robot.model.marker_frame("marker_" + std::to_string(k)));
  }
  for (const std::size_t i : {std::size_t{0}, robot.model.links().size() / 2, robot.model.links().size() - 1}) {
    frames.push_back(robot.model.links()[i].base);
    frames.push_back(robot.model.links()[i].tip);
  }
  return frames;
}

/// Twist of a pose that moves, from the derivative of its 4 x 4 matrix.
template <typename PoseAt>
Vector6 twist_of(const PoseAt& pose_at, double h) {
  const Eigen::Matrix4d rate = derivative([&](double t) -> Eigen::Matrix4d { return to_eigen(pose_at(t)); }, h);
  const Eigen::Matrix4d twist = to_eigen(pose_at(0.0).inverse()) * rate;
  Vector6 v;
  v << twist(2, 1), twist(0, 2), twist(1, 0), twist(0, 3), twist(1, 3), twist(2, 3);
  return v;
}

constexpr double k_step = 2e-3;  // 6e-17 / 140 of the seventh derivative, and 1e-13 of rounding

TEST(KinematicsTest, VelocityIsTheDerivativeOfThePose) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    for (const Frame& frame : frames_of(robot)) {
      const Vector6 velocity = to_eigen(forward_kinematics(robot.model, data, s.q, s.v).velocity_of(frame));
      const Vector6 expected = twist_of(
          [&](double t) { return forward_kinematics(robot.model, data, moved(robot.model, s.q, s.v, t)).pose(frame); },
          k_step);
      const Pose pose = forward_kinematics(robot.model, data, s.q).pose(frame);
      EXPECT_LE(size_of(velocity - expected), 1e-10 * (1.0 + size_of(velocity) + size_of(to_eigen(pose.position))));
    }
  });
}

TEST(KinematicsTest, AccelerationIsTheDerivativeOfTheVelocity) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    for (const Frame& frame : frames_of(robot)) {
      const Vector6 acceleration =
          to_eigen(forward_kinematics(robot.model, data, s.q, s.v, s.a).acceleration_of(frame));
      const Vector6 expected = derivative(
          [&](double t) -> Vector6 {
            const VectorXd v = s.v + t * s.a;
            return to_eigen(
                forward_kinematics(robot.model, data, moved(robot.model, s.q, s.v, t), v).velocity_of(frame));
          },
          k_step);
      EXPECT_LE(size_of(acceleration - expected), 1e-10 * (1.0 + size_of(acceleration)));
    }
  });
}

TEST(KinematicsTest, JacobianIsTheDerivativeOfThePoseInEveryCoordinate) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const int n = robot.model.nv();
        const auto frames = frames_of(robot);
        for (const Frame& frame : {frames[1], frames.back()}) {
          const MatrixXd J = frame_jacobian(robot.model, data, s.q, frame);
          ASSERT_EQ(J.rows(), 6);
          ASSERT_EQ(J.cols(), n);
          for (int k = 0; k < n; ++k) {
            const VectorXd unit = VectorXd::Unit(n, k);
            const Vector6 expected = twist_of(
                [&](double t) {
                  return forward_kinematics(robot.model, data, moved(robot.model, s.q, unit, t)).pose(frame);
                },
                k_step);
            ASSERT_LE(size_of(J.col(k) - expected), 1e-10 * (1.0 + size_of(J)))
                << robot.model.velocity_info()[k].name << ", frame at node " << frame.node;
          }
        }
      },
      60);
}

TEST(KinematicsTest, JacobianTimesVelocityIsTheVelocity) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    for (const Frame& frame : frames_of(robot)) {
      const MatrixXd J = frame_jacobian(robot.model, data, s.q, frame);
      const Vector6 velocity = to_eigen(forward_kinematics(robot.model, data, s.q, s.v).velocity_of(frame));
      EXPECT_LE(size_of(J * s.v - velocity), 1000 * k_eps * (1.0 + size_of(J.cwiseAbs() * s.v.cwiseAbs())));
    }
  });
}

// A frame fixed in a node moves as the node does.
TEST(KinematicsTest, FramesInOneNodeMoveTogether) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    Frame frame = robot.model.links().back().tip;
    const auto& kinematics = forward_kinematics(robot.model, data, s.q, s.v, s.a);
    const Pose offset = to_pose({{0.1, -0.2, 0.3}, {0.4, 0.5, -0.6}});
    const Frame moved_frame{frame.node, frame.node_frame * offset};
    EXPECT_LE(size_of(to_eigen(kinematics.pose(moved_frame)) - to_eigen(kinematics.pose(frame) * offset)), 1e-13 * 10);
    EXPECT_LE(size_of(to_eigen(kinematics.velocity_of(moved_frame)) -
                      to_eigen(offset.act_inverse(kinematics.velocity_of(frame)))),
              1e3 * k_eps * (1 + size_of(to_eigen(kinematics.velocity_of(frame)))));
    EXPECT_LE(size_of(to_eigen(kinematics.acceleration_of(moved_frame)) -
                      to_eigen(offset.act_inverse(kinematics.acceleration_of(frame)))),
              1e3 * k_eps * (1 + size_of(to_eigen(kinematics.acceleration_of(frame)))));
  });
}

TEST(KinematicsTest, RefusesLevelsThatWereNotComputed) {
  const RobotCase& robot = *standard_cases()[0];
  Data data(robot.model);
  const auto& kinematics = forward_kinematics(robot.model, data, robot.state.q, robot.state.v, robot.state.a);
  const Frame tip = robot.model.links().back().tip;
  EXPECT_NO_THROW(kinematics.acceleration_of(tip));
  forward_kinematics(robot.model, data, robot.state.q, robot.state.v);
  EXPECT_NO_THROW(kinematics.velocity_of(tip));
  EXPECT_THROW(kinematics.acceleration_of(tip), ArgumentError);
  forward_kinematics(robot.model, data, robot.state.q);
  EXPECT_THROW(kinematics.velocity_of(tip), ArgumentError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
