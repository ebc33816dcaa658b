// Elementary functions of packs against the standard library in long double, in units in the last place of the result.
// Built once more for each instruction set with CUTTLE_ISA_WIDTH lanes.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cuttle/spatial/pack.h"

#ifndef CUTTLE_ISA_WIDTH
#define CUTTLE_ISA_WIDTH 2
#endif

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr int k_width = CUTTLE_ISA_WIDTH;
using P = Pack<k_width>;
using L = Lanes<P, double>;
using Limits = std::numeric_limits<double>;
constexpr double k_infinity = Limits::infinity(), k_nan = Limits::quiet_NaN();

/// Error of `found` in units in the last place of the double nearest to `expected`; zeros must have the right sign.
double ulps(double found, long double expected) {
  const double nearest = static_cast<double>(expected);
  if (std::isnan(nearest) || std::isinf(nearest) || nearest == 0.0 || !std::isfinite(found)) {
    const bool same =
        std::isnan(nearest) ? std::isnan(found) : found == nearest && std::signbit(found) == std::signbit(nearest);
    return same ? 0.0 : k_infinity;
  }
  const int exponent = std::max(std::ilogb(nearest), Limits::min_exponent - 1);
  return static_cast<double>(std::abs(found - expected) / std::ldexp(1.0L, exponent - 52));
}

