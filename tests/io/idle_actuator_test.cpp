// Actuators that move nothing are reported, and no others.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cuttle/algorithms/idle_inputs.h"
#include "cuttle/io/scenario_file.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;
using IdleActuatorCommand = CommandLine;

/// A soft cylinder with a pocket, by its material and kinematics.
std::string finger(const std::string& material, const std::string& kinematics) {
  return "cuttle: 1\nmaterials: {silicone: " + material +
         "}\nlinks:\n  - name: finger\n    body:\n      type: volume\n      shape: {type: cylinder, length: 0.1, "
         "radius: 0.01}\n      material: silicone\n      quadrature: {points: [6, 3, 12]}\n      kinematics: " +
         kinematics +
         "\nactuators:\n  - {name: pocket, type: chamber, link: finger, surface: {pocket: {angle: 0, width: 2.5, "
         "radius: "
         "0.008}}}\n";
}
const std::string k_neo_hookean = "{model: neo_hookean, density: 1000, c1: 1.0e+5}";
const std::string k_compressible = "{model: neo_hookean, density: 1000, c1: 1.0e+5, lame_lambda: 1.0e+6}";

/// A rod with these strains, and actuators.
std::string rod(const std::string& strain, const std::string& actuators) {
  return "cuttle: 1\nmaterials: {silicone: {density: 1000, young_modulus: 1.0e+5, poisson_ratio: 0.4}}\nlinks:\n  - "
         "name: rod\n    body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: silicone, "
         "strain: " +
         strain + "}\nactuators:\n" + actuators;
}

std::vector<std::string> warnings(const std::string& text) {
  const TemporaryDirectory directory;
  std::vector<std::string> found = load_robot_file(directory.write("r.yaml", text)).warnings;
  for (std::string& warning : found) warning.erase(0, directory.path("").size());
  return found;
}
using Warnings = std::vector<std::string>;

TEST(IdleActuator, APocketInABodyThatKeepsItsVolume) {
  const std::string bend =
      "{type: lvp, primitives: [{type: bend, x: [[2, -2]]}, {type: stretch, modes: [[0, 1, -1]]}]}";
  EXPECT_EQ(warnings(finger(k_neo_hookean, bend)),
            Warnings{"r.yaml:12:5: actuators[0]: actuator 'pocket' has no effect: its chamber's volume cannot change, "
                     "since the kinematics of 'finger' preserve every volume"});
}

TEST(IdleActuator, APocketOfFewPointsInABodyThatKeepsItsVolume) {
  const std::string bend =
      "{type: lvp, primitives: [{type: twist, modes: [[0, 1]]}, {type: bend, x: [[2, -2]], y: [[2, -2], [0, 6, -6]]}]}";
  for (const std::string points : {"[3, 1, 3]", "[4, 2, 4]", "[8, 2, 6]"}) {
    std::string text = finger(k_neo_hookean, bend);
    text.replace(text.find("[6, 3, 12]"), 10, points);
    EXPECT_EQ(warnings(text).size(), 1u) << points;
  }
}

TEST(IdleActuator, NotAPocketInABodyThatSwells) {
  const std::string radial =
      "{type: radial, strain: {kappa_y: constant, sigma_z: constant}, bumps: [0, 3.141592653589793]}";
  EXPECT_EQ(warnings(finger(k_compressible, radial)), Warnings{});
}

TEST(IdleActuator, TendonsAlongRods) {
  const auto tendon = [](const std::string& offset) {
    return "  - {name: t, type: tendon, routing: [{link: rod, offset: " + offset + "}]}\n";
  };
  // through the middle, where it keeps its length
  EXPECT_EQ(warnings(rod("{kappa_x: constant, kappa_y: constant}", tendon("[0, 0]"))),
            Warnings{"r.yaml:7:5: actuators[0]: actuator 't' has no effect: no coordinate changes its length"});
  EXPECT_EQ(warnings(rod("{kappa_x: constant, sigma_z: constant}", tendon("[0, 0]"))), Warnings{});
  EXPECT_EQ(warnings(rod("{kappa_x: constant}", tendon("[0, 1.0e-6]"))), Warnings{});
  // bends about x do not reach it, those about y do
  EXPECT_EQ(warnings(rod("{kappa_x: constant}", tendon("[0.005, 0]"))).size(), 1u);
  EXPECT_EQ(warnings(rod("{kappa_y: constant}", tendon("[0.005, 0]"))), Warnings{});
  // torsion: nothing at q = 0, but it winds up
  EXPECT_EQ(warnings(rod("{kappa_z: constant}", tendon("[0.005, 0]"))), Warnings{});
}

