// Paths of frames as paths of equilibria: a bar in closed form with its derivatives, the order of the splines, a soft
// arm on a circle.
#include "cuttle/algorithms/cartesian_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const char* const k_slider = R"(cuttle: 1
name: slider
links:
- {name: lift, joint: {type: prismatic, axis: [0, 0, 1], stiffness: 50}, body: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.01, 0, 0, 0]}}
- {name: slide, joint: {type: prismatic, axis: [1, 0, 0], stiffness: 30}, body: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.01, 0, 0, 0]}}
actuators: [{name: up, type: joint, link: lift}, {name: along, type: joint, link: slide}]
)";

TEST(CartesianPath, CarriesASliderAlongAPath) {
  const Model model(read_robot_text(k_slider, "robot.yaml"));
  const FramePath path{model.links()[1].tip, {Signal::sine(0.2, 0.5, 0, 0), 0.0, Signal::sine(0.1, 0.5, 1, 0.3)}};
  double before = 0.0;
  for (const int samples : {21, 41, 81}) {
    EquilibriumPathOptions options;
    options.begin = 0.5, options.end = 2.5, options.samples = samples;
    const EquilibriumPath found = equilibrium_path(model, {path}, {}, VectorXd::Zero(2), options);
    ASSERT_TRUE(found.converged && found.stable);
    ASSERT_EQ(found.samples.size(), static_cast<std::size_t>(samples));
    EXPECT_EQ(found.times.front(), 0.5);
    EXPECT_EQ(found.times.back(), 2.5);
    for (std::size_t i = 0; i < found.times.size(); ++i) {
      const double z = path.position[2].at(found.times[i]), x = path.position[0].at(found.times[i]);
      EXPECT_NEAR(found.inputs[0].at(found.times[i]), 50 * z + 3 * 9.81, 1e-7);
      EXPECT_NEAR(found.inputs[1].at(found.times[i]), 30 * x, 1e-7);
      EXPECT_NEAR(found.actuation[0].at(found.times[i]), z, 1e-9);
    }
    // in the middle, away from the natural ends, second order in the second derivative, fourth in the value
    const double error = std::abs(found.configuration[1].derivative(1.52, 2) - path.position[0].derivative(1.52, 2));
    const double value = std::abs(found.configuration[1].at(1.52) - path.position[0].at(1.52));
    EXPECT_LT(value, 2e-4 * std::pow(20.0 / (samples - 1), 4));
    EXPECT_LT(error, 0.05 * std::pow(20.0 / (samples - 1), 2));
    EXPECT_LT(found.deviation, before > 0.0 ? 0.3 * before : 1.0);
    before = found.deviation;
  }
}

// A soft arm draws a circle with three tendons that only pull, each slack on a part of it at most; between the samples
// it stays on it as far as said.
const char* const k_trunk = R"(cuttle: 1
name: trunk
gravity: [0, 0, 0]
materials: {rubber: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}
links:
- {name: rod, body: {type: rod, length: 0.2, material: rubber, section: {shape: circle, radius: 0.01}, quadrature: {points: 4}, strain: pcc}}
actuators:
- {name: a, type: tendon, routing: [{link: rod, offset: [0.008, 0]}]}
- {name: b, type: tendon, routing: [{link: rod, offset: [-0.004, 0.00692820323]}]}
- {name: c, type: tendon, routing: [{link: rod, offset: [-0.004, -0.00692820323]}]}
)";

