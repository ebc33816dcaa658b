#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "io/kinds/kind_list.h"
#include "io/meshes/gmsh_file.h"
#include "io/robot/part_readers.h"
#include "io/robot/part_writers.h"
#include "io/robot/reduction_cache.h"
#include "io/robot/robot_so_far.h"
#include "io/robot/robot_tables.h"
#include "io/robot/volume_so_far.h"

// The volumes of a robot file.

namespace cuttle {
namespace {

/// The mesh of a shape; null, with an error, if there is none.
template <typename S>
std::shared_ptr<const TetrahedralMesh> read_mesh(const YamlMap& shape, const VolumeSoFar<S>& volume) {
  if (volume.before != nullptr) return volume.before->template part<TetrahedralMesh>();
  const auto file = volume.files.read(shape, "file", "a mesh of Gmsh");
  if (!file) return nullptr;
  try {
    return std::make_shared<const TetrahedralMesh>(read_gmsh_text(file->text, file->path));
  } catch (const FileError& error) {
    shape.cursor().errors().add(error);
    return nullptr;
  }
}
template <typename S>
bool read_mesh_shape(const YamlMap& cursor, const std::optional<YamlMap>& quadrature, VolumeSoFar<S>& shape) {
  if (quadrature && quadrature->has("points")) {
    quadrature->fail("points", "it beside a mesh", "rule, the points of each tetrahedron");
  }
  std::optional<long> rule;
  if (const auto place = quadrature ? quadrature->at("rule") : std::nullopt) {
    const Key& key = quadrature->rule("rule");
    rule = place->integer({.name = {}, .kind = Key::Kind::other, .meaning = key.meaning});
    if (rule && *rule != 1 && *rule != 4 && *rule != 14) place->fail(key.expected()), rule.reset();
  }
  shape.mesh = read_mesh(cursor, shape);
  if (!shape.mesh) return false;
  shape.rule = static_cast<int>(rule.value_or(mass_rule(*shape.mesh)));
  shape.length = S(shape.mesh->length());
  shape.rim_x = shape.rim_y = S(shape.mesh->radius());
  shape.quadrature = mesh_quadrature<S>(*shape.mesh, shape.rule);
  return true;
}

/// @return false if something is wrong; then there are errors.
template <typename S>
bool read_shape(const std::optional<YamlMap>& quadrature, VolumeSoFar<S>& shape) {
  const YamlMap& map = shape.map;
  const auto cursor = map.map("shape");
  const std::size_t errors_before = map.cursor().errors().count();
  const auto points = quadrature ? read_integers(*quadrature, "points") : std::nullopt;
  if (!cursor) return false;
  if (cursor->variant() == "mesh") return read_mesh_shape(*cursor, quadrature, shape);
  if (quadrature && quadrature->has("rule")) {
    quadrature->fail("rule", "it beside a " + cursor->variant(), "points instead; meshes have a rule");
  }
  if (cursor->variant() == "cylinder") {
    shape.length = cursor->template number<S>("length").value_or(S(1.0));
    shape.rim_x = shape.rim_y = cursor->template number<S>("radius").value_or(S(1.0));
    const S inner = cursor->template number_or<S>("inner_radius", 0.0).value_or(S(0.0));
    if (map.cursor().errors().count() > errors_before) return false;
    if (!(inner < shape.rim_x)) {
      cursor->fail("inner_radius", cursor->at("inner_radius") ? cursor->at("inner_radius")->found() : "nothing",
                   "a number < radius [m]");
      return false;
    }
    const auto [nz, nr, nphi] = points.value_or(std::array{10, 3, 8});
    shape.quadrature = cylinder_quadrature(shape.length, shape.rim_x, inner, nz, nr, nphi);
    shape.surface = {PointShapeT<S>::Kind::cylinder, shape.length, shape.rim_x, shape.rim_y, inner, nz, nphi};
    return true;
  }
  const auto size = cursor->template numbers<S>("size");
  if (!size || map.cursor().errors().count() > errors_before) return false;
  shape.length = (*size)[2];
  shape.rim_x = S(0.5) * (*size)[0], shape.rim_y = S(0.5) * (*size)[1];
  const auto [nz, nx, ny] = points.value_or(std::array{10, 3, 3});
  shape.quadrature = box_quadrature<S>({(*size)[0], (*size)[1], (*size)[2]}, nz, nx, ny);
  shape.surface.kind = PointShapeT<S>::Kind::box;
  shape.surface.length = shape.length;
  shape.surface.half_x = shape.rim_x, shape.surface.half_y = shape.rim_y;
  return true;
}

/// The material that the body names; null, and an error was reported, if it cannot be a volume's.
template <typename S>
const ReadMaterialT<S>* read_volume_material(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  ReadMaterialT<S>* found = find_material(part);
  if (!found || !found->good) return nullptr;
  const auto refuse = [&](const std::string& what, const std::string& expected) {
    map.fail("material", map.at("material")->found() + " " + what, expected);
    return nullptr;
  };
  if (!found->material.law && found->material.model == MaterialT<S>::Model::linear) {
    return refuse("of model linear", "a neo_hookean, mooney_rivlin, yeoh or st_venant_kirchhoff material for a volume");
  }
  if (!found->material.density) return refuse("without density", "a material with density for a volume");
  if (found->material.viscosity) return refuse("with viscosity", "a material with damping_time for a volume");
  return found;
}

/// Its numbers are no parameters, since nothing is integrated differently but for an error below them.
std::optional<YamlMap> read_quadrature(const YamlMap& map) {
  const auto cursor = map.at("quadrature");
  return cursor ? cursor->without_parameters().map(map.rule("quadrature")) : std::nullopt;
}

/// What is asked of fewer points; nothing: all of them.
std::optional<PointReductionOptions> read_reduction(const YamlMap& quadrature, std::vector<std::string>& warnings) {
  PointReductionOptions options;
  options.strain = quadrature.number("strain").value_or(options.strain);
  if (quadrature.has("reduce")) {
    options.tolerance = quadrature.number("reduce").value_or(options.tolerance);
    return options;
  }
  if (const auto strain = quadrature.at("strain")) {
    warnings.push_back(strain->mark().text() + ": " + strain->path() + ": has no effect without reduce");
  }
  return std::nullopt;
}
/// Chooses points; those of the body that was read from the same tree stay.
template <typename S>
void reduce(const PointReductionOptions& options, const VolumeSoFar<S>& shape, const VolumeMaterialT<S>& material,
            const VolumeKinematicsT<S>& kinematics, PointParametersT<S>& points) {
  if (shape.before != nullptr) points.reduction = shape.before->template part<PointReduction>();
  if (points.reduction == nullptr) {
    const VolumeBody body(points.template cast<double>(), material.template cast<double>(),
                          kinematics.clone_as(ScalarTag<double>()), shape.mesh);
    points.reduction = std::make_shared<const PointReduction>(cached_reduction(body, options));
  }
  points.quadrature = reduced_quadrature(points.quadrature, *points.reduction);
}

template <typename S>
std::shared_ptr<const BodyT<S>> read_volume(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  RobotSoFar<S>& robot = part.robot();
  VolumeSoFar<S> shape{map, robot.files,
                       robot.before ? robot.before->links[robot.robot.links.size()].body.get() : nullptr};
  const std::size_t errors_before = map.cursor().errors().count();
  const auto quadrature = read_quadrature(map);
  const bool has_shape = read_shape(quadrature, shape);
  const ReadMaterialT<S>* material = shape.material = read_volume_material(part);
  const S zero(0.0);
  shape.tip = {Vector3T<S>{zero, zero, shape.length}, Vector3T<S>{shape.rim_x, zero, shape.length},
               Vector3T<S>{zero, shape.rim_y, shape.length}};
  if (const auto tip = map.map("tip")) {
    if (tip->has("origin")) shape.tip[0] = read_vector3<S>(*tip, "origin");
    if (tip->has("a")) shape.tip[1] = read_vector3<S>(*tip, "a");
    if (tip->has("b")) shape.tip[2] = read_vector3<S>(*tip, "b");
  }
  const auto reduction = quadrature ? read_reduction(*quadrature, robot.warnings) : std::nullopt;
  const auto motion = map.map("kinematics");
  const bool full = motion && motion->variant() == "fem" && motion->has("full");
  std::shared_ptr<const VolumeKinematicsT<S>> kinematics;
  if (full) {
    if (!motion->boolean("full").value_or(true)) motion->fail("full", "false", "true, or modes instead");
    motion->boolean("derivatives");  // all that the mesh can do has them in it
    const auto attachments = motion->map("attachments");
    const auto has_some = [&attachments](const char* name) {
      const auto list = attachments->at(name);
      return list && list->size() > 0;
    };
    if (attachments && (attachments->boolean("tip").value_or(false) || has_some("points") || has_some("surfaces"))) {
      motion->fail("attachments", "them beside full", "modes, which have attachments");
    }
    if (reduction) quadrature->fail("reduce", "it beside full", "modes, whose points can be reduced");
    if (!check_fem(shape)) return nullptr;
  } else if (motion) {
    kinematics = read_kind<KinematicsKind>(KinematicsReader<S>(*motion, shape));
  }
  PointParametersT<S> points;
  points.tip_origin = shape.tip[0], points.tip_a = shape.tip[1], points.tip_b = shape.tip[2];
  if (!has_shape || (!kinematics && !full) || !material || map.cursor().errors().count() > errors_before)
    return nullptr;
  points.quadrature = shape.quadrature;
  points.shape = shape.surface;
  points.density = *material->material.density;
  if (full) {
    return std::make_shared<const NodalVolumeT<S>>(NodalVolumeParametersT<S>{
        shape.mesh, points.density, material->material.of_volume(), points.tip_origin, points.tip_a, points.tip_b});
  }
  if (reduction) reduce(*reduction, shape, material->material.of_volume(), *kinematics, points);
  return std::make_shared<const VolumeBodyT<S>>(points, material->material.of_volume(), kinematics, shape.mesh);
}

}  // namespace

/// A list of three integers whose rule is the form of the key; nothing, with an error, if it is none.
std::optional<std::array<int, 3>> read_integers(const YamlMap& map, const std::string& name) {
  const auto cursor = map.at(name);
  if (!cursor) return std::nullopt;
  const Key& rule = map.rule(name);
  const auto items = cursor->items(rule.expected());
  if (items.size() != 3) {
    if (cursor->kind() == YamlNode::Kind::list) cursor->fail(rule.expected());
    return std::nullopt;
  }
  std::array<int, 3> values{};
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = items[i].integer(rule.forms.front().forms.front());
    good = good && value;
    values[i] = static_cast<int>(value.value_or(1));
  }
  return good ? std::optional(values) : std::nullopt;
}

