// `cuttle info`: what it says of the shipped robots, checked against the model and closed forms.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <regex>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/rod_refinement.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/model.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

class InfoCommand : public CommandLine {
 protected:
  Json info(const std::string& arguments) {
    const Result result = run("info --json " + arguments);
    EXPECT_EQ(result.code, 0) << result.errors;
    return Json::parse(result.output, nullptr, false);
  }
};

TEST_F(InfoCommand, DescribesEveryModelOfTheProject) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::k_source_dir + "/models")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".yaml" || kind_of_file(path) != FileKind::robot) continue;
    SCOPED_TRACE(path);
    const Model model(read_robot_file(path));
    const Json json = info(path);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["robot"], model.name());
    ASSERT_EQ(json["links"].size(), model.links().size());
    int q = 7 * model.robot().floating_base, v = 6 * model.robot().floating_base;
    std::size_t rods = 0;
    for (const Json& link : json["links"]) {  // links share out the coordinates in order
      EXPECT_EQ(link["q"]["first"], q);
      EXPECT_EQ(link["v"]["first"], v);
      q += link["q"]["count"].get<int>(), v += link["v"]["count"].get<int>();
      rods += link["body"] == "rod";
    }
    EXPECT_EQ(q, model.nq());
    EXPECT_EQ(v, model.nv());
    const std::pair<const char*, const std::vector<CoordinateInfo>*> lists[] = {
        {"q", &model.configuration_info()}, {"v", &model.velocity_info()}, {"u", &model.input_info()}};
    for (const auto& [key, expected] : lists) {
      ASSERT_EQ(json[key].size(), expected->size());
      for (std::size_t i = 0; i < expected->size(); ++i) {
        EXPECT_EQ(json[key][i]["name"], (*expected)[i].name);
        EXPECT_EQ(json[key][i]["unit"], (*expected)[i].unit);
      }
    }
    EXPECT_EQ(json["rods"].size(), rods);
    for (const Json& rod : json["rods"]) EXPECT_EQ(rod["advised_points"], rod["points"]);  // all are fine enough
    const Result text = run("info --all " + path);
    EXPECT_EQ(text.code, 0);
    EXPECT_EQ(std::regex_replace(text.errors, std::regex("warning: .*Assumption 2 of Pustina 2025\\)\n"), ""), "");
    for (const CoordinateInfo& coordinate : model.configuration_info()) {
      EXPECT_THAT(text.output, HasSubstr(" " + coordinate.name + " "));
    }
    ++count;
  }
  EXPECT_GE(count, 9);
}

TEST_F(InfoCommand, MassesLengthsAndEnergiesAreThoseOfTheFile) {
  const Json json = info(model("examples/two_segment_arm.yaml"));
  // a cone: density pi L (a^2 + a b + b^2) / 3, its center at L/4 (a^2 + 2 a b + 3 b^2) / (a^2 + a b + b^2)
  const auto mass = [](double a, double b) { return 1070 * std::numbers::pi * 0.3 * (a * a + a * b + b * b) / 3; };
  const auto center = [](double a, double b) {
    return 0.3 / 4 * (a * a + 2 * a * b + 3 * b * b) / (a * a + a * b + b * b);
  };
  const double m1 = mass(0.02, 0.015), m2 = mass(0.015, 0.01);
  EXPECT_NEAR(json["links"][0]["mass"].get<double>(), m1, 1e-14);
  EXPECT_NEAR(json["links"][1]["mass"].get<double>(), m2, 1e-14);
  EXPECT_EQ(json["links"][2]["mass"], 0.1);
  EXPECT_NEAR(json["mass"].get<double>(), m1 + m2 + 0.1, 1e-14);
  EXPECT_EQ(json["links"][0]["length"], 0.3);
  EXPECT_NEAR(json["links"][2]["length"].get<double>(), 0.02, 1e-15);
  const double gravity = -9.81 * (m1 * center(0.02, 0.015) + m2 * (0.3 + center(0.015, 0.01)) + 0.1 * 0.61);
  EXPECT_NEAR(json["energy"]["gravity"].get<double>(), gravity, 1e-13);
  EXPECT_EQ(json["energy"]["elastic"], 0.0);
  EXPECT_EQ(json["links"][0]["parent"], Json({{"link", "base"}, {"at", "base"}}));
  EXPECT_EQ(json["links"][1]["parent"], Json({{"link", "segment1"}, {"at", "tip"}}));

  const Json tree = info(model("examples/branched_tree.yaml"));
  EXPECT_EQ(tree["links"][2]["parent"], Json({{"link", "branch"}, {"at", {{"s", 0.1}}}}));
  EXPECT_EQ(tree["links"][0]["joint"], "spherical");
  EXPECT_EQ(tree["links"][2]["length"], 0.1);  // along the curve, not from end to end

  const std::string spring = directory_.write("spring.yaml", R"(cuttle: 1
links: [{name: a, joint: {type: prismatic, stiffness: 50, rest: 0.2}, body: {type: rigid, mass: 2, com: [0, 0, 0.5]}},
        {name: b, parent: base}]
)");
  const Json sprung = info(spring);
  EXPECT_NEAR(sprung["energy"]["elastic"].get<double>(), 0.5 * 50 * 0.04, 1e-15);
  EXPECT_NEAR(sprung["energy"]["gravity"].get<double>(), 2 * 9.81 * 0.5, 1e-14);
  EXPECT_TRUE(sprung["links"][1]["body"].is_null());
}

