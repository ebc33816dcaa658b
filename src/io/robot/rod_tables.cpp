// What rods are made of: cross-sections, strain, and the rod itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cuttle/io/yaml_tree.h"
#include "io/robot/robot_tables.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {

using namespace key;

namespace {

Key lengths(const char* key_name) { return required(profile(key_name, 0, k_length_range, "m")); }
Key section_moment(const char* key_name, const char* unit, const char* about) {
  return required(profile(key_name, 0, k_positive, unit)).about(about);
}
const KeyTable k_circle{.keys = {lengths("radius").about("Radius.")}};
const KeyTable k_annulus{
    .keys = {lengths("radius").about("Outer radius."),
             required(profile("inner_radius", 0, k_not_negative, "m")).about("Inner radius, below the outer one.")}};
const KeyTable k_ellipse{
    .keys = {lengths("radius_x").about("Half axis along x."), lengths("radius_y").about("Half axis along y.")}};
const KeyTable k_rectangle{.keys = {lengths("width").about("Edge along x."), lengths("height").about("Edge along y.")}};
const KeyTable k_general_section{
    .keys = {section_moment("area", "m^2", "Area A."),
             section_moment("Ix", "m^4", "Integral of y^2 over the section: bending about x."),
             section_moment("Iy", "m^4", "Integral of x^2 over the section: bending about y."),
             section_moment("Jz", "m^4",
                            "Polar moment, for torsion and rotary inertia; it is Ix + Iy in the other shapes.")}};

constexpr NumberRange k_order_range = from_to(0, 100);
const KeyTable k_no_parameters{.keys = {}};
const KeyTable k_order_parameter{
    .keys = {
        required(integer("order", k_order_range)).about("Highest order m: m + 1 functions, for `fourier` 2 m + 1.")}};
const KeyTable k_gaussian{
    .keys = {required(profile("centers", 0, k_any_number, "m")).about("Where the bells are, from the rod's base."),
             required(profile("widths", 0, k_positive, "m")).about("As many widths: exp(-((s - center) / width)^2).")}};
const KeyTable k_hermite{.keys = {required(integer("nodes", from_to(2, 100)))
                                      .about("Nodes at equal spacing; the coordinates are value and slope at each.")}};
const KeyTable k_piecewise{
    .keys = {required(profile("breaks", 0, k_positive, "m"))
                 .about("Points inside the rod where the strain may jump; n breaks make n + 1 functions.")}};

const char* const k_basis_meaning = "a basis, as constant or {basis: legendre, order: 2}";
Key basis(const char* key_name, const char* about) {
  return other(key_name, k_basis_meaning, {choice("", {"constant"}), map("", k_basis_variants)})
      .about(about)
      .if_missing("keeps its rest value");
}
Key rest(const char* key_name, const char* unit, const char* about, const char* value,
         NumberRange range = k_any_number) {
  return profile(key_name, 0, range, unit).about(about).by_default(value);
}
Key law(const char* key_name, const char* meaning, const char* about) {
  return other(key_name, meaning, {numbers("", 0, k_unit_of_use), map("", k_tanh_table)})
      .about(about)
      .if_missing("linear, from the material");
}
Key factors(const char* key_name, const char* unit) {
  return numbers(key_name, 0, unit).about("c1, c2, ..").if_missing("none: it stays as at rest");
}
/// List of `count` profiles.
Key profiles(const char* key_name, int count, const char* meaning, const char* unit) {
  Key key = other(key_name, meaning, {list(count, profile("", 0, k_not_negative, unit))});
  key.unit = unit;
  return key;
}

constexpr int k_most_pieces = 100;

/// To who writes `sections`: here they were Gauss points, elsewhere they are pieces of constant strain. Says how to
/// write either, for the number and the length that stand there.
std::string instead_of_sections(const YamlNode& rod) {
  const auto number_at = [&rod](const char* name) {
    const YamlEntry* entry = rod.find(name);
    const bool scalar = entry != nullptr && entry->value.kind() == YamlNode::Kind::scalar;
    const auto number = scalar ? parse_yaml_number(entry->value.scalar()) : std::nullopt;
    return number ? number->value : NAN;
  };
  const double sections = number_at("sections"), length = number_at("length");
  const bool known = sections >= 1 && sections <= k_most_pieces && sections == std::floor(sections);
  const std::string n = known ? fmt::format("{:g}", sections) : "N";
  std::string text = fmt::format(
      "quadrature: {{points: {0}}} for {0} Gauss points, or, for {0} pieces of constant "
      "strain, pieces: {0} beside a shorthand as strain: pcs",
      n);
  if (!known || sections < 2 || !(length > 0)) return text;
  std::vector<std::string> breaks;
  for (int i = 1; i < sections; ++i) breaks.push_back(fmt::format("{:.9g}", i * length / sections));
  return text + fmt::format(", which is {{basis: piecewise, breaks: [{}]}} of each component", fmt::join(breaks, ", "));
}

}  // namespace

