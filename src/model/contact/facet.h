#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "cuttle/spatial/scalar.h"
#include "cuttle/spatial/vector3.h"
#include "model/contact/facet_pass.h"

// A point beside a flat triangle whose corners move, on any scalar.
//
// A facet has the part of its body that is below it, between planes through its edges. In the undeformed body these
// halve the angle to the next facet; so at the depth d an edge is inset by d times the cotangent of that half angle.
// Planes of sharp edges that it meets at a corner alone bound it, too. Where the point is near such a plane, two facets
// share it: each has the share of a small disc about the point, in the plane of the facet, that its part holds. So
// forces go on without a jump from one facet to the next. Over a sharp edge the disc is narrow: one facet may be deep
// there where the other one is not.

namespace cuttle {

inline constexpr double k_parallel = 1e-9;  // lines of cuts that do not cross

/// A point beside a triangle. Edge e goes from corner e to corner e + 1.
template <typename T>
struct FacetT {
  Vector3T<T> normal;    ///< outward
  Vector3T<T> slope[3];  ///< of each weight, in the plane [1/m]
  T length[3];           ///< of edges [m]
  T within[3];           ///< how far the point is within each edge [m]
  T passed[3];           ///< how far along each edge, from its begin [m]
  T weight[3];           ///< of the corners, at the point's foot: barycentric
  T depth;               ///< below the plane [m]

  FacetT(const std::array<Vector3T<T>, 3>& corner, const Vector3T<T>& point) {
    using std::sqrt;
    const Vector3T<T> twice = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const T area = sqrt(dot(twice, twice));  // twice the area
    normal = (T(1.0) / area) * twice;
    depth = -dot(normal, point - corner[0]);
    for (std::size_t e = 0; e < 3; ++e) {
      const Vector3T<T> chord = corner[(e + 1) % 3] - corner[e], arm = point - corner[e];
      length[e] = sqrt(dot(chord, chord));
      const Vector3T<T> along = (T(1.0) / length[e]) * chord, inward = cross(normal, along);
      within[e] = dot(inward, arm), passed[e] = dot(along, arm);
      const T height = area / length[e];  // of the corner across
      weight[(e + 2) % 3] = within[e] / height;
      slope[(e + 2) % 3] = (T(1.0) / height) * inward;
    }
  }
  Vector3T<T> at_foot(const std::array<Vector3T<T>, 3>& of_corners) const {
    return weight[0] * of_corners[0] + weight[1] * of_corners[1] + weight[2] * of_corners[2];
  }
  /// Of the normal. @param velocity  of the corners.
  Vector3T<T> normal_rate(const std::array<Vector3T<T>, 3>& velocity) const {
    Vector3T<T> rate;
    for (std::size_t k = 0; k < 3; ++k) rate -= dot(normal, velocity[k]) * slope[k];
    return rate;
  }
};

/// The part of a disc about the point that a facet has. Its density is (1 - r^2 / R^2) 2 / (pi R^2).
template <typename T>
struct FacetShareT {
  T share{};                            ///< in [0, 1]
  bool all = true;                      ///< it is 1 or 0, and stays so
  Vector3T<T> by_point, by_corners[3];  ///< how it changes with these [1/m]
};

/// Where a line of a cut is, from the point.
template <typename T>
struct CutLineT {
  Vector3T<T> along, inward;
  T length, passed;  ///< of the direction; of the point, from its corner
  T within;          ///< of the point

