#include "model/signal_slope.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "model/signal_shape.h"

namespace cuttle {
namespace {

using Shape = Signal::Shape;

/// d/d frequency of amplitude sin(2 pi frequency t + phase).
class FrequencySlope final : public SignalFunction {
 public:
  FrequencySlope(double amplitude, double frequency, double phase)
      : amplitude_(amplitude), frequency_(frequency), phase_(phase) {}
  double at(double time) const override {
    const double w = 2.0 * std::numbers::pi * time;
    return amplitude_ * w * std::cos(w * frequency_ + phase_);
  }

 private:
  double amplitude_, frequency_, phase_;
};

/// A signal of the same kind and times with other values.
Signal with_signal_values(const Shape& shape, const std::vector<double>& values) {
  switch (shape.kind) {
    case Shape::Kind::step:
      return Signal::step(shape.times[0], values[0], values[1]);
    case Shape::Kind::steps:
      return Signal::steps(shape.times, values);
    case Shape::Kind::cubic:
      return Signal::cubic(shape.times[0], shape.times[1], values[0], values[1]);
    case Shape::Kind::quintic:
    case Shape::Kind::minimum_jerk:
      return Signal::quintic(shape.times[0], shape.times[1], values[0], values[1]);
    case Shape::Kind::spline:
      return Signal::spline(shape.times, values);
    case Shape::Kind::linear:
    case Shape::Kind::hold:
    case Shape::Kind::sine:
    case Shape::Kind::function:
      break;
  }
  return Signal::table(shape.times, values, shape.kind == Shape::Kind::hold);
}

/// Signals are linear in their values: the same way between values that are 0 but for one. Of a table, which may be
/// long, only the knots beside that one.
SignalSlope unit_slope(const Shape& shape, std::size_t number) {
  const std::size_t count = shape.values.size();
  const bool table = shape.kind == Shape::Kind::linear || shape.kind == Shape::Kind::hold;
  if (!table) {
    std::vector<double> unit(count, 0.0);
    unit[number] = 1.0;
    SignalSlope slope{with_signal_values(shape, unit)};
    if (shape.kind == Shape::Kind::steps) {
      if (number > 0) slope.begin = shape.times[number - 1];
      if (number < shape.times.size()) slope.end = shape.times[number];
    }
    return slope;
  }
  const std::size_t first = number > 0 ? number - 1 : 0, last = std::min(number + 1, count - 1);
  std::vector<double> times, values;
  for (std::size_t i = first; i <= last; ++i)
    times.push_back(shape.times[i]), values.push_back(i == number ? 1.0 : 0.0);
  SignalSlope slope{Signal::table(times, values, shape.kind == Shape::Kind::hold)};
  if (first < number) slope.begin = times.front();
  if (number < last) slope.end = times.back();
  return slope;
}

struct Slope {
  SignalNumber number;
  std::function<SignalSlope()> make;
  std::function<Signal(double)> with;  ///< the signal with another value of it
};

/// The 7 of `value[7]`; more than any list has for another text.
std::size_t index_in(const std::string& text, const std::string& name) {
  constexpr std::size_t k_none = std::numeric_limits<std::size_t>::max();
  std::size_t index = 0;
  if (!text.starts_with(name + "[") || text.back() != ']') return k_none;
  const char* const begin = text.data() + name.size() + 1;
  const char* const end = text.data() + text.size() - 1;
  const auto read = std::from_chars(begin, end, index);
  return read.ec == std::errc() && read.ptr == end && name + "[" + std::to_string(index) + "]" == text ? index : k_none;
}

/// Those of all numbers, or of the one with a key.
std::vector<Slope> slopes_of(const Signal& signal, const std::string* only = nullptr) {
  std::vector<Slope> all;
  if (signal.shape() == nullptr) {
    return {{{"", signal.at(0.0)}, [] { return SignalSlope{1.0}; }, [](double x) { return Signal(x); }}};
  }
  const Shape& shape = *signal.shape();
  const auto value = [&](const std::string& key, std::size_t i) {
    if (only != nullptr && key != *only) return;
    all.push_back({{key, shape.values[i]},
                   [&shape, i] { return unit_slope(shape, i); },
                   [&shape, i](double x) {
                     std::vector<double> values = shape.values;
                     values[i] = x;
                     return with_signal_values(shape, values);
                   }});
  };
  const auto list = [&](const std::string& key) {
    if (only != nullptr) {  // of a long list, without looking at all of it
      const std::size_t index = index_in(*only, key);
      if (index < shape.values.size()) value(*only, index);
      return;
    }
    for (std::size_t i = 0; i < shape.values.size(); ++i) value(key + "[" + std::to_string(i) + "]", i);
  };
  switch (shape.kind) {
    case Shape::Kind::function:
      break;
    case Shape::Kind::sine: {
      const double A = shape.amplitude, f = shape.frequency, phase = shape.phase, offset = shape.offset;
      all.push_back({{"amplitude", A},
                     [=] { return SignalSlope{Signal::sine(1.0, f, phase, 0.0)}; },
                     [=](double x) { return Signal::sine(x, f, phase, offset); }});
      all.push_back({{"frequency", f},
                     [=] { return SignalSlope{Signal::function(std::make_shared<FrequencySlope>(A, f, phase))}; },
                     [=](double x) { return Signal::sine(A, x, phase, offset); }});
      all.push_back({{"phase", phase},
                     [=] { return SignalSlope{Signal::sine(A, f, phase + 0.5 * std::numbers::pi, 0.0)}; },
                     [=](double x) { return Signal::sine(A, f, x, offset); }});
      all.push_back({{"offset", offset},
                     [] { return SignalSlope{1.0}; },
                     [=](double x) { return Signal::sine(A, f, phase, x); }});
      break;
    }
    case Shape::Kind::step:
      value("before", 0), value("after", 1);
      break;
    case Shape::Kind::cubic:
    case Shape::Kind::quintic:
    case Shape::Kind::minimum_jerk:
      value("from", 0), value("to", 1);
      break;
    case Shape::Kind::steps:
      list("values");
      break;
    case Shape::Kind::linear:
      if (shape.values.size() == 2) value("from", 0), value("to", 1);  // a ramp, perhaps
      list("value");
      break;
    case Shape::Kind::hold:
    case Shape::Kind::spline:
      list("value");
      break;
  }
  return all;
}

}  // namespace

std::vector<SignalNumber> signal_numbers(const Signal& signal) {
  std::vector<SignalNumber> numbers;
  for (const Slope& slope : slopes_of(signal)) numbers.push_back(slope.number);
  return numbers;
}

namespace {

Slope slope_named(const Signal& signal, const std::string& key) {
  for (const Slope& slope : slopes_of(signal, &key)) {
    if (slope.number.key == key) return slope;
  }
  std::vector<std::string> known;
  for (const Slope& slope : slopes_of(signal)) known.push_back(slope.number.key);
  std::string expected = "a signal of numbers: functions of programs have none";
  if (!known.empty() && known.front().empty()) {
    expected = "nothing behind a constant";
  } else if (!known.empty()) {
    constexpr std::size_t k_most_listed = 8;
    expected = "one of its numbers (times are held) ";
    for (std::size_t i = 0; i < std::min(known.size(), k_most_listed); ++i) {
      expected += (i > 0 ? ", " : "") + known[i];
    }
    expected += (known.size() > k_most_listed ? ", .." : "") + did_you_mean(key, known);
  }
  const std::string found = key.empty() ? "no number of the signal" : "'" + key + "'";
  throw ArgumentError("found " + found + ", expected " + expected);
}

}  // namespace

SignalSlope signal_slope(const Signal& signal, const std::string& key) { return slope_named(signal, key).make(); }

double signal_number(const Signal& signal, const std::string& key) { return slope_named(signal, key).number.value; }

Signal signal_with(const Signal& signal, const std::string& key, double value) {
  return slope_named(signal, key).with(value);
}

std::vector<SignalNumber> independent_numbers(const Signal& signal) {
  std::vector<SignalNumber> numbers = signal_numbers(signal);
  const bool ramp = signal.shape() != nullptr && signal.shape()->kind == Shape::Kind::linear;
  if (ramp)
    std::erase_if(numbers, [](const SignalNumber& number) { return number.key == "from" || number.key == "to"; });
  return numbers;
}

Signal signal_with(const Signal& signal, const std::vector<double>& values) {
  if (signal.shape() == nullptr) return Signal(values.at(0));
  if (signal.shape()->kind == Shape::Kind::sine) {
    return Signal::sine(values.at(0), values.at(1), values.at(2), values.at(3));
  }
  return with_signal_values(*signal.shape(), values);
}

}  // namespace cuttle
