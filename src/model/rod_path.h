#pragma once

#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/model/routing.h"

namespace cuttle {

/// Place D of an entry in the axes of the section at a fraction x of the way from `from` to `to`.
template <typename S>
struct PathPoint {
  Vector3T<S> offset, slope, bend;  ///< D, dD/dx, d2D/dx2
};
/// @param interval  of the list of offsets that x lies in.
template <typename S>
PathPoint<S> path_point(const RoutingT<S>& entry, const S& x, int interval);

/// A piece of an entry's way along a rod on which nothing jumps.
template <typename S>
struct PathPiece {
  S start{}, end{};  ///< [m], start < end
  int interval = 0;  ///< of the list of offsets
};
/// Between the ends of the way, the breaks of the rod's strain and the corners of the offsets: ascending in s,
/// whichever way the tendon goes.
template <typename S>
std::vector<PathPiece<S>> path_pieces(const SlenderT<S>& line, const RoutingT<S>& entry);

/// Where an entry of a tendon's routing enters and leaves a rod, or another slender body, as places in the frames of
/// its sections at `from` and `to`.
template <typename S>
struct PathEnds {
  Vector3T<S> first, last;
};
template <typename S>
PathEnds<S> path_ends(const RoutingT<S>& entry);

/// Place of an entry in the axes of the section at a fraction of the way from `from` to `to`.
template <typename S>
Vector3T<S> path_offset(const RoutingT<S>& entry, double fraction);

/// Ports of the rod there: its base and tip for 0 and L.
template <typename S>
PortLocationT<S> path_start(const RoutingT<S>& entry, const S& length);
template <typename S>
PortLocationT<S> path_end(const RoutingT<S>& entry, const S& length);

/// The stretch of a tendon along a slender body. The Gauss points of the rod serve: as many as its quadrature has, on
/// each piece between the ends of the stretch, the breaks of the rod's strain and the corners of the offsets.
template <typename S>
TendonArcT<S> path_along(const BodyT<S>& rod, const RoutingT<S>& entry);

/// Checks an entry for a rod. @throws ModelError: key, what was found, what was expected.
template <typename S>
void check_path(const RoutingT<S>& entry, const S& length);

}  // namespace cuttle