TEST(IdleActuator, TendonsBetweenLinks) {
  const std::string links =
      "cuttle: 1\nlinks:\n  - {name: a, joint: {type: revolute, axis: [0, 0, 1]}, body: {type: rigid, mass: 1}}\n"
      "  - {name: b, joint: {type: JOINT, axis: [0, 0, 1]}, body: {type: rigid, mass: 1, com: [0.1, 0, 0]}}\n";
  const auto with = [&](const std::string& joint, const std::string& points) {
    std::string text = links;
    text.replace(text.find("JOINT"), 5, joint);
    return warnings(text +
                    "actuators:\n  - {name: t, type: tendon, routing: [{link: base, points: [[0, 0, 1]]}, {link: b, " +
                    "points: [" + points + "]}]}\n");
  };
  EXPECT_EQ(with("revolute", "[0, 0, 0]").size(), 1u);  // on the axes of both joints
  EXPECT_EQ(with("prismatic", "[0, 0, 0]"), Warnings{});
  EXPECT_EQ(with("revolute", "[0.1, 0, 0]").size(), 1u);  // turns about the axis that it begins on
}

TEST(IdleActuator, AChamberInARodThatOnlyBends) {
  const auto chamber = [](const std::string& offset) {
    return "  - {name: c, type: chamber, link: rod, area: 1.0e-5, offset: " + offset + "}\n";
  };
  EXPECT_EQ(warnings(rod("{kappa_x: constant, kappa_y: constant}", chamber("[0, 0]"))),
            Warnings{"r.yaml:7:5: actuators[0]: actuator 'c' has no effect: no coordinate changes its volume"});
  EXPECT_EQ(warnings(rod("{kappa_x: constant, kappa_y: constant}", chamber("[0, 0.001]"))), Warnings{});
}

TEST(IdleActuator, AColumnOfZeros) {
  const auto linear = [](const std::string& matrix) {
    return "  - {name: m, type: linear, links: [rod], matrix: " + matrix + "}\n";
  };
  EXPECT_EQ(warnings(rod("{kappa_x: constant, kappa_y: constant}", linear("[[1, 0, 0], [0, 0, 1.0e-20]]"))),
            Warnings{"r.yaml:7:5: actuators[0]: actuator 'm.1' has no effect: its column of the actuation matrix is "
                     "zero"});
}

TEST(IdleActuator, NoneIsInTheShippedRobots) {
  int robots = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::k_source_dir + "/models")) {
    if (entry.path().extension() != ".yaml" || kind_of_file(entry.path().string()) != FileKind::robot) continue;
    ++robots;
    EXPECT_TRUE(idle_inputs(Model(read_robot_file(entry.path().string()))).empty()) << entry.path();
  }
  EXPECT_GT(robots, 10);
}

TEST_F(IdleActuatorCommand, CheckAndInfoSaySo) {
  const std::string path = directory_.write(
      "r.yaml", rod("{kappa_x: constant}", "  - {name: t, type: tendon, routing: [{link: rod, offset: [0, 0]}]}\n"));
  const std::string warning = path + ":7:5: actuators[0]: actuator 't' has no effect: no coordinate changes its length";
  for (const std::string command : {"check ", "info "}) {
    const Result result = run(command + path);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.errors, "warning: " + warning + "\n");
  }
  EXPECT_NE(run("info --json " + path).output.find(warning), std::string::npos);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
