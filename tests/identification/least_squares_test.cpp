#include "cuttle/identification/least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cuttle/error.h"

namespace cuttle::CUTTLE_FILE {
namespace {

bool rosenbrock(const VectorXd& z, VectorXd& r, MatrixXd* J) {
  r.resize(2);
  r << 10.0 * (z[1] - z[0] * z[0]), 1.0 - z[0];
  if (J == nullptr) return true;
  J->resize(2, 2);
  *J << -20.0 * z[0], 10.0, -1.0, 0.0;
  return true;
}

TEST(LeastSquares, FindsTheMinimumOfRosenbrock) {
  const LeastSquaresResult found = minimize_squares(rosenbrock, VectorXd::Constant(2, -1.2), 2);
  EXPECT_EQ(found.status, LeastSquaresStatus::converged);
  EXPECT_NEAR(found.z[0], 1.0, 1e-10);
  EXPECT_NEAR(found.z[1], 1.0, 1e-10);
  EXPECT_LT(found.cost, 1e-20);
}

// ln(z) exists for z > 0 alone; from 20 the first step would go below 0.
TEST(LeastSquares, StepsAroundWhereThereAreNoResiduals) {
  int refused = 0;
  const Residuals logarithm = [&](const VectorXd& z, VectorXd& r, MatrixXd* J) {
    if (!(z[0] > 0.0)) return ++refused, false;
    r = VectorXd::Constant(1, std::log(z[0]));
    if (J != nullptr) *J = MatrixXd::Constant(1, 1, 1.0 / z[0]);
    return true;
  };
  const LeastSquaresResult found = minimize_squares(logarithm, VectorXd::Constant(1, 20.0), 1);
  EXPECT_GT(refused, 0);
  EXPECT_NEAR(found.z[0], 1.0, 1e-8);
}

TEST(LeastSquares, SaysWhenThereIsNothingWhereItBegins) {
  const Residuals nothing = [](const VectorXd&, VectorXd&, MatrixXd*) { return false; };
  const LeastSquaresResult found = minimize_squares(nothing, VectorXd::Zero(1), 1);
  EXPECT_EQ(found.status, LeastSquaresStatus::failed);
  EXPECT_TRUE(std::isinf(found.cost));
  EXPECT_THROW(minimize_squares(nothing, VectorXd::Zero(2), 1), ArgumentError);
}

// Stopped before there was anything is not the same as a start that leads nowhere.
TEST(LeastSquares, AStopBeforeAnythingIsAStop) {
  LeastSquaresOptions options;
  options.stop = [] { return true; };
  LeastSquaresResult found = minimize_squares(rosenbrock, VectorXd::Constant(2, -1.2), 2, options);
  EXPECT_EQ(found.status, LeastSquaresStatus::stopped);
  EXPECT_TRUE(std::isinf(found.cost));
  bool stop = false;  // within the first evaluation
  options.stop = [&] { return stop; };
  const Residuals interrupted = [&](const VectorXd&, VectorXd&, MatrixXd*) { return stop = true, false; };
  found = minimize_squares(interrupted, VectorXd::Constant(2, -1.2), 2, options);
  EXPECT_EQ(found.status, LeastSquaresStatus::stopped);
  EXPECT_EQ(found.evaluations, 1);
}

TEST(LeastSquares, StopsAfterTheMostEvaluations) {
  LeastSquaresOptions options;
  options.max_evaluations = 3;
  const LeastSquaresResult found = minimize_squares(rosenbrock, VectorXd::Constant(2, -1.2), 2, options);
  EXPECT_EQ(found.status, LeastSquaresStatus::most_evaluations);
  EXPECT_EQ(found.evaluations, 3);
}

/// The residuals of y = a exp(-b t) from 3 exp(-0.7 t), by z = (a, b).
bool decay(const VectorXd& z, VectorXd& r, MatrixXd* J) {
  r.resize(30);
  if (J != nullptr) J->resize(30, 2);
  for (int i = 0; i < 30; ++i) {
    const double t = 0.1 * i, e = std::exp(-z[1] * t);
    r[i] = z[0] * e - 3.0 * std::exp(-0.7 * t);
    if (J != nullptr) J->row(i) << e, -z[0] * t * e;
  }
  return r.allFinite();
}

// From far beside the answer, also where bounds and start say nothing of its size.
TEST(LeastSquares, SearchesFromAnyStartNearABound) {
  constexpr double k_none = std::numeric_limits<double>::infinity();
  for (const double upper : {5.0, 1e3, 1e6, k_none}) {
    for (const double lower : {0.0, -k_none}) {
      for (const double start : {0.0, 1e-300, 1e-12, 1e-7, 1e-4, 0.1, 5.0}) {
        LeastSquaresOptions options;
        options.lower = Eigen::Vector2d(0.0, lower), options.upper = Eigen::Vector2d(10.0, upper);
        const LeastSquaresResult found = minimize_squares(decay, Eigen::Vector2d(1.0, start), 30, options);
        EXPECT_EQ(found.status, LeastSquaresStatus::converged) << upper << ", " << start;
        EXPECT_NEAR(found.z[0], 3.0, 1e-6) << upper << ", " << start;
        EXPECT_NEAR(found.z[1], 0.7, 1e-6) << upper << ", " << start;
        EXPECT_LT(found.evaluations, 40) << upper << ", " << start;
      }
    }
  }
}

// The least of |A z - b| in a box, by trying every choice of coordinates at their bounds (3^n), is where the search
// ends.
TEST(LeastSquares, FindsTheLeastInABox) {
  std::mt19937 random(7);
  const auto number = [&random] { return 2.0 * static_cast<double>(random()) / 4294967296.0 - 1.0; };
  int at_bounds = 0;
  for (int robot = 0; robot < 40; ++robot) {
    constexpr int n = 4, m = 7;
    const MatrixXd A = MatrixXd::NullaryExpr(m, n, number);
    const VectorXd b = 3.0 * VectorXd::NullaryExpr(m, number);
    const VectorXd lower = VectorXd::NullaryExpr(n, number).array() - 1.0, upper = lower.array() + 1.5;
    double least = std::numeric_limits<double>::infinity();
    for (int code = 0; code < 81; ++code) {  // a digit each: at the lower bound, at the upper one, free
      VectorXd z(n);
      std::vector<int> free;
      for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
        z[i] = rest % 3 == 0 ? lower[i] : rest % 3 == 1 ? upper[i] : 0.0;
        if (rest % 3 == 2) free.push_back(i);
      }
      if (!free.empty()) z(free) = VectorXd(MatrixXd(A(Eigen::all, free)).fullPivHouseholderQr().solve(b - A * z));
      if ((z.array() < lower.array()).any() || (z.array() > upper.array()).any()) continue;
      least = std::min(least, 0.5 * (A * z - b).squaredNorm());
    }
    LeastSquaresOptions options;
    options.lower = lower, options.upper = upper;
    bool outside = false;
    const Residuals linear = [&](const VectorXd& z, VectorXd& r, MatrixXd* J) {
      outside = outside || (z.array() < lower.array()).any() || (z.array() > upper.array()).any();
      r = A * z - b;
      if (J != nullptr) *J = A;
      return true;
    };
    const LeastSquaresResult found = minimize_squares(linear, 5.0 * VectorXd::NullaryExpr(n, number), m, options);
    EXPECT_EQ(found.status, LeastSquaresStatus::converged) << robot;
    EXPECT_NEAR(found.cost, least, 1e-9 * least) << robot;
    EXPECT_FALSE(outside) << robot;
    at_bounds += ((found.z - lower).array() == 0.0).any() || ((upper - found.z).array() == 0.0).any() ? 1 : 0;
  }
  EXPECT_GT(at_bounds, 20);
}

// Slopes that lead upwards: no step is better, and that is no minimum.
TEST(LeastSquares, SaysWhenNoStepIsBetter) {
  const Residuals wrong = [](const VectorXd& z, VectorXd& r, MatrixXd* J) {
    r = VectorXd::Constant(2, z[0] - 3.0);
    if (J != nullptr) *J = MatrixXd::Constant(2, 1, -1.0);
    return true;
  };
  const LeastSquaresResult found = minimize_squares(wrong, VectorXd::Constant(1, 1.0), 2);
  EXPECT_EQ(found.status, LeastSquaresStatus::stalled);
  EXPECT_EQ(found.z[0], 1.0);
}

// The square of what stands in for a residual is twice its cost, by the formulas of the header.
TEST(LeastSquares, LossesAreAsDeclared) {
  const double scale = 0.5;
  for (const double r : {-4.0, -0.3, 0.0, 1e-9, 0.2, 0.7, 3.0}) {
    const double z = r * r / (scale * scale);
    const double rho[] = {z, 2.0 * (std::sqrt(1.0 + z) - 1.0), z <= 1.0 ? z : 2.0 * std::sqrt(z) - 1.0,
                          std::log(1.0 + z)};
    const Loss losses[] = {Loss::squares, Loss::soft_l1, Loss::huber, Loss::cauchy};
    for (int k = 0; k < 4; ++k) {
      const LossyResidual s = lossy(losses[k], scale, r);
      EXPECT_NEAR(s.value * s.value, scale * scale * rho[k], 1e-14 * (1.0 + z)) << k << ", " << r;
      EXPECT_EQ(std::signbit(s.value), std::signbit(r));
      const double h = 1e-6;
      const double slope = (lossy(losses[k], scale, r + h).value - lossy(losses[k], scale, r - h).value) / (2 * h);
      EXPECT_NEAR(s.slope, slope, 1e-8) << k << ", " << r;
    }
  }
  EXPECT_THROW(loss_of_name("square"), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
