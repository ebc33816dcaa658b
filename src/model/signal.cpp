#include "cuttle/model/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

/// How a signal that is no constant depends on time.
struct Signal::Shape {
  enum class Kind { step, sine, linear, hold };
  Kind kind;
  std::vector<double> times, values;  ///< step: [t], [before, after]; ramp, points and table: knots
  double amplitude = 0.0, frequency = 0.0, phase = 0.0, offset = 0.0;  ///< sine
};

namespace {

/// @param path  of a key of the signal, as in a file.
[[noreturn]] void refuse_signal(const KeyPath& path, const std::string& found, const std::string& expected) {
  throw ArgumentError(Diagnostic(path, found, expected).place_in({}, "signal"));
}

void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) refuse_signal(name, number_text(value), "a finite number");
}

void check_knots(const std::vector<double>& times, const std::vector<double>& values) {
  if (times.empty()) refuse_signal("time", "no points", "at least one");
  if (times.size() != values.size()) {
    refuse_signal("value", std::to_string(values.size()) + " values", std::to_string(times.size()) + ", one a time");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    check_finite("time", times[i]);
    check_finite("value", values[i]);
    if (i > 0 && !(times[i] > times[i - 1])) {
      refuse_signal({"time", i}, number_text(times[i]) + " after " + number_text(times[i - 1]), "increasing times");
    }
  }
}

}  // namespace

Signal::Signal(double value) : value_(value) { check_finite("value", value); }
Signal::Signal(std::shared_ptr<const Shape> shape) : shape_(std::move(shape)) {}

Signal Signal::step(double time, double before, double after) {
  check_finite("time", time), check_finite("before", before), check_finite("after", after);
  return Signal(std::make_shared<const Shape>(Shape{Shape::Kind::step, {time}, {before, after}}));
}

Signal Signal::ramp(double start, double end, double from, double to) {
  check_finite("start", start), check_finite("end", end), check_finite("from", from), check_finite("to", to);
  if (!(end > start)) {
    refuse_signal("end", number_text(end), "a time after start = " + number_text(start));
  }
  return Signal(std::make_shared<const Shape>(Shape{Shape::Kind::linear, {start, end}, {from, to}}));
}

Signal Signal::sine(double amplitude, double frequency, double phase, double offset) {
  check_finite("amplitude", amplitude), check_finite("frequency", frequency);
  check_finite("phase", phase), check_finite("offset", offset);
  return Signal(std::make_shared<const Shape>(Shape{Shape::Kind::sine, {}, {}, amplitude, frequency, phase, offset}));
}

Signal Signal::points(std::vector<double> times, std::vector<double> values) {
  return table(std::move(times), std::move(values), false);
}

Signal Signal::table(std::vector<double> times, std::vector<double> values, bool hold) {
  check_knots(times, values);
  const auto kind = hold ? Shape::Kind::hold : Shape::Kind::linear;
  return Signal(std::make_shared<const Shape>(Shape{kind, std::move(times), std::move(values)}));
}

double Signal::at(double time) const {
  if (!shape_) return value_;
  const Shape& shape = *shape_;
  const auto& [times, values] = std::tie(shape.times, shape.values);
  switch (shape.kind) {
    case Shape::Kind::step:
      return time < times[0] ? values[0] : values[1];
    case Shape::Kind::sine:
      return shape.offset + shape.amplitude * std::sin(2.0 * std::numbers::pi * shape.frequency * time + shape.phase);
    default:
      break;
  }
  // first knot after `time`
  const auto next = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  if (next == 0) return values.front();
  if (shape.kind == Shape::Kind::hold || next == static_cast<std::ptrdiff_t>(times.size())) return values[next - 1];
  const double fraction = (time - times[next - 1]) / (times[next] - times[next - 1]);
  return (1.0 - fraction) * values[next - 1] + fraction * values[next];
}

bool Signal::is_constant() const { return !shape_; }

std::vector<double> Signal::discontinuities() const { return shape_ ? shape_->times : std::vector<double>(); }

}  // namespace cuttle
