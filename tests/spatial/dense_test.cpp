#include "cuttle/spatial/dense.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <vector>

#include "support/angles.h"

namespace cuttle::CUTTLE_FILE {
namespace {

template <typename S>
using RowMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename S>
RowMatrix<S> random_matrix(test::Random& random, int rows, int columns) {
  RowMatrix<S> a(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) a(i, j) = random.uniform();
  }
  return a;
}
/// Positive definite with eigenvalues in [1, condition], and rows of very different scale as rad and m have.
template <typename S>
RowMatrix<S> random_definite(test::Random& random, int n, double condition) {
  const RowMatrix<S> square = random_matrix<S>(random, n, n);
  const RowMatrix<S> Q = Eigen::HouseholderQR<RowMatrix<S>>(square).householderQ();
  Eigen::Matrix<S, Eigen::Dynamic, 1> values(n), scale(n);
  for (int i = 0; i < n; ++i) {
    values[i] = random.uniform(1.0, condition);
    scale[i] = std::pow(10.0, random.uniform(-3.0, 3.0));
  }
  RowMatrix<S> a = scale.asDiagonal() * Q * values.asDiagonal() * Q.transpose() * scale.asDiagonal();
  return (a + a.transpose()) / S(2);
}

template <typename S>
class Dense : public testing::Test {};
using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(Dense, Scalars);

// every remainder of the four-pivot panels, and a size of a large body
const std::vector<int> k_sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 23, 24, 97};

TYPED_TEST(Dense, SolutionSatisfiesTheEquations) {
  using S = TypeParam;
  test::Random random(1);
  constexpr S eps = std::numeric_limits<S>::epsilon();
  for (const int n : k_sizes) {
    const RowMatrix<S> A = random_definite<S>(random, n, 100.0);
    RowMatrix<S> factor = A;
    // only the upper triangle may be read
    factor.template triangularView<Eigen::StrictlyLower>().setConstant(std::numeric_limits<S>::quiet_NaN());
    ASSERT_TRUE(ldlt_factor(factor.data(), n)) << "n " << n;
    const RowMatrix<S> b = random_matrix<S>(random, n, 8);
    RowMatrix<S> x = b;
    ldlt_solve(factor.data(), n, x.data(), 8);
    // a Cholesky solution is backward stable: |A x - b| <= c n eps |A| |x| row by row, with |L| |L^T| near |A|
    const RowMatrix<S> bound = S(n) * eps * (A.cwiseAbs() * x.cwiseAbs());
    EXPECT_TRUE(((A * x - b).cwiseAbs().array() <= 100 * bound.array()).all()) << "n " << n;

    for (int c = 0; c < 8; ++c) {
      Eigen::Matrix<S, Eigen::Dynamic, 1> single = b.col(c);
      ldlt_solve(factor.data(), n, single.data());
      const RowMatrix<S> difference = A * (single - x.col(c));
      EXPECT_TRUE((difference.cwiseAbs().array() <= 100 * bound.col(c).array()).all()) << "n " << n << ", c " << c;
    }
  }
}

// The elimination of a body uses the halves of the solution: (L^-1 B)^T D^-1 (L^-1 B) = B^T A^-1 B.
TYPED_TEST(Dense, HalvesOfTheSolutionFit) {
  using S = TypeParam;
  test::Random random(2);
  for (const int n : k_sizes) {
    const RowMatrix<S> A = random_definite<S>(random, n, 100.0);
    RowMatrix<S> factor = A;
    ASSERT_TRUE(ldlt_factor(factor.data(), n));
    const RowMatrix<S> b = random_matrix<S>(random, n, 3);
    RowMatrix<S> half = b, whole = b;
    ldlt_forward(factor.data(), n, half.data(), 3);
    ldlt_solve(factor.data(), n, whole.data(), 3);
    const RowMatrix<S> expected = b.transpose() * whole;
    const RowMatrix<S> product = half.transpose() * factor.diagonal().asDiagonal() * half;
    // condition 100 after scaling, n terms
    EXPECT_LT((product - expected).norm(), 1000 * n * std::numeric_limits<S>::epsilon() * expected.norm()) << n;

    Eigen::Matrix<S, Eigen::Dynamic, 1> single = b.col(1);
    ldlt_forward(factor.data(), n, single.data());
    EXPECT_LT((single - half.col(1)).norm(), 1000 * n * std::numeric_limits<S>::epsilon() * half.col(1).norm()) << n;
    ldlt_backward(factor.data(), n, half.data(), 3);
    EXPECT_EQ(half, whole);
  }
}

TYPED_TEST(Dense, AgreesWithEigen) {
  using S = TypeParam;
  test::Random random(3);
  const int n = 17;
  const RowMatrix<S> A = random_definite<S>(random, n, 10.0);
  RowMatrix<S> factor = A;
  ASSERT_TRUE(ldlt_factor(factor.data(), n));
  const RowMatrix<S> L = Eigen::LLT<RowMatrix<S>>(A).matrixL();
  for (int i = 0; i < n; ++i) {
    const S pivot = L(i, i) * L(i, i);
    // pivots are Schur complements; condition 10
    EXPECT_LE(std::abs(factor(i, i) * pivot - 1), 1000 * std::numeric_limits<S>::epsilon()) << i;
    for (int j = i + 1; j < n; ++j) {
      const S scale = std::sqrt(A(j, j)) * L(i, i);
      EXPECT_LE(std::abs(factor(i, j) - L(j, i) * L(i, i)), 1000 * std::numeric_limits<S>::epsilon() * scale)
          << i << ' ' << j;
    }
  }
}

TYPED_TEST(Dense, RefusesWhatIsNotPositiveDefinite) {
  using S = TypeParam;
  test::Random random(4);
  for (const int n : k_sizes) {
    const RowMatrix<S> A = random_definite<S>(random, n, 10.0);
    for (const int row : {0, n / 2, n - 1}) {
      RowMatrix<S> indefinite = A;
      indefinite(row, row) = -indefinite(row, row);
      EXPECT_FALSE(ldlt_factor(indefinite.data(), n)) << "n " << n << ", row " << row;
      RowMatrix<S> massless = A;
      massless.row(row).setZero();
      massless.col(row).setZero();
      EXPECT_FALSE(ldlt_factor(massless.data(), n)) << "n " << n << ", row " << row;
      EXPECT_TRUE(massless.template triangularView<Eigen::Upper>().toDenseMatrix().allFinite());
      RowMatrix<S> unknown = A;
      unknown(row, row) = std::numeric_limits<S>::quiet_NaN();
      EXPECT_FALSE(ldlt_factor(unknown.data(), n)) << "n " << n << ", row " << row;
      if (n == 1) continue;
      // a coordinate that repeats another: singular up to rounding
      const int twin = row == 0 ? 1 : 0;
      RowMatrix<S> repeated = A;
      repeated.row(row) = repeated.row(twin);
      repeated.col(row) = repeated.col(twin);
      EXPECT_FALSE(ldlt_factor(repeated.data(), n)) << "n " << n << ", row " << row;
    }
  }
}

// Ill-conditioned but regular matrices are no failure: a light tip on a heavy arm.
TEST(DenseTolerance, AcceptsSmallPivots) {
  std::vector<double> a{1.0, 1.0, 1.0, 1.0 + 1e-13};
  EXPECT_TRUE(ldlt_factor(a.data(), 2));
  EXPECT_LE(std::abs(1 / a[3] - 1e-13), 1e-15);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
