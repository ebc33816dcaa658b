#include "io/rod_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/part_readers.h"
#include "io/robot_tables.h"

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
  using Shape = typename SectionT<S>::Shape;
  SectionT<S> section;
  const auto read = [&map](const char* name, ProfileT<S>& profile) { profile = read_profile<S>(map, name); };
  if (map.variant() == "circle") {
    section.shape = Shape::circle;
    read("radius", section.radius);
  } else if (map.variant() == "annulus") {
    section.shape = Shape::annulus;
    read("radius", section.radius), read("inner_radius", section.inner_radius);
  } else if (map.variant() == "ellipse") {
    section.shape = Shape::ellipse;
    read("radius_x", section.radius_x), read("radius_y", section.radius_y);
  } else if (map.variant() == "rectangle") {
    section.shape = Shape::rectangle;
    read("width", section.width), read("height", section.height);
  } else {
    section.shape = Shape::general;
    read("area", section.area), read("Ix", section.Ix), read("Iy", section.Iy), read("Jz", section.Jz);
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
    for (const auto& variant : k_basis_variants.variants) names.push_back(variant.choice);
    const bool known = text && std::find(names.begin(), names.end(), *text) != names.end();
    if (known) {
      const auto parameters = [&] {
        std::string list;
        for (const auto& variant : k_basis_variants.variants) {
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
  const std::string& name = map->variant();
  using Kind = typename StrainBasisT<S>::Kind;
  if (name == "gaussian") {
    basis.kind = Kind::gaussian;
    basis.centers = map->numbers<S>("centers").value_or(std::vector<S>());
    basis.widths = map->numbers<S>("widths").value_or(std::vector<S>());
  } else if (name == "hermite") {
    basis.kind = Kind::hermite;
    basis.nodes = static_cast<int>(map->integer("nodes").value_or(2));
  } else if (name == "piecewise") {
    basis.kind = Kind::piecewise;
    basis.breaks = map->numbers<S>("breaks").value_or(std::vector<S>());
  } else if (name != "constant") {
    basis.kind = name == "monomial"    ? Kind::monomial
                 : name == "legendre"  ? Kind::legendre
                 : name == "chebyshev" ? Kind::chebyshev
                                       : Kind::fourier;
    basis.order = static_cast<int>(map->integer("order").value_or(0));
  }
  if (cursor.errors().count() > errors_before) return std::nullopt;
  return basis;
}

template <typename S>
StrainT<S> read_strain(const YamlCursor& cursor, const S& length) {
  StrainT<S> strain;
  if (const auto shorthand = cursor.as_text()) {
    if (std::find(k_shorthands.begin(), k_shorthands.end(), *shorthand) == k_shorthands.end()) {
      cursor.fail(join_or(k_shorthands) + ", or a mapping from strain components to bases" +
                  did_you_mean(*shorthand, k_shorthands));
      return strain;
    }
    return strain_shorthand<S>(*shorthand, length);
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
bool read_rod_material(const YamlMap& map, NamedMaterialsT<S>& materials, RodMaterialT<S>& material) {
  if (!map.has("material")) return true;  // some rods need none
  const NamedMaterialT<S>* found = find_material(map, materials);
  if (!found) return false;
  if (found->good && found->model != "linear" && found->model != "neo_hookean") {
    map.fail("material", "'" + *map.text("material") + "' of model " + found->model,
             "a linear or neo_hookean material for a rod");
    return false;
  }
  material = found->material;
  return found->good;
}

/// Keys that the rod's other keys leave without effect.
template <typename S>
void warn_of_idle_keys(const YamlMap& map, const RodParametersT<S>& rod, std::vector<std::string>& warnings) {
  const auto warn = [&warnings](const YamlCursor& cursor, const char* why) {
    warnings.push_back(cursor.mark().text() + ": " + cursor.path() + ": " + why);
  };
  if (map.has("stiffness") && map.has("shear_factor")) warn(*map.at("shear_factor"), "has no effect beside stiffness");
  if (map.has("stiffness") && map.has("torsion_constant") && !rod.material.viscosity) {
    warn(*map.at("torsion_constant"), "has no effect beside stiffness");
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

}  // namespace

template <typename S>
NamedMaterialT<S>* find_material(const YamlMap& map, NamedMaterialsT<S>& materials) {
  const auto name = map.text("material");
  if (!name) return nullptr;
  const auto found = materials.find(*name);
  if (found == materials.end()) {
    std::vector<std::string> names;
    for (const auto& entry : materials) names.push_back(entry.first);
    const std::string known = names.empty() ? "a name from materials, which has none" : one_of(*name, names);
    map.fail("material", "'" + *name + "'", known);
    return nullptr;
  }
  found->second.used = true;
  return &found->second;
}

template <typename S>
NamedMaterialT<S> read_material(const YamlMap& map) {
  using Law = typename VolumeMaterialT<S>::Model;
  const std::size_t errors_before = map.cursor().errors().count();
  NamedMaterialT<S> result;
  result.model = map.variant();
  RodMaterialT<S>& material = result.material;
  VolumeMaterialT<S>& volume = result.volume;
  const auto density = map.number<S>("density");
  if (result.model == "neo_hookean") {
    volume.model = Law::neo_hookean;
    volume.c1 = map.number<S>("c1").value_or(S(1.0));
    volume.lame_lambda = map.number<S>("lame_lambda");
    material = RodMaterialT<S>::neo_hookean(S(0.0), volume.c1);
  } else if (result.model == "linear" || result.model == "st_venant_kirchhoff") {
    material.young_modulus = map.number<S>("young_modulus");
    material.poisson_ratio = map.number_or<S>("poisson_ratio", 0.5).value_or(S(0.5));
    volume.model = Law::st_venant_kirchhoff;
    volume.young_modulus = material.young_modulus.value_or(S(1.0));
    volume.poisson_ratio = material.poisson_ratio;
  } else {
    volume.model = result.model == "yeoh" ? Law::yeoh : Law::mooney_rivlin;
    volume.c1 = map.number<S>("c1").value_or(S(1.0));
    volume.c2 = map.number<S>("c2").value_or(S(0.0));
    if (result.model == "yeoh") volume.c3 = map.number<S>("c3").value_or(S(0.0));
  }
  material.density = density;
  if (map.has("viscosity")) {
    material.damping_time = map.number<S>("damping_time");
    material.viscosity = map.number<S>("viscosity");
  } else {
    material.damping_time = map.optional_number<S>("damping_time", map.rule("damping_time"), 0.0);
  }
  volume.damping_time = material.damping_time;
  if (map.has("damping_time") && map.has("viscosity")) {
    map.fail("viscosity", "it beside damping_time", "at most one of the two");
  }
  result.good = map.cursor().errors().count() == errors_before;
  return result;
}

template <typename S>
std::shared_ptr<const RodBodyT<S>> read_rod(const YamlMap& map, NamedMaterialsT<S>& materials,
                                            std::vector<std::string>& warnings) {
  FileErrors& errors = map.cursor().errors();
  const std::size_t errors_before = errors.count();
  RodParametersT<S> rod;
  rod.length = map.number<S>("length").value_or(S(1.0));
  rod.sections = static_cast<int>(map.integer("sections").value_or(rod.sections));
  const bool has_section = map.has("section");
  if (const auto section = map.map("section")) rod.section = read_section<S>(*section);
  const bool has_material = read_rod_material(map, materials, rod.material);
  if (const auto strain = map.at("strain")) rod.strain = read_strain<S>(*strain, rod.length);
  if (const auto rest = map.map("rest_strain")) {
    for (int component = 0; component < 6; ++component) {
      rod.rest_strain[component] =
          read_profile_or<S>(*rest, strain_component_name(component), component == sigma_z ? 1.0 : 0.0);
    }
  }
  rod.stiffness = read_profiles<S, 6>(map, "stiffness", "N m^2", "N");
  if (const auto values = map.numbers<S>("mass_per_length")) rod.mass_per_length = ProfileT<S>(*values);
  rod.rotary_inertia = read_profiles<S, 3>(map, "rotary_inertia", "kg m");
  rod.shear_factor = map.number_or<S>("shear_factor", 1.0).value_or(S(1.0));
  rod.torsion_constant = read_torsion_constant<S>(map);
  if (const auto hyperelastic = map.map("hyperelastic")) {
    rod.hyperelastic_stretch = read_law<S>(*hyperelastic, "stretch", "J");
    rod.hyperelastic_bend = read_law<S>(*hyperelastic, "bend", "J/rad^2");
  }
  warn_of_idle_keys(map, rod, warnings);

  const bool needs_section =
      !map.has("mass_per_length") || !map.has("rotary_inertia") || !map.has("stiffness") || rod.material.viscosity;
  if (!has_section && needs_section) {
    map.fail("section", "nothing", "a mapping with shape, or all of stiffness, mass_per_length and rotary_inertia");
  }
  if (!has_material || errors.count() > errors_before) return nullptr;
  try {
    return std::make_shared<const RodBodyT<S>>(rod);
  } catch (const ModelError& error) {
    map.cursor().fail_inside(error.diagnostic());
    return nullptr;
  }
}

#define CUTTLE_INSTANTIATE(S)                                                     \
  template NamedMaterialT<S> read_material<S>(const YamlMap&);                    \
  template NamedMaterialT<S>* find_material(const YamlMap&, NamedMaterialsT<S>&); \
  template std::shared_ptr<const RodBodyT<S>> read_rod(const YamlMap&, NamedMaterialsT<S>&, std::vector<std::string>&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
