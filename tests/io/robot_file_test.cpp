#include "cuttle/io/robot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/model.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/linear.h"
#include "cuttle/spatial/logarithm.h"
#include "io/io_support.h"
#include "support/same_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const RodParameters& rod_of(const Robot& robot, int link) {
  return dynamic_cast<const RodBody&>(*robot.links.at(link).body).parameters();
}
const RigidParameters& rigid_of(const Robot& robot, int link) {
  return dynamic_cast<const RigidBody&>(*robot.links.at(link).body).parameters();
}
using Values = std::vector<double>;

// a robot with each part of a robot file, defaults written out
const char* const k_format_example = R"(cuttle: 1
name: two_segment_arm
gravity: [0, 0, -9.81]
base: {motion: fixed, pose: {position: [0, 0, 0], rpy: [3.14159265358979, 0, 0]}}   # fixed | floating
materials:
  silicone: {density: 1070, young_modulus: 5.0e5, poisson_ratio: 0.5, damping_time: 0.1}
links:
  - name: segment1
    parent: base
    attach: {at: tip, pose: {}}
    joint: {type: fixed}
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: [0.02, 0.01]}
      material: silicone
      quadrature: {points: 10}
      strain: {kappa_x: constant, kappa_y: {basis: legendre, order: 2}, sigma_z: constant}
  - name: tool
    body: {type: rigid, mass: 0.1, com: [0, 0, 0.01], inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0], tip: {position: [0, 0, 0.02]}}
actuators: []
loads: []
loops: []
)";

TEST(RobotFile, ReadsTheExampleOfTheFormat) {
  const Robot robot = read_robot_text(k_format_example, "example.yaml");
  EXPECT_EQ(robot.name, "two_segment_arm");
  EXPECT_EQ(robot.gravity.z, -9.81);
  EXPECT_FALSE(robot.floating_base);
  EXPECT_NEAR(robot.base_pose.rotation(2, 2), -1.0, 1e-15);
  ASSERT_EQ(robot.links.size(), 2u);
  EXPECT_EQ(robot.links[0].parent.link, "base");
  EXPECT_EQ(robot.links[1].parent.link, "segment1");

  const RodParameters& rod = rod_of(robot, 0);
  EXPECT_EQ(rod.length, 0.3);
  EXPECT_EQ(rod.quadrature_points, 10);
  EXPECT_EQ(rod.section.shape, Section::Shape::circle);
  EXPECT_EQ(rod.section.radius.values, Values({0.02, 0.01}));
  EXPECT_EQ(rod.material.density, 1070.0);
  EXPECT_EQ(rod.material.young_modulus, 5e5);
  EXPECT_EQ(rod.material.poisson_ratio, 0.5);
  EXPECT_EQ(rod.material.damping_time, 0.1);
  EXPECT_FALSE(rod.material.viscosity);
  EXPECT_EQ(rod.strain[kappa_x]->kind, StrainBasis::Kind::constant);
  EXPECT_EQ(rod.strain[kappa_y]->kind, StrainBasis::Kind::legendre);
  EXPECT_EQ(rod.strain[kappa_y]->order, 2);
  EXPECT_FALSE(rod.strain[kappa_z]);
  EXPECT_EQ(rod.strain[sigma_z]->kind, StrainBasis::Kind::constant);

  const RigidParameters& tool = rigid_of(robot, 1);
  EXPECT_EQ(tool.mass, 0.1);
  EXPECT_EQ(tool.com.z, 0.01);
  EXPECT_EQ(tool.inertia.yy, 1e-5);
  EXPECT_EQ(tool.tip.position.z, 0.02);

  const Model model(robot);
  EXPECT_EQ(model.nq(), 5);
}

TEST(RobotFile, DefaultsAreThoseOfTheFormat) {
  const Robot robot = read_robot_text(
      "cuttle: 1\nlinks:\n  - name: a\n    joint: {type: revolute}\n"
      "    body: {type: rigid, mass: 2}\n",
      "r.yaml");
  EXPECT_EQ(robot.gravity.z, -9.81);
  EXPECT_FALSE(robot.floating_base);
  EXPECT_EQ(robot.links[0].parent.link, "base");
  EXPECT_EQ(robot.links[0].joint->screw()->axis.z, 1.0);
  EXPECT_EQ(rigid_of(robot, 0).inertia.xx, 0.0);
  EXPECT_EQ(rigid_of(robot, 0).tip.position.z, 0.0);
}

