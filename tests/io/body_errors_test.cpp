// Every kind of error in the bodies and materials of a robot file, with its wording and its place.
#include <gtest/gtest.h>

#include <string>

#include "io/mistake.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class BodyMistake : public MistakeTest {};

TEST_P(BodyMistake, IsReportedAtItsPlace) { expect_error(); }

std::string body(const std::string& text) { return link("{name: a, body: {" + text + "}}"); }

INSTANTIATE_TEST_SUITE_P(
    RigidBodies, BodyMistake,
    testing::Values(
        Mistake{"NoType", body("mass: 1"),
                "r.yaml:3:21: links[0].body.type: found nothing, expected rigid, rod, volume or continuum_joint"},
        Mistake{"NoMass", body("type: rigid"),
                "r.yaml:3:21: links[0].body.mass: found nothing, expected a number >= 0 [kg]"},
        Mistake{"NegativeMass", body("type: rigid, mass: -1"),
                "r.yaml:3:41: links[0].body.mass: found -1, expected a number >= 0 [kg]"},
        Mistake{"TextInAList", body("type: rigid, mass: 1, com: [0, zero, 0]"),
                "r.yaml:3:53: links[0].body.com[1]: found 'zero', expected a number [m]"},
        Mistake{"InertiaSize", body("type: rigid, mass: 1, inertia: [1, 1, 1]"),
                "r.yaml:3:53: links[0].body.inertia: found a list of 3, expected a list of 6 numbers [kg m^2]"}),
    name_of);

TEST(BodyErrors, AnIndefiniteInertiaIsReportedAtItsKey) {
  const std::string text = robot_errors(body("type: rigid, mass: 1, inertia: [1, 1, -1, 0, 0, 0]"));
  EXPECT_EQ(text.find("r.yaml:3:53: links[0].body.inertia: found "), 0u) << text;
}

/// A rod with a material m in line 2 and the link in line 4, from column 38 on.
std::string rod(const std::string& text) {
  return "cuttle: 1\nmaterials: {m: {density: 1000, young_modulus: 1e6}}\nlinks:\n  - {name: a, body: {type: rod, " +
         text + "}}\n";
}
const std::string k_rest = ", length: 1, material: m, section: {shape: circle, radius: 0.01}";