/// The largest error, and where.
struct Worst {
  double error = 0.0, x = 0.0, y = 0.0;
  int count = 0;
  void add(double found, long double expected, double x_now, double y_now = 0.0) {
    const double now = ulps(found, expected);
    if (now > error) *this = {now, x_now, y_now, count};
    ++count;
  }
};
std::ostream& operator<<(std::ostream& out, const Worst& w) {
  out.precision(17);
  return out << w.error << " ulp at x = " << w.x << ", y = " << w.y << " among " << w.count;
}
/// Keeps the largest error of each name in the report of the test.
void record(const std::string& name, double error) {
  static std::map<std::string, double> largest;
  largest[name] = std::max(largest[name], error);
  ::testing::Test::RecordProperty("ulp_" + name, std::to_string(largest[name]));
}
#define EXPECT_WORST(worst, bound)                \
  EXPECT_LT((worst).error, bound) << (worst);     \
  EXPECT_GE((worst).count, 1) << "nothing tried"; \
  record(#worst, (worst).error)

template <typename Function>
double in_one_lane(Function f, double x) {
  return L::lane(f(P(x)), k_width - 1);
}

/// Every argument once; `function` of packs against `reference` of long doubles.
template <typename Function, typename Reference>
Worst compare(const std::vector<double>& arguments, Function function, Reference reference) {
  Worst worst;
  for (size_t i = 0; i < arguments.size(); i += k_width) {
    double x[k_width], f[k_width];
    for (int lane = 0; lane < k_width; ++lane) x[lane] = arguments[std::min(i + lane, arguments.size() - 1)];
    L::store(f, function(L::load(x)));
    for (int lane = 0; lane < k_width; ++lane)
      worst.add(f[lane], reference(static_cast<long double>(x[lane])), x[lane]);
  }
  return worst;
}

std::vector<double> uniform(double low, double high, int count = 200000) {
  std::mt19937_64 random(20260101);
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<double> r(count);
  for (double& x : r) x = distribution(random);
  return r;
}
/// Both signs, any exponent in [low, high].
std::vector<double> all_magnitudes(int low, int high, int count = 200000) {
  std::mt19937_64 random(20260102);
  std::uniform_real_distribution<double> mantissa(1.0, 2.0);
  std::uniform_int_distribution<int> exponent(low, high), sign(0, 1);
  std::vector<double> r(count);
  for (double& x : r) x = std::ldexp(sign(random) ? mantissa(random) : -mantissa(random), exponent(random));
  return r;
}
std::vector<double> sizes(std::vector<double> r) {
  for (double& x : r) x = std::abs(x);
  return r;
}

P sine(const P& x) { return sin(x); }
P cosine(const P& x) { return cos(x); }
P sine_of_both(const P& x) {
  P s, c;
  sincos(x, s, c);
  return s;
}
P cosine_of_both(const P& x) {
  P s, c;
  sincos(x, s, c);
  return c;
}
long double sine_reference(long double x) { return std::sin(x); }
long double cosine_reference(long double x) { return std::cos(x); }

TEST(PackMath, SineAndCosineOfUniformAngles) {
  for (const double range : {1.0, 7.0, 1000.0, 524288.0}) {
    const std::vector<double> x = uniform(-range, range);
    const Worst sin_error = compare(x, sine, sine_reference), cos_error = compare(x, cosine, cosine_reference);
    EXPECT_WORST(sin_error, 0.9);
    EXPECT_WORST(cos_error, 0.9);
  }
}

TEST(PackMath, SineAndCosineOfAllMagnitudes) {
  const std::vector<double> x = all_magnitudes(-1074, 1023);  // beyond 2^19 the standard library's
  const Worst sin_error = compare(x, sine, sine_reference), cos_error = compare(x, cosine, cosine_reference);
  EXPECT_WORST(sin_error, 0.9);
  EXPECT_WORST(cos_error, 0.9);
}

// There one of the two nearly vanishes, and all its digits come from the lower parts of pi/2.
TEST(PackMath, SineAndCosineNextToEveryMultipleOfHalfPi) {
  std::vector<double> x;
  const int last = static_cast<int>(524288 / (std::numbers::pi / 2));
  for (int n = 1; n <= last; ++n) {
    const double nearest = static_cast<double>(n * (std::numbers::pi_v<long double> / 2));
    x.push_back(n % 2 == 0 ? nearest : -nearest);
    if (n % 8 == 0) x.push_back(std::nextafter(nearest, 0.0)), x.push_back(std::nextafter(nearest, k_infinity));
  }
  const Worst sin_error = compare(x, sine, sine_reference), cos_error = compare(x, cosine, cosine_reference);
  EXPECT_WORST(sin_error, 0.9);
  EXPECT_WORST(cos_error, 0.9);
}

TEST(PackMath, SincosIsSineAndCosineBitForBit) {
  std::vector<double> x = all_magnitudes(-30, 25, 20000);
  x.insert(x.end(), {0.0, -0.0, 6381956970095103.0 * 0x1p797, 524288.0, std::nextafter(524288.0, k_infinity)});
  for (const double angle : x) {
    EXPECT_EQ(in_one_lane(sine, angle), in_one_lane(sine_of_both, angle)) << angle;
    EXPECT_EQ(in_one_lane(cosine, angle), in_one_lane(cosine_of_both, angle)) << angle;
  }
}

TEST(PackMath, SineIsOddAndCosineEvenBitForBit) {
  for (const double x : all_magnitudes(-60, 25, 20000)) {
    EXPECT_EQ(in_one_lane(sine, -x), -in_one_lane(sine, x)) << x;
    EXPECT_EQ(in_one_lane(cosine, -x), in_one_lane(cosine, x)) << x;
  }
}

TEST(PackMath, SineAndCosineOfSpecialValues) {
  EXPECT_EQ(in_one_lane(cosine, 0.0), 1.0);
  EXPECT_EQ(in_one_lane(cosine, -0.0), 1.0);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(in_one_lane(sine, 0.0)), std::bit_cast<std::uint64_t>(0.0));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(in_one_lane(sine, -0.0)), std::bit_cast<std::uint64_t>(-0.0));
  for (const double tiny : {Limits::denorm_min(), Limits::min(), 1e-300, 1e-20, -1e-9}) {
    EXPECT_EQ(in_one_lane(sine, tiny), tiny);
    EXPECT_EQ(in_one_lane(cosine, tiny), 1.0);
  }
  for (const double bad : {k_nan, k_infinity, -k_infinity}) {
    EXPECT_TRUE(std::isnan(in_one_lane(sine, bad))) << bad;
    EXPECT_TRUE(std::isnan(in_one_lane(cosine, bad))) << bad;
  }
  // of all doubles the nearest to a multiple of pi/2, relative to its size: the standard library's own result, computed
  // when the test runs
  const volatile double nearest_to_half_pi = 6381956970095103.0 * 0x1p797;
  EXPECT_EQ(in_one_lane(cosine, nearest_to_half_pi), std::cos(nearest_to_half_pi));
  EXPECT_EQ(in_one_lane(sine, nearest_to_half_pi), std::sin(nearest_to_half_pi));
  EXPECT_NEAR(in_one_lane(cosine, nearest_to_half_pi), -4.687165924254624e-19, 1e-33);
}

