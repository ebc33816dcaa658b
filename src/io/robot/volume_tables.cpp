// Soft volumes: shape, material points of the tip, and the body itself.
#include <fmt/format.h>

#include "io/robot/robot_tables.h"
#include "io/robot/volume_so_far.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {

using namespace key;

namespace {

std::string into_quadrature(const YamlNode& mapping, const char* name) {
  return fmt::format("quadrature: {{{}: {}}} of the body", name, yaml_line(mapping.find(name)->value));
}

const KeyTable k_cylinder{
    .keys = {required(number("length", k_length_range, "m")).about("Length L at rest, along z from 0."),
             required(number("radius", k_length_range, "m")).about("Radius."),
             number("inner_radius", k_not_negative, "m").about("Radius of the bore, below `radius`.").by_default("0")}};
const KeyTable k_box{.keys = {required(numbers("size", 3, "m", k_positive))
                                  .about("`[wx, wy, L]`: edges along x and y, centered, and length along z from 0.")}};
const KeyTable k_mesh{
    .keys = {required(text("file"))
                 .about("Mesh of Gmsh (MSH version 2.2 or 4.1, ASCII): 4-node or 10-node tetrahedra [m], all of one "
                        "kind, z from 0 to L. Its path is relative to this file.")},
    .former = {{"rule", "a key that is now in the body's quadrature",
                [](const YamlNode& shape) { return into_quadrature(shape, "rule"); }}}};

}  // namespace

const KeyVariants k_shape_variants{
    .name = "shape",
    .selector = "type",
    .fixed = {{"cylinder", &k_cylinder, "Cylinder about z, hollow if it has an `inner_radius`.",
               "{type: cylinder, length: 0.2, radius: 0.02, inner_radius: 0.01}"},
              {"box", &k_box, "Box along z.", "{type: box, size: [0.03, 0.02, 0.2]}"},
              {"mesh", &k_mesh,
               "Tetrahedra from a file, all its volumes one body; physical groups of surfaces keep their names.",
               "{type: mesh, file: body.msh}"}}};
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

const KeyTable k_volume_quadrature_table{
    .name = "volume quadrature",
    .keys = {integers_key("points", "a list of 3 integers in [1, 1000]", from_to(1, 1000))
                 .about("Points that all integrals use: of a cylinder `[nz, nr, nphi]`, Gauss-Legendre along z and in "
                        "r^2, equal angles; of a box `[nz, nx, ny]`, Gauss-Legendre along the edges.")
                 .if_missing("[10, 3, 8] of a cylinder, [10, 3, 3] of a box; a mesh has a `rule` instead"),
             other("rule", "1, 4 or 14",
                   {integer("", from_to(1, 1)), integer("", from_to(4, 4)), integer("", from_to(14, 14))})
                 .about(
                     "Of a mesh: points of a tetrahedron that all integrals use: 14, exact for polynomials of degree "
                     "5, 4, of degree 2, or 1, its centroid, of degree 1 (not for `fem` with 10-node tetrahedra).")
                 .if_missing("4; 14 of 10-node tetrahedra, whose mass wants degree 4"),
             number("reduce", from_to(1e-7, 0.1), k_dimensionless)
                 .about("A part of these points, chosen once, with weights of their own: much faster, with a known "
                        "error (`cuttle info` says which; seconds the first time, then from the user's cache folder). "
                        "Mass and center of mass stay exact, energy stays consistent with all forces, and the same "
                        "points serve when numbers of the file are varied. The number is the error of all integrals "
                        "over the body - inertial, elastic and damping forces, energy, moment of mass - relative to "
                        "their usual size that this may make: 1e-2 to 1e-5. Where that takes more than half of the "
                        "points, all are kept.")
                 .if_missing("all points"),
             number("strain", from_to(1e-3, 2), k_dimensionless)
                 .about("Beside `reduce`: largest strain at a point up to which the body is looked at.")
                 .by_default("0.3")},
    .example = "{points: [10, 3, 8], reduce: 1e-4, strain: 0.3}"};

const KeyTable k_volume_body{
    .keys = {required(map("shape", k_shape_variants)).about("Shape at rest."),
             required(map("kinematics", k_kinematics_variants)).about("How the points move."),
             required(material_key())
                 .about("Name of a hyperelastic [material](#material), any but `linear`, or one of its own."),
             map("quadrature", k_volume_quadrature_table).about("Which points all integrals use.").by_default("{}"),
             map("tip", k_tip_points_table)
                 .about("Material points (rest positions) that carry the tip frame, where the next link is attached.")
                 .by_default("{}", "center and rim of the far end"),
             visual_key()},
    .former = {{"points", "a key that is now in quadrature",
                [](const YamlNode& volume) { return into_quadrature(volume, "points"); }}}};

}  // namespace cuttle