INSTANTIATE_TEST_SUITE_P(
    Rods, BodyMistake,
    testing::Values(
        Mistake{"Length", rod("length: -0.3, material: m, strain: pcc, section: {shape: circle, radius: 0.01}"),
                "r.yaml:4:41: links[0].body.length: found -0.3, expected a number >= 1e-09 [m]"},
        Mistake{"TinyRadius", rod("length: 1, material: m, section: {shape: circle, radius: 1.0e-200}"),
                "r.yaml:4:90: links[0].body.section.radius: found 1.0e-200, expected a number >= 1e-09 [m]"},
        Mistake{"NoRestLength", rod("rest_strain: {sigma_z: 0}" + k_rest),
                "r.yaml:4:56: links[0].body.rest_strain.sigma_z: found 0, expected a number > 0"},
        Mistake{"NegativeRestLength", rod("rest_strain: {sigma_z: [1, -1]}" + k_rest),
                "r.yaml:4:60: links[0].body.rest_strain.sigma_z[1]: found -1, expected a number > 0"},
        Mistake{"NoSection", rod("length: 1, material: m, strain: pcc"),
                "r.yaml:4:21: links[0].body.section: found nothing, expected a mapping with shape, or all of "
                "stiffness, mass_per_length and rotary_inertia"},
        Mistake{"NoMaterial", rod("length: 1, strain: pcc, section: {shape: circle, radius: 0.01}"),
                "r.yaml:4:21: links[0].body.material.density: found nothing, expected a number > 0 [kg/m^3]"},
        Mistake{"Points", rod("quadrature: {points: 0}" + k_rest),
                "r.yaml:4:54: links[0].body.quadrature.points: found 0, expected an integer in [1, 1000]"},
        Mistake{"HalfAPoint", rod("quadrature: {points: 2.5}" + k_rest),
                "r.yaml:4:54: links[0].body.quadrature.points: found 2.5, expected an integer in [1, 1000]"},
        // the word of papers for pieces of constant strain, which once meant Gauss points here
        Mistake{"Sections", rod("sections: 3, length: 0.3, material: m, section: {shape: circle, radius: 0.01}"),
                "r.yaml:4:33: links[0].body.sections: found a word of two meanings, expected quadrature: {points: 3} "
                "for 3 Gauss points, or, for 3 pieces of constant strain, pieces: 3 beside a shorthand as strain: pcs, "
                "which is {basis: piecewise, breaks: [0.1, 0.2]} of each component"},
        Mistake{"ManySections", rod("sections: 200" + k_rest),
                "r.yaml:4:33: links[0].body.sections: found a word of two meanings, expected quadrature: {points: N} "
                "for N Gauss points, or, for N pieces of constant strain, pieces: N beside a shorthand as strain: pcs"},
        Mistake{"NoPieces", rod("pieces: 0, strain: pcs" + k_rest),
                "r.yaml:4:41: links[0].body.pieces: found 0, expected an integer in [1, 100]"},
        Mistake{
            "PiecesOfNothing", rod("pieces: 2" + k_rest),
            "r.yaml:4:41: links[0].body.pieces: found it without strain, expected a shorthand as strain: pcs beside "
            "it (a basis has pieces of its own: {basis: piecewise, breaks: [..]})"},
        Mistake{"PiecesAndBreaks", rod("pieces: 2, strain: {kappa_x: {basis: piecewise, breaks: [0.5]}}" + k_rest),
                "r.yaml:4:41: links[0].body.pieces: found it beside bases, expected a shorthand as strain: pcs beside "
                "it (a basis has pieces of its own: {basis: piecewise, breaks: [..]})"},
        Mistake{"PiecesThatVary", rod("pieces: 2, strain: pac" + k_rest),
                "r.yaml:4:41: links[0].body.pieces: found it beside pac, whose strain varies along a piece, expected a "
                "shorthand of constant strain: pcc, planar_cc, pcs or kirchhoff"},
        Mistake{"Shape", rod("length: 1, material: m, section: {shape: elipse}"),
                "r.yaml:4:74: links[0].body.section.shape: found 'elipse', expected circle, annulus, ellipse, "
                "rectangle or general; did you mean 'ellipse'?"},
        Mistake{
            "EmptySection", rod("length: 1, material: m, section: {shape: circle, radius: []}"),
            "r.yaml:4:90: links[0].body.section.radius: found an empty list, expected a number or a list of numbers "
            ">= 1e-09 [m]"},
        Mistake{
            "InnerRadius",
            rod("strain: pcc, length: 1, material: m, section: {shape: annulus, radius: 0.01, inner_radius: 0.02}"),
            "r.yaml:4:124: links[0].body.section.inner_radius: found 0.02, expected a number below radius = 0.01 [m]"},
        Mistake{"Strain", rod("strain: pc" + k_rest),
                "r.yaml:4:41: links[0].body.strain: found 'pc', expected pcc, planar_cc, pcs, pac, pgc or kirchhoff, "
                "or a mapping from strain components to bases; did you mean 'pcc'?"},
        Mistake{"Component", rod("strain: {kapa_x: constant}" + k_rest),
                "r.yaml:4:42: links[0].body.strain.kapa_x: found an unknown key, expected kappa_x, kappa_y, kappa_z, "
                "sigma_x, sigma_y or sigma_z; did you mean 'kappa_x'?"},
        Mistake{"BareBasis", rod("strain: {kappa_x: legendre}" + k_rest),
                "r.yaml:4:51: links[0].body.strain.kappa_x: found 'legendre', expected its parameters too: {basis: "
                "legendre, order: ..}"},
        Mistake{"Basis", rod("strain: {kappa_x: {basis: legandre, order: 1}}" + k_rest),
                "r.yaml:4:59: links[0].body.strain.kappa_x.basis: found 'legandre', expected constant, monomial, "
                "legendre, chebyshev, fourier, gaussian, hermite or piecewise; did you mean 'legendre'?"},
        Mistake{"BasisKey", rod("strain: {kappa_x: {basis: hermite, nodes: 2, order: 1}}" + k_rest),
                "r.yaml:4:78: links[0].body.strain.kappa_x.order: found a key that basis hermite does not have, "
                "expected basis or nodes"},
        Mistake{"Breaks", rod("strain: {kappa_x: {basis: piecewise, breaks: [0.5, 2]}}" + k_rest),
                "r.yaml:4:78: links[0].body.strain.kappa_x.breaks: found 2, expected a point inside the rod, between 0 "
                "and 1 [m]"},
        Mistake{"BesideKirchhoff", rod("strain: {kirchhoff: constant, sigma_z: constant}" + k_rest),
                "r.yaml:4:63: links[0].body.strain.sigma_z: found an unknown key, expected kirchhoff"},
        Mistake{"Stiffness", rod("stiffness: [1, 2, 3]" + k_rest),
                "r.yaml:4:44: links[0].body.stiffness: found a list of 3, expected a list of 6 entries, each a number "
                ">= 0, a pair [base, tip] or a list [N m^2, N]"},
        Mistake{"StiffnessEntry", rod("stiffness: [1, 2, 3, 4, 5, -6]" + k_rest),
                "r.yaml:4:60: links[0].body.stiffness[5]: found -6, expected a number >= 0 [N]"},
        Mistake{"Damping", rod("damping: [1, 2, 3]" + k_rest),
                "r.yaml:4:42: links[0].body.damping: found a list of 3, expected a list of 6 entries, each a number "
                ">= 0, a pair [base, tip] or a list [N m^2 s, N s]"},
        Mistake{"DampingEntry", rod("damping: [1, 2, 3, 4, 5, -6]" + k_rest),
                "r.yaml:4:58: links[0].body.damping[5]: found -6, expected a number >= 0 [N s]"},
        Mistake{"Stiffening", rod("strain: pcc, stiffening: {kapa_x: [1]}" + k_rest),
                "r.yaml:4:59: links[0].body.stiffening.kapa_x: found an unknown key, expected kappa_x, kappa_y, "
                "kappa_z, sigma_x, sigma_y or sigma_z; did you mean 'kappa_x'?"},
        Mistake{"StiffeningNumber", rod("strain: pcc, stiffening: {kappa_x: 1}" + k_rest),
                "r.yaml:4:68: links[0].body.stiffening.kappa_x: found 1, expected a list of numbers [m^k]"},
        Mistake{"StiffeningBesideHyperelastic",
                rod("strain: pcc, hyperelastic: {bend: [1]}, stiffening: {kappa_x: [1]}" + k_rest),
                "r.yaml:4:95: links[0].body.stiffening.kappa_x: found it beside hyperelastic.bend, expected at most "
                "one of the two"},
        Mistake{"TorsionConstant", rod("torsion_constant: saint-venant" + k_rest),
                "r.yaml:4:51: links[0].body.torsion_constant: found 'saint-venant', expected saint_venant, polar, or a "
                "number > 0 or a list of them [m^4]; did you mean 'saint_venant'?"},
        Mistake{"TorsionConstantMap", rod("torsion_constant: {polar: 1}" + k_rest),
                "r.yaml:4:51: links[0].body.torsion_constant: found a mapping, expected saint_venant, polar, or a "
                "number > 0 or a list of them [m^4]"},
        Mistake{"TorsionConstantRange", rod("torsion_constant: [1e-9, 0]" + k_rest),
                "r.yaml:4:58: links[0].body.torsion_constant[1]: found 0, expected a number > 0 [m^4]"},
        Mistake{"Material", rod("length: 1, material: n, section: {shape: circle, radius: 0.01}"),
                "r.yaml:4:54: links[0].body.material: found 'n', expected m"}),
    name_of);