// What a lane holds must not depend on its neighbors, be they in the slow path or no numbers.
TEST(PackMath, LanesDoNotSeeEachOther) {
  const std::vector<double> x = {0.3, -1e-300, 1e22, 2.5, -524289.0, k_nan, 77.0, -4.0, k_infinity, 0.0, 1e5, 5e-324};
  const auto check = [&](auto function, const char* name) {
    for (size_t shift = 0; shift < x.size(); ++shift) {
      double in[k_width], out[k_width];
      for (int i = 0; i < k_width; ++i) in[i] = x[(shift + i) % x.size()];
      L::store(out, function(L::load(in)));
      for (int i = 0; i < k_width; ++i) {
        const double alone = in_one_lane(function, in[i]);
        EXPECT_TRUE(out[i] == alone || (std::isnan(out[i]) && std::isnan(alone))) << name << " of " << in[i];
      }
    }
  };
  check(sine, "sin");
  check(cosine, "cos");
  check(sine_of_both, "sincos");
  check([](const P& a) { return exp(a); }, "exp");
  check([](const P& a) { return expm1(a); }, "expm1");
  check([](const P& a) { return log(a); }, "log");
  check([](const P& a) { return log1p(a); }, "log1p");
  check([](const P& a) { return tanh(a); }, "tanh");
  check([](const P& a) { return atan2(a, P(0.7)); }, "atan2");
}

Worst compare_atan2(const std::vector<double>& ys, const std::vector<double>& xs) {
  Worst worst;
  for (size_t i = 0; i + k_width <= ys.size(); i += k_width) {
    double f[k_width];
    L::store(f, atan2(L::load(&ys[i]), L::load(&xs[i])));
    for (int lane = 0; lane < k_width; ++lane) {
      const double y = ys[i + lane], x = xs[i + lane];
      worst.add(f[lane], std::atan2(static_cast<long double>(y), static_cast<long double>(x)), x, y);
    }
  }
  return worst;
}

TEST(PackMath, Atan2InAllQuadrants) {
  std::vector<double> x = uniform(-1.0, 1.0, 400000), y = x;
  std::shuffle(y.begin(), y.end(), std::mt19937_64(20260103));
  const Worst square = compare_atan2(y, x);
  EXPECT_WORST(square, 2.0);
  x = all_magnitudes(-1074, 1023, 400000), y = x;
  std::shuffle(y.begin(), y.end(), std::mt19937_64(20260104));
  const Worst any_size = compare_atan2(y, x);
  EXPECT_WORST(any_size, 2.0);
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * (i % 2 == 0 ? 0.5 + 1e-9 * (i % 100) : 1.0 + 1e-8 * (i % 200));
  const Worst at_the_switches = compare_atan2(y, x);
  EXPECT_WORST(at_the_switches, 2.0);
}

TEST(PackMath, Atan2OfSpecialValues) {
  const std::vector<double> values = {0.0,     -0.0,     1.0,        -1.0,        5e-324, -5e-324,
                                      1.7e308, -1.7e308, k_infinity, -k_infinity, k_nan};
  for (const double y : values) {
    for (const double x : values) {
      const double found = L::lane(atan2(P(y), P(x)), 0), expected = std::atan2(y, x);
      EXPECT_LT(ulps(found, expected), 1.5) << y << ", " << x << ": " << found << ", expected " << expected;
    }
  }
}

