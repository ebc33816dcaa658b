// Tendons and chambers: closed forms, the sum of many small forces, what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "algorithms/tendon_robots.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Actuation of a robot with one tendon.
struct Found {
  double rest_length, y;
  VectorXd column;
};
Found found(Robot robot, const std::vector<Routing>& routing, const std::vector<double>& q_values) {
  robot.actuators = {Actuator::tendon("t", routing)};
  const Model model(robot);
  Data data(model);
  const VectorXd q = Eigen::Map<const VectorXd>(q_values.data(), static_cast<Eigen::Index>(q_values.size()));
  return {model.tendons()[0].rest_length, actuation_coordinates(model, data, q)[0],
          actuation_matrix(model, data, q).col(0)};
}

// --- closed forms

TEST(TendonTest, ParallelToABentRodItIsShorterByOffsetTimesAngle) {
  for (const double d : {0.013, -0.008}) {
    const Found f = found(one_rod(0.3, "planar_cc"), {parallel("rod", d, 0.005)}, {0.7});
    EXPECT_NEAR(f.rest_length, 0.3, 1e-15);
    EXPECT_NEAR(f.y, 0.7 * d, 1e-16);  // kappa_y > 0 bends towards +x: l = L - d q
    EXPECT_NEAR(f.column[0], d, 1e-17);
  }
  // kappa_x, kappa_y, sigma_z: l = L + q_sz + y q_kx - x q_ky
  const Found f = found(one_rod(0.3, "pcc"), {parallel("rod", 0.011, -0.006)}, {0.4, -0.5, 0.03});
  EXPECT_NEAR(f.y, -(0.03 - 0.006 * 0.4 + 0.011 * 0.5), 1e-16);
  EXPECT_LT((f.column - Eigen::Vector3d(0.006, 0.011, -1.0)).norm(), 1e-15);
}

TEST(TendonTest, AlongPartOfARodInEitherDirection) {
  Routing entry = parallel("rod", 0.01, 0.0);
  entry.from = 0.05, entry.to = 0.2;
  const Found up = found(one_rod(0.3, "planar_cc"), {entry}, {0.7});
  EXPECT_NEAR(up.rest_length, 0.15, 1e-16);
  EXPECT_NEAR(up.column[0], 0.01 * 0.5, 1e-17);
  std::swap(entry.from, entry.to);
  const Found down = found(one_rod(0.3, "planar_cc"), {entry}, {0.7});
  EXPECT_NEAR(down.rest_length, 0.15, 1e-16);
  EXPECT_NEAR(down.y, up.y, 1e-16);
}

TEST(TendonTest, HelixOnATwistedRod) {
  const double L = 0.3, r = 0.012, twist = 0.9;
  for (const double turns : {1.25, -1.25, 0.3}) {  // the other winding unwinds under the same twist
    const Found f = found(one_rod(L, "kirchhoff"), {helix("rod", r, 0.4, turns)}, {0.0, 0.0, twist});
    const double angle = 2 * std::numbers::pi * turns, before = std::hypot(L, r * angle),
                 after = std::hypot(L, r * (angle + twist));
    EXPECT_NEAR(f.rest_length, before, 1e-15);
    EXPECT_NEAR(f.y, before - after, 1e-15);
    EXPECT_NEAR(f.column[2], -r * r * (angle + twist) / after, 1e-15);
  }
}

TEST(TendonTest, CornersOnAStraightRod) {
  Routing entry = parallel("rod", 0.0, 0.0);
  entry.offset = {{0.0, 0.01}, {0.02, 0.01}, {0.02, -0.02}, {-0.01, 0.0}};
  const Found f = found(one_rod(0.3, "pcc", 3), {entry}, {0.0, 0.0, 0.06});  // the stretch acts on each third
  const auto length = [](double third) {
    return std::hypot(third, 0.02) + std::hypot(third, 0.03) + std::hypot(third, 0.03, 0.02);
  };
  EXPECT_NEAR(f.rest_length, length(0.1), 1e-15);
  EXPECT_NEAR(f.y, length(0.1) - length(0.12), 1e-15);
}

