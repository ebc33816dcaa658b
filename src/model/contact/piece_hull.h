#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "cuttle/model/state_load.h"
#include "cuttle/spatial/pose.h"

namespace cuttle {

/// A box along the axes of the world that holds something.
struct PieceBox {
  std::array<double, 3> low, high;

  bool meets(const PieceBox& other) const {
    bool does = true;
    for (std::size_t i = 0; i < 3; ++i) does = does && !(low[i] > other.high[i]) && !(other.low[i] > high[i]);
    return does;
  }
  void grow(double by) {
    for (double& x : low) x -= by;
    for (double& x : high) x += by;
  }
  void add(const PieceBox& other) {
    for (std::size_t i = 0; i < 3; ++i)
      low[i] = std::min(low[i], other.low[i]), high[i] = std::max(high[i], other.high[i]);
  }
};

inline PieceBox box_of_points(const Vector3* points, std::size_t count) {
  PieceBox box;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    box.low[k] = box.high[k] = points[0][i];
    for (std::size_t n = 1; n < count; ++n) {
      box.low[k] = std::min(box.low[k], points[n][i]), box.high[k] = std::max(box.high[k], points[n][i]);
    }
  }
  return box;
}

/// The box around a piece of a rod: its axis, a cubic between two frames, is within the hull of four points.
inline PieceBox box_of_piece(const Pose& begin, const Pose& end, double radius) {
  const Vector3 chord = end.position - begin.position;
  const double third = norm(chord) / 3.0;
  const Vector3 points[] = {begin.position, begin.position + third * begin.rotation.column(2),
                            end.position - third * end.rotation.column(2), end.position};
  PieceBox box = box_of_points(points, 4);
  box.grow(radius);
  return box;
}

/// Velocity of a frame's origin in the world.
template <typename S>
Vector3 velocity_in_world(const FrameMotionT<S>& frame) {
  return (frame.pose.rotation * frame.velocity.linear).template cast<double>();
}

/// How fast points of a piece's axis move at most, beside something that moves with `mean`.
template <typename S>
double speed_of_piece(const FrameMotionT<S>& begin, const FrameMotionT<S>& end, const Vector3& mean) {
  const Vector3 v = velocity_in_world(begin) - mean, w = velocity_in_world(end) - mean;
  const double chord = norm((end.pose.position - begin.pose.position).template cast<double>());
  const double turning = std::max(norm(begin.velocity.angular.template cast<double>()),
                                  norm(end.velocity.angular.template cast<double>()));
  // the hull's points: the ends, and those a third of the chord along the tangents there
  return std::max(norm(v), norm(w)) + (norm(w - v) + chord * turning) / 3.0;
}

/// Boxes around the pieces of a rod and, as a tree, around neighbors: node 1 holds all, 2 n and 2 n + 1 the halves of
/// n.
class PieceBoxes {
 public:
  /// Numbers that a tree over so many pieces takes.
  static std::size_t room(std::size_t pieces) { return 12 * leaves_for(pieces); }
  /// @param memory  room for them.   @param box  of a piece.
  template <typename Box>
  PieceBoxes(double* memory, std::size_t pieces, const Box& box) : memory_(memory), leaves_(leaves_for(pieces)) {
    constexpr double k_far = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < leaves_; ++i) {
      put(leaves_ + i, i < pieces ? box(i) : PieceBox{{k_far, k_far, k_far}, {-k_far, -k_far, -k_far}});
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
      PieceBox both = at(2 * i);
      both.add(at(2 * i + 1));
      put(i, both);
    }
  }
  /// Visits the pieces from `first` on whose boxes meet this one, in order.
  template <typename Visit>
  void for_each_met(const PieceBox& box, std::size_t first, const Visit& visit) const {
    visit_node(1, 0, leaves_, box, first, visit);
  }

 private:
  static std::size_t leaves_for(std::size_t pieces) {
    std::size_t leaves = 1;
    while (leaves < pieces) leaves *= 2;
    return leaves;
  }
  PieceBox at(std::size_t node) const {
    PieceBox box;
    std::copy_n(memory_ + 6 * node, 3, box.low.begin());
    std::copy_n(memory_ + 6 * node + 3, 3, box.high.begin());
    return box;
  }
  void put(std::size_t node, const PieceBox& box) {
    std::copy(box.low.begin(), box.low.end(), memory_ + 6 * node);
    std::copy(box.high.begin(), box.high.end(), memory_ + 6 * node + 3);
  }
  template <typename Visit>
  void visit_node(std::size_t node, std::size_t begin, std::size_t count, const PieceBox& box, std::size_t first,
                  const Visit& visit) const {
    if (begin + count <= first || !at(node).meets(box)) return;
    if (count == 1) {
      visit(begin);
      return;
    }
    visit_node(2 * node, begin, count / 2, box, first, visit);
    visit_node(2 * node + 1, begin + count / 2, count / 2, box, first, visit);
  }

  double* memory_;
  std::size_t leaves_;
};

}  // namespace cuttle
