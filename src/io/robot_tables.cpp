#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const char* const k_visual_meaning = "a mapping or a list of mappings";
const char* const k_at_meaning = "base, tip or {s: number [m]}";
const char* const k_load_at_meaning = "base, tip, {s: number [m]} or {point: [x, y, z]}";
const char* const k_basis_meaning = "a basis, as constant or {basis: legendre, order: 2}";
constexpr NumberRange k_order_range = from_to(0, 100);

Key visual() { return other("visual", k_visual_meaning); }

std::vector<Key> joint_keys(std::vector<Key> keys) {
  keys.push_back(profile("stiffness", 0, k_not_negative, "N m/rad or N/m"));
  keys.push_back(profile("damping", 0, k_not_negative, "N m s/rad or N s/m"));
  keys.push_back(profile("armature", 0, k_not_negative, "kg m^2 or kg"));
  keys.push_back(profile("rest", 0, k_any_number, "rad or m"));
  keys.push_back(visual());
  return keys;
}

std::vector<Key> material_keys(std::vector<Key> keys) {
  keys.insert(keys.begin(), number("density", k_positive, "kg/m^3"));
  keys.push_back(number("damping_time", k_not_negative, "s"));
  keys.push_back(number("viscosity", k_not_negative, "Pa s"));
  return keys;
}

const KeyTable k_fixed_joint{{visual()}};
const KeyTable k_axis_joint{joint_keys({numbers("axis", 3)})};
const KeyTable k_universal_joint{joint_keys({other("axes", "a list of two axes [[x, y, z], [x, y, z]]")})};
const KeyTable k_plain_joint{joint_keys({})};

const KeyTable k_linear_material{
    material_keys({number("young_modulus", k_positive, "Pa"), number("poisson_ratio", {-1.0, 0.5, true, false})})};
const KeyTable k_neo_hookean{
    material_keys({required(number("c1", k_positive, "Pa")), number("lame_lambda", k_not_negative, "Pa")})};
const KeyTable k_mooney_rivlin{
    material_keys({required(number("c1", k_positive, "Pa")), required(number("c2", k_not_negative, "Pa"))})};
const KeyTable k_yeoh{material_keys(
    {required(number("c1", k_positive, "Pa")), number("c2", k_any_number, "Pa"), number("c3", k_any_number, "Pa")})};
const KeyTable k_st_venant_kirchhoff{material_keys(
    {required(number("young_modulus", k_positive, "Pa")), number("poisson_ratio", {-1.0, 0.5, true, true})})};

const KeyTable k_rigid_body{{required(number("mass", k_not_negative, "kg")), numbers("com", 3, "m"),
                             numbers("inertia", 6, "kg m^2"), map("tip", k_pose_table), visual()}};
const KeyTable k_rod_body{
    {required(number("length", k_positive, "m")), map("section", k_section_variants), name("material"),
     integer("sections", from_to(1, 1000)),
     other("strain", "a shorthand as pcc, or a mapping from strain components to bases"),
     map("rest_strain", k_rest_strain_table), other("stiffness", "a list of 6 numbers >= 0, pairs or lists [N m^2, N]"),
     profile("mass_per_length", 0, k_positive, "kg/m"),
     other("rotary_inertia", "a list of 3 numbers >= 0, pairs or lists [kg m]"), number("shear_factor", k_positive),
     profile("torsion_constant", 0, k_positive, "m^4"), map("hyperelastic", k_hyperelastic_table), visual()}};

Key lengths(const char* key_name) { return required(profile(key_name, 2, k_positive, "m")); }
const KeyTable k_circle{{lengths("radius")}};
const KeyTable k_annulus{{lengths("radius"), required(profile("inner_radius", 2, k_not_negative, "m"))}};
const KeyTable k_ellipse{{lengths("radius_x"), lengths("radius_y")}};
const KeyTable k_rectangle{{lengths("width"), lengths("height")}};
const KeyTable k_general_section{
    {required(profile("area", 2, k_positive, "m^2")), required(profile("Ix", 2, k_positive, "m^4")),
     required(profile("Iy", 2, k_positive, "m^4")), required(profile("Jz", 2, k_positive, "m^4"))}};

const KeyTable k_no_parameters{};
const KeyTable k_order_parameter{{required(integer("order", k_order_range))}};
const KeyTable k_gaussian{
    {required(profile("centers", 0, k_any_number, "m")), required(profile("widths", 0, k_positive, "m"))}};
const KeyTable k_hermite{{required(integer("nodes", from_to(2, 100)))}};
const KeyTable k_piecewise{{required(profile("breaks", 0, k_positive, "m"))}};

const KeyTable k_joint_actuator{{required(name("name")), required(name("link")), integer("index", from_to(0, 5))}};
const KeyTable k_linear_actuator{{required(name("name")), required(names("links")),
                                  required(other("matrix", "a list of rows, each a list of numbers"))}};

const KeyTable k_wrench_load{{required(name("link")), other("at", k_load_at_meaning), signals("force", 3, "N"),
                              signals("torque", 3, "N m"), choice("frame", {"world", "body"})}};
const KeyTable k_distributed_load{{required(name("link")), signals("force", 3, "N/m"), signals("torque", 3, "N"),
                                   choice("frame", {"world", "body"})}};

const KeyTable k_step{{required(number("time", k_any_number, "s")), number("before", k_any_number),
                       required(number("after", k_any_number))}};
