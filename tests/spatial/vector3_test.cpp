#include "cuttle/spatial/vector3.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "cuttle/spatial/eigen.h"
#include "support/angles.h"
#include "support/epsilon.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

class Vector3Test : public testing::Test {
 protected:
  Random random{43};
  Vector3 vector() { return random_vector<double>(random); }
  Matrix3 matrix() { return {vector(), vector(), vector()}; }
};

TEST_F(Vector3Test, ProductsAreEigens) {
  for (int k = 0; k < 10; ++k) {
    const Vector3 a = vector(), b = vector();
    const Matrix3 A = matrix(), B = matrix();
    EXPECT_NEAR(dot(a, b), to_eigen(a).dot(to_eigen(b)), 4 * k_eps);
    EXPECT_NEAR(norm(a), to_eigen(a).norm(), 4 * k_eps);
    EXPECT_LE((to_eigen(cross(a, b)) - to_eigen(a).cross(to_eigen(b))).norm(), 4 * k_eps);
    EXPECT_LE((to_eigen(A * a) - to_eigen(A) * to_eigen(a)).norm(), 8 * k_eps);
    EXPECT_LE((to_eigen(A.transpose_times(a)) - to_eigen(A).transpose() * to_eigen(a)).norm(), 8 * k_eps);
    EXPECT_LE((to_eigen(A * B) - to_eigen(A) * to_eigen(B)).norm(), 16 * k_eps);
    EXPECT_EQ(to_eigen(A.transpose()), to_eigen(A).transpose());
    EXPECT_LE((to_eigen(Matrix3::skew(a) * b) - to_eigen(cross(a, b))).norm(), 4 * k_eps);
    EXPECT_LE((to_eigen(Matrix3::outer(a, b)) - to_eigen(a) * to_eigen(b).transpose()).norm(), 4 * k_eps);
    EXPECT_EQ(to_eigen(Matrix3::from_columns(a, b, a)).col(1), to_eigen(b));
    EXPECT_EQ(to_eigen(A.column(2)), to_eigen(A).col(2));
    EXPECT_EQ(to_eigen(A + B - B).rows(), 3);
    EXPECT_LE((to_eigen(A - 2.0 * B) - (to_eigen(A) - 2.0 * to_eigen(B))).norm(), 4 * k_eps);
  }
}

TEST_F(Vector3Test, SymmetricMatrices) {
  for (int k = 0; k < 10; ++k) {
    const Matrix3 full = matrix();
    const SymmetricMatrix3 A = SymmetricMatrix3::from_upper(full);
    const Eigen::Matrix3d dense = to_eigen(A.matrix());
    EXPECT_EQ(dense, dense.transpose());
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) EXPECT_EQ(dense(i, j), full(i, j));
      EXPECT_EQ(to_eigen(A.column(i)), dense.col(i));
    }
    const Vector3 a = vector();
    EXPECT_LE((to_eigen(A * a) - dense * to_eigen(a)).norm(), 8 * k_eps);
    const Matrix3 R = matrix();  // any matrix: the formula does not need a rotation
    EXPECT_LE((to_eigen(A.rotated(R).matrix()) - to_eigen(R) * dense * to_eigen(R).transpose()).norm(), 40 * k_eps);
    EXPECT_LE(
        (to_eigen(SymmetricMatrix3::outer(-1.7, a).matrix()) + 1.7 * to_eigen(a) * to_eigen(a).transpose()).norm(),
        8 * k_eps);
    const SymmetricMatrix3 B = SymmetricMatrix3::diagonal(1, 2, 3);
    EXPECT_LE((to_eigen((A + B - B).matrix()) - dense).norm(), 8 * 3 * k_eps);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
