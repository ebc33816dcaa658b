#include "cuttle/model/signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cuttle/error.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_inf = std::numeric_limits<double>::infinity();
using Times = std::vector<double>;

template <typename Make>
std::string message_of(Make make) {
  try {
    make();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Signal, ANumberIsConstant) {
  const Signal signal = 2.5;
  EXPECT_TRUE(signal.is_constant());
  EXPECT_EQ(signal.at(-1e9), 2.5);
  EXPECT_EQ(signal.at(1e9), 2.5);
  EXPECT_TRUE(signal.discontinuities().empty());
  EXPECT_EQ(Signal().at(0), 0.0);
}

TEST(Signal, StepHasTheNewValueFromItsTimeOn) {
  const Signal signal = Signal::step(1.0, -2.0, 5.0);
  EXPECT_FALSE(signal.is_constant());
  EXPECT_EQ(signal.at(std::nextafter(1.0, 0.0)), -2.0);
  EXPECT_EQ(signal.at(1.0), 5.0);
  EXPECT_EQ(signal.discontinuities(), Times({1.0}));
}

TEST(Signal, RampIsHeldOutside) {
  const Signal signal = Signal::ramp(1.0, 3.0, 10.0, 20.0);
  EXPECT_EQ(signal.at(0.0), 10.0);
  EXPECT_EQ(signal.at(1.0), 10.0);
  EXPECT_DOUBLE_EQ(signal.at(1.5), 12.5);
  EXPECT_EQ(signal.at(3.0), 20.0);
  EXPECT_EQ(signal.at(99.0), 20.0);
  EXPECT_EQ(signal.discontinuities(), Times({1.0, 3.0}));
}

TEST(Signal, SineCountsFrequencyInHertz) {
  const Signal signal = Signal::sine(2.0, 0.25, std::numbers::pi / 2, 1.0);
  EXPECT_DOUBLE_EQ(signal.at(0.0), 3.0);
  EXPECT_NEAR(signal.at(1.0), 1.0, 1e-15);  // a quarter of the period: the cosine's zero, rounded at size 2
  EXPECT_NEAR(signal.at(2.0), -1.0, 1e-15);
  EXPECT_TRUE(signal.discontinuities().empty());
  EXPECT_FALSE(signal.is_constant());
}

TEST(Signal, PointsAreJoinedByLinesAndHitExactly) {
  const Signal signal = Signal::points({0.0, 1.0, 3.0}, {0.1, 0.7, -0.3});
  EXPECT_EQ(signal.at(-1.0), 0.1);
  EXPECT_EQ(signal.at(0.0), 0.1);
  EXPECT_EQ(signal.at(1.0), 0.7);
  EXPECT_DOUBLE_EQ(signal.at(2.0), 0.2);
  EXPECT_EQ(signal.at(3.0), -0.3);
  EXPECT_EQ(signal.at(4.0), -0.3);
  EXPECT_EQ(signal.discontinuities(), Times({0.0, 1.0, 3.0}));
}

TEST(Signal, ATableHoldsItsValuesIfAsked) {
  const Signal signal = Signal::table({0.0, 1.0, 3.0}, {4.0, 5.0, 6.0}, true);
  EXPECT_EQ(signal.at(-1.0), 4.0);
  EXPECT_EQ(signal.at(0.999), 4.0);
  EXPECT_EQ(signal.at(1.0), 5.0);
  EXPECT_EQ(signal.at(2.999), 5.0);
  EXPECT_EQ(signal.at(3.0), 6.0);
  EXPECT_EQ(signal.at(10.0), 6.0);
  EXPECT_EQ(signal.discontinuities(), Times({0.0, 1.0, 3.0}));
  EXPECT_DOUBLE_EQ(Signal::table({0.0, 1.0}, {0.0, 2.0}, false).at(0.25), 0.5);
}

TEST(Signal, GoesFromRestToRest) {
  for (const auto& make : {Signal::cubic, Signal::quintic, Signal::minimum_jerk}) {
    const Signal signal = make(0.5, 2.5, -1.0, 3.0);
    EXPECT_EQ(signal.at(-7.0), -1.0);
    EXPECT_EQ(signal.at(0.5), -1.0);
    EXPECT_DOUBLE_EQ(signal.at(1.5), 1.0);
    EXPECT_EQ(signal.at(2.5), 3.0);
    EXPECT_EQ(signal.at(9.0), 3.0);
    for (const double end : {0.5, 2.5 - 1e-12, 2.5, 7.0, -1.0}) EXPECT_NEAR(signal.derivative(end), 0.0, 1e-10);
  }
  const Signal cubic = Signal::cubic(0.0, 2.0, 1.0, 5.0);
  EXPECT_DOUBLE_EQ(cubic.at(0.5), 1.0 + 4.0 * (3.0 / 16 - 2.0 / 64));
  EXPECT_DOUBLE_EQ(cubic.derivative(1.0), 4.0 * 1.5 / 2.0);
  EXPECT_DOUBLE_EQ(cubic.derivative(0.0, 2), 4.0 * 6.0 / 4.0);  // it jumps: from the right
  EXPECT_EQ(cubic.derivative(2.0, 2), 0.0);
  EXPECT_EQ(cubic.discontinuities(), Times({0.0, 2.0}));
  const Signal quintic = Signal::quintic(0.0, 2.0, 1.0, 5.0);
  EXPECT_DOUBLE_EQ(quintic.derivative(1.0), 4.0 * 1.875 / 2.0);
  EXPECT_NEAR(quintic.derivative(2.0 - 1e-9, 2), 0.0, 1e-7);
  EXPECT_TRUE(quintic.discontinuities().empty());
}

// A natural spline is linear through points on a line; of a cubic with f'' = 0 at both ends it is that cubic.
TEST(Signal, SplineIsNatural) {
  const Signal line = Signal::spline({0.0, 0.3, 1.0, 4.0}, {1.0, 1.6, 3.0, 9.0});
  for (const double t : {0.0, 0.1, 0.3, 0.9, 2.5, 3.99}) {
    EXPECT_NEAR(line.at(t), 1.0 + 2.0 * t, 1e-14);
    EXPECT_NEAR(line.derivative(t), 2.0, 1e-14);
    EXPECT_NEAR(line.derivative(t, 2), 0.0, 1e-13);
  }
  const auto arch = [](double t) { return t * t * t - 3.0 * t * t + 0.5; };  // f'' = 6 t - 6 = 0 at 1
  std::vector<double> times, values;
  for (const double t : {0.0, 0.4, 0.5, 1.3, 2.0}) times.push_back(t), values.push_back(arch(t));
  const Signal bent = Signal::spline(times, values);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_DOUBLE_EQ(bent.at(times[i]), values[i]);
  for (const double knot : {0.4, 0.5, 1.3}) {  // twice differentiable there
    EXPECT_NEAR(bent.derivative(knot), bent.derivative(std::nextafter(knot, 0.0)), 1e-12);
    EXPECT_NEAR(bent.derivative(knot, 2), bent.derivative(std::nextafter(knot, 0.0), 2), 1e-11);
  }
  EXPECT_NEAR(bent.derivative(0.0, 2), 0.0, 1e-14);
  EXPECT_NEAR(bent.derivative(std::nextafter(2.0, 0.0), 2), 0.0, 1e-12);
  EXPECT_EQ(bent.at(-1.0), values.front());
  EXPECT_EQ(bent.at(3.0), values.back());
  EXPECT_EQ(bent.discontinuities(), Times({0.0, 2.0}));
  EXPECT_EQ(Signal::spline({1.0}, {4.0}).at(7.0), 4.0);
}

TEST(Signal, StepsHaveOneValueMoreThanTimes) {
  const Signal signal = Signal::steps({1.0, 2.0}, {5.0, 6.0, 7.0});
  EXPECT_EQ(signal.at(0.0), 5.0);
  EXPECT_EQ(signal.at(std::nextafter(1.0, 0.0)), 5.0);
  EXPECT_EQ(signal.at(1.0), 6.0);
  EXPECT_EQ(signal.at(2.0), 7.0);
  EXPECT_EQ(signal.at(20.0), 7.0);
  EXPECT_EQ(signal.derivative(1.5), 0.0);
  EXPECT_EQ(signal.discontinuities(), Times({1.0, 2.0}));
  EXPECT_EQ(Signal::steps({}, {5.0}).at(1.0), 5.0);
}

// Between the kinks of every kind; differences of fourth order.
TEST(Signal, DerivativesAreThoseOfTheValue) {
  const Signal signals[] = {2.5,
                            Signal::step(1.0, 0.0, 1.0),
                            Signal::ramp(0.2, 1.3, -1.0, 2.0),
                            Signal::sine(0.7, 0.4, 0.3, 0.1),
                            Signal::points({0.0, 1.0, 3.0}, {0.1, 0.7, -0.3}),
                            Signal::table({0.0, 1.0, 3.0}, {0.1, 0.7, -0.3}, true),
                            Signal::cubic(0.1, 1.7, 0.3, 2.0),
                            Signal::quintic(0.1, 1.7, 0.3, 2.0),
                            Signal::minimum_jerk(0.1, 1.7, 0.3, 2.0),
                            Signal::spline({0.0, 0.4, 1.1, 2.0}, {0.3, 1.0, -0.4, 0.2}),
                            Signal::steps({0.5}, {1.0, 2.0})};
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    const Signal& x = signals[i];
    for (const double t : {0.25, 0.65, 0.95, 1.45}) {
      const double h = 1e-3;
      const double slope = (8.0 * (x.at(t + h) - x.at(t - h)) - (x.at(t + 2 * h) - x.at(t - 2 * h))) / (12.0 * h);
      const double bend =
          (16.0 * (x.at(t + h) + x.at(t - h)) - x.at(t + 2 * h) - x.at(t - 2 * h) - 30.0 * x.at(t)) / (12.0 * h * h);
      EXPECT_NEAR(x.derivative(t), slope, 1e-9) << i << " at " << t;
      EXPECT_NEAR(x.derivative(t, 2), bend, 1e-8) << i << " at " << t;
    }
  }
  struct Square final : SignalFunction {
    double at(double t) const override { return t * t; }
  };
  const Signal square = Signal::function(std::make_shared<Square>());
  EXPECT_EQ(message_of([&] { square.derivative(1.0, 2); }),
            "signal: found a function without its derivative of order 2, expected one that says it "
            "(SignalFunction::derivative)");
  EXPECT_EQ(message_of([&] { Signal(1.0).derivative(1.0, 3); }),
            "signal: found a derivative of order 3, expected 1 or 2");
}

