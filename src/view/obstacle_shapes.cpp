#include "view/obstacle_shapes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cuttle/geometry/mesh.h"
#include "cuttle/geometry/shapes.h"

namespace cuttle {
namespace {

constexpr double k_plane_edge = 6.0, k_plane_thickness = 0.01;  // of the reach
constexpr double k_plane_depth = 1e-3;                          // likewise: grid and shadows lie on it
constexpr double k_mesh_edge = 3.0;                             // of the reach: of shapes that are not known
constexpr int k_mesh_cells = 48, k_cone_sides = 48;

SceneShape of_kind(SceneShape::Kind kind, double radius, double length) {
  SceneShape drawn;
  drawn.kind = kind, drawn.radius = radius, drawn.length = length;
  return drawn;
}
SceneShape of_mesh(TriangleMesh mesh) {
  SceneShape drawn;
  drawn.kind = SceneShape::Kind::mesh;
  drawn.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return drawn;
}

TriangleMesh cone_mesh(const Cone& cone) {
  TriangleMesh mesh;
  const double half = 0.5 * cone.length(), radius = cone.length() * std::tan(cone.angle());
  mesh.points = {{0, 0, half}, {0, 0, -half}};
  for (int k = 0; k < k_cone_sides; ++k) {
    const double angle = 2 * M_PI * k / k_cone_sides;
    mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), -half});
  }
  for (int k = 0; k < k_cone_sides; ++k) {
    const int a = 2 + k, b = 2 + (k + 1) % k_cone_sides;
    mesh.triangles.push_back({0, a, b});
    mesh.triangles.push_back({1, b, a});
  }
  return mesh;
}

TriangleMesh field_mesh(const HeightField& field) {
  TriangleMesh mesh;
  const int columns = field.columns(), rows = field.rows();
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      mesh.points.push_back({(i - 0.5 * (columns - 1)) * field.cell_x(), (j - 0.5 * (rows - 1)) * field.cell_y(),
                             field.heights()[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) +
                                             static_cast<std::size_t>(i)]});
    }
  }
  for (int j = 0; j + 1 < rows; ++j) {
    for (int i = 0; i + 1 < columns; ++i) {
      const int a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

/// Collects the triangles of cells; corners that cells share are one point.
class Marcher {
 public:
  Marcher(const SignedDistance& shape, double half_edge, int cells)
      : shape_(shape), half_edge_(half_edge), cells_(cells) {
    for (int k = 0; k <= cells; ++k) {
      for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) values_.push_back(shape.at(corner(index(i, j, k))).value);
      }
    }
  }

  TriangleMesh march() {
    // a cube is six tetrahedra about its diagonal: ways from one end to the other along the axes
    static constexpr int k_orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < cells_; ++k) {
      for (int j = 0; j < cells_; ++j) {
        for (int i = 0; i < cells_; ++i) {
          for (const auto& order : k_orders) {
            int at[3] = {i, j, k};
            std::array<int, 4> corners{index(i, j, k)};
            for (int step = 0; step < 3; ++step) {
              ++at[order[step]];
              corners[static_cast<std::size_t>(step) + 1] = index(at[0], at[1], at[2]);
            }
            add_tetrahedron(corners);
          }
        }
      }
    }
    for (Vector3& p : mesh_.points) {
      for (int i = 0; i < 2; ++i) {
        const auto d = shape_.at(p);
        p = p - d.value * d.gradient;
      }
    }
    return std::move(mesh_);
  }

 private:
  int index(int i, int j, int k) const { return (k * (cells_ + 1) + j) * (cells_ + 1) + i; }
  Vector3 corner(int index) const {
    const int n = cells_ + 1;
    const double cell = 2.0 * half_edge_ / cells_;
    const int i = index % n, j = (index / n) % n, k = index / (n * n);
    return {i * cell - half_edge_, j * cell - half_edge_, k * cell - half_edge_};
  }
  bool inside(int index) const { return values_[static_cast<std::size_t>(index)] < 0.0; }

  /// The point of the surface between a corner inside and one outside.
  int point_between(int a, int b) {
    const auto [place, is_new] = points_.try_emplace(std::minmax(a, b), static_cast<int>(mesh_.points.size()));
    if (is_new) {
      const double x = values_[static_cast<std::size_t>(a)], y = values_[static_cast<std::size_t>(b)];
      mesh_.points.push_back(corner(a) + x / (x - y) * (corner(b) - corner(a)));
    }
    return place->second;
  }
  void add_triangle(int a, int b, int c, bool turned) {
    if (turned) std::swap(b, c);
    mesh_.triangles.push_back({a, b, c});
  }
  /// Whether the last three corners of a tetrahedron are clockwise seen from beyond them.
  bool is_turned(int a, int b, int c, int d) const {
    const Vector3 origin = corner(a);
    return dot(corner(b) - origin, cross(corner(c) - origin, corner(d) - origin)) < 0.0;
  }
  void add_tetrahedron(const std::array<int, 4>& corners) {
    std::vector<int> in, out;
    for (const int c : corners) (inside(c) ? in : out).push_back(c);
    if (in.empty() || out.empty()) return;
    if (in.size() == 2) {
      const bool turned = is_turned(in[0], in[1], out[0], out[1]);
      const int a = point_between(in[0], out[0]), b = point_between(in[0], out[1]);
      const int c = point_between(in[1], out[1]), d = point_between(in[1], out[0]);
      add_triangle(a, b, c, turned), add_triangle(a, c, d, turned);
      return;
    }
    const bool one_in = in.size() == 1;
    const int alone = one_in ? in[0] : out[0];
    const std::vector<int>& others = one_in ? out : in;
    add_triangle(point_between(alone, others[0]), point_between(alone, others[1]), point_between(alone, others[2]),
                 is_turned(alone, others[0], others[1], others[2]) == one_in);
  }

  const SignedDistance& shape_;
  double half_edge_;
  int cells_;
  std::vector<double> values_;
  std::map<std::pair<int, int>, int> points_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh distance_mesh(const SignedDistance& shape, double half_edge, int cells) {
  return Marcher(shape, half_edge, cells).march();
}

