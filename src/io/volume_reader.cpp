#include "io/volume_reader.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <type_traits>

#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/error.h"
#include "io/gmsh_file.h"
#include "io/neural_reader.h"
#include "io/part_readers.h"
#include "io/robot_tables.h"

namespace cuttle {
namespace {

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

/// What of the body's shape the rest needs.
template <typename S>
struct Shape {
  S length = S(1.0), rim_x = S(1.0), rim_y = S(1.0);
  QuadratureT<S> quadrature;
  std::shared_ptr<const TetrahedralMesh> mesh;  // null: another shape
  PointShapeT<S> surface;
};

/// The mesh of a shape; null, with an error, if there is none.
std::shared_ptr<const TetrahedralMesh> read_mesh(const YamlMap& shape, const VolumeFiles& files) {
  if (files.before != nullptr) return files.before->part<TetrahedralMesh>();
  const auto file = files.named.read(shape, "file", "a mesh of Gmsh");
  if (!file) return nullptr;
  try {
    return std::make_shared<const TetrahedralMesh>(read_gmsh_text(file->text, file->path));
  } catch (const FileError& error) {
    shape.cursor().errors().add(error);
    return nullptr;
  }
}
template <typename S>
bool read_mesh_shape(const YamlMap& map, const YamlMap& cursor, const VolumeFiles& files, Shape<S>& shape) {
  if (map.has("points")) map.fail("points", "it beside a mesh", "shape.rule, the points of each tetrahedron");
  int rule = 4;
  if (const auto place = cursor.at("rule")) {
    const Key& key = cursor.rule("rule");
    const auto value = place->integer({.name = {}, .kind = Key::Kind::other, .meaning = key.meaning});
    if (value && *value != 1 && *value != 4) place->fail(key.expected());
    rule = value.value_or(4) == 1 ? 1 : 4;
  }
  shape.mesh = read_mesh(cursor, files);
  if (!shape.mesh) return false;
  shape.length = S(shape.mesh->length());
  shape.rim_x = shape.rim_y = S(shape.mesh->radius());
  shape.quadrature = mesh_quadrature<S>(*shape.mesh, rule);
  return true;
}

/// @return false if something is wrong; then there are errors.
template <typename S>
bool read_shape(const YamlMap& map, const VolumeFiles& files, Shape<S>& shape) {
  const auto cursor = map.map("shape");
  const std::size_t errors_before = map.cursor().errors().count();
  const auto points = read_integers(map, "points");
  if (!cursor) return false;
  if (cursor->variant() == "mesh") return read_mesh_shape(map, *cursor, files, shape);
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

template <typename S>
typename LvpPrimitiveT<S>::Modes read_modes(const YamlMap& map, const std::string& name) {
  typename LvpPrimitiveT<S>::Modes modes;
  const auto cursor = map.at(name);
  if (!cursor) return modes;
  const Key& rule = map.rule(name);
  for (const YamlCursor& item : cursor->items(rule.expected())) {
    const auto mode = item.numbers<S>(rule.forms.front().forms.front());
    if (mode && mode->empty()) item.fail("one or more coefficients, of z^0, z^1, ..");
    if (mode) modes.push_back(*mode);
  }
  return modes;
}

template <typename S>
LvpPrimitiveT<S> read_primitive(const YamlMap& map) {
  using Type = typename LvpPrimitiveT<S>::Type;
  LvpPrimitiveT<S> primitive;
  for (const Type type : {Type::stretch, Type::shear, Type::twist, Type::bend, Type::source}) {
    if (map.variant() == lvp_primitive_name(static_cast<int>(type))) primitive.type = type;
  }
  const bool bends = primitive.type == Type::bend;
  primitive.modes = read_modes<S>(map, bends ? "x" : "modes");
  if (bends) primitive.y_modes = read_modes<S>(map, "y");
  if (primitive.type == Type::shear) primitive.axis = map.text("axis") == "y" ? 1 : 0;
  return primitive;
}

template <typename S>
std::vector<RitzModeT<S>> read_ritz_modes(const YamlMap& map) {
  std::vector<RitzModeT<S>> modes;
  const auto cursor = map.at("modes");
  if (!cursor) return modes;
  const Key& rule = map.rule("modes");
  for (const YamlCursor& item : cursor->items(rule.expected())) {
    RitzModeT<S> mode;
    for (const YamlCursor& entry : item.items("a list of {powers, vector}")) {
      const auto term = entry.map(k_term_table);
      if (!term) continue;
      const auto powers = read_integers(*term, "powers");
      const Vector3T<S> vector = read_vector3<S>(*term, "vector");
      if (powers) mode.push_back({*powers, vector});
    }
    modes.push_back(mode);
  }
  return modes;
}

/// Whether kinematics of type fem can be had: on a mesh of a material that resists changes of volume. If not there are
/// errors, of the shape or the material or here.
template <typename S>
bool check_fem(const YamlMap& map, const Shape<S>& shape, const NamedMaterialT<S>* material) {
  const auto shape_map = map.map("shape");
  if (shape_map && shape_map->variant() != "mesh") {
    map.fail("kinematics", "fem with a shape of type " + shape_map->variant(), "a shape of type mesh");
    return false;
  }
  if (!shape.mesh || !material) return false;
  if (material->volume.resists_volume()) return true;
  map.fail("material", fmt::format("'{}', which does not resist changes of volume", *map.text("material")),
           "a st_venant_kirchhoff material, or a neo_hookean one with lame_lambda, for kinematics of type fem");
  return false;
}

/// The modes of a mesh; null if something is wrong: then there are errors. Derivatives take the modes of the body that
/// was read before as they are.
template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_fem(const YamlMap& map, const YamlMap& cursor, const Shape<S>& shape,
                                                     const NamedMaterialT<S>* material, const VolumeFiles& files) {
  const auto count = cursor.integer("modes");
  const bool derivatives = cursor.boolean("derivatives").value_or(false);
  if (!check_fem(map, shape, material) || !count) return nullptr;
  if constexpr (!std::is_same_v<S, double>) {
    if (files.before != nullptr) {
      return std::make_shared<const FemKinematicsT<S>>(files.before->part<FemBasis>());
    }
  }
  const FemBasis basis =
      fem_modes(shape.mesh, material->volume.template cast<double>(), scalar_cast<double>(*material->material.density),
                static_cast<int>(*count), derivatives);
  return std::make_shared<const FemKinematicsT<S>>(std::make_shared<const FemBasis>(basis));
}

template <typename S>
RadialParametersT<S> read_radial(const YamlMap& map, const Shape<S>& shape) {
  RadialParametersT<S> radial{shape.length, shape.rim_x, {}, {}};
  if (map.has("radius")) radial.radius = map.number<S>("radius").value_or(S(1.0));
  if (const auto strain = map.map("strain")) {
    for (const RadialStrain component : {RadialStrain::kappa_x, RadialStrain::kappa_y, RadialStrain::sigma_z}) {
      if (strain->text(radial_strain_name(component))) radial.strain.push_back(component);
    }
  }
  if (map.has("bumps")) radial.bumps = map.numbers<S>("bumps").value_or(std::vector<S>());
  return radial;
}

/// The network of a neural body; nothing, with an error, if there is none.
template <typename S>
std::optional<NeuralParametersT<S>> read_neural(const YamlMap& map, const S& length, const VolumeFiles& files) {
  NeuralParametersT<S> network;
  if (files.before != nullptr) {
    network = files.before->part<NeuralParameters>()->template cast<S>();
  } else {
    const auto file = files.named.read(map, "file", "a network in JSON");
    if (!file) return std::nullopt;
    try {
      network = read_network_text(file->text, file->path).template cast<S>();
    } catch (const FileError& error) {
      map.cursor().errors().add(error);
      return std::nullopt;
    }
  }
  network.length = length;
  return network;
}

/// Null if something is wrong; then there are errors.
template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_kinematics(const YamlMap& map, const YamlMap& cursor,
                                                            const Shape<S>& shape, const NamedMaterialT<S>* material,
                                                            const VolumeFiles& files) {
  const std::size_t errors_before = map.cursor().errors().count();
  try {
    if (cursor.variant() == "lvp") {
      LvpParametersT<S> lvp;
      lvp.length = shape.length;
      for (const YamlMap& primitive : cursor.maps("primitives")) lvp.primitives.push_back(read_primitive<S>(primitive));
      if (map.cursor().errors().count() > errors_before) return nullptr;
      return std::make_shared<const LvpKinematicsT<S>>(lvp);
    }
    if (cursor.variant() == "fem") return read_fem(map, cursor, shape, material, files);
    if (cursor.variant() == "radial") {
      const RadialParametersT<S> radial = read_radial(cursor, shape);
      if (map.cursor().errors().count() > errors_before) return nullptr;
      return std::make_shared<const RadialKinematicsT<S>>(radial);
    }
    if (cursor.variant() == "neural") {
      const auto network = read_neural(cursor, shape.length, files);
      return network ? std::make_shared<const NeuralKinematicsT<S>>(*network) : nullptr;
    }
    const std::vector<RitzModeT<S>> modes = read_ritz_modes<S>(cursor);
    if (map.cursor().errors().count() > errors_before) return nullptr;
    return std::make_shared<const RitzKinematicsT<S>>(modes);
  } catch (const ModelError& error) {
    cursor.cursor().fail_inside(error.diagnostic());
    return nullptr;
  }
}

/// The material that the body names; null, and an error was reported, if it cannot be a volume's.
template <typename S>
const NamedMaterialT<S>* read_volume_material(const YamlMap& map, NamedMaterialsT<S>& materials) {
  NamedMaterialT<S>* found = find_material(map, materials);
  if (!found || !found->good) return nullptr;
  const auto refuse = [&](const std::string& what, const std::string& expected) {
    map.fail("material", fmt::format("'{}' {}", *map.text("material"), what), expected);
    return nullptr;
  };
  if (found->model == "linear") {
    return refuse("of model linear", "a neo_hookean, mooney_rivlin, yeoh or st_venant_kirchhoff material for a volume");
  }
  if (!found->material.density) return refuse("without density", "a material with density for a volume");
  if (found->material.viscosity) return refuse("with viscosity", "a material with damping_time for a volume");
  return found;
}

}  // namespace

template <typename S>
std::shared_ptr<const BodyT<S>> read_volume(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            const VolumeFiles& files) {
  Shape<S> shape;
  const std::size_t errors_before = map.cursor().errors().count();
  const bool has_shape = read_shape(map, files, shape);
  const NamedMaterialT<S>* material = read_volume_material(map, materials);
  const auto motion = map.map("kinematics");
  const bool full = motion && motion->variant() == "fem" && motion->has("full");
  std::shared_ptr<const VolumeKinematicsT<S>> kinematics;
  if (full) {
    if (!motion->boolean("full").value_or(true)) motion->fail("full", "false", "true, or modes instead");
    if (motion->boolean("derivatives").value_or(false)) {
      motion->fail("derivatives", "true beside full", "modes, which have derivatives");
    }
    if (!check_fem(map, shape, material)) return nullptr;
  } else if (motion) {
    kinematics = read_kinematics<S>(map, *motion, shape, material, files);
  }
  PointParametersT<S> points;
  const S zero(0.0);
  points.tip_origin = {zero, zero, shape.length};
  points.tip_a = {shape.rim_x, zero, shape.length};
  points.tip_b = {zero, shape.rim_y, shape.length};
  if (const auto tip = map.map("tip")) {
    if (tip->has("origin")) points.tip_origin = read_vector3<S>(*tip, "origin");
    if (tip->has("a")) points.tip_a = read_vector3<S>(*tip, "a");
    if (tip->has("b")) points.tip_b = read_vector3<S>(*tip, "b");
  }
  if (!has_shape || (!kinematics && !full) || !material || map.cursor().errors().count() > errors_before)
    return nullptr;
  points.quadrature = shape.quadrature;
  points.shape = shape.surface;
  points.density = *material->material.density;
  try {
    if (full) {
      return std::make_shared<const NodalVolumeT<S>>(NodalVolumeParametersT<S>{
          shape.mesh, points.density, material->volume, points.tip_origin, points.tip_a, points.tip_b});
    }
    return std::make_shared<const VolumeBodyT<S>>(points, material->volume, kinematics, shape.mesh);
  } catch (const ModelError& error) {
    map.cursor().fail_inside(error.diagnostic());
    return nullptr;
  }
}

#define CUTTLE_INSTANTIATE(S) \
  template std::shared_ptr<const BodyT<S>> read_volume(const YamlMap&, NamedMaterialsT<S>&, const VolumeFiles&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
