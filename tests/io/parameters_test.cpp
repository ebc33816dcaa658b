// Model::with against the text of the file with the number edited in it, and the paths, errors and copies.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "io/io_support.h"
#include "support/parameter_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::parameter_robots;
using test::ParameterRobot;
using testing::HasSubstr;

/// A number of a file's text, found by YAML's own parser: an alias makes several paths of one place.
struct WrittenNumber {
  std::vector<std::string> paths;
  std::string text;
};

/// Keys whose numbers are no parameters: integers, signals and what physics ignores.
const std::set<std::string> k_no_parameters{"cuttle", "pieces",           "order",           "nodes",      "index",
                                            "force",  "torque",           "visual",          "color",      "powers",
                                            "rule",   "angular_velocity", "linear_velocity", "quadrature", "drive"};
bool holds_parameters(const std::string& path, const std::string& key) {
  const bool of_fluid = key == "points" && path.starts_with("loads");        // not places of a tendon
  const bool of_contact = key == "spacing" && path.starts_with("contacts");  // says how many sites there are
  return !of_fluid && !of_contact && k_no_parameters.count(key) == 0;
}

void collect(const YAML::Node& node, const std::string& path, std::map<int, WrittenNumber>& numbers) {
  if (node.IsScalar()) {
    static const std::regex number("[-+]?[0-9_]*\\.?[0-9]+\\.?([eE][-+]?[0-9]+)?");
    if (!std::regex_match(node.Scalar(), number)) return;
    WrittenNumber& written = numbers[node.Mark().pos];
    written.paths.push_back(path);
    written.text = node.Scalar();
  } else if (node.IsSequence()) {
    const bool named = path == "links" || path == "actuators" || path == "elements" || path == "loops" ||
                       path == "sensors" || path == "markers" || path == "obstacles" || path == "contacts";
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string item = named ? "." + node[i]["name"].Scalar() : fmt::format("[{}]", i);
      collect(node[i], path + item, numbers);
    }
  } else if (node.IsMap()) {
    for (const auto& entry : node) {
      const std::string key = entry.first.Scalar();
      if (key == "modes" && entry.second.IsScalar()) continue;  // their number
      if (holds_parameters(path, key)) collect(entry.second, path.empty() ? key : path + "." + key, numbers);
    }
  }
}

std::map<int, WrittenNumber> numbers_in(const std::string& text) {
  std::map<int, WrittenNumber> numbers;
  collect(YAML::Load(text), "", numbers);
  return numbers;
}

