// The shapes that robots touch, a line each: of obstacles, and of links.
#include "cuttle/geometry/shapes.h"
#include "io/kinds/kind_list.h"
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
      },
      "shape");
  return k_kinds;
}

void register_kind(DistanceKind kind) { kinds<DistanceKind>().add(std::move(kind)); }

}  // namespace cuttle