  CutLineT() = default;
  /// Without the inset.
  CutLineT(const FacetT<T>& facet, const std::array<Vector3T<T>, 3>& corner, const Vector3T<T>& point,
           const FacetCut& cut) {
    using std::sqrt;
    const Vector3T<T>& from = corner[static_cast<std::size_t>(cut.corner)];
    const Vector3T<T> way = way_of(corner, cut);
    length = sqrt(dot(way, way));
    along = (T(1.0) / length) * way, inward = cross(facet.normal, along);
    passed = dot(along, point - from), within = dot(inward, point - from);
  }
  /// Direction of a cut, or its rate by velocities of the corners.
  static Vector3T<T> way_of(const std::array<Vector3T<T>, 3>& of_corner, const FacetCut& cut) {
    const auto v = static_cast<std::size_t>(cut.corner);
    const Vector3T<T>& from = of_corner[v];
    return T(cut.first) * (of_corner[(v + 1) % 3] - from) + T(cut.second) * (of_corner[(v + 2) % 3] - from);
  }
  /// What corners do to something that changes by `shift` where the line goes in, all of it, and by `turn` times how
  /// much it turns: the line goes out by m (dp - dx_c) + d m dn - c dd - (passed + t) m du at t from the point.
  void add_by_corners(const FacetT<T>& facet, const FacetCut& cut, const T& inset, const T& shift, const T& turn,
                      Vector3T<T>* by_corners) const {
    for (std::size_t k = 0; k < 3; ++k) {
      by_corners[k] -= (shift * (facet.depth * dot(inward, facet.slope[k]) + inset * facet.weight[k])) * facet.normal;
    }
    const auto v = static_cast<std::size_t>(cut.corner);
    const T turns = (shift * passed + turn) / length;
    by_corners[v] += (turns * T(cut.first + cut.second) - shift) * inward;
    by_corners[(v + 1) % 3] -= (turns * T(cut.first)) * inward;
    by_corners[(v + 2) % 3] -= (turns * T(cut.second)) * inward;
  }
};

/// @param sharp_narrow  of discs over sharp edges, where not that of the cuts.
template <typename T>
FacetShareT<T> facet_share(const FacetT<T>& facet, const std::array<Vector3T<T>, 3>& corner, const Vector3T<T>& point,
                           const FacetCuts& cuts, double radius, double sharp_narrow = 0.0) {
  using std::atan2;
  using std::sqrt;
  FacetShareT<T> result;
  const T R(radius), zero(0.0), one(1.0), R2 = R * R;
  CutLineT<T> lines[FacetCuts::k_most];
  std::array<double, FacetCuts::k_most> narrow{};
  bool holds_all = true;
  const auto below = static_cast<std::size_t>(cuts.count), above = static_cast<std::size_t>(cuts.more);
  const std::size_t count = below + (facet.depth < zero ? above : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const FacetCut& cut = cuts.cuts[i];
    CutLineT<T>& line = lines[i] = CutLineT<T>(facet, corner, point, cut);
    narrow[i] = cut.narrow > 1.0 && sharp_narrow > 0.0 ? sharp_narrow : cut.narrow;
    line.within = T(narrow[i]) * (line.within - T(cut.inset) * facet.depth);
    holds_all = holds_all && line.within >= R;
    if (!(line.within > -R)) return result;
  }
  if (holds_all) {
    result.share = one;
    return result;
  }
  result.all = false;
  const T density = T(2.0 / M_PI) / R2;
  for (std::size_t i = 0; i < count; ++i) {
    const CutLineT<T>& line = lines[i];
    const T& s = line.within;
    // the part of the line within all others
    T begin(-INFINITY), end(INFINITY);
    for (std::size_t k = 0; k < count; ++k) {
      if (k == i) continue;
      const T there = lines[k].within - s * dot(lines[k].inward, line.inward), turn = dot(lines[k].inward, line.along);
      if (turn > T(k_parallel)) {
        begin = select(begin > -there / turn, begin, -there / turn);
      } else if (turn < T(-k_parallel)) {
        end = select(end < -there / turn, end, -there / turn);
      } else if (there < zero) {
        end = begin;
      }
    }
    if (!(begin < end)) continue;
    const T away = select(s < zero, -s, s);
    const auto angle = [&](const T& from, const T& to) {
      const T turned = T(0.5 / M_PI) * (atan2(to, away) - atan2(from, away));
      return select(s < zero, -turned, turned);
    };
    const T left2 = R2 - s * s;
    if (!(left2 > T(1e-12) * R2)) {
      result.share += angle(begin, end);
      continue;
    }
    const T half = sqrt(left2), low = select(begin > -half, begin, -half), high = select(end < half, end, half);
    if (!(low < high)) {
      result.share += angle(begin, end);
      continue;
    }
    if (begin < low) result.share += angle(begin, low);
    if (end > high) result.share += angle(high, end);
    // integrals of the density and of its moment, along the part of the line within the disc
    T shift = zero, turn = zero;
    const T rest = one - s * s / R2;
    const auto add = [&](const T& t, const T& sign) {
      const T t2 = t * t;
      result.share += sign * s * density * (T(0.5) * (one - T(0.5) * s * s / R2) * t - T(1.0 / 12.0) * t2 * t / R2);
      shift += sign * density * (rest * t - T(1.0 / 3.0) * t2 * t / R2);
      turn += sign * density * (T(0.5) * rest * t2 - T(0.25) * t2 * t2 / R2);
    };
    add(high, one), add(low, -one);
    const FacetCut& cut = cuts.cuts[i];
    const T inset(cut.inset);
    shift *= T(narrow[i]);
    result.by_point += shift * (line.inward + inset * facet.normal);
    line.add_by_corners(facet, cut, inset, shift, turn, result.by_corners);
  }
  return result;
}

/// Distance of a point to a triangle, and the weights of the corners at the nearest place.
inline double distance_to_facet(const std::array<Vector3T<double>, 3>& corner, const Vector3T<double>& point,
                                std::array<double, 3>& weights) {
  const FacetT<double> facet(corner, point);
  if (facet.weight[0] >= 0.0 && facet.weight[1] >= 0.0 && facet.weight[2] >= 0.0) {
    weights = {facet.weight[0], facet.weight[1], facet.weight[2]};
    return std::abs(facet.depth);
  }
  double nearest = INFINITY;
  for (std::size_t e = 0; e < 3; ++e) {
    const double t = std::min(1.0, std::max(0.0, facet.passed[e] / facet.length[e]));
    const std::size_t next = (e + 1) % 3;
    const double distance = norm(point - corner[e] - t * (corner[next] - corner[e]));
    if (!(distance < nearest)) continue;
    nearest = distance, weights = {}, weights[e] = 1.0 - t, weights[next] = t;
  }
  return nearest;
}

}  // namespace cuttle
