#include "cuttle/spatial/logarithm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/angles.h"
#include "support/high_precision.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename S>
Matrix3T<S> rounded(const Matrix50<3>& a) {
  Matrix3T<S> m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = static_cast<S>(a.at[i][j]);
  }
  return m;
}
template <typename S>
PoseT<S> rounded(const Matrix50<4>& a) {
  PoseT<S> g;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) g.rotation(i, j) = static_cast<S>(a.at[i][j]);
    g.position[i] = static_cast<S>(a.at[i][3]);
  }
  return g;
}

template <typename S>
class LogarithmTest : public testing::Test {
 protected:
  static double eps() { return static_cast<double>(std::numeric_limits<S>::epsilon()); }
  template <typename Check>
  void for_every_angle(long double highest, const Check& check) {
    Random random(29);
    for (const long double angle : rotation_angles(highest)) {
      for (int k = 0; k < 6; ++k) {
        Vector3T<S> direction = random_direction<S>(random);
        if (k >= 3) {  // along an axis: each of the four ways of extracting a quaternion, and ties between them
          direction = {};
          direction[k - 3] = S(angle > 1.0L ? -1.0 : 1.0);
        }
        check(TwistT<S>{static_cast<S>(angle) * direction, random_vector<S>(random, 2.0)}, angle);
      }
    }
  }
  static Real50 distance50(const Vector50<3>& a, const Vector50<3>& b) {
    return norm(Vector50<3>{a[0] - b[0], a[1] - b[1], a[2] - b[2]});
  }
};
using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(LogarithmTest, Scalars);

TYPED_TEST(LogarithmTest, RotationLogarithmUndoesTheMatrixExponential) {
  using S = TypeParam;
  this->for_every_angle(3.1415L, [&](const TwistT<S>& t, long double angle) {
    if (angle < 1e-150L) return;  // products of the matrix's entries below the smallest number
    const Vector50<3> w = to50(t.angular);
    const Vector3T<S> found = rotation_logarithm(rounded<S>(matrix_exponential(hat(w))));
    // rounding the matrix moves the angle by about one eps of it below pi/2 and one eps of 1 above: relative to |w|
    EXPECT_LE(static_cast<double>(this->distance50(to50(found), w) / norm(w)), 12 * this->eps()) << "angle " << angle;
  });
}

// Around pi the sign of the axis is a matter of rounding: then the rotation is compared, not the vector.
TYPED_TEST(LogarithmTest, RotationLogarithmIsExactNearPiAndBeyond) {
  using S = TypeParam;
  this->for_every_angle(7.0L, [&](const TwistT<S>& t, long double angle) {
    if (angle < 1.0L) return;
    const Matrix50<3> R = matrix_exponential(hat(to50(t.angular)));
    const Vector3T<S> found = rotation_logarithm(rounded<S>(R));
    EXPECT_LE(static_cast<double>(norm(found)), static_cast<double>(k_pi) * (1 + 4 * this->eps())) << "angle " << angle;
    EXPECT_LE(distance(matrix_exponential(hat(to50(found))), R), 16 * this->eps()) << "angle " << angle;
  });
}

TYPED_TEST(LogarithmTest, ExactHalfTurnsAndIdentity) {
  using S = TypeParam;
  for (int axis = 0; axis < 3; ++axis) {
    Matrix3T<S> R;
    for (int i = 0; i < 3; ++i) R(i, i) = S(i == axis ? 1.0 : -1.0);
    const Vector3T<S> w = rotation_logarithm(R);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(static_cast<double>(std::abs(w[i])), i == axis ? static_cast<double>(k_pi) : 0.0,
                  4 * this->eps() * 4);
    }
  }
  const TwistT<S> zero = logarithm(PoseT<S>::identity());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(zero[i], S(0.0));
}

TYPED_TEST(LogarithmTest, PoseLogarithmUndoesTheMatrixExponential) {
  using S = TypeParam;
  this->for_every_angle(3.1415L, [&](const TwistT<S>& t, long double angle) {
    const TwistT<S> found = logarithm(rounded<S>(matrix_exponential(hat(to50(t)))));
    // the inverse tangent is at most 1.6 up to pi, its slope 0.5 times the translation of up to 3.5
    EXPECT_LE(distance(to50(found), to50(t)), 40 * this->eps()) << "angle " << angle;
  });
}

TYPED_TEST(LogarithmTest, QuaternionExponentialAndLogarithm) {
  using S = TypeParam;
  this->for_every_angle(7.0L, [&](const TwistT<S>& t, long double angle) {
    const QuaternionT<S> q = quaternion_exponential(t.angular);
    const Matrix50<3> R = matrix_exponential(hat(to50(t.angular)));
    const double rounding = this->eps() * std::max(1.0, static_cast<double>(angle));
    EXPECT_NEAR(static_cast<double>(q.squared_norm()), 1.0, 8 * rounding);
    EXPECT_LE(distance(to50(q.matrix()), R), 12 * rounding) << "angle " << angle;
    const Vector3T<S> back = quaternion_logarithm(q);
    if (angle < 3.1415L) {
      const Real50 size = norm(to50(t.angular)) + Real50(std::numeric_limits<S>::min());
      EXPECT_LE(static_cast<double>(this->distance50(to50(back), to50(t.angular)) / size), 12 * this->eps())
          << "angle " << angle;
    } else {
      EXPECT_LE(distance(matrix_exponential(hat(to50(back))), R), 16 * rounding) << "angle " << angle;
    }
    const QuaternionT<S> opposite{-q.w, -q.x, -q.y, -q.z};  // the same rotation
    EXPECT_LE(distance(matrix_exponential(hat(to50(quaternion_logarithm(opposite)))), R), 16 * rounding);
  });
}

TYPED_TEST(LogarithmTest, QuaternionFromMatrixIsTheUnitQuaternionWithPositiveScalar) {
  using S = TypeParam;
  this->for_every_angle(7.0L, [&](const TwistT<S>& t, long double angle) {
    const Matrix50<3> R = matrix_exponential(hat(to50(t.angular)));
    const QuaternionT<S> q = quaternion_from_matrix(rounded<S>(R));
    EXPECT_GE(q.w, S(0.0));
    EXPECT_NEAR(static_cast<double>(q.squared_norm()), 1.0, 8 * this->eps()) << "angle " << angle;
    EXPECT_LE(distance(to50(q.matrix()), R), 12 * this->eps()) << "angle " << angle;
  });
}

TYPED_TEST(LogarithmTest, QuaternionProductIsTheProductOfRotations) {
  using S = TypeParam;
  Random random(31);
  for (int k = 0; k < 20; ++k) {
    const auto a = quaternion_exponential(random_vector<S>(random, 3.0));
    const auto b = quaternion_exponential(random_vector<S>(random, 3.0));
    EXPECT_LE(distance(to50((a * b).matrix()), to50(a.matrix()) * to50(b.matrix())), 20 * this->eps());
    const auto one = a * a.conjugate();
    EXPECT_NEAR(static_cast<double>(one.w), 1.0, 10 * this->eps());
    EXPECT_NEAR(static_cast<double>(norm(one.vector())), 0.0, 10 * this->eps());
    const QuaternionT<S> scaled{S(1.7) * a.w, S(1.7) * a.x, S(1.7) * a.y, S(1.7) * a.z};
    EXPECT_LE(distance(to50(scaled.normalized().matrix()), to50(a.matrix())), 10 * this->eps());
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
