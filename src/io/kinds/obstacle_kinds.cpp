// The shapes that robots touch, a line each: of obstacles, and of links.
#include "cuttle/geometry/mesh.h"
#include "cuttle/geometry/shapes.h"
#include "io/kinds/kind_list.h"
#include "io/meshes/triangle_file.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

Key radius() { return required(number("radius", k_length_range, "m")).about("Radius."); }
Key length(const char* about) { return required(number("length", k_length_range, "m")).about(about); }

const KeyTable k_plane{.keys = {}};
const KeyTable k_sphere{.keys = {radius()}};
const KeyTable k_capsule{.keys = {radius(), length("Distance of the centers of its half spheres, along z.")}};
const KeyTable k_cylinder{.keys = {radius(), length("Length along z."),
                                   boolean("open")
                                       .about("Of an obstacle with `inside: true`: its ends are open, as those of a "
                                              "tube. Seen from within it is a bore through a plate as thick as its "
                                              "length.")
                                       .by_default("false")}};
const KeyTable k_cone{.keys = {required(number("angle", {0.0, 1.5707963267948966, true, true}, "rad"))
                                   .about("Angle between its axis and its side."),
                               length("Length along z, from its base to its apex.")}};
const KeyTable k_box{.keys = {required(numbers("size", 3, "m", k_length_range)).about("Edges along x, y and z.")}};
const KeyTable k_height_field{
    .keys = {required(other("grid", "a list of rows, each a list of heights [m]", {list(-1, numbers("", 0, "m"))}))
                 .about("Heights z: rows along y, in each the heights along x, all equally many and at least two each "
                        "way. The grid is about the origin; beyond its border the heights there go on."),
             required(numbers("cell", 2, "m", k_length_range)).about("Distances of neighbors along x and along y.")}};

std::vector<Key> mesh_keys(Key own) {
  return {required(text("file")).about("Mesh of triangles [m] in STL or OBJ. Its path is relative to this file."),
          profile("scale", 3, k_length_range, k_dimensionless)
              .about("Factor on the mesh, or one each for x, y and z.")
              .by_default("1"),
          std::move(own)};
}
const KeyTable k_mesh{
    .keys = mesh_keys(choice("sides", {"two", "one"})
                          .about("`two`: the mesh is closed. `one`: it may be open, and is touched from the side "
                                 "from which its triangles are seen counterclockwise; with `inside: true` from the "
                                 "other. What is nearest to its border is outside.")
                          .by_default("two"))};
const KeyTable k_smooth_mesh{
    .keys = mesh_keys(required(number("cell", k_length_range, "m"))
                          .about("Distance of neighbors in the grid: about what the smooth surface rounds off."))};

template <typename S>
using Shape = std::shared_ptr<const SignedDistanceT<S>>;

template <typename S>
Shape<S> read_plane(const KeyReader<S>& /*at*/) {
  return std::make_shared<const PlaneT<S>>();
}
template <typename S>
Shape<S> read_sphere(const KeyReader<S>& at) {
  return std::make_shared<const SphereT<S>>(at.number("radius"));
}
template <typename S, template <typename> class Round>
Shape<S> read_round(const KeyReader<S>& at) {
  return std::make_shared<const Round<S>>(at.number("radius"), at.number("length"));
}
template <typename S>
Shape<S> read_cylinder(const KeyReader<S>& at) {
  return std::make_shared<const CylinderT<S>>(at.number("radius"), at.number("length"), at.boolean("open"));
}
template <typename S>
Shape<S> read_cone(const KeyReader<S>& at) {
  return std::make_shared<const ConeT<S>>(at.number("angle"), at.number("length"));
}
template <typename S>
Shape<S> read_box(const KeyReader<S>& at) {
  return std::make_shared<const BoxT<S>>(at.vector("size"));
}
template <typename S>
Shape<S> read_height_field(const KeyReader<S>& at) {
  const auto grid = at.map().at("grid");
  if (!grid) return nullptr;
  const Key& rule = at.map().rule("grid");
  std::vector<S> heights;
  std::size_t columns = 0;
  const auto rows = grid->items(rule.expected());
  for (const YamlCursor& row : rows) {
    const auto numbers = row.template numbers<S>(rule.forms.front().forms.front());
    if (!numbers) return nullptr;
    if (columns == 0) columns = numbers->size();
    if (numbers->size() != columns || columns < 2) {
      row.fail(columns < 2 ? "at least two heights" : "as many heights as in the first row");
      return nullptr;
    }
    heights.insert(heights.end(), numbers->begin(), numbers->end());
  }
  if (grid->kind() == YamlNode::Kind::list && rows.size() < 2) grid->fail("at least two rows");
  if (rows.size() < 2) return nullptr;
  const std::vector<S> cell = at.numbers("cell");
  return std::make_shared<const HeightFieldT<S>>(static_cast<int>(columns), static_cast<int>(rows.size()),
                                                 std::move(heights), cell.at(0), cell.at(1));
}

