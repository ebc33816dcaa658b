// Derivatives by differences that know how far they are off.
#include "simulation/central_slope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cuttle::CUTTLE_FILE {
namespace {

double relative(const VectorXd& error, const VectorXd& slope) {
  return error.cwiseAbs().maxCoeff() / slope.cwiseAbs().maxCoeff();
}

VectorXd smooth(double x) {
  VectorXd y(2);
  y << std::exp(x), std::sin(3.0 * x) + 5.0;
  return y;
}

TEST(CentralSlope, FindsThatOfASmoothFunctionAndHowFarItIsOff) {
  for (const double step : {0.3, 0.03, 0.003}) {
    const CentralSlope found = central_slope(smooth, step, 1e-5, relative);
    EXPECT_LE(found.error, 1e-5) << step;
    const double error = std::max(std::abs(found.slope[0] - 1.0), std::abs(found.slope[1] - 3.0));
    EXPECT_LE(error, 3.0 * found.error + 1e-12) << step;
    EXPECT_LE(error, 1e-7) << step;
    EXPECT_GE(found.evaluations, 6);
    EXPECT_LE(found.evaluations, 16);
  }
}

// Noise as that of a solver: small steps drown in it, larger ones serve.
TEST(CentralSlope, TakesLargerStepsAboveNoise) {
  std::uint32_t state = 1;
  const auto noisy = [&](double x) {
    VectorXd y = smooth(x);
    for (double& number : y) {
      state = 1664525u * state + 1013904223u;
      number += 1e-11 * (state / 2147483648.0 - 1.0);
    }
    return y;
  };
  const CentralSlope found = central_slope(noisy, 1e-6, 1e-6, relative);
  EXPECT_LE(found.error, 1e-6);
  EXPECT_NEAR(found.slope[0], 1.0, 3e-6);
  EXPECT_NEAR(found.slope[1], 3.0, 9e-6);
  EXPECT_GT(found.evaluations, 16);
}

// A kink beside the point: steps shrink until it lies outside.
TEST(CentralSlope, StaysOnItsSideOfAKink) {
  const auto bent = [](double x) { return VectorXd::Constant(1, x < 0.03 ? std::exp(x) : 1.0 + 20.0 * (x - 0.01)); };
  const CentralSlope found = central_slope(bent, 0.1, 1e-6, relative);
  EXPECT_LE(found.error, 1e-6);
  EXPECT_NEAR(found.slope[0], 1.0, 1e-8);
}

TEST(CentralSlope, SaysThatAKinkAtThePointHasNone) {
  const auto bent = [](double x) { return VectorXd::Constant(1, std::abs(x) + std::sqrt(std::abs(x)) * x); };
  const auto jump = [](double x) { return VectorXd::Constant(1, x < 0.0 ? 0.0 : 1.0 + x); };
  const auto own = [](const VectorXd& error, const VectorXd& slope) {
    return error.cwiseAbs().maxCoeff() / std::max(1.0, slope.cwiseAbs().maxCoeff());
  };
  EXPECT_GT(central_slope(jump, 0.1, 1e-8, own).error, 0.1);
  EXPECT_GT(central_slope(bent, 0.1, 1e-12, own).error, 1e-12);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