TEST(TendonTest, ThroughTwoRodsAndAPlate) {
  Robot robot = two_rods_and_a_plate();
  const Vector3 eyelet{0.015, 0.004, 0.01};
  const Routing second = helix("rod2", 0.008, 0.2, 0.5);
  const std::vector<Routing> routing{parallel("rod", 0.014, 0.003), points("plate", {eyelet}), second};
  const std::vector<double> q{0.4, -0.6, 0.02, 0.3, -0.2, -0.5, 0.3, 0.01};
  const Found all = found(robot, routing, q);
  // its parts: along the rods alone, and distances between points of the frames
  const Found first_part = found(robot, {routing[0]}, q), last_part = found(robot, {second}, q);
  const Model model(robot);
  Data data(model);
  const auto gaps = [&](const VectorXd& at) {
    const auto& k = forward_kinematics(model, data, at);
    const Vector3 leaves = k.pose(model.tip_frame("rod")).act(Vector3{0.014, 0.003, 0.0});
    const Vector3 eye = k.pose(model.base_frame("plate")).act(eyelet);
    const Vector3 enters =
        k.pose(model.base_frame("rod2")).act(Vector3{0.008 * std::cos(0.2), 0.008 * std::sin(0.2), 0.0});
    return norm(eye - leaves) + norm(enters - eye);
  };
  const VectorXd at = Eigen::Map<const VectorXd>(q.data(), 8), rest = VectorXd::Zero(8);
  EXPECT_NEAR(all.rest_length, first_part.rest_length + last_part.rest_length + gaps(rest), 1e-15);
  EXPECT_NEAR(all.y, first_part.y + last_part.y + gaps(rest) - gaps(at), 1e-15);
  // a unit of tension, by hand: forces at the ends of the gap between rod and plate
  const auto& k = forward_kinematics(model, data, at);
  const Frame tip = model.tip_frame("rod"), plate = model.base_frame("plate");
  const Frame leaves{tip.node, tip.node_frame * Pose{Matrix3::identity(), {0.014, 0.003, 0.0}}};
  const Frame eye{plate.node, plate.node_frame * Pose{Matrix3::identity(), eyelet}};
  const Vector3 gap = k.pose(eye).position - k.pose(leaves).position;
  const Vector3 pull = (1.0 / norm(gap)) * gap;
  const std::vector<ExternalWrench> wrenches{{leaves, {{}, pull}, Axes::world}, {eye, {{}, -pull}, Axes::world}};
  const VectorXd expected = first_part.column + last_part.column + external_force(model, data, at, wrenches);
  EXPECT_LT((all.column - expected).norm(), 1e-15);
}

TEST(TendonTest, BetweenPlacesThatMeetItHasNoDirection) {
  Robot robot;
  RigidParameters body;
  body.mass = 1.0, body.inertia = SymmetricMatrix3::diagonal(1, 1, 1);
  robot.links.push_back(
      {.name = "door", .joint = make_revolute_joint<double>({0, 0, 1}), .body = std::make_shared<RigidBody>(body)});
  // from the frame's corner to the hinge's edge and back to the base: 2 * 0.1 sin(q / 2) and more
  const std::vector<Routing> routing{points("base", {{0.5, 0, 0}, {0.1, 0, 0}}), points("door", {{0.1, 0, 0}})};
  EXPECT_EQ(found(robot, routing, {0.0}).column[0], 0.0);
  for (const double q : {1e-6, -0.8}) {
    const Found f = found(robot, routing, {q});
    EXPECT_NEAR(f.y, -0.2 * std::sin(std::abs(q) / 2), 1e-16);
    EXPECT_NEAR(f.column[0], -std::copysign(0.1 * std::cos(q / 2), q), 1e-9);
  }
}

TEST(ChamberTest, VolumeIsAreaTimesTheLengthOfItsAxis) {
  Robot robot = one_rod(0.3, "pcc");
  robot.actuators = {Actuator::chamber("c", "rod", {0.01, -0.004}, 2e-4)};
  const Model model(robot);
  Data data(model);
  const VectorXd q = Eigen::Vector3d(0.4, -0.5, 0.03);
  EXPECT_NEAR(actuation_coordinates(model, data, VectorXd::Zero(3))[0], 2e-4 * 0.3, 1e-19);
  EXPECT_NEAR(actuation_coordinates(model, data, q)[0], 2e-4 * (0.33 - 0.004 * 0.4 + 0.01 * 0.5), 1e-19);
  EXPECT_LT((actuation_matrix(model, data, q).col(0) - 2e-4 * Eigen::Vector3d(-0.004, -0.01, 1.0)).norm(), 1e-19);
}

// --- virtual work

