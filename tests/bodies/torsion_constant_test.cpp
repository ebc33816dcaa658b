// Saint-Venant's torsion constant of sections, and what rods make of it.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "support/epsilon.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Real = long double;

template <typename S>
SectionT<S> rectangle(const S& width, const S& height) {
  SectionT<S> section;
  section.shape = SectionT<S>::Shape::rectangle;
  section.width = width, section.height = height;
  return section;
}
template <typename S>
S rectangle_constant(const S& width, const S& height) {
  return rectangle(width, height).torsion_constant(S(0.3));
}

/// Torsion constant of a rectangle from Prandtl's stress function: laplace(psi) = -2, psi = 0 on the edges, J = 2 int
/// psi, by Ritz and Galerkin with products of the even polynomials P_2k+2 - P_2k, k < count. Their mass and stiffness
/// matrices are diagonalized together, so psi is a sum. J comes from below with an error of O(count^-8) (psi behaves as
/// r^2 ln r at the corners).
Real ritz_constant(Real width, Real height, int count) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  Matrix mass = Matrix::Zero(count, count);  // of the polynomials divided by sqrt(norm), whose stiffness matrix is 1
  const auto norm = [](int k) { return 2.0L * (4 * k + 3); };
  for (int k = 0; k < count; ++k) {
    mass(k, k) = (2.0L / (4 * k + 5) + 2.0L / (4 * k + 1)) / norm(k);
    if (k + 1 < count) mass(k, k + 1) = mass(k + 1, k) = -2.0L / (4 * k + 5) / std::sqrt(norm(k) * norm(k + 1));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(mass);
  const Real a = width / 2, b = height / 2;
  Real J = 0;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const Real load = 2 * a * b * 4 / norm(0) * modes.eigenvectors()(0, i) * modes.eigenvectors()(0, j);
      J += load * load / (b / a * modes.eigenvalues()[j] + a / b * modes.eigenvalues()[i]);
    }
  }
  return J;
}

TEST(TorsionConstantTest, ClassicalValues) {
  // Timoshenko and Goodier, Theory of Elasticity, section 109, table of k1; rounded there
  EXPECT_NEAR(rectangle_constant(1.0, 1.0), 0.140577, 5e-7);
  EXPECT_NEAR(rectangle_constant(0.01, 0.01), 0.140577e-8, 5e-15);
  EXPECT_NEAR(rectangle_constant(2.0, 1.0) / 2, 0.229, 5e-4);
  EXPECT_NEAR(rectangle_constant(5.0, 1.0) / 5, 0.291, 5e-4);
  EXPECT_NEAR(rectangle_constant(20.0, 1.0) / 20, 0.32283, 5e-6);
  // 40 x 2 mm: the polar moment is 104 times as large
  const Section strip = rectangle(0.04, 0.002);
  EXPECT_NEAR(strip.at(0.0).Jz / strip.torsion_constant(0.0), 103.5, 0.1);
}

TEST(TorsionConstantTest, RectangleSolvesPoissonsEquation) {
  for (const Real ratio : {1.0L, 1.001L, 1.3L, 2.0L, 5.0L}) {
    const Real width = 0.03L * ratio, height = 0.03L;
    const Real expected = ritz_constant(width, height, 60), tolerance = 2e-13L * expected;
    EXPECT_NEAR(static_cast<double>(ritz_constant(width, height, 45)), static_cast<double>(expected),
                static_cast<double>(20 * tolerance));  // the reference has converged
    EXPECT_LE(std::abs(rectangle_constant(width, height) - expected), tolerance) << static_cast<double>(ratio);
    EXPECT_LE(std::abs(rectangle_constant(height, width) - expected), tolerance) << static_cast<double>(ratio);
    const double found = rectangle_constant(static_cast<double>(width), static_cast<double>(height));
    EXPECT_LE(std::abs(found - rectangle_constant(width, height)), 20 * test::k_eps * expected);
  }
  const Real strip = ritz_constant(0.04L, 0.002L, 80);
  EXPECT_LE(std::abs(rectangle_constant(0.04L, 0.002L) - strip), 1e-11L * strip);
}

TEST(TorsionConstantTest, ThinRectanglesTendToAThird) {
  // a b^3 (1/3 - (64/pi^5) (b/a) sum of 1/n^5 over odd n): the ends of the strip
  Real ends = 0;
  for (int n = 1; n < 2000; n += 2)
    ends += 64 / std::pow(std::numbers::pi_v<Real>, 5.0L) / std::pow(static_cast<Real>(n), 5.0L);
  for (const double ratio : {1e2, 1e4, 1e8, 1e12}) {
    EXPECT_NEAR(rectangle_constant(ratio, 1.0) / ratio, 1.0 / 3 - static_cast<double>(ends) / ratio, 4 * test::k_eps);
    EXPECT_EQ(rectangle_constant(ratio, 1.0), rectangle_constant(1.0, ratio));
  }
}