TEST(RobotFile, ReadsEveryJoint) {
  const Robot robot = read_robot_text(R"(cuttle: 1
links:
  - {name: a, joint: {type: fixed}}
  - {name: b, joint: {type: revolute, axis: [0, 2, 0], stiffness: 1, damping: 2, armature: 3, rest: 0.5}}
  - {name: c, joint: {type: prismatic, axis: [1, 0, 0], rest: [0.1]}}
  - {name: d, joint: {type: cylindrical, stiffness: [1, 2], damping: 3}}
  - {name: e, joint: {type: universal, axes: [[0, 0, 1], [0, 1, 0]]}}
  - {name: f, joint: {type: spherical, damping: 0.5, rest: [0, 0, 0, 1.0000001]}}
  - {name: g, joint: {type: planar, armature: [1, 2, 3]}}
  - {name: h, joint: {type: free, stiffness: [1, 1, 1, 2, 2, 2], rest: [1, 2, 3, 1, 0, 0, 0]}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
)",
                                      "r.yaml");
  const char* const types[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                               "universal", "spherical", "planar",    "free"};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(robot.links[i].joint->type_name(), types[i]);
  EXPECT_EQ(robot.links[1].joint->screw()->axis.y, 1.0);
  EXPECT_EQ(robot.links[1].joint_dynamics.stiffness, Values({1}));
  EXPECT_EQ(robot.links[1].joint_dynamics.damping, Values({2}));
  EXPECT_EQ(robot.links[1].joint_dynamics.armature, Values({3}));
  EXPECT_EQ(robot.links[1].joint_dynamics.rest, Values({0.5}));
  EXPECT_EQ(robot.links[3].joint_dynamics.stiffness, Values({1, 2}));
  EXPECT_EQ(robot.links[3].joint_dynamics.damping, Values({3, 3}));
  EXPECT_EQ(robot.links[5].joint_dynamics.damping, Values({0.5, 0.5, 0.5}));
  EXPECT_EQ(robot.links[5].joint_dynamics.rest, Values({0, 0, 0, 1}));
  EXPECT_EQ(robot.links[6].joint_dynamics.armature, Values({1, 2, 3}));
  EXPECT_EQ(robot.links[7].joint_dynamics.rest.size(), 7u);
}

TEST(RobotFile, RpyIsYawPitchRollAboutFixedAxes) {
  const Robot robot = read_robot_text(R"(cuttle: 1
base: {pose: {position: [1, 2, 3], rpy: [0.3, -0.4, 0.5]}}
links:
  - {name: a, attach: {at: base, pose: {quaternion: [0.5, 0.5, -0.5, 0.5]}}, body: {type: rigid, mass: 1}}
)",
                                      "r.yaml");
  const auto turn = [](double x, double y, double z) { return quaternion_exponential(Vector3{x, y, z}).matrix(); };
  const Matrix3 expected = turn(0, 0, 0.5) * turn(0, -0.4, 0) * turn(0.3, 0, 0);
  const Matrix3 quarter = Quaternion{0.5, 0.5, -0.5, 0.5}.matrix();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(robot.base_pose.rotation(i, j), expected(i, j), 1e-15);
      EXPECT_NEAR(robot.links[0].parent.pose.rotation(i, j), quarter(i, j), 1e-15);
    }
  }
  EXPECT_EQ(robot.base_pose.position.y, 2.0);
}

std::string rod_file(const std::string& keys, const std::string& materials = "m: {density: 1000, young_modulus: 1e6}") {
  return "cuttle: 1\nmaterials: {" + materials + "}\nlinks:\n  - name: a\n    body: {type: rod, length: 0.2, " + keys +
         "}\n";
}
const std::string k_plain = "material: m, section: {shape: circle, radius: 0.01}, ";

