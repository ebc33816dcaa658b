// Rest by creeping, and what guards the ways to it: against equilibria in closed form, and walls that a straight way
// crosses or passes by.
#include "algorithms/settling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "algorithms/contact_passage.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_gravity = 9.81, k_radius = 0.02, k_mass = 0.3, k_modulus = 1e6, k_wall = 0.004;

/// A ball on rails along x and z, over the plane z = 0 and beside a wall at x = 0.1 that ends at z = 0.5.
Model ball() {
  return Model(read_robot_text(fmt::format(R"(cuttle: 1
links:
  - {{name: along, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 0.01, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - name: ball
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: {}, inertia: [1e-4, 1e-4, 1e-4, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
obstacles:
  - {{name: ground, shape: plane}}
  - {{name: wall, shape: box, size: [{}, 1, 1], pose: {{position: [0.1, 0, 0]}}}}
contacts: [{{name: touch, a: ball, b: [ground, wall], friction: 0.5, modulus: {}}}]
)",
                                           k_mass, k_radius, k_wall, k_modulus),
                               "r.yaml"));
}

VectorXd at(double x, double z) { return Eigen::Vector2d(x, z); }

TEST(Settling, LetsABallDownToHertzsDepth) {
  const Model model = ball();
  Data data(model);
  const double depth = std::pow(k_mass * k_gravity / (4.0 / 3.0 * k_modulus * std::sqrt(k_radius)), 2.0 / 3.0);
  for (const double height : {0.021, 0.1, 0.4}) {
    StaticLoads loads;
    loads.start = at(0.0, height);
    std::string why;
    VectorXd none;
    const auto found = settle(model, data, loads, {}, at(0.0, height), nullptr, why, none);
    ASSERT_TRUE(found) << why;
    EXPECT_NEAR(found->q[1], k_radius - depth, 1e-8) << height;
    EXPECT_NEAR(found->q[0], 0.0, 1e-8) << height;
  }
}

TEST(ContactPassage, SeesWhatAStraightWayCrosses) {
  const Model model = ball();
  ContactPassage passage(model, 0.0);
  EXPECT_EQ(passage.between(at(0.0, 0.1), at(0.05, 0.3)), "");
  EXPECT_EQ(passage.between(at(0.0, 0.7), at(0.2, 0.7)), "") << "above the wall";
  for (const double far : {0.15, 0.3, 5.0, 40.0}) {
    const std::string through = passage.between(at(0.0, 0.1), at(far, 0.1));
    EXPECT_NE(through.find("'touch': 'ball' passes through 'wall'"), std::string::npos) << far << ": " << through;
  }
  EXPECT_EQ(passage.between(at(0.0, 0.1), at(0.0, -0.05)), "") << "a plane has no other side";
}

TEST(ContactPassage, SaysWhatIsTooDeep) {
  const Model model = ball();
  ContactPassage passage(model, 0.0);
  EXPECT_EQ(passage.at(at(0.0, 0.1)), "");
  EXPECT_EQ(passage.at(at(0.1 - k_wall / 2 - k_radius + 1e-4, 0.1)), "");
  EXPECT_NE(passage.at(at(0.1, 0.1)).find("wall"), std::string::npos);
  EXPECT_NE(passage.between_sides(at(0.1, 0.1)).find("wall"), std::string::npos);
  EXPECT_NE(passage.at(at(0.0, -0.1)).find("ground"), std::string::npos);
  EXPECT_EQ(passage.between_sides(at(0.0, -0.1)), "") << "a plane has no other side";
}

TEST(ContactPassage, MeasuresTurns) {
  const Model model(read_robot_text(R"(cuttle: 1
links:
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
    contact: {shape: sphere, radius: 0.01}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: touch, a: arm, b: ground, modulus: 1e6}]
)",
                                    "r.yaml"));
  ContactPassage passage(model, 0.0);
  for (const double angle : {0.0, 0.3, 1.4, 3.0}) {
    EXPECT_NEAR(passage.turn(VectorXd::Constant(1, 0.2), VectorXd::Constant(1, 0.2 + angle)), angle, 1e-7);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
