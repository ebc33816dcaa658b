#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/spatial/exponential.h"
#include "support/tangent_check.h"
#include "support/toy_bodies.h"

// Bodies from users' own functions, against automatic differentiation of the same bodies.

namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename K>
void expect_point_body(const PointParameters& parameters, const BodyContractOptions& options, const std::string& name) {
  PointParameters points = parameters;
  points.allow_folding = true;
  PointBody<K> body(points);
  const Vector3 inside = points.quadrature.points[0];
  body.add_port(PortLocation::at_point(0.8 * inside));
  for (unsigned seed = 1; seed <= 4; ++seed) {
    expect_exact(body, seed, name, options, 1e-11);
    Numbers numbers(seed);
    const State<double> state = random_state(body, options, numbers);
    ASSERT_TRUE(body.tangent()->has_internal_derivatives()) << name;
    expect_internal_derivatives(body, state, name);
  }
}

TEST(PointTangentTest, OneFunctionOfTheUser) {
  BodyContractOptions small;
  small.coordinates = {0.5};
  expect_point_body<ToyBody>(toy_points(), small, "toy");
  expect_point_body<ToyBodyByHand>(toy_points(), small, "toy by hand");
  expect_point_body<Blob>(blob_points(), {}, "blob");
}

/// Damping that depends on the shape, by a function of q and v and by hand.
struct Damped : ToyBody {
  template <typename T>
  T dissipation(const T* q, const T* v) const {
    using std::exp;
    return exp(q[0]) * v[0] * v[0] * (T(1.0) + v[0] * v[0]);
  }
};
struct DampedByHand : Damped {
  template <typename T>
  void damping_force(const T* q, const T* v, T* force) const {
    using std::exp;
    force[0] = exp(q[0]) * (T(2.0) * v[0] + T(4.0) * v[0] * v[0] * v[0]);
  }
};
TEST(PointTangentTest, DampingThatDependsOnTheShape) {
  BodyContractOptions small;
  small.coordinates = {0.5};
  expect_point_body<Damped>(toy_points(), small, "dissipation");
  expect_point_body<DampedByHand>(toy_points(), small, "by hand");
}

TEST(PointTangentTest, NoneForFunctionsOfDoubleAlone) {
  EXPECT_EQ(PointBody<BlobByHand>(blob_points()).tangent(), nullptr);
  EXPECT_EQ(FunctionBody(blob_function()).tangent(), nullptr);
}

/// All functions that a body may be made of, once and nested, against Dual.
template <typename T>
T every_function(const T& x, const T& y) {
  using std::abs;
  using std::acos;
  using std::asin;
  using std::asinh;
  using std::atan;
  using std::atan2;
  using std::cos;
  using std::cosh;
  using std::exp;
  using std::expm1;
  using std::log;
  using std::log1p;
  using std::pow;
  using std::sin;
  using std::sinh;
  using std::sqrt;
  using std::tan;
  using std::tanh;
  const T a = sqrt(x * y + 1.0) / (2.0 - y), b = sin(x) * cos(y) + tan(x * y) - exp(-x) * log(y);
  const T c = expm1(x * y) + log1p(x + y) + sinh(x) * cosh(y) - tanh(x - y);
  const T d = asinh(x * y) + asin(0.3 * x) * acos(0.4 * y) + atan(x / y) + atan2(y, x - 2.0);
  return a * b + c / (1.0 + d * d) + pow(y, 2.5) * pow(x + 1.0, y) - abs(x - y) * select(x < y, x, y * y) + pow(x, 1.0);
}
TEST(SecondDualTest, AgreesWithNestedDuals) {
  using Nested = Dual<Dual<double, 2>, 2>;
  using Second = SecondDual<double, 2>;
  for (const auto& [x, y] : {std::pair{0.3, 0.8}, {0.9, 0.2}, {0.5, 1.3}}) {
    const Nested expected = every_function(Nested::variable(Dual<double, 2>::variable(x, 0), 0),
                                           Nested::variable(Dual<double, 2>::variable(y, 1), 1));
    const Second found = every_function(Second::variable(x, 0), Second::variable(y, 1));
    EXPECT_NEAR(found.value, expected.value.value, 1e-14 * std::abs(found.value));
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(found.gradient[i], expected.derivative[i].value, 1e-12) << i;
      for (int j = i; j < 2; ++j) {
        EXPECT_NEAR(found.hessian[j * (j + 1) / 2 + i], expected.derivative[i].derivative[j], 1e-11) << i << j;
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