TEST(Signal, LaterIsWhatALaterClockSees) {
  struct Ramp final : SignalFunction {
    double at(double t) const override { return std::abs(t - 1.0); }
    double derivative(double t, int order) const override { return order > 1 ? 0.0 : t < 1.0 ? -1.0 : 1.0; }
    std::vector<double> discontinuities() const override { return {1.0}; }
  };
  const double start = 0.6;
  for (const Signal& x :
       {Signal(0.7), Signal::step(1.0, 0.0, 1.0), Signal::ramp(0.2, 1.3, -1.0, 2.0), Signal::sine(0.7, 40.3, 0.3, 0.1),
        Signal::points({0.0, 1.0, 3.0}, {0.1, 0.7, -0.3}), Signal::table({0.0, 1.0, 3.0}, {0.1, 0.7, -0.3}, true),
        Signal::cubic(0.1, 1.7, 0.3, 2.0), Signal::quintic(0.1, 1.7, 0.3, 2.0),
        Signal::minimum_jerk(0.1, 1.7, 0.3, 2.0), Signal::spline({0.0, 0.4, 1.1, 2.0}, {0.3, 1.0, -0.4, 0.2}),
        Signal::steps({0.5}, {1.0, 2.0}), Signal::function(std::make_shared<Ramp>())}) {
    const Signal later = x.later(start);
    for (const double t : {-0.45, 0.0, 0.25, 0.65, 0.95, 2.45}) {
      EXPECT_NEAR(later.at(t), x.at(start + t), 1e-13);
      for (const int order : {1, 2}) {
        const double expected = x.derivative(start + t, order);
        EXPECT_NEAR(later.derivative(t, order), expected, 1e-12 * (1.0 + std::abs(expected)));
      }
    }
    const std::vector<double> jumps = x.discontinuities(), moved = later.discontinuities();
    ASSERT_EQ(moved.size(), jumps.size());
    for (std::size_t k = 0; k < jumps.size(); ++k) EXPECT_NEAR(moved[k], jumps[k] - start, 1e-15);
    EXPECT_EQ(x.later(0.0), x);
  }
}

