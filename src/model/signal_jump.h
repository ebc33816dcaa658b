#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "cuttle/model/signal.h"

namespace cuttle {

/// Largest size of a signal's derivatives of an order, seen at a few times of each stretch without jumps.
inline double size_between(const Signal& signal, const std::vector<double>& jumps, double duration, int order) {
  double largest = 0.0, begin = 0.0;
  std::vector<double> ends = jumps;
  ends.push_back(duration);
  for (const double end : ends) {
    if (!(end > begin)) continue;
    for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double time = begin + part * (end - begin);
      largest = std::max(largest, std::abs(order == 0 ? signal.at(time) : signal.derivative(time, order)));
    }
    begin = end;
  }
  return largest;
}

struct SignalJump {
  double time;
  int order;  ///< 0: of the value, 1: of the velocity
  double from, to;
};

/// A signal's first jump of value or, to order 1, of velocity in [begin, end), after time 0. Rounding is none.
/// @param end  may be infinite. @param highest  order that is looked at.
inline std::optional<SignalJump> first_jump(const Signal& signal, double begin, double end, int highest) {
  constexpr double k_rounding_of_jump = 1e-6;  // of the largest value or velocity nearby
  std::vector<double> jumps;
  for (const double time : signal.discontinuities()) {
    if (time > 0.0 && time < end) jumps.push_back(time);
  }
  if (jumps.empty()) return std::nullopt;
  const double seen = std::isfinite(end) ? end : 2.0 * jumps.back();
  const auto of_order = [&signal](double time, int order) {
    return order == 0 ? signal.at(time) : signal.derivative(time, order);
  };
  std::vector<double> sizes;
  for (int order = 0; order <= highest; ++order) sizes.push_back(size_between(signal, jumps, seen, order));
  for (const double time : jumps) {
    if (time < begin) continue;
    const double before = std::nextafter(time, -std::numeric_limits<double>::infinity());
    for (int order = 0; order <= highest; ++order) {
      const double from = of_order(before, order), to = of_order(time, order);
      if (std::abs(to - from) <= k_rounding_of_jump * sizes[static_cast<std::size_t>(order)]) continue;
      return SignalJump{time, order, from, to};
    }
  }
  return std::nullopt;
}

}  // namespace cuttle
