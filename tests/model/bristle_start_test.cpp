// Bristles with which a robot begins (docs/contact.md): the nearest within the cone, or those of steady sliding.
#include "model/contact/bristle_start.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();

struct Case {
  ContactFriction friction;
  TouchT<double> touch;
  double cone = 0.0;  ///< length of a bristle at its end, with a coefficient of 1
};

class Cases {
 public:
  explicit Cases(unsigned seed) : engine_(seed) {}

  /// @param coupling  whether bristles add to the normal force.
  Case next(bool isotropic, bool coupling) {
    Case c;
    c.friction.forward = c.friction.backward = c.friction.sideways = between(0.1, 1.2);
    if (!isotropic) c.friction.forward = between(0.2, 2.0), c.friction.backward = between(0.2, 2.0);
    const FrictionLawT<double> law(c.friction);
    TouchT<double>& t = c.touch;
    t.touches = true, t.normal = {0, 0, 1};
    t.along = {0.6, 0.5, 0.0};  // shorter than 1: the site's axis leans
    t.normal_force = 3.0, t.reach = c.cone = between(1e-6, 1e-3), t.stiffness = t.normal_force / t.reach;
    if (coupling) t.coupling = 1.0 / (3.0 * law.share());
    return c;
  }
  Vector3 way(double length) {
    const double angle = 6.3 * even();
    return {length * std::cos(angle), length * std::sin(angle), length * (even() - 0.5)};
  }
  double between(double low, double high) { return low * std::pow(high / low, even()); }
  double even() { return std::uniform_real_distribution<double>(0.0, 1.0)(engine_); }

 private:
  std::mt19937 engine_;
};

Vector3 tangential(const Vector3& x) { return {x.x, x.y, 0.0}; }

/// |D x| by the coefficients of the side of x, written down again.
double size(const Case& c, const Vector3& x) {
  const double along = dot(x, c.touch.along), across = 1.0 / std::pow(c.friction.sideways, 2);
  const double mu = along < 0.0 ? c.friction.backward : c.friction.forward;
  return std::sqrt(across * dot(x, x) + (1.0 / (mu * mu) - across) * along * along);
}

// Of ten thousand places on the end of the cone none is nearer.
TEST(BristleStart, IsTheNearestThatTheConeHolds) {
  Cases cases(41);
  for (int i = 0; i < 60; ++i) {
    const Case c = cases.next(i % 3 == 0, false);
    const FrictionLawT<double> law(c.friction);
    const Vector3 wanted = cases.way(c.cone * cases.between(0.01, 1e4));
    Vector3 xi;
    double coefficient = 1.0;
    ASSERT_FALSE(BristleStartT<double>(law, c.touch).find(wanted, xi, coefficient, nullptr));
    EXPECT_EQ(coefficient, 0.0);
    const Vector3 flat = tangential(wanted);
    if (size(c, flat) <= c.cone) {
      EXPECT_EQ(xi, flat) << i;
      continue;
    }
    EXPECT_NEAR(size(c, xi), c.cone, 1e3 * k_eps * c.cone) << i;
    const double found = norm(flat - xi);
    for (int k = 0; k < 10000; ++k) {
      const Vector3 ray{std::cos(6.2831853 * k / 10000), std::sin(6.2831853 * k / 10000), 0.0};
      const Vector3 other = c.cone / size(c, ray) * ray;
      ASSERT_GT(norm(flat - other), found * (1.0 - 1e3 * k_eps)) << i << " " << k;
    }
  }
}

// With bristles that press the surfaces apart the cone is larger; what is cut off is along the flow D^2 xi.
TEST(BristleStart, IsCutAlongTheFlow) {
  Cases cases(42);
  for (int i = 0; i < 200; ++i) {
    Case c = cases.next(false, true);
    const FrictionLawT<double> law(c.friction);
    const Vector3 wanted = cases.way(c.cone * cases.between(10.0, 1e12)), flat = tangential(wanted);
    Vector3 xi;
    double coefficient;
    BristleStartT<double>(law, c.touch).find(wanted, xi, coefficient, nullptr);
    const double step = 1e-6 * norm(xi);  // D^2 xi is half of the slope of |D xi|^2
    const auto square = [&](double x, double y) { return std::pow(size(c, xi + Vector3{x, y, 0.0}), 2); };
    const Vector3 flow{square(step, 0) - square(-step, 0), square(0, step) - square(0, -step), 0.0};
    EXPECT_LT(norm(cross(flow, flat - xi)), 1e-8 * norm(flow) * norm(flat - xi)) << i;
    const double states[4] = {xi.x, xi.y, xi.z};
    EXPECT_NEAR(law.at(c.touch, states).used, 1.0, 1e4 * k_eps) << i;
  }
}

