// The differentiation type: every function against differences in long double, nested for second derivatives, and the
// spatial algebra through zero rotation.

#include "cuttle/spatial/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cuttle/spatial/logarithm.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/forward_lanes.h"
#include "support/epsilon.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using First = Dual<double, 1>;
using Second = Dual<First, 1>;

Second variable_twice(double x) { return Second::variable(First::variable(x, 0), 0); }

template <typename F>
long double slope(const F& f, long double x) {
  const long double h = 1e-3L;  // sixth order: 7e-21 of the seventh derivative, 1e-16 of rounding
  return (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) + (f(x + 3 * h) - f(x - 3 * h))) / (60 * h);
}

/// Value, slope and second derivative of a function of one scalar at some points.
template <typename F>
void expect_derivatives(const std::string& name, const F& f, const std::vector<double>& points) {
  const auto wide = [&](long double x) -> long double { return f(x); };
  const auto wide_slope = [&](long double x) { return slope(wide, x); };
  for (const double x : points) {
    SCOPED_TRACE(name + " at " + std::to_string(x));
    const double value = static_cast<double>(wide(x)), first = static_cast<double>(wide_slope(x)),
                 second = static_cast<double>(slope(wide_slope, x));
    const Dual<double, 3> once = f(Dual<double, 3>::variable(x, 1));
    EXPECT_NEAR(once.value, value, 20 * k_eps * (1 + std::abs(value)));
    EXPECT_NEAR(once.derivative[1], first, 200 * k_eps * (1 + std::abs(first)));
    EXPECT_EQ(once.derivative[0], 0.0);
    EXPECT_EQ(once.derivative[2], 0.0);
    const Second twice = f(variable_twice(x));
    EXPECT_EQ(twice.value.value, once.value);
    EXPECT_NEAR(twice.value.derivative[0], twice.derivative[0].value, 10 * k_eps * (1 + std::abs(first)));
    EXPECT_NEAR(twice.value.derivative[0], once.derivative[1], 10 * k_eps * (1 + std::abs(first)));
    // a difference of differences: 1e-13 of rounding
    EXPECT_NEAR(twice.derivative[0].derivative[0], second, 1e-11 * (1 + std::abs(second)));
    const Dual<long double, 1> exact = f(Dual<long double, 1>::variable(x, 0));
    EXPECT_NEAR(static_cast<double>(exact.derivative[0]), first, 200 * k_eps * (1 + std::abs(first)));
  }
}

#define CUTTLE_EXPECT_DERIVATIVES(function, ...) \
  expect_derivatives(#function,                  \
                     [](const auto& x) {         \
                       using std::function;      \
                       return function(x);       \
                     },                          \
                     {__VA_ARGS__})

