#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// A function of time of a user, for signals. Const: threads share it.
class SignalFunction {
 public:
  virtual ~SignalFunction() = default;
  virtual double at(double time) const = 0;
  /// Times at which the value or its slope jumps.
  virtual std::vector<double> discontinuities() const { return {}; }
  /// Derivative by time, exact; from the right where it jumps. References of controllers need two.
  /// @param order  1 or 2.   @throws ArgumentError here: a function says it or has none.
  virtual double derivative(double time, int order) const;
};

/// A number that may depend on time (docs/format.md, Signal). Immutable, cheap to copy.
class Signal {
 public:
  Signal(double value = 0.0);  // NOLINT(google-explicit-constructor): a number is a signal
  static Signal step(double time, double before, double after);          ///< jumps once, at a time [s]
  static Signal ramp(double start, double end, double from, double to);  ///< linear between times [s], held outside
  /// offset + amplitude sin(2 pi frequency t + phase): frequency [Hz], phase [rad].
  static Signal sine(double amplitude, double frequency, double phase, double offset);
  static Signal points(std::vector<double> times, std::vector<double> values);            ///< linear, held outside
  static Signal table(std::vector<double> times, std::vector<double> values, bool hold);  ///< hold: stepwise constant
  static Signal function(std::shared_ptr<const SignalFunction> function);
  /// From rest to rest between two times [s]: 3 s^2 - 2 s^3 of the way, s = (t - start) / (end - start); held outside.
  static Signal cubic(double start, double end, double from, double to);
  /// From rest to rest without a jump of acceleration: 10 s^3 - 15 s^4 + 6 s^5 of the way; held outside.
  static Signal quintic(double start, double end, double from, double to);
  static Signal minimum_jerk(double start, double end, double from, double to);  ///< least int of jerk^2: the quintic
  /// Cubic spline with natural ends (no curvature there), twice differentiable; held outside.
  static Signal spline(std::vector<double> times, std::vector<double> values);
  /// values[0] before times[0], values[k] from times[k - 1] on: one value more than times.
  static Signal steps(std::vector<double> times, std::vector<double> values);

  /// As a clock that begins at `start` [s] sees it: its value at t is that of this one at start + t.
  Signal later(double start) const;

  double at(double time) const;  ///< its value at a time [s]
  /// Derivative by time, exact; from the right where it jumps. Of a jump itself nothing is seen.
  /// @param order  1 or 2. @throws ArgumentError for another, and of a function that has none.
  double derivative(double time, int order = 1) const;
  bool is_constant() const;
  /// Times at which the value, its slope or the curvature of a `cubic` jumps, ascending; integrators stop there.
  std::vector<double> discontinuities() const;
  /// Those of them between which it is continuous, if only its slope jumps there: knots of a linear table.
  std::vector<double> bends() const;
  /// The same number, or signals of the same kind with the same numbers.
  bool operator==(const Signal& other) const;

  struct Shape;  ///< src/model/signal_shape.h
  /// How it depends on time; null: it is constant.
  const Shape* shape() const { return shape_.get(); }

 private:
  explicit Signal(std::shared_ptr<const Shape> shape);
  double value_ = 0.0;
  std::shared_ptr<const Shape> shape_;
};

}  // namespace cuttle
