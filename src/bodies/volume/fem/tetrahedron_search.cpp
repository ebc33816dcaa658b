#include "bodies/volume/fem/tetrahedron_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

double squared(const Vector3& a) { return dot(a, a); }

/// A point of a tetrahedron that is nearest to another one.
struct Nearest {
  double square = std::numeric_limits<double>::infinity();  // of the distance
  std::array<double, 4> weights{};                          // of the corners
  void take(const Nearest& other) {
    if (other.square < square) *this = other;
  }
};
Nearest nearest_of_segment(const Vector3& x, const std::array<Vector3, 4>& corners, int a, int b) {
  const Vector3 along = corners[b] - corners[a];
  const double t = std::clamp(dot(x - corners[a], along) / squared(along), 0.0, 1.0);
  Nearest nearest{squared(x - corners[a] - t * along), {}};
  nearest.weights[a] = 1.0 - t, nearest.weights[b] = t;
  return nearest;
}
Nearest nearest_of_triangle(const Vector3& x, const std::array<Vector3, 4>& corners, int a, int b, int c) {
  const Vector3 normal = cross(corners[b] - corners[a], corners[c] - corners[a]);
  const double area = squared(normal);
  const auto part = [&](int from, int to) {
    return dot(cross(corners[to] - corners[from], x - corners[from]), normal) / area;
  };
  Nearest nearest;
  nearest.weights[a] = part(b, c), nearest.weights[b] = part(c, a), nearest.weights[c] = part(a, b);
  if (nearest.weights[a] >= 0.0 && nearest.weights[b] >= 0.0 && nearest.weights[c] >= 0.0) {
    const double height = dot(x - corners[a], normal);
    nearest.square = height * height / area;
    return nearest;
  }
  nearest.take(nearest_of_segment(x, corners, a, b));
  nearest.take(nearest_of_segment(x, corners, b, c));
  nearest.take(nearest_of_segment(x, corners, c, a));
  return nearest;
}
Nearest nearest_of_tetrahedron(const TetrahedralMesh& mesh, std::size_t tetrahedron, const Vector3& x) {
  std::array<Vector3, 4> corners;
  for (int i = 0; i < 4; ++i) corners[i] = mesh.nodes[mesh.tetrahedra[tetrahedron][i]];
  Nearest nearest = nearest_of_triangle(x, corners, 0, 1, 2);
  nearest.take(nearest_of_triangle(x, corners, 0, 1, 3));
  nearest.take(nearest_of_triangle(x, corners, 0, 2, 3));
  nearest.take(nearest_of_triangle(x, corners, 1, 2, 3));
  return nearest;
}

/// Least of the four barycentric coordinates: 0 or more inside.
double depth(const Vector3& xi) { return std::min({1.0 - xi.x - xi.y - xi.z, xi.x, xi.y, xi.z}); }

/// Points whose convex hull has the tetrahedron: its nodes; of an edge's parabola the control point instead.
std::vector<Vector3> hull_of(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  const ElementNodes nodes(mesh, tetrahedron);
  std::vector<Vector3> hull;
  for (const int node : nodes) hull.push_back(mesh.nodes[node]);
  for (int e = 0; e < nodes.count() - 4; ++e) {
    const auto [a, b] = k_tetrahedron_edges[e];
    hull[4 + e] = 2.0 * hull[4 + e] - 0.5 * (hull[a] + hull[b]);
  }
  return hull;
}
bool is_curved(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  const ElementNodes nodes(mesh, tetrahedron);
  for (int e = 0; e < nodes.count() - 4; ++e) {
    const auto [a, b] = k_tetrahedron_edges[e];
    const Vector3 &from = mesh.nodes[nodes[a]], &to = mesh.nodes[nodes[b]];
    const Vector3 off = mesh.nodes[nodes[4 + e]] - 0.5 * (from + to);
    if (squared(off) > 1e-20 * squared(to - from)) return true;
  }
  return false;
}

constexpr std::uint64_t k_tag = 0xffffffff;

/// Of a point's numbers, to their last bit.
std::uint64_t hash_of(const Vector3& x) {
  std::uint64_t hash = 0;
  for (int i = 0; i < 3; ++i) {  // the finalizer of MurmurHash3, in which each bit moves all
    hash = (hash ^ std::bit_cast<std::uint64_t>(x[i])) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
    hash ^= hash >> 33;
  }
  return hash;
}

}  // namespace

