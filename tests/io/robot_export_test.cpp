// Robots for other programs: what is written is read again by the importers, which share no code with the writers, and
// must be the same robot; chains must tend to the rods that they stand for.
#include "cuttle/io/robot_export.h"

#include <cmath>
#include <memory>
#include <numbers>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/elements/joint_limit.h"
#include "io/command_line.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> whats_lost(const ExportedRobot& exported) {
  std::vector<std::string> all;
  for (const ExportNote& note : exported.notes) all.push_back(note.what);
  return all;
}

class RobotExport : public RobotImport {
 protected:
  Robot again(const ExportedRobot& exported, ExportFormat format) {
    for (const auto& [name, text] : exported.files) directory_.write(name, text);
    return import(format == ExportFormat::urdf ? "out.urdf" : "out.xml", exported.text).robot;
  }
  Robot through(const Robot& robot, ExportFormat format, int segments = 10) {
    ExportOptions options;
    options.segments = segments;
    return again(export_robot(robot, format, {}, options), format);
  }
  /// Tips of links at a random configuration: frames of their own in what was written.
  static void expect_same_tips(const Robot& robot, const Robot& expected, const std::vector<std::string>& links) {
    const Model a(robot), b(expected);
    Data data_a(a), data_b(b);
    test::Random random(3);
    VectorXd dq(a.nv());
    for (int i = 0; i < a.nv(); ++i) dq[i] = random.uniform(-1.0, 1.0);
    VectorXd q = a.neutral();
    integrate<double>(a, a.neutral(), dq, q);
    for (const std::string& link : links) {
      const bool is_link = robot.markers.empty();  // URDF has no frames but those of links
      const FrameT<double> frame = is_link ? a.tip_frame(link + "_tip") : a.marker_frame(link + "_tip");
      const Pose at = forward_kinematics<double>(a, data_a, q).pose(frame);
      const Pose tip = forward_kinematics<double>(b, data_b, q).pose(b.tip_frame(link));
      EXPECT_LT(norm(at.position - tip.position), 1e-13) << link;
      for (int i = 0; i < 3; ++i) EXPECT_LT(norm(at.rotation.row(i) - tip.rotation.row(i)), 1e-13) << link;
    }
  }
};

// odd axes, inertias and placements; a base that is not at the origin; tips that are elsewhere; a massless link
std::string rigid_robot(const std::string& springs) {
  return R"(cuttle: 1
name: odd
gravity: [1, -2, -9]
base: {pose: {position: [0.1, 0.2, 0.3], rpy: [0.4, -1.5707963267948966, 0.3]}}
links:
  - {name: shoulder, attach: {pose: {position: [0.1, 0, 0.2], rpy: [1.1, 1.5707963267948966, -0.4]}},
     joint: {type: revolute, axis: [1, 2, -2], damping: 0.3)" +
         (springs.empty() ? springs : ", stiffness: 2, rest: 0.3, armature: 0.02") + R"(},
     body: {type: rigid, mass: 1.3, com: [0.02, -0.03, 0.1], inertia: [0.02, 0.03, 0.015, 0.001, -0.002, 0.0005],
            tip: {position: [0, 0.1, 0.3], rpy: [0.2, 0.1, 0.5]}}}
  - {name: slide, joint: {type: prismatic, axis: [0.6, 0, 0.8], damping: 2)" +
         (springs.empty() ? springs : ", stiffness: 30") + R"(}}
  - {name: cross, attach: {pose: {position: [0, 0.1, 0], rpy: [0, 0.7, 0]}},
     joint: {type: universal, axes: [[1, 0, 0.2], [0, 1, 0]]},
     body: {type: rigid, mass: 0.4, com: [0.01, 0, 0.05], inertia: [1.0e-3, 2.0e-3, 1.5e-3, 0, 0, 0]}}
  - {name: table, joint: {type: planar}, body: {type: rigid, mass: 0.2, inertia: [1.0e-4, 1.0e-4, 1.5e-4, 0, 0, 0]}}
  - {name: bolt, joint: {type: cylindrical, axis: [0, 1, 0]},
     body: {type: rigid, mass: 0.3, com: [0.03, 0, 0], inertia: [2.0e-4, 1.0e-4, 1.5e-4, 2.0e-5, 0, 0]}}
  - {name: plate, parent: shoulder, attach: {pose: {rpy: [0, 0, 1]}},
     body: {type: rigid, mass: 0.1, com: [0, 0.1, 0], inertia: [1.0e-4, 1.0e-4, 1.0e-4, 0, 0, 0]}}
)" + springs;
}

