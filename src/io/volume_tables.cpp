// Soft volumes: shape, kinematics, material points of the tip, and the body itself.
#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

Key integers(const char* key_name, const char* meaning, NumberRange range) {
  return other(key_name, meaning, {list(3, integer("", range))});
}
Key modes(const char* key_name, const char* about) {
  return other(key_name, "a list of modes, each a list of numbers", {list(-1, numbers("", 0, k_dimensionless))})
      .about(about);
}
KeyTable profile_table(const char* about) { return {.keys = {required(modes("modes", about))}}; }

const KeyTable k_cylinder{
    .keys = {required(number("length", k_length_range, "m")).about("Length L at rest, along z from 0."),
             required(number("radius", k_length_range, "m")).about("Radius."),
             number("inner_radius", k_not_negative, "m").about("Radius of the bore, below `radius`.").by_default("0")}};
const KeyTable k_box{.keys = {required(numbers("size", 3, "m", k_positive))
                                  .about("`[wx, wy, L]`: edges along x and y, centered, and length along z from 0.")}};
const KeyTable k_mesh{
    .keys = {
        required(text("file"))
            .about("Mesh of Gmsh (MSH version 2.2 or 4.1, ASCII): 4-node tetrahedra [m], z from 0 to L. Its path is "
                   "relative to this file."),
        other("rule", "1 or 4", {integer("", from_to(1, 1)), integer("", from_to(4, 4))})
            .about("Points of a tetrahedron that all integrals use: 4, exact for polynomials of degree 2, or 1, its "
                   "centroid, of degree 1.")
            .by_default("4")}};

const KeyTable k_stretch = profile_table("Modes of the elongation e = m [m]; their coordinates are in m.");
const KeyTable k_shear{
    .keys = {required(choice("axis", {"x", "y"})).about("Which way the sections move."),
             required(modes("modes", "Modes of the displacement m [m]; their coordinates are in m."))}};
const KeyTable k_twist = profile_table("Modes of the angle m [rad]; their coordinates are in rad.");
const KeyTable k_bend{
    .keys =
        {modes("x", "Modes of the bending about x; their coordinates are in rad.").by_default("[]", "none"),
         modes("y", "Modes of the bending about y, whose coordinates follow those about x.").by_default("[]", "none")},
    .rules = {{KeyRule::Kind::at_least_one, {"x", "y"}}}};
const KeyTable k_source = profile_table("Modes of c = m [m^2]; their coordinates are in m^2.");

const KeyTable k_lvp{
    .keys = {required(maps("primitives", k_primitive_variants))
                 .about("The [primitives](#primitive), the one that acts first standing first; coordinates in this "
                        "order.")}};
const KeyTable k_ritz{.keys = {required(other("modes", "a list of modes, each a list of {powers, vector}",
                                              {list(-1, maps("", k_term_table))}))
                                   .about("The functions phi_k, each a list of [terms](#term) that are added.")}};

const KeyTable k_fem{
    .keys =
        {integer("modes", from_to(1, 200)).about("Number n of vibration modes, the lowest.").if_missing("none: `full`"),
         boolean("full")
             .about("`true`: instead of modes the displacements of all nodes but those at z = 0, for small meshes; "
                    "coordinates `node<number>.x`, `.y`, `.z`.")
             .if_missing("no: `modes`"),
         boolean("derivatives")
             .about("Adds the static modal derivatives of all pairs of modes, up to n (n + 1) / 2 coordinates more: "
                    "what large deflections do at second order, as the shortening of a bent beam.")
             .by_default("false")},
    .rules = {{KeyRule::Kind::exactly_one, {"modes", "full"}}}};
const KeyTable k_radial{
    .keys = {map("strain", k_radial_strain_table)
                 .about("The backbone's strain that is free, constant along it: as a [rod](#rod)'s with "
                        "`constant` functions, q / L each; kappa_x, kappa_y, sigma_z in this order.")
                 .by_default("{}", "none"),
             numbers("bumps", 0, "rad")
                 .about("Angles, from x towards y, of the middles of the bumps; the coordinates follow those of the "
                        "strain.")
                 .by_default("[]", "none"),
             number("radius", k_positive, "m")
                 .about("Distance from the axis R0 where a bump moves points by b q; it grows in proportion to it.")
                 .if_missing("the radius of the shape, of a box wx / 2")},
    .rules = {{KeyRule::Kind::at_least_one, {"strain", "bumps"}}}};
const KeyTable k_neural{
    .keys = {required(text("file")).about("The [network](#networks), in JSON. Its path is relative to this file.")}};

Key constant(const char* key_name, const char* about) {
  return choice(key_name, {"constant"}).about(about).if_missing("keeps its rest value");
}

}  // namespace

const KeyTable k_radial_strain_table{
    .name = "backbone strain",
    .keys = {constant("kappa_x", "Bending about x, in rad."), constant("kappa_y", "Bending about y, in rad."),
             constant("sigma_z", "Elongation, in m.")},
    .example = "{kappa_y: constant, sigma_z: constant}"};

