#include "view/volume_surface.h"

#include <map>
#include <utility>

namespace cuttle {
namespace {

constexpr double k_sharp = 0.8;  // cosine between normals

Vector3 normal_of(const VolumeSurface& surface, const VolumeSurface::Face& face) {
  const auto& x = surface.points;
  // of a quadrilateral: the cross product of its diagonals
  const Vector3 normal = face[3] < 0 ? cross(x[face[1]] - x[face[0]], x[face[2]] - x[face[0]])
                                     : cross(x[face[2]] - x[face[0]], x[face[3]] - x[face[1]]);
  const double length = norm(normal);
  return length > 0.0 ? 1.0 / length * normal : normal;
}

}  // namespace

VolumeSurface::VolumeSurface(BodySurface surface) : BodySurface(std::move(surface)) {
  std::map<std::pair<int, int>, int> seen;
  for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
    const int corners = faces[f][3] < 0 ? 3 : 4;
    for (int k = 0; k < corners; ++k) {
      const int a = faces[f][k], b = faces[f][(k + 1) % corners];
      const auto [edge, is_new] =
          seen.insert({std::pair(std::min(a, b), std::max(a, b)), static_cast<int>(edges.size())});
      if (is_new) {
        edges.push_back({a, b, f, f, false});
      } else {
        Edge& shared = edges[edge->second];
        shared.other = f;
        shared.sharp = dot(normal_of(*this, faces[shared.first]), normal_of(*this, faces[f])) < k_sharp;
      }
    }
  }
}

}  // namespace cuttle
