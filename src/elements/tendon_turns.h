#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuttle/model/routing.h"
#include "cuttle/model/transmission_binder.h"

// A tendon as friction sees it: pieces that change their length and have one tension each, and turns between them. All
// of it follows from a few transmissions: coordinates of rods, in which the tangent of the tendon is affine, and
// straight distances. A corner's angle follows from those of three points.

namespace cuttle {

/// A vector that is affine in the coordinates of a rod.
struct AffineVector {
  int first = 0, count = 0;  ///< the coordinates, among the transmissions
  std::size_t at = 0;        ///< in `vectors`: the constant, then a column a coordinate
};

/// A distance: a transmission, y being minus the distance, or a constant.
template <typename S>
struct TendonDistanceT {
  int transmission = -1;  ///< -1: constant
  S constant{};           ///< [m]
};

template <typename S>
struct TendonTurnsT {
  /// A point along a rod. By s [m] the tendon changes by the tangent, and that by the bend.
  struct RodPoint {
    AffineVector tangent, bend, curvature;  ///< section axes: their derivatives by s and the rod's curvature
    S weight{};                             ///< of the quadrature of pieces [m]; 0: where only the turn is looked at
    S rounding{};                           ///< turning by less than this [rad/m] counts for less
  };
  /// Of one tension: a point along a rod with its weight, or something straight.
  struct Piece {
    int point = -1, transmission = -1;  ///< one of the two
  };
  /// What follows stands before the piece `piece`.
  struct RodTurn {
    int piece, point;
    S way;  ///< that turns as the point does [m]
  };
  struct Kink {
    int piece;
    AffineVector before, after;
  };
  struct Corner {
    int piece;
    TendonDistanceT<S> before, after, across;  ///< of its triangle
  };
  /// A corner between something straight and a rod at whose end the tangent changes its direction. The straight part
  /// follows from how far its end is from others, which lie beside it along the axes of the section.
  struct RodEnd {
    int piece;
    AffineVector tangent;  ///< section axes, by s
    S sign{};              ///< -1: the tendon goes to smaller s
    TendonDistanceT<S> straight, beside[3];
    S arm{};  ///< of the places beside it [m]
  };

  std::vector<Piece> pieces;  ///< from where it is pulled
  std::vector<RodPoint> points;
  std::vector<RodTurn> rod_turns;
  std::vector<Kink> kinks;
  std::vector<Corner> corners;
  std::vector<RodEnd> rod_ends;
  std::vector<Vector3T<S>> vectors;
  int transmissions = 0;
};

/// @param first        transmissions of the law that are bound before.
/// @param from_last    it is pulled at its last end.
/// @param coefficient  of friction, which decides on the number of points.
/// @param refinement   how often their panels are halved beyond what they need.
template <typename S>
TendonTurnsT<S> bind_tendon_turns(const std::vector<RoutingT<S>>& routing, bool from_last, int first,
                                  double coefficient, int refinement, TransmissionBinderT<S>& to);

}  // namespace cuttle