std::string material(const std::string& text) {
  return "cuttle: 1\nmaterials:\n  m: {" + text +
         "}\nlinks:\n  - {name: a, body: {type: rod, strain: pcc, length: 1, material: m, section: {shape: circle, "
         "radius: 1}}}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Materials, BodyMistake,
    testing::Values(
        Mistake{"Density", material("density: 0, young_modulus: 1"),
                "r.yaml:3:16: materials.m.density: found 0, expected a number > 0 [kg/m^3]"},
        Mistake{"PoissonRatio", material("density: 1, young_modulus: 1, poisson_ratio: 0.51"),
                "r.yaml:3:52: materials.m.poisson_ratio: found 0.51, expected a number in (-1, 0.5]"},
        Mistake{"TwoDampings", material("density: 1, young_modulus: 1, damping_time: 1, viscosity: 1"),
                "r.yaml:3:65: materials.m.viscosity: found it beside damping_time, expected at most one of the two"},
        Mistake{"ThreeOfTwoModuli", material("density: 1, young_modulus: 3, shear_modulus: 1.2, poisson_ratio: 0.25"),
                "r.yaml:3:52: materials.m.shear_modulus: found it beside young_modulus and poisson_ratio, expected at "
                "most two of the three"},
        Mistake{"SmallShearModulus", material("density: 1, young_modulus: 3, shear_modulus: 0.9"),
                "r.yaml:3:52: materials.m.shear_modulus: found 0.9, expected a number >= young_modulus / 3 = 1 [Pa], "
                "where poisson_ratio is 0.5"},
        Mistake{"NoModulus", material("density: 1"),
                "r.yaml:5:67: links[0].body.material.young_modulus: found nothing, expected a number > 0 [Pa]"},
        Mistake{"Model", material("model: neo_hook, density: 1"),
                "r.yaml:3:14: materials.m.model: found 'neo_hook', expected linear, neo_hookean, mooney_rivlin, yeoh "
                "or st_venant_kirchhoff"},
        Mistake{"NotForRods", material("model: yeoh, density: 1, c1: 1"),
                "r.yaml:5:67: links[0].body.material: found 'm' of model yeoh, expected a linear or neo_hookean "
                "material for a rod"},
        Mistake{"KeyOfOtherModel", material("density: 1, young_modulus: 1, c1: 3"),
                "r.yaml:3:37: materials.m.c1: found a key that model linear does not have, expected model, density, "
                "young_modulus, poisson_ratio, shear_modulus, damping_time or viscosity"},
        Mistake{"Twice", "cuttle: 1\nmaterials:\n  m: {density: 1}\n  m: {density: 1}\nlinks: [{name: a}]\n",
                "r.yaml:4:3: materials.m: found this key again, expected it once (r.yaml:3:3)"},
        Mistake{"NoMapping", "cuttle: 1\nmaterials: [1]\nlinks: [{name: a}]\n",
                "r.yaml:2:12: materials: found a list of 1, expected a mapping from names to mappings"}),
    name_of);