TEST(RobotFile, ReadsEveryBasis) {
  using Kind = StrainBasis::Kind;
  const Robot robot = read_robot_text(
      rod_file(k_plain +
               "strain: {kappa_x: {basis: gaussian, centers: [0.05, 0.1], widths: [0.02, 0.03]}, kappa_y: {basis: "
               "hermite, nodes: 3}, kappa_z: {basis: piecewise, breaks: [0.1]}, sigma_x: {basis: monomial, order: 1}, "
               "sigma_y: {basis: chebyshev, order: 3}, sigma_z: {basis: fourier, order: 2}}"),
      "r.yaml");
  const auto& strain = rod_of(robot, 0).strain;
  EXPECT_EQ(strain[kappa_x]->kind, Kind::gaussian);
  EXPECT_EQ(strain[kappa_x]->centers, Values({0.05, 0.1}));
  EXPECT_EQ(strain[kappa_x]->widths, Values({0.02, 0.03}));
  EXPECT_EQ(strain[kappa_y]->kind, Kind::hermite);
  EXPECT_EQ(strain[kappa_y]->nodes, 3);
  EXPECT_EQ(strain[kappa_z]->kind, Kind::piecewise);
  EXPECT_EQ(strain[kappa_z]->breaks, Values({0.1}));
  EXPECT_EQ(strain[sigma_x]->kind, Kind::monomial);
  EXPECT_EQ(strain[sigma_y]->kind, Kind::chebyshev);
  EXPECT_EQ(strain[sigma_y]->order, 3);
  EXPECT_EQ(strain[sigma_z]->kind, Kind::fourier);
  EXPECT_EQ(Model(robot).nv(), 3 + 6 + 2 + 2 + 4 + 5);
}

TEST(RobotFile, ReadsEveryShorthand) {
  const std::pair<const char*, int> shorthands[] = {{"pcc", 3},
                                                    {"planar_cc", 1},
                                                    {"pcs", 6},
                                                    {"pac", 4},
                                                    {"pgc", 5},
                                                    {"kirchhoff", 3},
                                                    {"{kirchhoff: {basis: legendre, order: 3}}", 12},
                                                    {"{kirchhoff: constant}", 3},
                                                    {"{}", 0}};
  for (const auto& [name, coordinates] : shorthands) {
    const Robot robot = read_robot_text(rod_file(k_plain + "strain: " + name), "r.yaml");
    EXPECT_EQ(Model(robot).nv(), coordinates) << name;
  }
}

TEST(RobotFile, ReadsEverySection) {
  using Shape = Section::Shape;
  const auto section = [](const std::string& keys) {
    return rod_of(read_robot_text(rod_file("material: m, strain: pcc, section: {shape: " + keys + "}"), "r.yaml"), 0)
        .section;
  };
  EXPECT_EQ(section("annulus, radius: 0.02, inner_radius: [0.01, 0]").inner_radius.values, Values({0.01, 0}));
  EXPECT_EQ(section("ellipse, radius_x: 0.01, radius_y: [0.02, 0.03]").radius_y.values, Values({0.02, 0.03}));
  EXPECT_EQ(section("rectangle, width: 0.01, height: 0.02").height.values, Values({0.02}));
  const Section general = section("general, area: 1e-4, Ix: 1e-9, Iy: 2e-9, Jz: [3e-9, 2e-9]");
  EXPECT_EQ(general.shape, Shape::general);
  EXPECT_EQ(general.Jz.values, Values({3e-9, 2e-9}));
}

TEST(RobotFile, ReadsEveryTorsionConstant) {
  const auto rod = [](const std::string& keys) {
    return rod_of(read_robot_text(rod_file(k_plain + "strain: pcs" + keys), "r.yaml"), 0).torsion_constant;
  };
  EXPECT_EQ(std::get<TorsionConstant>(rod("")), TorsionConstant::saint_venant);
  EXPECT_EQ(std::get<TorsionConstant>(rod(", torsion_constant: saint_venant")), TorsionConstant::saint_venant);
  EXPECT_EQ(std::get<TorsionConstant>(rod(", torsion_constant: polar")), TorsionConstant::polar);
  EXPECT_EQ(std::get<Profile>(rod(", torsion_constant: 2e-9")).values, Values({2e-9}));
  EXPECT_EQ(std::get<Profile>(rod(", torsion_constant: [2e-9, 1e-9]")).values, Values({2e-9, 1e-9}));
}

