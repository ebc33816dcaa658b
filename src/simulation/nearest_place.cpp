#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/slender.h"
#include "simulation/live_statics.h"

namespace cuttle {
namespace {

constexpr int k_pieces = 64;  // of a rod, among which the nearest is looked for

std::string station_name(int k) { return "station " + std::to_string(k); }

/// Stations along the backbone as a polyline; the nearest point of it, and the way from there across the section.
Place place_on_rod(const Robot& robot, VectorInT<double> q, const SlenderT<double>& rod, const std::string& link,
                   const Vector3& point) {
  const double L = rod.length();
  Robot marked = robot;
  marked.actuators.clear(), marked.elements.clear(), marked.loads.clear(), marked.loops.clear();
  marked.sensors.clear(), marked.contacts.clear();
  for (int k = 0; k <= k_pieces; ++k) {
    const PortLocation at = k == 0 ? PortLocation::base() : PortLocation::section(L * k / k_pieces);
    marked.markers.push_back({station_name(k), {link, at, {}}});
  }
  const Model model(marked);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, q);
  double nearest = std::numeric_limits<double>::infinity(), s = 0.0;
  Vector3 across;
  for (int k = 0; k < k_pieces; ++k) {
    const Pose a = kinematics.pose(model.marker_frame(station_name(k)));
    const Vector3 piece = kinematics.pose(model.marker_frame(station_name(k + 1))).position - a.position;
    const double size = dot(piece, piece);
    const double part = size > 0.0 ? std::clamp(dot(point - a.position, piece) / size, 0.0, 1.0) : 0.0;
    const Vector3 way = point - (a.position + part * piece);
    if (norm(way) >= nearest) continue;
    nearest = norm(way), s = L * (k + part) / k_pieces, across = a.rotation.transpose_times(way);
  }
  across.z = 0.0;
  const double distance = norm(across);
  const double extent = rod.section().is_given() ? section_contour(rod.section(), s / L).extent() : 0.0;
  if (distance > extent) across = (extent / distance) * across;
  if (s <= 0.0) return {link, PortLocation::base(), {Matrix3::identity(), across}};
  if (s >= L) return {link, PortLocation::tip(), {Matrix3::identity(), across}};
  return {link, PortLocation::section(s), {Matrix3::identity(), across}};
}

/// Weights of a triangle's corners at its point that is nearest to p: Ericson, Real-Time Collision Detection, 5.1.5.
Vector3 nearest_in_triangle(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {1.0, 0.0, 0.0};
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0.0 && d4 <= d3) return {0.0, 1.0, 0.0};
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0.0 && d5 <= d6) return {0.0, 0.0, 1.0};
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    const double t = d1 / (d1 - d3);
    return {1.0 - t, t, 0.0};
  }
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    const double t = d2 / (d2 - d6);
    return {1.0 - t, 0.0, t};
  }
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0.0, 1.0 - t, t};
  }
  const double sum = va + vb + vc;
  return {va / sum, vb / sum, vc / sum};
}

/// Rest position of the surface's point that is nearest to p, both in the base frame.
Vector3 nearest_on_surface(const Body& body, const double* q, const BodySurface& surface, const Vector3& p) {
  std::vector<Vector3> now(surface.points.size());
  body.material_points(q, surface.points.data(), now.size(), {now.data()});
  double nearest = std::numeric_limits<double>::infinity();
  Vector3 place;
  for (const std::array<int, 3>& corners : surface.triangles()) {
    const auto at = [&](const std::vector<Vector3>& points, const Vector3& weights) {
      return weights.x * points[corners[0]] + weights.y * points[corners[1]] + weights.z * points[corners[2]];
    };
    const Vector3 weights = nearest_in_triangle(p, now[corners[0]], now[corners[1]], now[corners[2]]);
    const double distance = norm(at(now, weights) - p);
    if (distance < nearest) nearest = distance, place = at(surface.points, weights);
  }
  return place;
}

}  // namespace

Place nearest_place(const Robot& robot, const Model& model, VectorInT<double> q, int link, const Vector3& point) {
  const auto& info = model.links()[static_cast<std::size_t>(link)];
  const Body* body = robot.links[static_cast<std::size_t>(link)].body.get();
  const SlenderT<double>* rod = body != nullptr ? body->slender() : nullptr;
  if (rod != nullptr) return place_on_rod(robot, q, *rod, info.name, point);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, q);
  const auto local = [&](const Frame& frame) { return kinematics.pose(frame).inverse().act(point); };
  const BodySurface surface = body != nullptr && body->has_material_points() ? body->surface() : BodySurface();
  if (!surface.empty()) {
    const double* q_body = q.data() + info.q + info.joint_nq;
    return {info.name, PortLocation::at_point(nearest_on_surface(*body, q_body, surface, local(info.base))), {}};
  }
  // rigid: any point; other bodies: as if it were fixed to the end that is nearer
  const Vector3 from_base = local(info.base), from_tip = local(info.tip);
  const bool deforms = body != nullptr && body->coordinate_count() > 0;
  if (deforms && norm(from_tip) < norm(from_base)) {
    return {info.name, PortLocation::tip(), {Matrix3::identity(), from_tip}};
  }
  return {info.name, PortLocation::base(), {Matrix3::identity(), from_base}};
}

}  // namespace cuttle
