// The lowest modes, found along the tree, beside all modes by matrices, and beside beams of Euler and Bernoulli.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "algorithms/static_problem.h"
#include "algorithms/tendon_robots.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/elements/spring.h"
#include "cuttle/error.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_young = 4e5, k_density = 1050.0, k_radius = 0.02;  // of plain_rod

/// Straight, where nothing acts.
StaticEquilibrium neutral_of(const Model& model) {
  StaticEquilibrium at;
  at.q = model.neutral();
  return at;
}

/// Rods in a row, `rod0` at the base.
Robot row_of_rods(int count, double length, const std::string& strain = "pcs") {
  Robot robot;
  robot.gravity = {};
  for (int i = 0; i < count; ++i) {
    robot.links.push_back({.name = "rod" + std::to_string(i), .body = plain_rod(length, strain, 4)});
  }
  return robot;
}

/// A tree that hangs, with a spring across it and, if asked, a damper, a loop and a base that floats in springs.
struct Variant {
  const char* name;
  double damping = 0.0;
  bool closed = false, floats = false, follower = false;
};
Robot tree_of_rods(const Variant& variant) {
  Robot robot = row_of_rods(14, 0.1);
  robot.gravity = {0.6, -0.4, 9.0};
  robot.links[8].parent.link = "rod1";
  robot.elements = {make_spring<double>("bungee", {"rod0"}, {"rod6"}, {.stiffness = 40.0, .damping = variant.damping})};
  if (variant.follower) robot.actuators.push_back(Actuator::wrench("jet", {"rod5"}));
  if (variant.closed) {
    Loop loop;
    loop.name = "ball", loop.type = LoopType::spherical;
    loop.a.link = "rod2", loop.b.link = "rod4";
    loop.b.pose.position = {0.0, 0.0, -0.2};
    robot.loops = {loop};
  }
  if (variant.floats) {
    robot.floating_base = true;
    robot.gravity = {};
  }
  return robot;
}

/// Beside all modes by matrices: eigenvalues, and that the shapes are those of one.
void expect_lowest(const Robot& robot, int count, const VectorXd& u = {}) {
  const Model model(robot);
  Data data(model);
  StaticLoads loads;
  loads.u = u;
  const StaticEquilibrium at =
      robot.floating_base ? neutral_of(model) : static_equilibrium(model, data, loads, model.neutral());
  const LinearizedMotion motion = linearized_motion(model, data, loads, at);
  const std::vector<Mode> dense = modes(motion), found = lowest_modes(model, data, loads, at, count);
  ASSERT_TRUE(StaticProblem(model, data, loads, at.q, Stepping::imbalance).has_tree_modes());
  ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
  ASSERT_GT(dense.size(), found.size());
  const double scale = std::abs(dense[std::max<std::size_t>(found.size(), 13) - 1].eigenvalue);  // beyond those at 0
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    const std::complex<double> lambda = found[i].eigenvalue;
    EXPECT_LT(std::abs(lambda - dense[i].eigenvalue), 1e-8 * scale + dense[i].rounding + found[i].rounding);
    EXPECT_LE(found[i].rounding, 1e-6 * scale);
    EXPECT_NEAR(found[i].shape.cwiseAbs().maxCoeff(), 1.0, 1e-14);
    const Eigen::VectorXcd y = motion.motions.transpose() * found[i].shape;
    EXPECT_LT((motion.motions * y - found[i].shape).norm(), 1e-9 * y.norm()) << "opens a loop";
    const Eigen::VectorXcd left = lambda * (lambda * (motion.mass * y) + motion.damping * y) + motion.stiffness * y;
    EXPECT_LT(left.norm(), 1e-8 * motion.stiffness.norm() * y.norm());
  }
}

TEST(TreeModesTest, AreTheFirstOfAllModes) {
  for (const Variant& variant :
       {Variant{"undamped"}, Variant{"damped", 0.3}, Variant{"overdamped", 30.0}, Variant{"closed", 0.0, true},
        Variant{"closed and damped", 0.3, true}, Variant{"floating", 0.0, false, true},
        Variant{"floating and damped", 0.3, false, true}}) {
    SCOPED_TRACE(variant.name);
    for (const int count : {1, 2, 7}) expect_lowest(tree_of_rods(variant), count);
  }
}

// A force that follows its link has no energy: stiffness is not symmetric.
TEST(TreeModesTest, AreTheFirstUnderFollowers) {
  VectorXd u = VectorXd::Constant(6, 0.002);
  u[3] = 0.3;
  expect_lowest(tree_of_rods({.name = "follower", .follower = true}), 5, u);
}

TEST(TreeModesTest, OfManyNodesAreTheFirstOfAll) {
  const TetrahedralMesh mesh = ring_mesh({0.06, 0.06, 0.08}, 2);
  for (const double damping : {0.0, 0.02}) {
    Robot robot;
    const VolumeMaterial material{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = damping};
    robot.links.push_back(
        {.name = "block",
         .body = std::make_shared<NodalVolume>(NodalVolumeParameters{std::make_shared<const TetrahedralMesh>(mesh),
                                                                     1000.0,
                                                                     material,
                                                                     {0.02, 0.02, 0.08},
                                                                     {0.03, 0.02, 0.08},
                                                                     {0.02, 0.03, 0.08}})});
    expect_lowest(robot, 6);
  }
}

// Two modes each, of the two planes of a round rod.
TEST(TreeModesTest, AreThoseOfBeams) {
  const int count = 60;
  const double length = 6.0, pi = std::numbers::pi;
  const double speed = std::sqrt(k_young * k_radius * k_radius / (4.0 * k_density));  // sqrt(EI / (rho A))
  // cos(b) cosh(b) = -1 for one clamped end, 1 for two free ones
  const std::vector<double> clamped = {1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349};
  const std::vector<double> free = {4.7300407449, 7.8532046241, 10.9956078380};
  Robot robot = row_of_rods(count, length / count);
  for (const bool floats : {false, true}) {
    SCOPED_TRACE(floats);
    robot.floating_base = floats;
    const Model model(robot);
    Data data(model);
    const int still = floats ? 6 : 0;
    const std::vector<double>& numbers = floats ? free : clamped;
    const int wanted = still + 2 * static_cast<int>(numbers.size());
    const std::vector<Mode> found = lowest_modes(model, data, {}, neutral_of(model), wanted);
    ASSERT_EQ(static_cast<int>(found.size()), wanted);
    for (int i = 0; i < still; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)].eigenvalue, 0.0) << i;
    for (int i = still; i < wanted; ++i) {
      const double b = numbers[static_cast<std::size_t>((i - still) / 2)] / length, expected = b * b * speed;
      EXPECT_NEAR(2.0 * pi * found[static_cast<std::size_t>(i)].frequency(), expected, 3e-3 * expected) << i;
    }
  }
}

TEST(TreeModesTest, RefuseACountOfNone) {
  const Model model(row_of_rods(3, 0.1));
  Data data(model);
  EXPECT_THROW(lowest_modes(model, data, {}, neutral_of(model), 0), ArgumentError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