const std::vector<std::string> k_torsion_constants{"saint_venant", "polar"};
const std::vector<std::string> k_strain_shorthands{"pcc", "planar_cc", "pcs", "pac", "pgc", "kirchhoff"};

Key material_key() {
  return other("material", "the name of a material or a mapping", {name(""), map("", k_material_variants)});
}
const KeyVariants k_section_variants{
    .name = "section",
    .selector = "shape",
    .fixed = {{"circle", &k_circle, "Full circle.", "{shape: circle, radius: [0.02, 0.01]}"},
              {"annulus", &k_annulus, "Tube.", "{shape: annulus, radius: 0.02, inner_radius: 0.015}"},
              {"ellipse", &k_ellipse, "Ellipse with its axes along x and y.",
               "{shape: ellipse, radius_x: 0.03, radius_y: [0.02, 0.01]}"},
              {"rectangle", &k_rectangle, "Rectangle with its edges along x and y.",
               "{shape: rectangle, width: 0.04, height: 0.002}"},
              {"general", &k_general_section, "Any shape, by its moments about the centroid.",
               "{shape: general, area: 1.2e-3, Ix: 1.0e-7, Iy: 2.0e-7, Jz: 2.5e-7}"}}};
const KeyVariants k_basis_variants{
    .name = "basis",
    .selector = "basis",
    .fixed = {
        {"constant", &k_no_parameters, "One constant function; `constant` alone says the same.", "{basis: constant}"},
        {"monomial", &k_order_parameter, "1, t, .., t^m.", "{basis: monomial, order: 1}"},
        {"legendre", &k_order_parameter, "Legendre polynomials shifted to [0, 1]; the best conditioned.",
         "{basis: legendre, order: 2}"},
        {"chebyshev", &k_order_parameter, "Chebyshev polynomials of the first kind shifted to [0, 1].",
         "{basis: chebyshev, order: 2}"},
        {"fourier", &k_order_parameter, "1, sin 2 pi t, cos 2 pi t, .., cos 2 pi m t.", "{basis: fourier, order: 1}"},
        {"gaussian", &k_gaussian, "1, and a bell at each center.",
         "{basis: gaussian, centers: [0.1, 0.2], widths: [0.05, 0.05]}"},
        {"hermite", &k_hermite, "Cubic Hermite splines.", "{basis: hermite, nodes: 3}"},
        {"piecewise", &k_piecewise, "Constant on each piece.", "{basis: piecewise, breaks: [0.1, 0.2]}"}}};
const KeyTable k_strain_table{
    .name = "strain",
    .keys = {basis("kappa_x", "Bending about x."), basis("kappa_y", "Bending about y."), basis("kappa_z", "Torsion."),
             basis("sigma_x", "Shear along x."), basis("sigma_y", "Shear along y."), basis("sigma_z", "Stretch.")},
    .example = "{kappa_x: constant, kappa_y: {basis: legendre, order: 2}, sigma_z: constant}"};
const KeyTable k_kirchhoff_table{
    .name = "kirchhoff strain",
    .keys =
        {required(other("kirchhoff", k_basis_meaning, {choice("", {"constant"}), map("", k_basis_variants)}))
             .about(
                 "One basis for kappa_x, kappa_y and kappa_z, and for nothing else: a rod without shear and stretch.")},
    .example = "{kirchhoff: {basis: legendre, order: 3}}"};
const KeyTable k_rest_strain_table{
    .name = "rest strain",
    .keys = {rest("kappa_x", "1/m", "Curvature about x.", "0"), rest("kappa_y", "1/m", "Curvature about y.", "0"),
             rest("kappa_z", "1/m", "Twist about z.", "0"), rest("sigma_x", k_dimensionless, "Shear along x.", "0"),
             rest("sigma_y", k_dimensionless, "Shear along y.", "0"),
             rest("sigma_z", k_dimensionless, "Stretch: length per rest length.", "1", k_positive)},
    .example = "{kappa_y: [0, 2, 0]}"};
const KeyTable k_stiffening_table{.name = "stiffening",
                                  .keys = {factors("kappa_x", "m^k"), factors("kappa_y", "m^k"),
                                           factors("kappa_z", "m^k"), factors("sigma_x", k_dimensionless),
                                           factors("sigma_y", k_dimensionless), factors("sigma_z", k_dimensionless)},
                                  .example = "{kappa_y: [0, 4.0e-3], sigma_z: [0.5]}"};
const KeyTable k_hyperelastic_table{
    .name = "hyperelastic",
    .keys = {law("stretch", "a list of numbers [J], or {tanh: [a1, a2, a3]}",
                 "Stiffness k(e) [J] of the rod's elongation e = q_sz / L: `[k0, k1, ..]` is k0 + k1 e^2 + .."),
             law("bend", "a list of numbers [J/rad^2], or {tanh: [a1, a2, a3]}",
                 "Stiffness k(b) [J/rad^2] of the bending angle b: `[k0, k1, ..]` is k0 + k1 b^2 + ..")},
    .example = "{stretch: [40, 12], bend: {tanh: [0.3, 0.2, 1.5]}}"};