TEST_F(RobotExport, RigidRobotsInMjcfMoveAsTheyDid) {
  const Robot robot = read_robot_text(rigid_robot(R"(
  - {name: ball, parent: shoulder, joint: {type: spherical, stiffness: 3, damping: 0.1, armature: 0.01},
     body: {type: rigid, mass: 0.3, com: [0.03, 0, 0], inertia: [2.0e-4, 1.0e-4, 1.5e-4, 2.0e-5, 0, 0]}}
  - {name: drone, parent: base, attach: {pose: {position: [1, 0, 0], rpy: [0, 0, 0.3]}}, joint: {type: free},
     body: {type: rigid, mass: 0.7, com: [0.03, 0, 0], inertia: [2.0e-3, 1.0e-3, 1.5e-3, 2.0e-5, 0, 0]}}
)"),
                                      "odd.yaml");
  const ExportedRobot exported = export_robot(robot, ExportFormat::mjcf);
  EXPECT_THAT(whats_lost(exported), ElementsAre("part without mass or inertia that moves: 2e-15 kg or kg m^2, as "
                                                "MuJoCo wants some"));
  const Robot read = again(exported, ExportFormat::mjcf);
  expect_same_robot(read, robot, {"slide", "cross", "table", "bolt", "plate", "ball", "drone"});
  expect_same_tips(read, robot, {"shoulder"});
}

TEST_F(RobotExport, RigidRobotsInUrdfMoveAsTheyDid) {
  Robot robot = read_robot_text(rigid_robot(""), "odd.yaml");
  const ExportedRobot exported = export_robot(robot, ExportFormat::urdf);
  EXPECT_THAT(whats_lost(exported), Contains("gravity of [1 -2 -9]: left out, URDF has none"));
  robot.gravity = {0.0, 0.0, -9.81};
  const Robot read = again(exported, ExportFormat::urdf);
  expect_same_robot(read, robot, {"slide", "cross", "table", "bolt", "plate"});
  expect_same_tips(read, robot, {"shoulder"});
}

// joints and links that URDF alone has may be called as others of the robot are
TEST_F(RobotExport, NamesInUrdfAreUnique) {
  const std::string rigid = "body: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}\n";
  const Robot robot = read_robot_text(
      "cuttle: 1\nlinks:\n"
      "  - {name: wrist, joint: {type: spherical}, " +
          rigid + "  - {name: wrist_x, joint: {type: revolute}, " + rigid +
          "  - {name: wrist_before_wrist_y, joint: {type: revolute}, " + rigid +
          "  - {name: plate_fixed, joint: {type: revolute}, " + rigid + "  - {name: plate, " + rigid +
          "  - {name: tool_fixed, joint: {type: revolute}, " + rigid + "markers: [{name: tool, link: plate}]\n",
      "names.yaml");
  const ExportedRobot exported = export_robot(robot, ExportFormat::urdf);
  const Robot read = again(exported, ExportFormat::urdf);  // which refuses names that are there twice
  EXPECT_THAT(exported.text, HasSubstr("<joint name=\"wrist_x_1\""));
  EXPECT_THAT(exported.text, HasSubstr("<link name=\"wrist_before_wrist_y_1\""));
  EXPECT_THAT(exported.text, HasSubstr("<joint name=\"plate_fixed_1\" type=\"fixed\""));
  EXPECT_THAT(exported.text, HasSubstr("<joint name=\"tool_fixed_1\" type=\"fixed\""));
  EXPECT_EQ(Model(read).nv(), Model(robot).nv());
}

