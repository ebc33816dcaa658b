#include "cuttle/model/signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {
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

TEST(Signal, RefusesWhatMakesNoSense) {
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
}  // namespace cuttle
