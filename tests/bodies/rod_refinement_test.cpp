// The estimate of what a rod's discretization costs.
#include "cuttle/bodies/rod_refinement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rod_body.h"

namespace cuttle::CUTTLE_FILE {
namespace {

RodParameters rod(int points) {
  RodParameters p;
  p.length = 0.4;
  p.section.radius = Profile(std::vector<double>{0.03, 0.02});
  p.material = {.density = 1000, .young_modulus = 1e5};
  p.quadrature_points = points;
  return p;
}
/// Strains and a rest curvature that vary along the rod about different axes: every step has an error.
RodParameters curved_rod(int points) {
  RodParameters p = rod(points);
  p.rest_strain[kappa_x] = Profile(std::vector<double>{0.0, 5.0});
  for (const int c : {kappa_y, kappa_z, sigma_x, sigma_z}) {
    p.strain[c] = StrainBasis::of_order(StrainBasis::Kind::legendre, 2);
  }
  return p;
}

/// The same by another route: a robot of this rod in long double, its mass matrix and tip from the robot's algorithms,
/// rotation angle from the trace.
RodDiscretizationError by_a_robot(const RodParameters& few) {
  using Real = long double;
  const auto evaluate = [&few](int points, const VectorXT<Real>& q, MatrixXT<Real>& M, PoseT<Real>& tip) {
    RodParametersT<Real> p = few.cast<Real>();
    p.quadrature_points = points;
    RobotT<Real> robot;
    robot.links.push_back({.name = "rod", .body = std::make_shared<RodBodyT<Real>>(p)});
    const ModelT<Real> model(robot);
    DataT<Real> data(model);
    M = mass_matrix<Real>(model, data, q);
    tip = forward_kinematics<Real>(model, data, q).pose(model.tip_frame("rod"));
  };
  const Real L = few.length;
  const auto coordinates = RodBody(few).coordinates();
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  VectorXT<Real> scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = coordinates[i].name[0] == 'k' ? 1.0L : L;  // kappa, sigma
  RodDiscretizationError error;
  for (Eigen::Index moved = -1; moved < n; ++moved) {
    VectorXT<Real> q = VectorXT<Real>::Zero(n);
    if (moved >= 0) q[moved] = coordinates[moved].name[0] == 'k' ? 1.0L : L / 10;
    MatrixXT<Real> coarse, fine;
    PoseT<Real> coarse_tip, fine_tip;
    evaluate(few.quadrature_points, q, coarse, coarse_tip);
    evaluate(2 * few.quadrature_points, q, fine, fine_tip);
    const MatrixXT<Real> change = scale.asDiagonal() * (fine - coarse) * scale.asDiagonal();
    const MatrixXT<Real> size = scale.asDiagonal() * fine * scale.asDiagonal();
    error.mass_matrix = std::max(error.mass_matrix, static_cast<double>(change.norm() / size.norm()));
    const Vector3T<Real> d = fine_tip.position - coarse_tip.position;
    error.tip_position = std::max(error.tip_position, static_cast<double>(std::sqrt(dot(d, d)) / L));
    const Matrix3T<Real> R = coarse_tip.rotation.transpose() * fine_tip.rotation;
    const Real cosine = (R.row0.x + R.row1.y + R.row2.z - 1) / 2;
    error.tip_rotation = std::max(error.tip_rotation, static_cast<double>(std::acos(std::min(cosine, Real(1)))));
  }
  return error;
}

TEST(RodRefinementEstimate, IsTheChangeThatARobotOfTheRodShows) {
  for (const int points : {2, 3, 5}) {
    const auto found = estimate_discretization_error(RodBody(curved_rod(points)));
    const auto expected = by_a_robot(curved_rod(points));
    // the tip's acos loses half the digits of long double: 1e-10 near no rotation at all
    EXPECT_NEAR(found.mass_matrix, expected.mass_matrix, 1e-13) << points;
    EXPECT_NEAR(found.tip_position, expected.tip_position, 1e-14) << points;
    EXPECT_NEAR(found.tip_rotation, expected.tip_rotation, 1e-9) << points;
    EXPECT_GT(found.mass_matrix, 1e-6);
    EXPECT_GT(found.tip_position, 1e-6);
    EXPECT_GT(found.tip_rotation, 1e-6);
    EXPECT_EQ(found.largest(), std::max({found.mass_matrix, found.tip_position, found.tip_rotation}));
  }
}

// Order four, measured where steps are small; Gauss points crowd at the ends, so that a doubling gives less than 16.
TEST(RodRefinementEstimate, FallsWithTheFourthPowerOfThePoints) {
  RodDiscretizationError before = estimate_discretization_error(RodBody(curved_rod(12)));
  for (const int points : {24, 48}) {
    const auto error = estimate_discretization_error(RodBody(curved_rod(points)));
    const double ratios[] = {before.mass_matrix / error.mass_matrix, before.tip_position / error.tip_position,
                             before.tip_rotation / error.tip_rotation};
    for (const double ratio : ratios) {
      EXPECT_GT(ratio, 10.0) << points;
      EXPECT_LT(ratio, 24.0) << points;
    }
    before = error;
  }
}

// One exponential is the whole rod, and only the integrals are left: their Gauss points converge faster than any order.
TEST(RodRefinementEstimate, ConstantStrainHasNoErrorOfThePose) {
  for (const char* shorthand : {"pcc", "pcs"}) {
    RodParameters p = rod(2);
    p.strain = strain_shorthand<double>(shorthand, p.length);
    const auto few = estimate_discretization_error(RodBody(p));
    EXPECT_LT(few.tip_position, 1e-14);
    EXPECT_LT(few.tip_rotation, 1e-14);
    EXPECT_GT(few.mass_matrix, 1e-5);
    p.quadrature_points = 10;
    EXPECT_LT(estimate_discretization_error(RodBody(p)).largest(), 1e-13);
  }
}

TEST(RodRefinementEstimate, DoesNotChangeWithTheUnitOfLength) {
  RodParameters p = curved_rod(4), large = p;
  const double scale = 2.5;  // to a length of exactly 1, where a coordinate in m and one in rad count the same
  large.length *= scale;
  for (double& r : large.section.radius.values) r *= scale;
  for (double& kappa : large.rest_strain[kappa_x].values) kappa /= scale;
  const auto found = estimate_discretization_error(RodBody(large)),
             expected = estimate_discretization_error(RodBody(p));
  EXPECT_NEAR(found.mass_matrix, expected.mass_matrix, 1e-14);
  EXPECT_NEAR(found.tip_position, expected.tip_position, 1e-14);
  EXPECT_NEAR(found.tip_rotation, expected.tip_rotation, 1e-14);
}

TEST(RodRefinementEstimate, KnowsRodsAtTheEdge) {
  RodParameters rigid = rod(3);  // no coordinates: only the pose of the rest shape
  EXPECT_EQ(estimate_discretization_error(RodBody(rigid)).mass_matrix, 0.0);
  rigid.rest_strain[kappa_x] = Profile(std::vector<double>{0.0, 20.0});
  rigid.rest_strain[kappa_y] = Profile(std::vector<double>{20.0, 0.0});
  const auto bent = estimate_discretization_error(RodBody(rigid));
  EXPECT_EQ(bent.mass_matrix, 0.0);
  EXPECT_GT(bent.tip_position, 1e-6);

  RodParameters thread = rod(3);  // turns about its own axis without any inertia there
  thread.mass_per_length = 1.0;
  thread.rotary_inertia = std::array<Profile, 3>{0.0, 0.0, 0.0};
  thread.strain[kappa_z] = StrainBasis::constant();
  EXPECT_EQ(estimate_discretization_error(RodBody(thread)).mass_matrix, 0.0);

  const auto most = estimate_discretization_error(RodBody(curved_rod(1000)));
  EXPECT_LT(most.largest(), 1e-8);
  EXPECT_GT(most.largest(), 0.0);
}

TEST(RodRefinementEstimate, FindsEnoughSections) {
  const auto error = [](int points) { return estimate_discretization_error(RodBody(curved_rod(points))).largest(); };
  for (const int points : {1, 2, 3, 4}) {
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      const auto enough = quadrature_points_for_error(RodBody(curved_rod(points)), tolerance);
      ASSERT_TRUE(enough);
      EXPECT_GE(*enough, points);
      EXPECT_LE(error(*enough), tolerance);
      // and at most twice of what is needed
      if (*enough > points) {
        EXPECT_GT(error(*enough / 2), tolerance) << points << " -> " << *enough;
      }
    }
  }
  EXPECT_EQ(quadrature_points_for_error(RodBody(curved_rod(70)), 1e-3), 70);
  EXPECT_FALSE(quadrature_points_for_error(RodBody(curved_rod(2)), 1e-12));
}

// A rod that overflows has no small error.
TEST(RodRefinementEstimate, IsInfiniteWhereARodOverflows) {
  RodParameters p = curved_rod(3);
  p.rest_strain[kappa_x] = 1e200;
  const auto error = estimate_discretization_error(RodBody(p));
  EXPECT_EQ(error.largest(), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(quadrature_points_for_error(RodBody(p), 1e-3));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
