// Gauss and Legendre's rule on [0, 1]: exact polynomials, and an integral with a known value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bodies/rod/rod_discretization.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr long double k_eps = std::numeric_limits<long double>::epsilon();

TEST(GaussLegendreTest, IntegratesPolynomialsUpToTheDegreeThatItPromises) {
  for (const int count : {1, 2, 3, 4, 5, 8, 13, 20, 37, 64, 100}) {
    std::vector<long double> x, w;
    gauss_legendre(count, x, w);
    for (int degree = 0; degree < 2 * count; ++degree) {
      long double sum = 0.0L;
      for (int i = 0; i < count; ++i) sum += w[i] * std::pow(x[i], static_cast<long double>(degree));
      EXPECT_LT(std::fabs(sum * (degree + 1) - 1.0L), 100 * count * k_eps) << count << " points, degree " << degree;
    }
    long double sum = 0.0L;  // the degree after: not exact, so that the test above can fail
    for (int i = 0; i < count && count < 12; ++i) sum += w[i] * std::pow(x[i], static_cast<long double>(2 * count));
    if (count < 12) {
      EXPECT_GT(std::fabs(sum * (2 * count + 1) - 1.0L), 1e6L * k_eps) << count;
    }
  }
}

TEST(GaussLegendreTest, ManyPointsAreOrderedSymmetricAndExact) {
  for (const int count : {500, 999, 1000}) {
    std::vector<long double> x, w;
    gauss_legendre(count, x, w);
    long double sum = 0.0L;
    for (int i = 0; i < count; ++i) {
      EXPECT_GT(w[i], 0.0L);
      EXPECT_GT(x[i], i > 0 ? x[i - 1] : 0.0L) << i;
      EXPECT_NEAR(double(x[i] + x[count - 1 - i] - 1.0L), 0.0, double(4 * k_eps));
      sum += w[i] * std::cos(900.0L * x[i]);  // 143 waves: only nodes that are right make it cancel
    }
    EXPECT_LT(std::fabs(sum - std::sin(900.0L) / 900.0L), 1000 * k_eps) << count;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