template <typename S>
std::optional<MeshT<S>> mesh_at(const KeyReader<S>& at, MeshSides sides) {
  const auto mesh = read_triangles(at.map(), at.files());
  const auto scale = read_scale<S>(at.map());
  if (!mesh || !scale) return std::nullopt;
  std::vector<Vector3T<S>> points;
  points.reserve(mesh->points.size());
  const auto& [x, y, z] = *scale;
  for (const Vector3& p : mesh->points) points.push_back({x * S(p.x), y * S(p.y), z * S(p.z)});
  return MeshT<S>(std::move(points), mesh->triangles, sides);
}
template <typename S>
Shape<S> read_mesh(const KeyReader<S>& at) {
  auto mesh = mesh_at(at, at.text("sides") == "one" ? MeshSides::one : MeshSides::two);
  return mesh ? std::make_shared<const MeshT<S>>(std::move(*mesh)) : nullptr;
}
template <typename S>
Shape<S> read_smooth_mesh(const KeyReader<S>& at) {
  const double cell = scalar_cast<double>(at.number("cell"));
  auto mesh = mesh_at(at, MeshSides::two);
  return mesh ? std::make_shared<const SmoothMeshT<S>>(std::move(*mesh), cell) : nullptr;
}

/// The library's class of a shape, whose type has been found by its name.
template <typename T>
const T& as(const SignedDistance& shape) {
  if (const auto* found = dynamic_cast<const T*>(&shape)) return *found;
  refuse_to_write("another shape of type " + shape.type_name(), "the library's");
}

template <typename T>
void write_round(const SignedDistance& shape, MapWriter& map) {
  map.number("radius", as<T>(shape).radius());
  map.number("length", as<T>(shape).length());
}
void write_triangles(const Mesh& mesh, MapWriter& map) {
  map.file("file", ".obj", [&] { return obj_text({mesh.points(), mesh.triangles()}); });
}
void write_mesh(const SignedDistance& shape, MapWriter& map) {
  const auto& mesh = as<Mesh>(shape);
  write_triangles(mesh, map);
  if (mesh.sides() == MeshSides::one) map.text("sides", "one");
}
void write_smooth_mesh(const SignedDistance& shape, MapWriter& map) {
  const auto& smooth = as<SmoothMesh>(shape);
  write_triangles(smooth.mesh(), map);
  map.number("cell", smooth.cell());
}
void write_height_field(const SignedDistance& shape, MapWriter& map) {
  const auto& field = as<HeightField>(shape);
  std::vector<YamlNode> rows;
  const auto columns = static_cast<std::ptrdiff_t>(field.columns());
  for (auto row = field.heights().begin(); row != field.heights().end(); row += columns) {
    rows.push_back(numbers_node({row, row + columns}));
  }
  map.list("grid", std::move(rows));
  map.numbers("cell", {field.cell_x(), field.cell_y()});
}

}  // namespace

template <>
KindList<DistanceKind>& kinds() {
  static KindList<DistanceKind> k_kinds(
      "shape",
      {
          {"plane", &k_plane, "All that lies below z = 0, without end.", "{shape: plane}", read_plane<double>,
           read_plane<ForwardDual>, [](const SignedDistance& shape, MapWriter&) { as<Plane>(shape); }},
          {"sphere", &k_sphere, "A sphere about the origin.", "{shape: sphere, radius: 0.02}", read_sphere<double>,
           read_sphere<ForwardDual>,
           [](const SignedDistance& shape, MapWriter& map) { map.number("radius", as<Sphere>(shape).radius()); }},
          {"capsule", &k_capsule, "A cylinder along z with half spheres as its ends, centered at the origin.",
           "{shape: capsule, radius: 0.02, length: 0.1}", read_round<double, CapsuleT>,
           read_round<ForwardDual, CapsuleT>, write_round<Capsule>},
          {"cylinder", &k_cylinder, "A cylinder along z, centered at the origin.",
           "{shape: cylinder, radius: 0.02, length: 0.1}", read_cylinder<double>, read_cylinder<ForwardDual>,
           [](const SignedDistance& shape, MapWriter& map) {
             write_round<Cylinder>(shape, map);
             map.flag("open", as<Cylinder>(shape).is_open());
           }},
          {"cone", &k_cone, "A cone along z, its apex at half its length above the origin, its base as far below.",
           "{shape: cone, angle: 0.5, length: 0.1}", read_cone<double>, read_cone<ForwardDual>,
           [](const SignedDistance& shape, MapWriter& map) {
             map.number("angle", as<Cone>(shape).angle());
             map.number("length", as<Cone>(shape).length());
           }},
          {"box", &k_box, "A box about the origin.", "{shape: box, size: [0.04, 0.04, 0.02]}", read_box<double>,
           read_box<ForwardDual>,
           [](const SignedDistance& shape, MapWriter& map) { map.vector("size", as<Box>(shape).size()); }},
          {"height_field", &k_height_field,
           "All that lies below a smooth surface through heights on a regular grid: uneven ground.",
           "{shape: height_field, cell: [0.1, 0.1], grid: [[0, 0, 0], [0, 0.01, 0], [0, 0, 0]]}",
           read_height_field<double>, read_height_field<ForwardDual>, write_height_field},
          {"mesh", &k_mesh, "A surface of triangles from a file.", "{shape: mesh, file: bend.obj, scale: 0.001}",
           read_mesh<double>, read_mesh<ForwardDual>, write_mesh},
          {"smooth_mesh", &k_smooth_mesh,
           "A smooth surface beside that of a mesh, through a grid of distances: for grooves, bores and round bodies, "
           "whose facets are not meant.",
           "{shape: smooth_mesh, file: bend.obj, scale: 0.001, cell: 5.0e-5}", read_smooth_mesh<double>,
           read_smooth_mesh<ForwardDual>, write_smooth_mesh},
      },
      "shape");
  return k_kinds;
}

void register_kind(DistanceKind kind) { kinds<DistanceKind>().add(std::move(kind)); }

}  // namespace cuttle
