#include "bodies/volume/fem/nodal_surface.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/volume/chamber_corners.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {
namespace nodal_surface {

constexpr double k_no_weight = 1e-12;  // of a node that a point on a face, an edge or a corner does not move with

template <typename S>
Vector3T<S> displaced(const NodeWeightsT<S>& at, const Vector3T<S>& x, const S* q) {
  Vector3T<S> p = x;
  for (int i = 0; i < at.count; ++i) {
    const S* u = q + at.first[i];
    p += at.value[i] * Vector3T<S>{u[0], u[1], u[2]};
  }
  return p;
}
/// F t.
template <typename S>
Vector3T<S> carried(const NodeWeightsT<S>& at, const Vector3T<S>& tangent, const S* q) {
  Vector3T<S> p = tangent;
  for (int i = 0; i < at.count; ++i) {
    const S* u = q + at.first[i];
    p += dot(at.gradient[i], tangent) * Vector3T<S>{u[0], u[1], u[2]};
  }
  return p;
}
template <typename S>
void add_to(S* slopes, int first, const S& weight, const Vector3T<S>& force) {
  for (int r = 0; r < 3; ++r) slopes[first + r] += weight * force[r];
}
/// 1/3 sum p . (F u x F v).
template <typename S>
S add_patches(const NodeInterpolationT<S>& nodes, const ChamberSurfaceT<S>& surface, const S* q, S* slopes) {
  const S third = S(1.0) / S(3.0);
  S sum(0.0);
  NodeWeightsT<S> at;
  for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
    const auto& [u, v] = surface.nodes[i];
    nodes.find(surface.points[i], at);
    const Vector3T<S> p = displaced(at, surface.points[i], q), pu = carried(at, u, q), pv = carried(at, v, q);
    const Vector3T<S> normal = third * cross(pu, pv);
    sum += dot(p, normal);
    if (slopes == nullptr) continue;
    const Vector3T<S> beside_u = third * cross(pv, p), beside_v = third * cross(p, pu);
    for (int k = 0; k < at.count; ++k) {
      add_to(slopes, at.first[k], at.value[k], normal);
      add_to(slopes, at.first[k], dot(at.gradient[k], u), beside_u);
      add_to(slopes, at.first[k], dot(at.gradient[k], v), beside_v);
    }
  }
  return sum;
}

/// A cone from c over a rim p(u): 1/6 c . sum p x F u, c = the mean of p.
template <typename S>
S add_cone(const NodeInterpolationT<S>& nodes, const ChamberSurfaceT<S>& surface,
           const typename ChamberSurfaceT<S>::Rim& rim, const S* q, S* slopes) {
  const S share = S(1.0) / S(static_cast<double>(rim.tangents.size())), sixth = S(1.0) / S(6.0);
  Vector3T<S> center{S(0.0), S(0.0), S(0.0)}, area = center;
  NodeWeightsT<S> at;
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < rim.tangents.size(); ++i) {
      const Vector3T<S>& x = surface.points[static_cast<std::size_t>(rim.first) + i];
      nodes.find(x, at);
      use(displaced(at, x, q), carried(at, rim.tangents[i], q), rim.tangents[i]);
    }
  };
  each([&](const Vector3T<S>& p, const Vector3T<S>& pu, const Vector3T<S>&) {
    center += share * p, area += cross(p, pu);
  });
  if (slopes != nullptr) {
    each([&](const Vector3T<S>& p, const Vector3T<S>& pu, const Vector3T<S>& tangent) {
      const Vector3T<S> by_p = sixth * (share * area + cross(pu, center)), by_pu = sixth * cross(center, p);
      for (int k = 0; k < at.count; ++k) {
        add_to(slopes, at.first[k], at.value[k], by_p);
        add_to(slopes, at.first[k], dot(at.gradient[k], tangent), by_pu);
      }
    });
  }
  return sixth * dot(center, area);
}

