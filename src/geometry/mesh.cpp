#include "cuttle/geometry/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "geometry/distance_parts.h"
#include "geometry/triangle_tree.h"

namespace cuttle {
namespace {

using Corners = std::array<int, 3>;

constexpr std::size_t k_most_parts = 200;
constexpr double k_sharpest = 0.1;  // cosine between a corner's normal and its faces', below which its ball sticks out

template <typename V>
const V& at(const std::vector<V>& points, int i) {
  return points[static_cast<std::size_t>(i)];
}

/// Twice the area of a triangle, times its normal.
template <typename S>
Vector3T<S> area_of(const std::vector<Vector3T<S>>& points, const Corners& c) {
  return cross(at(points, c[1]) - at(points, c[0]), at(points, c[2]) - at(points, c[0]));
}

/// Makes points at the same place one, and leaves out triangles without area.
template <typename S>
TriangleMesh welded(std::vector<Vector3T<S>>& points, const std::vector<Corners>& triangles) {
  std::map<std::array<double, 3>, int> places;
  std::vector<int> index;
  std::vector<Vector3T<S>> kept;
  TriangleMesh mesh;
  for (const Vector3T<S>& p : points) {
    const Vector3 x = p.template cast<double>();
    if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
      throw ModelError("points", "a coordinate that is no number", "finite numbers [m]");
    }
    const auto [place, is_new] = places.try_emplace({x.x, x.y, x.z}, static_cast<int>(kept.size()));
    if (is_new) kept.push_back(p), mesh.points.push_back(x);
    index.push_back(place->second);
  }
  for (const Corners& corners : triangles) {
    Corners c;
    for (std::size_t k = 0; k < 3; ++k) {
      if (corners[k] < 0 || corners[k] >= static_cast<int>(index.size())) {
        throw ModelError("triangles", "the corner " + std::to_string(corners[k]),
                         "one of " + std::to_string(index.size()) + " points, from 0");
      }
      c[k] = at(index, corners[k]);
    }
    const Vector3 ab = at(mesh.points, c[1]) - at(mesh.points, c[0]),
                  ac = at(mesh.points, c[2]) - at(mesh.points, c[0]);
    const Vector3 area = cross(ab, ac);
    if (norm(area) > std::numeric_limits<double>::epsilon() * (dot(ab, ab) + dot(ac, ac))) mesh.triangles.push_back(c);
  }
  if (mesh.triangles.empty()) throw ModelError("triangles", "none with an area", "a surface");
  points = std::move(kept);
  return mesh;
}

std::string counted(int count, const std::string& one, const std::string& more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

void turn(std::vector<Corners>& triangles) {
  for (Corners& c : triangles) std::swap(c[1], c[2]);
}

}  // namespace

template <typename S>
MeshT<S>::MeshT(std::vector<Vector3T<S>> points, std::vector<std::array<int, 3>> triangles, MeshSides sides)
    : points_(std::move(points)), sides_(sides) {
  TriangleMesh mesh = welded(points_, triangles);
  auto tree = std::make_shared<const TriangleTree>(mesh);
  if (sides == MeshSides::two && tree->open_edges() > 0) {
    throw ModelError("sides", "a mesh with " + counted(tree->open_edges(), "open edge", "open edges"),
                     "a closed one, or `sides: one`");
  }
  if (tree->turned_edges() > 0) {
    throw ModelError("triangles", "two that turn opposite ways at " + counted(tree->turned_edges(), "edge", "edges"),
                     "all counterclockwise seen from outside");
  }
  if (sides == MeshSides::two && tree->volume() < 0.0) {
    turn(mesh.triangles);
    tree = std::make_shared<const TriangleTree>(std::move(mesh));
  }
  tree_ = std::move(tree);
}

template <typename S>
const std::vector<std::array<int, 3>>& MeshT<S>::triangles() const {
  return tree_->triangles();
}

template <typename S>
std::shared_ptr<const SignedDistanceT<S>> MeshT<S>::other_side() const {
  if (sides_ == MeshSides::two) return nullptr;
  std::vector<Corners> turned = triangles();
  turn(turned);
  return std::make_shared<const MeshT<S>>(points_, std::move(turned), sides_);
}

template <typename S>
std::string MeshT<S>::type_name() const {
  return "mesh";
}

template <typename S>
S MeshT<S>::half_thickness() const {
  if (sides_ == MeshSides::one) return S(std::numeric_limits<double>::infinity());
  const TriangleTree::Across across = tree_->thin_place();
  const Vector3T<S> middle = constant<S>(1.0L / 3.0L) *
                             (at(points_, across.from[0]) + at(points_, across.from[1]) + at(points_, across.from[2]));
  const Vector3T<S> from = area_of(points_, across.from), to = area_of(points_, across.to);
  return S(-0.5) * norm(from) * dot(to, at(points_, across.to[0]) - middle) / dot(to, from);
}

template <typename S>
double MeshT<S>::bounding_radius() const {
  if (sides_ == MeshSides::one) return std::numeric_limits<double>::infinity();  // all that is behind it
  double most = 0.0;
  for (const Vector3T<S>& p : points_) most = std::max(most, norm(p.template cast<double>()));
  return most;
}

template <typename S>
std::vector<TouchPartT<S>> MeshT<S>::touch_parts(const TouchDetailT<S>& detail) const {
  const std::vector<int> outer = tree_->outer_corners();
  std::vector<Vector3T<S>> normals(points_.size());  // unit ones of the triangles around, weighted by their angles
  for (const Corners& corners : triangles()) {
    const Vector3T<S> area = area_of(points_, corners);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3T<S>& here = at(points_, corners[k]);
      const Vector3T<S> next = at(points_, corners[(k + 1) % 3]) - here,
                        last = at(points_, corners[(k + 2) % 3]) - here;
      using std::atan2;
      normals[static_cast<std::size_t>(corners[k])] += (atan2(norm(area), dot(next, last)) / norm(area)) * area;
    }
  }
  double spacing = detail.spacing;
  std::vector<int> taken;
  const auto take = [&] {
    taken.clear();
    for (const int corner : outer) {
      const Vector3& p = at(tree_->points(), corner);
      const bool near = spacing > 0.0 && std::any_of(taken.begin(), taken.end(), [&](int other) {
                          return norm(p - at(tree_->points(), other)) < spacing;
                        });
      if (!near) taken.push_back(corner);
      if (taken.size() > k_most_parts && !(detail.spacing > 0.0)) return false;
    }
    return true;
  };
  if (!take()) {
    double area = 0.0;
    for (const Corners& corners : triangles()) area += 0.5 * norm(area_of(tree_->points(), corners));
    spacing = std::sqrt(area / static_cast<double>(k_most_parts));
    while (!take()) spacing *= 1.1;
  }
  // how far below the tangent plane the ball of the rounding has its center, so that it stays behind all faces around
  std::vector<S> least(points_.size(), S(1.0));
  for (const Corners& corners : triangles()) {
    const Vector3T<S> area = area_of(points_, corners);
    for (const int corner : corners) {
      const Vector3T<S>& n = at(normals, corner);
      const S cosine = dot(n, area) / (norm(n) * norm(area));
      S& known = least[static_cast<std::size_t>(corner)];
      known = select(cosine < known, cosine, known);
    }
  }
  std::vector<TouchPartT<S>> parts;
  for (const int corner : taken) {
    const Vector3T<S>& n = at(normals, corner);
    const S& cosine = at(least, corner);
    const S sharpest(k_sharpest), inset = detail.rounding / select(cosine < sharpest, sharpest, cosine);
    parts.push_back(TouchPartT<S>::point(at(points_, corner) - (inset / norm(n)) * n, detail.rounding));
  }
  return parts;
}