TEST(CartesianPath, CarriesASoftArmAlongACircle) {
  const Model model(read_robot_text(k_trunk, "robot.yaml"));
  const double radius = 0.02, quarter = 2 * std::atan(1.0);
  const FramePath path{model.links().back().tip,
                       {Signal::sine(radius, 1, 0, 0), Signal::sine(radius, 1, quarter, 0), 0.196}};
  EquilibriumPathOptions options;
  options.samples = 41;
  const EquilibriumPath found = equilibrium_path(model, {path}, {}, VectorXd::Zero(model.nq()), options);
  ASSERT_TRUE(found.converged && found.stable);
  EXPECT_LT(found.deviation, 2e-3 * radius);  // at the natural ends
  for (const InverseStaticsResult& sample : found.samples) {
    EXPECT_LT(sample.residual, 1e-8);
    EXPECT_GE(sample.u.minCoeff(), 0.0);
    EXPECT_GT(sample.u.maxCoeff(), 0.05);
  }
}

// A shallow truss of two bars, pushed through: twice on the way its force has an extremum, and in between it is held
// only by that its apex is not let go.
TEST(CartesianPath, PushesATrussThrough) {
  const Model model(read_robot_text(R"(cuttle: 1
name: truss
gravity: [0, 0, 0]
links: [{name: apex, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 0.1}}]
elements:
- {name: right, type: spring, a: {link: base, pose: {position: [1, 0, -0.4]}}, b: {link: apex}, stiffness: 50}
- {name: left, type: spring, a: {link: base, pose: {position: [-1, 0, -0.4]}}, b: {link: apex}, stiffness: 50}
actuators: [{name: push, type: joint, link: apex}]
)",
                                    "truss.yaml"));
  const FramePath path{model.links()[0].tip, {0.0, 0.0, Signal::ramp(0, 1, 0, -0.9)}};
  EquilibriumPathOptions options;
  options.samples = 31;
  const EquilibriumPath found = equilibrium_path(model, {path}, {}, VectorXd::Zero(1), options);
  ASSERT_TRUE(found.converged);
  EXPECT_FALSE(found.stable);
  const double rest = std::hypot(1.0, 0.4), fold = std::sqrt(std::cbrt(rest * rest) - 1.0);
  for (const InverseStaticsResult& sample : found.samples) {
    const double h = 0.4 + sample.equilibrium.q[0], l = std::hypot(1.0, h);
    EXPECT_NEAR(sample.u[0], -100.0 * (rest - l) * h / l, 1e-8);
    EXPECT_EQ(sample.equilibrium.stable(), std::abs(h) > fold) << h;
  }
}

const char* const k_turning_bar = R"(cuttle: 1
name: bar
gravity: [0, 0, 0]
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2}, body: {type: rigid, mass: 1, tip: {position: [0, 0, -1]}}}
- {name: hand, joint: {type: revolute, axis: [0, 1, 0], stiffness: 1}, body: {type: rigid, mass: 1}}
actuators: [{name: motor, type: joint, link: bar}, {name: wrist, type: joint, link: hand}]
)";

// held and stable at every sample, and yet no motion
TEST(CartesianPath, SaysWhereCoordinatesJump) {
  const Model model(read_robot_text(k_turning_bar, "robot.yaml"));
  const auto along = [](const std::function<double(double)>& angle) {
    std::vector<double> times, x, z;
    for (int i = 0; i <= 2000; ++i) {
      times.push_back(5e-4 * i);
      x.push_back(-std::sin(angle(times.back()))), z.push_back(-std::cos(angle(times.back())));
    }
    return std::array<Signal, 3>{Signal::points(times, x), 0.0, Signal::points(times, z)};
  };
  const auto follow = [&](const std::function<double(double)>& angle) {
    const FramePath path{model.links()[0].tip, along(angle)};
    EquilibriumPathOptions options;
    options.samples = 201;
    return equilibrium_path(model, {path}, {}, VectorXd::Zero(2), options);
  };
  const EquilibriumPath broken = follow([](double t) { return 0.3 * t + (t > 0.5021 ? 0.97 : 0.0); });
  EXPECT_TRUE(broken.converged && broken.stable);
  ASSERT_EQ(broken.jumps.size(), 1U);
  EXPECT_NEAR(broken.jumps[0].begin, 0.5, 1e-12);
  EXPECT_NEAR(broken.jumps[0].end, 0.505, 1e-12);
  EXPECT_EQ(broken.jumps[0].coordinate, 0);
  EXPECT_NEAR(broken.jumps[0].change, 0.97 + 0.3 * 0.005, 1e-5);
  // at the ends, and across a sample that lies within
  EXPECT_EQ(follow([](double t) { return t < 0.003 ? 0.0 : 0.5 + 0.3 * t; }).jumps.size(), 1U);
  EXPECT_EQ(follow([](double t) { return t > 0.998 ? 0.7 : 0.3 * t; }).jumps.size(), 1U);
  EXPECT_EQ(follow([](double t) { return t < 0.5 - 1e-9 ? 0.0 : t < 0.5 + 1e-9 ? 0.4 : 0.8; }).jumps.size(), 2U);
  // fast, but smooth: from rest to rest, and a swing of 20 rad/s
  EXPECT_TRUE(follow([](double t) { return t < 0.4 ? 0.0 : t < 0.6 ? 12.0 * (t - 0.4) : 2.4; }).jumps.empty());
  EXPECT_TRUE(follow([](double t) { return 0.8 * std::sin(25.0 * t); }).jumps.empty());
}

