// What colors show adds up to the energy of the body.
#include "view/energy_density.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/volume_body.h"
#include "simulation/simulation_robots.h"
#include "support/volume_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(EnergyDensityTest, AlongARodItsIntegralIsTheEnergy) {
  RodParameters p;
  p.length = 0.3;
  p.section.radius = Profile(std::vector<double>{0.02, 0.01});
  p.material = {.density = 1000, .young_modulus = 4e5};
  p.quadrature_points = 20;
  p.strain = strain_shorthand("pcs", p.length);
  p.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 2);
  p.rest_strain[kappa_x] = Profile(1.5);
  Robot robot;
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  const DrawnRobot drawn(robot);
  const LinkFields fields(drawn.links()[0], robot.links[0].body.get());
  ASSERT_TRUE(fields.has_energy());
  const std::vector<double> q{0.3, 0.7, -0.5, 0.4, 0.2, 0.01, -0.02, 0.03};
  ASSERT_EQ(robot.links[0].body->coordinate_count(), 8);
  const std::vector<double>& s = drawn.links()[0].s;
  std::vector<double> density(s.size()), curvature(s.size());
  fields.energy(q.data(), density.data());
  double sum = 0.0;
  for (std::size_t k = 0; k < s.size(); ++k) {  // Simpson's rule: an even number of pieces
    const double weight = k == 0 || k + 1 == s.size() ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * density[k] * p.section.at(s[k] / p.length).area;
  }
  sum *= s[1] / 3;
  const double energy = robot.links[0].body->elastic_energy(q.data());
  EXPECT_NEAR(sum, energy, 1e-5 * energy);

  fields.curvature(q.data(), curvature.data());
  const double kx = 1.5 + q[0] / p.length, ky = (q[1] - q[2] + q[3]) / p.length;  // legendre at t = 0: 1, -1, 1
  EXPECT_NEAR(curvature[0], std::hypot(kx, ky), 1e-12);
}

TEST(EnergyDensityTest, OnAStretchedBlockItIsTheMaterials) {
  Robot robot;
  robot.links.push_back({.name = "block", .body = test::ritz_block()});
  const DrawnRobot drawn(robot);
  const LinkFields fields(drawn.links()[0], robot.links[0].body.get());
  ASSERT_TRUE(fields.has_energy());
  EXPECT_FALSE(fields.has_curvature());
  const int n = robot.links[0].body->coordinate_count();
  std::vector<double> q(n, 0.0), density(drawn.links()[0].surface.points.size());
  fields.energy(q.data(), density.data());
  for (const double value : density) EXPECT_EQ(value, 0.0);
  q[0] = 0.01;
  fields.energy(q.data(), density.data());
  // the energy changes to second order, so the mean density is that of the whole to the variation over the block
  double least = density[0], most = density[0];
  for (const double value : density) least = std::min(least, value), most = std::max(most, value);
  const double volume = 0.06 * 0.05 * 0.15;  // of the block
  const double mean = robot.links[0].body->elastic_energy(q.data()) / volume;
  EXPECT_GE(most, mean);
  EXPECT_LE(least, mean);
  EXPECT_GT(most, 0.0);
}

TEST(EnergyDensityTest, OfALawForTheWholeLinkItIsUniform) {
  Robot robot;
  robot.links.push_back({.name = "joint",
                         .body = std::make_shared<ContinuumJoint>(ContinuumJointParameters{
                             .length = 0.2, .mass = 0.8, .radius = 0.06, .stiffness = {12.0, 9.0}})});
  const DrawnRobot drawn(robot);
  const LinkFields fields(drawn.links()[0], robot.links[0].body.get());
  const std::vector<double> q{0.3, -0.4};
  std::vector<double> density(drawn.links()[0].s.size());
  fields.energy(q.data(), density.data());
  const double energy = 0.5 * (12.0 * 0.09 + 9.0 * 0.16), volume = M_PI * 0.06 * 0.06 * 0.2;
  for (const double value : density) EXPECT_NEAR(value, energy / volume, 1e-12 * energy / volume);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