/// Triangles, and cones over their openings.
template <typename S>
S add_flat(const NodeInterpolationT<S>& nodes, const ChamberSurfaceT<S>& surface, const S* q, S* slopes, S* memory) {
  const std::size_t count = corner_count(surface), first = surface.points.size() - count;
  auto* corners = reinterpret_cast<Vector3T<S>*>(memory);
  Vector3T<S>* changes = corners + count;
  NodeWeightsT<S> at;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.find(surface.points[first + i], at);
    corners[i] = displaced(at, surface.points[first + i], q);
  }
  const S sum = volume_of_triangles(surface, corners, changes);
  for (std::size_t i = 0; slopes != nullptr && i < count; ++i) {
    nodes.find(surface.points[first + i], at);
    for (int k = 0; k < at.count; ++k) add_to(slopes, at.first[k], at.value[k], changes[i]);
  }
  return sum;
}

/// A node that a point moves with: p by value, and one or two tangents by numbers.
struct Share {
  int node;
  double value, u, v;
};
std::vector<Share> shares_of(const NodeInterpolationT<double>& nodes, const Vector3& x, const Vector3& u,
                             const Vector3& v) {
  NodeWeightsT<double> at;
  nodes.find(x, at);
  double most = 0.0;
  for (int k = 0; k < at.count; ++k) most = std::max(most, norm(at.gradient[k]));
  const double least_u = k_no_weight * most * norm(u), least_v = k_no_weight * most * norm(v);
  std::vector<Share> shares;
  for (int k = 0; k < at.count; ++k) {
    const Share share{at.first[k] / 3, at.value[k], dot(at.gradient[k], u), dot(at.gradient[k], v)};
    if (std::abs(share.value) > k_no_weight || std::abs(share.u) > least_u || std::abs(share.v) > least_v) {
      shares.push_back(share);
    }
  }
  return shares;
}
std::vector<int> numbers_of(const std::vector<Share>& shares) {
  std::vector<int> numbers;
  numbers.reserve(shares.size());
  for (const Share& share : shares) numbers.push_back(share.node);
  return numbers;
}
void merge(std::vector<int>& all, const std::vector<int>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}
Vector3 sum_of(const std::vector<Share>& shares, const Vector3& start, double Share::*weight, const double* q) {
  Vector3 p = start;
  for (const Share& share : shares) {
    const double* u = q + 3 * share.node;
    p += share.*weight * Vector3{u[0], u[1], u[2]};
  }
  return p;
}

/// The corners of triangles, each with the nodes that it moves with: one, where corners are nodes.
struct Corners {
  std::size_t first;
  std::vector<std::vector<Share>> shares;
  std::vector<Vector3> positions;  // empty without q
  Corners(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, const double* q)
      : first(surface.points.size() - corner_count(surface)) {
    for (std::size_t i = first; i < surface.points.size(); ++i) {
      shares.push_back(shares_of(nodes, surface.points[i], {}, {}));
      if (q != nullptr) positions.push_back(sum_of(shares.back(), surface.points[i], &Share::value, q));
    }
  }
  std::vector<int> nodes_of(const int* begin, const int* end) const {
    std::vector<int> all;
    for (const int* point = begin; point < end; ++point) merge(all, numbers_of(shares[*point - first]));
    return all;
  }
  void add(const NodePairs& pairs, double* values, int a, int b, const Matrix3& block) const {
    for (const Share& row : shares[a - first]) {
      for (const Share& column : shares[b - first]) {
        pairs.add(values, row.node, column.node, (row.value * column.value) * block);
      }
    }
  }
};

/// How the apex of a cone over a rim and the rim's area vector change with a node.
struct RimSlope {
  double center = 0.0;
  Matrix3 area{};
};
/// Adds factor (dc . dA' + dc' . dA).
void add_rim_products(const std::map<int, RimSlope>& slopes, double factor, const NodePairs& pairs, double* values) {
  for (const auto& [a, of_a] : slopes) {
    for (const auto& [b, of_b] : slopes) {
      pairs.add(values, a, b, (factor * of_a.center) * of_b.area + (factor * of_b.center) * of_a.area.transpose());
    }
  }
}

