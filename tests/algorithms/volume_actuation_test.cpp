// Tendons and loads on soft volumes: closed forms, the sum of many small forces, virtual work, what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "algorithms/tendon_robots.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/distributed_load.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/error.h"
#include "support/random_state.h"
#include "support/robot_cases.h"
#include "support/toy_bodies.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

Robot one_volume(std::shared_ptr<const Body> body) {
  Robot robot;
  robot.links.push_back({.name = "volume", .body = std::move(body)});
  return robot;
}
std::vector<Vector3> along_the_tube(double x, double y, int pieces) {
  std::vector<Vector3> line;
  for (int i = 0; i <= pieces; ++i) line.push_back({x, y, k_tube_length * i / pieces});
  return line;
}
/// A volume between a rod and a plate, both on joints.
Robot mixed_arm() {
  Robot robot = one_rod(0.3, "pcc");
  robot.links[0].joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0});
  robot.links.push_back({.name = "tube", .joint = make_revolute_joint<double>({0, 1, 0}), .body = lvp_tube()});
  RigidParameters plate;
  plate.mass = 0.1, plate.inertia = SymmetricMatrix3::diagonal(1e-4, 2e-4, 3e-4), plate.tip.position = {0.0, 0.0, 0.02};
  robot.links.push_back({.name = "plate", .body = std::make_shared<RigidBody>(plate)});
  robot.links.push_back({.name = "block", .body = ritz_block()});
  return robot;
}

// --- tendons

// Stretched alone, lines along the axis stay so: the tube is longer by e(L), and its points come closer to the axis.
TEST(VolumeTendonTest, AlongAStretchedTube) {
  Robot robot = one_volume(lvp_tube({.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0}}}}}));
  const double d = 0.015, q = 0.03, narrower = 1.0 / std::sqrt(1.0 + q / k_tube_length);
  robot.actuators = {Actuator::tendon("along", {points("volume", along_the_tube(d, 0.0, 3))}),
                     Actuator::tendon("across", {points("volume", {{-d, 0.0, 0.1}, {d, 0.0, 0.1}})})};
  const Model model(robot);
  Data data(model);
  EXPECT_NEAR(model.tendons()[0].rest_length, k_tube_length, 1e-16);
  const VectorXd at = VectorXd::Constant(1, q);
  EXPECT_NEAR(actuation_coordinates(model, data, at)[0], -q, 1e-16);
  EXPECT_NEAR(actuation_coordinates(model, data, at)[1], 2 * d * (1.0 - narrower), 1e-16);
  const MatrixXd A = actuation_matrix(model, data, at);
  EXPECT_NEAR(A(0, 0), -1.0, 1e-15);
  EXPECT_NEAR(A(0, 1), d * std::pow(narrower, 3) / k_tube_length, 1e-15);
}

// A bend of constant curvature turns lines along the axis into circles of radius 1 / kappa - rho d.
TEST(VolumeTendonTest, AlongABentTube) {
  const double q = 0.8, kappa = q / k_tube_length;
  constexpr int k_pieces = 7;
  for (const double d : {0.014, -0.01}) {
    Robot robot = one_volume(lvp_tube({.primitives = {{.type = Type::bend, .y_modes = {{1.0}}}}}));
    robot.actuators = {Actuator::tendon("t", {points("volume", along_the_tube(d, 0.0, k_pieces))})};
    const Model model(robot);
    Data data(model);
    double rho = 1.0;  // rho^2 + 2/3 z rho^3 = 1, z = - kappa d
    for (int i = 0; i < 50; ++i) rho = 1.0 / std::sqrt(1.0 - 2.0 / 3.0 * kappa * d * rho);
    const double length = k_pieces * 2.0 * (1.0 / kappa - rho * d) * std::sin(q / (2 * k_pieces));
    EXPECT_NEAR(actuation_coordinates(model, data, VectorXd::Constant(1, q))[0], k_tube_length - length, 1e-12) << d;
  }
}

