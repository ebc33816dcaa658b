// Soft volumes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/bodies/volume_body.h"
#include "io/kinds/kind_list.h"
#include "io/meshes/gmsh_file.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {
namespace {

/// What the tip's points are if the file does not say.
struct Rim {
  double length, x, y;
};

void write_tip(const Vector3& origin, const Vector3& a, const Vector3& b, const Rim& rim, MapWriter& map) {
  map.map("tip", [&](MapWriter& tip) {
    tip.vector("origin", origin, {0.0, 0.0, rim.length});
    tip.vector("a", a, {rim.x, 0.0, rim.length});
    tip.vector("b", b, {0.0, rim.y, rim.length});
  });
}

void write_mesh(const TetrahedralMesh& mesh, MapWriter& map) {
  map.map("shape", [&](MapWriter& shape) {
    shape.text("type", "mesh");
    shape.file("file", ".msh", [&] { return gmsh_text(mesh); });
  });
}

/// How many of the first numbers of a list are equal.
template <typename Get>
long run_length(const std::vector<Vector3>& points, const Get& get) {
  const auto other =
      std::find_if(points.begin(), points.end(), [&](const Vector3& x) { return get(x) != get(points[0]); });
  return other - points.begin();
}

void write_counts(const std::array<long, 3>& counts, const std::array<long, 3>& usual, MapWriter& quadrature) {
  if (counts == usual) return;
  quadrature.node("points", list_node({integer_node(counts[0]), integer_node(counts[1]), integer_node(counts[2])}));
}

Rim write_shape(const PointShape& shape, MapWriter& map) {
  if (shape.kind == PointShape::Kind::cylinder) {
    map.map("shape", [&](MapWriter& cylinder) {
      cylinder.text("type", "cylinder");
      cylinder.number("length", shape.length);
      cylinder.number("radius", shape.half_x);
      cylinder.number("inner_radius", shape.inner_radius, 0.0);
    });
  } else if (shape.kind == PointShape::Kind::box) {
    map.map("shape", [&](MapWriter& box) {
      box.text("type", "box");
      box.numbers("size", {2.0 * shape.half_x, 2.0 * shape.half_y, shape.length});
    });
  } else {
    refuse_to_write("points of a shape that is not known", "a cylinder, a box or a mesh");
  }
  return {shape.length, shape.half_x, shape.half_y};
}

/// Whether these are the points of this shape, who reads the text again sees.
void write_points(const PointShape& shape, const std::vector<Vector3>& points, MapWriter& quadrature) {
  const long count = std::ssize(points);
  if (shape.kind == PointShape::Kind::cylinder) {
    write_counts({shape.nz, count / (shape.nz * shape.nphi), shape.nphi}, {10, 3, 8}, quadrature);
  } else {
    const long layer = run_length(points, [](const Vector3& x) { return x.z; });
    const long row = run_length(points, [](const Vector3& x) { return std::pair(x.x, x.z); });
    write_counts({count / layer, layer / row, row}, {10, 3, 3}, quadrature);
  }
}

void write_kinematics(const VolumeKinematics& kinematics, MapWriter& map) {
  const std::string type = kinematics.type_name();
  const KinematicsKind* kind = kinds<KinematicsKind>().find(type);
  if (kind == nullptr || !kind->write) {
    std::vector<std::string> known;
    for (const auto& variant : kinds<KinematicsKind>().variants()) {
      if (kinds<KinematicsKind>().of(variant.choice).write) known.push_back(variant.choice);
    }
    refuse_to_write("kinematics of type " + type, join_or(known));
  }
  map.text("type", type);
  kind->write(kinematics, map);
}

void write_nodal_volume(const NodalVolumeParameters& p, MapWriter& map) {
  write_mesh(*p.mesh, map);
  map.map("kinematics", [](MapWriter& kinematics) {
    kinematics.text("type", "fem");
    kinematics.flag("full", true);
  });
  write_material_of(p.material, p.density, map);
  const double radius = p.mesh->radius();
  write_tip(p.tip_origin, p.tip_a, p.tip_b, {p.mesh->length(), radius, radius}, map);
}

}  // namespace

void require_length(double found, const WriteContext& context) {
  if (found == context.volume_length) return;
  throw ModelError("length", yaml_number(found), "that of the shape, " + yaml_number(context.volume_length) + " [m]");
}

void write_volume(const Body& body, MapWriter& map) {
  if (const auto* nodal = dynamic_cast<const NodalVolume*>(&body)) return write_nodal_volume(nodal->parameters(), map);
  const auto* volume = dynamic_cast<const VolumeBody*>(&body);
  if (volume == nullptr) refuse_to_write("another body of type volume", "a VolumeBody or NodalVolume");
  const PointParameters& p = volume->parameters();
  if (p.surface) refuse_to_write("a surface of its own", "that of the shape");
  if (p.allow_folding) refuse_to_write("allow_folding", "a volume that refuses to fold");
  const std::vector<Vector3>& points = p.reduction ? p.reduction->full.points : p.quadrature.points;
  Rim rim{};
  const auto& mesh = volume->mesh();
  if (mesh) {
    write_mesh(*mesh, map);
    rim = {mesh->length(), mesh->radius(), mesh->radius()};
  } else {
    rim = write_shape(p.shape, map);
  }
  map.map("quadrature", [&](MapWriter& quadrature) {
    if (mesh) {
      quadrature.integer("rule", static_cast<long>(points.size() / mesh->tetrahedra.size()), mass_rule(*mesh));
    } else {
      write_points(p.shape, points, quadrature);
    }
    if (!p.reduction) return;
    quadrature.number("reduce", p.reduction->options.tolerance);
    quadrature.number("strain", p.reduction->options.strain, PointReductionOptions().strain);
  });
  map.context().volume_length = rim.length, map.context().volume_radius = rim.x;
  map.map("kinematics", [&](MapWriter& kinematics) { write_kinematics(volume->kinematics(), kinematics); });
  write_material_of(volume->material(), p.density, map);
  write_tip(p.tip_origin, p.tip_a, p.tip_b, rim, map);
}

}  // namespace cuttle
