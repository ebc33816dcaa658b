#include "view/scene_cavity.h"

#include <cmath>

#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/bodies/volume_body.h"

namespace cuttle {
namespace {

constexpr int k_along = 20, k_around = 20, k_across = 3;

/// A grid of points at (t, s) in [0, 1]^2 and the triangles between them.
template <typename Point>
void add_grid(DrawnSurface& surface, int rows, int columns, const Point& point) {
  const int first = static_cast<int>(surface.points.size());
  for (int i = 0; i <= rows; ++i) {
    for (int j = 0; j <= columns; ++j) {
      surface.points.push_back(point(static_cast<double>(i) / rows, static_cast<double>(j) / columns));
    }
  }
  const auto index = [&](int i, int j) { return first + i * (columns + 1) + j; };
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      surface.triangles.push_back({index(i, j), index(i, j + 1), index(i + 1, j + 1)});
      surface.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i + 1, j)});
    }
  }
}

/// Sector of a cylinder; a full turn has no sides.
DrawnSurface sector(double length, double radius, double angle, double width) {
  DrawnSurface surface;
  const auto at = [&](double r, double turn, double z) {
    const double a = angle + (turn - 0.5) * width;
    return Vector3{r * std::cos(a), r * std::sin(a), z};
  };
  add_grid(surface, k_along, k_around, [&](double t, double s) { return at(radius, s, t * length); });
  add_grid(surface, k_across, k_around, [&](double t, double s) { return at((1 - t) * radius, s, length); });
  add_grid(surface, k_across, k_around, [&](double t, double s) { return at(t * radius, s, 0.0); });
  if (width < 2 * M_PI - 1e-9) {
    add_grid(surface, k_along, k_across, [&](double t, double s) { return at(s * radius, 0.0, t * length); });
    add_grid(surface, k_along, k_across, [&](double t, double s) { return at((1 - s) * radius, 1.0, t * length); });
  }
  return surface;
}

const TetrahedralMesh* mesh_of(const Body& body) {
  if (const auto* nodal = dynamic_cast<const NodalVolume*>(&body)) return nodal->parameters().mesh.get();
  const auto* volume = dynamic_cast<const VolumeBody*>(&body);
  return volume != nullptr ? volume->mesh().get() : nullptr;
}

}  // namespace

DrawnSurface chamber_surface(const Actuator& chamber, const Body& body) {
  if (const TetrahedralMesh* mesh = mesh_of(body); mesh != nullptr && !chamber.pocket) {
    const PocketSurface pocket = mesh_group_surface(*mesh, chamber.surface);
    DrawnSurface surface;
    surface.points = pocket.points, surface.triangles = pocket.triangles;
    return surface;
  }
  const auto* points = dynamic_cast<const PointBodyBaseT<double>*>(&body);
  if (points == nullptr) return {};
  const PointShape& shape = points->parameters().shape;
  if (chamber.pocket) {
    return sector(shape.length, chamber.pocket->radius, chamber.pocket->angle, chamber.pocket->width);
  }
  return sector(shape.length, shape.inner_radius, 0.0, 2 * M_PI);
}

}  // namespace cuttle