TEST_F(InfoCommand, NamesInputsAndLoads) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1e6}}
links:
  - {name: slide, joint: {type: prismatic}, body: {type: rigid, mass: 1}}
  - {name: rod, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: m, strain: pcc}}
actuators:
  - {name: push, type: joint, link: slide}
  - {name: pull, type: linear, links: [slide, rod], matrix: [[1, 0], [0, 1], [0, 0], [0, 2]]}
loads:
  - {type: wrench, link: rod, at: {s: 0.05}, force: [1, 2, 3], frame: body}
  - {type: distributed, link: rod, force: [0, 0, {type: step, time: 1, before: 4, after: 5}], torque: [0, 6, 0]}
)");
  const Json json = info(robot);
  ASSERT_EQ(json["u"].size(), 3u);
  EXPECT_EQ(json["u"][0], Json({{"name", "push"}, {"unit", "N"}, {"type", "joint"}, {"links", {"slide"}}}));
  EXPECT_EQ(json["u"][2]["name"], "pull.1");
  EXPECT_EQ(json["u"][2]["type"], "linear");
  EXPECT_EQ(json["u"][2]["links"], Json({"slide", "rod"}));
  ASSERT_EQ(json["loads"].size(), 2u);
  EXPECT_EQ(json["loads"][0]["at"], Json({{"s", 0.05}}));
  EXPECT_EQ(json["loads"][0]["force"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(json["loads"][0]["frame"], "body");
  EXPECT_EQ(json["loads"][0]["varies"], false);
  EXPECT_FALSE(json["loads"][1].contains("at"));
  EXPECT_EQ(json["loads"][1]["force"], Json({0.0, 0.0, 4.0}));
  EXPECT_EQ(json["loads"][1]["torque"], Json({0.0, 6.0, 0.0}));
  EXPECT_EQ(json["loads"][1]["varies"], true);

  const std::string text = run("info " + robot).output;
  EXPECT_THAT(text, HasSubstr("\ninputs u\n"
                              "     name    unit  type    links\n"
                              "  0  push    N     joint   slide\n"
                              "  1  pull.0  "));
  EXPECT_THAT(text,
              HasSubstr("  wrench       rod at s = 0.05 m  [1, 2, 3] N    [0, 0, 0] N m  body\n"
                        "  distributed  rod                [0, 0, 4] N/m  [0, 6, 0] N    world  varies in time\n"));
}

TEST_F(InfoCommand, TellsOfTendonsAndChambers) {
  const std::string path = model("examples/tendon_arm.yaml");
  const Json json = info(path);
  EXPECT_EQ(json["u"][1]["type"], "tendon");
  EXPECT_EQ(json["u"][1]["slack"], "clip");
  EXPECT_EQ(json["u"][0]["links"], Json({"base", "upper", "disk", "lower"}));
  EXPECT_NEAR(json["u"][2]["rest_length"].get<double>(), std::hypot(0.2, 0.009 * 1.5 * 3.14159265358979), 1e-15);
  EXPECT_NEAR(json["u"][3]["rest_volume"].get<double>(), 2.5e-5, 1e-19);
  EXPECT_THAT(run("info " + path).output,
              HasSubstr("  2  coil    N     tendon   lower                     0.204447 m at rest, slack: error\n"
                        "  3  pocket  Pa    chamber  upper                     2.5e-05 m^3 at rest\n"));
}

TEST_F(InfoCommand, TellsOfVolumesAndTheirMeshes) {
  const TemporaryDirectory directory;
  const std::string mesh = model("examples/finger.msh");
  const std::string path =
      directory.write("r.yaml",
                      "cuttle: 1\nmaterials: {m: {model: neo_hookean, density: 1000, c1: 1e5}}\nlinks:\n"
                      "  - {name: a, body: {type: volume, material: m, shape: {type: mesh, file: '" +
                          mesh +
                          "'}, kinematics: {type: lvp, primitives: [{type: twist, modes: [[0, 1]]}]}}}\n"
                          "  - {name: b, body: {type: volume, material: m, shape: {type: box, size: [0.1, 0.2, 0.3]}, "
                          "quadrature: {points: [1, 2, 3]}, "
                          "kinematics: {type: lvp, primitives: [{type: twist, modes: [[0, 1]]}]}}}\n");
  const Json volumes = info(path)["volumes"];
  ASSERT_EQ(volumes.size(), 2u);
  EXPECT_EQ(volumes[0]["mesh"], Json({{"file", mesh},
                                      {"nodes", 592},
                                      {"tetrahedra", 1773},
                                      {"nodes_per_tetrahedron", 4},
                                      {"groups", Json::array({"cavity"})}}));
  EXPECT_EQ(volumes[0]["points"], 4 * 1773);
  EXPECT_NEAR(volumes[0]["volume"].get<double>(), info(path)["links"][0]["mass"].get<double>() / 1000, 1e-18);
  EXPECT_TRUE(volumes[1]["mesh"].is_null());
  EXPECT_NEAR(volumes[1]["volume"].get<double>(), 0.006, 1e-16);
  EXPECT_THAT(run("info " + path).output,
              HasSubstr("volumes\n"
                        "  link  volume [m^3]  points  mesh\n"
                        "  a      1.27334e-05    7092  1773 4-node tetrahedra, 592 nodes; groups: cavity\n"
                        "  b            0.006       6\n"));
}

TEST_F(InfoCommand, AlignsWhatItPrints) {
  const std::string path = model("examples/pendulum.yaml");
  EXPECT_EQ(run("info " + path).output, path + R"(: robot 'pendulum', fixed base, nq 1, nv 1, nu 1
  mass 1 kg, gravity [0, 0, -9.81] m/s^2
  energy at rest (all coordinates neutral): gravity -4.905 J, elastic 0 J

links
  name  on    joint     body   mass [kg]  length [m]  q  v
  arm   base  revolute  rigid          1           1  0  0

configuration q
     name          unit
  0  arm.joint.q0  rad

velocity v
     name          unit
  0  arm.joint.v0  rad/s

inputs u
     name   unit  type   links
  0  motor  N m   joint  arm
)");
}

TEST_F(InfoCommand, SaysWhatTheCoordinatesOfARodAre) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("r.yaml", R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1e6}}
links: [{name: a, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: m, strain: pcc, pieces: 2}}]
)");
  const Json json = info(path);
  EXPECT_EQ(json["q"][1],
            Json({{"name", "a.kappa_x.1"},
                  {"unit", "rad"},
                  {"meaning", "curvature about x beyond rest, times length L, from s = 0.1 m to 0.2 m"}}));
  EXPECT_EQ(json["v"][1], Json({{"name", "a.kappa_x.1"}, {"unit", "rad/s"}, {"meaning", "rate of a.kappa_x.1"}}));
  const std::string text = run("info " + path).output;
  EXPECT_THAT(text, HasSubstr("  5  a.sigma_z.1  m     stretch along z beyond rest, times length L, from s = 0.1 m to "
                              "0.2 m\n"));
  EXPECT_THAT(text, HasSubstr("  5  a.sigma_z.1  m/s    rate of a.sigma_z.1\n"));
}

