#include <algorithm>
#include <type_traits>

#include "bodies/volume/chamber_corners.h"
#include "bodies/volume/fem/nodal_surface.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

constexpr std::size_t k_part = 8;  // points carried at a time

/// Carries a few points at a time, in a workspace.
template <typename S>
struct PointCarrier {
  const BodyT<S>& body;
  const S* q;
  std::size_t n;
  bool with_slopes;
  S* scratch;
  MaterialPointsT<S> at{};

  static std::size_t size(std::size_t n) { return k_part * 12 * (1 + n); }
  void place(S* memory) {
    at.scratch = scratch;
    at.position = reinterpret_cast<Vector3T<S>*>(memory);
    at.F = reinterpret_cast<Matrix3T<S>*>(memory + k_part * 3);
    if (!with_slopes) return;
    at.slopes = reinterpret_cast<Vector3T<S>*>(memory + k_part * 12);
    at.F_slopes = reinterpret_cast<Matrix3T<S>*>(memory + k_part * (12 + 3 * n));
  }
  /// Calls use(i, lane) for each of `count` points x, i = 0 .. count - 1.
  template <typename Use>
  void each(const Vector3T<S>* x, std::size_t count, bool with_gradients, const Use& use) const {
    MaterialPointsT<S> asked = at;
    if (!with_gradients) asked.F = nullptr, asked.F_slopes = nullptr;
    for (std::size_t first = 0; first < count; first += k_part) {
      const std::size_t here = std::min(k_part, count - first);
      body.material_points(q, x + first, here, asked);
      for (std::size_t lane = 0; lane < here; ++lane) use(first + lane, lane);
    }
  }
  const Vector3T<S>& position(std::size_t lane) const { return at.position[lane]; }
  const Vector3T<S>& slope(std::size_t lane, std::size_t j) const { return at.slopes[lane * n + j]; }
  Vector3T<S> tangent(std::size_t lane, const Vector3T<S>& x) const { return at.F[lane] * x; }
  Vector3T<S> tangent_slope(std::size_t lane, std::size_t j, const Vector3T<S>& x) const {
    return at.F_slopes[lane * n + j] * x;
  }
};

/// 1/3 sum p . (F u x F v).
template <typename S>
S add_nodes(const ChamberSurfaceT<S>& surface, const PointCarrier<S>& carrier, S* slopes) {
  const S third = S(1.0) / S(3.0);
  S sum(0.0);
  carrier.each(surface.points.data(), surface.nodes.size(), true, [&](std::size_t i, std::size_t lane) {
    const auto& [u, v] = surface.nodes[i];
    const Vector3T<S>& p = carrier.position(lane);
    const Vector3T<S> pu = carrier.tangent(lane, u), pv = carrier.tangent(lane, v);
    const Vector3T<S> normal = third * cross(pu, pv), beside_u = third * cross(pv, p), beside_v = third * cross(p, pu);
    sum += dot(p, normal);
    for (std::size_t j = 0; slopes && j < carrier.n; ++j) {
      slopes[j] += dot(carrier.slope(lane, j), normal) + dot(carrier.tangent_slope(lane, j, u), beside_u) +
                   dot(carrier.tangent_slope(lane, j, v), beside_v);
    }
  });
  return sum;
}

/// A cone from c over a rim p(u): 1/6 c . sum p x F u, c = the mean of p.
template <typename S>
S add_rim(const ChamberSurfaceT<S>& surface, const typename ChamberSurfaceT<S>::Rim& rim,
          const PointCarrier<S>& carrier, S* slopes, S* memory) {
  const std::size_t count = rim.tangents.size();
  const Vector3T<S>* x = surface.points.data() + rim.first;
  const S share = S(1.0) / S(static_cast<double>(count));
  const Vector3T<S> zero{S(0.0), S(0.0), S(0.0)};
  Vector3T<S> center = zero, area = zero;
  auto* center_slopes = reinterpret_cast<Vector3T<S>*>(memory);
  Vector3T<S>* area_slopes = center_slopes + carrier.n;
  std::fill_n(center_slopes, slopes ? 2 * carrier.n : 0, zero);
  carrier.each(x, count, true, [&](std::size_t i, std::size_t lane) {
    const Vector3T<S>& p = carrier.position(lane);
    const Vector3T<S> pu = carrier.tangent(lane, rim.tangents[i]);
    center += share * p;
    area += cross(p, pu);
    for (std::size_t j = 0; slopes && j < carrier.n; ++j) {
      const Vector3T<S>& slope = carrier.slope(lane, j);
      center_slopes[j] += share * slope;
      area_slopes[j] += cross(slope, pu) + cross(p, carrier.tangent_slope(lane, j, rim.tangents[i]));
    }
  });
  const S sixth = S(1.0) / S(6.0);
  for (std::size_t j = 0; slopes && j < carrier.n; ++j) {
    slopes[j] += sixth * (dot(center_slopes[j], area) + dot(center, area_slopes[j]));
  }
  return sixth * dot(center, area);
}

/// Triangles: the derivative in each corner, then the corners' in q.
template <typename S>
S add_triangles(const ChamberSurfaceT<S>& surface, const PointCarrier<S>& carrier, S* slopes, S* memory) {
  const std::size_t count = corner_count(surface);
  const Vector3T<S>* x = surface.points.data() + surface.points.size() - count;
  auto* corners = reinterpret_cast<Vector3T<S>*>(memory);
  Vector3T<S>* changes = corners + count;
  carrier.each(x, count, false, [&](std::size_t i, std::size_t lane) { corners[i] = carrier.position(lane); });
  const S sum = volume_of_triangles(surface, corners, changes);
  if (!slopes) return sum;
  carrier.each(x, count, false, [&](std::size_t i, std::size_t lane) {
    for (std::size_t j = 0; j < carrier.n; ++j) slopes[j] += dot(changes[i], carrier.slope(lane, j));
  });
  return sum;
}

}  // namespace

template <typename S>
std::size_t surface_workspace_size(const ChamberSurfaceT<S>& surface, int coordinates) {
  const std::size_t n = coordinates;
  return PointCarrier<S>::size(n) + std::max(6 * n, 6 * corner_count(surface));
}

template <typename S>
S volume_in_surface(const BodyT<S>& body, const ChamberSurfaceT<S>& surface, const S* q, S* slopes, S* workspace,
                    S* scratch) {
  const std::size_t n = body.coordinate_count();
  if constexpr (std::is_same_v<decltype(S() < S()), bool>) {  // there are no packs of nodal bodies
    if (const auto nodes = body.template part<NodeInterpolationT<S>>()) {
      return nodal_volume_in_surface(*nodes, surface, q, n, slopes, workspace);
    }
  }
  PointCarrier<S> carrier{body, q, n, slopes != nullptr, scratch};
  carrier.place(workspace);
  S* memory = workspace + PointCarrier<S>::size(n);
  if (slopes) std::fill_n(slopes, n, S(0.0));
  S volume = add_nodes(surface, carrier, slopes);
  for (const auto& rim : surface.rims) volume += add_rim(surface, rim, carrier, slopes, memory);
  if (!surface.triangles.empty()) volume += add_triangles(surface, carrier, slopes, memory);
  return volume;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                  \
  template std::size_t surface_workspace_size(const ChamberSurfaceT<S>&, int); \
  template S volume_in_surface(const BodyT<S>&, const ChamberSurfaceT<S>&, const S*, S*, S*, S*);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
