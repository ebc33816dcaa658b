#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cuttle {

/// Where a curve is below a surface, 0 <= t <= 1.
template <typename V>
struct DepthIntervalsT {
  struct Interval {
    V begin, end;
    bool begins_at_root, ends_at_root;  ///< or at an end of the curve
  };
  static constexpr int k_most = 8;
  std::array<Interval, k_most> intervals;
  int count = 0;
  V deepest{};  ///< largest depth seen, negative: above all along

  /// Cuts those across t where each of the two parts is a sum of its own.
  void cut_at(V t) {
    for (int i = 0; i < count && count < k_most; ++i) {
      auto& whole = intervals[static_cast<std::size_t>(i)];
      if (!(whole.begin < t && t < whole.end)) continue;
      for (int k = count; k > i + 1; --k) {
        intervals[static_cast<std::size_t>(k)] = intervals[static_cast<std::size_t>(k) - 1];
      }
      intervals[static_cast<std::size_t>(i) + 1] = {t, whole.end, false, whole.ends_at_root};
      whole.end = t, whole.ends_at_root = false;
      ++count;
      return;
    }
  }
};

/// Depth at t and its slope.
template <typename V>
struct DepthT {
  V value, slope;
};

/// Finds them afresh, without memory of earlier calls: from samples, and the extrema between that matter.
/// @param depth  V -> DepthT<V>.   @param steepest  a bound of |slope|.   @param least  depths below are none.
template <typename V, typename Depth>
DepthIntervalsT<V> depth_intervals(const Depth& depth, V steepest, V least) {
  using std::abs;
  constexpr int k_cells = 8, k_nodes = 2 * k_cells + 1;
  struct Node {
    V t;
    DepthT<V> d;
  };
  DepthIntervalsT<V> result;
  std::array<Node, k_nodes> nodes;
  int count = 0;
  const auto in = [&](const Node& node) { return node.d.value > least; };
  const auto add = [&](const V& t) {
    nodes[count] = {t, depth(t)};
    result.deepest = count == 0 || nodes[count].d.value > result.deepest ? nodes[count].d.value : result.deepest;
    return nodes[count++];
  };
  Node left = add(V(0));
  for (int cell = 0; cell < k_cells; ++cell) {
    const V t = V(cell + 1) / k_cells;
    Node right{t, depth(t)};
    // an extremum between that is on the other side of zero than both ends
    const bool both_in = in(left) && in(right), both_out = !in(left) && !in(right);
    const V sign = both_in ? V(-1) : V(1);
    const V nearest = std::max(sign * left.d.value, sign * right.d.value);
    if ((both_in || both_out) && sign * left.d.slope > 0 && sign * right.d.slope < 0 &&
        nearest + steepest / (2 * k_cells) > 0) {
      Node low = left, high = right;
      for (int i = 0; i < 60; ++i) {
        // false position by the slopes, kept off the ends; halves where that is slow
        const V a = sign * low.d.slope, b = sign * high.d.slope, width = high.t - low.t;
        V part = i % 3 == 2 ? V(0.5) : a / (a - b);
        part = std::min(std::max(part, V(0.01)), V(0.99));
        const V middle = low.t + part * width;
        const Node next{middle, depth(middle)};
        result.deepest = std::max(result.deepest, next.d.value);
        if (in(next) != both_in) {
          nodes[count++] = next;
          break;
        }
        (sign * next.d.slope > 0 ? low : high) = next;
        const V reach = std::max(sign * low.d.value, sign * high.d.value) +
                        std::max(sign * low.d.slope, -sign * high.d.slope) * (high.t - low.t);
        if (reach <= 0 && both_out) break;
        if (high.t - low.t < V(1e-9)) break;
      }
    }
    result.deepest = std::max(result.deepest, right.d.value);
    nodes[count++] = right;
    left = right;
  }

  // between neighbours of unlike kind: Newton's method within a bracket
  const auto root = [&](Node out, Node inside) {
    V t = out.t + (inside.t - out.t) * out.d.value / (out.d.value - inside.d.value);
    for (int i = 0; i < 200; ++i) {
      const V low = std::min(out.t, inside.t), high = std::max(out.t, inside.t);
      if (!(t > low && t < high)) t = low + (high - low) / 2;
      if (!(t > low && t < high)) break;
      const Node next{t, depth(t)};
      if (next.d.value == 0) return t;
      (next.d.value > 0 ? inside : out) = next;
      const V step = -next.d.value / next.d.slope;
      if (abs(step) < abs(t) * std::numeric_limits<V>::epsilon()) return t;
      t = i % 8 == 7 ? low + (high - low) / 2 : t + step;
    }
    return inside.t;
  };
  bool open = false;
  for (int i = 0; i < count; ++i) {
    if (in(nodes[i]) && !open) {
      if (result.count == DepthIntervalsT<V>::k_most / 2) break;
      const bool at_root = i > 0;
      result.intervals[result.count] = {at_root ? root(nodes[i - 1], nodes[i]) : V(0), V(1), at_root, false};
      open = true;
    } else if (!in(nodes[i]) && open) {
      auto& interval = result.intervals[result.count++];
      interval.end = root(nodes[i], nodes[i - 1]), interval.ends_at_root = true;
      open = false;
    }
  }
  if (open) ++result.count;
  return result;
}

}  // namespace cuttle