TEST(RobotFile, ReadsWhatARodOverrides) {
  const Robot robot = read_robot_text(
      rod_file("strain: pcs, stiffness: [1, [2, 3], [4, 5, 6], 7, 8, 9], mass_per_length: [0.3, 0.2], rotary_inertia: "
               "[1e-5, 1e-5, [2e-5, 1e-5]], shear_factor: 0.9, rest_strain: {kappa_x: 2, kappa_y: [0, 1, 0], sigma_z: "
               "1.1}, quadrature: {points: 4}",
               ""),
      "r.yaml");
  const RodParameters& rod = rod_of(robot, 0);
  EXPECT_EQ((*rod.stiffness)[0].values, Values({1}));
  EXPECT_EQ((*rod.stiffness)[1].values, Values({2, 3}));
  EXPECT_EQ((*rod.stiffness)[2].values, Values({4, 5, 6}));
  EXPECT_EQ(rod.mass_per_length->values, Values({0.3, 0.2}));
  EXPECT_EQ((*rod.rotary_inertia)[2].values, Values({2e-5, 1e-5}));
  EXPECT_EQ(rod.shear_factor, 0.9);
  EXPECT_EQ(rod.rest_strain[kappa_x].values, Values({2}));
  EXPECT_EQ(rod.rest_strain[kappa_y].values, Values({0, 1, 0}));
  EXPECT_TRUE(rod.rest_strain[kappa_z].empty());
  EXPECT_EQ(rod.quadrature_points, 4);
}

TEST(RobotFile, ReadsMaterialsAndHyperelasticLaws) {
  const Robot robot = read_robot_text(
      rod_file("material: soft, section: {shape: circle, radius: 0.01}, torsion_constant: 1e-9, strain: pcc, "
               "hyperelastic: {stretch: [10, 2], bend: {tanh: [1, 2, 3]}}",
               "soft: {model: neo_hookean, density: 960, c1: 2e4, damping_time: 0.1}"),
      "r.yaml");
  const RodParameters& rod = rod_of(robot, 0);
  EXPECT_EQ(rod.material.young_modulus, 1.2e5);
  EXPECT_EQ(rod.material.poisson_ratio, 0.5);
  EXPECT_EQ(rod.material.density, 960.0);
  EXPECT_EQ(rod.material.damping_time, 0.1);
  EXPECT_EQ(std::get<Profile>(rod.torsion_constant).values, Values({1e-9}));
  EXPECT_EQ(rod.hyperelastic_stretch->polynomial, Values({10, 2}));
  EXPECT_EQ((*rod.hyperelastic_bend->tanh)[1], 2.0);
  const Robot viscous = read_robot_text(
      rod_file(k_plain + "strain: pcc", "m: {density: 1, young_modulus: 1e6, viscosity: 30}"), "r.yaml");
  EXPECT_EQ(rod_of(viscous, 0).material.viscosity, 30.0);
}

const char* const k_arm = R"(cuttle: 1
gravity: [0, 0, -9.81]
materials: {m: {density: 1000, young_modulus: 1e6}}
links:
  - {name: hip, joint: {type: universal}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
  - name: arm
    body: {type: rod, length: 0.2, material: m, section: {shape: circle, radius: 0.01}, strain: pcc}
  - {name: leaf, parent: arm, attach: {at: {s: 0.05}, pose: {position: [0.01, 0, 0]}}, body: {type: rigid, mass: 0.1}}
)";

