// Every kind of error in a robot file, with its wording and its place.
#include <gtest/gtest.h>

#include <sstream>

#include "io/io_support.h"

namespace cuttle {
namespace {

struct Mistake {
  const char* name;
  std::string text;
  std::string error;  ///< whole message
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.name; }

class EveryMistake : public testing::TestWithParam<Mistake> {};

TEST_P(EveryMistake, IsReportedAtItsPlace) { EXPECT_EQ(robot_errors(GetParam().text), GetParam().error); }

std::string name_of(const testing::TestParamInfo<Mistake>& info) { return info.param.name; }

/// A file whose line 3 is the only link.
std::string link(const std::string& text) { return "cuttle: 1\nlinks:\n  - " + text + "\n"; }

INSTANTIATE_TEST_SUITE_P(
    Document, EveryMistake,
    testing::Values(
        Mistake{"Empty", "", "r.yaml:1:1: found nothing, expected a mapping"},
        Mistake{"List", "- 1\n", "r.yaml:1:1: found a list of 1, expected a mapping"},
        Mistake{"Syntax", "cuttle: 1\nlinks: [1, 2\n",
                "r.yaml:3:1: YAML: found a syntax error (end of sequence flow not found), expected valid YAML"},
        Mistake{"Tab", "cuttle: 1\nbase:\n\tmotion: fixed\n",
                "r.yaml:3:8: YAML: found a syntax error (illegal map value), expected valid YAML"},
        Mistake{"UnknownAlias", "cuttle: *one\n",
                "r.yaml:1:9: YAML: found a syntax error (the referenced anchor is not defined), expected valid YAML"},
        Mistake{"AliasInItself", "cuttle: &x [*x]\n",
                "r.yaml:1:13: YAML: found an alias inside the value that it stands for, expected a value that ends"},
        Mistake{"KeyIsAList", "? [a]\n: 1\n", "r.yaml:1:3: YAML: found a key that is no text, expected text"},
        Mistake{"TwoDocuments", "cuttle: 1\n---\ncuttle: 1\n",
                "r.yaml:3:1: YAML: found a second document, expected one document a file"},
        Mistake{"NoVersion", "links: [{name: a}]\n",
                "r.yaml:1:1: cuttle: found nothing, expected 1, the version of the format"},
        Mistake{"OtherVersion", "cuttle: 2\nlinks: [{name: a}]\n",
                "r.yaml:1:9: cuttle: found 2, expected 1, the version of the format that this Cuttle reads"},
        Mistake{"NoLinks", "cuttle: 1\n", "r.yaml:1:1: links: found nothing, expected a list of mappings"},
        Mistake{"EmptyLinks", "cuttle: 1\nlinks: []\n",
                "r.yaml:2:8: links: found an empty list, expected at least one link"},
        Mistake{"LinksAreNoList", "cuttle: 1\nlinks: {a: {}}\n",
                "r.yaml:2:8: links: found a mapping, expected a list of mappings"},
        Mistake{"LinkIsNoMapping", link("7"), "r.yaml:3:5: links[0]: found 7, expected a mapping"},
        Mistake{"EmptyValue", "cuttle: 1\ngravity:\nlinks: [{name: a}]\n",
                "r.yaml:2:1: gravity: found nothing, expected a list of 3 numbers [m/s^2]"},
        Mistake{"UnknownKey", "cuttle: 1\ngravty: [0, 0, 0]\nlinks: [{name: a}]\n",
                "r.yaml:2:1: gravty: found an unknown key, expected cuttle, name, gravity, base, materials, links, "
                "actuators, loads, loops or visual; did you mean 'gravity'?"},
        Mistake{"DuplicateKey", "cuttle: 1\nname: x\nlinks: [{name: a}]\nname: y\n",
                "r.yaml:4:1: name: found this key again, expected it once (r.yaml:2:1)"},
        Mistake{"WrongSize", "cuttle: 1\ngravity: [0, 0]\nlinks: [{name: a}]\n",
                "r.yaml:2:10: gravity: found a list of 2, expected a list of 3 numbers [m/s^2]"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Links, EveryMistake,
    testing::Values(
        Mistake{"NoName", link("parent: base"), "r.yaml:3:5: links[0].name: found nothing, expected a name"},
        Mistake{"NumberAsName", link("name: 12"),
                "r.yaml:3:11: links[0].name: found 12, expected a name (in quotes, if it is meant as text)"},
        Mistake{"NameWithDot", link("name: a.b"),
                "r.yaml:3:11: links[0].name: found 'a.b', expected a name without any of . / [ ]"},
        Mistake{
            "ReservedName", link("name: base"),
            "r.yaml:3:11: links[0].name: found 'base', which is reserved for the robot's base, expected another name"},
        Mistake{"NameTwice", link("name: a\n  - name: a"),
                "r.yaml:4:11: links[1].name: found 'a' again, expected a name of its own (r.yaml:3:5 has it)"},
        Mistake{
            "UnknownParent", link("name: arm\n  - {name: hand, parent: amr}"),
            "r.yaml:4:26: links[1].parent: found 'amr', which is no link, expected base or arm; did you mean 'arm'?"},
        Mistake{"OwnParent", link("{name: a, parent: a}"),
                "r.yaml:3:23: links[0].parent: found 'a', which is the link itself, expected 'base' or a link that "
                "stands earlier in the file"},
        Mistake{"LaterParent", link("{name: a, parent: b}\n  - {name: b, parent: base}"),
                "r.yaml:3:23: links[0].parent: found 'b', which stands later (r.yaml:4:5), expected 'base' or a link "
                "that stands earlier in the file"},
        Mistake{"Cycle", link("{name: a, parent: c}\n  - {name: b, parent: a}\n  - {name: c, parent: b}"),
                "r.yaml:3:23: links[0].parent: found 'c', which hangs on this link itself: a cycle, expected 'base' or "
                "a link that stands earlier in the file"},
        Mistake{"UnknownPort", link("{name: a, attach: {at: middle}}"),
                "r.yaml:3:28: links[0].attach.at: found 'middle', expected base, tip or {s: number [m]}"},
        Mistake{"SectionOfTheBase", link("{name: a, attach: {at: {s: 0.1}}}"),
                "r.yaml:3:32: links[0].attach.at.s: found a section on the robot's base, expected base or tip (only "
                "rods have sections)"},
        Mistake{"SectionOfRigidBody",
                link("{name: a, body: {type: rigid, mass: 1}}\n  - {name: b, attach: {at: {s: 0.1}}}"),
                "r.yaml:4:32: links[1].attach.at.s: found a section on a rigid body, expected base or tip (only rods "
                "have sections)"},
        Mistake{"PoseTwice", link("{name: a, attach: {pose: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}}}"),
                "r.yaml:3:59: links[0].attach.pose.quaternion: found it beside rpy, expected one of the two"},
        Mistake{"Quaternion", link("{name: a, attach: {pose: {quaternion: [1, 0, 0.1, 0]}}}"),
                "r.yaml:3:43: links[0].attach.pose.quaternion: found norm 1.00498756, expected [w, x, y, z] of norm 1 "
                "(within 1e-6)"},
        Mistake{"BaseMotion", "cuttle: 1\nbase: {motion: flying}\nlinks: [{name: a}]\n",
                "r.yaml:2:16: base.motion: found 'flying', expected fixed or floating"},
        Mistake{"FloatingWithoutMass", "cuttle: 1\nbase: {motion: floating}\nlinks: [{name: a}]\n",
                "r.yaml:2:7: base: the free-floating part has no mass, expected a body with mass and inertia fixed to "
                "it or to its children"},
        Mistake{"Visual", link("{name: a, visual: {shape: ball}}"),
                "r.yaml:3:31: links[0].visual.shape: found 'ball', expected box, cylinder, sphere or mesh"},
        Mistake{"VisualKey", link("{name: a, visual: {shape: sphere, radius: 1, radios: 1}}"),
                "r.yaml:3:50: links[0].visual.radios: found an unknown key, expected shape, radius, "
                "color or pose; did you mean 'radius'?"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Joints, EveryMistake,
    testing::Values(
        Mistake{"NoType", link("{name: a, joint: {axis: [0, 0, 1]}}"),
                "r.yaml:3:22: links[0].joint.type: found nothing, expected fixed, revolute, prismatic, cylindrical, "
                "universal, spherical, planar or free"},
        Mistake{"UnknownType", link("{name: a, joint: {type: revolut}}"),
                "r.yaml:3:29: links[0].joint.type: found 'revolut', expected fixed, revolute, prismatic, cylindrical, "
                "universal, spherical, planar or free; did you mean 'revolute'?"},
        Mistake{"KeyOfOtherType", link("{name: a, joint: {type: spherical, axis: [0, 0, 1]}}"),
                "r.yaml:3:40: links[0].joint.axis: found a key that type spherical does not have, expected type, "
                "stiffness, damping, armature, rest or visual"},
        Mistake{"ZeroAxis", link("{name: a, joint: {type: revolute, axis: [0, 0, 0]}}"),
                "r.yaml:3:45: links[0].joint.axis: found [0, 0, 0], expected an axis that is not zero"},
        Mistake{"OneAxis", link("{name: a, joint: {type: universal, axes: [[0, 0, 1]]}}"),
                "r.yaml:3:46: links[0].joint.axes: found a list of 1, expected a list of two axes [x, y, z]"},
        Mistake{"StiffnessSize", link("{name: a, joint: {type: planar, stiffness: [1, 2]}}"),
                "r.yaml:3:48: links[0].joint.stiffness: found a list of 2, expected a number or a list of 3 for a "
                "planar joint"},
        Mistake{"NegativeDamping", link("{name: a, joint: {type: revolute, damping: -1}}"),
                "r.yaml:3:48: links[0].joint.damping: found -1, expected a number >= 0 [N m s/rad]"},
        Mistake{"RestQuaternion", link("{name: a, joint: {type: spherical, rest: [1, 1, 0, 0]}}"),
                "r.yaml:3:46: links[0].joint.rest: found a quaternion with a norm that differs from 1 by 0.414, "
                "expected a quaternion [w, x, y, z] with norm 1 (within 1e-6)"},
        Mistake{"RestSize", link("{name: a, joint: {type: spherical, rest: 0}}"),
                "r.yaml:3:46: links[0].joint.rest: found 0, expected a quaternion [w, x, y, z]"}),
    name_of);

std::string body(const std::string& text) { return link("{name: a, body: {" + text + "}}"); }

INSTANTIATE_TEST_SUITE_P(
    RigidBodies, EveryMistake,
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

TEST(RobotErrors, AnIndefiniteInertiaIsReportedAtItsKey) {
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
    Rods, EveryMistake,
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
        Mistake{"Sections", rod("sections: 0" + k_rest),
                "r.yaml:4:43: links[0].body.sections: found 0, expected an integer in [1, 1000]"},
        Mistake{"HalfASection", rod("sections: 2.5" + k_rest),
                "r.yaml:4:43: links[0].body.sections: found 2.5, expected an integer in [1, 1000]"},
        Mistake{"Shape", rod("length: 1, material: m, section: {shape: elipse}"),
                "r.yaml:4:74: links[0].body.section.shape: found 'elipse', expected circle, annulus, ellipse, "
                "rectangle or general; did you mean 'ellipse'?"},
        Mistake{"SectionTriple", rod("length: 1, material: m, section: {shape: circle, radius: [1, 2, 3]}"),
                "r.yaml:4:90: links[0].body.section.radius: found a list of 3, expected a number or a pair of numbers "
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
    Materials, EveryMistake,
    testing::Values(
        Mistake{"Density", material("density: 0, young_modulus: 1"),
                "r.yaml:3:16: materials.m.density: found 0, expected a number > 0 [kg/m^3]"},
        Mistake{"PoissonRatio", material("density: 1, young_modulus: 1, poisson_ratio: 0.51"),
                "r.yaml:3:52: materials.m.poisson_ratio: found 0.51, expected a number in (-1, 0.5]"},
        Mistake{"TwoDampings", material("density: 1, young_modulus: 1, damping_time: 1, viscosity: 1"),
                "r.yaml:3:65: materials.m.viscosity: found it beside damping_time, expected at most one of the two"},
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
                "young_modulus, poisson_ratio, damping_time or viscosity"},
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
const std::string k_wedge = ", shape: {type: mesh, file: " CUTTLE_SOURCE_DIR "/tests/io/meshes/wedge_41.msh}";

INSTANTIATE_TEST_SUITE_P(
    Volumes, EveryMistake,
    testing::Values(
        Mistake{"Mesh", volume("shape: {type: mesh, file: a.msh}, material: m, " + k_lvp),
                "r.yaml:4:62: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh"},
        Mistake{"MeshFile", volume("shape: {type: mesh}, material: m, " + k_lvp),
                "r.yaml:4:43: links[0].body.shape.file: found nothing, expected text"},
        Mistake{"MeshRule", volume("shape: {type: mesh, file: a.msh, rule: 2}, material: m, " + k_lvp),
                "r.yaml:4:62: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh\n"
                "r.yaml:4:75: links[0].body.shape.rule: found 2, expected 1 or 4"},
        Mistake{"MeshPoints", volume("points: [1, 2, 3], shape: {type: mesh, file: a.msh}, material: m, " + k_lvp),
                "r.yaml:4:44: links[0].body.points: found it beside a mesh, expected shape.rule, the points of each "
                "tetrahedron\n"
                "r.yaml:4:81: links[0].body.shape.file: found 'a.msh', which does not exist, expected a mesh of Gmsh"},
        Mistake{"NoShape", volume(k_lvp + "material: m"),
                "r.yaml:4:21: links[0].body.shape: found nothing, expected a mapping"},
        Mistake{"InnerRadius",
                volume("shape: {type: cylinder, length: 1, radius: 0.1, inner_radius: 0.1}, material: m, " + k_lvp),
                "r.yaml:4:98: links[0].body.shape.inner_radius: found 0.1, expected a number < radius [m]"},
        Mistake{"Size", volume("shape: {type: box, size: [1, -1, 1]}, material: m, " + k_lvp),
                "r.yaml:4:65: links[0].body.shape.size[1]: found -1, expected a number > 0 [m]"},
        Mistake{"Points", volume("points: [2, 2], " + k_whole),
                "r.yaml:4:44: links[0].body.points: found a list of 2, expected a list of 3 integers in [1, 1000]"},
        Mistake{"Point", volume("points: [2, 0, 2], " + k_whole),
                "r.yaml:4:48: links[0].body.points[1]: found 0, expected an integer in [1, 1000]"},
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

/// A robot of a hip, a rod `arm` and a fixed `tool`, followed by text from line 6 on.
std::string arm(const std::string& text) {
  return "cuttle: 1\nlinks:\n  - {name: hip, joint: {type: universal}, body: {type: rigid, mass: 1}}\n"
         "  - {name: arm, body: {type: rod, length: 0.2, strain: pcc, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: "
         "1, rotary_inertia: [1, 1, 2]}}\n"
         "  - {name: tool, body: {type: rigid, mass: 1}}\n" +
         text;
}

INSTANTIATE_TEST_SUITE_P(
    Tendons, EveryMistake,
    testing::Values(
        Mistake{"TendonNoRouting", arm("actuators: [{name: t, type: tendon}]"),
                "r.yaml:6:13: actuators[0].routing: found nothing, expected a list of mappings"},
        Mistake{"TendonEmptyRouting", arm("actuators: [{name: t, type: tendon, routing: []}]"),
                "r.yaml:6:46: actuators[0].routing: found an empty list, expected at least one entry"},
        Mistake{"TendonLink", arm("actuators: [{name: t, type: tendon, routing: [{link: arn, offset: [0, 0]}]}]"),
                "r.yaml:6:54: actuators[0].routing[0].link: found 'arn', which is no link, expected base, hip, arm or "
                "tool; did you mean 'arm'?"},
        Mistake{"TendonNowhere", arm("actuators: [{name: t, type: tendon, routing: [{link: arm}]}]"),
                "r.yaml:6:47: actuators[0].routing[0]: found neither offset nor points, expected offset"},
        Mistake{
            "TendonTwice",
            arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], points: [[0, 0, 0]]}]}]"),
            "r.yaml:6:47: actuators[0].routing[0]: found offset and points together, expected offset"},
        Mistake{"TendonPointsOfARod",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, points: [[0, 0, 0]]}]}]"),
                "r.yaml:6:67: actuators[0].routing[0].points: found points of a rod, expected offset: [x, y], a list "
                "of them or {helix: ..}"},
        Mistake{"TendonAlongARigidLink",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, offset: [0, 0]}]}]"),
                "r.yaml:6:68: actuators[0].routing[0].offset: found it on 'tool', which has no rod, expected points: "
                "[[x, y, z], ..]"},
        Mistake{"TendonFromOnARigidLink",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0, 0]], from: 0}]}]"),
                "r.yaml:6:87: actuators[0].routing[0].from: found it on 'tool', which has no rod, expected points: "
                "[[x, y, z], ..]"},
        Mistake{"TendonPoint", arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0]]}]}]"),
                "r.yaml:6:69: actuators[0].routing[0].points[0]: found a list of 2, expected a list of 3 numbers [m]"},
        Mistake{"TendonNoPoints", arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: []}]}]"),
                "r.yaml:6:68: actuators[0].routing[0].points: found an empty list, expected at least one point"},
        Mistake{"TendonBeyondTheRod",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], to: 0.3}]}]"),
                "r.yaml:6:79: actuators[0].routing[0].to: found 0.3, expected a number in [0, 0.2] [m]"},
        Mistake{"TendonOfNoStretch",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], from: 0.1, to: 0.1}]}]"),
                "r.yaml:6:90: actuators[0].routing[0].to: found 0.1, the same as from, expected a stretch of some "
                "length [m]"},
        Mistake{"TendonOffset",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [[0, 0], 1]}]}]"),
                "r.yaml:6:76: actuators[0].routing[0].offset[1]: found 1, expected a list of 2 numbers [m]"},
        Mistake{"TendonOffsetKind", arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: 0.1}]}]"),
                "r.yaml:6:67: actuators[0].routing[0].offset: found 0.1, expected [x, y], a list of them or {helix: "
                "{radius, turns}}"},
        Mistake{
            "TendonHelix",
            arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: {helix: {radius: 0, turns: 1}}}]}]"),
            "r.yaml:6:84: actuators[0].routing[0].offset.helix.radius: found 0, expected a number > 0 [m]"},
        Mistake{"TendonOfLengthZero",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0, 0]]}]}]"),
                "r.yaml:6:46: actuators[0].routing: found a tendon of length 0, expected one between different places"},
        Mistake{"TendonSlack",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0]}], slack: yes}]"),
                "r.yaml:6:84: actuators[0].slack: found yes, expected error, clip or allow"},
        Mistake{
            "ChamberLink", arm("actuators: [{name: t, type: chamber, link: tool, area: 1}]"),
            "r.yaml:6:44: actuators[0].link: found 'tool', which has neither, expected a link whose body is a rod or "
            "a volume"},
        Mistake{"ChamberNoArea", arm("actuators: [{name: t, type: chamber, link: arm}]"),
                "r.yaml:6:13: actuators[0]: found no area, expected the area of the chamber along the rod [m^2]"},
        Mistake{"ChamberSurfaceOfARod", arm("actuators: [{name: t, type: chamber, link: arm, surface: inner}]"),
                "r.yaml:6:58: actuators[0].surface: found it on 'arm', a rod, expected offset and area"},
        Mistake{"ChamberArea", arm("actuators: [{name: t, type: chamber, link: arm, area: 0}]"),
                "r.yaml:6:55: actuators[0].area: found 0, expected a number > 0 [m^2]"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Actuators, EveryMistake,
    testing::Values(
        Mistake{"Link", arm("actuators: [{name: t, type: joint, link: hop}]"),
                "r.yaml:6:42: actuators[0].link: found 'hop', which is no link, expected hip, arm or tool; did you "
                "mean 'hip'?"},
        Mistake{"Index", arm("actuators: [{name: t, type: joint, link: hip, index: 2}]"),
                "r.yaml:6:54: actuators[0].index: found 2, expected an integer in [0, 1] (the joint of 'hip' has 2 "
                "coordinates)"},
        Mistake{"FixedJoint", arm("actuators: [{name: t, type: joint, link: tool}]"),
                "r.yaml:6:42: actuators[0].link: found 'tool', whose joint is fixed, expected a link with a joint that "
                "moves"},
        Mistake{"Rows", arm("actuators: [{name: t, type: linear, links: [arm], matrix: [[1], [2]]}]"),
                "r.yaml:6:59: actuators[0].matrix: found a list of 2, expected a list of 3 rows, one a coordinate of "
                "the links"},
        Mistake{"Columns", arm("actuators: [{name: t, type: linear, links: [hip], matrix: [[1, 2], [2]]}]"),
                "r.yaml:6:68: actuators[0].matrix[1]: found a list of 1, expected a list of 2 numbers, as in the first "
                "row"},
        Mistake{"Twice",
                arm("actuators: [{name: t, type: joint, link: hip}, {name: t, type: joint, link: hip, index: 1}]"),
                "r.yaml:6:55: actuators[1].name: found 't' again, expected a name of its own (r.yaml:6:13 has it)"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Loads, EveryMistake,
    testing::Values(
        Mistake{"FluidNothing", arm("loads: [{type: fluid, link: arm, radius_x: 1, radius_y: 1}]"),
                "r.yaml:6:9: loads[0].density: found nothing, expected a number > 0 [kg/m^3]"},
        Mistake{"FluidOnABase", arm("loads: [{type: fluid, link: base, density: 1000}]"),
                "r.yaml:6:29: loads[0].link: found 'base', which is no link, expected hip, arm or tool"},
        Mistake{"FluidOnNothing", arm("loads: [{type: fluid, link: tool, density: 1000}]"),
                "r.yaml:6:9: loads[0].length: found nothing, expected a number > 0 [m] (the link is "
                "rigid)\nr.yaml:6:9: loads[0].radius_x: found nothing, expected a number or a list of numbers >= 0 [m] "
                "(the link is rigid)\nr.yaml:6:9: loads[0].radius_y: found nothing, expected a number or a list of "
                "numbers >= 0 [m] (the link is rigid)"},
        Mistake{"FluidHalfOutline", arm("loads: [{type: fluid, link: arm, density: 1000, radius_x: 0.1}]"),
                "r.yaml:6:9: loads[0].radius_y: found nothing, expected a number or a list of numbers >= 0 [m] (both "
                "half axes or none)"},
        Mistake{"FluidLengthOfARod",
                arm("loads: [{type: fluid, link: arm, density: 1000, sections: 3, radius_x: 1, radius_y: 1}]"),
                "r.yaml:6:59: loads[0].sections: found it for a rod, expected none (a rod has its own)"},
        Mistake{
            "FluidAroundARectangle",
            link("{name: a, body: {type: rod, length: 1, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: 1, "
                 "rotary_inertia: [1, 1, 1]}}") +
                "loads: [{type: fluid, link: a, density: 1000}]\n",
            "r.yaml:4:9: loads[0].radius_x: found nothing, expected a number or a list of numbers >= 0 [m] (the rod's "
            "section is neither circle, annulus nor ellipse)\nr.yaml:4:9: loads[0].radius_y: found nothing, expected a "
            "number or a list of numbers >= 0 [m] (the rod's section is neither circle, annulus nor ellipse)"},
        Mistake{"FluidRadius", arm("loads: [{type: fluid, link: arm, density: 1000, radius_x: -1, radius_y: 1}]"),
                "r.yaml:6:59: loads[0].radius_x: found -1, expected a number >= 0 [m]"},
        Mistake{"DroneGains", arm("loads: [{type: drone, link: arm, proportional: [1, 2, 3]}]"),
                "r.yaml:6:48: loads[0].proportional: found a list of 3, expected [angular, linear] or six numbers >= "
                "0, angular first [N m s/rad, N s/m]"},
        Mistake{"DroneNoGains", arm("loads: [{type: drone, link: arm, linear_velocity: [1, 0, 0]}]"),
                "r.yaml:6:9: loads[0].proportional: found nothing, expected [angular, linear] or six numbers >= 0, "
                "angular first [N m s/rad, N s/m]"},
        Mistake{"DroneNegativeGain", arm("loads: [{type: drone, link: arm, proportional: [1, -2]}]"),
                "r.yaml:6:52: loads[0].proportional[1]: found -2, expected a number >= 0 [N m s/rad, N s/m]"},
        Mistake{"DroneAxes", arm("loads: [{type: drone, link: arm, proportional: [1, 2], quaternion: [2, 0, 0, 0]}]"),
                "r.yaml:6:68: loads[0].quaternion: found norm 2, expected [w, x, y, z] of norm 1 (within 1e-6)"},
        Mistake{"Link", arm("loads: [{type: wrench, link: elbow, force: [0, 0, 1]}]"),
                "r.yaml:6:30: loads[0].link: found 'elbow', which is no link, expected base, hip, arm or tool"},
        Mistake{"NothingActs", arm("loads: [{type: wrench, link: arm}]"),
                "r.yaml:6:9: loads[0].force: found nothing, expected force, torque or both"},
        Mistake{"Section", arm("loads: [{type: wrench, link: arm, at: {s: 0.3}, force: [0, 0, 1]}]"),
                "r.yaml:6:43: loads[0].at.s: found 0.3, expected a number in [0, 0.2] [m]"},
        Mistake{"PointOnARod", arm("loads: [{type: wrench, link: arm, at: {point: [0, 0, 0]}, force: [0, 0, 1]}]"),
                "r.yaml:6:47: loads[0].at.point: found a point on a rod, expected base, tip or {s: number [m]}"},
        Mistake{"SectionAndPoint", arm("loads: [{type: wrench, link: arm, at: {}, force: [0, 0, 1]}]"),
                "r.yaml:6:39: loads[0].at: found neither s nor point, expected one of the two"},
        Mistake{"Frame", arm("loads: [{type: wrench, link: arm, frame: local, force: [0, 0, 1]}]"),
                "r.yaml:6:42: loads[0].frame: found 'local', expected world or body"},
        Mistake{"Force", arm("loads: [{type: wrench, link: arm, force: 3}]"),
                "r.yaml:6:42: loads[0].force: found 3, expected a list of 3 numbers or signals [N]"},
        Mistake{"Component", arm("loads: [{type: wrench, link: arm, force: [0, x, 0]}]"),
                "r.yaml:6:46: loads[0].force[1]: found 'x', expected a number or a signal [N], as {type: step, time: "
                "1, before: 0, after: 5}"},
        Mistake{"Distributed", arm("loads: [{type: distributed, link: tool, force: [0, 0, 1]}]"),
                "r.yaml:6:35: loads[0].link: found 'tool', which has no rod, expected a link whose body is a rod"}),
    name_of);

std::string load(const std::string& signal) {
  return arm("loads: [{type: wrench, link: arm, force: [{" + signal + "}, 0, 0]}]");
}

INSTANTIATE_TEST_SUITE_P(
    Signals, EveryMistake,
    testing::Values(
        Mistake{"Type", load("type: stp"),
                "r.yaml:6:50: loads[0].force[0].type: found 'stp', expected step, ramp, sine, points or table; did you "
                "mean 'step'?"},
        Mistake{"MissingKey", load("type: step, time: 1"),
                "r.yaml:6:43: loads[0].force[0].after: found nothing, expected a number"},
        Mistake{"Ramp", load("type: ramp, start: 2, end: 1, from: 0, to: 1"),
                "r.yaml:6:71: loads[0].force[0].end: found 1, expected a time after start = 2"},
        Mistake{"Times", load("type: points, time: [0, 2, 1], value: [0, 0, 0]"),
                "r.yaml:6:64: loads[0].force[0].time: found 1 after 2, expected increasing times"},
        Mistake{"Values", load("type: points, time: [0, 2, 3], value: [0, 0]"),
                "r.yaml:6:82: loads[0].force[0].value: found 2 values, expected 3, one a time"},
        Mistake{"NoFile", load("type: table, file: no.csv, column: f"),
                "r.yaml:6:63: loads[0].force[0].file: found 'no.csv', which does not exist, expected a CSV table"}),
    name_of);

TEST(RobotErrors, AllAreFoundAtOnceInTheOrderOfTheFile) {
  const std::string text = robot_errors(R"(cuttle: 1
gravity: [0, 0, down]
links:
  - name: arm
    body: {type: rigid, mass: heavy, tip: {position: [0, 0]}}
  - name: hand
    parent: amr
    joint: {type: revolute, stifness: 3}
actuators:
  - {name: m, type: joint, link: arms}
materials: {m: {density: -1}}
)");
  EXPECT_EQ(
      text,
      "r.yaml:2:17: gravity[2]: found 'down', expected a number [m/s^2]\n"
      "r.yaml:5:31: links[0].body.mass: found 'heavy', expected a number >= 0 [kg]\n"
      "r.yaml:5:54: links[0].body.tip.position: found a list of 2, expected a list of 3 numbers [m]\n"
      "r.yaml:7:13: links[1].parent: found 'amr', which is no link, expected base or arm; did you mean 'arm'?\n"
      "r.yaml:8:29: links[1].joint.stifness: found an unknown key, expected type, axis, stiffness, damping, "
      "armature, rest or visual; did you mean 'stiffness'?\n"
      "r.yaml:10:34: actuators[0].link: found 'arms', which is no link, expected arm or hand; did you mean 'arm'?\n"
      "r.yaml:11:26: materials.m.density: found -1, expected a number > 0 [kg/m^3]");
}

TEST(RobotErrors, AFileThatIsMissing) {
  TemporaryDirectory directory;
  const auto message = [](const std::string& path) {
    try {
      read_robot_file(path);
      return std::string();
    } catch (const FileError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message(directory.path("no.yaml")),
            directory.path("no.yaml") + ": found no such file, expected a robot file");
  EXPECT_EQ(message(directory.path("")), directory.path("") + ": found a directory, expected a robot file");
}

TEST(RobotErrors, AliasesCannotFillTheMemory) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 10; ++k) text += ", " + before;
    text += "]\n";
  }
  const std::string error = robot_errors(text);
  EXPECT_NE(error.find("YAML: found aliases that expand to more than 100000 values, expected fewer"), error.npos)
      << error;
}