// Edges that cross (a taper) must not bend anything: derivatives by differences, across the square too.
TEST(TorsionConstantTest, RectangleIsSmoothWhereItsEdgesAreEqual) {
  for (const Real width : {0.5L, 0.999999L, 1.0L, 1.000001L, 1.2L, 30.0L}) {
    const Real height = 1.0L, h = 1e-4L;
    ForwardDual w(static_cast<double>(width)), e(1.0);
    w.derivative[0] = 1.0, e.derivative[1] = 1.0;
    const ForwardDual found = rectangle_constant(w, e);
    const auto slope = [&](Real dw, Real dh) {  // fourth order
      const auto at = [&](Real x) { return rectangle_constant(width + x * dw, height + x * dh); };
      return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    };
    const Real scale = rectangle_constant(width, height);
    EXPECT_NEAR(found.derivative[0], static_cast<double>(slope(1, 0)), 1e-12 * scale) << static_cast<double>(width);
    EXPECT_NEAR(found.derivative[1], static_cast<double>(slope(0, 1)), 1e-12 * scale) << static_cast<double>(width);
  }
}

TEST(TorsionConstantTest, EllipsesWarpAndCirclesDoNot) {
  Section section;
  section.shape = Section::Shape::ellipse;
  section.radius_x = 0.03, section.radius_y = 0.01;
  EXPECT_NEAR(section.torsion_constant(0.0), static_cast<double>(std::numbers::pi_v<Real> * 27e-6L * 1e-6L / 1e-3L),
              1e-22);
  section.radius_y = 0.03;
  EXPECT_NEAR(section.torsion_constant(0.0), section.at(0.0).Jz, 4 * test::k_eps * section.at(0.0).Jz);
  section.shape = Section::Shape::circle;
  section.radius = 0.02;
  EXPECT_EQ(section.torsion_constant(0.0), section.at(0.0).Jz);
  section.shape = Section::Shape::annulus;
  section.inner_radius = 0.015;
  EXPECT_EQ(section.torsion_constant(0.0), section.at(0.0).Jz);
  section.shape = Section::Shape::general;
  section.area = 1.0, section.Ix = 2.0, section.Iy = 3.0, section.Jz = Profile(std::vector<double>{4.0, 6.0});
  EXPECT_EQ(section.torsion_constant(0.5), 5.0);
}

/// A strip that tapers from broad to high, twisted uniformly.
RodParameters twisted_strip() {
  RodParameters rod;
  rod.length = 0.3;
  rod.section = rectangle(0.0, 0.0);
  rod.section.width = Profile(std::vector<double>{0.04, 0.01});
  rod.section.height = Profile(std::vector<double>{0.004, 0.02});
  rod.material = {.density = 1000, .young_modulus = 3e5, .poisson_ratio = 0.25};
  rod.quadrature_points = 40;
  rod.strain[kappa_z] = StrainBasis::constant();
  return rod;
}
/// Mean along the strip by the midpoint rule.
template <typename F>
double mean(const F& f, int count = 4000) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += f((i + 0.5) / count) / count;
  return sum;
}
double stiffness(const RodParameters& rod) {
  const double q = 0.0;
  double value = 0.0;
  RodBody(rod).stiffness_matrix(&q, &value);
  return value;
}
double damping(const RodParameters& rod) {
  const double q = 0.0, v = 0.0;
  double value = 0.0;
  RodBody(rod).damping_matrix(&q, &v, &value);
  return value;
}
double rotary_inertia(const RodParameters& rod) { return RodBody(rod).rest_inertia().rotation.zz; }

TEST(TorsionConstantTest, StiffnessAndViscosityOfARodHaveIt) {
  RodParameters rod = twisted_strip();
  const Section& section = rod.section;
  const double G = 3e5 / 2.5, viscosity = 7.0;
  const double saint_venant = mean([&](double t) { return section.torsion_constant(t); });
  const double polar = mean([&](double t) { return section.at(t).Jz; });
  ASSERT_GT(polar, 2.0 * saint_venant);
  const auto expect = [&](double Jt) {
    rod.material.damping_time.reset();
    rod.material.viscosity = viscosity;
    EXPECT_NEAR(stiffness(rod), G * Jt / rod.length, 1e-6 * G * Jt / rod.length);  // of the midpoint rule
    EXPECT_NEAR(damping(rod), viscosity * Jt / rod.length, 1e-6 * viscosity * Jt / rod.length);
    rod.material.viscosity.reset();
    rod.material.damping_time = 0.1;
    EXPECT_NEAR(damping(rod), 0.1 * stiffness(rod), 10 * test::k_eps * stiffness(rod));
  };
  const double inertia = rotary_inertia(rod);
  expect(saint_venant);
  rod.torsion_constant = TorsionConstant::polar;
  expect(polar);
  rod.torsion_constant = Profile(std::vector<double>{3e-9, 1e-9});
  expect(2e-9);
  rod.torsion_constant = 5e-9;
  expect(5e-9);
  EXPECT_EQ(rotary_inertia(rod), inertia);  // always with Jz
  EXPECT_NEAR(inertia, 1000 * polar * rod.length, 1e-6 * inertia);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