void add_patch_hessians(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, const double* q,
                        double factor, const NodePairs& pairs, double* values) {
  for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
    const auto& [u, v] = surface.nodes[i];
    const std::vector<Share> shares = shares_of(nodes, surface.points[i], u, v);
    const Matrix3 p = Matrix3::skew(factor / 3.0 * sum_of(shares, surface.points[i], &Share::value, q));
    const Matrix3 pu = Matrix3::skew(factor / 3.0 * sum_of(shares, u, &Share::u, q));
    const Matrix3 pv = Matrix3::skew(factor / 3.0 * sum_of(shares, v, &Share::v, q));
    // of det(p, pu, pv), with det(x, y, c) = - x . ([c] y)
    for (const Share& a : shares) {
      for (const Share& b : shares) {
        pairs.add(
            values, a.node, b.node,
            (b.value * a.u - a.value * b.u) * pv + (a.value * b.v - b.value * a.v) * pu + (b.u * a.v - a.u * b.v) * p);
      }
    }
  }
}

void add_cone_hessian(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface,
                      const ChamberSurface::Rim& rim, const double* q, double factor, const NodePairs& pairs,
                      double* values) {
  const double share = 1.0 / static_cast<double>(rim.tangents.size()), sixth = factor / 6.0;
  std::map<int, RimSlope> slopes;
  std::vector<std::vector<Share>> points;
  Vector3 center{};
  for (std::size_t i = 0; i < rim.tangents.size(); ++i) {
    const Vector3& x = surface.points[static_cast<std::size_t>(rim.first) + i];
    points.push_back(shares_of(nodes, x, rim.tangents[i], {}));
    const Vector3 p = sum_of(points.back(), x, &Share::value, q);
    const Vector3 pu = sum_of(points.back(), rim.tangents[i], &Share::u, q);
    center += share * p;
    for (const Share& at : points.back()) {
      RimSlope& slope = slopes[at.node];
      slope.center += share * at.value;
      slope.area += Matrix3::skew(at.u * p - at.value * pu);
    }
  }
  add_rim_products(slopes, sixth, pairs, values);
  const Matrix3 apex = Matrix3::skew(sixth * center);
  for (const auto& shares : points) {
    for (const Share& a : shares) {
      for (const Share& b : shares) pairs.add(values, a.node, b.node, (b.value * a.u - a.value * b.u) * apex);
    }
  }
}

void add_flat_hessians(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, const double* q,
                       double factor, const NodePairs& pairs, double* values) {
  const Corners corners(nodes, surface, q);
  const auto position = [&](int point) { return corners.positions[point - corners.first]; };
  const double sixth = factor / 6.0;
  for (const std::array<int, 3>& triangle : surface.triangles) {
    for (int i = 0; i < 3; ++i) {
      const int a = triangle[i], b = triangle[(i + 1) % 3];
      const Matrix3 block = Matrix3::skew(sixth * position(triangle[(i + 2) % 3]));
      corners.add(pairs, values, a, b, -1.0 * block);
      corners.add(pairs, values, b, a, block);
    }
  }
  for (const std::vector<int>& opening : surface.openings) {
    const std::size_t size = opening.size();
    const double share = 1.0 / static_cast<double>(size);
    std::map<int, RimSlope> slopes;
    Vector3 center{};
    for (std::size_t k = 0; k < size; ++k) {
      center += share * position(opening[k]);
      const Vector3 between = position(opening[(k + size - 1) % size]) - position(opening[(k + 1) % size]);
      for (const Share& at : corners.shares[opening[k] - corners.first]) {
        RimSlope& slope = slopes[at.node];
        slope.center += share * at.value;
        slope.area += Matrix3::skew(at.value * between);
      }
    }
    add_rim_products(slopes, sixth, pairs, values);
    const Matrix3 apex = Matrix3::skew(sixth * center);
    for (std::size_t k = 0; k < size; ++k) {
      const int a = opening[k], b = opening[(k + 1) % size];
      corners.add(pairs, values, a, b, -1.0 * apex);
      corners.add(pairs, values, b, a, apex);
    }
  }
}