Key integers_key(const char* key_name, const char* meaning, NumberRange range) {
  return key::other(key_name, meaning, {key::list(3, key::integer("", range))});
}

template <typename S>
bool check_fem(const VolumeSoFar<S>& volume) {
  const YamlMap& map = volume.map;
  const auto shape_map = map.map("shape");
  if (shape_map && shape_map->variant() != "mesh") {
    map.fail("kinematics", "fem with a shape of type " + shape_map->variant(), "a shape of type mesh");
    return false;
  }
  if (!volume.mesh || !volume.material) return false;
  if (volume.rule == 1 && !volume.mesh->edge_nodes.empty()) {
    map.map("quadrature")
        ->fail("rule", "1 with 10-node tetrahedra, whose strain varies", "4 or 14 for kinematics of type fem");
    return false;
  }
  if (volume.material->material.of_volume().resists_volume()) return true;
  map.fail("material", map.at("material")->found() + ", which does not resist changes of volume",
           "a st_venant_kirchhoff material, or a neo_hookean one with lame_lambda, for kinematics of type fem");
  return false;
}

BodyKind volume_kind() {
  return {
      "volume",
      &k_volume_body,
      "A soft volume of any kinematics, along its z axis.",
      "{type: volume, shape: {type: cylinder, length: 0.2, radius: 0.02}, material: rubber, kinematics: {type: lvp, "
      "primitives: [{type: bend, x: [[1]], y: [[1]]}]}}",
      read_volume<double>,
      read_volume<ForwardDual>,
      write_volume};
}

template bool check_fem(const VolumeSoFar<double>&);
template bool check_fem(const VolumeSoFar<ForwardDual>&);

}  // namespace cuttle