TEST_F(RobotExport, FloatingBasesStayFree) {
  const Robot robot = read_robot_text(R"(cuttle: 1
base: {motion: floating, pose: {position: [0, 0.2, 1], rpy: [0.3, 0, 0.1]}}
links:
  - {name: trunk, body: {type: rigid, mass: 2, com: [0, 0.1, 0], inertia: [0.02, 0.03, 0.04, 0, 0.001, 0]}}
  - {name: leg, attach: {pose: {position: [0, 0, -0.1]}}, joint: {type: revolute, axis: [0, 1, 0]},
     body: {type: rigid, mass: 0.5, com: [0, 0, -0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0]}}
)",
                                      "walker.yaml");
  expect_same_robot(through(robot, ExportFormat::mjcf), robot, {"trunk", "leg"});
  const ExportedRobot urdf = export_robot(robot, ExportFormat::urdf);
  EXPECT_THAT(whats_lost(urdf), Contains(HasSubstr("floating base: the root link")));
  EXPECT_THAT(urdf.text, HasSubstr("<link name=\"base\""));
}

TEST_F(RobotExport, ActuatorsElementsAndLoopsInMjcfActAsTheyDid) {
  const Robot robot = read_robot_text(R"(cuttle: 1
links:
  - {name: a, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.01, 0, 0, 0], tip: {position: [0, 0, 0.3]}}}
  - {name: b, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.02, 0.01, 0, 0, 0]}}
  - {name: c, parent: base, attach: {pose: {position: [0.5, 0, 0]}}, joint: {type: prismatic}, body: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.01, 0, 0, 0]}}
actuators:
  - {name: motor, type: joint, link: b}
  - {name: gear, type: linear, links: [a, b], matrix: [[2, 0], [-3, 0.5]]}
  - {name: cable, type: tendon, slack: allow, routing: [{link: base, points: [[0.1, 0, 0]]}, {link: a, points: [[0.05, 0, 0.2], [0.05, 0, 0.25]]}, {link: b, points: [[0.04, 0, 0.1]]}]}
elements:
  - {name: stop, type: joint_limit, link: b, lower: -1, upper: 0.5, stiffness: 100, damping: 1, range: 0.01}
  - {name: gives, type: coupling, links: [a, b], factors: [1, 2], stiffness: 3, damping: 0.2, rest: -0.3}
loops:
  - {name: pin, type: spherical, a: {link: b, at: tip, pose: {position: [0, 0, 0.2]}}, b: {link: c, at: base, pose: {position: [-0.5, 0, 0.5]}}}
)",
                                      "acting.yaml");
  const Robot read = through(robot, ExportFormat::mjcf);
  Model a(robot), b(read);
  Data data_a(a), data_b(b);
  VectorXd q(3), u(4);
  q << 0.3, -0.4, 0.2;
  u << 1.0, 2.0, -3.0, 4.0;
  EXPECT_LT((actuation_force<double>(a, data_a, q, u) - actuation_force<double>(b, data_b, q, u)).norm(), 1e-13);
  const VectorXd v = VectorXd::Constant(3, 0.7);
  EXPECT_LT((element_force(a, data_a, q, v) - element_force(b, data_b, q, v)).norm(), 1e-13);  // no limit is reached
  const auto limit = std::find_if(read.elements.begin(), read.elements.end(), [](const Element& element) {
    return joint_limit_parameters(*element.law) != nullptr;
  });
  ASSERT_NE(limit, read.elements.end());
  EXPECT_EQ(joint_limit_parameters(*limit->law)->upper, 0.5);
  ASSERT_EQ(read.loops.size(), 1U);
  EXPECT_NEAR(norm(read.loops[0].a.pose.position - Vector3{0.0, 0.0, 0.2}), 0.0, 1e-15);
  EXPECT_NEAR(norm(read.loops[0].b.pose.position - Vector3{-0.5, 0.0, 0.5}), 0.0, 1e-15);
}

RodParameters tapered_rod() {
  RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = Profile(std::vector<double>{0.012, 0.007});
  rod.material = {.density = 1100, .young_modulus = 8e5, .damping_time = 0.02};
  rod.quadrature_points = 24;
  for (const int c : {kappa_x, kappa_y, kappa_z, sigma_z}) {
    rod.strain[static_cast<std::size_t>(c)] = StrainBasis::of_order(StrainBasis::Kind::legendre, 8);
  }
  rod.rest_strain[kappa_x] = Profile(std::vector<double>{0.0, 4.0});
  return rod;
}