// A tendon in tension is many short straight pieces, each of which pulls its ends together: forces at the sections of
// the rod, through the Jacobians of their frames. Of the tendon's own formula only the points D are used.
TEST(TendonTest, IsTheLimitOfManySmallForces) {
  const double L = 0.3, r = 0.015, phase = 0.3, turns = -0.8;
  Robot robot = one_rod(L, "pcs", 40);
  robot.links[0].joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0});
  robot.actuators = {Actuator::tendon("t", {points("base", {{0.03, 0.01, -0.05}}), helix("rod", r, phase, turns)})};
  std::vector<double> length_errors, force_errors;
  for (const int pieces : {16, 32, 64}) {
    Robot marked = robot;
    for (int i = 0; i <= pieces; ++i) {
      const double x = static_cast<double>(i) / pieces, angle = phase + 2 * std::numbers::pi * turns * x;
      marked.markers.push_back({"m" + std::to_string(i),
                                {"rod",
                                 PortLocation::section(L * x),
                                 {Matrix3::identity(), {r * std::cos(angle), r * std::sin(angle), 0.0}}}});
    }
    const Model model(marked);
    Data data(model);
    VectorXd q(8);
    q << 0.3, -0.2, 0.5, -0.7, 0.4, 0.02, -0.03, 0.04;
    std::vector<Frame> frames{{0, {Matrix3::identity(), {0.03, 0.01, -0.05}}}};
    for (int i = 0; i <= pieces; ++i) frames.push_back(model.marker_frame("m" + std::to_string(i)));
    const auto length = [&](const VectorXd& at) {
      const auto& k = forward_kinematics(model, data, at);
      double sum = 0.0;
      for (std::size_t i = 1; i < frames.size(); ++i) {
        sum += norm(k.pose(frames[i]).position - k.pose(frames[i - 1]).position);
      }
      return sum;
    };
    const double shorter = length(VectorXd::Zero(8)) - length(q);
    const auto kinematics = forward_kinematics(model, data, q);
    VectorXd force = VectorXd::Zero(8);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const Vector3 piece = kinematics.pose(frames[i]).position - kinematics.pose(frames[i - 1]).position;
      const auto pull = [&](const Frame& frame, const Vector3& f) {
        const Vector3 own = kinematics.pose(frame).rotation.transpose() * f;
        force += frame_jacobian(model, data, q, frame).bottomRows(3).transpose() * Eigen::Vector3d(own.x, own.y, own.z);
      };
      pull(frames[i - 1], (1.0 / norm(piece)) * piece);
      pull(frames[i], (-1.0 / norm(piece)) * piece);
    }
    length_errors.push_back(std::abs(actuation_coordinates(model, data, q)[0] - shorter));
    force_errors.push_back((actuation_matrix(model, data, q).col(0) - force).norm());
  }
  std::cout << "polygon of 64: length off by " << length_errors.back() << " m, force by " << force_errors.back()
            << "\n";
  for (std::size_t i = 1; i < length_errors.size(); ++i) {  // polygons converge with the square of their pieces
    EXPECT_NEAR(length_errors[i - 1] / length_errors[i], 4.0, 0.2);
    EXPECT_NEAR(force_errors[i - 1] / force_errors[i], 4.0, 0.2);
  }
  EXPECT_LT(force_errors.back(), 1e-4);
}

// --- what u < 0 means, and mistakes

TEST(TendonTest, SlackIsAnErrorClippedOrAllowed) {
  Robot robot = one_rod(0.3, "pcc");
  for (const auto& [name, slack] :
       {std::pair("e", Slack::error), std::pair("c", Slack::clip), std::pair("a", Slack::allow)}) {
    robot.actuators.push_back(Actuator::tendon(name, {parallel("rod", 0.01, 0.0)}, slack));
  }
  const Model model(robot);
  VectorXd u = Eigen::Vector3d(0.0, -2.0, -3.0);
  apply_slack<double>(model, u);
  EXPECT_EQ(u, VectorXd(Eigen::Vector3d(0.0, 0.0, -3.0)));
  u[0] = -0.5;
  try {
    apply_slack<double>(model, u);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "actuator 'e': found a tension of -0.5 N, expected >= 0 (or `slack: clip` or `slack: allow`)");
  }
}

std::string mistake(const std::vector<Routing>& routing) {
  Robot robot = two_rods_and_a_plate();
  robot.actuators = {Actuator::tendon("t", routing)};
  try {
    Model model(robot);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(TendonTest, MistakesSayWhere) {
  EXPECT_EQ(mistake({}), "actuator 't': routing: found a tendon of length 0, expected one between different places");
  EXPECT_EQ(mistake({parallel("rood", 0, 0)}),
            "actuator 't': routing[0]: found link 'rood', expected the name of a link");
  EXPECT_EQ(
      mistake({parallel("rod", 0, 0), parallel("plate", 0, 0)}),
      "actuator 't': routing[1]: found no points of 'plate', or more than points, expected points alone (only rods "
      "have offset, from and to)");
  EXPECT_EQ(mistake({points("rod", {{0, 0, 0.1}})}),
            "actuator 't': routing[0].points: found points of 'rod', a rod, expected offset");
  Routing entry = parallel("rod", 0, 0);
  entry.to = 0.31;
  EXPECT_EQ(mistake({entry}), "actuator 't': routing[0].to: found 0.31, expected 0 <= s <= 0.3 [m]");
  entry.to = entry.from = 0.1;
  EXPECT_EQ(mistake({entry}),
            "actuator 't': routing[0].to: found 0.1, the same as from, expected a stretch of some length [m]");
  EXPECT_EQ(mistake({helix("rod", -0.01, 0, 1)}),
            "actuator 't': routing[0].offset.helix.radius: found -0.01, expected a number > 0 [m]");
  Routing nothing;
  nothing.link = "rod";
  EXPECT_EQ(mistake({nothing}),
            "actuator 't': routing[0].offset: found nothing, expected [x, y], a list of them or a helix");
  entry = parallel("rod", std::nan(""), 0);
  EXPECT_EQ(mistake({entry}), "actuator 't': routing[0].offset: found nan, expected a finite number");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