SceneShape drawn_shape(const SignedDistance& shape, double reach, const Vector3& middle) {
  using Kind = SceneShape::Kind;
  if (dynamic_cast<const Plane*>(&shape) != nullptr) {
    SceneShape plate;
    plate.kind = Kind::box;
    plate.size = {k_plane_edge * reach, k_plane_edge * reach, k_plane_thickness * reach};
    plate.pose.position = {middle.x, middle.y, -0.5 * plate.size.z - k_plane_depth * reach};
    return plate;
  }
  if (const auto* sphere = dynamic_cast<const Sphere*>(&shape)) return of_kind(Kind::sphere, sphere->radius(), 0.0);
  if (const auto* capsule = dynamic_cast<const Capsule*>(&shape)) {
    return of_kind(Kind::capsule, capsule->radius(), capsule->length());
  }
  if (const auto* cylinder = dynamic_cast<const Cylinder*>(&shape)) {
    return of_kind(Kind::cylinder, cylinder->radius(), cylinder->length());
  }
  if (const auto* box = dynamic_cast<const Box*>(&shape)) {
    SceneShape drawn;
    drawn.kind = Kind::box, drawn.size = box->size();
    return drawn;
  }
  if (const auto* cone = dynamic_cast<const Cone*>(&shape)) return of_mesh(cone_mesh(*cone));
  if (const auto* mesh = dynamic_cast<const Mesh*>(&shape)) return of_mesh({mesh->points(), mesh->triangles()});
  if (const auto* smooth = dynamic_cast<const SmoothMesh*>(&shape)) return drawn_shape(smooth->mesh(), reach, middle);
  if (const auto* field = dynamic_cast<const HeightField*>(&shape)) return of_mesh(field_mesh(*field));
  return of_mesh(distance_mesh(shape, 0.5 * k_mesh_edge * reach, k_mesh_cells));
}

}  // namespace cuttle