const KeyTable k_tanh_table{
    .name = "tanh law",
    .keys = {required(numbers("tanh", 3, k_unit_of_use)).about("a1, a2 and a3 of the stiffness a1 + a2 tanh^2(a3 x).")},
    .example = "{tanh: [0.3, 0.2, 1.5]}"};

const KeyTable k_rod_quadrature_table{
    .name = "rod quadrature",
    .keys = {integer("points", from_to(1, 1000))
                 .about("Gauss-Legendre points along the rod that all its integrals use; with a piecewise strain along "
                        "each piece.")
                 .by_default("10")},
    .example = "{points: 20}"};

const KeyTable k_rod_body{
    .keys =
        {required(number("length", k_length_range, "m")).about("Length L at rest."),
         map("section", k_section_variants)
             .about("Shape of the cross-section; each of its sizes a number, `[base, tip]` or a list at equal spacing.")
             .if_missing("needed, unless `stiffness`, `mass_per_length` and `rotary_inertia` are all given"),
         material_key()
             .about("Name of a [material](#material), or one of its own.")
             .if_missing("needed, unless `stiffness`, `mass_per_length` and `rotary_inertia` are all given"),
         map("quadrature", k_rod_quadrature_table)
             .about("How finely the rod is computed; `cuttle info` tells whether it is enough.")
             .by_default("{}", "10 points"),
         other("strain", "a shorthand as pcc, or a mapping from strain components to bases",
               {choice("", k_strain_shorthands), map("", k_kirchhoff_table), map("", k_strain_table)})
             .about("How the rod can deform: a shorthand, or a [basis](#basis) for each strain component that varies.")
             .by_default("{}", "no coordinates: the rod is rigid"),
         integer("pieces", from_to(1, k_most_pieces))
             .about(
                 "Beside a shorthand of constant strain (`pcc`, `planar_cc`, `pcs`, `kirchhoff`): equal pieces of the "
                 "rod, each with a strain of its own, as `breaks` of the basis `piecewise` that move with `length`. "
                 "They are what the literature calls sections.")
             .if_missing("one"),
         map("rest_strain", k_rest_strain_table).about("Strain of the stress-free rod.").by_default("{}", "straight"),
         profiles("stiffness", 6, "a list of 6 numbers >= 0, pairs or lists [N m^2, N]", "N m^2, N")
             .about("Bending about x and y, torsion, shear along x and y, stretch; each a number, `[base, tip]` or a "
                    "list at equal spacing.")
             .if_missing(
                 "diag(E Ix, E Iy, G Jt, k G A, k G A, E A) of section and material, with k the `shear_factor` and Jt "
                 "the `torsion_constant`"),
         profiles("damping", 6, "a list of 6 numbers >= 0, pairs or lists [N m^2 s, N s]", "N m^2 s, N s")
             .about(
                 "Damping of the section by component, instead of that of the material: moments and forces for unit "
                 "rates of the strains, in the order of `stiffness`; each a number, `[base, tip]` or a list at equal "
                 "spacing.")
             .if_missing("that of the material"),
         map("stiffening", k_stiffening_table)
             .about("Section stiffness as a polynomial of the strain, by component: at the strain e beyond rest the "
                    "moment or force is (1 + c1 e + c2 e^2 + ..) times that of the stiffness at rest, which "
                    "`damping_time` "
                    "goes on multiplying.")
             .by_default("{}", "linear elasticity"),
         profile("mass_per_length", 0, k_positive, "kg/m").about("Mass per length.").if_missing("density times area"),
         profiles("rotary_inertia", 3, "a list of 3 numbers >= 0, pairs or lists [kg m]", "kg m")
             .about("Rotary inertia per length about x, y and z.")
             .if_missing("density times Ix, Iy and Jz"),
         number("shear_factor", k_positive, k_dimensionless)
             .about("Shear correction factor of the stiffness.")
             .by_default("1"),
         other("torsion_constant", "saint_venant, polar, or a number > 0 or a list of them [m^4]",
               {choice("", k_torsion_constants), profile("", 0, k_positive, "m^4")})
             .about(
                 "Jt of the torsional stiffness G Jt and of the damping by `viscosity`: that of a section that warps "
                 "freely, "
                 "of one that stays plane (Jz), or values of your own.")
             .by_default("saint_venant"),
         map("hyperelastic", k_hyperelastic_table)
             .about("Stiffness that depends on the strain; replaces that of kappa_x, kappa_y and sigma_z in rods of "
                    "constant strain.")
             .by_default("{}", "linear elasticity"),
         visual_key()},
    .former = {{"sections", "a word of two meanings", instead_of_sections}}};

}  // namespace cuttle
