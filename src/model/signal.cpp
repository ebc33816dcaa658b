#include "cuttle/model/signal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "cuttle/error.h"
#include "model/signal_shape.h"
#include "spatial/number_text.h"

namespace cuttle {

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

using Shape = Signal::Shape;

/// From rest to rest between two times.
std::shared_ptr<const Shape> rest_to_rest(Shape::Kind kind, double start, double end, double from, double to) {
  check_finite("start", start), check_finite("end", end), check_finite("from", from), check_finite("to", to);
  if (!(end > start)) refuse_signal("end", number_text(end), "a time after start = " + number_text(start));
  return std::make_shared<const Shape>(Shape{kind, {start, end}, {from, to}});
}

/// A polynomial that goes from 0 to 1 on [0, 1], or its derivatives.
double way(Shape::Kind kind, double s, int order) {
  if (kind == Shape::Kind::cubic) {
    return order == 0 ? s * s * (3.0 - 2.0 * s) : order == 1 ? 6.0 * s * (1.0 - s) : 6.0 - 12.0 * s;
  }
  const double rest = 1.0 - s;
  if (order == 0) return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
  return order == 1 ? 30.0 * s * s * rest * rest : 60.0 * s * rest * (1.0 - 2.0 * s);
}

/// Second derivatives of the natural cubic spline at its knots: a tridiagonal system, which is diagonally dominant.
std::vector<double> natural_curvature(const std::vector<double>& t, const std::vector<double>& x) {
  const std::size_t n = t.size();
  std::vector<double> curvature(n, 0.0), above(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h = t[i] - t[i - 1], next = t[i + 1] - t[i];
    const double pivot = 2.0 * (h + next) - h * above[i - 1];
    above[i] = next / pivot;
    const double bend = 6.0 * ((x[i + 1] - x[i]) / next - (x[i] - x[i - 1]) / h);
    curvature[i] = (bend - h * curvature[i - 1]) / pivot;
  }
  for (std::size_t i = n; i-- > 1;) curvature[i - 1] -= above[i - 1] * curvature[i];
  return curvature;
}

/// Value or derivative of a spline between the knots k and k + 1.
double spline_at(const Shape& shape, std::size_t k, double time, int order) {
  const double h = shape.times[k + 1] - shape.times[k];
  const double b = (time - shape.times[k]) / h, a = 1.0 - b;
  const double x0 = shape.values[k], x1 = shape.values[k + 1], c0 = shape.curvature[k], c1 = shape.curvature[k + 1];
  if (order == 2) return a * c0 + b * c1;
  if (order == 1) return (x1 - x0) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * c0 + (3.0 * b * b - 1.0) * c1);
  return a * x0 + b * x1 + h * h / 6.0 * (a * (a * a - 1.0) * c0 + b * (b * b - 1.0) * c1);
}

class LaterFunction final : public SignalFunction {
 public:
  LaterFunction(std::shared_ptr<const SignalFunction> function, double start)
      : function_(std::move(function)), start_(start), jumps_(function_->discontinuities()) {
    std::sort(jumps_.begin(), jumps_.end());
    for (const double jump : jumps_) later_.push_back(jump - start);
  }
  double at(double time) const override { return function_->at(clock(time)); }
  double derivative(double time, int order) const override { return function_->derivative(clock(time), order); }
  std::vector<double> discontinuities() const override { return later_; }

 private:
  /// The function's time. It stands on that side of a jump on which `time` does: their sum may be rounded to the other.
  double clock(double time) const {
    double clock = start_ + time;
    const auto next = static_cast<std::size_t>(std::upper_bound(later_.begin(), later_.end(), time) - later_.begin());
    if (next > 0) clock = std::max(clock, jumps_[next - 1]);
    if (next == jumps_.size()) return clock;
    return std::min(clock, std::nextafter(jumps_[next], -std::numeric_limits<double>::infinity()));
  }

  std::shared_ptr<const SignalFunction> function_;
  double start_;
  std::vector<double> jumps_, later_;  // by the function's clock, and by this one; ascending
};

}  // namespace

double SignalFunction::derivative(double /*time*/, int order) const {
  throw ArgumentError("signal: found a function without its derivative of order " + std::to_string(order) +
                      ", expected one that says it (SignalFunction::derivative)");
}

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

Signal Signal::function(std::shared_ptr<const SignalFunction> function) {
  if (!function) refuse_signal({}, "no function", "one");
  std::vector<double> times = function->discontinuities();
  for (const double time : times) check_finite("discontinuities", time);
  std::sort(times.begin(), times.end());
  return Signal(std::make_shared<const Shape>(
      Shape{.kind = Shape::Kind::function, .times = std::move(times), .values = {}, .function = std::move(function)}));
}

Signal Signal::cubic(double start, double end, double from, double to) {
  return Signal(rest_to_rest(Shape::Kind::cubic, start, end, from, to));
}
Signal Signal::quintic(double start, double end, double from, double to) {
  return Signal(rest_to_rest(Shape::Kind::quintic, start, end, from, to));
}
Signal Signal::minimum_jerk(double start, double end, double from, double to) {
  return Signal(rest_to_rest(Shape::Kind::minimum_jerk, start, end, from, to));
}