/// Zero before a time, one from it on.
class Edge final : public SignalFunction {
 public:
  explicit Edge(double time) : time_(time) {}
  double at(double time) const override { return time < time_ ? 0.0 : 1.0; }
  std::vector<double> discontinuities() const override { return {time_}; }

 private:
  double time_;
};

// start + (jump - start) may be rounded to before the jump: what a function is there and where it says that it jumps
// must agree, as steps of integrators end there.
TEST(Signal, ALaterFunctionJumpsWhereItSays) {
  int rounded = 0;
  for (int i = 1; i < 200; ++i) {
    const double jump = 0.1 + 0.037 * i, start = 0.013 * i;
    const Signal later = Signal::function(std::make_shared<Edge>(jump)).later(start);
    const std::vector<double> times = later.discontinuities();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(later.at(times[0]), 1.0) << i;
    EXPECT_EQ(later.at(std::nextafter(times[0], 0.0)), 0.0) << i;
    if (start + times[0] < jump) ++rounded;
  }
  EXPECT_GT(rounded, 0);
}

TEST(Signal, RefusesWhatMakesNoSense) {
  EXPECT_EQ(message_of([] { Signal::quintic(2, 2, 0, 1); }), "signal: end: found 2, expected a time after start = 2");
  EXPECT_EQ(message_of([] {
              Signal::steps({0, 1}, {1, 2});
            }),
            "signal: values: found 2 values for 2 times, expected one value more than times");
  EXPECT_EQ(message_of([] {
              Signal::steps({0, 0}, {1, 2, 3});
            }),
            "signal: times[1]: found 0 after 0, expected increasing times");
  EXPECT_EQ(message_of([] { Signal::spline({0, 1}, {1}); }), "signal: value: found 1 values, expected 2, one a time");

  EXPECT_EQ(message_of([] { Signal::ramp(2, 2, 0, 1); }), "signal: end: found 2, expected a time after start = 2");
  EXPECT_EQ(message_of([] { Signal::step(k_nan, 0, 1); }), "signal: time: found nan, expected a finite number");
  EXPECT_EQ(message_of([] { Signal::sine(1, k_inf, 0, 0); }), "signal: frequency: found inf, expected a finite number");
  EXPECT_EQ(message_of([] {
              Signal::points({0, 1, 1}, {1, 2, 3});
            }),
            "signal: time[2]: found 1 after 1, expected increasing times");
  EXPECT_EQ(message_of([] { Signal::points({0, 1}, {1}); }), "signal: value: found 1 values, expected 2, one a time");
  EXPECT_EQ(message_of([] { Signal::table({}, {}, true); }), "signal: time: found no points, expected at least one");
  EXPECT_EQ(message_of([] { Signal::table({0}, {k_inf}, true); }),
            "signal: value: found inf, expected a finite number");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
