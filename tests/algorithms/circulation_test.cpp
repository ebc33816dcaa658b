// Stability under forces that are no energy's, as of a torque about fixed axes: the closed form of two coordinates,
// and random robots beside the eigenvalues of their pencil.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/modes.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

LinearizedMotion motion_of(const MatrixXd& M, const MatrixXd& D, const MatrixXd& K) {
  const Eigen::Index n = M.rows();
  LinearizedMotion motion;
  motion.motions = MatrixXd::Identity(n, n);
  motion.mass = M, motion.damping = D, motion.stiffness = K;
  motion.state_force.resize(n, 0), motion.state_by_x.resize(0, n), motion.state_by_rate.resize(0, n);
  motion.state_by_state.resize(0, 0);
  return motion;
}

/// Largest real part of the roots of det(M l^2 + D l + K).
double fastest_growth(const MatrixXd& M, const MatrixXd& D, const MatrixXd& K) {
  const Eigen::Index n = M.rows();
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n), B = MatrixXd::Identity(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -K, A.bottomRightCorner(n, n) = -D, B.bottomRightCorner(n, n) = M;
  return Eigen::GeneralizedEigenSolver<MatrixXd>(A, B).eigenvalues().real().maxCoeff();
}

// m x'' + d x' + k x + n J x = 0 in a plane, J a quarter turn: with z = x + i y, m l^2 + d l + k - i n = 0, which
// flutters from n = d sqrt(k / m) on.
TEST(CirculationTest, FluttersFromTheClosedFormOn) {
  const double m = 0.7, k = 3.0;
  for (const double d : {1e-3, 0.2, 5.0}) {
    for (const double part : {0.5, 0.99, 0.999999, 1.000001, 1.01, 3.0}) {
      const double n = part * d * std::sqrt(k / m);
      const MatrixXd I = MatrixXd::Identity(2, 2);
      const MatrixXd K = (MatrixXd(2, 2) << k, -n, n, k).finished();
      const StabilityOfMotion found = stability_of(motion_of(m * I, d * I, K));
      EXPECT_EQ(found.stability, part < 1.0 ? Stability::stable : Stability::unstable) << "d " << d << ", " << part;
      if (part < 1.0) {
        EXPECT_EQ(found.growth_rate, 0.0);
      }
    }
  }
}

// stiff and soft coordinates, damping in proportion or not at all; a third of them flutter
TEST(CirculationTest, AgreesWithThePencilOfRandomRobots) {
  Random random(11);
  int stable = 0, unstable = 0;
  for (int i = 0; i < 600; ++i) {
    const Eigen::Index n = 1 + i % 9;
    const auto some = [&] {
      MatrixXd A(n, n);
      for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = random.uniform();
      return A;
    };
    const auto positive = [&](double least) {
      const MatrixXd A = some();
      return MatrixXd(A * A.transpose() + least * MatrixXd::Identity(n, n));
    };
    const MatrixXd M = positive(0.1), A = some(), energy = 10.0 * positive(0.1);
    const MatrixXd D = i % 3 == 0 ? MatrixXd(0.05 * energy) : positive(0.01);
    const MatrixXd K = energy + std::pow(10.0, random.uniform(-2.0, 1.5)) * (A - A.transpose());
    const double growth = fastest_growth(M, D, K);
    if (std::abs(growth) < 1e-6) continue;
    const StabilityOfMotion found = stability_of(motion_of(M, D, K));
    EXPECT_EQ(found.stability, growth < 0.0 ? Stability::stable : Stability::unstable) << i << ": " << growth;
    if (growth > 0.0) {
      EXPECT_NEAR(found.growth_rate, growth, 1e-7 * (1.0 + growth)) << i;
    }
    (growth < 0.0 ? stable : unstable) += 1;
  }
  EXPECT_GT(stable, 100);
  EXPECT_GT(unstable, 100);
}

// without damping an energy's matrix would be called stable: here nothing but the eigenvalues can tell
TEST(CirculationTest, UndampedOnesAreJudgedByTheirEigenvalues) {
  const MatrixXd I = MatrixXd::Identity(2, 2), none = MatrixXd::Zero(2, 2);
  EXPECT_EQ(stability_of(motion_of(I, none, (MatrixXd(2, 2) << 3.0, -0.1, 0.1, 3.0).finished())).stability,
            Stability::unstable);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