Robot with_body(std::shared_ptr<const Body> body) {
  Robot robot;
  robot.base_pose.rotation = rotation_exponential(Vector3{0.3, 1.2, -0.2});
  robot.links.push_back({.name = "rod", .body = std::move(body)});
  return robot;
}

// what the chain says of itself, twice: segments halve, errors quarter
TEST_F(RobotExport, ChainsTendToTheirRodsBySecondOrder) {
  const Robot robot = with_body(std::make_shared<const RodBody>(tapered_rod()));
  std::vector<ExportedChain> chains;
  for (const int n : {6, 12, 24}) {
    ExportOptions options;
    options.segments = n;
    chains.push_back(export_robot(robot, ExportFormat::mjcf, {}, options).chains.at(0));
  }
  for (std::size_t i = 0; i + 1 < chains.size(); ++i) {
    const double now = chains[i].frequency / chains[i].body_frequency - 1.0;
    const double next = chains[i + 1].frequency / chains[i + 1].body_frequency - 1.0;
    EXPECT_NEAR(now / next, 4.0, 0.4) << now << " " << next;
    ASSERT_TRUE(chains[i].tip_distance && chains[i + 1].tip_distance);
    EXPECT_NEAR(*chains[i].tip_distance / *chains[i + 1].tip_distance, 4.0, 0.5);
  }
  EXPECT_LT(*chains.back().tip_distance, 1e-3 * 0.3);
}

// a slender cantilever: the first root of 1 + cos x cosh x = 0 is 1.8751040687
TEST_F(RobotExport, ChainsHaveTheFrequencyOfACantilever) {
  RodParameters rod;
  rod.length = 0.5;
  rod.section.radius = Profile(0.003);
  rod.material = {.density = 1100, .young_modulus = 2e6};
  rod.strain = strain_shorthand<double>("pcc", rod.length);
  ExportOptions options;
  options.segments = 40;
  const ExportedRobot exported =
      export_robot(with_body(std::make_shared<const RodBody>(rod)), ExportFormat::mjcf, {}, options);
  const double EI_over_m = 2e6 / 1100 * 0.003 * 0.003 / 4, root = 1.8751040687 / rod.length;
  const double exact = root * root * std::sqrt(EI_over_m) / (2.0 * std::numbers::pi);
  ASSERT_EQ(exported.chains.size(), 1U);
  EXPECT_NEAR(exported.chains[0].frequency / exact, 1.0, 3e-4);
  EXPECT_NEAR(exported.chains[0].body_frequency / exact, std::sqrt(20.0) / 3.5160153, 1e-3);  // of constant curvature
  EXPECT_THAT(exported.text, HasSubstr("rod: a chain of 40 rigid segments with springs; first frequency"));
}

TEST_F(RobotExport, ChainsWeighWhatTheirRodsWeigh) {
  const auto rod = std::make_shared<const RodBody>(tapered_rod());
  const Robot chain = through(with_body(rod), ExportFormat::mjcf);
  const Model model(chain);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  SpatialInertia sum;
  for (const LinkInfoT<double>& link : model.links()) {
    sum += link.rest_inertia.in_parent(kinematics.pose(model.base_frame("rod")).inverse() * kinematics.pose(link.base));
  }
  const SpatialInertia expected = rod->rest_inertia();
  EXPECT_NEAR(sum.mass, expected.mass, 1e-14);
  EXPECT_LT(norm(sum.moment - expected.moment), 1e-9 * expected.mass);  // the rod has points of its own
  EXPECT_NEAR(sum.rotation.xx, expected.rotation.xx, 1e-8 * expected.rotation.xx);
}

