#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_body.h"
#include "simulation/live_statics.h"

namespace cuttle {
namespace {

constexpr int k_pieces = 64;  // of a rod, among which the nearest is looked for
constexpr int k_along = 24, k_around = 32, k_across = 6;

std::string station_name(int k) { return "station " + std::to_string(k); }

/// Half of the section's largest extent at t = s / L; 0 if the rod does not say.
double section_extent(const Section& section, double t) {
  double extent = 0.0;
  for (const Profile* half : {&section.radius, &section.radius_x, &section.radius_y}) {
    if (!half->empty()) extent = std::max(extent, half->at(t));
  }
  if (!section.width.empty() && !section.height.empty()) {
    extent = std::hypot(0.5 * section.width.at(t), 0.5 * section.height.at(t));
  }
  return extent;
}

/// Stations along the backbone as a polyline; the nearest point of it, and the way from there across the section.
Place place_on_rod(const Robot& robot, VectorInT<double> q, const RodBody& rod, const std::string& link,
                   const Vector3& point) {
  const double L = rod.parameters().length;
  Robot marked = robot;
  marked.actuators.clear(), marked.loads.clear(), marked.loops.clear();
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
  const double extent = section_extent(rod.parameters().section, s / L), distance = norm(across);
  if (distance > extent) across = (extent / distance) * across;
  if (s <= 0.0) return {link, PortLocation::base(), {Matrix3::identity(), across}};
  if (s >= L) return {link, PortLocation::tip(), {Matrix3::identity(), across}};
  return {link, PortLocation::section(s), {Matrix3::identity(), across}};
}

/// Rest positions on the surface of a volume, among which the nearest is looked for; none if its shape is not known.
std::vector<Vector3> surface_points(const PointShape& shape) {
  std::vector<Vector3> points;
  const auto add_ring = [&](double r, double z) {
    for (int j = 0; j < k_around; ++j) {
      const double angle = 2.0 * M_PI * j / k_around;
      points.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
  };
  for (int i = 0; i <= k_along; ++i) {
    const double z = shape.length * i / k_along;
    if (shape.kind == PointShape::Kind::cylinder) {
      add_ring(shape.half_x, z);
      if (shape.inner_radius > 0.0) add_ring(shape.inner_radius, z);
      for (int j = 1; (i == 0 || i == k_along) && j < k_across; ++j) {
        add_ring(shape.inner_radius + (shape.half_x - shape.inner_radius) * j / k_across, z);
      }
    } else if (shape.kind == PointShape::Kind::box) {
      for (int a = 0; a <= k_across; ++a) {
        for (int b = 0; b <= k_across; ++b) {
          const bool inside = i > 0 && i < k_along && a > 0 && a < k_across && b > 0 && b < k_across;
          if (inside) continue;
          points.push_back({shape.half_x * (2.0 * a / k_across - 1.0), shape.half_y * (2.0 * b / k_across - 1.0), z});
        }
      }
    }
  }
  return points;
}
std::vector<Vector3> surface_points(const TetrahedralMesh& mesh) {
  std::set<int> nodes;
  for (const auto& face : boundary_faces(mesh)) nodes.insert(face.begin(), face.end());
  std::vector<Vector3> points;
  for (const int node : nodes) points.push_back(mesh.nodes[static_cast<std::size_t>(node)]);
  return points;
}

std::vector<Vector3> surface_points(const Body& body) {
  if (const auto* nodal = dynamic_cast<const NodalVolume*>(&body)) return surface_points(*nodal->parameters().mesh);
  if (const auto* volume = dynamic_cast<const VolumeBody*>(&body); volume != nullptr && volume->mesh()) {
    return surface_points(*volume->mesh());
  }
  if (const auto* points = dynamic_cast<const PointBodyBaseT<double>*>(&body)) {
    return surface_points(points->parameters().shape);
  }
  return {};
}

}  // namespace

Place nearest_place(const Robot& robot, const Model& model, VectorInT<double> q, int link, const Vector3& point) {
  const auto& info = model.links()[static_cast<std::size_t>(link)];
  const Body* body = robot.links[static_cast<std::size_t>(link)].body.get();
  if (const auto* rod = dynamic_cast<const RodBody*>(body)) return place_on_rod(robot, q, *rod, info.name, point);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, q);
  const auto local = [&](const Frame& frame) { return kinematics.pose(frame).inverse().act(point); };
  const std::vector<Vector3> rest =
      body != nullptr && body->has_material_points() ? surface_points(*body) : std::vector<Vector3>();
  if (!rest.empty()) {
    const Vector3 wanted = local(info.base);
    std::vector<Vector3> now(rest.size());
    body->material_points(q.data() + info.q + info.joint_nq, rest.data(), rest.size(), {now.data()});
    const auto nearest = std::min_element(now.begin(), now.end(), [&](const Vector3& a, const Vector3& b) {
      return norm(a - wanted) < norm(b - wanted);
    });
    return {info.name, PortLocation::at_point(rest[static_cast<std::size_t>(nearest - now.begin())]), {}};
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
