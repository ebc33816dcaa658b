// Closed loops in robot files, in results and in the tool.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/io/result_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/command_line.h"
#include "support/loop_robots.h"
#include "support/robot_cases.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const char* const k_linkage = R"(cuttle: 1
name: linkage
links:
  - name: crank
    joint: {type: revolute, axis: [0, -1, 0]}
    body: {type: rigid, mass: 0.4, com: [0.1, 0, 0], inertia: [1.0e-3, 1.0e-3, 1.0e-3, 0, 0, 0], tip: {position: [0.2, 0, 0]}}
  - name: coupler
    joint: {type: revolute, axis: [0, -1, 0]}
    body: {type: rigid, mass: 1, com: [0.25, 0, 0], inertia: [1.0e-3, 2.0e-2, 2.0e-2, 0, 0, 0], tip: {position: [0.5, 0, 0]}}
  - name: rocker
    parent: base
    attach: {pose: {position: [0.55, 0, 0]}}
    joint: {type: revolute, axis: [0, -1, 0]}
    body: {type: rigid, mass: 0.8, com: [0.2, 0, 0], inertia: [1.0e-3, 1.1e-2, 1.1e-2, 0, 0, 0]}
loops:
  - {name: pin, type: revolute, axis: [0, -2, 0], a: {link: coupler}, b: {link: rocker, at: {point: [0.4, 0, 0]}}}
)";

TEST(LoopFile, DescribesTheLinkageOfTheLibrary) {
  const Model from_file(read_robot_text(k_linkage, "linkage.yaml"));
  const Model made(test::FourBar().robot());
  ASSERT_EQ(from_file.constraint_count(), 5);
  Data data(from_file), made_data(made);
  ConstraintData constraints(from_file), made_constraints(made);
  const VectorXd q{{0.9, -0.5, 2.0}};
  const VectorXd phi = constraint_residual(from_file, data, constraints, q);
  const VectorXd expected = constraint_residual(made, made_data, made_constraints, q);
  EXPECT_LE((phi - expected).norm(), 1e-15);
}

TEST(LoopFile, PoseOfAFrameFollowsItsPoint) {
  std::string text = k_linkage;
  const std::string point = "at: {point: [0.4, 0, 0]}";
  text.replace(text.find(point), point.size(),
               "at: {point: [0.3, 0, 0]}, pose: {position: [0, 0, 0.1], rpy: [0, 1.5707963267948966, 0]}");
  const Model model(read_robot_text(text, "linkage.yaml"));
  const Pose& pose = model.loops()[0].b.node_frame;  // in a node that is turned: the same place as a marker there
  Robot marked = read_robot_text(text, "linkage.yaml");
  marked.markers.push_back({"m", {"rocker", PortLocation::base(), {Matrix3::identity(), {0.3, 0, 0.1}}}});
  const Pose there = Model(marked).marker_frame("m").node_frame;
  EXPECT_LE(norm(pose.position - there.position), 1e-15);
  EXPECT_NEAR((there.rotation.transpose() * pose.rotation)(0, 2), 1.0, 1e-15);  // turned by a quarter about y
}

TEST(LoopFile, NumbersOfALoopAreParameters) {
  const Model model(read_robot_text(k_linkage, "linkage.yaml"));
  const std::string path = "loops.pin.b.at.point[0]";
  const Model longer = model.with(path, 0.5);
  Data data(model);
  ConstraintData constraints(model), longer_constraints(longer);
  const VectorXd q{{0.9, -0.5, 2.0}};
  const double x = constraint_residual(model, data, constraints, q)[0];
  EXPECT_NEAR(constraint_residual(longer, data, longer_constraints, q)[0] - x, 0.1 * std::cos(2.0), 1e-15);
  const ModelT<ForwardDual> variable = differentiate(model, {path});
  DataT<ForwardDual> variable_data(variable);
  ConstraintDataT<ForwardDual> variable_constraints(variable);
  const VectorXT<ForwardDual> at = q.cast<ForwardDual>();
  const ForwardDual slope = constraint_residual(variable, variable_data, variable_constraints, at)[0];
  EXPECT_NEAR(slope.derivative[0], std::cos(2.0), 1e-15);
}

class LoopCommands : public CommandLine {};

TEST_F(LoopCommands, TellOfLoops) {
  const std::string path = directory_.write("linkage.yaml", k_linkage);
  const Json json = Json::parse(run("info --json " + path).output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  const Json expected = {{"name", "pin"},
                         {"type", "revolute"},
                         {"a", {{"link", "coupler"}, {"at", "tip"}}},
                         {"b", {{"link", "rocker"}, {"at", "base"}}},
                         {"rows", 5}};
  EXPECT_EQ(json["loops"], Json::array({expected}));
  EXPECT_THAT(run("info " + path).output, HasSubstr("pin   revolute  coupler tip  rocker base     5"));
  EXPECT_THAT(run("check " + path).output, HasSubstr("fixed base, 3 links, 1 loop, nq 3"));
}

TEST_F(LoopCommands, EvalGivesAllButForwardDynamics) {
  const std::string path = directory_.write("linkage.yaml", k_linkage);
  const Result result = run("eval " + path + " --q '[0.9, -0.5, 2]'");
  EXPECT_EQ(result.code, 0) << result.errors;
  const Json json = Json::parse(result.output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(json["forward_dynamics"].is_null());
  EXPECT_THAT(json["forward_dynamics_error"].get<std::string>(), HasSubstr("found the closed loop 'pin' of 'linkage'"));
  EXPECT_EQ(json["inverse_dynamics"].size(), 3u);
  ASSERT_EQ(json["loops"]["pin"]["residual"].size(), 5u);
  EXPECT_NEAR(json["loops"]["pin"]["residual"][0].get<double>(),
              0.55 + 0.4 * std::cos(2.0) - 0.2 * std::cos(0.9) - 0.5 * std::cos(0.4), 1e-15);
}

TEST_F(LoopCommands, SimulateNamesTheIntegratorsThatHoldLoops) {
  directory_.write("linkage.yaml", k_linkage);
  const std::string path = directory_.write(
      "run.yaml", "cuttle: 1\nrobot: linkage.yaml\nsimulation: {duration: 1, integrator: {type: bdf}}\n");
  const Result result = run("simulate " + path + " -o " + directory_.path("out.h5"));
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.errors,
              HasSubstr("integrator.type: 'bdf' cannot hold the closed loop 'pin' of 'linkage', expected newmark, hht, "
                        "generalized_alpha, midpoint or energy_conserving"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
