#include "io/import/solid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace cuttle {
namespace {

/// Second moments int x x^T of a body about its center, as its inertia.
SymmetricMatrix3 inertia_of_moments(const SymmetricMatrix3& second) {
  const double trace = second.xx + second.yy + second.zz;
  SymmetricMatrix3 inertia = SymmetricMatrix3::diagonal(trace, trace, trace);
  inertia -= second;
  return inertia;
}

}  // namespace

MassProperties solid_box(const Vector3& half) {
  const double mass = 8.0 * half.x * half.y * half.z;
  return {mass,
          {},
          inertia_of_moments(SymmetricMatrix3::diagonal(mass * half.x * half.x / 3.0, mass * half.y * half.y / 3.0,
                                                        mass * half.z * half.z / 3.0))};
}

MassProperties solid_ellipsoid(const Vector3& half) {
  const double mass = 4.0 / 3.0 * std::numbers::pi * half.x * half.y * half.z;
  return {mass,
          {},
          inertia_of_moments(SymmetricMatrix3::diagonal(mass * half.x * half.x / 5.0, mass * half.y * half.y / 5.0,
                                                        mass * half.z * half.z / 5.0))};
}

MassProperties solid_cylinder(double radius, double half_length) {
  const double mass = 2.0 * std::numbers::pi * radius * radius * half_length;
  const double across = mass * radius * radius / 4.0;
  return {
      mass, {}, inertia_of_moments(SymmetricMatrix3::diagonal(across, across, mass * half_length * half_length / 3.0))};
}

MassProperties solid_capsule(double radius, double half_length) {
  MassProperties capsule = solid_cylinder(radius, half_length);
  const double half_sphere = 2.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  const double moment = 0.4 * half_sphere * radius * radius;  // about its flat face, about any axis
  const double offset = 3.0 / 8.0 * radius, center_moment = moment - half_sphere * offset * offset;
  for (const double side : {-1.0, 1.0}) {
    capsule += {half_sphere,
                {0.0, 0.0, side * (half_length + offset)},
                SymmetricMatrix3::diagonal(center_moment, center_moment, moment)};
  }
  return capsule;
}

MassProperties solid_cone(double radius, double length) {
  const double mass = std::numbers::pi / 3.0 * radius * radius * length;
  const double across = 0.15 * mass * radius * radius;  // int x^2
  return {mass,
          {0.0, 0.0, -0.25 * length},
          inertia_of_moments(SymmetricMatrix3::diagonal(across, across, 0.0375 * mass * length * length))};
}

bool is_closed(const TriangleMesh& mesh) {
  std::map<std::array<double, 3>, int> index;
  std::vector<int> joined;
  joined.reserve(mesh.points.size());
  for (const Vector3& p : mesh.points) {
    joined.push_back(index.try_emplace({p.x, p.y, p.z}, static_cast<int>(index.size())).first->second);
  }
  std::map<std::pair<int, int>, int> passes;  // of an edge from its lower corner to the other one, less those back
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = joined[static_cast<std::size_t>(triangle[i])];
      const int b = joined[static_cast<std::size_t>(triangle[(i + 1) % 3])];
      if (a != b) passes[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  return std::all_of(passes.begin(), passes.end(), [](const auto& edge) { return edge.second == 0; });
}

MassProperties solid_mesh(const TriangleMesh& mesh, MeshVolume volume) {
  const auto corner = [&](const std::array<int, 3>& triangle, std::size_t i) {
    return mesh.points[static_cast<std::size_t>(triangle[i])];
  };
  Vector3 apex;
  if (volume == MeshVolume::legacy) {
    double area = 0.0;
    for (const auto& triangle : mesh.triangles) {
      const Vector3 a = corner(triangle, 0), b = corner(triangle, 1), c = corner(triangle, 2);
      const double twice = norm(cross(b - a, c - a));
      apex += (twice / 3.0) * (a + b + c);
      area += twice;
    }
    if (area == 0.0) return {};
    apex = (1.0 / area) * apex;
  }
  const auto size_of = [&](const Vector3& a, const Vector3& b, const Vector3& c) {
    const double size = dot(a, cross(b, c)) / 6.0;
    return volume == MeshVolume::legacy ? std::abs(size) : size;
  };
  MassProperties solid;
  for (const auto& triangle : mesh.triangles) {
    const Vector3 a = corner(triangle, 0) - apex, b = corner(triangle, 1) - apex, c = corner(triangle, 2) - apex;
    const double size = size_of(a, b, c);
    solid.mass += size;
    solid.com += (0.25 * size) * (a + b + c);
  }
  if (!(solid.mass > 0.0)) return {};
  solid.com = apex + (1.0 / solid.mass) * solid.com;
  // about the center: int x x^T over the tetrahedron (0, a, b, c) is V/20 (a a^T + b b^T + c c^T + s s^T), s = a + b +
  // c. Legacy volumes, and with them the mass, are those on the center here, not those that made it: MuJoCo's way.
  SymmetricMatrix3 second;
  solid.mass = 0.0;
  for (const auto& triangle : mesh.triangles) {
    const Vector3 a = corner(triangle, 0) - solid.com, b = corner(triangle, 1) - solid.com,
                  c = corner(triangle, 2) - solid.com;
    const double size = size_of(a, b, c);
    solid.mass += size;
    for (const Vector3& x : {a, b, c, a + b + c}) second += SymmetricMatrix3::outer(size / 20.0, x);
  }
  solid.inertia = inertia_of_moments(second);
  return solid;
}

MassProperties with_mass(MassProperties properties, double mass) {
  const double scale = properties.mass > 0.0 ? mass / properties.mass : 0.0;
  properties.mass = mass;
  properties.inertia = {scale * properties.inertia.xx, scale * properties.inertia.yy, scale * properties.inertia.zz,
                        scale * properties.inertia.xy, scale * properties.inertia.xz, scale * properties.inertia.yz};
  return properties;
}

}  // namespace cuttle