TEST(RobotFile, ReadsActuatorsLoadsAndPlaces) {
  const Robot robot = read_robot_text(std::string(k_arm) + R"(actuators:
  - {name: motor, type: joint, link: hip, index: 1}
  - {name: pull, type: linear, links: [hip, arm], matrix: [[1, 0], [0, 1], [2, 3], [4, 5], [6, 7]]}
loads:
  - {type: wrench, link: leaf, at: {point: [0, 0, 0.1]}, force: [1, {type: step, time: 1, before: 0, after: 5}, 0], frame: body}
  - {type: wrench, link: arm, at: {s: 0.2}, torque: [0, 0, {type: sine, amplitude: 2, frequency: 1}]}
  - {type: wrench, link: base, at: base, force: [0, 0, 1]}
  - {type: distributed, link: arm, force: [0, 1, 0]}
)",
                                      "r.yaml");
  EXPECT_EQ(robot.links[2].parent.at.kind, PortLocation::Kind::section);
  EXPECT_EQ(robot.links[2].parent.at.s, 0.05);
  EXPECT_EQ(robot.links[2].parent.pose.position.x, 0.01);
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(dynamic_cast<const JointTransmission&>(*robot.actuators[0].transmission).index, 1);
  EXPECT_EQ(robot.actuators[0].inputs(), std::vector<std::string>({"motor"}));
  EXPECT_EQ(robot.actuators[1].inputs(), std::vector<std::string>({"pull.0", "pull.1"}));
  EXPECT_EQ(dynamic_cast<const LinearTransmission&>(*robot.actuators[1].transmission).matrix[4], Values({6, 7}));
  ASSERT_EQ(robot.loads.size(), 4u);
  EXPECT_EQ(robot.loads[0].law->timed()->axes, Axes::body);
  EXPECT_EQ(robot.loads[0].place.at.kind, PortLocation::Kind::base);
  EXPECT_EQ(robot.loads[0].place.pose.position.z, 0.1);
  EXPECT_EQ(robot.loads[0].law->timed()->force[0].at(0), 1.0);
  EXPECT_EQ(robot.loads[0].law->timed()->force[1].at(2), 5.0);
  EXPECT_EQ(robot.loads[1].law->timed()->axes, Axes::world);
  EXPECT_EQ(robot.loads[1].place.at.s, 0.2);
  EXPECT_EQ(robot.loads[1].law->timed()->torque[2].discontinuities().size(), 0u);
  EXPECT_EQ(robot.loads[2].place.link, "base");
  EXPECT_EQ(robot.loads[3].law->type_name(), "distributed");
  EXPECT_EQ(Model(robot).nu(), 3);
}

TEST(RobotFile, AliasesStandForWhatTheyName) {
  const Robot robot = read_robot_text(
      "cuttle: 1\nlinks:\n  - {name: a, body: &b {type: rigid, mass: 2}}\n  - {name: c, body: *b}\n", "r.yaml");
  EXPECT_EQ(rigid_of(robot, 1).mass, 2.0);
}

TEST(RobotFile, VisualIsAcceptedAnywhere) {
  EXPECT_EQ(robot_errors(R"(cuttle: 1
base: {visual: {shape: box, size: [1, 1, 0.1], color: [0.5, 0.5, 0.5]}}
links:
  - name: a
    visual: {shape: sphere, radius: 0.001, pose: {rpy: [0, 1, 0]}}
    body: {type: rigid, mass: 1, visual: [{shape: sphere, radius: 0.1, color: red}, {shape: cylinder, radius: 1, length: 2}]}
)"),
            "");
}

TEST(RobotFile, OverridesReplaceValuesByTheirPath) {
  const Overrides overrides{"robot.gravity[2]=-1.62",
                            "robot.materials.m.density=2000",
                            "robot.links.arm.body.length=0.4",
                            "robot.links.arm.body.quadrature.points=3",
                            "robot.links[0].body.mass=7",
                            "robot.base.motion=floating",
                            "robot.links.hip.joint={type: fixed}"};
  const Robot robot = read_robot_text(k_arm, "r.yaml", overrides);
  EXPECT_EQ(robot.gravity.z, -1.62);
  EXPECT_EQ(rod_of(robot, 1).material.density, 2000.0);
  EXPECT_EQ(rod_of(robot, 1).length, 0.4);
  EXPECT_EQ(rod_of(robot, 1).quadrature_points, 3);
  EXPECT_EQ(rigid_of(robot, 0).mass, 7.0);
  EXPECT_TRUE(robot.floating_base);
  EXPECT_EQ(robot.links[0].joint->type_name(), "fixed");
}

