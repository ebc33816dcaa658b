#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// Where a run was, and how fast it moved: y = (q, v, states of controllers and elements).
struct RunNode {
  double time;
  VectorXd y, rate;    ///< rate: empty until somebody asks
  bool bends = false;  ///< the slope of the rate jumps: no polynomial goes through
};

/// A motion between its nodes: the polynomial through two, or of degree five through the third beside them.
class NodeCurve {
 public:
  /// @param find_rate  gives a node its rate.
  template <typename FindRate>
  void at(std::vector<RunNode>& nodes, double time, VectorXd& y, const FindRate& find_rate) {
    auto after =
        std::upper_bound(nodes.begin(), nodes.end(), time, [](double t, const RunNode& n) { return t < n.time; });
    const std::size_t last = std::min(last_, nodes.size() - 1);
    const std::size_t i = std::clamp(static_cast<std::size_t>(after - nodes.begin()), first_ + 1, last) - 1;
    const double length = nodes[i + 1].time - nodes[i].time;
    // a much shorter interval beside this one would magnify the rounding of its ends
    const auto serves = [&](double other) { return other > 0.4 * length; };
    std::size_t first = i, count = 2;
    if (i + 2 <= last && !nodes[i + 1].bends && serves(nodes[i + 2].time - nodes[i + 1].time)) {
      count = 3;
    } else if (i > first_ && !nodes[i].bends && serves(nodes[i].time - nodes[i - 1].time)) {
      first = i - 1, count = 3;
    }
    for (std::size_t k = first; k < first + count; ++k) {
      if (nodes[k].rate.size() == 0) find_rate(nodes[k]);
    }
    if (count != count_ || &nodes[first] != of_) divide(nodes, first, count);
    const std::size_t terms = 2 * count;
    y = differences_[terms - 1];
    for (std::size_t k = terms - 1; k-- > 0;) y = y * (time - places_[k]) + differences_[k];
  }
  /// The nodes have changed, or only those from `first` to `last` may serve.
  void confine(std::size_t first, std::size_t last) { of_ = nullptr, first_ = first, last_ = last; }

 private:
  /// Newton's divided differences, each node twice.
  void divide(const std::vector<RunNode>& nodes, std::size_t first, std::size_t count) {
    of_ = &nodes[first], count_ = count;
    const std::size_t terms = 2 * count;
    for (std::size_t k = 0; k < terms; ++k) {
      places_[k] = nodes[first + k / 2].time, differences_[k] = nodes[first + k / 2].y;
    }
    for (std::size_t level = 1; level < terms; ++level) {
      for (std::size_t k = terms - 1; k >= level; --k) {
        if (level == 1 && k % 2 == 1) {
          differences_[k] = nodes[first + k / 2].rate;
        } else {
          differences_[k] = (differences_[k] - differences_[k - 1]) / (places_[k] - places_[k - level]);
        }
      }
    }
  }

  std::size_t first_ = 0, last_ = 0;
  const RunNode* of_ = nullptr;  ///< the first of those through which the polynomial goes
  std::size_t count_ = 0;
  std::array<double, 6> places_{};
  std::array<VectorXd, 6> differences_;
};

}  // namespace cuttle
