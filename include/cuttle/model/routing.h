#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/topology.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct ChamberSurfaceT;

/// What an input below zero means for a tendon: a mistake, no tension, or a tendon that can push.
enum class Slack { error, clip, allow };
/// Name as in files.
const char* slack_name(Slack slack);

/// One entry of a tendon's routing: a stretch along a rod, or points of a volume or of a link that does not deform. The
/// tendon is straight between the end of one entry and the start of the next.
template <typename S>
struct RoutingT {
  std::string link;

  // along a rod from s = `from` to s = `to` [m of rest length], at (x, y) in the axes of its cross-sections [m]
  std::optional<S> from{}, to{};           ///< missing: 0 and L. from > to: towards the base
  std::vector<std::array<S, 2>> offset{};  ///< one; or several at equal spacing on the way, straight in between
  struct Helix {
    S radius{};  ///< [m]
    S phase{};   ///< angle from x towards y at `from` [rad]
    S turns{};   ///< on the way, positive from x towards y
    bool operator==(const Helix&) const = default;
  };
  std::optional<Helix> helix{};  ///< instead of `offset`

  // of a volume, a link without coordinates, or the robot's base: the corners of a polygon
  std::vector<Vector3T<S>> points{};  ///< base frame of the link [m]; of a volume: rest positions of material points

  bool operator==(const RoutingT&) const = default;
  template <typename T>
  RoutingT<T> cast() const {
    RoutingT<T> other;
    other.link = link;
    if (from) other.from = scalar_cast<T>(*from);
    if (to) other.to = scalar_cast<T>(*to);
    for (const auto& xy : offset) other.offset.push_back({scalar_cast<T>(xy[0]), scalar_cast<T>(xy[1])});
    if (helix) {
      other.helix = typename RoutingT<T>::Helix{scalar_cast<T>(helix->radius), scalar_cast<T>(helix->phase),
                                                scalar_cast<T>(helix->turns)};
    }
    for (const auto& x : points) other.points.push_back(x.template cast<T>());
    return other;
  }
};
using Routing = RoutingT<double>;

/// A stretch of a tendon along a rod. At s it runs along D(s) in the axes of the cross-section, so that with the rod's
/// strain (K, Gamma) its length is the integral of |Gamma + K x D + D'| ds; what stands in the norm is affine in the
/// coordinates of the rod: rest + shape q. No pose is needed.
template <typename S>
struct TendonArcT {
  int q = 0, v = 0, nv = 0;        ///< the rod's coordinates in the robot's
  std::vector<S> weights;          ///< of the quadrature [m]
  std::vector<Vector3T<S>> rest;   ///< at each point of it, section axes
  std::vector<Vector3T<S>> shape;  ///< point by point, one column a coordinate
};

/// A stretch of a tendon through material points of a body, straight between them. Its length depends on the body's
/// coordinates alone: no pose is needed.
template <typename S>
struct TendonPolygonT {
  int body = 0;                     ///< of the topology's
  int q = 0, v = 0, nv = 0;         ///< the body's coordinates in the robot's
  std::vector<Vector3T<S>> points;  ///< rest positions, base frame of the body [m]; two or more
};

/// A straight stretch of a tendon between two nodes that move against each other.
template <typename S>
struct TendonSegmentT {
  int first_node = 0, second_node = 0;
  Vector3T<S> first, second;  ///< its ends, each in the axes of its node [m]
};

/// A tendon bound to the coordinates and nodes of a model.
template <typename S>
struct BoundTendonT {
  int input = 0;  ///< its entry of u
  Slack slack = Slack::error;
  S fixed_length{};  ///< [m] of what cannot change: between points that move together
  S rest_length{};   ///< l(0) [m]: in the neutral configuration
  /// In place of its length l it is measured by l^2 / 2 [m^2], rest_length too: smooth where its ends meet. Then it is
  /// one segment and nothing else.
  bool half_square = false;
  std::vector<TendonArcT<S>> arcs;
  std::vector<TendonPolygonT<S>> polygons;
  std::vector<TendonSegmentT<S>> segments;
};

/// A wrench on a frame, six efforts.
template <typename S>
struct BoundWrenchT {
  int input = 0;  ///< the first entry of u: torque, then force
  FrameT<S> frame;
  bool world_axes = false;  ///< else those of the frame
};

/// A chamber in a volume, whose volume depends on the coordinates of the body alone.
template <typename S>
struct BoundChamberT {
  int input = 0;             ///< its entry of u
  int body = 0;              ///< of the topology's
  int q = 0, v = 0, nv = 0;  ///< the body's coordinates in the robot's
  S rest_volume{};           ///< [m^3]
  std::shared_ptr<const ChamberSurfaceT<S>> surface;
};

}  // namespace cuttle
