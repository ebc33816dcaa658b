#pragma once

#include <array>
#include <cmath>

#include "model/contact/facet.h"

// A round thing, as a point of a rod with its radius, beside a facet: where its center is above the plane.
//
// Over flat edges the next facet goes on. Sharp edges of the body bound the facet: beyond them the distance is that to
// the edge, or to the corner between two. So a rod rolls over an edge as over something round, and both facets know the
// same distance there. Right above the plane edges are farther out, by the width within which facets share a point: a
// point that passes the plane beside an edge is beyond none.

namespace cuttle {

inline constexpr double k_sharp_width = 0.25;  // of a rod's radius: half of the width in which facets share it at edges
inline constexpr double k_edge_rise = 1.4;     // of that: height from which on edges are where they are

/// What is nearest to a point above a facet's plane, of what sharp edges leave of the plane.
template <typename T>
struct FacetRimT {
  int count = 0;  ///< of edges beyond which the point is; 0: its foot is the nearest
  std::array<CutLineT<T>, 2> lines;
  std::array<FacetCut, 2> cuts;
  std::array<T, 2> part;   ///< what goes out across each, of the way to the foot
  std::array<T, 2> draws;  ///< how much the edge comes in with the height
  T turned{};              ///< cosine of the angle between both
  T distance{};
  Vector3T<T> outward;                  ///< in the plane: from the nearest place to the foot
  Vector3T<T> normal;                   ///< from the nearest place to the point
  Vector3T<T> by_point, by_corners[3];  ///< how the distance changes with these

  /// @param width  half of that within which facets share the point at sharp edges.
  static FacetRimT of(const FacetT<T>& facet, const std::array<Vector3T<T>, 3>& corner, const Vector3T<T>& point,
                      const FacetCuts& cuts, double width_at_edges) {
    using std::sqrt;
    FacetRimT rim;
    const T zero(0.0), one(1.0);
    if (!(facet.depth < zero)) return rim;
    const T height = -facet.depth;
    int found = 0;
    std::array<CutLineT<T>, FacetCuts::k_most> lines;
    std::array<T, FacetCuts::k_most> beyond, draws;
    std::array<std::size_t, FacetCuts::k_most> number{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(cuts.count); ++i) {
      const FacetCut& cut = cuts.cuts[i];
      if (!(cut.inset > 0.0 && cut.narrow > 1.0)) continue;
      const auto n = static_cast<std::size_t>(found);
      lines[n] = CutLineT<T>(facet, corner, point, cut);
      const T width(width_at_edges), left = one - height / (T(k_edge_rise) * width);
      const T right_above = select(left > zero, left, zero);
      beyond[n] = -lines[n].within - width * right_above * right_above, number[n] = i;
      draws[n] = T(2.0 / k_edge_rise) * right_above;
      if (beyond[n] > zero) ++found;
    }
    if (found == 0) return rim;
    // the farthest of the nearest places on each edge, and in each corner that is nearest to the point
    T farthest2 = zero;
    const auto take = [&](std::size_t n) {
      const auto to = static_cast<std::size_t>(rim.count++);
      rim.lines[to] = lines[n], rim.cuts[to] = cuts.cuts[number[n]], rim.draws[to] = draws[n];
    };
    for (std::size_t n = 0; n < static_cast<std::size_t>(found); ++n) {
      if (!(beyond[n] * beyond[n] > farthest2)) continue;
      farthest2 = beyond[n] * beyond[n], rim.count = 0;
      take(n), rim.part[0] = beyond[n];
    }
    for (std::size_t n = 1; n < static_cast<std::size_t>(found); ++n) {
      for (std::size_t k = 0; k < n; ++k) {
        const T c = dot(lines[n].inward, lines[k].inward), left = one - c * c;
        const T of_n = beyond[n] - c * beyond[k], of_k = beyond[k] - c * beyond[n];
        if (!(left > T(1e-6) && of_n > zero && of_k > zero)) continue;
        const T far2 = (beyond[n] * of_n + beyond[k] * of_k) / left;
        if (!(far2 > farthest2)) continue;
        farthest2 = far2, rim.count = 0, rim.turned = c;
        take(n), take(k);
        rim.part = {of_n / left, of_k / left};
      }
    }
    rim.distance = sqrt(height * height + farthest2);
    T lift = height;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rim.count); ++i) {
      rim.outward -= rim.part[i] * rim.lines[i].inward, lift += rim.part[i] * rim.draws[i];
    }
    const T over = one / rim.distance;
    rim.normal = over * (height * facet.normal + rim.outward);
    rim.by_point = over * (lift * facet.normal + rim.outward);
    for (std::size_t k = 0; k < 3; ++k) rim.by_corners[k] = (-over * lift * facet.weight[k]) * facet.normal;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rim.count); ++i) {
      const T shift = -over * rim.part[i];
      rim.lines[i].add_by_corners(facet, rim.cuts[i], zero, shift, -shift * dot(rim.outward, rim.lines[i].along),
                                  rim.by_corners);
    }
    return rim;
  }

  struct Rates {
    T distance;
    Vector3T<T> normal;
  };
  Rates rates(const FacetT<T>& facet, const std::array<Vector3T<T>, 3>& corner, const Vector3T<T>& point,
              const std::array<Vector3T<T>, 3>& velocity, const Vector3T<T>& of_point) const {
    const Vector3T<T> turning = facet.normal_rate(velocity);
    const T rise = dot(facet.normal, of_point - facet.at_foot(velocity));
    std::array<Vector3T<T>, 2> swings;  // of the inward directions
    std::array<T, 2> goes;              // of how far it is beyond
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const CutLineT<T>& line = lines[i];
      const auto v = static_cast<std::size_t>(cuts[i].corner);
      const Vector3T<T> way = CutLineT<T>::way_of(velocity, cuts[i]);
      const Vector3T<T> swing = (T(1.0) / line.length) * (way - dot(line.along, way) * line.along);
      swings[i] = cross(turning, line.along) + cross(facet.normal, swing);
      goes[i] = draws[i] * rise - dot(swings[i], point - corner[v]) - dot(line.inward, of_point - velocity[v]);
    }
    std::array<T, 2> parts{goes[0], T(0.0)};
    if (count == 2) {
      const T turns = dot(swings[0], lines[1].inward) + dot(lines[0].inward, swings[1]);
      const T one = goes[0] - turns * part[1], two = goes[1] - turns * part[0], left = T(1.0) - turned * turned;
      parts = {(one - turned * two) / left, (two - turned * one) / left};
    }
    Vector3T<T> away = rise * facet.normal - facet.depth * turning;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      away -= parts[i] * lines[i].inward + part[i] * swings[i];
    }
    const T along = dot(normal, away);
    return {along, (T(1.0) / distance) * (away - along * normal)};
  }
};

}  // namespace cuttle