// bent evenly, a chain keeps the energy of the joint, whose two axes are coupled, and its actuator does the same work
TEST_F(RobotExport, ContinuumJointsBecomeChains) {
  const auto joint = std::make_shared<const ContinuumJoint>(ContinuumJointParameters{.length = 0.2,
                                                                                     .mass = 0.8,
                                                                                     .radius = 0.06,
                                                                                     .stiffness = {12.0, 9.0},
                                                                                     .coupling_stiffness = 3.0,
                                                                                     .damping = {0.1, 0.1}});
  Robot robot = with_body(joint);
  robot.actuators.push_back(Actuator::linear("valve", {"rod"}, {{2.0}, {-0.7}}));
  const int n = 4;
  const Model chain(through(robot, ExportFormat::mjcf, n));
  ASSERT_EQ(chain.nv(), 2 * n);
  Data data(chain);
  // how far each joint turns where every segment bends by (u, v) / n
  const double u = 1e-4, v = -0.6e-4, q_joint[2] = {u, v};
  VectorXd q(2 * n);
  const VectorXd zero = VectorXd::Zero(2 * n);
  const auto& kinematics = forward_kinematics<double>(chain, data, zero);
  const Pose base_tip = kinematics.pose(chain.base_frame("rod")).inverse() * kinematics.pose(chain.tip_frame("rod_4"));
  const MatrixXd J = frame_jacobian<double>(chain, data, zero, chain.tip_frame("rod_4"));
  for (int i = 0; i < 2 * n; ++i) {
    const Vector3 axis = base_tip.rotation * Vector3{J(0, i), J(1, i), J(2, i)};
    EXPECT_NEAR(norm(axis), 1.0, 1e-14);
    q[i] = (axis.x * u + axis.y * v) / n;
  }
  EXPECT_NEAR(elastic_energy<double>(chain, data, q) / joint->elastic_energy(q_joint), 1.0, 1e-12);
  const VectorXd input = VectorXd::Constant(1, 5.0);
  EXPECT_NEAR(q.dot(actuation_force<double>(chain, data, VectorXd::Zero(2 * n), input)), 5.0 * (2.0 * u - 0.7 * v),
              1e-15);
}

TEST_F(RobotExport, TendonsAndChambersRunAlongChains) {
  RodParameters rod = tapered_rod();
  rod.strain = strain_shorthand<double>("pcc", rod.length);
  rod.rest_strain = {};
  Robot robot = with_body(std::make_shared<const RodBody>(rod));
  Routing routing;
  routing.link = "rod", routing.offset = {{0.01, 0.002}, {0.004, 0.001}};
  robot.actuators.push_back(Actuator::tendon("cable", {routing}, Slack::allow));
  robot.actuators.push_back(Actuator::chamber("muscle", "rod", {0.004, -0.003}, 2e-5));
  const Model model(robot);
  Data data(model);
  VectorXd q(3);
  q << 0.5, -0.8, 0.01;
  const VectorXd exact = actuation_coordinates<double>(model, data, q);
  double errors[2];
  for (const int i : {0, 1}) {
    const int n = i == 0 ? 8 : 16;
    const Model chain(through(robot, ExportFormat::mjcf, n));
    Data chain_data(chain);
    VectorXd bent(chain.nv());
    for (int k = 0; k < chain.nv(); ++k) {
      const std::string name = chain.velocity_info()[static_cast<std::size_t>(k)].name;
      bent[k] = 0.0;
      const bool is_last = name.find("kappa") == std::string::npos && name.find("sigma") == std::string::npos;
      // the last joint of a body has the body's name: sigma_z of odd segments, kappa_x of even ones
      const int segment = std::stoi(name.substr(4));
      if (name.find("kappa_x") != std::string::npos || (is_last && segment % 2 == 0)) bent[k] = q[0] / n;
      if (name.find("kappa_y") != std::string::npos) bent[k] = q[1] / n;
      if (name.find("sigma_z") != std::string::npos || (is_last && segment % 2 == 1)) bent[k] = q[2] / n;
    }
    const VectorXd y = actuation_coordinates<double>(chain, chain_data, bent);
    errors[i] = std::abs(y[0] - exact[0]);
    const VectorXd at_rest = actuation_coordinates<double>(model, data, VectorXd::Zero(3));
    EXPECT_NEAR(y[1], exact[1] - at_rest[1], 1e-18) << n;  // linear in the strains: exact
  }
  EXPECT_LT(errors[0], 0.05 * std::abs(exact[0]));
  EXPECT_LT(errors[1], 0.35 * errors[0]);
}