/// An edge of a polygon: how its end less its start moves with nodes.
std::map<int, double> edge_nodes(const NodeInterpolationT<double>& nodes, const Vector3& from, const Vector3& to) {
  std::map<int, double> weights;
  for (const Share& share : shares_of(nodes, from, {}, {})) weights[share.node] -= share.value;
  for (const Share& share : shares_of(nodes, to, {}, {})) weights[share.node] += share.value;
  return weights;
}

}  // namespace nodal_surface

using namespace nodal_surface;

template <typename S>
S nodal_volume_in_surface(const NodeInterpolationT<S>& nodes, const ChamberSurfaceT<S>& surface, const S* q,
                          std::size_t coordinates, S* slopes, S* workspace) {
  if (slopes != nullptr) std::fill_n(slopes, coordinates, S(0.0));
  S volume = add_patches(nodes, surface, q, slopes);
  for (const auto& rim : surface.rims) volume += add_cone(nodes, surface, rim, q, slopes);
  if (!surface.triangles.empty()) volume += add_flat(nodes, surface, q, slopes, workspace);
  return volume;
}

void join_surface_nodes(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, NodePairs& pairs) {
  for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
    const auto& [u, v] = surface.nodes[i];
    pairs.join(numbers_of(shares_of(nodes, surface.points[i], u, v)));
  }
  for (const ChamberSurface::Rim& rim : surface.rims) {
    std::vector<int> all;
    for (std::size_t i = 0; i < rim.tangents.size(); ++i) {
      const Vector3& x = surface.points[static_cast<std::size_t>(rim.first) + i];
      merge(all, numbers_of(shares_of(nodes, x, rim.tangents[i], {})));
    }
    pairs.join(all);
  }
  if (surface.triangles.empty()) return;
  const Corners corners(nodes, surface, nullptr);
  for (const std::array<int, 3>& triangle : surface.triangles) {
    pairs.join(corners.nodes_of(triangle.data(), triangle.data() + 3));
  }
  for (const std::vector<int>& opening : surface.openings) {
    pairs.join(corners.nodes_of(opening.data(), opening.data() + opening.size()));
  }
}

void join_polygon_nodes(const NodeInterpolationT<double>& nodes, const std::vector<Vector3>& points, NodePairs& pairs) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    std::vector<int> all;
    for (const auto& [node, weight] : edge_nodes(nodes, points[i], points[i + 1])) all.push_back(node);
    pairs.join(all);
  }
}

void add_surface_hessian(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, const double* q,
                         double factor, const NodePairs& pairs, double* values) {
  add_patch_hessians(nodes, surface, q, factor, pairs, values);
  for (const ChamberSurface::Rim& rim : surface.rims) {
    add_cone_hessian(nodes, surface, rim, q, factor, pairs, values);
  }
  if (!surface.triangles.empty()) add_flat_hessians(nodes, surface, q, factor, pairs, values);
}

void add_polygon_hessian(const NodeInterpolationT<double>& nodes, const std::vector<Vector3>& points, const double* q,
                         double factor, const NodePairs& pairs, double* values) {
  constexpr double k_coincident = 1e-12;  // beside the polygon: an edge without direction, as for its force
  double rest = 0.0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) rest += norm(points[i + 1] - points[i]);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const std::map<int, double> weights = edge_nodes(nodes, points[i], points[i + 1]);
    Vector3 edge = points[i + 1] - points[i];
    for (const auto& [node, weight] : weights) edge += weight * Vector3{q[3 * node], q[3 * node + 1], q[3 * node + 2]};
    const double length = norm(edge);
    if (!(length > k_coincident * rest)) continue;
    const Vector3 direction = (1.0 / length) * edge;
    const Matrix3 turning = (factor / length) * (Matrix3::identity() - Matrix3::outer(direction, direction));
    for (const auto& [a, of_a] : weights) {
      for (const auto& [b, of_b] : weights) pairs.add(values, a, b, (of_a * of_b) * turning);
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                        \
  template S nodal_volume_in_surface(const NodeInterpolationT<S>&, const ChamberSurfaceT<S>&, const S*, std::size_t, \
                                     S*, S*);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