TEST(CartesianPath, CarriesPoses) {
  const Model model(read_robot_text(k_turning_bar, "robot.yaml"));
  // the hand stays upright while the bar swings: its joint turns back, by whatever length of quaternions
  FramePath path{model.links()[1].tip, {Signal::points({0, 1}, {0, 0}), 0.0, 0.0}};
  std::vector<double> times, x, z;
  for (int i = 0; i <= 100; ++i) {
    times.push_back(0.01 * i);
    x.push_back(-std::sin(0.6 * times.back())), z.push_back(-std::cos(0.6 * times.back()));
  }
  path.position = {Signal::spline(times, x), 0.0, Signal::spline(times, z)};
  const double half = 0.5 * 0.3;  // turned by 0.3 rad about y
  path.orientation = {2.0 * std::cos(half), 0.0, 2.0 * std::sin(half), 0.0};
  EquilibriumPathOptions options;
  options.samples = 11;
  const EquilibriumPath found = equilibrium_path(model, {path}, {}, VectorXd::Zero(2), options);
  ASSERT_TRUE(found.converged && found.stable);
  EXPECT_TRUE(found.jumps.empty());
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const double angle = 0.6 * found.times[i], turn = 0.3 - angle;
    EXPECT_NEAR(found.samples[i].equilibrium.q[0], angle, 1e-7);
    EXPECT_NEAR(found.samples[i].equilibrium.q[1], turn, 1e-7);
    EXPECT_NEAR(found.samples[i].u[0], 2.0 * angle, 1e-6);
    EXPECT_NEAR(found.samples[i].u[1], turn, 1e-6);
  }
  path.orientation = {0.0, 0.0, 0.0, 0.0};
  EXPECT_THAT([&] { equilibrium_path(model, {path}, {}, VectorXd::Zero(2), options); },
              ThrowsMessage<ArgumentError>(HasSubstr("found a quaternion of length 0 at 0 s")));
}

TEST(CartesianPath, NamesWhatIsWrong) {
  const Model model(read_robot_text(k_slider, "robot.yaml"));
  const FramePath path{model.links()[1].tip, {0.0, 0.0, 0.3}};
  const auto says = [](const std::string& text) { return ThrowsMessage<ArgumentError>(HasSubstr(text)); };
  const auto call = [&](EquilibriumPathOptions options) {
    return [&, options] { equilibrium_path(model, {path}, {}, VectorXd::Zero(2), options); };
  };
  EXPECT_THAT(call({.samples = 2}), says("equilibrium_path: options.samples: found 2, expected at least 3"));
  EXPECT_THAT(call({.begin = 1.0}), says("options.end: found 1, expected a time after the beginning 1"));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
