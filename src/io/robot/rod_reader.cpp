// The rods of a robot file.
#include <fmt/format.h>

#include <algorithm>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/kinds/kind_list.h"
#include "io/robot/materials.h"
#include "io/robot/part_readers.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"
#include "io/robot/robot_tables.h"
#include "io/robot/rod_shapes.h"

namespace cuttle {
namespace {

template <typename S>
using StrainT = std::array<std::optional<StrainBasisT<S>>, 6>;

const std::vector<std::string>& k_shorthands = k_strain_shorthands;

template <typename S>
ProfileT<S> read_profile(const YamlMap& map, const std::string& name) {
  const auto values = map.numbers<S>(name);
  return values ? ProfileT<S>(*values) : ProfileT<S>();
}

/// The same where an empty one stands for a constant.
template <typename S>
ProfileT<S> read_profile_or(const YamlMap& map, const std::string& name, double fallback) {
  if (map.has(name)) return read_profile<S>(map, name);
  const auto value = map.optional_number<S>(name, map.rule(name), fallback);
  return value ? ProfileT<S>(*value) : ProfileT<S>();
}

/// A list of `N` profiles, each a number, a pair or a list at equal spacing.
/// @param last_unit  of the second half of them, if it is another one.
template <typename S, std::size_t N>
std::optional<std::array<ProfileT<S>, N>> read_profiles(const YamlMap& map, const std::string& name, const char* unit,
                                                        const char* last_unit = nullptr) {
  const auto cursor = map.at(name);
  if (!cursor) return std::nullopt;
  const std::size_t errors_before = cursor->errors().count();
  const std::string expected =
      fmt::format("a list of {} entries, each a number >= 0, a pair [base, tip] or a list [{}{}{}]", N, unit,
                  last_unit ? ", " : "", last_unit ? last_unit : "");
  std::array<ProfileT<S>, N> profiles;
  std::size_t i = 0;
  const auto items = cursor->items(expected);
  if (cursor->kind() == YamlNode::Kind::list && items.size() != N) cursor->fail(expected);
  for (const YamlCursor& item : items) {
    const auto values =
        item.numbers<S>(key::profile("", 0, k_not_negative, last_unit && i >= N / 2 ? last_unit : unit));
    if (values && i < N) profiles[i] = ProfileT<S>(*values);
    ++i;
  }
  if (cursor->errors().count() > errors_before) return std::nullopt;
  return profiles;
}

/// What a rod says of its torsion constant: a word or values.
template <typename S>
std::variant<TorsionConstant, ProfileT<S>> read_torsion_constant(const YamlMap& map) {
  const auto cursor = map.at("torsion_constant");
  if (!cursor) return TorsionConstant::saint_venant;
  const Key& rule = map.rule("torsion_constant");
  const auto word = cursor->as_text();
  if (word == "saint_venant") return TorsionConstant::saint_venant;
  if (word == "polar") return TorsionConstant::polar;
  if (word || cursor->kind() == YamlNode::Kind::map) {
    cursor->fail(rule.expected() + (word ? did_you_mean(*word, k_torsion_constants) : ""));
    return TorsionConstant::saint_venant;
  }
  return ProfileT<S>(cursor->numbers<S>(rule.forms.back()).value_or(std::vector<S>()));
}

template <typename S>
SectionT<S> read_section(const YamlMap& map) {
  SectionT<S> section;
  for (const auto shape : SectionT<S>::k_shapes) {
    section.shape = shape;
    if (map.variant() != section.shape_name()) continue;
    for (const auto& size : section.sizes()) section.*size.value = read_profile<S>(map, size.key);
    break;
  }
  return section;
}

/// A basis of any type from the keys of its table; nothing, with errors, if something is wrong.
template <typename S>
std::optional<StrainBasisT<S>> read_basis(const YamlCursor& cursor) {
  const std::size_t errors_before = cursor.errors().count();
  StrainBasisT<S> basis;
  if (cursor.kind() != YamlNode::Kind::map) {
    const auto text = cursor.as_text();
    if (text == "constant") return basis;
    std::vector<std::string> names;
    for (const auto& variant : k_basis_variants.variants()) names.push_back(variant.choice);
    const bool known = text && std::find(names.begin(), names.end(), *text) != names.end();
    if (known) {
      const auto parameters = [&] {
        std::string list;
        for (const auto& variant : k_basis_variants.variants()) {
          if (variant.choice != *text) continue;
          for (const Key& parameter : variant.table->keys) list += ", " + parameter.name + ": ..";
        }
        return list;
      };
      cursor.fail("its parameters too: {basis: " + *text + parameters() + "}");
    } else {
      cursor.fail(k_strain_table.keys.front().expected() + (text ? did_you_mean(*text, names) : ""));
    }
    return std::nullopt;
  }
  const auto map = cursor.map(k_basis_variants);
  if (!map) return std::nullopt;
  for (const BasisKindT<S>& known : basis_kinds<S>()) {
    if (map->variant() != known.name) continue;
    basis.kind = known.kind;
    if (known.count != nullptr) basis.*known.counted = static_cast<int>(map->integer(known.count).value_or(2));
    for (const auto& list : known.lists) {
      basis.*list.values = map->numbers<S>(list.key).value_or(std::vector<S>());
    }
  }
  if (cursor.errors().count() > errors_before) return std::nullopt;
  return basis;
}

template <typename S>
StrainT<S> read_strain(const YamlCursor& cursor, const S& length, int pieces) {
  StrainT<S> strain;
  if (const auto shorthand = cursor.as_text()) {
    if (std::find(k_shorthands.begin(), k_shorthands.end(), *shorthand) == k_shorthands.end()) {
      cursor.fail(join_or(k_shorthands) + ", or a mapping from strain components to bases" +
                  did_you_mean(*shorthand, k_shorthands));
      return strain;
    }
    return strain_shorthand<S>(*shorthand, length, pieces);
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail("a shorthand as pcc, or a mapping from strain components to bases");
    return strain;
  }
  if (cursor.has_key("kirchhoff")) {  // nothing stands beside it
    const auto map = cursor.map(k_kirchhoff_table);
    const auto basis = map ? read_basis<S>(*map->at("kirchhoff")) : std::nullopt;
    if (basis) strain[kappa_x] = strain[kappa_y] = strain[kappa_z] = basis;
    return strain;
  }
  const auto map = cursor.map(k_strain_table);
  for (int component = 0; map && component < 6; ++component) {
    const auto value = map->at(strain_component_name(component));
    if (value) strain[component] = read_basis<S>(*value);
  }
  return strain;
}

/// Into how many pieces the strain of a shorthand is cut; 1, with an error, where there is no shorthand.
int read_pieces(const YamlMap& map) {
  if (!map.has("pieces")) return 1;
  const auto strain = map.at("strain");
  if (!strain || !strain->as_text()) {
    const bool bases = strain && strain->size() > 0;
    map.fail("pieces", bases ? "it beside bases" : "it without strain",
             "a shorthand as strain: pcs beside it (a basis has pieces of its own: {basis: piecewise, breaks: [..]})");
    return 1;
  }
  return static_cast<int>(map.integer("pieces").value_or(1));
}

template <typename S>
std::optional<HyperelasticLawT<S>> read_law(const YamlMap& map, const std::string& name, const char* unit) {
  const auto cursor = map.at(name);
  if (!cursor) return std::nullopt;
  HyperelasticLawT<S> law;
  if (cursor->kind() == YamlNode::Kind::map) {
    const auto tanh = cursor->map(k_tanh_table);
    const auto values = tanh ? tanh->numbers<S>("tanh") : std::nullopt;
    if (values) law.tanh = {{(*values)[0], (*values)[1], (*values)[2]}};
  } else if (cursor->kind() == YamlNode::Kind::list) {
    law.polynomial = cursor->numbers<S>(key::numbers("", 0, unit)).value_or(std::vector<S>());
  } else {
    cursor->fail(k_hyperelastic_table.find(name)->expected());
  }
  return law;
}

/// The material that the body names; false, and an error was reported, if it cannot be a rod's.
template <typename S>
bool read_rod_material(const PartReader<S>& part, RodMaterialT<S>& material) {
  const YamlMap& map = part.map();
  if (!map.has("material")) return true;  // some rods need none
  const ReadMaterialT<S>* found = find_material(part);
  if (!found) return false;
  using Law = typename MaterialT<S>::Model;
  const Law model = found->material.model;
  if (found->good && (found->material.law || (model != Law::linear && model != Law::neo_hookean))) {
    map.fail("material", map.at("material")->found() + " of model " + material_type(found->material),
             "a linear or neo_hookean material for a rod");
    return false;
  }
  material = found->material.of_rod();
  return found->good;
}

/// Keys that the rod's other keys leave without effect.
template <typename S>
void warn_of_idle_keys(const YamlMap& map, const RodParametersT<S>& rod, std::vector<std::string>& warnings) {
  const auto warn = [&warnings](const YamlCursor& cursor, const char* why) {
    warnings.push_back(cursor.mark().text() + ": " + cursor.path() + ": " + why);
  };
  if (map.has("stiffness") && map.has("shear_factor")) warn(*map.at("shear_factor"), "has no effect beside stiffness");
  const bool by_viscosity = rod.material.viscosity && !map.has("damping");
  if (map.has("stiffness") && map.has("torsion_constant") && !by_viscosity) {
    warn(*map.at("torsion_constant"), "has no effect beside stiffness");
  }
  const auto stiffening = map.at("stiffening");
  for (int c = 0; stiffening && map.has("strain") && c < 6; ++c) {
    const std::string name = strain_component_name(c);
    if (!stiffening->has_key(name) || rod.strain[c]) continue;
    warn(stiffening->child(name), ("has no effect: the strain has no " + name).c_str());
  }
  const auto laws = map.at("hyperelastic");
  if (!laws || !map.has("strain")) return;  // without strain the rod is rigid, which is another warning
  if (laws->has_key("stretch") && !rod.strain[sigma_z]) {
    warn(laws->child("stretch"), "has no effect: the strain has no sigma_z");
  }
  if (laws->has_key("bend") && !rod.strain[kappa_x] && !rod.strain[kappa_y]) {
    warn(laws->child("bend"), "has no effect: the strain has neither kappa_x nor kappa_y");
  }
}

template <typename S>
std::shared_ptr<const BodyT<S>> read_rod(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  FileErrors& errors = map.cursor().errors();
  const std::size_t errors_before = errors.count();
  RodParametersT<S> rod;
  rod.length = map.number<S>("length").value_or(S(1.0));
  if (const auto quadrature = map.map("quadrature")) {
    rod.quadrature_points = static_cast<int>(quadrature->integer("points").value_or(rod.quadrature_points));
  }
  const bool has_section = map.has("section");
  if (const auto section = map.map("section")) rod.section = read_section<S>(*section);
  const bool has_material = read_rod_material(part, rod.material);
  const int pieces = read_pieces(map);
  if (const auto strain = map.at("strain")) rod.strain = read_strain<S>(*strain, rod.length, pieces);
  if (const auto rest = map.map("rest_strain")) {
    for (int component = 0; component < 6; ++component) {
      rod.rest_strain[component] =
          read_profile_or<S>(*rest, strain_component_name(component), component == sigma_z ? 1.0 : 0.0);
    }
  }
  rod.stiffness = read_profiles<S, 6>(map, "stiffness", "N m^2", "N");
  rod.damping = read_profiles<S, 6>(map, "damping", "N m^2 s", "N s");
  if (const auto stiffening = map.map("stiffening")) {
    for (int component = 0; component < 6; ++component) {
      const auto factors = stiffening->numbers<S>(strain_component_name(component));
      if (factors) rod.stiffening[component] = *factors;
    }
  }
  if (const auto values = map.numbers<S>("mass_per_length")) rod.mass_per_length = ProfileT<S>(*values);
  rod.rotary_inertia = read_profiles<S, 3>(map, "rotary_inertia", "kg m");
  rod.shear_factor = map.number_or<S>("shear_factor", 1.0).value_or(S(1.0));
  rod.torsion_constant = read_torsion_constant<S>(map);
  if (const auto hyperelastic = map.map("hyperelastic")) {
    rod.hyperelastic_stretch = read_law<S>(*hyperelastic, "stretch", "J");
    rod.hyperelastic_bend = read_law<S>(*hyperelastic, "bend", "J/rad^2");
  }
  warn_of_idle_keys(map, rod, part.robot().warnings);

  const bool needs_section = !map.has("mass_per_length") || !map.has("rotary_inertia") || !map.has("stiffness") ||
                             (rod.material.viscosity && !map.has("damping"));
  if (!has_section && needs_section) {
    map.fail("section", "nothing", "a mapping with shape, or all of stiffness, mass_per_length and rotary_inertia");
  }
  if (!has_material || errors.count() > errors_before) return nullptr;
  auto body = std::make_shared<const RodBodyT<S>>(rod);
  if (body->coordinate_count() == 0) part.warn("a rod without strain is rigid");
  return body;
}

}  // namespace

BodyKind rod_kind() {
  return {"rod",
          &k_rod_body,
          "A Cosserat rod along its z axis.",
          "{type: rod, length: 0.3, section: {shape: circle, radius: [0.02, 0.01]}, material: silicone, strain: pcc}",
          read_rod<double>,
          read_rod<ForwardDual>,
          write_rod};
}

}  // namespace cuttle
