#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "cuttle/bodies/chamber_surface.h"

namespace cuttle {

/// Points of a surface that are corners of its triangles: the last ones.
template <typename S>
std::size_t corner_count(const ChamberSurfaceT<S>& surface) {
  std::size_t others = surface.nodes.size();
  for (const auto& rim : surface.rims) others += rim.tangents.size();
  return surface.points.size() - others;
}

/// Volume that triangles a, b, c enclose with cones over their openings: sums of a . (b x c) / 6.
/// @param corners  where they are.   @param changes  out: the volume's derivative in each.
template <typename S>
S volume_of_triangles(const ChamberSurfaceT<S>& surface, const Vector3T<S>* corners, Vector3T<S>* changes) {
  const std::size_t count = corner_count(surface), first = surface.points.size() - count;
  const Vector3T<S> zero{S(0.0), S(0.0), S(0.0)};
  const S sixth = S(1.0) / S(6.0);
  std::fill_n(changes, count, zero);
  S sum(0.0);
  for (const std::array<int, 3>& triangle : surface.triangles) {
    const std::size_t a = triangle[0] - first, b = triangle[1] - first, c = triangle[2] - first;
    sum += sixth * dot(corners[a], cross(corners[b], corners[c]));
    changes[a] += sixth * cross(corners[b], corners[c]);
    changes[b] += sixth * cross(corners[c], corners[a]);
    changes[c] += sixth * cross(corners[a], corners[b]);
  }
  for (const std::vector<int>& opening : surface.openings) {
    const std::size_t size = opening.size();
    const S share = S(1.0) / S(static_cast<double>(size));
    Vector3T<S> center = zero, area = zero;
    for (std::size_t k = 0; k < size; ++k) {
      const Vector3T<S>&a = corners[opening[k] - first], &b = corners[opening[(k + 1) % size] - first];
      center += share * a;
      area += sixth * cross(a, b);
    }
    sum += dot(center, area);
    for (std::size_t k = 0; k < size; ++k) {
      const Vector3T<S>& before = corners[opening[(k + size - 1) % size] - first];
      const Vector3T<S>& after = corners[opening[(k + 1) % size] - first];
      changes[opening[k] - first] += share * area + sixth * cross(after - before, center);
    }
  }
  return sum;
}

}  // namespace cuttle
