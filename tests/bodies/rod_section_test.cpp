#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cuttle/bodies/rod_body.h"
#include "support/epsilon.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using HyperelasticLaw = HyperelasticLawT<double>;

struct Moments {
  double area = 0, Ix = 0, Iy = 0;
};

/// Integrals over the points of the plane whose chord at x is |y| in [inner(x), outer(x)], x = -a .. a, by the midpoint
/// rule in the angle x = a sin(phi): the square roots at the ends become smooth and periodic.
Moments integrate(double a, const std::function<double(double)>& inner, const std::function<double(double)>& outer,
                  int count = 20000) {
  const double pi = std::acos(-1.0);
  Moments m;
  for (int i = 0; i < count; ++i) {
    const double phi = -pi / 2 + pi * (i + 0.5) / count;
    const double x = a * std::sin(phi), dx = a * std::cos(phi) * pi / count;
    const double low = inner(x), high = outer(x);
    m.area += 2 * (high - low) * dx;
    m.Ix += 2.0 / 3 * (std::pow(high, 3) - std::pow(low, 3)) * dx;
    m.Iy += 2 * x * x * (high - low) * dx;
  }
  return m;
}
void expect_moments(const Section::Properties& found, const Moments& expected, double tolerance) {
  EXPECT_NEAR(found.area, expected.area, tolerance * expected.area);
  EXPECT_NEAR(found.Ix, expected.Ix, tolerance * expected.Ix);
  EXPECT_NEAR(found.Iy, expected.Iy, tolerance * expected.Iy);
  EXPECT_NEAR(found.Jz, expected.Ix + expected.Iy, tolerance * (expected.Ix + expected.Iy));
}
double zero(double) { return 0; }
// The rule is exact to rounding for smooth periodic integrands; kinks (annulus) and the rectangle's ends leave
// O(1 / count^2) and, at a kink of square-root kind, O(count^-3/2).
constexpr double k_smooth = 1e-12, k_kink = 1e-5;

TEST(Section, CircleMatchesIntegrals) {
  Section section;
  section.radius = 0.02;
  const auto chord = [](double x) { return std::sqrt(0.02 * 0.02 - x * x); };
  expect_moments(section.at(0.4), integrate(0.02, zero, chord), k_smooth);
}

TEST(Section, AnnulusMatchesIntegrals) {
  Section section;
  section.shape = Section::Shape::annulus;
  section.radius = 0.02;
  section.inner_radius = 0.015;
  const auto inner = [](double x) { return std::sqrt(std::max(0.0, 0.015 * 0.015 - x * x)); };
  const auto outer = [](double x) { return std::sqrt(0.02 * 0.02 - x * x); };
  expect_moments(section.at(0.4), integrate(0.02, inner, outer), k_kink);
  // a circle less a circle
  Section whole, hole;
  whole.radius = 0.02, hole.radius = 0.015;
  EXPECT_NEAR(section.at(0.4).Ix, whole.at(0.4).Ix - hole.at(0.4).Ix, 10 * test::k_eps * whole.at(0.4).Ix);
}

TEST(Section, EllipseMatchesIntegrals) {
  Section section;
  section.shape = Section::Shape::ellipse;
  section.radius_x = 0.03;
  section.radius_y = 0.01;
  const auto chord = [](double x) { return 0.01 * std::sqrt(1 - x * x / (0.03 * 0.03)); };
  expect_moments(section.at(0.4), integrate(0.03, zero, chord), k_smooth);
}

TEST(Section, RectangleMatchesIntegrals) {
  Section section;
  section.shape = Section::Shape::rectangle;
  section.width = 0.06;
  section.height = 0.01;
  expect_moments(section.at(0.4), integrate(0.03, zero, [](double) { return 0.005; }), 1e-8);  // O(1 / count^2)
}

TEST(Section, GeneralReturnsWhatItWasGiven) {
  Section section;
  section.shape = Section::Shape::general;
  section.area = 1.0, section.Ix = 2.0, section.Iy = 3.0, section.Jz = Profile(std::vector<double>{4.0, 6.0});
  const Section::Properties found = section.at(0.5);
  EXPECT_EQ(found.area, 1.0);
  EXPECT_EQ(found.Ix, 2.0);
  EXPECT_EQ(found.Iy, 3.0);
  EXPECT_EQ(found.Jz, 5.0);
}