TetrahedronSearch::TetrahedronSearch(std::shared_ptr<const TetrahedralMesh> mesh) : mesh_(std::move(mesh)) {
  const auto& nodes = mesh_->nodes;
  Vector3 high = low_ = nodes.front();
  for (const Vector3& x : nodes) {
    for (int i = 0; i < 3; ++i) low_[i] = std::min(low_[i], x[i]), high[i] = std::max(high[i], x[i]);
  }
  size_ = high - low_;
  remembered_count_ = std::bit_ceil(std::max<std::size_t>(8 * nodes.size(), 1024));
  remembered_ = std::make_unique<std::atomic<std::uint64_t>[]>(remembered_count_);
  const auto count = static_cast<double>(mesh_->tetrahedra.size());
  const double edge = std::cbrt(size_.x * size_.y * size_.z / count);
  for (int i = 0; i < 3; ++i) counts_[i] = static_cast<int>(std::clamp(size_[i] / edge, 1.0, 1000.0));
  cells_.resize(static_cast<std::size_t>(counts_[0]) * counts_[1] * counts_[2]);
  for (std::size_t t = 0; t < mesh_->tetrahedra.size(); ++t) {
    curved_.push_back(is_curved(*mesh_, t));
    const std::vector<Vector3> hull = hull_of(*mesh_, t);
    std::array<int, 3> from, to;
    for (int i = 0; i < 3; ++i) {
      const auto [least, most] = std::minmax_element(hull.begin(), hull.end(),
                                                     [i](const Vector3& a, const Vector3& b) { return a[i] < b[i]; });
      const double margin = 1e-9 * size_[i];  // for points that rounding put outside
      from[i] = cell(i, (*least)[i] - margin), to[i] = cell(i, (*most)[i] + margin);
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

bool TetrahedronSearch::coordinates_of(std::size_t tetrahedron, const Vector3& x, Vector3& xi) const {
  constexpr int k_most_steps = 20;
  constexpr double k_far = 3.0;  // from here on the map says nothing about the element
  xi = {0.25, 0.25, 0.25};
  for (int step = 0; step < k_most_steps; ++step) {
    const ElementPlace<double> place = element_place<double>(*mesh_, tetrahedron, xi);
    if (!(place.determinant > 0.0)) return false;  // a fold, outside of the element
    const Vector3 from = x - place.position;
    const Vector3 change{dot(place.local[0], from), dot(place.local[1], from), dot(place.local[2], from)};
    xi += change;
    if (!curved_[tetrahedron] || squared(change) < 1e-20) return true;
    if (!(squared(xi) < k_far * k_far)) return false;
  }
  return false;
}

auto TetrahedronSearch::place_in(std::size_t tetrahedron, bool inside, const Vector3& x) const -> Found {
  Found found{tetrahedron, {}, inside};
  if (inside) {
    coordinates_of(tetrahedron, x, found.xi);
  } else {
    const Nearest nearest = nearest_of_tetrahedron(*mesh_, tetrahedron, x);
    found.xi = {nearest.weights[1], nearest.weights[2], nearest.weights[3]};
  }
  return found;
}

auto TetrahedronSearch::find(const Vector3& x) const -> Found {
  const std::uint64_t hash = hash_of(x), tag = hash & k_tag;
  const std::size_t first = (hash >> 32) & (remembered_count_ - 1);
  for (const std::size_t slot : {first, first ^ 1}) {
    const std::uint64_t entry = remembered_[slot].load(std::memory_order_relaxed);
    if (entry == 0 || (entry & k_tag) != tag) continue;
    return place_in((entry >> 33) - 1, ((entry >> 32) & 1) != 0, x);
  }
  const Found found = search(x);
  const std::uint64_t entry =
      ((std::uint64_t{found.tetrahedron} + 1) << 33) | (std::uint64_t{found.inside} << 32) | tag;
  const bool taken = remembered_[first].load(std::memory_order_relaxed) != 0;
  remembered_[taken ? first ^ 1 : first].store(entry, std::memory_order_relaxed);
  return found;
}

auto TetrahedronSearch::search(const Vector3& x) const -> Found {
  const std::size_t in =
      (static_cast<std::size_t>(cell(0, x.x)) * counts_[1] + cell(1, x.y)) * counts_[2] + cell(2, x.z);
  double best = -1e-9;
  Found found{mesh_->tetrahedra.size(), {}, true};
  for (const int t : cells_[in]) {
    Vector3 xi;
    if (!coordinates_of(t, x, xi)) continue;
    if (const double now = depth(xi); now > best) best = now, found.tetrahedron = t, found.xi = xi;
  }
  if (found.tetrahedron < mesh_->tetrahedra.size()) return found;
  Nearest nearest;
  for (std::size_t t = 0; t < mesh_->tetrahedra.size(); ++t) {
    const Nearest now = nearest_of_tetrahedron(*mesh_, t, x);
    if (now.square < nearest.square) nearest = now, found.tetrahedron = t;
  }
  const double distance = std::sqrt(nearest.square);
  if (distance <= mesh_->radius()) {
    return {found.tetrahedron, {nearest.weights[1], nearest.weights[2], nearest.weights[3]}, false};
  }
  throw ModelError("point " + vector_text(x) + ": found " + number_text(distance) +
                   " m beside the mesh, expected a point in it or not further away than " +
                   number_text(mesh_->radius()) + " m");
}

template <typename S>
ElementPlace<S> TetrahedronSearch::at(const Vector3T<S>& x, std::size_t& tetrahedron) const {
  const Found found = find(x.template cast<double>());
  tetrahedron = found.tetrahedron;
  const Vector3T<S> xi = found.xi.template cast<S>();
  ElementPlace<S> place = element_place<S>(*mesh_, tetrahedron, xi);
  const Vector3T<S> from = x - place.position;
  if (found.inside) {  // a step of Newton's method in S: for its digits, and for derivatives by x
    return element_place<S>(
        *mesh_, tetrahedron,
        xi + Vector3T<S>{dot(place.local[0], from), dot(place.local[1], from), dot(place.local[2], from)});
  }
  for (int i = 0; i < place.count; ++i) place.values[i] += dot(place.gradients[i], from);
  place.position = x;
  return place;
}

#define CUTTLE_INSTANTIATE(S) template ElementPlace<S> TetrahedronSearch::at(const Vector3T<S>&, std::size_t&) const;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
