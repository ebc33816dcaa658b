#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

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

/// What holds a piece of a rod: its axis, a cubic between two frames, is within the hull of four points.
struct PieceHull {
  std::array<Vector3, 4> points;  ///< in the world
  double radius = 0.0;

  PieceBox box() const {
    PieceBox box = box_of_points(points.data(), points.size());
    box.grow(radius);
    return box;
  }
  /// Whether more than `between` is free between both, across the line through their middles.
  bool is_clear_of(const PieceHull& other, double between) const {
    const Vector3 line = other.points[0] + other.points[3] - points[0] - points[3];
    double end = -std::numeric_limits<double>::infinity(), begin = -end;
    for (std::size_t k = 0; k < 4; ++k) {
      end = std::max(end, dot(line, points[k])), begin = std::min(begin, dot(line, other.points[k]));
    }
    return begin - end > (radius + other.radius + between) * norm(line);
  }
  /// Whether they may touch.
  bool meets(const PieceHull& other) const { return box().meets(other.box()) && !is_clear_of(other, 0.0); }
};

inline PieceHull hull_of_piece(const Pose& begin, const Pose& end, double radius) {
  const Vector3 chord = end.position - begin.position;
  const double third = norm(chord) / 3.0;
  return {{begin.position, begin.position + third * begin.rotation.column(2),
           end.position - third * end.rotation.column(2), end.position},
          radius};
}

/// Hulls of pieces in a row, in memory that is given.
class PieceHulls {
 public:
  static std::size_t room(std::size_t pieces) { return k_numbers * pieces; }
  /// @param memory  room for them.   @param hull  of a piece.
  template <typename Hull>
  PieceHulls(double* memory, std::size_t pieces, const Hull& hull) : memory_(memory) {
    for (std::size_t i = 0; i < pieces; ++i) {
      const PieceHull piece = hull(i);
      std::memcpy(memory_ + k_numbers * i, &piece, sizeof piece);
    }
  }
  PieceHull at(std::size_t i) const {
    PieceHull piece;
    std::memcpy(static_cast<void*>(&piece), memory_ + k_numbers * i, sizeof piece);
    return piece;
  }

 private:
  static constexpr std::size_t k_numbers = sizeof(PieceHull) / sizeof(double);
  static_assert(std::is_trivially_copyable_v<PieceHull> && sizeof(PieceHull) % sizeof(double) == 0);

  double* memory_;
};

/// Velocity of a frame's origin in the world.
template <typename S>
Vector3 velocity_in_world(const FrameMotionT<S>& frame) {
  return (frame.pose.rotation * frame.velocity.linear).template cast<double>();
}

/// Axes that move and turn as some ends of pieces do on the mean, in those of the world.
struct MovingAxes {
  Vector3 point, velocity, turning;  ///< sums of so many
  double count = 0.0;

  template <typename Piece>
  void add(const Piece& piece) {
    point += piece.hull.points[0] + piece.hull.points[3];
    velocity += piece.velocity[0] + piece.velocity[1], turning += piece.turning[0] + piece.turning[1];
    count += 2.0;
  }
  MovingAxes mean() const { return {(1.0 / count) * point, (1.0 / count) * velocity, (1.0 / count) * turning, 1.0}; }
};

/// A piece that moves, in the axes of the world.
struct MovingPiece {
  PieceHull hull;
  Vector3 velocity[2], turning[2];  ///< of its ends
  double fast = 0.0;                ///< its speed beside axes of all, once these are known

  template <typename S>
  MovingPiece(const FrameMotionT<S>& begin, const FrameMotionT<S>& end, double radius)
      : hull(hull_of_piece(begin.pose.template cast<double>(), end.pose.template cast<double>(), radius)),
        velocity{velocity_in_world(begin), velocity_in_world(end)},
        turning{(begin.pose.rotation * begin.velocity.angular).template cast<double>(),
                (end.pose.rotation * end.velocity.angular).template cast<double>()} {}

  /// How fast points of its axis move at most, seen from there.
  double speed(const MovingAxes& from) const {
    const auto seen = [&](const Vector3& moves, const Vector3& x) {
      return moves - from.velocity - cross(from.turning, x - from.point);
    };
    const Vector3 &begin = hull.points[0], &end = hull.points[3];
    const Vector3 v = seen(velocity[0], begin), w = seen(velocity[1], end);
    // the hull's points: the ends, and those a third of the chord along the tangents there
    const double turns = std::max(norm(turning[0] - from.turning), norm(turning[1] - from.turning));
    return std::max(norm(v), norm(w)) + (norm(w - v) + norm(end - begin) * turns) / 3.0;
  }
  /// How fast it and another one approach at most.
  double closing(const MovingPiece& other) const {
    MovingAxes both;
    both.add(*this), both.add(other);
    both = both.mean();
    return speed(both) + other.speed(both);
  }
};

/// Boxes around the pieces of a rod and, as a tree, around neighbors: node 1 holds all, 2 n and 2 n + 1 the halves of
/// n.
class PieceBoxes {
 public:
  /// Numbers that a tree over so many pieces takes.
  static std::size_t room(std::size_t pieces) { return 12 * leaves_for(pieces); }
  /// @param memory  room for them.   @param box  of a piece.
  template <typename Box>
  PieceBoxes(double* memory, std::size_t pieces, const Box& box)
      : memory_(memory), leaves_(leaves_for(pieces)), pieces_(pieces) {
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
    // a box that is no number, of a motion that makes no sense any more, meets all
    if (begin + count <= first || begin >= pieces_ || !at(node).meets(box)) return;
    if (count == 1) {
      visit(begin);
      return;
    }
    visit_node(2 * node, begin, count / 2, box, first, visit);
    visit_node(2 * node + 1, begin + count / 2, count / 2, box, first, visit);
  }

  double* memory_;
  std::size_t leaves_, pieces_;
};

}  // namespace cuttle
