#include "cuttle/spatial/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/angles.h"
#include "support/high_precision.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename S>
class ExponentialTest : public testing::Test {
 protected:
  static double eps() { return static_cast<double>(std::numeric_limits<S>::epsilon()); }
  /// Calls check(twist, angle) at every angle up to `highest`, in three directions, with arbitrary translations.
  template <typename Check>
  void for_every_angle(long double highest, const Check& check) {
    Random random(17);
    for (const long double angle : rotation_angles(highest)) {
      for (int k = 0; k < 3; ++k) {
        const Vector3T<S> direction = random_direction<S>(random);
        check(TwistT<S>{static_cast<S>(angle) * direction, random_vector<S>(random, 2.0)}, angle);
      }
    }
  }
};
using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(ExponentialTest, Scalars);

TYPED_TEST(ExponentialTest, RotationIsTheMatrixExponential) {
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const Matrix50<3> expected = matrix_exponential(hat(to50(t.angular)));
    // entries are sums of three products of numbers up to 1, whose angle has been rounded
    EXPECT_LE(distance(to50(rotation_exponential(t.angular)), expected),
              10 * this->eps() * std::max(1.0, static_cast<double>(angle)))
        << "angle " << angle;
  });
}

// At small angles the part that carries the rotation must be exact to its own size, not to 1.
TYPED_TEST(ExponentialTest, SmallRotationsKeepTheirDigits) {
  this->for_every_angle(0.01L, [&](const TwistT<TypeParam>& t, long double angle) {
    const Matrix50<3> expected = matrix_exponential(hat(to50(t.angular)));
    const auto R = rotation_exponential(t.angular);
    const Real50 size = norm(to50(t.angular)) + Real50(std::numeric_limits<TypeParam>::denorm_min());
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i == j) continue;
        EXPECT_LE(static_cast<double>(abs(Real50(R(i, j)) - expected.at[i][j]) / size), 4 * this->eps())
            << "angle " << angle;
      }
    }
  });
}

TYPED_TEST(ExponentialTest, PoseIsTheMatrixExponential) {
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const Matrix50<4> expected = matrix_exponential(hat(to50(t)));
    // scale: the translation, up to 2 sqrt(3)
    EXPECT_LE(distance(to50(exponential(t)), expected), 20 * this->eps() * (1 + static_cast<double>(norm(t.linear))))
        << "angle " << angle;
  });
}

TYPED_TEST(ExponentialTest, RightTangentIsThePowerSeries) {
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const Matrix50<6> expected = tangent_series(ad(to50(t)));
    EXPECT_LE(distance(to50(right_tangent(t)), expected), 20 * this->eps() * (1 + static_cast<double>(norm(t.linear))))
        << "angle " << angle;
  });
}

TYPED_TEST(ExponentialTest, LeftTangentIsThePowerSeriesAndTheTransportedRightOne) {
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const Matrix50<6> expected = tangent_series(Real50(-1) * ad(to50(t)));
    const double scale = 1 + static_cast<double>(norm(t.linear));
    EXPECT_LE(distance(to50(left_tangent(t)), expected), 20 * this->eps() * scale) << "angle " << angle;
    const TwistT<TypeParam> u{{0.3, -0.7, 0.4}, {-0.2, 0.9, 0.6}};
    EXPECT_LE(distance(to50(left_tangent(t) * u), to50(exponential(t).act(right_tangent(t) * u))),
              100 * this->eps() * scale)
        << "angle " << angle;
  });
}

TYPED_TEST(ExponentialTest, InverseTangentIsTheInverse) {
  this->for_every_angle(6.3L, [&](const TwistT<TypeParam>& t, long double angle) {
    if (std::abs(angle - 2 * k_pi) < 0.05L) return;  // singular at 2 pi
    const Matrix50<6> T = tangent_series(ad(to50(t)));
    const Matrix50<6> expected = inverse(T);
    const double size = static_cast<double>(norm(expected));
    // relative to the inverse, times its condition number: near 2 pi both grow
    const double tolerance = 20 * this->eps() * size * std::max(1.0, size);
    EXPECT_LE(distance(to50(right_tangent_inverse(t)), expected), tolerance) << "angle " << angle;
    const Matrix50<3> rotation = inverse(tangent_series(hat(to50(t.angular))));
    EXPECT_LE(distance(to50(rotation_right_tangent_inverse(t.angular)), rotation), tolerance) << "angle " << angle;
  });
}

TYPED_TEST(ExponentialTest, DerivativeOfTangentsIsTheDerivativeOfTheSeries) {
  Random random(23);
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const auto d = random_twist<TypeParam>(random), u = random_twist<TypeParam>(random);
    const double scale = 1 + static_cast<double>(norm(t.linear));
    EXPECT_LE(distance(to50(right_tangent_derivative(t, d, u)), tangent_series_derivative(to50(t), to50(d), to50(u))),
              40 * this->eps() * scale)
        << "angle " << angle;
    EXPECT_LE(distance(to50(left_tangent_derivative(t, d, u)), tangent_series_derivative(to50(-t), to50(-d), to50(u))),
              40 * this->eps() * scale)
        << "angle " << angle;
  });
}

// What the name promises: the body velocity of exp(t(time)); by differences of matrix exponentials in 50 digits.
TYPED_TEST(ExponentialTest, RightTangentGivesTheBodyVelocity) {
  const Vector50<6> t{0.4, -0.7, 1.1, 0.3, -0.2, 0.8}, rate{-0.6, 0.5, 0.9, 0.7, 0.1, -0.4};
  const TwistT<TypeParam> t_S{{TypeParam(t[0]), TypeParam(t[1]), TypeParam(t[2])},
                              {TypeParam(t[3]), TypeParam(t[4]), TypeParam(t[5])}};
  const TwistT<TypeParam> rate_S{{TypeParam(rate[0]), TypeParam(rate[1]), TypeParam(rate[2])},
                                 {TypeParam(rate[3]), TypeParam(rate[4]), TypeParam(rate[5])}};
  const Real50 h = 1e-15;  // error h^2
  Vector50<6> ahead, behind, back;
  for (int i = 0; i < 6; ++i) ahead[i] = t[i] + h * rate[i], behind[i] = t[i] - h * rate[i], back[i] = -t[i];
  const Matrix50<4> difference =
      Real50(1 / (2 * h)) * (matrix_exponential(hat(ahead)) + Real50(-1) * matrix_exponential(hat(behind)));
  const Matrix50<4> velocity = matrix_exponential(hat(back)) * difference;
  EXPECT_LE(distance(hat(to50(right_tangent(t_S) * rate_S)), velocity), 20 * this->eps());
}

TYPED_TEST(ExponentialTest, TransposeIsDual) {
  Random random(5);
  this->for_every_angle(8.0L, [&](const TwistT<TypeParam>& t, long double angle) {
    const auto u = random_twist<TypeParam>(random);
    const auto w = random_wrench<TypeParam>(random);
    const auto T = right_tangent(t);
    EXPECT_NEAR(static_cast<double>(dot(T.transpose_times(w), u)), static_cast<double>(dot(w, T * u)),
                30 * this->eps() * (1 + static_cast<double>(norm(t.linear))))
        << "angle " << angle;
  });
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
