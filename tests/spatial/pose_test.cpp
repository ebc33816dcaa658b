#include "cuttle/spatial/pose.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>

#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/exponential.h"
#include "support/angles.h"
#include "support/epsilon.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}
/// Ad_g for twists with the angular part first: [R 0; p^ R R].
Matrix6 adjoint(const Pose& g) {
  const Eigen::Matrix3d R = to_eigen(g.rotation);
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = R;
  X.bottomLeftCorner<3, 3>() = skew(to_eigen(g.position)) * R;
  X.bottomRightCorner<3, 3>() = R;
  return X;
}

class PoseTest : public testing::Test {
 protected:
  Random random{41};
  Pose random_pose() { return exponential(random_twist<double>(random, 2.0)); }
};

TEST_F(PoseTest, ProductAndInverseAreThoseOfHomogeneousMatrices) {
  for (int k = 0; k < 20; ++k) {
    const Pose a = random_pose(), b = random_pose();
    EXPECT_LE((to_eigen(a * b) - to_eigen(a) * to_eigen(b)).norm(), 20 * k_eps * 4);
    EXPECT_LE((to_eigen(a.inverse()) - to_eigen(a).inverse()).norm(), 50 * k_eps * 4);
    const Vector3 p = random_vector<double>(random);
    EXPECT_LE((to_eigen(a.act(p)) - (to_eigen(a) * to_eigen(p).homogeneous()).head<3>()).norm(), 10 * k_eps * 4);
  }
}

TEST_F(PoseTest, ActionsOnTwistsAndWrenchesAreTheAdjoints) {
  for (int k = 0; k < 20; ++k) {
    const Pose g = random_pose();
    const Matrix6 X = adjoint(g);
    const Twist t = random_twist<double>(random);
    const Wrench w = random_wrench<double>(random);
    EXPECT_LE((to_eigen(g.act(t)) - X * to_eigen(t)).norm(), 50 * k_eps);
    EXPECT_LE((to_eigen(g.act_inverse(t)) - X.inverse() * to_eigen(t)).norm(), 100 * k_eps);
    EXPECT_LE((to_eigen(g.act(w)) - X.inverse().transpose() * to_eigen(w)).norm(), 100 * k_eps);
    EXPECT_LE((to_eigen(g.act_inverse(w)) - X.transpose() * to_eigen(w)).norm(), 50 * k_eps);
  }
}

// Power does not depend on the frame that it is computed in.
TEST_F(PoseTest, TwistsAndWrenchesAreDual) {
  for (int k = 0; k < 20; ++k) {
    const Pose g = random_pose(), h = random_pose();
    const Twist t = random_twist<double>(random);
    const Wrench w = random_wrench<double>(random);
    EXPECT_NEAR(dot(g.act(w), g.act(t)), dot(w, t), 100 * k_eps);
    EXPECT_NEAR(dot(g.act_inverse(w), g.act_inverse(t)), dot(w, t), 100 * k_eps);
    EXPECT_LE((to_eigen((g * h).act(t)) - to_eigen(g.act(h.act(t)))).norm(), 100 * k_eps);
    EXPECT_LE((to_eigen((g * h).act(w)) - to_eigen(g.act(h.act(w)))).norm(), 100 * k_eps);
    EXPECT_LE((to_eigen(g.act_inverse(g.act(t))) - to_eigen(t)).norm(), 100 * k_eps);
    EXPECT_LE((to_eigen(g.act(g.act_inverse(w))) - to_eigen(w)).norm(), 100 * k_eps);
  }
}

TEST_F(PoseTest, BracketIsTheMatrixCommutator) {
  const auto hat = [](const Twist& t) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Zero();
    m.topLeftCorner<3, 3>() = skew(to_eigen(t.angular));
    m.topRightCorner<3, 1>() = to_eigen(t.linear);
    return m;
  };
  for (int k = 0; k < 20; ++k) {
    const Twist a = random_twist<double>(random), b = random_twist<double>(random);
    EXPECT_LE((hat(bracket(a, b)) - (hat(a) * hat(b) - hat(b) * hat(a))).norm(), 20 * k_eps);
    const Wrench w = random_wrench<double>(random);
    EXPECT_NEAR(dot(bracket_transpose(a, w), b), dot(w, bracket(a, b)), 20 * k_eps);
  }
}

// Ad_exp(t) = exp(ad_t): to first order the adjoint of a small pose is 1 + ad.
TEST_F(PoseTest, AdjointOfASmallPoseIsTheBracket) {
  const double h = 1e-6;  // error h^2 = 1e-12
  const Twist a = random_twist<double>(random), b = random_twist<double>(random);
  const Eigen::Matrix<double, 6, 1> slope =
      (to_eigen(exponential(h * a).act(b)) - to_eigen(exponential(-h * a).act(b))) / (2 * h);
  EXPECT_LE((slope - to_eigen(bracket(a, b))).norm(), 10 * h * h + 10 * k_eps / h);
}

TEST_F(PoseTest, IndexingIsAngularFirst) {
  Twist t{{1, 2, 3}, {4, 5, 6}};
  Wrench w{{1, 2, 3}, {4, 5, 6}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(t[i], i + 1);
    EXPECT_EQ(w[i], i + 1);
    EXPECT_EQ(to_eigen(t)(i), i + 1);
    EXPECT_EQ(to_eigen(w)(i), i + 1);
  }
  t += Twist{{1, 1, 1}, {1, 1, 1}};
  w -= Wrench{{1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ((t - Twist{{2, 3, 4}, {5, 6, 7}})[4], 0);
  EXPECT_EQ(w[5], 5);
}

TEST_F(PoseTest, CastKeepsEveryEntry) {
  const Pose g = random_pose();
  const PoseT<long double> wide = g.cast<long double>();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(wide.position[i], static_cast<long double>(g.position[i]));
    for (int j = 0; j < 3; ++j) EXPECT_EQ(wide.rotation(i, j), static_cast<long double>(g.rotation(i, j)));
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
