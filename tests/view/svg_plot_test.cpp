// The drawing of a simulation: a well-formed document that shows what was simulated where it was.
#include "cuttle/view/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>

#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "simulation/simulation_robots.h"
#include "view/robot_outline.h"
#include "view/svg_canvas.h"
#include "view/svg_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

std::vector<Sample> simulated(const Robot& robot, double duration) {
  const Model model(robot);
  Scenario s;
  s.duration = duration;
  for (const auto& link : robot.links) {
    if (link.name == "arm" && link.joint) s.initial["arm"] = {{0.7}, {}};
  }
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  return memory.samples();
}

TEST(SvgPlotTest, IsWellFormedAndLabeled) {
  for (const Robot& robot : {test::pendulum(), test::mixed_arm(), test::floating_hub(0.05)}) {
    const std::string svg = svg_plot(robot, simulated(robot, 0.5));
    EXPECT_EQ(xml_problem(svg), "") << robot.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << robot.name;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << robot.name;
    for (const char* part : {"time [s]", "kinetic", "gravity", "sum", "tip path", "t = 0.5 s"}) {
      EXPECT_THAT(svg, HasSubstr(part)) << robot.name;
    }
    EXPECT_THAT(svg, HasSubstr(robot.name));
    EXPECT_THAT(svg, HasSubstr(robot.links.back().name + " tip ["));
  }
  EXPECT_THAT(svg_plot(test::mixed_arm(), simulated(test::mixed_arm(), 0.5)), HasSubstr("elastic"));
  EXPECT_EQ(svg_plot(test::pendulum(), simulated(test::pendulum(), 0.5)).find("elastic"), std::string::npos);
}

/// Width and height of the polygons of a gray of obstacles, together [px].
std::array<double, 2> size_of_obstacles(const std::string& svg) {
  const std::string fill = "fill=\"#d9dde2\"", points = "points=\"";
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (std::size_t group = svg.find(fill); group != std::string::npos; group = svg.find(fill, group + 1)) {
    const std::size_t end = svg.find("</g>", group);
    for (std::size_t at = svg.find(points, group); at < end; at = svg.find(points, at + 1)) {
      std::istringstream text(svg.substr(at + points.size(), svg.find('"', at + points.size()) - at - points.size()));
      double x, y;
      for (char comma; text >> x >> comma >> y;) {
        low[0] = std::min(low[0], x), high[0] = std::max(high[0], x);
        low[1] = std::min(low[1], y), high[1] = std::max(high[1], y);
      }
    }
  }
  return {high[0] - low[0], high[1] - low[1]};
}

// A ball as large as the pendulum, beside it, is a whole disc; one ten times as large or far away is none.
TEST(SvgPlotTest, ShowsObstaclesNearTheRobotWhole) {
  const auto with_ball = [](double radius, double x) {
    Robot robot = test::pendulum();
    robot.obstacles.push_back({.name = "ball", .shape = std::make_shared<Sphere>(radius), .pose = {}});
    robot.obstacles.back().pose.position = {x, 0.0, -0.5};
    return svg_plot(robot, simulated(robot, 0.5));
  };
  for (const double x : {-0.8, 0.9}) {
    const auto [width, height] = size_of_obstacles(with_ball(0.4, x));
    EXPECT_GT(width, 50.0) << x;
    EXPECT_NEAR(width, height, 0.05 * height) << x;
  }
  const auto [width, height] = size_of_obstacles(with_ball(10.0, 10.7));
  EXPECT_GT(std::abs(width - height), 0.1 * height);
  EXPECT_LT(size_of_obstacles(with_ball(0.4, 5.0))[0], 0.0);  // beyond the frame
}

// Names of a user may hold anything.
TEST(SvgPlotTest, EscapesNames) {
  Robot robot = test::pendulum();
  robot.name = "a<b> & \"c\"";
  const std::string svg = svg_plot(robot, simulated(robot, 0.1));
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt; &amp; &quot;c&quot;"));
}