TEST(Section, TapersLinearlyInItsLengths) {
  Section taper, middle;
  taper.radius = Profile(std::vector<double>{0.02, 0.01});
  middle.radius = 0.0175;
  EXPECT_DOUBLE_EQ(taper.at(0.25).area, middle.at(0.0).area);
  EXPECT_DOUBLE_EQ(taper.at(0.25).Ix, middle.at(0.0).Ix);
  EXPECT_NEAR(static_cast<double>(taper.cast<long double>().at(0.25L).Jz), taper.at(0.25).Jz,
              5 * test::k_eps * middle.at(0).Jz);
}

/// Gauss-Legendre of three points on many pieces: error O((x / pieces)^6).
template <typename F>
long double integral(const F& f, long double x, int pieces = 2000) {
  const long double node = std::sqrt(0.6L), h = x / pieces;
  long double sum = 0;
  for (int i = 0; i < pieces; ++i) {
    const long double center = h * (i + 0.5L);
    sum += h / 18 * (5 * f(center - h / 2 * node) + 8 * f(center) + 5 * f(center + h / 2 * node));
  }
  return sum;
}

template <typename S>
void expect_consistent(const HyperelasticLawT<S>& law, long double x) {
  constexpr long double eps = std::numeric_limits<S>::epsilon();
  const HyperelasticLawT<long double> exact = law.template cast<long double>();
  const long double expected = integral([&](long double e) { return exact.stiffness(e) * e; }, x);
  // 100 eps: the law's own claim and the rounding of its argument
  EXPECT_LE(std::abs(static_cast<long double>(law.energy(S(x))) - expected), (100 * eps + 1e-15L) * expected)
      << "x " << static_cast<double>(x);
  const long double h = 1e-4L * (1 + std::abs(x));
  const long double slope = (8 * (exact.stiffness(x + h) - exact.stiffness(x - h)) -
                             (exact.stiffness(x + 2 * h) - exact.stiffness(x - 2 * h))) /
                            (12 * h);
  EXPECT_LE(std::abs(static_cast<long double>(law.stiffness_slope(S(x))) - slope), 1e-11L * (1 + std::abs(slope)));
}

TEST(HyperelasticLaw, PolynomialEnergyIsTheIntegral) {
  const HyperelasticLaw law{{2.0, -0.3, 0.7}, {}};
  EXPECT_DOUBLE_EQ(law.stiffness(2.0), 2.0 - 0.3 * 4 + 0.7 * 16);
  for (const long double x : {-1.3L, 1e-6L, 0.2L, 1.0L, 3.0L}) expect_consistent(law, x);
  EXPECT_EQ(law.energy(0.0), 0);
}

TEST(HyperelasticLaw, TanhEnergyIsTheIntegral) {
  // a1 = 0 shows the cancellation in the closed form that a1 would hide; a3 x = 1/2 is the switch
  for (const double a1 : {0.0, 1.5}) {
    const HyperelasticLaw law{{}, {{a1, 0.8, 2.0}}};
    const double th = std::tanh(0.6);
    EXPECT_DOUBLE_EQ(law.stiffness(0.3), a1 + 0.8 * th * th);
    for (const long double x : {-1.3L, 1e-9L, 1e-4L, 0.01L, 0.1L, 0.2L, 0.24999L, 0.25L, 0.25001L, 1.0L, 3.0L}) {
      expect_consistent(law, x);
      expect_consistent(law.cast<long double>(), x);
    }
    EXPECT_EQ(law.energy(0.0), 0);
  }
}

TEST(HyperelasticLaw, TanhDoesNotOverflow) {
  const HyperelasticLaw law{{}, {{0.0, 1.0, 100.0}}};
  // x^2/2 - x/a3 + (a3 x - ln 2)/a3^2 to all digits where tanh is 1
  EXPECT_DOUBLE_EQ(law.energy(50.0), 1250.0 - std::log(2.0) / 1e4);
  const HyperelasticLaw flat{{}, {{1.5, 1.0, 0.0}}};
  EXPECT_DOUBLE_EQ(flat.energy(2.0), 3.0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