TEST(PackMath, ExponentialsAndLogarithms) {
  const auto pack_exp = [](const P& x) { return exp(x); };
  const auto pack_expm1 = [](const P& x) { return expm1(x); };
  const auto pack_log = [](const P& x) { return log(x); };
  const auto pack_log1p = [](const P& x) { return log1p(x); };
  const auto exp_l = [](long double x) { return std::exp(x); };
  const auto expm1_l = [](long double x) { return std::expm1(x); };
  const auto log_l = [](long double x) { return std::log(x); };
  const auto log1p_l = [](long double x) { return std::log1p(x); };
  for (const double range : {0.4, 3.0, 40.0, 760.0}) {
    const std::vector<double> x = uniform(-range, range);
    const Worst exp_error = compare(x, pack_exp, exp_l), expm1_error = compare(x, pack_expm1, expm1_l);
    EXPECT_WORST(exp_error, 1.0);
    EXPECT_WORST(expm1_error, 1.3);
  }
  const std::vector<double> small = all_magnitudes(-1074, 0);
  const Worst exp_small = compare(small, pack_exp, exp_l), expm1_small = compare(small, pack_expm1, expm1_l);
  EXPECT_WORST(exp_small, 1.0);
  EXPECT_WORST(expm1_small, 1.3);
  for (const std::vector<double>& x : {uniform(0.5, 2.0), uniform(0.99, 1.01), sizes(all_magnitudes(-1074, 1023))}) {
    const Worst log_error = compare(x, pack_log, log_l);
    EXPECT_WORST(log_error, 1.0);
  }
  for (const std::vector<double>& x :
       {uniform(-0.999, 2.0), all_magnitudes(-1074, -1), sizes(all_magnitudes(-3, 1023))}) {
    const Worst log1p_error = compare(x, pack_log1p, log1p_l);
    EXPECT_WORST(log1p_error, 1.0);
  }
  const std::vector<double> special = {0.0,         -0.0,  1.0,    -1.0,  -2.0,  k_infinity,
                                       -k_infinity, k_nan, 5e-324, 700.0, -700.0};
  for (const double x : special) {
    EXPECT_LT(ulps(in_one_lane(pack_exp, x), std::exp(x)), 1.5) << x;
    EXPECT_LT(ulps(in_one_lane(pack_expm1, x), std::expm1(x)), 1.5) << x;
    EXPECT_LT(ulps(in_one_lane(pack_log, x), std::log(x)), 1.5) << x;
    EXPECT_LT(ulps(in_one_lane(pack_log1p, x), std::log1p(x)), 1.5) << x;
  }
}

TEST(PackMath, HyperbolicTangent) {
  const auto pack_tanh = [](const P& x) { return tanh(x); };
  const auto tanh_l = [](long double x) { return std::tanh(x); };
  for (const std::vector<double>& x :
       {uniform(-1.0, 1.0), uniform(-25.0, 25.0), uniform(-0.2, 0.2), all_magnitudes(-1074, 1023)}) {
    const Worst tanh_error = compare(x, pack_tanh, tanh_l);
    EXPECT_WORST(tanh_error, 2.6);
  }
  for (const double x : {0.0, -0.0, 20.0, -20.0, k_infinity, -k_infinity, k_nan}) {
    EXPECT_LT(ulps(in_one_lane(pack_tanh, x), std::tanh(x)), 1.5) << x;
  }
}

TEST(PackMath, SizesSignsAndRoots) {
  const std::vector<double> x = all_magnitudes(-1074, 1023, 1000);
  const auto size = [](const P& a) { return abs(a); };
  const auto root = [](const P& a) { return sqrt(abs(a)); };
  EXPECT_EQ(compare(x, size, [](long double a) { return std::abs(a); }).error, 0.0);
  const Worst sqrt_error = compare(x, root, [](long double a) { return std::sqrt(std::abs(a)); });
  EXPECT_WORST(sqrt_error, 0.5001);
  EXPECT_TRUE(std::isnan(in_one_lane([](const P& a) { return sqrt(a); }, -1.0)));
  EXPECT_EQ(in_one_lane([](const P& a) { return sqrt(a); }, k_infinity), k_infinity);
  EXPECT_EQ(L::lane(copysign(P(-3.0), P(0.0)), 0), 3.0);
  EXPECT_EQ(L::lane(copysign(P(3.0), P(-0.0)), 0), -3.0);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
