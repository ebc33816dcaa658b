#include "cuttle/identification/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

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
