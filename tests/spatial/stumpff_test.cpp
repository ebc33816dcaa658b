#include "cuttle/spatial/stumpff.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/angles.h"
#include "support/high_precision.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// sum_k (-x)^k / (n + 2k)!; the terms of x <= 64 grow to e^8, so 46 of the 50 digits stay.
Real50 stumpff_reference(int n, const Real50& x) {
  Real50 factorial = 1;
  for (int k = 2; k <= n; ++k) factorial *= k;
  Real50 term = 1 / factorial, sum = term;
  for (int k = 1; k < 80; ++k) {  // 64^80 / 160! < 1e-140
    term *= -x / ((n + 2 * k - 1) * (n + 2 * k));
    sum += term;
  }
  return sum;
}

template <typename S>
class StumpffTest : public testing::Test {};
using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(StumpffTest, Scalars);

// The functions fall from 1/n! and c_0, c_1 pass through zero: errors are measured in units of 1/n!.
template <typename S, int Highest>
double worst_error() {
  double worst = 0.0;
  for (const long double angle : rotation_angles(8.0L)) {
    const S x = static_cast<S>(angle) * static_cast<S>(angle);
    const auto c = stumpff<Highest>(x);
    for (int n = 0; n <= Highest; ++n) {
      // the upward recurrence loses a factor of n!/x^(n/2), more than the 20 eps of the header beyond c_7 near x = 10
      if (x > S(10.0) && n > 7) continue;
      const Real50 unit = stumpff_reference(n, 0);
      const double error = static_cast<double>(abs(Real50(c[n]) - stumpff_reference(n, Real50(x))) / unit);
      EXPECT_LE(error, 20.0 * static_cast<double>(std::numeric_limits<S>::epsilon()))
          << "c_" << n << " at angle " << angle;
      worst = std::max(worst, error);
    }
  }
  return worst / static_cast<double>(std::numeric_limits<S>::epsilon());
}

TYPED_TEST(StumpffTest, AgreesWithItsSeriesThroughZeroAndAcrossTheSwitch) {
  this->RecordProperty("worst_eps_3", std::to_string(worst_error<TypeParam, 3>()));
  this->RecordProperty("worst_eps_5", std::to_string(worst_error<TypeParam, 5>()));
  this->RecordProperty("worst_eps_7", std::to_string(worst_error<TypeParam, 7>()));
  this->RecordProperty("worst_eps_11", std::to_string(worst_error<TypeParam, 11>()));
}

// The bounds |c_n| <= 1/n! and c_n >= 0 for n >= 2 hold for the functions; a wrong branch breaks them.
TYPED_TEST(StumpffTest, StaysWithinItsBounds) {
  using S = TypeParam;
  for (int k = 0; k <= 4000; ++k) {
    const S x = S(0.0125) * S(k);  // 0 .. 50
    const auto c = stumpff<7>(x);
    for (int n = 0; n <= 7; ++n) {
      const S highest = constant<S>(detail::k_inverse_factorial.of[n]);
      const S slack = S(20.0) * std::numeric_limits<S>::epsilon() * highest;
      ASSERT_LE(std::abs(c[n]), highest + slack) << "c_" << n << " at x = " << x;
      ASSERT_GE(c[n], n >= 2 ? -slack : -highest - slack) << "c_" << n << " at x = " << x;
    }
  }
}

// 2 dc_n/dx = n c_{n+2} - c_{n+1}, by which the tangent maps are differentiated.
TYPED_TEST(StumpffTest, DerivativeIdentityHolds) {
  const Real50 h = 1e-12;
  for (const double x : {0.0, 1e-3, 1.0, 9.9, 10.1, 30.0}) {
    const auto c = stumpff<7>(TypeParam(x));
    for (int n = 0; n <= 5; ++n) {
      const Real50 slope = (stumpff_reference(n, Real50(x) + h) - stumpff_reference(n, Real50(x) - h)) / (2 * h);
      // the difference quotient is exact to h^2 = 1e-24
      EXPECT_NEAR(static_cast<double>(2 * slope), static_cast<double>(TypeParam(n) * c[n + 2] - c[n + 1]),
                  40.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(stumpff_reference(n, 0)))
          << "n " << n << ", x " << x;
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
