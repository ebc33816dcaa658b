// Implicit steps of bristles (docs/contact.md) from random states: roots of the law, on the ray of the elastic step
// where nothing turns.
#include "model/contact/bristle_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Step = BristleStepT<double>;

struct Case {
  ContactFriction friction;
  TouchT<double> touch;
  Step::Vector start;
  double step = 0.0, cone = 0.0;  ///< longest bristle across
};

class Cases {
 public:
  explicit Cases(unsigned seed) : engine_(seed) {}

  Case next(bool isotropic, bool turning) {
    Case c;
    c.friction.forward = c.friction.backward = c.friction.sideways = between(0.1, 1.2);
    if (!isotropic) c.friction.forward = between(0.2, 2.0), c.friction.backward = between(0.2, 2.0);
    if (even() < 0.7) c.friction.static_ratio = 1.0 + even();
    const FrictionLawT<double> law(c.friction);
    const double depth = between(1e-6, 1e-3), stiffness = between(1e4, 1e7), share = law.share();
    TouchT<double>& t = c.touch;
    t.touches = true, t.normal = {0, 0, 1}, t.along = {1, 0, 0};
    t.normal_force = stiffness * depth * std::sqrt(depth) * (0.7 + 0.5 * even());
    t.stiffness = share * stiffness * 1.5 * std::sqrt(depth);
    t.reach = depth / (1.5 * share), t.coupling = 1.0 / (3.0 * share);
    t.reach_rate = (2.0 * even() - 1.0) * between(1e-5, 1.0);
    if (turning) t.normal_rate = {between(1e-3, 10.0), -between(1e-3, 10.0), 0.0};
    const double speed = between(1e-7, 3.0), angle = 6.3 * even();
    t.sliding = {speed * std::cos(angle), speed * std::sin(angle), 0.0};
    c.cone = c.friction.sideways * c.friction.static_ratio * t.reach;
    const double length = 1.2 * even() * c.cone, direction = even() < 0.5 ? angle + 0.1 : 6.3 * even();
    c.start.resize(law.state_count());
    c.start.head(3) << length * std::cos(direction), length * std::sin(direction), 0.0;
    if (law.state_count() == 4) c.start[3] = even() < 0.3 ? 0.0 : -(c.friction.static_ratio - 1.0) * even();
    c.step = between(1e-6, 3e-2);
    return c;
  }

 private:
  double even() { return std::uniform_real_distribution<double>(0.0, 1.0)(engine_); }
  /// Evenly in orders of magnitude.
  double between(double low, double high) { return low * std::pow(high / low, even()); }
  std::mt19937 engine_;
};

// One backward Euler step of the law as it stands, whatever method found it.
TEST(BristleStep, SolvesItsEquationsFromAnyState) {
  Cases cases(7);
  for (int i = 0; i < 2000; ++i) {
    const Case c = cases.next(i % 3 != 0, i % 2 == 0);
    const FrictionLawT<double> law(c.friction);
    Step::Vector x;
    ASSERT_TRUE(Step(law, c.touch, c.start, c.step).solve(x)) << i;
    const BristleT<double> at = law.at(c.touch, x.data());
    double rates = 0.0;
    for (int k = 0; k < 3; ++k) rates = std::max(rates, std::abs(at.rates[k]));
    for (int k = 0; k < x.size(); ++k) {
      const double scale = k < 3 ? c.cone : 1.0;
      // what the coordinates' rounding makes of steep rates
      const double rounding = 1e-10 * (1.0 + c.step / k_coefficient_time + c.step * norm(c.touch.sliding) / c.cone);
      EXPECT_NEAR((x[k] - c.start[k] - c.step * at.rates[k]) / scale, 0.0, rounding) << i << ' ' << k;
    }
  }
}