// The same tendon, in tension, pulls at each corner towards its neighbors: forces at material points, through the
// Jacobians of ports there, which come from the motion of the points and of their axes.
TEST(VolumeTendonTest, IsTheSumOfTheForcesAtItsCorners) {
  Random random(5);
  const Vector3 eyelet{0.02, 0.01, 0.01}, anchor{0.05, -0.04, -0.02};
  std::vector<Vector3> tube = along_the_tube(0.016, 0.004, 40), block{{0.02, 0.01, 0.02}, {-0.01, 0.02, 0.12}};
  const Robot plain = mixed_arm();
  Robot robot = plain;
  robot.actuators = {Actuator::tendon("t", {points("base", {anchor}), points("tube", tube), points("plate", {eyelet}),
                                            points("block", block), points("tube", {tube[3]})})};
  Robot marked = plain;
  std::vector<std::string> names;
  const auto mark = [&](const std::string& link, const Vector3& x, bool material) {
    names.push_back("m" + std::to_string(names.size()));
    const Pose pose{Matrix3::identity(), x};
    marked.markers.push_back({names.back(), material ? Place{link, PortLocation::at_point(x), {}}
                                                     : Place{link, PortLocation::base(), pose}});
  };
  mark("base", anchor, false);
  for (const Vector3& x : tube) mark("tube", x, true);
  mark("plate", eyelet, false);
  for (const Vector3& x : block) mark("block", x, true);
  mark("tube", tube[3], true);

  const Model model(robot), other(marked);
  Data data(model), other_data(other);
  const RandomState state = random_state(model, random);
  const auto kinematics = forward_kinematics(other, other_data, state.q);
  VectorXd force = VectorXd::Zero(other.nv());
  double length = 0.0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const Frame frames[] = {other.marker_frame(names[i - 1]), other.marker_frame(names[i])};
    const Vector3 piece = kinematics.pose(frames[1]).position - kinematics.pose(frames[0]).position;
    length += norm(piece);
    for (int end = 0; end < 2; ++end) {
      const Vector3 pull = (end == 0 ? 1.0 : -1.0) / norm(piece) * piece;
      const Vector3 own = kinematics.pose(frames[end]).rotation.transpose() * pull;
      force += frame_jacobian(other, other_data, state.q, frames[end]).bottomRows(3).transpose() *
               Eigen::Vector3d(own.x, own.y, own.z);
    }
  }
  EXPECT_NEAR(model.tendons()[0].rest_length - actuation_coordinates(model, data, state.q)[0], length, 1e-14);
  EXPECT_LT((actuation_matrix(model, data, state.q).col(0) - force).norm(), 1e-13 * force.norm());
  EXPECT_GT(force.norm(), 0.1);
}

// A body of a user's own, through each door.
TEST(VolumeTendonTest, RunsThroughBodiesOfAUser) {
  const VectorXd q = Eigen::Vector3d(0.04, 0.5, -0.03);
  VectorXd column;
  double y = 0.0;
  for (const auto& [body, tolerance] :
       {std::pair(std::shared_ptr<const Body>(std::make_shared<PointBody<Blob>>(blob_points())), 0.0),
        std::pair(std::shared_ptr<const Body>(std::make_shared<FunctionBody>(blob_function())), 1e-12)}) {
    Robot robot = one_volume(body);
    robot.actuators = {Actuator::tendon(
        "t", {points("base", {{0.1, 0, 0}}), points("volume", {{0.03, 0.02, 0.1}, {-0.02, 0.01, 0.2}})})};
    const Model model(robot);
    Data data(model);
    if (tolerance == 0.0) {
      y = actuation_coordinates(model, data, q)[0], column = actuation_matrix(model, data, q).col(0);
      EXPECT_GT(column.norm(), 0.1);
    } else {
      EXPECT_NEAR(actuation_coordinates(model, data, q)[0], y, tolerance);
      EXPECT_LT((actuation_matrix(model, data, q).col(0) - column).norm(), 1e-9 * column.norm());
    }
  }
}

TEST(VolumeTendonTest, BodiesWithDerivativesByHandHaveTheirInnerPartsToo) {
  // positions are enough within the body; an end that is tied to something needs a port
  Robot robot = one_volume(std::make_shared<PointBody<BlobByHand>>(blob_points()));
  const std::vector<Vector3> inside{{0.03, 0.02, 0.1}, {-0.02, 0.01, 0.2}};
  robot.actuators = {Actuator::tendon("t", {points("volume", inside)})};
  EXPECT_EQ(Model(robot).tendons()[0].polygons.size(), 1u);
  robot.actuators = {Actuator::tendon("t", {points("base", {{0.1, 0, 0}}), points("volume", inside)})};
  try {
    Model model(robot);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "actuator 't': routing[1].points[0]: found {point: [0.03, 0.02, 0.1]}, expected base or tip: the axes at "
        "a point are columns of df/dx, which this body does not have");
  }
}

TEST(VolumeTendonTest, CornersThatMeetHaveNoDirection) {
  Robot robot = one_volume(ritz_block());
  const Vector3 x{0.01, 0.0, 0.1};
  robot.actuators = {Actuator::tendon("t", {points("volume", {{0.02, 0.01, 0.05}, x, x, {0.0, 0.0, 0.15}})}),
                     Actuator::tendon("s", {points("volume", {{0.02, 0.01, 0.05}, x, {0.0, 0.0, 0.15}})})};
  const Model model(robot);
  Data data(model);
  const VectorXd q = Eigen::Vector3d(0.04, 0.05, -0.03);
  const MatrixXd A = actuation_matrix(model, data, q);
  EXPECT_TRUE(A.allFinite());
  EXPECT_LT((A.col(0) - A.col(1)).norm(), 1e-16);
}

