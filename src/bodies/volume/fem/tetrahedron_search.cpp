#include "bodies/volume/fem/tetrahedron_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

double squared(const Vector3& a) { return dot(a, a); }

/// The least distance of x from the segment from a to b, squared.
double squared_distance(const Vector3& x, const Vector3& a, const Vector3& b) {
  const Vector3 along = b - a;
  const double t = std::clamp(dot(x - a, along) / squared(along), 0.0, 1.0);
  return squared(x - a - t * along);
}
double squared_distance(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 normal = cross(b - a, c - a);
  const double area = squared(normal);
  const auto inside = [&](const Vector3& from, const Vector3& to) {
    return dot(cross(to - from, x - from), normal) >= 0.0;
  };
  if (inside(a, b) && inside(b, c) && inside(c, a)) {
    const double height = dot(x - a, normal);
    return height * height / area;
  }
  return std::min({squared_distance(x, a, b), squared_distance(x, b, c), squared_distance(x, c, a)});
}

}  // namespace

CornerFunctions corner_functions(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  const auto& corners = mesh.tetrahedra[tetrahedron];
  const Vector3& o = mesh.nodes[corners[0]];
  const Vector3 a = mesh.nodes[corners[1]] - o, b = mesh.nodes[corners[2]] - o, c = mesh.nodes[corners[3]] - o;
  const double determinant = dot(cross(a, b), c), inverse = 1.0 / determinant;
  CornerFunctions functions;
  functions.gradients[1] = inverse * cross(b, c);
  functions.gradients[2] = inverse * cross(c, a);
  functions.gradients[3] = inverse * cross(a, b);
  functions.gradients[0] = -(functions.gradients[1] + functions.gradients[2] + functions.gradients[3]);
  functions.volume = determinant / 6.0;
  return functions;
}

TetrahedronSearch::TetrahedronSearch(std::shared_ptr<const TetrahedralMesh> mesh) : mesh_(std::move(mesh)) {
  const auto& nodes = mesh_->nodes;
  Vector3 high = low_ = nodes.front();
  for (const Vector3& x : nodes) {
    for (int i = 0; i < 3; ++i) low_[i] = std::min(low_[i], x[i]), high[i] = std::max(high[i], x[i]);
  }
  size_ = high - low_;
  const auto count = static_cast<double>(mesh_->tetrahedra.size());
  const double edge = std::cbrt(size_.x * size_.y * size_.z / count);
  for (int i = 0; i < 3; ++i) counts_[i] = static_cast<int>(std::clamp(size_[i] / edge, 1.0, 1000.0));
  cells_.resize(static_cast<std::size_t>(counts_[0]) * counts_[1] * counts_[2]);
  for (std::size_t t = 0; t < mesh_->tetrahedra.size(); ++t) {
    functions_.push_back(corner_functions(*mesh_, t));
    std::array<int, 3> from, to;
    for (int i = 0; i < 3; ++i) {
      const auto& corners = mesh_->tetrahedra[t];
      const auto [least, most] =
          std::minmax({nodes[corners[0]][i], nodes[corners[1]][i], nodes[corners[2]][i], nodes[corners[3]][i]});
      const double margin = 1e-9 * size_[i];  // for points that rounding put outside
      from[i] = cell(i, least - margin), to[i] = cell(i, most + margin);
    }
    for (int i = from[0]; i <= to[0]; ++i) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int k = from[2]; k <= to[2]; ++k) {
          cells_[(static_cast<std::size_t>(i) * counts_[1] + j) * counts_[2] + k].push_back(static_cast<int>(t));
        }
      }
    }
  }
}

int TetrahedronSearch::cell(int axis, double coordinate) const {
  const double at = (coordinate - low_[axis]) / size_[axis] * counts_[axis];
  return static_cast<int>(std::clamp(at, 0.0, counts_[axis] - 1.0));
}

double TetrahedronSearch::depth(std::size_t tetrahedron, const Vector3& x) const {
  const Vector3 from = x - mesh_->nodes[mesh_->tetrahedra[tetrahedron][0]];
  const auto& gradients = functions_[tetrahedron].gradients;
  return std::min(
      {1.0 + dot(gradients[0], from), dot(gradients[1], from), dot(gradients[2], from), dot(gradients[3], from)});
}

double TetrahedronSearch::distance(std::size_t tetrahedron, const Vector3& x) const {
  const auto& corners = mesh_->tetrahedra[tetrahedron];
  const auto at = [&](int i) { return mesh_->nodes[corners[i]]; };
  return std::sqrt(std::min({squared_distance(x, at(0), at(1), at(2)), squared_distance(x, at(0), at(1), at(3)),
                             squared_distance(x, at(0), at(2), at(3)), squared_distance(x, at(1), at(2), at(3))}));
}

std::size_t TetrahedronSearch::find(const Vector3& x) const {
  const std::size_t in =
      (static_cast<std::size_t>(cell(0, x.x)) * counts_[1] + cell(1, x.y)) * counts_[2] + cell(2, x.z);
  double best = -1e-9;
  std::size_t found = mesh_->tetrahedra.size();
  for (const int t : cells_[in]) {
    const double now = depth(t, x);
    if (now > best) best = now, found = t;
  }
  if (found < mesh_->tetrahedra.size()) return found;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < mesh_->tetrahedra.size(); ++t) {
    const double now = distance(t, x);
    if (now < nearest) nearest = now, found = t;
  }
  if (nearest <= mesh_->radius()) return found;
  throw ModelError("point " + vector_text(x) + ": found " + number_text(nearest) +
                   " m beside the mesh, expected a point in it or not further away than " +
                   number_text(mesh_->radius()) + " m");
}

}  // namespace cuttle