// Everything but the sliding itself acts along the bristle.
TEST(BristleStep, StaysOnTheRayOfTheElasticStep) {
  Cases cases(8);
  for (int i = 0; i < 500; ++i) {
    const Case c = cases.next(true, false);
    const FrictionLawT<double> law(c.friction);
    Step::Vector x;
    ASSERT_TRUE(Step(law, c.touch, c.start, c.step).solve(x)) << i;
    const double tx = c.start[0] + c.step * c.touch.sliding.x, ty = c.start[1] + c.step * c.touch.sliding.y;
    const double trial = std::hypot(tx, ty), found = std::hypot(x[0], x[1]);
    EXPECT_LE(found, trial * (1.0 + 1e-9)) << i;
    EXPECT_NEAR(x[0] * ty - x[1] * tx, 0.0, 1e-9 * trial * c.cone) << i;
    EXPECT_GE(x[0] * tx + x[1] * ty, 0.0) << i;
  }
}

// Steady sliding has its bristle at the end of the cone, on either side by rounding: slopes are those of both. A share
// of the damping that is left there would be 0 / 0.
TEST(BristleStep, HasOneSlopeAtTheEndOfTheCone) {
  using D = Jet<6>;
  Cases cases(10);
  for (int i = 0; i < 200; ++i) {
    Case c = cases.next(i % 2 == 0, false);
    c.friction.static_ratio = 1.0, c.friction.damping_time = 1e-3 * (i % 3);
    c.touch.reach_rate = 0.0;
    const FrictionLawT<double> law(c.friction);
    const Vector3 v = c.touch.sliding;
    const double unit[3] = {v.x, v.y, v.z};
    double end = c.touch.reach;
    for (int k = 0; k < 5; ++k) {  // used is linear in the length here
      const double speed = norm(v), x[3] = {end * v.x / speed, end * v.y / speed, 0.0};
      end /= law.at(c.touch, x).used;
    }
    const auto slopes = [&](double used) {
      TouchT<D> touch = c.touch.constant<D>();
      D x[3];
      for (int k = 0; k < 3; ++k) {
        x[k] = D::variable(used * end * unit[k] / norm(v), k);
        touch.sliding[k] = D::variable(unit[k], 3 + k);
      }
      const BristleT<D> at = law.at(touch, x);
      std::array<double, 36> found{};
      for (int row = 0; row < 3; ++row) {
        for (int k = 0; k < 6; ++k) {  // of numbers of the order of one
          const double size = k < 3 ? end : norm(v);
          const auto r = static_cast<std::size_t>(6 * row + k);
          found[r] = at.rates[row].derivative[k] * size / norm(v);
          found[18 + r] = at.force[row].derivative[k] * size / (c.touch.stiffness * end);
        }
      }
      return found;
    };
    const auto exact = slopes(1.0 + 1e-9);
    for (const double off : {-1e-9, -1e-13, -1e-15, 0.0, 1e-15, 1e-13}) {
      const auto found = slopes(1.0 + off);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const double size = 1.0 + norm(v) * c.friction.damping_time / end + end / (norm(v) * k_bristle_decay);
        EXPECT_NEAR(found[k], exact[k], 0.02 * size) << i << ' ' << off << ' ' << k;
      }
    }
  }
}

// A coefficient that is larger at rest may have two consistent values in a long step: it stays with the one that it
// has.
TEST(BristleStep, StaysWithTheCoefficientItHas) {
  Case c = Cases(9).next(true, false);
  c.friction.forward = c.friction.backward = c.friction.sideways = 0.4, c.friction.static_ratio = 1.5,
  c.friction.stribeck_velocity = 1e-3;
  const FrictionLawT<double> law(c.friction);
  c.touch.reach_rate = 0.0, c.touch.sliding = {0.01, 0.0, 0.0};
  c.step = 10.0 * k_coefficient_time;
  c.touch.reach = 1e-4, c.touch.stiffness = c.touch.normal_force / c.touch.reach;
  const double between_cones = 1.25 * 0.4 * c.touch.reach;
  for (const double coefficient : {0.0, -0.5}) {
    c.start.resize(4);
    c.start << between_cones - c.step * 0.01, 0.0, 0.0, coefficient;
    Step::Vector x;
    ASSERT_TRUE(Step(law, c.touch, c.start, c.step).solve(x));
    EXPECT_LT(std::abs(x[3] - coefficient), 0.1) << coefficient;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