TEST(DualTest, FunctionsOfOneArgument) {
  CUTTLE_EXPECT_DERIVATIVES(sqrt, 0.4, 1.0, 7.3);
  CUTTLE_EXPECT_DERIVATIVES(sin, -2.0, 0.0, 0.7, 4.0);
  CUTTLE_EXPECT_DERIVATIVES(cos, -2.0, 0.0, 0.7, 4.0);
  CUTTLE_EXPECT_DERIVATIVES(tan, -0.9, 0.0, 0.7);
  CUTTLE_EXPECT_DERIVATIVES(asin, -0.5, 0.0, 0.6);
  CUTTLE_EXPECT_DERIVATIVES(acos, -0.5, 0.0, 0.6);
  CUTTLE_EXPECT_DERIVATIVES(atan, -3.0, 0.0, 0.6);
  CUTTLE_EXPECT_DERIVATIVES(exp, -2.0, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(expm1, -2.0, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(log, 0.5, 1.0, 6.0);
  CUTTLE_EXPECT_DERIVATIVES(log1p, -0.4, 0.0, 6.0);
  CUTTLE_EXPECT_DERIVATIVES(sinh, -1.2, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(cosh, -1.2, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(tanh, -1.2, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(asinh, -1.2, 0.0, 1.5);
  CUTTLE_EXPECT_DERIVATIVES(abs, -1.2, 1.5);
}
#undef CUTTLE_EXPECT_DERIVATIVES

TEST(DualTest, FunctionsOfTwoArguments) {
  expect_derivatives("pow 2.5",
                     [](const auto& x) {
                       using std::pow;
                       return pow(x, 2.5);
                     },
                     {0.4, 1.0, 3.0});
  expect_derivatives("pow 3",
                     [](const auto& x) {
                       using std::pow;
                       return pow(x, 3);
                     },
                     {-0.4, 0.0, 3.0});
  expect_derivatives("pow x^x",
                     [](const auto& x) {
                       using std::pow;
                       return pow(x, x);
                     },
                     {0.6, 1.0, 3.0});
  expect_derivatives("2^x",
                     [](const auto& x) {
                       using std::pow;
                       return pow(2.0 + 0.0 * x, x);
                     },
                     {-0.6, 0.0, 3.0});
  expect_derivatives("atan2 y",
                     [](const auto& x) {
                       using std::atan2;
                       return atan2(x, 0.4 + 0.3 * x * x);
                     },
                     {-0.6, 0.0, 0.9});
  expect_derivatives("atan2 x",
                     [](const auto& x) {
                       using std::atan2;
                       return atan2(1.0 - 0.5 * x, x);
                     },
                     {-0.6, 0.0, 1.0});
  EXPECT_EQ(pow(First::variable(0.0, 0), 0.0).derivative[0], 0.0);
  EXPECT_EQ(pow(First::variable(0.0, 0), 1.0).derivative[0], 1.0);
}

TEST(DualTest, ArithmeticMixesWithLiterals) {
  expect_derivatives("left", [](const auto& x) { return 2 - 3.0f * x / (1 + x) + 1.5 / x - (-x) * 2L; },
                     {0.7, -2.2, 5.0});
  expect_derivatives("right", [](const auto& x) { return (x * 2 - 1.0) * (x - 3) / (x + 7.0) + x / 4 * x; },
                     {0.7, -2.2});
  expect_derivatives("assignments",
                     [](auto x) {
                       auto y = x;
                       y *= 3, y += x * x, y -= 0.5, y /= x + 4;
                       y *= y, y /= y + 1;
                       return y;
                     },
                     {0.7, -2.2});
}

// A parameter that is itself differentiated, in an expression of variables further out: d/dp d2/dx2 of p sin(p x).
TEST(DualTest, ConstantsOfAScalarInsideMix) {
  using Inner = Dual<double, 2>;
  using Outer = Dual<Dual<Inner, 1>, 1>;
  const double a = 0.7, b = 1.3;
  const Inner p = Inner::variable(a, 1);
  const Outer x = Outer::variable(Dual<Inner, 1>::variable(b, 0), 0);
  const Outer f = p * sin(p * x) + (x - p) / p - p + 1.0 * x;
  const Inner second = f.derivative[0].derivative[0];
  EXPECT_NEAR(second.value, -a * a * a * std::sin(a * b), 4 * k_eps);
  EXPECT_NEAR(second.derivative[1], -3 * a * a * std::sin(a * b) - a * a * a * b * std::cos(a * b), 10 * k_eps);
  EXPECT_EQ(second.derivative[0], 0.0);
  EXPECT_NEAR(f.derivative[0].value.derivative[1], 2 * a * std::cos(a * b) - a * a * b * std::sin(a * b) - 1 / (a * a),
              10 * k_eps);
}

TEST(DualTest, TwoVariables) {
  using D = Dual<Dual<double, 2>, 2>;
  const double x0 = 0.3, y0 = 1.7;
  const D x = D::variable(Dual<double, 2>::variable(x0, 0), 0), y = D::variable(Dual<double, 2>::variable(y0, 1), 1);
  const D f = x * x * sin(y) / (1.0 + x * y);
  const D same = sin(y) * x * x / (y * x + 1.0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(f.value.derivative[i], f.derivative[i].value, 10 * k_eps);
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(f.derivative[i].derivative[j], same.derivative[j].derivative[i], 10 * k_eps);
  }
  const double d = 1 + x0 * y0;
  EXPECT_NEAR(f.value.derivative[0], std::sin(y0) * (2 * x0 / d - x0 * x0 * y0 / (d * d)), 10 * k_eps);
  EXPECT_NEAR(f.value.derivative[1], x0 * x0 * (std::cos(y0) / d - std::sin(y0) * x0 / (d * d)), 10 * k_eps);
}

TEST(DualTest, ComparisonsAreOfValuesAndSelectTakesBoth) {
  const First a = First::variable(1.0, 0), b(2.0), same(1.0);
  EXPECT_TRUE(a < b);
  EXPECT_TRUE(a <= same);
  EXPECT_TRUE(a == same);
  EXPECT_TRUE(b > a);
  EXPECT_TRUE(b >= 2.0);
  EXPECT_TRUE(b != a);
  EXPECT_TRUE(a < 1.5);
  EXPECT_FALSE(3 < a);
  const First taken = select(a < b, a, b), left = select(b < a, a, b);
  EXPECT_EQ(taken.value, 1.0);
  EXPECT_EQ(taken.derivative[0], 1.0);
  EXPECT_EQ(left.value, 2.0);
  EXPECT_EQ(left.derivative[0], 0.0);
  EXPECT_EQ(abs(First::variable(0.0, 0)).derivative[0], 1.0);
  EXPECT_EQ(abs(First::variable(-0.5, 0)).derivative[0], -1.0);

  // the argument made safe first: no 0 * inf
  const First zero = First::variable(0.0, 0);
  const auto small = zero < 0.1;
  EXPECT_EQ(select(small, zero, sqrt(select(small, First(1.0), zero))).derivative[0], 1.0);

  EXPECT_TRUE(isfinite(a));
  EXPECT_FALSE(isfinite(sqrt(zero)));
  EXPECT_FALSE(isfinite(First(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(scalar_cast<double>(variable_twice(0.25)), 0.25);
  EXPECT_EQ((scalar_cast<Dual<double, 8>>(a).value), 1.0);
  EXPECT_EQ(scalar_cast<First>(a).derivative[0], 1.0);
}

TEST(DualTest, StumpffFunctions) {
  // 2 d c_n / dx = n c_{n+2} - c_{n+1}, at zero, on both sides of the switch, and beyond
  for (const double x : {0.0, 1e-16, 1e-8, 0.3, 9.9999, 10.0001, 35.0}) {
    const auto c = stumpff<11>(x);
    const auto first = stumpff<7>(First::variable(x, 0));
    const auto second = stumpff<7>(variable_twice(x));
    for (int n = 0; n <= 7; ++n) {
      SCOPED_TRACE("c_" + std::to_string(n) + " at " + std::to_string(x));
      const auto d = [&](int k) { return 0.5 * (k * c[k + 2] - c[k + 1]); };
      EXPECT_NEAR(first[n].value, c[n], 20 * k_eps);
      EXPECT_NEAR(first[n].derivative[0], d(n), 100 * k_eps);
      EXPECT_NEAR(second[n].derivative[0].derivative[0], 0.5 * (n * d(n + 2) - d(n + 1)), 200 * k_eps);
      const ForwardDual along = ForwardDual::variable(x, 5);
      const ForwardLanes of_lanes = stumpff<7>(*as_lanes<const ForwardLanes>(&along))[n];
      EXPECT_NEAR(of_lanes.value, c[n], 20 * k_eps);
      EXPECT_NEAR(of_lanes.derivative[5], d(n), 100 * k_eps);
      EXPECT_EQ(of_lanes.derivative[2], 0.0);
    }
  }
}

template <typename S>
TwistT<S> along(const S& s) {
  return {{s * S(0.6), s * S(-0.64), s * S(0.48)}, {s * S(0.3), s * S(-0.2), s * S(0.7)}};
}

// g(s) = exp(s t): g' = g t^, g'' = g t^ t^, and log g = s t whose slope is t.
TEST(DualTest, ExponentialAndLogarithmThroughZeroRotation) {
  const Twist t = along(1.0);
  for (const double s : {0.0, 1e-160, 1e-9, 0.05, 0.19, 0.21, 1.0, 3.1}) {
    SCOPED_TRACE("s " + std::to_string(s));
    const PoseT<Second> g = exponential(along(variable_twice(s)));
    const Pose plain = exponential(along(s));
    const Matrix3 W = Matrix3::skew(t.angular), W2 = W * W;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(g.position[i].derivative[0].value, (plain.rotation * t.linear)[i], 20 * k_eps);
      EXPECT_NEAR(g.position[i].derivative[0].derivative[0], (plain.rotation * (W * t.linear))[i], 100 * k_eps);
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(g.rotation(i, j).derivative[0].value, (plain.rotation * W)(i, j), 20 * k_eps);
        EXPECT_NEAR(g.rotation(i, j).derivative[0].derivative[0], (plain.rotation * W2)(i, j), 100 * k_eps);
      }
    }
    const TwistT<Second> log = logarithm(g);
    for (int i = 0; i < 6; ++i) {
      // near pi the tangent map's inverse grows with 1 / (pi - angle)
      EXPECT_NEAR(log[i].derivative[0].value, t[i], 2000 * k_eps);
      EXPECT_NEAR(log[i].derivative[0].derivative[0], 0.0, 20000 * k_eps);
    }
  }
}

// Kernels of each instruction set read memory of ForwardDual as these.
TEST(DualTest, ForwardLanesAreForwardDualsInMemoryAndInEveryOperation) {
  ForwardDual a(0.7), b(-1.3);
  for (int k = 0; k < k_forward_width; ++k) a.derivative[k] = 0.3 * k - 1.0, b.derivative[k] = std::sin(1.0 + k);
  const auto all = [](const auto& x, const auto& y) {
    using T = std::decay_t<decltype(x)>;
    using std::cos;
    using std::sin;
    using std::sqrt;
    T sum = x, difference = x, product = x;
    sum += y, difference -= y, product *= y;
    return std::vector<T>{x + y,
                          x - y,
                          x * y,
                          x / y,
                          -x,
                          sqrt(x),
                          sin(y),
                          cos(y),
                          sum,
                          difference,
                          product,
                          T(2.0),
                          2.0 * x,
                          y + 1.0,
                          select(x > y, x, y),
                          select(x < y, x, y)};
  };
  const std::vector<ForwardDual> expected = all(a, b);
  const std::vector<ForwardLanes> found = all(*as_lanes<const ForwardLanes>(&a), *as_lanes<const ForwardLanes>(&b));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    const ForwardDual& x = *as_lanes<const ForwardDual>(&found[i]);
    EXPECT_NEAR(x.value, expected[i].value, 4 * k_eps * std::abs(expected[i].value));
    for (int k = 0; k < k_forward_width; ++k) EXPECT_NEAR(x.derivative[k], expected[i].derivative[k], 8 * k_eps) << k;
  }
}

TEST(DualTest, IsIdenticalInValueAndEveryDerivative) {
  using D = Dual<double, 2>;
  using Nested = Dual<D, 1>;
  EXPECT_TRUE(identical(1.5, 1.5));
  EXPECT_FALSE(identical(1.5, 1.6));
  EXPECT_TRUE(identical(D::variable(1.5, 1), D::variable(1.5, 1)));
  EXPECT_FALSE(identical(D::variable(1.5, 1), D::variable(1.6, 1)));
  EXPECT_FALSE(identical(D::variable(1.5, 1), D::variable(1.5, 0)));
  EXPECT_FALSE(identical(D::variable(1.5, 1), D(1.5)));
  EXPECT_TRUE(same_derivatives(D::variable(1.5, 1), D::variable(1.6, 1)));
  EXPECT_FALSE(identical(Nested(D::variable(1.5, 0)), Nested(D(1.5))));
  EXPECT_TRUE(identical(Nested(D::variable(1.5, 0)), Nested(D::variable(1.5, 0))));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
