#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cuttle {

/// A number that may depend on time (docs/format.md, Signal). Immutable, cheap to copy.
class Signal {
 public:
  Signal(double value = 0.0);  // NOLINT(google-explicit-constructor): a number is a signal
  static Signal step(double time, double before, double after);
  static Signal ramp(double start, double end, double from, double to);
  static Signal sine(double amplitude, double frequency, double phase, double offset);  ///< frequency [Hz], phase [rad]
  static Signal points(std::vector<double> times, std::vector<double> values);          ///< linear, held outside
  static Signal table(std::vector<double> times, std::vector<double> values, bool hold);  ///< hold: stepwise constant

  double at(double time) const;
  bool is_constant() const;
  /// Times at which the value or its slope jumps, ascending; integrators stop there.
  std::vector<double> discontinuities() const;
  /// The same number, or copies of one signal.
  bool operator==(const Signal&) const = default;

  struct Shape;

 private:
  explicit Signal(std::shared_ptr<const Shape> shape);
  double value_ = 0.0;
  std::shared_ptr<const Shape> shape_;
};

}  // namespace cuttle