template <typename S>
template <typename T>
DistanceT<T> MeshT<S>::distance(const Vector3T<T>& x) const {
  using Part = TriangleTree::Part;
  const TriangleTree::Nearest nearest = tree_->nearest(x.template cast<double>());
  const Corners& corners = tree_->corners_of(nearest);
  const auto corner = [&](int k) {
    const Vector3T<S>& p = at(points_, corners[static_cast<std::size_t>(k % 3)]);
    return Vector3T<T>{T(p.x), T(p.y), T(p.z)};
  };
  const Vector3T<T> a = corner(nearest.k);
  if (nearest.part == Part::face) {
    const Vector3T<T> area = cross(corner(1) - a, corner(2) - a);
    const Vector3T<T> n = (T(1.0) / norm(area)) * area;
    return {dot(n, x - a), n, {}};
  }
  const Vector3& normal = tree_->normal(nearest);
  const Vector3T<T> n{T(normal.x), T(normal.y), T(normal.z)};
  Vector3T<T> along{}, from = x - a;  // along the edge, of unit length
  if (nearest.part == Part::edge) {
    const Vector3T<T> edge = corner(nearest.k + 1) - a;
    along = (T(1.0) / norm(edge)) * edge;
    from -= dot(along, from) * along;
  }
  const T sign = select(dot(n, from) < T(0.0) && !tree_->is_border(nearest), T(-1.0), T(1.0));
  const LengthT<T> length(dot(from, from));
  const T inverse = sign / length.given, bend = select(length.none, T(0.0), inverse);
  const Vector3T<T> g = select(length.none, (T(1.0) / norm(n)) * n, inverse * from);
  return {sign * length.value, g,
          SymmetricMatrix3T<T>::diagonal(bend, bend, bend) - SymmetricMatrix3T<T>::outer(bend, g) -
              SymmetricMatrix3T<T>::outer(bend, along)};
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(MeshT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
