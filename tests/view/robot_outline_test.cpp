// What drawings show of volumes and tendons is where the robot has them.
#include "view/robot_outline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/view/svg_plot.h"
#include "simulation/simulation_robots.h"
#include "support/volume_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A rod, a plate, a tube and a block, with a tendon through all of them.
Robot arm_with_volumes() {
  Robot robot;
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.2, 0.02, "pcc", 0.05)});
  robot.links.push_back({.name = "plate", .body = test::rigid_body(0.05, {}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
  robot.links.push_back({.name = "tube", .joint = make_revolute_joint<double>({0, 1, 0}), .body = test::lvp_finger()});
  robot.links.push_back({.name = "block", .body = test::ritz_block()});
  Routing anchor, along, eyelet, tube, block;
  anchor.link = "base", anchor.points = {{0.03, 0, -0.01}};
  along.link = "rod", along.helix = Routing::Helix{0.012, 0.2, 0.6};
  eyelet.link = "plate", eyelet.points = {{0.014, -0.003, 0.004}};
  tube.link = "tube", tube.points = {{0.016, 0.0, 0.02}, {0.016, 0.0, 0.1}, {0.015, 0.002, 0.19}};
  block.link = "block", block.points = {{0.02, 0.01, 0.05}};
  robot.actuators = {Actuator::tendon("t", {anchor, along, eyelet, tube, block})};
  return robot;
}
VectorXd bent() {
  VectorXd q(10);
  q << 0.4, -0.5, 0.01, 0.3, 0.5, 0.7, 0.03, 0.02, 0.03, -0.02;
  return q;
}

TEST(RobotOutlineTest, TendonsAreDrawnAsLongAsTheyAre) {
  const Robot robot = arm_with_volumes();
  const Model model(robot);
  Data data(model);
  RobotOutline outline(robot);
  for (const VectorXd& q : {VectorXd(VectorXd::Zero(10)), bent()}) {
    const auto shape = outline.at(q);
    ASSERT_EQ(shape.tendons.size(), 1u);
    double drawn = 0.0;
    for (std::size_t i = 1; i < shape.tendons[0].size(); ++i) {
      drawn += norm(shape.tendons[0][i] - shape.tendons[0][i - 1]);
    }
    const double length = model.tendons()[0].rest_length - actuation_coordinates(model, data, q)[0];
    EXPECT_NEAR(drawn, length, 1e-3 * length);  // straight pieces along the helix
    EXPECT_LT(drawn, length + 1e-12);
  }
}

TEST(RobotOutlineTest, SurfacesAreClosedAndLieOnTheBody) {
  Robot robot = arm_with_volumes();
  const VolumeSurface box(shape_surface({PointShape::Kind::box, 0.15, 0.03, 0.025}));
  const VolumeSurface tube(shape_surface({PointShape::Kind::cylinder, 0.2, 0.02, 0.02, 0.012}));
  const double ring = 14 * std::sin(M_PI / 14) * (0.02 * 0.02 - 0.012 * 0.012);  // between polygons of 28 corners
  const VolumeSurface solid(shape_surface({PointShape::Kind::cylinder, 0.2, 0.02, 0.02, 0.0}));
  const double disc = 14 * std::sin(M_PI / 14) * 0.02 * 0.02;
  for (const auto& [surface, expected] :
       {std::pair(box, 0.06 * 0.05 * 0.15), std::pair(tube, ring * 0.2), std::pair(solid, disc * 0.2)}) {
    // each edge once in either direction: two faces meet there, and look to the same side
    std::map<std::pair<int, int>, int> edges;
    double volume = 0.0;
    for (const auto& face : surface.faces) {
      const int corners = face[3] < 0 ? 3 : 4;
      for (int k = 0; k < corners; ++k) ++edges[{face[k], face[(k + 1) % corners]}];
      for (int b = 1, c = 2; c < corners; ++b, ++c) {
        volume += dot(surface.points[face[0]], cross(surface.points[face[b]], surface.points[face[c]])) / 6;
      }
    }
    for (const auto& [edge, count] : edges) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
    EXPECT_NEAR(volume, expected, 1e-12 * expected);  // normals point out
    EXPECT_EQ(surface.edges.size(), edges.size() / 2);
  }
  // points of the drawn surface are those of markers there
  const std::size_t corners[] = {0, 17, 60};
  for (const std::size_t k : corners) {
    robot.markers.push_back({"m" + std::to_string(k), {"block", PortLocation::at_point(box.points[k]), {}}});
  }
  const Model model(robot);
  Data data(model);
  RobotOutline outline(robot);
  const auto shape = outline.at(bent());
  ASSERT_EQ(shape.surfaces.size(), 2u);
  const auto& kinematics = forward_kinematics(model, data, bent());
  for (const std::size_t k : corners) {
    const Vector3 marker = kinematics.pose(model.marker_frame("m" + std::to_string(k))).position;
    EXPECT_LT(norm(shape.surfaces[1].points[k] - marker), 1e-15);
  }
}

TEST(RobotOutlineTest, SideViewsShowVolumesAndTendons) {
  Robot robot = arm_with_volumes();
  Sample first;
  first.q = VectorXd::Zero(10), first.v = VectorXd::Zero(10);
  first.tips.resize(4);
  Sample last = first;
  last.q = bent(), last.time = 1.0;
  const std::string svg = svg_plot(robot, {first, last});
  EXPECT_NE(svg.find(">tendons<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  robot.actuators.clear();
  EXPECT_EQ(svg_plot(robot, {first, last}).find(">tendons<"), std::string::npos);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
