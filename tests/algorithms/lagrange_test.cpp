// The recursive algorithms against the dense Euler-Lagrange route of support/lagrange_reference.h, which shares no code
// with the library. The reference has 19 digits; the tolerance is that of the library's double: some hundred roundings
// of the largest term.

#include <gtest/gtest.h>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "support/lagrange_reference.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_tolerance = 1e-11;

VectorXl wide(const VectorXd& x) { return x.cast<long double>(); }
/// Largest difference relative to `scale`; a NaN fails every comparison with it.
double difference(const MatrixXd& found, const MatrixXl& expected, double scale) {
  if (found.size() == 0) return 0.0;
  const double worst = (found - expected.cast<double>()).cwiseAbs().maxCoeff();
  return found.allFinite() ? worst / scale : std::numeric_limits<double>::infinity();
}

void expect_lagrange(const PlainRobot& plain, unsigned seed) {
  const Model model(to_robot(plain));
  Data data(model);
  const LagrangeReference reference(plain);
  ASSERT_EQ(model.nq(), reference.nq());
  ASSERT_EQ(model.nv(), reference.nv());
  if (model.nv() == 0) return;
  Random random(seed + 1000);
  RandomState state = random_state(model, random, 2.0);
  // springs beyond are those of joint_spring_test
  while (reference.has_spring_near_half_turn(wide(state.q))) state = random_state(model, random, 2.0);
  const VectorXl q = wide(state.q), v = wide(state.v), a = wide(state.a);

  const MatrixXl M = reference.mass_matrix(q);
  const VectorXl c = reference.coriolis_force(q, v), g = reference.gravity_force(q), e = reference.elastic_force(q),
                 d = reference.damping_force(q, v);
  const auto size = [](const MatrixXl& x) { return static_cast<double>(x.cwiseAbs().maxCoeff()); };
  const double M_size = size(M), Ma_size = size(M.cwiseAbs() * a.cwiseAbs());
  const double Mvv_size = size((M.cwiseAbs() * v.cwiseAbs())) * size(v);
  const double c_size = size(c) + Mvv_size;

  EXPECT_LE(difference(mass_matrix(model, data, state.q), M, M_size), k_tolerance);
  EXPECT_LE(difference(coriolis_force(model, data, state.q, state.v), c, c_size), k_tolerance);
  EXPECT_LE(difference(gravity_force(model, data, state.q), g, size(g) + 1e-3), k_tolerance);
  EXPECT_LE(difference(elastic_force(model, data, state.q), e, size(e) + 1e-3), k_tolerance);
  EXPECT_LE(difference(damping_force(model, data, state.q, state.v), d, size(d) + 1e-3), k_tolerance);
  EXPECT_LE(difference(inertial_inverse_dynamics(model, data, state.q, state.v, state.a), M * a + c, Ma_size + c_size),
            k_tolerance);
  EXPECT_LE(difference(inverse_dynamics(model, data, state.q, state.v, state.a), M * a + c + g + e + d,
                       Ma_size + c_size + size(g) + size(e) + size(d)),
            k_tolerance);

  const auto near = [](double found, long double expected, double scale) {
    EXPECT_NEAR(found, static_cast<double>(expected), k_tolerance * (std::abs(static_cast<double>(expected)) + scale));
  };
  near(kinetic_energy(model, data, state.q, state.v), reference.kinetic_energy(q, v), 0.0);
  near(gravity_energy(model, data, state.q), reference.gravity_energy(q), 10.0);  // parts of some J cancel
  near(elastic_energy(model, data, state.q), reference.elastic_energy(q), 0.0);

  const auto& kinematics = forward_kinematics(model, data, state.q);
  for (std::size_t k = 0; k < plain.markers.size(); ++k) {
    const Pose pose = kinematics.pose(model.marker_frame("marker_" + std::to_string(k)));
    const Matrix4l expected = reference.pose(q, plain.markers[k]);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(pose.position[i], static_cast<double>(expected(i, 3)), k_tolerance * 10) << "marker " << k;
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(pose.rotation(i, j), static_cast<double>(expected(i, j)), k_tolerance * 10) << "marker " << k;
      }
    }
  }
  for (std::size_t i = 0; i < plain.links.size(); ++i) {
    const Matrix4l expected = reference.base_pose(q, static_cast<int>(i));
    const Pose pose = kinematics.pose(model.base_frame(plain.links[i].name));
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(pose.position[k], static_cast<double>(expected(k, 3)), k_tolerance * 10) << "link " << i;
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(pose.rotation(k, j), static_cast<double>(expected(k, j)), k_tolerance * 10) << "link " << i;
      }
    }
  }
}