TEST(VolumeTendonTest, MistakesSayWhere) {
  const auto mistake = [](const Routing& entry) -> std::string {
    Robot robot = mixed_arm();
    robot.actuators = {Actuator::tendon("t", {points("base", {{0.1, 0, 0}}), entry})};
    try {
      Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      mistake(parallel("tube", 0.01, 0.0)),
      "actuator 't': routing[1]: found no points of 'tube', or more than points, expected points alone (only rods "
      "have offset, from and to)");
  EXPECT_EQ(mistake(points("tube", {{0.01, std::nan(""), 0.0}})),
            "actuator 't': routing[1].points[1]: found nan, expected a finite number");
}

// --- chambers

// Exact whatever the number of points: radius and area do not depend on z.
TEST(VolumeChamberTest, ASourceInflatesTheBore) {
  Robot robot = one_volume(lvp_tube({.primitives = {{.type = Type::source, .modes = {{1.0}}}}}));
  robot.actuators = {Actuator::chamber("c", "volume", "inner")};
  const Model model(robot);
  EXPECT_EQ(model.input_info()[0].unit, "Pa");
  Data data(model);
  const double L = k_tube_length, rest = std::numbers::pi * k_tube_bore * k_tube_bore * L;
  EXPECT_NEAR(actuation_coordinates(model, data, VectorXd::Zero(1))[0], rest, 1e-14 * rest);
  for (const double c : {-4e-5, 3e-5, 2e-4}) {
    const VectorXd q = VectorXd::Constant(1, c);
    EXPECT_NEAR(actuation_coordinates(model, data, q)[0], rest + std::numbers::pi * c * L, 1e-13 * rest);
    EXPECT_NEAR(actuation_matrix(model, data, q)(0, 0), std::numbers::pi * L, 1e-13);
    EXPECT_NEAR(actuation_force(model, data, q, VectorXd::Constant(1, 2e5))[0], 2e5 * std::numbers::pi * L, 1e-7);
  }
}

// c = q (z / L)^2 and then a stretch e = p (z / L)^2: dV = pi L q / 3, which the stretch does not change.
TEST(VolumeChamberTest, ASourceThatGrowsAlongTheTube) {
  Robot robot = one_volume(lvp_tube({.primitives = {{.type = Type::source, .modes = {{0.0, 0.0, 1.0}}},
                                                    {.type = Type::stretch, .modes = {{0.0, 0.0, 1.0}}}}}));
  robot.actuators = {Actuator::chamber("c", "volume", "inner")};
  const Model model(robot);
  Data data(model);
  const double L = k_tube_length, rest = std::numbers::pi * k_tube_bore * k_tube_bore * L, c = 9e-5;
  for (const double e : {0.0, 0.02}) {
    EXPECT_NEAR(actuation_coordinates(model, data, Eigen::Vector2d(c, e))[0], rest + std::numbers::pi * L * c / 3,
                1e-9 * rest);
    EXPECT_NEAR(actuation_matrix(model, data, Eigen::Vector2d(c, e))(0, 0), std::numbers::pi * L / 3, 1e-9);
    EXPECT_NEAR(actuation_matrix(model, data, Eigen::Vector2d(c, e))(1, 0), 0.0, 1e-9);
  }
}

// Primitives keep the volume of every part, so that of a pocket in full material too; its quadrature sees the rest.
TEST(VolumeChamberTest, PocketsInMaterialKeepTheirVolume) {
  const SectorPocket pocket{0.7, 2.0, 0.018};
  const double rest = 0.5 * pocket.width * pocket.radius * pocket.radius * k_tube_length;
  Robot robot =
      one_volume(lvp_tube({.primitives = {{.type = Type::stretch, .modes = {{0.0, 0.2}, {0.0, 0.0, 0.1}}},
                                          {.type = Type::shear, .modes = {{0.0, 0.0, 0.2}}},
                                          {.type = Type::twist, .modes = {{0.0, 0.5}}},
                                          {.type = Type::bend, .modes = {{0.5}}, .y_modes = {{0.6}, {0.0, 0.4}}}}}));
  robot.actuators = {Actuator::chamber("c", "volume", pocket)};
  const Model model(robot);
  Data data(model);
  Random random(4);
  EXPECT_NEAR(actuation_coordinates(model, data, VectorXd::Zero(model.nq()))[0], rest, 1e-14 * rest);
  for (int i = 0; i < 5; ++i) {
    const RandomState state = random_state(model, random);
    EXPECT_NEAR(actuation_coordinates(model, data, state.q)[0], rest, 1e-5 * rest);
    const double moved = actuation_matrix(model, data, state.q).col(0).cwiseAbs().maxCoeff();
    EXPECT_LT(moved, 1e-4 * rest);
  }
}

TEST(VolumeChamberTest, MistakesSayWhere) {
  const auto mistake = [](const Actuator& actuator) -> std::string {
    Robot robot = mixed_arm();
    robot.links.push_back({.name = "solid", .body = std::make_shared<PointBody<ToyBody>>(toy_points())});
    robot.actuators = {actuator};
    try {
      Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(mistake(Actuator::chamber("c", "tube", "outer")),
            "actuator 'c': surface: found 'outer', expected inner, a group of the body's mesh or a pocket");
  EXPECT_EQ(mistake(Actuator::chamber("c", "tube", {0.0, 0.0}, 1e-4)),
            "actuator 'c': surface: found nothing, expected inner, a group of the body's mesh or a pocket");
  EXPECT_EQ(mistake(Actuator::chamber("c", "solid", "inner")),
            "actuator 'c': surface: found inner of 'solid', which has no bore, expected a cylinder with an "
            "inner_radius > 0");
  EXPECT_EQ(mistake(Actuator::chamber("c", "block", SectorPocket{0.0, 1.0, 0.01})),
            "actuator 'c': surface: found a pocket in 'block', expected a link whose volume is a cylinder");
  EXPECT_EQ(
      mistake(Actuator::chamber("c", "tube", SectorPocket{0.0, 1.0, 0.03})),
      "actuator 'c': surface.pocket.radius: found 0.03, expected 0 < radius <= 0.02 (radius of the cylinder) [m]");
  EXPECT_EQ(mistake(Actuator::chamber("c", "tube", SectorPocket{0.0, 7.0, 0.01})),
            "actuator 'c': surface.pocket.width: found 7, expected a number in (0, 2 pi] [rad]");
  EXPECT_EQ(mistake(Actuator::chamber("c", "rod", "inner")),
            "actuator 'c': surface: found a surface in 'rod', a rod, expected offset and area");
  EXPECT_EQ(mistake(Actuator::chamber("c", "plate", "inner")),
            "actuator 'c': link: found 'plate', expected a link whose body is a rod or a volume");
}

// --- loads

// The power of a force at a material point is force times that point's velocity, whichever axes it is given in.
TEST(VolumeLoadTest, WrenchesAtPointsDoVirtualWork) {
  Random random(8);
  const Vector3 x{0.012, -0.008, 0.13}, f{0.3, -0.7, 0.5};
  for (const Axes axes : {Axes::world, Axes::body}) {
    Robot robot = mixed_arm();
    const Place place{"tube", PortLocation::at_point(x), {}};
    TimedWrench push;
    push.axes = axes;
    for (int i = 0; i < 3; ++i) push.force[i] = f[i];
    robot.loads = {make_wrench_load(place, push)};
    robot.markers = {{"m", place}};
    const Model model(robot);
    Data data(model);
    const RandomState state = random_state(model, random);
    std::vector<ExternalWrench> wrenches(load_wrench_count(model));
    load_wrenches<double>(model, 0.0, wrenches);
    const double power = external_force(model, data, state.q, wrenches).dot(state.v);
    const Frame frame = model.marker_frame("m");
    const auto position = [&](double t) {
      VectorXd moved(model.nq());
      integrate(model, state.q, VectorXd(t * state.v), moved);
      return forward_kinematics(model, data, moved).pose(frame).position;
    };
    const double h = 1e-3;
    const Vector3 velocity =
        (1.0 / (60.0 * h)) * (45.0 * (position(h) - position(-h)) - 9.0 * (position(2 * h) - position(-2 * h)) +
                              (position(3 * h) - position(-3 * h)));
    const Matrix3 R = forward_kinematics(model, data, state.q).pose(frame).rotation;
    const Vector3 world = axes == Axes::world ? f : R * f;
    EXPECT_NEAR(power, dot(world, velocity), 1e-11 * norm(f) * norm(velocity));
    EXPECT_GT(std::abs(power), 1e-3);
  }
}

TEST(VolumeLoadTest, DistributedLoadsAreForRods) {
  Robot robot = mixed_arm();
  robot.loads = {make_distributed_load("tube", {})};
  try {
    Model model(robot);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "loads[0]: link: found 'tube', expected a link whose body is a rod");
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