/// A volume with a material m in line 2 and the link in line 4, from column 36 on.
std::string volume(const std::string& text,
                   const std::string& material = "model: neo_hookean, density: 1000, c1: 1e5") {
  return "cuttle: 1\nmaterials: {m: {" + material + "}}\nlinks:\n  - {name: a, body: {type: volume, " + text + "}}\n";
}
const std::string k_cylinder = "shape: {type: cylinder, length: 1, radius: 0.1}, ";
const std::string k_lvp = "kinematics: {type: lvp, primitives: [{type: twist, modes: [[0, 1]]}]}, ";
const std::string k_whole = k_cylinder + k_lvp + "material: m";
const std::string k_no_lvp = k_cylinder + "material: m, kinematics: ";
const std::string k_foam = "model: st_venant_kirchhoff, density: 1000, young_modulus: 1e5, poisson_ratio: 0.3";
// an absolute path at the end: how long it is must not be in the columns
const std::string k_wedge = ", shape: {type: mesh, file: " + test::k_source_dir + "/tests/io/meshes/wedge_41.msh}";

INSTANTIATE_TEST_SUITE_P(
    Volumes, BodyMistake,
    testing::Values(
        Mistake{"Mesh", volume("shape: {type: mesh, file: a.msh}, material: m, " + k_lvp),
                "r.yaml:4:62: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh"},
        Mistake{"MeshFile", volume("shape: {type: mesh}, material: m, " + k_lvp),
                "r.yaml:4:43: links[0].body.shape.file: found nothing, expected text"},
        Mistake{"MeshRule", volume("shape: {type: mesh, file: a.msh}, quadrature: {rule: 2}, material: m, " + k_lvp),
                "r.yaml:4:62: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh\n"
                "r.yaml:4:89: links[0].body.quadrature.rule: found 2, expected 1, 4 or 14"},
        Mistake{"MeshPoints",
                volume("quadrature: {points: [1, 2, 3]}, shape: {type: mesh, file: a.msh}, material: m, " + k_lvp),
                "r.yaml:4:57: links[0].body.quadrature.points: found it beside a mesh, expected rule, the points of "
                "each tetrahedron\n"
                "r.yaml:4:95: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh"},
        Mistake{"RuleOfACylinder", volume("quadrature: {rule: 4}, " + k_whole),
                "r.yaml:4:55: links[0].body.quadrature.rule: found it beside a cylinder, expected points instead; "
                "meshes have a rule"},
        Mistake{"PointsElsewhere", volume("points: [5, 3, 8], " + k_whole),
                "r.yaml:4:36: links[0].body.points: found a key that is now in quadrature, expected quadrature: "
                "{points: [5, 3, 8]} of the body"},
        Mistake{"RuleElsewhere", volume("shape: {type: mesh, file: a.msh, rule: 1}, material: m, " + k_lvp),
                "r.yaml:4:62: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh\n"
                "r.yaml:4:69: links[0].body.shape.rule: found a key that is now in the body's quadrature, expected "
                "quadrature: {rule: 1} of the body"},
        Mistake{"NoShape", volume(k_lvp + "material: m"),
                "r.yaml:4:21: links[0].body.shape: found nothing, expected a mapping"},
        Mistake{"InnerRadius",
                volume("shape: {type: cylinder, length: 1, radius: 0.1, inner_radius: 0.1}, material: m, " + k_lvp),
                "r.yaml:4:98: links[0].body.shape.inner_radius: found 0.1, expected a number < radius [m]"},
        Mistake{"Size", volume("shape: {type: box, size: [1, -1, 1]}, material: m, " + k_lvp),
                "r.yaml:4:65: links[0].body.shape.size[1]: found -1, expected a number > 0 [m]"},
        Mistake{"TwoPoints", volume("quadrature: {points: [2, 2]}, " + k_whole),
                "r.yaml:4:57: links[0].body.quadrature.points: found a list of 2, expected a list of 3 integers in [1, "
                "1000]"},
        Mistake{"Point", volume("quadrature: {points: [2, 0, 2]}, " + k_whole),
                "r.yaml:4:61: links[0].body.quadrature.points[1]: found 0, expected an integer in [1, 1000]"},
        Mistake{"FemWithoutMesh", volume(k_no_lvp + "{type: fem, modes: 3}"),
                "r.yaml:4:110: links[0].body.kinematics: found fem with a shape of type cylinder, expected a shape of "
                "type mesh"},
        Mistake{"FemOfSoftVolume", volume("material: m, kinematics: {type: fem, modes: 3}" + k_wedge),
                "r.yaml:4:46: links[0].body.material: found 'm', which does not resist changes of volume, expected a "
                "st_venant_kirchhoff material, or a neo_hookean one with lame_lambda, for kinematics of type fem"},
        Mistake{"FemFull", volume("material: m, kinematics: {type: fem, full: false}" + k_wedge, k_foam),
                "r.yaml:4:79: links[0].body.kinematics.full: found false, expected true, or modes instead"},
        Mistake{"FemModes", volume("material: m, kinematics: {type: fem, modes: 0}" + k_wedge, k_foam),
                "r.yaml:4:80: links[0].body.kinematics.modes: found 0, expected an integer in [1, 200]"},
        Mistake{"RadialStrain", volume(k_no_lvp + "{type: radial, strain: {kappa_y: linear}}"),
                "r.yaml:4:143: links[0].body.kinematics.strain.kappa_y: found 'linear', expected constant"},
        Mistake{"RadialNothing", volume(k_no_lvp + "{type: radial}"),
                "r.yaml:4:110: links[0].body.kinematics: strain, bumps: found none of either, expected one or more"},
        Mistake{"RadialEmpty", volume(k_no_lvp + "{type: radial, strain: {}, bumps: []}"),
                "r.yaml:4:110: links[0].body.kinematics: strain, bumps: found none of either, expected one or more"},
        Mistake{"NoNetwork", volume(k_no_lvp + "{type: neural, file: a.json}"),
                "r.yaml:4:131: links[0].body.kinematics.file: found 'a.json', which does not exist, expected a network "
                "in JSON"},
        Mistake{"Primitive", volume(k_no_lvp + "{type: lvp, primitives: [{type: strech, modes: [[0, 1]]}]}"),
                "r.yaml:4:142: links[0].body.kinematics.primitives[0].type: found 'strech', expected stretch, shear, "
                "twist, bend or source; did you mean 'stretch'?"},
        Mistake{"NoPrimitives", volume(k_no_lvp + "{type: lvp, primitives: []}"),
                "r.yaml:4:134: links[0].body.kinematics.primitives: found none, expected one or more"},
        Mistake{"NoModes", volume(k_no_lvp + "{type: lvp, primitives: [{type: twist, modes: []}]}"),
                "r.yaml:4:135: links[0].body.kinematics.primitives[0]: found no modes, expected one or more"},
        Mistake{"EmptyMode", volume(k_no_lvp + "{type: lvp, primitives: [{type: twist, modes: [[]]}]}"),
                "r.yaml:4:157: links[0].body.kinematics.primitives[0].modes[0]: found an empty list, expected one or "
                "more coefficients, of z^0, z^1, .."},
        Mistake{"BareMode", volume(k_no_lvp + "{type: lvp, primitives: [{type: twist, modes: [1]}]}"),
                "r.yaml:4:157: links[0].body.kinematics.primitives[0].modes[0]: found 1, expected a list of numbers"},
        Mistake{"Powers", volume(k_no_lvp + "{type: ritz, modes: [[{powers: [0, -1, 0], vector: [1, 0, 0]}]]}"),
                "r.yaml:4:145: links[0].body.kinematics.modes[0][0].powers[1]: found -1, expected an integer in [0, "
                "50]"},
        Mistake{"Material", volume(k_whole, "density: 1, young_modulus: 1"),
                "r.yaml:4:166: links[0].body.material: found 'm' of model linear, expected a neo_hookean, "
                "mooney_rivlin, yeoh or st_venant_kirchhoff material for a volume"},
        Mistake{"Density", volume(k_whole, "model: yeoh, c1: 1"),
                "r.yaml:4:166: links[0].body.material: found 'm' without density, expected a material with density for "
                "a volume"},
        Mistake{"Viscosity", volume(k_whole, "model: yeoh, c1: 1, density: 1, viscosity: 1"),
                "r.yaml:4:166: links[0].body.material: found 'm' with viscosity, expected a material with damping_time "
                "for a volume"},
        Mistake{"Tip", volume(k_whole + ", tip: {a: [0, 0, 1]}"),
                "r.yaml:4:174: links[0].body.tip: found material points o, a, b on one line, expected a triangle"},
        Mistake{"Section", volume(k_whole) + "loads: [{type: wrench, link: a, at: {s: 0.1}, force: [1, 0, 0]}]\n",
                "r.yaml:5:41: loads[0].at.s: found a section on a volume body, expected base or tip (only rods have "
                "sections)"},
        Mistake{"DistributedLoad", volume(k_whole) + "loads: [{type: distributed, link: a, force: [1, 0, 0]}]\n",
                "r.yaml:5:35: loads[0].link: found 'a', which has no rod, expected a link whose body is a rod"},
        Mistake{
            "TendonOffset",
            volume(k_whole) + "actuators: [{name: t, type: tendon, routing: [{link: a, offset: [0, 0]}]}]\n",
            "r.yaml:5:65: actuators[0].routing[0].offset: found it on 'a', which has no rod, expected points: [[x, y, "
            "z], ..]"},
        Mistake{"ChamberArea", volume(k_whole) + "actuators: [{name: c, type: chamber, link: a, area: 1}]\n",
                "r.yaml:5:53: actuators[0].area: found it on 'a', which has no rod, expected surface"},
        Mistake{"ChamberNoSurface", volume(k_whole) + "actuators: [{name: c, type: chamber, link: a}]\n",
                "r.yaml:5:13: actuators[0]: found no surface, expected surface: inner, a group of the mesh or {pocket: "
                "{angle, width, "
                "radius}}"},
        Mistake{"ChamberNoBore", volume(k_whole) + "actuators: [{name: c, type: chamber, link: a, surface: inner}]\n",
                "r.yaml:5:56: actuators[0].surface: found inner of 'a', which has no bore, expected a cylinder with an "
                "inner_radius > 0"},
        Mistake{"ChamberSurface", volume(k_whole) + "actuators: [{name: c, type: chamber, link: a, surface: 3}]\n",
                "r.yaml:5:56: actuators[0].surface: found 3, expected inner, the name of a group of a mesh or {pocket: "
                "{angle, width, radius}}"},
        Mistake{"ChamberPocket",
                volume(k_whole) +
                    "actuators: [{name: c, type: chamber, link: a, surface: {pocket: {angle: 0, width: 7, radius: "
                    "1}}}]\n",
                "r.yaml:5:83: actuators[0].surface.pocket.width: found 7, expected a number in (0, 6.28319] [rad]"}),
    name_of);

TEST(BodyErrors, APointOutsideAMeshIsReportedWhereItIsAskedFor) {
  const std::string text = robot_errors(volume("material: m, kinematics: {type: fem, modes: 1}" + k_wedge, k_foam) +
                                        "loads: [{type: wrench, link: a, at: {point: [9, 9, 9]}, force: [1, 0, 0]}]\n");
  EXPECT_TRUE(text.starts_with("r.yaml:5:37: loads[0].at: point [9, 9, 9]: found ")) << text;
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
