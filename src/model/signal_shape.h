#pragma once

#include <memory>
#include <vector>

#include "cuttle/model/signal.h"

namespace cuttle {

/// How a signal that is no constant depends on time.
struct Signal::Shape {
  enum class Kind { step, sine, linear, hold, function, cubic, quintic, minimum_jerk, spline, steps };
  Kind kind;
  std::vector<double> times, values;  ///< step, steps: times, one value more; ramp, points, table, spline: knots
  double amplitude = 0.0, frequency = 0.0, phase = 0.0, offset = 0.0;  ///< sine
  std::shared_ptr<const SignalFunction> function = {};
  std::vector<double> curvature = {};  ///< spline: second derivatives at the knots

  bool operator==(const Shape&) const = default;
};

}  // namespace cuttle