TEST_F(InfoCommand, AdvisesMorePointsWhereTheyAreFew) {
  const std::string path = model("examples/two_segment_arm.yaml"),
                    few = " --set robot.links.segment2.body.quadrature.points=2";
  const Json json = info(path + few);
  const Robot robot = read_robot_file(path, {"robot.links.segment2.body.quadrature.points=2"});
  const auto error = estimate_discretization_error(dynamic_cast<const RodBody&>(*robot.links[1].body));
  const Json& rod = json["rods"][1];
  EXPECT_EQ(rod["link"], "segment2");
  EXPECT_EQ(rod["points"], 2);
  EXPECT_EQ(rod["error"]["mass_matrix"], error.mass_matrix);
  EXPECT_EQ(rod["error"]["tip_position"], error.tip_position);
  EXPECT_EQ(rod["error"]["tip_rotation"], error.tip_rotation);
  const int advised = rod["advised_points"];
  EXPECT_GT(advised, 2);
  const std::string advice = " --set robot.links.segment2.body.quadrature.points=" + std::to_string(advised);
  const std::string text = run("info " + path + few).output;
  EXPECT_THAT(
      text, HasSubstr("\n  segment2: above 0.001; " + std::to_string(advised) + " points are enough:" + advice + "\n"));
  EXPECT_THAT(text, Not(HasSubstr("segment1: above")));
  EXPECT_THAT(text, HasSubstr("  segment1      10      < 1e-12"));  // constant strain
  const Result followed = run("info " + path + advice);             // the advice can be pasted, and helps
  EXPECT_EQ(followed.code, 0) << followed.errors;
  EXPECT_THAT(followed.output, Not(HasSubstr("above")));
}

