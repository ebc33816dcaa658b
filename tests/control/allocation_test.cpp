// Bounded least squares in the norm of M^-1: optimality conditions, and exactness where that can be.
#include "control/allocation.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "support/random.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_none = std::numeric_limits<double>::infinity();

MatrixXd random_matrix(test::Random& random, int rows, int cols) {
  MatrixXd x(rows, cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) x(i, j) = random.uniform(-1.0, 1.0);
  }
  return x;
}

/// M^-1 of a random robot; inputs of units that differ by five orders.
struct Problem {
  MatrixXd A, mobility, G;
  Problem(test::Random& random, int nv, int m, int rank) {
    A = random_matrix(random, nv, rank) * random_matrix(random, rank, m);
    for (int j = 0; j < m; ++j) A.col(j) *= std::pow(10.0, random.uniform(-3.0, 2.0));
    const MatrixXd root = random_matrix(random, nv, nv) + 2.0 * MatrixXd::Identity(nv, nv);
    mobility = root * root.transpose();
    G = A.transpose() * mobility * A;
  }
};

TEST(Allocation, ObeysTheOptimalityConditions) {
  test::Random random(11);
  int held = 0, free = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int nv = 5, m = 2 + trial % 6, rank = std::min({nv, m, 1 + trial % 5});
    const Problem p(random, nv, m, rank);
    const VectorXd nu = random_matrix(random, nv, 1), w = p.A.transpose() * p.mobility * nu;
    VectorXd lower(m), upper(m);
    for (int i = 0; i < m; ++i) {
      const double unit = 1.0 / std::sqrt(p.G(i, i));
      lower[i] = random.uniform(0.0, 1.0) < 0.2 ? -k_none : unit * random.uniform(-1.0, 0.2);
      upper[i] = random.uniform(0.0, 1.0) < 0.2 ? k_none : unit * random.uniform(0.2, 1.0);
    }
    Allocation allocation(m);
    VectorXd x(m);
    allocation.solve(p.G, w, lower, upper, x);
    const VectorXd gradient = p.G * x - w;
    for (int i = 0; i < m; ++i) {
      const double slope = gradient[i] / std::sqrt(p.G(i, i)), small = 1e-7;  // |nu| is about 1
      ASSERT_GE(x[i], lower[i]);
      ASSERT_LE(x[i], upper[i]);
      if (x[i] > lower[i] && x[i] < upper[i]) {
        EXPECT_NEAR(slope, 0.0, small) << trial;
        ++free;
      } else {
        EXPECT_FALSE(allocation.is_free(i) && std::abs(slope) > small);
        if (x[i] == lower[i]) {
          EXPECT_GE(slope, -small) << trial;
        }
        if (x[i] == upper[i]) {
          EXPECT_LE(slope, small) << trial;
        }
        ++held;
      }
    }
  }
  EXPECT_GT(held, 100);
  EXPECT_GT(free, 100);
}

TEST(Allocation, IsExactWhereInputsSpan) {
  test::Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    const int nv = 4, m = nv + trial % 3;  // redundant too
    const Problem p(random, nv, m, nv);
    const VectorXd nu = random_matrix(random, nv, 1);
    Allocation allocation(m);
    VectorXd x(m);
    const VectorXd none = VectorXd::Constant(m, k_none);
    allocation.solve(p.G, p.A.transpose() * p.mobility * nu, -none, none, x);
    EXPECT_LT((p.A * x - nu).norm(), 1e-7 * nu.norm()) << trial;
    // of all such x the shortest, in units of 1/sqrt(G_ii)
    const VectorXd unit = p.G.diagonal().cwiseSqrt();
    const MatrixXd scaled = p.A * unit.cwiseInverse().asDiagonal();
    const VectorXd shortest = scaled.completeOrthogonalDecomposition().solve(nu);
    EXPECT_LT((unit.cwiseProduct(x) - shortest).norm(), 1e-5 * (1.0 + shortest.norm())) << trial;
  }
}

// Two antagonists of one joint: the one that pulls the right way does all of it.
TEST(Allocation, TendonsPullOnly) {
  MatrixXd G(2, 2);
  G << 4.0, -4.0, -4.0, 4.0;
  Allocation allocation(2);
  VectorXd x(2);
  const VectorXd zero = VectorXd::Zero(2), none = VectorXd::Constant(2, k_none);
  allocation.solve(G, VectorXd{{-2.0, 2.0}}, zero, none, x);
  EXPECT_EQ(x[0], 0.0);
  EXPECT_NEAR(x[1], 0.5, 1e-8);
  allocation.solve(G, VectorXd{{-2.0, 2.0}}, zero, VectorXd{{1.0, 0.3}}, x);
  EXPECT_EQ(x[0], 0.0);
  EXPECT_EQ(x[1], 0.3);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