/// Everything about the model that a number of the file can change, at a fixed state.
VectorXd fingerprint(const Model& model) {
  test::Random random(7);
  const test::RandomState state = test::random_state(model, random, 1.0);
  Data data(model);
  std::vector<double> all;
  const auto add = [&all](const auto& matrix) {
    const MatrixXd values = matrix;
    all.insert(all.end(), values.data(), values.data() + values.size());
  };
  add(mass_matrix<double>(model, data, state.q));
  add(inverse_dynamics<double>(model, data, state.q, state.v, state.a));
  add(actuation_matrix<double>(model, data, state.q));
  add(actuation_coordinates<double>(model, data, state.q));
  ElementData elements(model);
  element_motion<double>(model, data, state.q, state.v, elements);
  element_efforts<double>(model, 0.3, VectorXd::Constant(model.nu(), 0.7), elements);
  add(elements.matrix * elements.efforts);
  std::vector<ExternalWrench> wrenches(load_wrench_count(model));
  load_wrenches<double>(model, 0.3, wrenches);
  add(external_force<double>(model, data, state.q, wrenches));
  std::vector<ExternalWrench> of_motion(state_load_count(model));
  const VectorXd integrals = VectorXd::Constant(load_integral_count(model), 0.7);
  state_load_wrenches<double>(model, data, 0.3, state.q, state.v, state.a, integrals, of_motion);
  add(external_force<double>(model, data, state.q, of_motion));
  ConstraintData constraints(model);
  add(constraint_residual<double>(model, data, constraints, state.q));
  add(constraint_jacobian<double>(model, data, constraints, state.q));
  const auto& kinematics = forward_kinematics<double>(model, data, state.q);
  for (const auto& link : model.links()) {
    for (const Frame& frame : {link.base, link.tip}) {
      const Pose pose = kinematics.pose(frame);
      for (const Vector3& p : {pose.position, pose.rotation.row0, pose.rotation.row1}) {
        all.insert(all.end(), {p.x, p.y, p.z});
      }
    }
  }
  return Eigen::Map<const VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// The fingerprint, or what the error says without columns: those behind an edited number move.
template <typename F>
std::pair<VectorXd, std::string> outcome(const F& make_model) {
  try {
    return {fingerprint(make_model()), ""};
  } catch (const Error& error) {
    return {VectorXd(), std::regex_replace(std::string(error.what()), std::regex("(r\\.yaml:[0-9]+):[0-9]+"), "$1")};
  }
}

class EveryFile : public testing::TestWithParam<ParameterRobot> {};

TEST_P(EveryFile, ListsEveryNumberOfTheFileWithItsValue) {
  const std::string& text = GetParam().text;
  std::map<std::string, double> written;
  for (const auto& [position, number] : numbers_in(text)) {
    std::string digits;
    for (const char c : number.text) {
      if (c != '_') digits += c;
    }
    for (const std::string& path : number.paths) written[path] = std::stod(digits);
  }
  const Model model(read_robot_text(text, "r.yaml"));
  std::set<std::string> given, all;
  for (const ParameterInfo& parameter : model.parameters()) {
    EXPECT_TRUE(all.insert(parameter.path).second) << parameter.path << " twice";
    EXPECT_EQ(model.parameter(parameter.path).value, parameter.value);
    if (!parameter.given) continue;
    given.insert(parameter.path);
    ASSERT_EQ(written.count(parameter.path), 1u) << parameter.path;
    EXPECT_EQ(parameter.value, written[parameter.path]) << parameter.path;
  }
  for (const auto& [path, value] : written) EXPECT_EQ(given.count(path), 1u) << path << " is not listed";
}

TEST_P(EveryFile, WithIsTheFileWithTheNumberEdited) {
  const std::string& text = GetParam().text;
  const Model model(read_robot_text(text, "r.yaml"));
  const VectorXd before = fingerprint(model);
  int moved = 0, refused = 0;
  for (const auto& [position, number] : numbers_in(text)) {
    ASSERT_EQ(text.compare(position, number.text.size(), number.text), 0) << number.text;
    const double value = model.parameter(number.paths.front()).value;
    for (const double other : {0.97 * value, value + 0.013, -value, 1e-9, value * (1.0 + 3e-7)}) {
      SCOPED_TRACE(fmt::format("{} = {}", number.paths.front(), other));
      std::string edited = text;
      edited.replace(position, number.text.size(), fmt::format("{}", other));
      std::vector<ParameterChange> changes;
      for (const std::string& path : number.paths) changes.push_back({path, other});
      const auto expected = outcome([&] { return Model(read_robot_text(edited, "r.yaml")); });
      const auto found = outcome([&] { return model.with(changes); });
      EXPECT_EQ(found.second, expected.second);
      ASSERT_EQ(found.first.size(), expected.first.size());
      EXPECT_TRUE((found.first.array() == expected.first.array()).all());
      if (expected.second.empty() && !(expected.first.array() == before.array()).all()) ++moved;
      if (!expected.second.empty()) ++refused;
    }
  }
  EXPECT_GT(moved, 10) << "edits without effect show nothing";
  EXPECT_GT(refused, 3);
  const VectorXd after = fingerprint(model);
  EXPECT_TRUE((after.array() == before.array()).all()) << "the original changed";
}

INSTANTIATE_TEST_SUITE_P(Robots, EveryFile, testing::ValuesIn(parameter_robots()),
                         [](const auto& robot) { return robot.param.name; });

// --- defaults -----------------------------------------------------------------------------------------------------

/// Two links of one material, with room for another key in each mapping.
std::string arm_text(const std::string& root = "", const std::string& material = "", const std::string& joint = "",
                     const std::string& body = "", const std::string& hand = "") {
  return "cuttle: 1\n" + root + "materials: {silicone: {density: 1070, young_modulus: 5e5" + material +
         "}}\n"
         "links:\n"
         "  - name: upper\n"
         "    joint: {type: revolute" +
         joint +
         "}\n"
         "    body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.02}, material: silicone, quadrature: "
         "{points: 4}, "
         "strain: pcs" +
         body +
         "}\n"
         "  - name: lower\n"
         "    body: {type: rod, length: 0.2, section: {shape: circle, radius: [0.02, 0.01]}, material: silicone, "
         "quadrature: {points: 4}, strain: pcc, rest_strain: {}}\n"
         "  - name: hand\n"
         "    attach: {pose: {}}\n"
         "    body: {type: rigid, mass: 0.1" +
         hand + "}\n";
}

Model arm() { return Model(read_robot_text(arm_text(), "arm.yaml")); }

void expect_same(const Model& found, const Model& expected) {
  const VectorXd a = fingerprint(found), b = fingerprint(expected);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE((a.array() == b.array()).all()) << (a - b).norm();
}

TEST(Parameters, DefaultsAreListedAndCanBeSet) {
  const Model model = arm();
  const auto expect = [&model](const char* path, double fallback, double value, const std::string& text) {
    SCOPED_TRACE(path);
    EXPECT_EQ(model.parameter(path).value, fallback);
    EXPECT_FALSE(model.parameter(path).given);
    const Model changed = model.with(path, value);
    expect_same(changed, Model(read_robot_text(text, "arm.yaml")));
    EXPECT_EQ(changed.parameter(path).value, value);
    EXPECT_TRUE(changed.parameter(path).given);
    EXPECT_GT((fingerprint(changed) - fingerprint(model)).norm(), 0.0);
    // and the default, set, is what leaving it out means
    expect_same(model.with(path, fallback), model);
  };
  expect("gravity[2]", -9.81, -1.62, arm_text("gravity: [0, 0, -1.62]\n"));
  expect("materials.silicone.poisson_ratio", 0.5, 0.3, arm_text("", ", poisson_ratio: 0.3"));
  expect("materials.silicone.damping_time", 0.0, 0.2, arm_text("", ", damping_time: 0.2"));
  expect("links.upper.joint.axis[0]", 0.0, 0.5, arm_text("", "", ", axis: [0.5, 0, 1]"));
  expect("links.upper.joint.stiffness", 0.0, 3.0, arm_text("", "", ", stiffness: 3"));
  expect("links.upper.joint.damping", 0.0, 3.0, arm_text("", "", ", damping: 3"));
  expect("links.upper.joint.armature", 0.0, 3.0, arm_text("", "", ", armature: 3"));
  expect("links.upper.body.shear_factor", 1.0, 0.8, arm_text("", "", "", ", shear_factor: 0.8"));
  expect("links.hand.body.com[1]", 0.0, 0.03, arm_text("", "", "", "", ", com: [0, 0.03, 0]"));
  expect("links.hand.body.inertia[0]", 0.0, 2e-4, arm_text("", "", "", "", ", inertia: [2e-4, 0, 0, 0, 0, 0]"));
  const auto edited = [](const std::string& from, const std::string& to) {
    std::string text = arm_text();
    return text.replace(text.find(from), from.size(), to);
  };
  expect("links.hand.attach.pose.position[0]", 0.0, 0.1, edited("pose: {}", "pose: {position: [0.1, 0, 0]}"));
  expect("links.hand.attach.pose.rpy[2]", 0.0, 0.7, edited("pose: {}", "pose: {rpy: [0, 0, 0.7]}"));
  expect("links.lower.body.rest_strain.sigma_z", 1.0, 1.1, edited("rest_strain: {}", "rest_strain: {sigma_z: 1.1}"));
  expect("links.lower.body.rest_strain.kappa_x", 0.0, 1.1, edited("rest_strain: {}", "rest_strain: {kappa_x: 1.1}"));
}

// --- what a parameter is

TEST(Parameters, HaveUnits) {
  const Model model(read_robot_text(parameter_robots()[0].text, "rods.yaml"));
  const std::map<std::string, std::string> units{{"gravity[2]", "m/s^2"},
                                                 {"materials.linear.young_modulus", "Pa"},
                                                 {"materials.linear.poisson_ratio", ""},
                                                 {"links.legendre.joint.stiffness[1]", "N m/rad"},
                                                 {"links.gaussian.joint.stiffness", "N/m"},
                                                 {"links.gaussian.joint.armature", "kg"},
                                                 {"links.hermite.joint.damping[0]", "N m s/rad"},
                                                 {"links.hermite.joint.damping[1]", "N s/m"},
                                                 {"links.hermite.joint.rest[1]", "m"},
                                                 {"links.pieces.joint.armature[2]", "kg m^2"},
                                                 {"links.pieces.joint.damping", "N m s/rad or N s/m"},
                                                 {"links.pointer.joint.rest[0]", ""},
                                                 {"links.pointer.joint.damping[2]", "N m s/rad"},
                                                 {"links.pointer.attach.at.s", "m"},
                                                 {"links.stiff.body.stiffness[1][0]", "N m^2"},
                                                 {"links.stiff.body.stiffness[5]", "N"},
                                                 {"links.stiff.body.rotary_inertia[0]", "kg m"},
                                                 {"links.general.body.section.area[1]", "m^2"},
                                                 {"links.law.body.hyperelastic.stretch[0]", "J"},
                                                 {"loads[1].at.point[2]", "m"}};
  for (const auto& [path, unit] : units) EXPECT_EQ(model.parameter(path).unit, unit) << path;
}

TEST(Parameters, ASharedMaterialIsOneAndMovesAllItsLinks) {
  const Model model = arm();
  int densities = 0;
  for (const ParameterInfo& parameter : model.parameters()) {
    if (parameter.path.find("density") != parameter.path.npos) ++densities;
  }
  EXPECT_EQ(densities, 1);
  const Model heavier = model.with("materials.silicone.density", 2140.0);
  for (int link = 0; link < 2; ++link) {
    EXPECT_DOUBLE_EQ(heavier.links()[link].rest_inertia.mass, 2.0 * model.links()[link].rest_inertia.mass);
  }
  EXPECT_EQ(heavier.links()[2].rest_inertia.mass, model.links()[2].rest_inertia.mass);
}

TEST(Parameters, PathsMayBeginWithRobotAndUseIndices) {
  const Model model = arm();
  for (const char* path : {"links.lower.body.section.radius[1]", "robot.links.lower.body.section.radius[1]",
                           "links[1].body.section.radius[1]", "robot.links[1].body.section.radius[1]"}) {
    const ParameterInfo info = model.parameter(path);
    EXPECT_EQ(info.path, "links.lower.body.section.radius[1]");
    EXPECT_EQ(info.value, 0.01);
    EXPECT_EQ(info.unit, "m");
    EXPECT_EQ(model.with(path, 0.015).parameter(path).value, 0.015);
  }
}

TEST(Parameters, CopiesAreIndependentAndChain) {
  const Model model = arm();
  const VectorXd before = fingerprint(model);
  const Model longer = model.with("links.upper.body.length", 0.4);
  const Model both = longer.with("gravity[2]", -1.62);
  const Model again = both.with("links.upper.body.length", 0.3);
  EXPECT_EQ(model.parameter("links.upper.body.length").value, 0.3);
  EXPECT_EQ(longer.parameter("gravity[2]").value, -9.81);
  EXPECT_EQ(both.parameter("links.upper.body.length").value, 0.4);
  EXPECT_EQ(both.robot().gravity.z, -1.62);
  expect_same(both, model.with({{"links.upper.body.length", 0.4}, {"gravity[2]", -1.62}}));
  expect_same(again, model.with("gravity[2]", -1.62));
  expect_same(model.with({{"gravity[2]", 5.0}, {"gravity[2]", -1.62}}), again);  // the later one counts
  EXPECT_TRUE((fingerprint(model).array() == before.array()).all());
}

TEST(Parameters, OverridesAreInTheValues) {
  const Model model(read_robot_text(arm_text(), "arm.yaml", {"robot.links.upper.body.length=0.5"}));
  EXPECT_EQ(model.parameter("links.upper.body.length").value, 0.5);
  expect_same(
      model.with("gravity[0]", 1.0),
      Model(read_robot_text(arm_text(), "arm.yaml", {"robot.gravity[0]=1", "robot.links.upper.body.length=0.5"})));
}

TEST(Parameters, NeedNoFileNotEvenTablesOfSignals) {
  std::string path;
  const Model model = [&path] {
    const TemporaryDirectory directory;
    directory.write("force.csv", "time,f\n0,1\n1,3\n");
    path = directory.write("arm.yaml", arm_text() +
                                           "loads:\n  - {type: wrench, link: hand, force: [0, 0, {type: "
                                           "table, file: force.csv, column: f}]}\n");
    return Model(read_robot_file(path));
  }();
  ASSERT_FALSE(std::filesystem::exists(path));
  const Model changed = model.with("links.upper.body.length", 0.35);
  EXPECT_EQ(changed.robot().loads[0].law->timed()->force[2].at(0.5), 2.0);
  EXPECT_EQ(changed.with("gravity[0]", 1.0).parameter("links.upper.body.length").value, 0.35);
}

TEST(Parameters, MarkersStay) {
  Robot robot = read_robot_text(arm_text(), "arm.yaml");
  robot.markers.push_back(
      {.name = "camera", .place = {"hand", PortLocation::tip(), {Matrix3::identity(), {0.1, 0, 0}}}});
  const Model model(robot);
  const Model changed = model.with("links.upper.body.length", 0.4);
  Data data(changed);
  const auto& kinematics = forward_kinematics<double>(changed, data, changed.neutral());
  EXPECT_NEAR(kinematics.pose(changed.marker_frame("camera")).position.z, 0.6, 1e-15);
}

// --- errors -------------------------------------------------------------------------------------------------------

TEST(ParameterErrors, UnknownPathsNameTheNearest) {
  const Model model = arm();
  const auto error = [&model](const char* path) {
    EXPECT_EQ(message<ArgumentError>([&] { model.with(path, 1.0); }),
              message<ArgumentError>([&] { model.parameter(path); }));
    return message<ArgumentError>([&] { model.parameter(path); });
  };
  EXPECT_EQ(error("links.upper.body.lenght"),
            "parameter: found 'links.upper.body.lenght', which 'robot' does not have (arm.yaml); did you mean "
            "'links.upper.body.length'?");
  EXPECT_EQ(
      error("links.upper.body.section.radius[0]"),
      "parameter: found 'links.upper.body.section.radius[0]', which 'robot' does not have (arm.yaml); did you mean "
      "'links.upper.body.section.radius'?");
  EXPECT_EQ(error("xyz"),
            "parameter: found 'xyz', which 'robot' does not have (arm.yaml), expected one of its 43 parameters, which "
            "`cuttle "
            "parameters` lists");
  EXPECT_EQ(error(""), "parameter: found '', which has parts, expected one number");
  EXPECT_EQ(error("links.lower.body.section.radius"),
            "parameter: found 'links.lower.body.section.radius', which has parts, expected one number as "
            "'links.lower.body.section.radius[0]'");
  EXPECT_EQ(error("links.upper.body.quadrature.points"),
            "parameter: found 'links.upper.body.quadrature.points', which is no parameter (4 at arm.yaml:6:117), "
            "expected a real "
            "number that the dynamics depend on: for integers, texts, signals and `visual`, load the file again with "
            "an override");
  EXPECT_THAT(error("links[0].name"), HasSubstr("which is no parameter (upper at arm.yaml:4:11)"));
}

TEST(ParameterErrors, WrongValuesSayWhatTheFileWouldSay) {
  const Model model = arm();
  const auto error = [&model](const std::vector<ParameterChange>& changes) {
    return message<ModelError>([&] { model.with(changes); });
  };
  EXPECT_EQ(error({{"links.upper.body.length", -0.3}}),
            "arm.yaml:6:31: links[0].body.length: found -0.3, expected a number >= 1e-09 [m]");
  EXPECT_EQ(error({{"links.upper.body.length", std::numeric_limits<double>::quiet_NaN()}}),
            "arm.yaml:6:31: links[0].body.length: found nan, expected a number >= 1e-09 [m]");
  EXPECT_EQ(error({{"links.hand.body.mass", std::numeric_limits<double>::infinity()}}),
            "arm.yaml:11:31: links[2].body.mass: found inf, expected a number >= 0 [kg]");
  // defaults: at the mapping that they stand in
  EXPECT_EQ(error({{"gravity[1]", std::numeric_limits<double>::quiet_NaN()}}),
            "arm.yaml:1:1: gravity[1]: found nan, expected a finite number [m/s^2]");
  EXPECT_EQ(error({{"links.upper.body.shear_factor", 0.0}}),
            "arm.yaml:6:11: links[0].body.shear_factor: found 0, expected a number > 0");
  // all of them, in the order of the file
  EXPECT_EQ(error({{"links.hand.body.mass", -1.0}, {"materials.silicone.density", 0.0}}),
            "arm.yaml:2:33: materials.silicone.density: found 0, expected a number > 0 [kg/m^3]\n"
            "arm.yaml:11:31: links[2].body.mass: found -1, expected a number >= 0 [kg]");
  // what only the body knows
  EXPECT_THAT(error({{"links.hand.body.inertia[3]", 1.0}}), HasSubstr("arm.yaml:11:11: links[2].body"));
  EXPECT_THAT(error({{"links.upper.joint.axis[2]", 0.0}}),
              HasSubstr("arm.yaml:5:12: links[0].joint.axis: found [0, 0, 0], expected an axis that is not zero"));
}

// A robot that was changed after it was read is described anew: nothing of the change is lost.
TEST(ParameterSources, SeeEveryChangeOfARobot) {
  const auto sees = [](const auto& change) {
    Robot robot = read_robot_text(arm_text() +
                                      "actuators: [{name: motor, type: joint, link: upper}]\n"
                                      "loads: [{type: wrench, link: hand, force: [1, 2, 3]}]\n"
                                      "loops: [{name: pin, type: spherical, a: {link: hand}, b: {link: base}}]\n",
                                  "arm.yaml");
    Model(robot).parameters();  // as read, it has them
    EXPECT_EQ(parameter_source(robot), robot.source);
    change(robot);
    try {
      return parameter_source(robot) != robot.source;
    } catch (const ModelError&) {
      return true;  // no file can describe it now
    }
  };
  // every field of a robot and of what is in it
  const std::vector<std::function<void(Robot&)>> changes{
      [](Robot& r) { r.name = "other"; },
      [](Robot& r) { r.gravity.x = 1.0; },
      [](Robot& r) { r.floating_base = true; },
      [](Robot& r) { r.base_pose.position.y = 1.0; },
      [](Robot& r) {
        r.base_pose.rotation = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
      },
      [](Robot& r) { r.links.pop_back(), r.loads.clear(), r.loops.clear(); },
      [](Robot& r) { r.links[1].name = "middle"; },
      [](Robot& r) { r.links[2].parent.link = "upper"; },
      [](Robot& r) { r.links[2].parent.at = PortLocation::base(); },
      [](Robot& r) { r.links[2].parent.pose.position.z = 0.1; },
      [](Robot& r) {
        r.links[0].joint = make_revolute_joint<double>({0, 1, 0});
      },
      [](Robot& r) { r.links[2].body = nullptr; },
      [](Robot& r) { r.links[0].joint_dynamics.stiffness = {1.0}; },
      [](Robot& r) { r.links[0].joint_dynamics.damping = {1.0}; },
      [](Robot& r) { r.links[0].joint_dynamics.armature = {1.0}; },
      [](Robot& r) { r.links[0].joint_dynamics.rest = {1.0}; },
      [](Robot& r) {
        r.markers.push_back({"eye", {.link = "hand", .pose = {}}});
      },
      [](Robot& r) { r.actuators.clear(); },
      [](Robot& r) { r.actuators[0].name = "engine"; },
      [](Robot& r) { r.actuators[0].transmission = r.actuators[0].transmission->clone_as(ScalarTag<double>{}); },
      [](Robot& r) { r.loads[0].place.link = "upper"; },
      [](Robot& r) { r.loads[0].law = make_wrench_load(r.loads[0].place, *r.loads[0].law->timed()).law; },
      [](Robot& r) { r.loops.clear(); },
      [](Robot& r) { r.loops[0].name = "bolt"; },
      [](Robot& r) { r.loops[0].type = LoopType::fixed; },
      [](Robot& r) {
        r.loops[0].axis = {1, 0, 0};
      },
      [](Robot& r) { r.loops[0].a.pose.position.x = 0.1; },
      [](Robot& r) { r.loops[0].b.link = "upper"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) EXPECT_TRUE(sees(changes[i])) << "change " << i;
}

TEST(ParameterSources, ChangesInCppStayWithOthers) {
  Robot robot = read_robot_text(arm_text(), "arm.yaml");
  robot.gravity.x = 1.5;
  robot.links[0].joint_dynamics.damping = {0.25};
  const Model changed = Model(robot).with("materials.silicone.density", 900.0);
  EXPECT_EQ(changed.robot().gravity.x, 1.5);
  EXPECT_EQ(changed.robot().links[0].joint_dynamics.damping, std::vector{0.25});
  EXPECT_EQ(changed.parameter("materials.silicone.density").value, 900.0);
  EXPECT_EQ(changed.parameter("gravity[0]").value, 1.5);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