// A shorthand in pieces is nothing but its breaks, and so it is written.
TEST(RobotFile, PiecesAreEqualBreaks) {
  const auto text = [](const std::string& strain) {
    return "cuttle: 1\nmaterials: {m: {density: 1000, young_modulus: 1e6}}\nlinks:\n  - {name: a, body: {type: rod, "
           "length: 0.5, material: m, section: {shape: circle, radius: 0.01}, strain: " +
           strain + "}}\n";
  };
  const Robot pieces = read_robot_text(text("pcs, pieces: 4"), "r.yaml");
  const std::string breaks = "{basis: piecewise, breaks: [0.125, 0.25, 0.375]}";
  std::string all;
  for (int c = 0; c < 6; ++c) all += (c > 0 ? ", " : "") + std::string(strain_component_name(c)) + ": " + breaks;
  const Robot written_out = read_robot_text(text("{" + all + "}"), "r.yaml");
  EXPECT_EQ(pieces.links[0].body->coordinate_count(), 24);
  test::expect_same(pieces, written_out);
  test::expect_same_dynamics(pieces, written_out);
  EXPECT_THAT(write_robot(pieces).yaml, testing::HasSubstr("pieces: 4"));
  test::expect_same(read_robot_text(write_robot(pieces).yaml, "again.yaml"), pieces);

  // they move with the length, also along derivatives by it; breaks that are written out stay
  const auto first_break = [](const Robot& robot) { return rod_of(robot, 0).strain[kappa_y]->breaks.at(0); };
  EXPECT_DOUBLE_EQ(first_break(Model(pieces).with("links.a.body.length", 1.0).robot()), 0.25);
  EXPECT_EQ(first_break(Model(written_out).with("links.a.body.length", 1.0).robot()), 0.125);
  const auto varied = [](const Robot& robot) {
    const ModelT<ForwardDual> model = differentiate(Model(robot), {"links.a.body.length"});
    return dynamic_cast<const RodBodyT<ForwardDual>&>(*model.robot().links[0].body)
        .parameters()
        .strain[kappa_y]
        ->breaks[0];
  };
  EXPECT_DOUBLE_EQ(varied(pieces).derivative[0], 0.25);
  EXPECT_EQ(varied(written_out).derivative[0], 0.0);
}

TEST(RobotFile, OverridesThatFitNothingAreErrors) {
  const auto errors = [](const std::string& text) { return robot_errors(k_arm, {text}); };
  EXPECT_EQ(errors("robot.links.arn.body.length=1"),
            "--set robot.links.arn.body.length=1: robot.links.arn: found no such entry, expected hip, arm or leaf; did "
            "you mean 'arm'?");
  EXPECT_EQ(
      errors("robot.links.arm.body.lenght=1"),
      "--set robot.links.arm.body.lenght=1: links[1].body.lenght: found an unknown key, expected type, length, "
      "section, material, quadrature, strain, pieces, rest_strain, stiffness, damping, stiffening, mass_per_length, "
      "rotary_inertia, "
      "shear_factor, torsion_constant, hyperelastic or visual; did you mean 'length'?");
  EXPECT_EQ(errors("robot.materials.n.density=1"),
            "--set robot.materials.n.density=1: robot.materials.n: found no such entry, expected m");
  EXPECT_EQ(errors("robot.links.arm.body.length=-1"),
            "--set robot.links.arm.body.length=-1: links[1].body.length: found -1, expected a number >= 1e-09 [m]");
  EXPECT_EQ(errors("robot.links.arm.body.length.x=1"),
            "--set robot.links.arm.body.length.x=1: robot.links.arm.body.length.x: found a value without parts before "
            "'x', expected a path that the file has");
  EXPECT_EQ(errors("robot.links[7].name=x"),
            "--set robot.links[7].name=x: robot.links[7]: found no such entry, expected one of its 3 entries, by index "
            "or name");
  EXPECT_EQ(errors("robot.base.pose[1]=2"),
            "--set robot.base.pose[1]=2: robot.base.pose[1]: found nothing before '[1]', expected a path that the file "
            "has");
  EXPECT_EQ(errors("simulation.duration=1"),
            "--set simulation.duration=1: found 'simulation.duration=1', expected robot.KEY.PATH=VALUE for a robot "
            "file");
  EXPECT_EQ(errors("robot.gravity"), "--set robot.gravity: found 'robot.gravity', expected KEY.PATH=VALUE");
  EXPECT_EQ(errors("robot.gravity=[1"),
            "--set robot.gravity=[1: YAML: found a list that begins with [ and does not end, expected a ] behind its "
            "last item");
}

