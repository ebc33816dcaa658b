// Rods.
#include <fmt/format.h>

#include <algorithm>

#include "io/robot/part_writers.h"
#include "io/robot/robot_tables.h"
#include "io/robot/rod_shapes.h"

namespace cuttle {
namespace {

using Kind = StrainBasis::Kind;
using Strain = std::array<std::optional<StrainBasis>, 6>;

YamlNode profile_node(const Profile& profile) {
  return profile.values.size() == 1 ? number_node(profile.values.front()) : numbers_node(profile.values);
}

template <std::size_t N>
void write_profiles(const char* key, const std::array<Profile, N>& profiles, MapWriter& map) {
  std::vector<YamlNode> items;
  for (std::size_t i = 0; i < N; ++i) {
    items.push_back(at_place({key, i}, "", [&] { return profile_node(profiles[i]); }));
  }
  map.node(key, list_node(std::move(items)));
}

bool same_basis(const std::optional<StrainBasis>& a, const std::optional<StrainBasis>& b) {
  if (!a || !b) return !a && !b;
  return a->kind == b->kind && a->kind != Kind::function && a->order == b->order && a->centers == b->centers &&
         a->widths == b->widths && a->nodes == b->nodes && a->breaks == b->breaks;
}
bool same_strain(const Strain& a, const Strain& b) { return std::equal(a.begin(), a.end(), b.begin(), same_basis); }

YamlNode basis_node(const StrainBasis& basis, WriteContext& context) {
  std::vector<std::string> names;
  for (const BasisKindT<double>& known : basis_kinds<double>()) {
    names.emplace_back(known.name);
    if (known.kind != basis.kind) continue;
    if (known.count == nullptr && known.lists.empty()) return text_node(known.name);
    MapWriter map(context);
    map.text("basis", known.name);
    if (known.count != nullptr) map.integer(known.count, basis.*known.counted);
    for (const auto& list : known.lists) map.numbers(list.key, basis.*list.values);
    return map.take();
  }
  refuse_to_write("a basis of functions", join_or(names));
}

void write_strain(const Strain& strain, double length, MapWriter& map) {
  const int pieces = strain[kappa_y] ? static_cast<int>(strain[kappa_y]->breaks.size()) + 1 : 1;
  for (const std::string& name : k_strain_shorthands) {
    const bool varies = name == "pac" || name == "pgc";
    if (pieces > 1 && (varies || !k_rod_body.find("pieces")->range.contains(pieces))) continue;
    if (!same_strain(strain, strain_shorthand<double>(name, length, pieces))) continue;
    map.text("strain", name);
    return map.integer("pieces", pieces, 1);
  }
  const bool kirchhoff = strain[kappa_x] && same_strain(strain, {strain[kappa_x], strain[kappa_x], strain[kappa_x]});
  map.map("strain", [&](MapWriter& components) {
    for (int component = 0; component < (kirchhoff ? 1 : 6); ++component) {
      if (!strain[component]) continue;
      const char* name = kirchhoff ? "kirchhoff" : strain_component_name(component);
      at_place(name, "", [&] { components.node(name, basis_node(*strain[component], components.context())); });
    }
  });
}

void write_section(const Section& section, MapWriter& map) {
  map.text("shape", section.shape_name());
  for (const auto& size : section.sizes()) map.profile(size.key, (section.*size.value).values);
}

void write_law(const char* key, const std::optional<HyperelasticLawT<double>>& law, MapWriter& map) {
  if (!law) return;
  if (law->tanh) {
    map.map(key, [&](MapWriter& tanh) { tanh.numbers("tanh", {law->tanh->begin(), law->tanh->end()}); });
  } else {
    map.numbers(key, law->polynomial);
  }
}

}  // namespace

void write_rod(const Body& body, MapWriter& map) {
  const auto* rod = dynamic_cast<const RodBody*>(&body);
  if (rod == nullptr) refuse_to_write("another body of type rod", "a RodBody");
  const RodParameters& p = rod->parameters();
  const RodParameters usual;
  map.number("length", p.length);
  if (p.section.is_given()) map.map("section", [&](MapWriter& section) { write_section(p.section, section); });
  write_material_of(p.material, map);
  map.map("quadrature",
          [&](MapWriter& quadrature) { quadrature.integer("points", p.quadrature_points, usual.quadrature_points); });
  write_strain(p.strain, p.length, map);
  map.map("rest_strain", [&](MapWriter& rest) {
    for (int component = 0; component < 6; ++component) {
      rest.profile(strain_component_name(component), p.rest_strain[component].values);
    }
  });
  if (p.stiffness) write_profiles("stiffness", *p.stiffness, map);
  if (p.damping) write_profiles("damping", *p.damping, map);
  map.map("stiffening", [&](MapWriter& stiffening) {
    for (int component = 0; component < 6; ++component) {
      if (!p.stiffening[component].empty()) {
        stiffening.numbers(strain_component_name(component), p.stiffening[component]);
      }
    }
  });
  if (p.mass_per_length) map.profile("mass_per_length", p.mass_per_length->values);
  if (p.rotary_inertia) write_profiles("rotary_inertia", *p.rotary_inertia, map);
  map.number("shear_factor", p.shear_factor, usual.shear_factor);
  if (const auto* values = std::get_if<Profile>(&p.torsion_constant)) {
    map.profile("torsion_constant", values->values);
  } else if (std::get<TorsionConstant>(p.torsion_constant) == TorsionConstant::polar) {
    map.text("torsion_constant", "polar");
  }
  map.map("hyperelastic", [&](MapWriter& laws) {
    write_law("stretch", p.hyperelastic_stretch, laws);
    write_law("bend", p.hyperelastic_bend, laws);
  });
}

}  // namespace cuttle