TEST(LagrangeTest, RigidChainsWithVectorJoints) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomRobotOptions options;
    options.rods = false, options.quaternion_joints = false, options.chain = true;
    options.min_links = 4, options.max_links = 10;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lagrange(random_robot(seed, options), seed);
  }
}

TEST(LagrangeTest, RigidTreesWithEveryJoint) {
  for (unsigned seed = 21; seed <= 32; ++seed) {
    RandomRobotOptions options;
    options.rods = false;
    options.floating = seed % 2 == 0;
    options.min_links = 4, options.max_links = 12;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lagrange(random_robot(seed, options), seed);
  }
}

TEST(LagrangeTest, SingleRodsOfEveryBasisAndSection) {
  unsigned seed = 41;
  for (const std::string& basis : all_bases()) {
    for (const std::string& shape : all_shapes()) {
      Random random(seed);
      RandomRodOptions options;
      options.max_sections = 4;
      PlainRobot robot;
      robot.gravity = {1.7, -2.3, -9.1};
      robot.base = random_pose(random);
      PlainLink link;
      link.name = "rod";
      link.rod = random_rod(random, options, basis, shape);
      robot.links.push_back(link);
      PlainPlace marker{0, "s", link.rod->length * random.uniform(0.0, 1.0), random_pose(random)};
      robot.markers.push_back(marker);
      for (const auto& component : link.rod->strain) {
        if (!component || component->breaks.empty()) continue;
        marker.s = component->breaks[0];  // a stop of the pose
        robot.markers.push_back(marker);
      }
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + basis + ", " + shape);
      expect_lagrange(robot, seed);
      ++seed;
    }
  }
}

TEST(LagrangeTest, SingleRodsOfEveryShorthand) {
  unsigned seed = 141;
  for (const std::string& shorthand : all_shorthands()) {
    for (int k = 0; k < 4; ++k) {
      Random random(seed);
      PlainRobot robot;
      PlainLink link;
      link.name = "rod";
      do {
        link.rod = random_rod(random, {});
      } while (link.rod->shorthand != shorthand);
      robot.links.push_back(link);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + shorthand);
      expect_lagrange(robot, seed);
      ++seed;
    }
  }
}

// A law replaces the linear terms of its own components, also when it stands alone.
TEST(LagrangeTest, RodsWithOneHyperelasticLaw) {
  for (const char* shorthand : {"pcc", "planar_cc", "pcs", "kirchhoff"}) {
    for (const bool stretch : {false, true}) {
      PlainRobot robot;
      PlainLink link;
      link.name = "rod";
      link.rod.emplace();
      link.rod->length = 0.3, link.rod->shorthand = shorthand, link.rod->sections = 4;
      link.rod->section.lengths["radius"] = {0.02, 0.015};
      link.rod->density = 1050.0, link.rod->young_modulus = 3e5, link.rod->damping_time = 0.07;
      (stretch ? link.rod->hyperelastic_stretch : link.rod->hyperelastic_bend) = PlainLaw{{0.3, 0.12, 0.05}, {}};
      robot.links.push_back(link);
      SCOPED_TRACE(std::string(shorthand) + (stretch ? ", stretch" : ", bend"));
      expect_lagrange(robot, 181);
    }
  }
}

TEST(LagrangeTest, SingleContinuumJoints) {
  for (unsigned seed = 191; seed <= 196; ++seed) {
    Random random(seed);
    PlainRobot robot;
    robot.gravity = {1.7, -2.3, -9.1};
    robot.base = random_pose(random);
    PlainLink link;
    link.name = "joint";
    link.continuum_joint = random_continuum_joint(random);
    robot.links.push_back(link);
    robot.markers.push_back({0, "tip", 0.0, random_pose(random)});
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lagrange(robot, seed);
  }
}

TEST(LagrangeTest, TreesWithContinuumJoints) {
  for (unsigned seed = 221; seed <= 228; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 0;
    options.continuum_joints = true;
    options.min_links = 3, options.max_links = 6;
    options.max_modes = 6, options.max_sections = 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lagrange(random_robot(seed, options), seed);
  }
}

TEST(LagrangeTest, TreesOfRodsAndRigidBodies) {
  for (unsigned seed = 201; seed <= 216; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 0;
    options.functions = seed % 4 == 1;
    options.min_links = 3, options.max_links = 6;
    options.max_modes = 6, options.max_sections = 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lagrange(random_robot(seed, options), seed);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