Signal Signal::spline(std::vector<double> times, std::vector<double> values) {
  check_knots(times, values);
  std::vector<double> curvature = natural_curvature(times, values);
  return Signal(std::make_shared<const Shape>(Shape{.kind = Shape::Kind::spline,
                                                    .times = std::move(times),
                                                    .values = std::move(values),
                                                    .curvature = std::move(curvature)}));
}

Signal Signal::steps(std::vector<double> times, std::vector<double> values) {
  if (values.size() != times.size() + 1) {
    refuse_signal("values", std::to_string(values.size()) + " values for " + std::to_string(times.size()) + " times",
                  "one value more than times");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    check_finite("times", times[i]);
    if (i > 0 && !(times[i] > times[i - 1])) {
      refuse_signal({"times", i}, number_text(times[i]) + " after " + number_text(times[i - 1]), "increasing times");
    }
  }
  for (const double value : values) check_finite("values", value);
  return Signal(std::make_shared<const Shape>(Shape{Shape::Kind::steps, std::move(times), std::move(values)}));
}

Signal Signal::later(double start) const {
  if (!shape_ || start == 0.0) return *this;
  Shape shape = *shape_;
  for (double& time : shape.times) time -= start;
  const double cycles = std::remainder(shape.frequency * start, 1.0);
  shape.phase = std::remainder(shape.phase + 2.0 * std::numbers::pi * cycles, 2.0 * std::numbers::pi);
  if (shape.function) shape.function = std::make_shared<LaterFunction>(shape.function, start);
  return Signal(std::make_shared<const Shape>(std::move(shape)));
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
    case Shape::Kind::function:
      return shape.function->at(time);
    case Shape::Kind::cubic:
    case Shape::Kind::quintic:
    case Shape::Kind::minimum_jerk: {
      if (time >= times[1]) return values[1];
      const double s = std::max(0.0, (time - times[0]) / (times[1] - times[0]));
      return values[0] + (values[1] - values[0]) * way(shape.kind, s, 0);
    }
    case Shape::Kind::linear:
    case Shape::Kind::hold:
    case Shape::Kind::spline:
    case Shape::Kind::steps:
      break;
  }
  // first knot after `time`
  const auto next = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  if (shape.kind == Shape::Kind::steps) return values[next];
  if (next == 0) return values.front();
  if (shape.kind == Shape::Kind::hold || next == static_cast<std::ptrdiff_t>(times.size())) return values[next - 1];
  if (shape.kind == Shape::Kind::spline) return spline_at(shape, static_cast<std::size_t>(next - 1), time, 0);
  const double fraction = (time - times[next - 1]) / (times[next] - times[next - 1]);
  return (1.0 - fraction) * values[next - 1] + fraction * values[next];
}

double Signal::derivative(double time, int order) const {
  if (order != 1 && order != 2) {
    throw ArgumentError("signal: found a derivative of order " + std::to_string(order) + ", expected 1 or 2");
  }
  if (!shape_) return 0.0;
  const Shape& shape = *shape_;
  const auto& [times, values] = std::tie(shape.times, shape.values);
  switch (shape.kind) {
    case Shape::Kind::step:
    case Shape::Kind::steps:
    case Shape::Kind::hold:
      return 0.0;
    case Shape::Kind::sine: {
      const double rate = 2.0 * std::numbers::pi * shape.frequency, angle = rate * time + shape.phase;
      return shape.amplitude * rate * (order == 1 ? std::cos(angle) : -rate * std::sin(angle));
    }
    case Shape::Kind::function:
      return shape.function->derivative(time, order);
    case Shape::Kind::linear:
    case Shape::Kind::cubic:
    case Shape::Kind::quintic:
    case Shape::Kind::minimum_jerk:
    case Shape::Kind::spline:
      break;
  }
  if (time < times.front() || time >= times.back()) return 0.0;
  const auto next = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  const double interval = times[next] - times[next - 1], change = values[next] - values[next - 1];
  if (shape.kind == Shape::Kind::linear) return order == 1 ? change / interval : 0.0;
  if (shape.kind == Shape::Kind::spline) return spline_at(shape, static_cast<std::size_t>(next - 1), time, order);
  const double slope = change * way(shape.kind, (time - times[0]) / interval, order) / interval;
  return order == 1 ? slope : slope / interval;
}

bool Signal::operator==(const Signal& other) const {
  if (!shape_ || !other.shape_) return shape_ == other.shape_ && value_ == other.value_;
  return *shape_ == *other.shape_;
}

bool Signal::is_constant() const { return !shape_; }

std::vector<double> Signal::discontinuities() const {
  if (!shape_) return {};
  switch (shape_->kind) {
    case Shape::Kind::quintic:
    case Shape::Kind::minimum_jerk:
      return {};
    case Shape::Kind::spline:
      return {shape_->times.front(), shape_->times.back()};
    case Shape::Kind::step:
    case Shape::Kind::sine:
    case Shape::Kind::linear:
    case Shape::Kind::hold:
    case Shape::Kind::function:
    case Shape::Kind::cubic:
    case Shape::Kind::steps:
      break;
  }
  return shape_->times;
}

std::vector<double> Signal::bends() const {
  return shape_ && shape_->kind == Shape::Kind::linear ? shape_->times : std::vector<double>();
}

}  // namespace cuttle