const KeyVariants k_shape_variants{
    .name = "shape",
    .selector = "type",
    .variants = {{"cylinder", &k_cylinder, "Cylinder about z, hollow if it has an `inner_radius`.",
                  "{type: cylinder, length: 0.2, radius: 0.02, inner_radius: 0.01}"},
                 {"box", &k_box, "Box along z.", "{type: box, size: [0.03, 0.02, 0.2]}"},
                 {"mesh", &k_mesh,
                  "Tetrahedra from a file, all its volumes one body; physical groups of surfaces keep their names.",
                  "{type: mesh, file: body.msh}"}}};
const KeyVariants k_primitive_variants{
    .name = "primitive",
    .selector = "type",
    .variants = {
        {"stretch", &k_stretch, "z + e, sections shrink by sqrt(1 + de/dz).", "{type: stretch, modes: [[0, 1]]}"},
        {"shear", &k_shear, "Sections move along `axis` by m.", "{type: shear, axis: x, modes: [[0, 0, 1]]}"},
        {"twist", &k_twist, "Sections turn about z by m.", "{type: twist, modes: [[0, 1]]}"},
        {"bend", &k_bend,
         "The axis gets the curvature (m_x, m_y) / L and keeps its length; sections stay normal to it.",
         "{type: bend, x: [[1]], y: [[1], [0, 1]]}"},
        {"source", &k_source, "Distances r from the axis become sqrt(r^2 + c): inflates a bore.",
         "{type: source, modes: [[1]]}"}}};
const KeyTable k_term_table{
    .name = "term",
    .keys = {required(integers("powers", "a list of 3 integers in [0, 50]", from_to(0, 50)))
                 .about("`[i, j, k]`, exponents of x, y and z [m]."),
             required(numbers("vector", 3, k_dimensionless)).about("What x^i y^j z^k multiplies.")},
    .example = "{powers: [0, 0, 2], vector: [1, 0, 0]}"};
const KeyVariants k_kinematics_variants{
    .name = "kinematics",
    .selector = "type",
    .variants = {{"lvp", &k_lvp, "A composition of primitives that keep the volume of every part.",
                  "{type: lvp, primitives: [{type: stretch, modes: [[0, 1]]}, {type: bend, x: [[1]], y: [[1]]}]}"},
                 {"ritz", &k_ritz, "p = x + sum of phi_k(x) q_k with polynomials phi_k.",
                  "{type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0, 0]}]]}"},
                 {"fem", &k_fem,
                  "p = x + sum of phi_k(x) q_k with the lowest vibration modes phi_k of a `mesh` that is clamped at "
                  "z = 0, linear in each tetrahedron; q_k is the greatest displacement of a node [m]. For materials "
                  "that resist changes of volume. The modes are computed when the file is read; they depend on the "
                  "ratio of the material's moduli (its Poisson's ratio), and gradients with respect to parameters "
                  "leave that out. Points beside the mesh, as those of the tip, follow the nearest tetrahedron up to "
                  "R from it.",
                  "{type: fem, modes: 8}"},
                 {"radial", &k_radial, "A backbone of constant strain whose sections swell in bumps.",
                  "{type: radial, strain: {kappa_y: constant, sigma_z: constant}, bumps: [0, 3.14159265358979]}"},
                 {"neural", &k_neural, "p = x + w N(x, q) with a network N.", "{type: neural, file: body.json}"}}};
const KeyTable k_tip_points_table{
    .name = "tip points",
    .keys = {numbers("origin", 3, "m").about("Point o, the frame's origin.").if_missing("(0, 0, L)"),
             numbers("a", 3, "m")
                 .about("Point a: the x axis points from o to it.")
                 .if_missing("on the rim: (R, 0, L), of a box (wx / 2, 0, L); R of a mesh is the largest radius"),
             numbers("b", 3, "m")
                 .about("Point b: the z axis is normal to o, a and b.")
                 .if_missing("on the rim: (0, R, L), of a box (0, wy / 2, L)")},
    .example = "{origin: [0, 0, 0.2], a: [0.01, 0, 0.2], b: [0, 0.01, 0.2]}"};

const KeyTable k_volume_body{
    .keys = {required(map("shape", k_shape_variants)).about("Shape at rest."),
             required(map("kinematics", k_kinematics_variants)).about("How the points move."),
             required(name("material")).about("Name of a hyperelastic [material](#material): any but `linear`."),
             integers("points", "a list of 3 integers in [1, 1000]", from_to(1, 1000))
                 .about("Points that all integrals use: of a cylinder `[nz, nr, nphi]`, Gauss-Legendre along z and in "
                        "r^2, equal angles; of a box `[nz, nx, ny]`, Gauss-Legendre along the edges.")
                 .if_missing("[10, 3, 8] of a cylinder, [10, 3, 3] of a box; a mesh has a `rule` instead"),
             map("tip", k_tip_points_table)
                 .about("Material points (rest positions) that carry the tip frame, where the next link is attached.")
                 .by_default("{}", "center and rim of the far end"),
             visual_key()}};

}  // namespace cuttle
