// What a soft volume tends to: with ever more points its integrals, with ever less thickness a rod.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

constexpr double k_length = 0.4, k_density = 1050.0, k_c1 = 8e4;

Model volume(const LvpParameters& lvp, double radius, int nz, int nr, int nphi) {
  VolumeMaterial rubber;
  rubber.c1 = k_c1, rubber.damping_time = 0.02;
  Robot robot;
  robot.gravity = {1.0, -2.0, -9.0};
  robot.links.push_back({.name = "body",
                         .body = std::make_shared<VolumeBody>(point_cylinder(k_length, radius, k_density, nz, nr, nphi),
                                                              rubber, std::make_shared<LvpKinematics>(lvp))});
  return Model(robot);
}
LvpParameters bend_only() {
  LvpParameters lvp;
  lvp.length = k_length;
  lvp.primitives = {{.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
  return lvp;
}
VectorXd vector(std::initializer_list<double> numbers) {
  VectorXd v(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), v.data());
  return v;
}

// A slender cylinder that can only bend: mass matrix, Coriolis and gravity force of the rod, off by the square of
// radius / length; 29/27 of its bending stiffness with E = 6 c1, at every slenderness.
TEST(VolumeLimitsTest, SlenderBendingCylinderTendsToTheRod) {
  const VectorXd q = vector({0.9, -0.6}), v = vector({1.3, 2.1});
  double previous_mass = 0.0, previous_coriolis = 0.0, previous_gravity = 0.0;
  for (const double slenderness : {10.0, 20.0, 40.0}) {
    const Model body = volume(bend_only(), k_length / slenderness, 12, 4, 8);
    RodParameters p;
    p.length = k_length;
    p.section.radius = k_length / slenderness;
    p.material = RodMaterial::neo_hookean(k_density, k_c1);
    p.quadrature_points = 12;
    p.strain[0] = p.strain[1] = StrainBasis{};
    Robot robot;
    robot.gravity = {1.0, -2.0, -9.0};
    robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
    const Model rod(robot);
    Data data(body), rod_data(rod);

    const auto off = [](const auto& a, const auto& b) { return (a - b).norm() / b.norm(); };
    const double mass = off(mass_matrix(body, data, q), mass_matrix(rod, rod_data, q));
    const double coriolis = off(coriolis_force(body, data, q, v), coriolis_force(rod, rod_data, q, v));
    const double gravity = off(gravity_force(body, data, q), gravity_force(rod, rod_data, q));
    if (previous_mass > 0.0) {
      EXPECT_NEAR(previous_mass / mass, 4.0, 0.2);
      EXPECT_NEAR(previous_coriolis / coriolis, 4.0, 0.2);
      EXPECT_NEAR(previous_gravity / gravity, 4.0, 0.2);
    }
    previous_mass = mass, previous_coriolis = coriolis, previous_gravity = gravity;
    const VectorXd small = 1e-4 * q;
    const VectorXd elastic = elastic_force(body, data, small), rod_elastic = elastic_force(rod, rod_data, small);
    EXPECT_NEAR(elastic[0] / rod_elastic[0], 29.0 / 27.0, 1e-7);
    EXPECT_NEAR(elastic[1] / rod_elastic[1], 29.0 / 27.0, 1e-7);
  }
  EXPECT_LT(previous_mass, 2e-3);
  EXPECT_LT(previous_coriolis, 2e-3);
}

// Gauss-Legendre along z and in r^2 and equal angles integrate smooth functions with errors that fall faster than any
// power of the number of points: from 2 to 4 to 8 points in each direction by more than 2^5 and 2^10.
TEST(VolumeLimitsTest, ErrorsFallFasterThanAnyPowerOfThePoints) {
  LvpParameters lvp = bend_only();
  lvp.primitives[0].modes = {{1.0}, {0.0, 1.0}};
  lvp.primitives.insert(lvp.primitives.begin(), {.type = Type::stretch, .modes = {{0.0, 1.0, 0.5}}});
  lvp.primitives.insert(lvp.primitives.begin() + 1, {.type = Type::twist, .modes = {{0.0, 1.0}}});
  const VectorXd q = vector({0.02, 0.4, 0.8, -0.5, 0.6}), v = vector({0.1, 1.0, -2.0, 1.5, 0.7});
  const VectorXd a = vector({1.0, -3.0, 2.0, 4.0, -1.0});
  const auto force = [&](int points) {
    const Model model = volume(lvp, 0.05, points, points, 2 * points);
    Data data(model);
    return VectorXd(inverse_dynamics(model, data, q, v, a));
  };
  const VectorXd fine = force(14);
  const auto error = [&](int points) { return (force(points) - fine).norm() / fine.norm(); };
  const double coarse = error(2), middle = error(4), close = error(8);
  EXPECT_GT(coarse / middle, 32.0) << coarse << " " << middle;
  EXPECT_GT(middle / close, 1024.0) << middle << " " << close;
  EXPECT_LT(close, 1e-9);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