TEST(RobotErrors, ErrorsInTablesNameTheirOwnPlace) {
  TemporaryDirectory directory;
  directory.write("t.csv", "time,force\n0,1\n1,x\n");
  const std::string path = directory.write("r.yaml", load("type: table, file: t.csv, column: force"));
  try {
    read_robot_file(path);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), directory.path("t.csv") + ":3:3: force: found 'x', expected a finite number");
  }
}

/// A linkage of two arms whose loop is in line 6.
std::string loop(const std::string& text) {
  const std::string body = "body: {type: rigid, mass: 1, com: [0.1, 0, 0], tip: {position: [0.2, 0, 0]}}}";
  return "cuttle: 1\nlinks:\n  - {name: left, joint: {type: revolute}, " + body +
         "\n  - {name: right, parent: base, joint: {type: revolute}, " + body + "\nloops:\n  - " + text + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Loops, EveryMistake,
    testing::Values(
        Mistake{"LoopWithoutType", loop("{name: l, a: {link: left}, b: {link: right}}"),
                "r.yaml:6:5: loops[0].type: found nothing, expected fixed, revolute, spherical, prismatic or "
                "universal"},
        Mistake{"LoopType", loop("{name: l, type: hinge, a: {link: left}, b: {link: right}}"),
                "r.yaml:6:21: loops[0].type: found 'hinge', expected fixed, revolute, spherical, prismatic or "
                "universal"},
        Mistake{"LoopWithoutEnd", loop("{name: l, type: fixed, a: {link: left}}"),
                "r.yaml:6:5: loops[0].b: found nothing, expected a mapping"},
        Mistake{"LoopOfAnUnknownLink", loop("{name: l, type: fixed, a: {link: left}, b: {link: rihgt}}"),
                "r.yaml:6:55: loops[0].b.link: found 'rihgt', which is no link, expected base, left or right; did you "
                "mean 'right'?"},
        Mistake{"LoopAxisOnAFixedOne",
                loop("{name: l, type: fixed, axis: [0, 0, 1], a: {link: left}, b: {link: right}}"),
                "r.yaml:6:28: loops[0].axis: found a key that type fixed does not have, expected type, name, a or b"},
        Mistake{"LoopAxisOfZero", loop("{name: l, type: revolute, axis: [0, 0, 0], a: {link: left}, b: {link: right}}"),
                "r.yaml:6:37: loops[0].axis: found [0, 0, 0], expected an axis that is not zero"},
        Mistake{"LoopOfOnePlace", loop("{name: l, type: fixed, a: {link: left}, b: {link: left, at: base}}"),
                "r.yaml:6:48: loops[0].b: found 'left', which is fixed to a ('left'), expected a place that can move "
                "against it"},
        Mistake{"LoopAtASectionOfARigidBody",
                loop("{name: l, type: fixed, a: {link: left, at: {s: 0.1}}, b: {link: right}}"),
                "r.yaml:6:52: loops[0].a.at.s: found a section on a rigid body, expected base or tip (only rods have "
                "sections)"},
        Mistake{"LoopTwice",
                loop("{name: l, type: fixed, a: {link: left}, b: {link: right}}\n  - {name: l, type: spherical, a: "
                     "{link: left}, b: {link: base}}"),
                "r.yaml:7:12: loops[1].name: found 'l' again, expected a name of its own"}),
    name_of);

}  // namespace
}  // namespace cuttle