// Things that never happen in a long simulation: one sample, nothing that moves, no link.
TEST(SvgPlotTest, DrawsDegenerateRuns) {
  const Robot robot = test::pendulum();
  std::vector<Sample> samples = simulated(robot, 0.1);
  samples.resize(1);
  EXPECT_EQ(xml_problem(svg_plot(robot, samples)), "");
  EXPECT_EQ(svg_plot(robot, samples).find("nan"), std::string::npos);
  Robot still = robot;
  still.links[0].joint = nullptr;
  still.actuators.clear();
  EXPECT_EQ(svg_plot(still, simulated(still, 0.1)).find("nan"), std::string::npos);
  EXPECT_THROW(svg_plot(robot, {}), ArgumentError);
  const TemporaryDirectory directory;
  write_svg_plot(directory.path("a/b/c.svg"), robot, samples);
  EXPECT_GT(std::filesystem::file_size(directory.path("a/b/c.svg")), 1000u);
  EXPECT_THROW(write_svg_plot(directory.write("file", "") + "/x.svg", robot, samples), FileError);
}

// Its arc, not the chord from base to tip.
TEST(RobotOutlineTest, ContinuumJointsAreDrawnAsArcs) {
  Robot robot;
  robot.links.push_back(
      {.name = "joint",
       .body = std::make_shared<ContinuumJoint>(ContinuumJointParameters{.length = 0.3, .mass = 1.0, .radius = 0.05})});
  RobotOutline outline(robot);
  const double bend = 1.2;
  const auto shape = outline.at(Eigen::Vector2d(0.0, bend));  // towards +x, on a circle of radius L / bend
  ASSERT_EQ(shape.strokes.size(), 1u);
  EXPECT_EQ(shape.strokes[0].kind, RobotOutline::Stroke::Kind::rod);
  ASSERT_GT(shape.strokes[0].points.size(), 10u);
  for (const Vector3& p : shape.strokes[0].points) {
    EXPECT_NEAR(std::hypot(p.x - 0.3 / bend, p.z), 0.3 / bend, 1e-14);
  }
  for (const double radius : shape.strokes[0].radii) EXPECT_NEAR(radius, 0.05, 1e-15);
}

TEST(SvgCanvasTest, TicksAreRoundNumbersInsideTheRange) {
  EXPECT_EQ(NiceTicks(0.0, 5.0, 5).values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  const NiceTicks ticks(-0.33, 0.52, 5);
  EXPECT_DOUBLE_EQ(ticks.step, 0.2);
  ASSERT_EQ(ticks.values.size(), 4u);
  EXPECT_NEAR(ticks.values.front(), -0.2, 1e-15);
  EXPECT_EQ(ticks.label(ticks.values[0]), "\u22120.2");
  EXPECT_EQ(ticks.label(ticks.values[1]), "0.0");
  EXPECT_EQ(NiceTicks(0.0, 2e4, 4).label(5000.0), "5000");
}

TEST(SvgCanvasTest, EqualScalesAreEqual) {
  const SvgPanel::Frame frame{10, 20, 300, 200};
  SvgPanel::Range x{-1, 1}, y{0, 4};
  SvgPanel::equalize(frame, x, y);
  EXPECT_DOUBLE_EQ((x.high - x.low) / frame.width, (y.high - y.low) / frame.height);
  EXPECT_LE(y.low, 0.0);
  EXPECT_GE(y.high, 4.0);
  EXPECT_DOUBLE_EQ(x.low + x.high, 0.0);
  SvgCanvas canvas(400, 300);
  const SvgPanel panel(canvas, frame, x, y);
  EXPECT_DOUBLE_EQ(panel.at(x.low, y.high).x, 10);
  EXPECT_DOUBLE_EQ(panel.at(x.low, y.high).y, 20);
  EXPECT_DOUBLE_EQ(panel.at(x.high, y.low).y, 220);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