TEST_F(RobotExport, SaysWhatCannotBeHad) {
  const Robot robot = read_robot_text(R"(cuttle: 1
materials: {rubber: {density: 1000, model: neo_hookean, c1: 1.0e5}}
links:
  - {name: finger, body: {type: volume, material: rubber, shape: {type: cylinder, length: 0.1, radius: 0.01}, kinematics: {type: lvp, primitives: [{type: bend, x: [[1]], y: [[1]]}]}}}
  - {name: nail, body: {type: rigid, mass: 0.1, com: [0, 0, 0.01]}}
loads:
  - {type: wrench, link: nail, force: [1, 0, 0]}
)",
                                      "finger.yaml");
  EXPECT_THAT(
      message<ModelError>([&] { export_robot(robot, ExportFormat::mjcf); }),
      HasSubstr("finger: body: found a body of type volume, which the format does not have, expected rigid, rod "
                "or continuum_joint, or to be allowed"));
  ExportOptions options;
  options.allow_loss = true;
  const ExportedRobot exported = export_robot(robot, ExportFormat::urdf, {}, options);
  EXPECT_THAT(whats_lost(exported), ElementsAre("body of type volume: rigid, in its rest shape", "load: left out"));
  EXPECT_THAT(exported.text, HasSubstr("body of type volume: rigid, in its rest shape (finger)"));
  EXPECT_EQ(exported.files.size(), 1U);  // its surface
  const Model read(again(exported, ExportFormat::urdf));
  const Model original(robot);
  Data data(read), original_data(original);
  const Pose nail = forward_kinematics<double>(read, data, read.neutral()).pose(read.base_frame("nail"));
  EXPECT_NEAR(nail.position.z, 0.1, 1e-13);
  EXPECT_NEAR(gravity_energy<double>(read, data, read.neutral()),
              gravity_energy<double>(original, original_data, original.neutral()), 1e-14);
  options.segments = 0;
  EXPECT_THAT(message<ArgumentError>([&] { export_robot(robot, ExportFormat::mjcf, {}, options); }),
              HasSubstr("segments: found 0, expected a whole number from 1 to 200"));
}

class ExportCommand : public CommandLine {};

TEST_F(ExportCommand, WritesRobotsForOtherPrograms) {
  const std::string xml = directory_.path("arm.xml");
  const std::string command = "export " + model("examples/tendon_arm.yaml") + " --mjcf --segments 4";
  const Result written = run(command + " -o " + xml);
  EXPECT_EQ(written.code, 0) << written.errors;
  EXPECT_THAT(written.output, HasSubstr("arm.xml: 3 links; nothing is lost"));
  EXPECT_THAT(written.errors, HasSubstr("lower: a chain of 4 rigid segments with springs; first frequency"));
  EXPECT_EQ(run("import " + xml + " -o " + directory_.path("arm.yaml")).code, 0);
  EXPECT_THAT(run(command + " -o " + xml).errors, HasSubstr("--force (in Python replace=True) replaces it"));
  const Result json = run(command + " --force --json -o " + xml);
  EXPECT_THAT(json.output, HasSubstr("{\"link\": \"upper\", \"segments\": 4, "));
  const Result text = run("export " + model("examples/tendon_arm.yaml") + " --urdf");
  EXPECT_THAT(text.output, testing::StartsWith("<?xml version=\"1.0\"?>\n<!--\n  The robot 'tendon_arm'"));
  EXPECT_THAT(text.errors, HasSubstr("actuator: left out, URDF has none"));
  EXPECT_THAT(run("export " + model("examples/lvp_finger.yaml") + " --urdf").errors, HasSubstr("(--allow-loss)"));
  EXPECT_THAT(run(command + " -o arm.yaml").errors, HasSubstr("found 'arm.yaml', expected a name that ends in .xml"));
  EXPECT_THAT(run(command + " --json").errors, HasSubstr("--json: found no --output"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
