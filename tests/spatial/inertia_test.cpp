#include "cuttle/spatial/inertia.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/exponential.h"
#include "support/angles.h"
#include "support/epsilon.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// The matrix of a linear map from twists to wrenches, column by column.
template <typename Map>
Matrix6 dense(const Map& map) {
  Matrix6 m;
  for (int j = 0; j < 6; ++j) {
    Twist unit;
    unit[j] = 1.0;
    m.col(j) = to_eigen(map * unit);
  }
  return m;
}
Matrix6 adjoint(const Pose& g) {
  Matrix6 m;
  for (int j = 0; j < 6; ++j) {
    Twist unit;
    unit[j] = 1.0;
    m.col(j) = to_eigen(g.act(unit));
  }
  return m;
}

class InertiaTest : public testing::Test {
 protected:
  Random random{47};
  Pose random_pose() { return exponential(random_twist<double>(random, 2.0)); }
  SpatialInertia random_inertia() {
    return {random.uniform(0.5, 2.0),
            random_vector<double>(random),
            {random.uniform(1, 2), random.uniform(1, 2), random.uniform(1, 2), random.uniform(), random.uniform(),
             random.uniform()}};
  }
  ArticulatedInertia random_articulated() {
    const auto symmetric = [&] {
      return SymmetricMatrix3{random.uniform(), random.uniform(), random.uniform(),
                              random.uniform(), random.uniform(), random.uniform()};
    };
    const SymmetricMatrix3 A = symmetric();
    const Matrix3 H{random_vector<double>(random), random_vector<double>(random), random_vector<double>(random)};
    return {A, H, symmetric()};
  }
};

// Kinetic energy and momentum from point masses, which know nothing of the formulas.
TEST_F(InertiaTest, IsTheSumOfPointMasses) {
  const Twist V = random_twist<double>(random), W = random_twist<double>(random);
  SpatialInertia sum{};
  Wrench momentum;
  double energy = 0.0;
  for (int k = 0; k < 7; ++k) {
    const double m = random.uniform(0.5, 2.0);
    const Vector3 p = random_vector<double>(random);
    sum += SpatialInertia::from_com(m, p, {});
    const Vector3 v = V.linear + cross(V.angular, p);
    const Vector3 w = W.linear + cross(W.angular, p);
    momentum += Wrench{m * cross(p, v), m * v};
    energy += m * dot(v, w);
  }
  EXPECT_LE((to_eigen(sum * V) - to_eigen(momentum)).norm(), 100 * k_eps * 14);
  EXPECT_NEAR(dot(sum * V, W), energy, 100 * k_eps * 14);
  EXPECT_NEAR(dot(sum * W, V), energy, 100 * k_eps * 14);
}

TEST_F(InertiaTest, FromComAddsTheInertiaOfTheMassAtTheCom) {
  const SymmetricMatrix3 I{1.1, 1.2, 1.3, 0.1, -0.2, 0.15};
  const Vector3 com{0.3, -0.4, 0.7};
  const SpatialInertia about_com = SpatialInertia::from_com(1.7, {}, I);
  const SpatialInertia moved = about_com.in_parent({Matrix3::identity(), com});
  EXPECT_LE((dense(moved) - dense(SpatialInertia::from_com(1.7, com, I))).norm(), 20 * k_eps * 3);
}

TEST_F(InertiaTest, InParentIsTheCongruence) {
  for (int k = 0; k < 20; ++k) {
    const Pose g = random_pose();
    const Matrix6 X = adjoint(g.inverse());
    const SpatialInertia I = random_inertia();
    const Matrix6 expected = X.transpose() * dense(I) * X;
    EXPECT_LE((dense(I.in_parent(g)) - expected).norm(), 100 * k_eps * X.squaredNorm());
    const ArticulatedInertia A = random_articulated();
    const Matrix6 expected_A = X.transpose() * dense(A) * X;
    EXPECT_LE((dense(A.in_parent(g)) - expected_A).norm(), 100 * k_eps * X.squaredNorm());
    EXPECT_LE((dense(ArticulatedInertia::from(I).in_parent(g)) - expected).norm(), 100 * k_eps * X.squaredNorm());
  }
}

TEST_F(InertiaTest, ArticulatedIsSymmetricAndAddsUp) {
  const ArticulatedInertia A = random_articulated(), B = random_articulated();
  const SpatialInertia I = random_inertia();
  EXPECT_EQ(dense(A), to_eigen(A));
  EXPECT_EQ(dense(A), dense(A).transpose());
  ArticulatedInertia sum = A;
  sum += B;
  EXPECT_LE((dense(sum) - dense(A) - dense(B)).norm(), 10 * k_eps * 6);
  sum += I;
  EXPECT_LE((dense(sum) - dense(A) - dense(B) - dense(I)).norm(), 20 * k_eps * 6);
  const Wrench u = random_wrench<double>(random);
  ArticulatedInertia less = A;
  less.subtract_outer(0.7, u);
  EXPECT_LE((dense(less) - (dense(A) - 0.7 * to_eigen(u) * to_eigen(u).transpose())).norm(), 10 * k_eps * 6);
}

TEST_F(InertiaTest, GyroscopicWrenchDoesNoWorkAndIsDualToTheBracket) {
  for (int k = 0; k < 20; ++k) {
    const SpatialInertia I = random_inertia();
    const Twist V = random_twist<double>(random), W = random_twist<double>(random);
    const Wrench h = I * V;
    EXPECT_NEAR(dot(gyroscopic_wrench(V, h), V), 0.0, 40 * k_eps);
    // -ad_V^T h, [B] (27)
    EXPECT_NEAR(dot(gyroscopic_wrench(V, h), W), -dot(h, bracket(V, W)), 40 * k_eps);
    EXPECT_NEAR(dot(bracket_transpose(V, h), W), dot(h, bracket(V, W)), 40 * k_eps);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
