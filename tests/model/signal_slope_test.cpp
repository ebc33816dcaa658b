// How signals change with their numbers: they are linear in their values, so a difference of two signals is exact.
#include "model/signal_slope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cuttle::CUTTLE_FILE {
namespace {

std::vector<Signal> signals_of_values() {
  const std::vector<double> times{-0.5, 0.1, 0.4, 0.5, 1.7, 2.0}, values{1.0, -2.0, 0.5, 3.0, 0.0, 4.0};
  std::vector<double> more = values;
  more.push_back(-1.0);
  return {Signal::points(times, values),
          Signal::table(times, values, true),
          Signal::spline(times, values),
          Signal::steps(times, more),
          Signal::step(0.4, 1.0, 2.0),
          Signal::ramp(0.1, 1.7, 1.0, 2.0),
          Signal::cubic(0.1, 1.7, 1.0, 2.0),
          Signal::quintic(0.1, 1.7, 1.0, 2.0),
          Signal::points({0.4}, {3.0}),
          Signal::table({0.4}, {3.0}, true),
          Signal(2.0)};
}

TEST(SignalSlope, IsADifferenceOfSignalsAndZeroOutsideItsInterval) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> somewhen(-1.0, 2.5);
  std::vector<double> times{-0.5, 0.1, 0.4, 0.5, 1.7, 2.0};
  for (const double knot : std::vector<double>(times)) times.push_back(std::nextafter(knot, -9.0));
  for (int i = 0; i < 300; ++i) times.push_back(somewhen(random));
  int zeros = 0;
  for (const Signal& signal : signals_of_values()) {
    for (const SignalNumber& number : signal_numbers(signal)) {
      const SignalSlope slope = signal_slope(signal, number.key);
      const Signal more = signal_with(signal, number.key, number.value + 1.0);
      for (const double time : times) {
        SCOPED_TRACE(number.key + " at " + std::to_string(time));
        const double expected = more.at(time) - signal.at(time);
        const bool outside = time < slope.begin || time > slope.end;
        zeros += outside ? 1 : 0;
        EXPECT_NEAR(outside ? 0.0 : slope.at_time.at(time), expected, 1e-14);
        EXPECT_NEAR(slope.at_time.at(time), expected, 1e-14);
      }
    }
  }
  EXPECT_GT(zeros, 3000);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
