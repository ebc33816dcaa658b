// The materials of a robot file, a line each, and how bodies name them.
#include <algorithm>
#include <array>
#include <type_traits>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_material.h"
#include "cuttle/model/spelling.h"
#include "io/kinds/kind_list.h"
#include "io/robot/materials.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"
#include "io/robot/robot_tables.h"
#include "spatial/number_text.h"

namespace cuttle {

using namespace key;

namespace {

constexpr std::array k_model_names{"linear", "neo_hookean", "mooney_rivlin", "yeoh", "st_venant_kirchhoff"};

KeyTable material(std::vector<Key> own) {
  std::vector<Key> keys = material_keys(std::move(own));
  keys.push_back(number("viscosity", k_not_negative, "Pa s")
                     .about("Damping by viscosity, instead of `damping_time`: viscosity diag(3 Ix, 3 Iy, Jt, A, A, 3 "
                            "A) per length of a rod.")
                     .if_missing("none"));
  return {.keys = std::move(keys), .rules = {{KeyRule::Kind::at_most_one, {"damping_time", "viscosity"}}}};
}

Key young_modulus() { return number("young_modulus", k_positive, "Pa").about("Young's modulus E."); }
Key poisson_ratio(NumberRange range) {
  return number("poisson_ratio", range, k_dimensionless)
      .about("Poisson's ratio nu; the shear modulus is E / (2 (1 + nu)). 0.5 means incompressible.");
}
Key first_modulus(const char* about) { return required(number("c1", k_positive, "Pa")).about(about); }

const KeyTable k_linear_material =
    material({young_modulus().if_missing("that of `shear_modulus` and `poisson_ratio`; else not said, and rods need it "
                                         "unless they give `stiffness`"),
              poisson_ratio({-1.0, 0.5, true, false}).if_missing("0.5, or what both moduli say"),
              number("shear_modulus", k_positive, "Pa")
                  .about("Shear modulus G, beside `young_modulus` (then nu = E / (2 G) - 1, so G is at least E / 3) or "
                         "beside `poisson_ratio` (then E = 2 G (1 + nu)), not beside both.")
                  .if_missing("E / (2 (1 + nu))")});
const KeyTable k_neo_hookean =
    material({first_modulus("Energy density c1 (I1 - 3). A rod takes E = 6 c1 and Poisson's ratio 0.5."),
              number("lame_lambda", k_not_negative, "Pa")
                  .about("Resistance to changes of volume, for volumes; rods ignore it.")
                  .if_missing("volume is preserved")});
const KeyTable k_mooney_rivlin = material({first_modulus("Energy density c1 (I1 - 3) + c2 (I2 - 3)."),
                                           required(number("c2", k_not_negative, "Pa")).about("See `c1`.")});
const KeyTable k_yeoh = material({first_modulus("Energy density c1 (I1 - 3) + c2 (I1 - 3)^2 + c3 (I1 - 3)^3."),
                                  number("c2", k_any_number, "Pa").about("See `c1`.").if_missing("0"),
                                  number("c3", k_any_number, "Pa").about("See `c1`.").if_missing("0")});
const KeyTable k_st_venant_kirchhoff =
    material({required(young_modulus()), required(poisson_ratio({-1.0, 0.5, true, true}))});

template <typename S>
using Read = std::optional<MaterialT<S>>;
template <typename S>
using ModelOf = typename MaterialT<S>::Model;

template <typename S>
S poisson_ratio_or_half(const KeyReader<S>& at) {
  return at.map().template number_or<S>("poisson_ratio", 0.5).value_or(S(0.5));
}
template <typename S>
Read<S> read_linear(const KeyReader<S>& at) {
  if (const auto G = at.optional_number("shear_modulus")) {
    MaterialT<S> material{.model = ModelOf<S>::linear};
    const auto E = at.optional_number("young_modulus");
    if (E && at.has("poisson_ratio")) {
      at.map().fail("shear_modulus", "it beside young_modulus and poisson_ratio", "at most two of the three");
    } else if (E) {
      material.young_modulus = E, material.poisson_ratio = *E / (*G + *G) - S(1.0);
      if (any(material.poisson_ratio > S(0.5))) {
        at.fail("shear_modulus",
                "a number >= young_modulus / 3 = " + number_text(*E / S(3.0)) + " [Pa], where poisson_ratio is 0.5");
      }
    } else {
      material.poisson_ratio = poisson_ratio_or_half(at);
      material.young_modulus = S(2.0) * *G * (S(1.0) + material.poisson_ratio);
    }
    return material;
  }
  return MaterialT<S>{.model = ModelOf<S>::linear,
                      .young_modulus = at.optional_number("young_modulus"),
                      .poisson_ratio = poisson_ratio_or_half(at)};
}
template <typename S>
Read<S> read_neo_hookean(const KeyReader<S>& at) {
  return MaterialT<S>{
      .model = ModelOf<S>::neo_hookean, .c1 = at.number("c1"), .lame_lambda = at.optional_number("lame_lambda")};
}
template <typename S>
Read<S> read_mooney_rivlin(const KeyReader<S>& at) {
  return MaterialT<S>{.model = ModelOf<S>::mooney_rivlin, .c1 = at.number("c1"), .c2 = at.number("c2")};
}
template <typename S>
Read<S> read_yeoh(const KeyReader<S>& at) {
  return MaterialT<S>{.model = ModelOf<S>::yeoh,
                      .c1 = at.number("c1"),
                      .c2 = at.optional_number("c2").value_or(S(0.0)),
                      .c3 = at.optional_number("c3").value_or(S(0.0))};
}
template <typename S>
Read<S> read_st_venant_kirchhoff(const KeyReader<S>& at) {
  return MaterialT<S>{.model = ModelOf<S>::st_venant_kirchhoff,
                      .young_modulus = at.number("young_modulus"),
                      .poisson_ratio = at.number("poisson_ratio")};
}

void write_linear(const Material& material, MapWriter& map) {
  map.number("young_modulus", material.young_modulus);
  map.number("poisson_ratio", material.poisson_ratio, 0.5);
}
void write_neo_hookean(const Material& material, MapWriter& map) {
  map.number("c1", material.c1);
  map.number("lame_lambda", material.lame_lambda);
}
void write_mooney_rivlin(const Material& material, MapWriter& map) {
  map.number("c1", material.c1);
  map.number("c2", material.c2);
}
void write_yeoh(const Material& material, MapWriter& map) {
  write_mooney_rivlin(material, map);
  map.number("c3", material.c3);
}
void write_st_venant_kirchhoff(const Material& material, MapWriter& map) {
  map.number("young_modulus", material.young_modulus);
  map.number("poisson_ratio", material.poisson_ratio);
}

/// The material of the link whose body is written; null: it names none.
const Material* named_material(const MapWriter& body) {
  const WriteContext& context = body.context();
  if (context.material.empty()) return nullptr;
  const auto& materials = context.robot->materials;
  const auto found = materials.find(context.material);
  if (found != materials.end()) return &found->second;
  std::vector<std::string> names;
  names.reserve(materials.size());
  for (const auto& entry : materials) names.push_back(entry.first);
  throw ModelError("material", "'" + context.material + "'",
                   names.empty() ? "a name from materials, which has none" : one_of(context.material, names));
}

[[noreturn]] void refuse_material(const MapWriter& body) {
  throw ModelError("material", "'" + body.context().material + "', of which the body is not made",
                   "the name of the material that it is made of, or none");
}

bool same(const RodMaterial& a, const RodMaterial& b) {
  return a.density == b.density && a.young_modulus == b.young_modulus && a.poisson_ratio == b.poisson_ratio &&
         a.damping_time == b.damping_time && a.viscosity == b.viscosity;
}
bool same(const VolumeMaterial& a, const VolumeMaterial& b) {
  if (a.damping_time != b.damping_time || a.law != b.law) return false;
  if (a.law) return true;
  if (a.model != b.model) return false;
  using Law = VolumeMaterial::Model;
  if (a.model == Law::st_venant_kirchhoff) {
    return a.young_modulus == b.young_modulus && a.poisson_ratio == b.poisson_ratio;
  }
  return a.c1 == b.c1 && (a.model != Law::neo_hookean || a.lame_lambda == b.lame_lambda) &&
         (a.model == Law::neo_hookean || a.c2 == b.c2) && (a.model != Law::yeoh || a.c3 == b.c3);
}

}  // namespace

template <>
KindList<MaterialKind>& kinds() {
  static KindList<MaterialKind> k_kinds(
      "material",
      {
          {"linear", &k_linear_material, "Linear elasticity: for rods.",
           "{density: 1070, young_modulus: 5.0e5, poisson_ratio: 0.4, damping_time: 0.1}", read_linear<double>,
           read_linear<ForwardDual>, write_linear},
          {"neo_hookean", &k_neo_hookean, "Rubber; a rod uses it linearized.",
           "{model: neo_hookean, density: 1070, c1: 8.3e4, viscosity: 300}", read_neo_hookean<double>,
           read_neo_hookean<ForwardDual>, write_neo_hookean},
          {"mooney_rivlin", &k_mooney_rivlin, "Rubber, for volumes: rods refuse it.",
           "{model: mooney_rivlin, density: 1070, c1: 5.0e4, c2: 1.0e4}", read_mooney_rivlin<double>,
           read_mooney_rivlin<ForwardDual>, write_mooney_rivlin},
          {"yeoh", &k_yeoh, "Rubber, for volumes: rods refuse it.",
           "{model: yeoh, density: 1070, c1: 1.1e5, c2: 2.0e4}", read_yeoh<double>, read_yeoh<ForwardDual>, write_yeoh},
          {"st_venant_kirchhoff", &k_st_venant_kirchhoff,
           "Linear in the Green-Lagrange strain, for volumes: rods refuse it.",
           "{model: st_venant_kirchhoff, density: 1070, young_modulus: 5.0e5, poisson_ratio: 0.4}",
           read_st_venant_kirchhoff<double>, read_st_venant_kirchhoff<ForwardDual>, write_st_venant_kirchhoff},
      },
      "model");
  return k_kinds;
}

void register_kind(MaterialKind kind) { kinds<MaterialKind>().add(std::move(kind)); }

const KeyVariants k_material_variants{
    .name = "material", .selector = "model", .fallback = "linear", .registered = registered_variants<MaterialKind>};

std::vector<Key> material_keys(std::vector<Key> own) {
  own.insert(own.begin(),
             number("density", k_positive, "kg/m^3")
                 .about("Mass per volume.")
                 .if_missing("not said; rods need it unless they give `mass_per_length` and `rotary_inertia`"));
  own.push_back(number("damping_time", k_not_negative, "s")
                    .about("Kelvin-Voigt damping: the damping is this time multiplied by the stiffness; of volumes by "
                           "that against changes of shape, 2 mu.")
                    .by_default("0"));
  return own;
}

template <typename S>
std::string material_type(const MaterialT<S>& material) {
  return material.law ? material.law->type_name() : k_model_names.at(static_cast<std::size_t>(material.model));
}

template <typename S>
ReadMaterialT<S>* find_material(const PartReader<S>& body) {
  const YamlMap& map = body.map();
  ReadMaterialsT<S>& materials = body.robot().materials;
  const auto place = map.at("material");
  if (!place) return nullptr;
  if (place->kind() == YamlNode::Kind::map) {
    const auto own = place->map(k_material_variants);
    if (!own) return nullptr;
    materials.own.push_back(read_material<S>(*own, body.files()));
    materials.own.back().used = true;
    return &materials.own.back();
  }
  const auto name = map.text("material");
  if (!name) return nullptr;
  const auto found = materials.named.find(*name);
  if (found == materials.named.end()) {
    std::vector<std::string> names;
    for (const auto& entry : materials.named) names.push_back(entry.first);
    const std::string known = names.empty() ? "a name from materials, which has none" : one_of(*name, names);
    map.fail("material", "'" + *name + "'", known);
    return nullptr;
  }
  found->second.used = true;
  return &found->second;
}

template <typename S>
ReadMaterialT<S> read_material(const YamlMap& map, NamedFiles& files) {
  const std::size_t errors_before = map.cursor().errors().count();
  ReadMaterialT<S> result;
  if (auto material = read_kind<MaterialKind>(KeyReader<S>(map, files))) result.material = std::move(*material);
  MaterialT<S>& material = result.material;
  material.density = map.number<S>("density");
  if (map.knows("viscosity") && map.has("viscosity")) {
    material.damping_time = map.number<S>("damping_time");
    material.viscosity = map.number<S>("viscosity");
  } else {
    material.damping_time = map.optional_number<S>("damping_time", map.rule("damping_time"), 0.0);
  }
  if (map.has("damping_time") && map.knows("viscosity") && map.has("viscosity")) {
    map.fail("viscosity", "it beside damping_time", "at most one of the two");
  }
  result.good = map.cursor().errors().count() == errors_before;
  return result;
}

void write_material(const Material& material, MapWriter& map) {
  const std::string type = material_type(material);
  const MaterialKind* kind = kinds<MaterialKind>().find(type);
  const bool of_library = std::find(k_model_names.begin(), k_model_names.end(), type) != k_model_names.end();
  if (kind == nullptr || !kind->write || of_library != !material.law) {
    std::vector<std::string> known;
    for (const auto& variant : k_material_variants.variants()) {
      if (kinds<MaterialKind>().of(variant.choice).write) known.push_back(variant.choice);
    }
    refuse_to_write("a material of the model " + type + (of_library ? " that a program made" : ""), join_or(known));
  }
  map.text("model", type, "linear");
  map.number("density", material.density);
  kind->write(material, map);
  map.number("damping_time", material.damping_time);
  map.number("viscosity", material.viscosity);
}

void write_material_of(const RodMaterial& material, MapWriter& body) {
  if (const Material* named = named_material(body)) {
    if (!same(named->of_rod(), material)) refuse_material(body);
    return body.text("material", body.context().material);
  }
  Material own;
  own.density = material.density;
  own.young_modulus = material.young_modulus, own.poisson_ratio = material.poisson_ratio;
  own.damping_time = material.damping_time, own.viscosity = material.viscosity;
  body.map("material", [&](MapWriter& map) { write_material(own, map); });
}

void write_material_of(const VolumeMaterial& material, double density, MapWriter& body) {
  if (const Material* named = named_material(body)) {
    if (!same(named->of_volume(), material) || named->density != density) refuse_material(body);
    return body.text("material", body.context().material);
  }
  using Law = VolumeMaterial::Model;
  Material own;
  own.model = material.model == Law::neo_hookean     ? Material::Model::neo_hookean
              : material.model == Law::mooney_rivlin ? Material::Model::mooney_rivlin
              : material.model == Law::yeoh          ? Material::Model::yeoh
                                                     : Material::Model::st_venant_kirchhoff;
  own.density = density;
  own.young_modulus = material.young_modulus, own.poisson_ratio = material.poisson_ratio;
  own.c1 = material.c1, own.c2 = material.c2, own.c3 = material.c3;
  own.lame_lambda = material.lame_lambda;
  own.damping_time = material.damping_time;
  own.law = material.law;
  body.map("material", [&](MapWriter& map) { write_material(own, map); });
}

#define CUTTLE_INSTANTIATE(S)                                              \
  template std::string material_type<S>(const MaterialT<S>&);              \
  template ReadMaterialT<S> read_material<S>(const YamlMap&, NamedFiles&); \
  template ReadMaterialT<S>* find_material<S>(const PartReader<S>&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
