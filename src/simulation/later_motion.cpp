// A driven motion of a clock that begins later.
#include <cmath>
#include <utility>

#include "model/signal_shape.h"
#include "simulation/prescribed_motion.h"

namespace cuttle {
namespace {

class LaterFunction : public SignalFunction {
 public:
  LaterFunction(std::shared_ptr<const SignalFunction> function, double by) : function_(std::move(function)), by_(by) {}
  double at(double time) const override { return function_->at(time + by_); }
  double derivative(double time, int order) const override { return function_->derivative(time + by_, order); }
  std::vector<double> discontinuities() const override {
    std::vector<double> times = function_->discontinuities();
    for (double& time : times) time -= by_;
    return times;
  }

 private:
  std::shared_ptr<const SignalFunction> function_;
  double by_;
};

/// Its value at t is that of `signal` at by + t.
Signal later(const Signal& signal, double by) {
  if (signal.is_constant()) return signal;
  const Signal::Shape& shape = *signal.shape();
  std::vector<double> times = shape.times;
  for (double& time : times) time -= by;
  const std::vector<double>& values = shape.values;
  using Kind = Signal::Shape::Kind;
  switch (shape.kind) {
    case Kind::step:
      return Signal::step(times[0], values[0], values[1]);
    case Kind::steps:
      return Signal::steps(times, values);
    case Kind::sine:
      return Signal::sine(
          shape.amplitude, shape.frequency,
          std::remainder(shape.phase + 2.0 * M_PI * std::remainder(shape.frequency * by, 1.0), 2.0 * M_PI),
          shape.offset);
    case Kind::linear:
      return times.size() == 2 ? Signal::ramp(times[0], times[1], values[0], values[1]) : Signal::points(times, values);
    case Kind::hold:
      return Signal::table(times, values, true);
    case Kind::cubic:
      return Signal::cubic(times[0], times[1], values[0], values[1]);
    case Kind::quintic:
      return Signal::quintic(times[0], times[1], values[0], values[1]);
    case Kind::minimum_jerk:
      return Signal::minimum_jerk(times[0], times[1], values[0], values[1]);
    case Kind::spline:
      return Signal::spline(times, values);
    case Kind::function:
      break;
  }
  return Signal::function(std::make_shared<LaterFunction>(shape.function, by));
}

}  // namespace

DrivenMotion motion_from(const DrivenMotion& motion, double time) {
  DrivenMotion moved = motion;
  for (auto* three : {&moved.base.position, &moved.base.rpy}) {
    if (!*three) continue;
    for (Signal& signal : **three) signal = later(signal, time);
  }
  for (auto& [name, signals] : moved.joints) {
    for (Signal& signal : signals) signal = later(signal, time);
  }
  return moved;
}

}  // namespace cuttle