TEST_F(InfoCommand, TellsTheErrorOfFrictionOfTendons) {
  const std::string robot = directory_.write("rub.yaml", R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1e6}}
links: [{name: a, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: m,
                         strain: {kappa_y: {basis: legendre, order: 6}}}}]
actuators: [{name: cable, type: tendon, routing: [{link: a, offset: [0.006, 0]}]}]
elements: [{name: rub, type: tendon_friction, actuators: [cable], coefficient: 0.3}]
)");
  const double error = info(robot)["elements"][0]["error"]["cable"];
  EXPECT_GT(error, 1e-9);
  EXPECT_LT(error, 1e-3);
  EXPECT_THAT(run("info " + robot).output, HasSubstr("friction of tendons: change when its points double"));
}

TEST_F(InfoCommand, SaysWhereSectionsDoNotHelp) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1e6}}
links: [{name: a, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: m, strain: planar_cc,
                         rest_strain: {kappa_x: [0, 1e5], kappa_y: [1e5, 0]}}}]
)");
  EXPECT_TRUE(info(robot)["rods"][0]["advised_points"].is_null());
  EXPECT_THAT(run("info " + robot).output,
              HasSubstr("\n  a: above 0.001; more points do not help: are the rod's strains meant?\n"));
  // JSON has no word for infinity: there is all of it or none
  for (const char* option : {"", " --json"}) {
    const Result overflow = run("info " + robot + option + " --set robot.links.a.body.rest_strain.kappa_x=1e200");
    EXPECT_EQ(overflow.code, 1);
    EXPECT_EQ(overflow.output, "");
    EXPECT_THAT(overflow.errors, HasSubstr("motion of link 'a': found numbers that are not finite"));
  }
}