TEST(BristleStart, SlopesAreThoseOfTheValues) {
  Cases cases(43);
  for (int i = 0; i < 100; ++i) {
    const Case c = cases.next(i % 3 == 0, false);
    const FrictionLawT<double> law(c.friction);
    const BristleStartT<double> start(law, c.touch);
    const Vector3 wanted = cases.way(c.cone * cases.between(0.01, 100.0));
    Vector3 xi;
    double coefficient;
    Matrix3 slope;
    start.find(wanted, xi, coefficient, &slope);
    const double h = 1e-5 * norm(wanted);
    for (int j = 0; j < 3; ++j) {
      Vector3 there, back, step;
      step[j] = h;
      start.find(wanted + step, there, coefficient, nullptr), start.find(wanted - step, back, coefficient, nullptr);
      const Vector3 difference = 0.5 / h * (there - back) - slope.column(j);
      EXPECT_LT(norm(difference), 1e-7) << i << " " << j;
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(slope(j, k), slope(k, j), 1e-13) << i;
    }
  }
}

// Whoever slides begins with the bristle and the coefficient that steady sliding keeps: the law's rates there are zero.
TEST(BristleStart, OfASiteThatSlidesStaysAsItIs) {
  Cases cases(44);
  for (int i = 0; i < 300; ++i) {
    Case c = cases.next(i % 3 == 0, i % 2 == 0);
    c.friction.static_ratio = i % 5 < 3 ? 1.0 + cases.even() : 1.0;
    c.touch.sliding = tangential(cases.way(cases.between(5.0, 50.0)));
    const FrictionLawT<double> law(c.friction);
    Vector3 xi;
    double coefficient;
    Matrix3 slope = Matrix3::identity();
    ASSERT_TRUE(BristleStartT<double>(law, c.touch).find(cases.way(1.0), xi, coefficient, &slope)) << i;
    EXPECT_EQ(slope, Matrix3{});
    const double states[4] = {xi.x, xi.y, xi.z, coefficient}, speed = norm(c.touch.sliding);
    const BristleT<double> bristle = law.at(c.touch, states);
    EXPECT_NEAR(bristle.used, 1.0, 1e4 * k_eps) << i;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(bristle.rates[k], 0.0, 1e5 * k_eps * speed) << i;
    if (law.state_count() == 4) {
      EXPECT_NEAR(bristle.rates[3], 0.0, 1e-9) << i;
    }
  }
}

// A coefficient that is larger at rest is that of rest where nothing slides.
TEST(BristleStart, AtRestHasTheStaticCoefficient) {
  Case c = Cases(45).next(true, false);
  c.friction.static_ratio = 1.4;
  const FrictionLawT<double> law(c.friction);
  Vector3 xi;
  double coefficient = 1.0;
  EXPECT_FALSE(BristleStartT<double>(law, c.touch).find({1.0, 0.0, 0.0}, xi, coefficient, nullptr));
  EXPECT_NEAR(norm(xi), 1.4 * c.friction.sideways * c.cone, 1e-14 * c.cone);
  EXPECT_EQ(coefficient, 0.0);
}

TEST(BristleStart, IsNoneWhereNothingTouches) {
  Case c = Cases(46).next(true, false);
  c.touch.touches = false;
  const FrictionLawT<double> law(c.friction);
  Vector3 xi{1.0, 2.0, 3.0};
  double coefficient = 1.0;
  EXPECT_FALSE(BristleStartT<double>(law, c.touch).find({1.0, 0.0, 0.0}, xi, coefficient, nullptr));
  EXPECT_EQ(xi, Vector3{});
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
