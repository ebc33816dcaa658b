#include "io/rod_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/error_places.h"
#include "io/part_readers.h"
#include "io/robot_tables.h"

namespace cuttle {
namespace {

using Strain = std::array<std::optional<StrainBasis>, 6>;

const std::vector<std::string>& k_shorthands = k_strain_shorthands;

Profile read_profile(const YamlMap& map, const std::string& name) {
  const auto values = map.numbers(name);
  return values ? Profile(*values) : Profile();
}

/// A list of `N` profiles, each a number, a pair or a list at equal spacing.
template <std::size_t N>
std::optional<std::array<Profile, N>> read_profiles(const YamlMap& map, const std::string& name, const char* unit) {
  const auto cursor = map.at(name);
  if (!cursor) return std::nullopt;
  const std::size_t errors_before = cursor->errors().count();
  const std::string expected =
      fmt::format("a list of {} entries, each a number >= 0, a pair [base, tip] or a list [{}]", N, unit);
  std::array<Profile, N> profiles;
  std::size_t i = 0;
  const auto items = cursor->items(expected);
  if (cursor->kind() == YamlNode::Kind::list && items.size() != N) cursor->fail(expected);
  for (const YamlCursor& item : items) {
    const auto values = item.numbers(key::profile("", 0, k_not_negative, unit));
    if (values && i < N) profiles[i] = Profile(*values);
    ++i;
  }
  if (cursor->errors().count() > errors_before) return std::nullopt;
  return profiles;
}

Section read_section(const YamlMap& map) {
  Section section;
  const auto read = [&map](const char* name, Profile& profile) { profile = read_profile(map, name); };
  if (map.variant() == "circle") {
    section.shape = Section::Shape::circle;
    read("radius", section.radius);
  } else if (map.variant() == "annulus") {
    section.shape = Section::Shape::annulus;
    read("radius", section.radius), read("inner_radius", section.inner_radius);
  } else if (map.variant() == "ellipse") {
    section.shape = Section::Shape::ellipse;
    read("radius_x", section.radius_x), read("radius_y", section.radius_y);
  } else if (map.variant() == "rectangle") {
    section.shape = Section::Shape::rectangle;
    read("width", section.width), read("height", section.height);
  } else {
    section.shape = Section::Shape::general;
    read("area", section.area), read("Ix", section.Ix), read("Iy", section.Iy), read("Jz", section.Jz);
  }
  return section;
}

/// A basis of any type from the keys of its table; nothing, with errors, if something is wrong.
std::optional<StrainBasis> read_basis(const YamlCursor& cursor) {
  const std::size_t errors_before = cursor.errors().count();
  StrainBasis basis;
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
  using Kind = StrainBasis::Kind;
  if (name == "gaussian") {
    basis.kind = Kind::gaussian;
    basis.centers = map->numbers("centers").value_or(std::vector<double>());
    basis.widths = map->numbers("widths").value_or(std::vector<double>());
  } else if (name == "hermite") {
    basis.kind = Kind::hermite;
    basis.nodes = static_cast<int>(map->integer("nodes").value_or(2));
  } else if (name == "piecewise") {
    basis.kind = Kind::piecewise;
    basis.breaks = map->numbers("breaks").value_or(std::vector<double>());
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

Strain read_strain(const YamlCursor& cursor, double length) {
  Strain strain;
  if (const auto shorthand = cursor.as_text()) {
    if (std::find(k_shorthands.begin(), k_shorthands.end(), *shorthand) == k_shorthands.end()) {
      cursor.fail(join_or(k_shorthands) + ", or a mapping from strain components to bases" +
                  did_you_mean(*shorthand, k_shorthands));
      return strain;
    }
    return strain_shorthand<double>(*shorthand, length);
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail("a shorthand as pcc, or a mapping from strain components to bases");
    return strain;
  }
  if (cursor.has_key("kirchhoff")) {  // nothing stands beside it
    const auto map = cursor.map(k_kirchhoff_table);
    const auto basis = map ? read_basis(*map->at("kirchhoff")) : std::nullopt;
    if (basis) strain[kappa_x] = strain[kappa_y] = strain[kappa_z] = basis;
    return strain;
  }
  const auto map = cursor.map(k_strain_table);
  for (int component = 0; map && component < 6; ++component) {
    const auto value = map->at(strain_component_name(component));
    if (value) strain[component] = read_basis(*value);
  }
  return strain;
}

std::optional<HyperelasticLawT<double>> read_law(const YamlMap& map, const std::string& name) {
  const auto cursor = map.at(name);
  if (!cursor) return std::nullopt;
  HyperelasticLawT<double> law;
  if (cursor->kind() == YamlNode::Kind::map) {
    const auto tanh = cursor->map(k_tanh_table);
    const auto values = tanh ? tanh->numbers("tanh") : std::nullopt;
    if (values) law.tanh = {{(*values)[0], (*values)[1], (*values)[2]}};
  } else if (cursor->kind() == YamlNode::Kind::list) {
    law.polynomial = cursor->numbers(key::numbers("", 0)).value_or(std::vector<double>());
  } else {
    cursor->fail(k_hyperelastic_table.find(name)->expected());
  }
  return law;
}

/// The material that the body names; false, and an error was reported, if it cannot be a rod's.
bool read_rod_material(const YamlMap& map, NamedMaterials& materials, RodMaterial& material) {
  const auto name = map.text("material");
  if (!name) return !map.has("material");  // some rods need none
  const auto found = materials.find(*name);
  if (found == materials.end()) {
    std::vector<std::string> names;
    for (const auto& entry : materials) names.push_back(entry.first);
    const std::string known = names.empty() ? "a name from materials, which has none" : join_or(names);
    map.fail("material", "'" + *name + "'", known + did_you_mean(*name, names));
    return false;
  }
  found->second.used = true;
  const std::string& model = found->second.model;
  if (found->second.good && model != "linear" && model != "neo_hookean") {
    map.fail("material", "'" + *name + "' of model " + model, "a linear or neo_hookean material for a rod");
    return false;
  }
  material = found->second.material;
  return found->second.good;
}

/// Keys that the rod's other keys leave without effect.
void warn_of_idle_keys(const YamlMap& map, const RodParameters& rod, std::vector<std::string>& warnings) {
  const auto warn = [&warnings](const YamlCursor& cursor, const char* why) {
    warnings.push_back(cursor.mark().text() + ": " + cursor.path() + ": " + why);
  };
  for (const char* name : {"shear_factor", "torsion_constant"}) {
    if (map.has("stiffness") && map.has(name)) warn(*map.at(name), "has no effect beside stiffness");
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

NamedMaterial read_material(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  NamedMaterial result;
  result.model = map.variant();
  RodMaterial& material = result.material;
  const auto density = map.number("density");
  if (result.model == "neo_hookean") {
    material = RodMaterial::neo_hookean(0.0, map.number("c1").value_or(1.0));
    map.number("lame_lambda");
  } else if (result.model == "linear" || result.model == "st_venant_kirchhoff") {
    material.young_modulus = map.number("young_modulus");
    material.poisson_ratio = map.number("poisson_ratio").value_or(0.5);
  } else {  // mooney_rivlin, yeoh: for volumes
    for (const char* name : {"c1", "c2"}) map.number(name);
    if (result.model == "yeoh") map.number("c3");
  }
  material.density = density;
  material.damping_time = map.number("damping_time");
  material.viscosity = map.number("viscosity");
  if (map.has("damping_time") && map.has("viscosity")) {
    map.fail("viscosity", "it beside damping_time", "at most one of the two");
  }
  result.good = map.cursor().errors().count() == errors_before;
  return result;
}

std::shared_ptr<const RodBody> read_rod(const YamlMap& map, NamedMaterials& materials,
                                        std::vector<std::string>& warnings) {
  FileErrors& errors = map.cursor().errors();
  const std::size_t errors_before = errors.count();
  RodParameters rod;
  rod.length = map.number("length").value_or(1.0);
  rod.sections = static_cast<int>(map.integer("sections").value_or(rod.sections));
  const bool has_section = map.has("section");
  if (const auto section = map.map("section")) rod.section = read_section(*section);
  const bool has_material = read_rod_material(map, materials, rod.material);
  if (const auto strain = map.at("strain")) rod.strain = read_strain(*strain, rod.length);
  if (const auto rest = map.map("rest_strain")) {
    for (int component = 0; component < 6; ++component) {
      rod.rest_strain[component] = read_profile(*rest, strain_component_name(component));
    }
  }
  rod.stiffness = read_profiles<6>(map, "stiffness", "N m^2, N");
  if (const auto values = map.numbers("mass_per_length")) rod.mass_per_length = Profile(*values);
  rod.rotary_inertia = read_profiles<3>(map, "rotary_inertia", "kg m");
  rod.shear_factor = map.number("shear_factor").value_or(1.0);
  if (const auto values = map.numbers("torsion_constant")) rod.torsion_constant = Profile(*values);
  if (const auto hyperelastic = map.map("hyperelastic")) {
    rod.hyperelastic_stretch = read_law(*hyperelastic, "stretch");
    rod.hyperelastic_bend = read_law(*hyperelastic, "bend");
  }
  check_visual(map);
  warn_of_idle_keys(map, rod, warnings);

  const bool needs_section =
      !map.has("mass_per_length") || !map.has("rotary_inertia") || !map.has("stiffness") || rod.material.viscosity;
  if (!has_section && needs_section) {
    map.fail("section", "nothing", "a mapping with shape, or all of stiffness, mass_per_length and rotary_inertia");
  }
  if (!has_material || errors.count() > errors_before) return nullptr;
  try {
    return std::make_shared<const RodBody>(rod);
  } catch (const ModelError& error) {
    fail_inside(map.cursor(), error.what());
    return nullptr;
  }
}

}  // namespace cuttle