TEST_F(InfoCommand, NamesLoadsOfMotion) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
links: [{name: hull, joint: {type: free}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]
loads:
  - {type: fluid, link: hull, density: 1025, radius_x: 0.05, radius_y: 0.1, length: 1, normal_drag: 1.5, wake: true}
  - {type: drone, link: hull, at: base, linear_velocity: [{type: sine, amplitude: 1, frequency: 2, offset: 3}, 0, 0],
     proportional: [2, 5]}
)");
  const Json loads = info(robot)["loads"];
  EXPECT_EQ(loads[0], Json({{"type", "fluid"},
                            {"link", "hull"},
                            {"density", 1025.0},
                            {"normal_drag", 1.5},
                            {"tangential_drag", 0.0},
                            {"wake", true}}));
  EXPECT_EQ(loads[1]["type"], "drone");
  EXPECT_EQ(loads[1]["at"], "base");
  EXPECT_EQ(loads[1]["linear_velocity"], Json({3.0, 0.0, 0.0}));
  EXPECT_EQ(loads[1]["proportional"], Json({2.0, 2.0, 2.0, 5.0, 5.0, 5.0}));
  EXPECT_EQ(loads[1]["varies"], true);
  const std::string text = run("info " + robot).output;
  EXPECT_THAT(text, HasSubstr("fluid  hull       of 1025 kg/m^3"));
  EXPECT_THAT(text, HasSubstr("drone  hull base  to [3, 0, 0] m/s"));
}

TEST_F(InfoCommand, RoundingIsNoEnergy) {
  const Result result = run("info " + model("examples/pcc_arm.yaml"));  // lies along x
  EXPECT_THAT(result.output, HasSubstr("gravity 0 J, elastic 0 J"));
}

TEST_F(InfoCommand, PassesWarningsOn) {
  const std::string robot = directory_.write(
      "r.yaml", "cuttle: 1\nmaterials: {unused: {density: 1}}\nlinks: [{name: a, body: {type: rigid, mass: 1}}]\n");
  const std::string warning = robot + ":2:21: materials.unused: no link is made of it";
  EXPECT_EQ(run("info " + robot).errors, "warning: " + warning + "\n");
  EXPECT_EQ(info(robot)["warnings"], Json({warning}));
}

TEST_F(InfoCommand, RefusesWhatIsNoRobot) {
  const std::string missing = directory_.path("missing.yaml"), scenario = model("examples/pendulum_scenario.yaml");
  const std::string bad = directory_.write("bad.yaml", "cuttle: 1\nlinks: [{name: a, bodi: 1}]\n");
  const std::pair<std::string, std::string> cases[] = {
      {missing, missing + ": found no such file, expected a robot file\n"},
      {scenario, scenario + ": found a scenario file, expected a robot file\n"},
      {bad, bad + ":2:19: links[0].bodi: found an unknown key, expected name, parent, attach, joint, body, contact or "
                  "visual; did "
                  "you mean 'body'?\n"}};
  for (const auto& [file, message] : cases) {
    for (const char* option : {"", " --json"}) {
      const Result result = run("info " + file + option);
      EXPECT_EQ(result.code, 2);
      EXPECT_EQ(result.output, "");
      EXPECT_EQ(result.errors, message);
    }
  }
}

TEST_F(InfoCommand, ShortensLongListsUnlessAsked) {
  const auto chain = [&](int links) {
    std::string text = "cuttle: 1\nname: chain\nlinks:\n";
    for (int i = 0; i < links; ++i) {
      text += "- {name: l" + std::to_string(i) + ", joint: {type: revolute}, body: {type: rigid, mass: 1}}\n";
    }
    return directory_.write("chain.yaml", text);
  };
  const Result shortened = run("info " + chain(41));
  EXPECT_THAT(shortened.output, HasSubstr("  19  l19.joint.q0"));
  EXPECT_EQ(shortened.output.find("l20.joint.q0"), std::string::npos);
  EXPECT_THAT(shortened.output, HasSubstr("\n  21 more (--all)\n"));
  EXPECT_THAT(run("info " + chain(41) + " --all").output, HasSubstr("  40  l40.joint.q0"));
  EXPECT_THAT(run("info " + chain(40)).output, HasSubstr("  39  l39.joint.q0"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
