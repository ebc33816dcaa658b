// What varies in a sweep: lists, ranges, distributions, and properties of the samples that are drawn.
#include "io/sweeps/sweep_variable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cuttle/error.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(SweepVariable, ReadsListsRangesAndDistributions) {
  EXPECT_EQ(read_sweep_variable("a.b=1, -2,3e5")->values, (std::vector{1.0, -2.0, 3e5}));
  EXPECT_EQ(read_sweep_variable("a=0:1:5")->values, (std::vector{0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(read_sweep_variable("a=2:9:1")->values, (std::vector{2.0}));
  const auto decades = read_sweep_variable("a=1e2:1e5:4:log")->values;
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(decades[static_cast<std::size_t>(i)], std::pow(10.0, 2 + i), 1e-12 * std::pow(10.0, 2 + i));
  }
  EXPECT_EQ(decades.back(), 1e5);
  for (const char* text : {"a=-1:3", "a=uniform(-1, 3)"}) {
    const auto uniform = read_sweep_variable(text);
    EXPECT_EQ(uniform->kind, SweepVariable::Kind::uniform);
    EXPECT_EQ(uniform->at(0.25), 0.0);
  }
  const auto normal = read_sweep_variable("a=normal(10,2)");
  EXPECT_EQ(normal->at(0.5), 10.0);
  EXPECT_NEAR(normal->at(0.975), 10 + 2 * 1.959963984540054, 1e-14);
  // one value, and what is no number, is for all runs
  for (const char* text : {"a=1", "a=[1,2]", "a={type: rk4, step: 1e-3}", "a=erk", "a=true", "a"}) {
    EXPECT_FALSE(read_sweep_variable(text)) << text;
  }
  for (const char* text : {"a=1,x", "a=1:2:1.5", "a=1:2:3:lin", "a=1:2:3:log:4", "a=1:1", "a=uniform(1)",
                           "a=normal(0,0)", "a=normal(0,1", "a=0:1:3:log", "a=1,inf"}) {
    EXPECT_THROW(read_sweep_variable(text), ArgumentError) << text;
  }
}

// Tables of the normal distribution, and its own definition by the error function.
TEST(SweepVariable, QuantilesAreThoseOfTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(normal_quantile(0.8413447460685429), 1.0, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  for (double u = 1e-16; u < 1.0; u = u < 1e-3 ? 10 * u : u + 1e-3) {
    const double x = normal_quantile(u);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)), u, 1e-14 * std::max(1.0, x * x) * std::max(u, 1e-17)) << u;
    EXPECT_LE(std::abs(normal_quantile(1.0 - u) + x), 1e-15 + 2.0 * std::ldexp(1.0, -53) / std::exp(-0.5 * x * x)) << u;
  }
}

TEST(SweepSamples, EachPartOfALatinHypercubeHasOneSample) {
  constexpr int n = 1000;
  const SweepSamples samples("lhs", n, 3, 5);
  for (std::size_t j = 0; j < 3; ++j) {
    std::set<int> parts;
    for (int i = 0; i < n; ++i) parts.insert(static_cast<int>(std::floor(n * samples.at(i, j))));
    EXPECT_EQ(parts.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(*parts.begin(), 0);
    EXPECT_EQ(*parts.rbegin(), n - 1);
  }
  // the orders are unlike each other: for random ones the correlation is about 1 / sqrt(n)
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (samples.at(i, 0) - 0.5) * (samples.at(i, 1) - 0.5);
  EXPECT_LT(std::abs(12.0 * sum / n), 4.0 / std::sqrt(n));
}

TEST(SweepSamples, SobolPointsAreInEachElementaryInterval) {
  constexpr int m = 10, n = 1 << m;
  const SweepSamples samples("sobol", n, SweepSamples::k_most_sobol, 3);
  for (std::size_t j = 0; j < SweepSamples::k_most_sobol; ++j) {
    std::set<int> parts;
    for (int i = 0; i < n; ++i) parts.insert(static_cast<int>(n * samples.at(i, j)));
    EXPECT_EQ(parts.size(), static_cast<std::size_t>(n)) << "variable " << j;
  }
  // the first two are a net of quality 0: a point in each box of 2^-k by 2^-(m - k), [Sobol' 1967]
  for (int k = 0; k <= m; ++k) {
    std::set<std::pair<int, int>> boxes;
    for (int i = 0; i < n; ++i) {
      boxes.emplace(static_cast<int>(std::ldexp(samples.at(i, 0), k)),
                    static_cast<int>(std::ldexp(samples.at(i, 1), m - k)));
    }
    EXPECT_EQ(boxes.size(), static_cast<std::size_t>(n)) << k;
  }
}

// A shift of digits leaves x_i ^ x_0 as it is: the first points in the literature, in the order of their numbers.
TEST(SweepSamples, SobolPointsAreThoseOfTheLiterature) {
  const SweepSamples samples("sobol", 8, 2, 11);
  const auto digits = [&](int i, std::size_t j) {
    return static_cast<std::uint32_t>(std::ldexp(samples.at(i, j), 32));
  };
  const double expected[8][2] = {{0, 0},         {0.5, 0.5},     {0.25, 0.75},   {0.75, 0.25},
                                 {0.125, 0.625}, {0.625, 0.125}, {0.375, 0.375}, {0.875, 0.875}};
  for (int i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(std::ldexp(static_cast<double>(digits(i, j) ^ digits(0, j)), -32), expected[i][j]) << i << " " << j;
    }
  }
}

// The integral of prod 12 (x - 1/2)^2 over the cube is 1; n random points err by about sqrt(((9/5)^d - 1) / n).
TEST(SweepSamples, SobolPointsIntegrateBetterThanRandomOnes) {
  constexpr int n = 4096, d = 5;
  const auto error = [](const SweepSamples& samples) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      double product = 1.0;
      for (std::size_t j = 0; j < d; ++j) product *= 12.0 * std::pow(samples.at(i, j) - 0.5, 2);
      sum += product;
    }
    return std::abs(sum / n - 1.0);
  };
  const double random = std::sqrt((std::pow(1.8, d) - 1.0) / n);
  EXPECT_LT(error(SweepSamples("sobol", n, d, 1)), 0.2 * random);
  EXPECT_LT(error(SweepSamples("random", n, d, 1)), 4.0 * random);
}

TEST(SweepSamples, SayWhatIsWrong) {
  EXPECT_THROW(SweepSamples("halton", 4, 1, 0), ArgumentError);
  EXPECT_THROW(SweepSamples("lhs", 0, 1, 0), ArgumentError);
  EXPECT_THROW(SweepSamples("sobol", 4, SweepSamples::k_most_sobol + 1, 0), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