const KeyTable k_ramp{{required(number("start", k_any_number, "s")), required(number("end", k_any_number, "s")),
                       number("from", k_any_number), required(number("to", k_any_number))}};
const KeyTable k_sine{{required(number("amplitude", k_any_number)), required(number("frequency", k_not_negative, "Hz")),
                       number("phase", k_any_number, "rad"), number("offset", k_any_number)}};
const KeyTable k_points{{required(numbers("time", 0, "s")), required(numbers("value", 0))}};
const KeyTable k_table{{required(text("file")), required(text("column")), boolean("hold")}};

}  // namespace

const KeyTable k_pose_table{{numbers("position", 3, "m"), numbers("rpy", 3, "rad"), numbers("quaternion", 4)}};
const KeyTable k_visual_table{{choice("shape", {"box", "cylinder", "sphere", "mesh"}),
                               numbers("size", 3, "m", k_positive), number("radius", k_positive, "m"),
                               number("length", k_positive, "m"), text("file"), profile("scale", 3, k_positive),
                               other("color", "a color's name or [r, g, b] in [0, 1]"), map("pose", k_pose_table)}};
const KeyTable k_base_table{{choice("motion", {"fixed", "floating"}), map("pose", k_pose_table), visual()}};
const KeyTable k_section_port_table{{required(number("s", k_not_negative, "m"))}};
const KeyTable k_place_table{{number("s", k_not_negative, "m"), numbers("point", 3, "m")}};
const KeyTable k_attach_table{{other("at", k_at_meaning), map("pose", k_pose_table)}};

const KeyVariants k_material_variants{"model",
                                      {{"linear", &k_linear_material},
                                       {"neo_hookean", &k_neo_hookean},
                                       {"mooney_rivlin", &k_mooney_rivlin},
                                       {"yeoh", &k_yeoh},
                                       {"st_venant_kirchhoff", &k_st_venant_kirchhoff}},
                                      "linear"};
const KeyVariants k_joint_variants{"type",
                                   {{"fixed", &k_fixed_joint},
                                    {"revolute", &k_axis_joint},
                                    {"prismatic", &k_axis_joint},
                                    {"cylindrical", &k_axis_joint},
                                    {"universal", &k_universal_joint},
                                    {"spherical", &k_plain_joint},
                                    {"planar", &k_plain_joint},
                                    {"free", &k_plain_joint}}};
const KeyVariants k_body_variants{
    "type", {{"rigid", &k_rigid_body}, {"rod", &k_rod_body}, {"volume", nullptr}, {"continuum_joint", nullptr}}};
const KeyVariants k_section_variants{"shape",
                                     {{"circle", &k_circle},
                                      {"annulus", &k_annulus},
                                      {"ellipse", &k_ellipse},
                                      {"rectangle", &k_rectangle},
                                      {"general", &k_general_section}}};
const KeyVariants k_basis_variants{"basis",
                                   {{"constant", &k_no_parameters},
                                    {"monomial", &k_order_parameter},
                                    {"legendre", &k_order_parameter},
                                    {"chebyshev", &k_order_parameter},
                                    {"fourier", &k_order_parameter},
                                    {"gaussian", &k_gaussian},
                                    {"hermite", &k_hermite},
                                    {"piecewise", &k_piecewise}}};
const KeyTable k_strain_table{{other("kappa_x", k_basis_meaning), other("kappa_y", k_basis_meaning),
                               other("kappa_z", k_basis_meaning), other("sigma_x", k_basis_meaning),
                               other("sigma_y", k_basis_meaning), other("sigma_z", k_basis_meaning)}};
const KeyTable k_kirchhoff_table{{other("kirchhoff", k_basis_meaning)}};
const KeyTable k_rest_strain_table{{profile("kappa_x", 0, k_any_number, "1/m"),
                                    profile("kappa_y", 0, k_any_number, "1/m"),
                                    profile("kappa_z", 0, k_any_number, "1/m"), profile("sigma_x", 0, k_any_number),
                                    profile("sigma_y", 0, k_any_number), profile("sigma_z", 0, k_any_number)}};
const KeyTable k_hyperelastic_table{{other("stretch", "a list of numbers [J], or {tanh: [a1, a2, a3]}"),
                                     other("bend", "a list of numbers [J/rad^2], or {tanh: [a1, a2, a3]}")}};
const KeyTable k_tanh_table{{required(numbers("tanh", 3))}};
const KeyTable k_link_table{{required(name("name")), name("parent"), map("attach", k_attach_table),
                             map("joint", k_joint_variants), map("body", k_body_variants), visual()}};

const KeyVariants k_actuator_variants{
    "type", {{"joint", &k_joint_actuator}, {"linear", &k_linear_actuator}, {"tendon", nullptr}, {"chamber", nullptr}}};
const KeyVariants k_load_variants{
    "type", {{"wrench", &k_wrench_load}, {"distributed", &k_distributed_load}, {"fluid", nullptr}, {"drone", nullptr}}};
const KeyVariants k_signal_variants{
    "type", {{"step", &k_step}, {"ramp", &k_ramp}, {"sine", &k_sine}, {"points", &k_points}, {"table", &k_table}}};

const KeyTable k_robot_table{{required(other("cuttle", "1, the version of the format")), name("name"),
                              numbers("gravity", 3, "m/s^2"), map("base", k_base_table),
                              named_maps("materials", k_material_variants), required(maps("links", k_link_table)),
                              maps("actuators", k_actuator_variants), maps("loads", k_load_variants),
                              other("loops", "an empty list"), visual()}};

}  // namespace cuttle