TEST(RobotFile, GravityCanBeSetByComponentWhereTheFileHasNone) {
  const std::string text = "cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: 1}}]\n";
  const Robot robot = read_robot_text(text, "r.yaml", {"robot.gravity[0]=1.5", "robot.gravity[1]=2"});
  EXPECT_EQ(robot.gravity.x, 1.5);
  EXPECT_EQ(robot.gravity.y, 2.0);
  EXPECT_EQ(robot.gravity.z, -9.81);
  EXPECT_EQ(
      robot_errors(text, {"robot.gravity[3]=1"}),
      "--set robot.gravity[3]=1: robot.gravity[3]: found no such entry, expected one of its 3 entries, by index or "
      "name");
}

TEST(RobotFile, WarnsOfKeysWithoutEffect) {
  const auto warnings = [](const std::string& keys, const std::string& damping = "damping_time: 0") {
    TemporaryDirectory directory;
    const std::string text =
        "cuttle: 1\nmaterials: {m: {density: 1000, young_modulus: 1e6, " + damping +
        "}}\nlinks:\n"
        "  - name: a\n    body: {type: rod, length: 0.2, material: m, section: {shape: circle, radius: 0.01},\n" +
        keys + "}\n";
    std::string joined;
    for (const std::string& warning : load_robot_file(directory.write("r.yaml", text)).warnings) {
      joined += (joined.empty() ? "" : "\n") + warning.substr(directory.path("").size());
    }
    return joined;
  };
  const std::string stiffness = "      stiffness: [1, 1, 1, 1, 1, 1], ";
  EXPECT_EQ(warnings(stiffness + "shear_factor: 0.9, torsion_constant: 1e-9, strain: pcs"),
            "r.yaml:6:52: links[0].body.shear_factor: has no effect beside stiffness\n"
            "r.yaml:6:75: links[0].body.torsion_constant: has no effect beside stiffness");
  EXPECT_EQ(warnings("      shear_factor: 0.9, torsion_constant: 1e-9, strain: pcs"), "");
  // it is in the damping of a viscosity, too
  EXPECT_EQ(warnings(stiffness + "torsion_constant: 1e-9, strain: pcs", "viscosity: 3"), "");
  EXPECT_EQ(warnings("      strain: {kappa_x: constant}, hyperelastic: {stretch: [1]}"),
            "r.yaml:6:60: links[0].body.hyperelastic.stretch: has no effect: the strain has no sigma_z");
  EXPECT_EQ(warnings("      strain: {sigma_z: constant}, hyperelastic: {bend: [1]}"),
            "r.yaml:6:57: links[0].body.hyperelastic.bend: has no effect: the strain has neither kappa_x nor kappa_y");
  EXPECT_EQ(warnings("      strain: {sigma_z: constant}, stiffening: {kappa_x: [1], sigma_z: [1]}"),
            "r.yaml:6:58: links[0].body.stiffening.kappa_x: has no effect: the strain has no kappa_x");
  EXPECT_EQ(warnings("      strain: pcc, hyperelastic: {stretch: [1], bend: [1]}"), "");
  EXPECT_EQ(warnings("      strain: {kappa_y: constant}, hyperelastic: {bend: [1]}"), "");
}

TEST(RobotFile, KeepsItsTextAndWarnings) {
  TemporaryDirectory directory;
  const std::string text =
      "cuttle: 1\nmaterials: {m: {density: 1000, young_modulus: 1e6}, unused: {density: 1}}\nlinks:\n  - name: a\n    "
      "body: {type: rod, length: 0.2, material: m, section: {shape: circle, radius: 0.01}}\n  - {name: b, body: {type: "
      "rigid, mass: 1, inertia: [1, 1, 3, 0, 0, 0]}}";
  const std::string path = directory.write("r.yaml", text);
  const RobotFile file = load_robot_file(path, {"robot.gravity=[0, 0, 0]"});
  EXPECT_EQ(file.path, path);
  EXPECT_EQ(file.yaml, text + "\n# --set robot.gravity=[0, 0, 0]\n");
  ASSERT_EQ(file.warnings.size(), 3u);
  EXPECT_EQ(file.warnings[0], path + ":5:11: links[0].body: a rod without strain is rigid");
  EXPECT_EQ(file.warnings[1], path + ":2:61: materials.unused: no link is made of it");
  EXPECT_EQ(file.warnings[2].find(path + ":6:53: links[1].body.inertia: found principal moments"), 0u)
      << file.warnings[2];
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
