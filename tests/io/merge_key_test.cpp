// << takes over the keys of other mappings.
#include <gtest/gtest.h>

#include <string>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/parameters.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// Two rods that take what they do not say themselves from others.
const std::string k_merged =
    "cuttle: 1\n"
    "materials:\n"
    "  soft: &soft {density: 1000, young_modulus: 1.0e+5, poisson_ratio: 0.4}\n"
    "  hard: {<<: *soft, young_modulus: 2.0e+6}\n"
    "links:\n"
    "  - name: a\n"
    "    body: &rod {type: rod, length: 0.3, section: {shape: circle, radius: 0.01}, material: soft, strain: pcc}\n"
    "  - name: b\n"
    "    body: {length: 0.2, <<: *rod, material: hard}\n"
    "  - name: c\n"
    "    body: {<<: [{length: 0.1}, {length: 7, quadrature: {points: 3}}, *rod], strain: {kappa_x: constant}}\n";

double length_of(const Robot& robot, int link) {
  return dynamic_cast<const RodBody&>(*robot.links[link].body).parameters().length;
}

TEST(MergeKeys, BringWhatAMappingDoesNotSayItself) {
  const Robot robot = read_robot_text(k_merged, "r.yaml");
  EXPECT_EQ(length_of(robot, 0), 0.3);
  EXPECT_EQ(length_of(robot, 1), 0.2);
  EXPECT_EQ(length_of(robot, 2), 0.1);
  const auto rod = [&](int link) { return dynamic_cast<const RodBody&>(*robot.links[link].body).parameters(); };
  EXPECT_EQ(rod(0).material.young_modulus, 1e5);
  EXPECT_EQ(rod(1).material.young_modulus, 2e6);
  EXPECT_EQ(rod(1).material.density, 1000.0);
  EXPECT_EQ(rod(2).quadrature_points, 3);
  EXPECT_EQ(robot.links[2].body->coordinate_count(), 1);
}

TEST(MergeKeys, GiveEachPlaceParametersOfItsOwn) {
  const Robot robot = read_robot_text(k_merged, "r.yaml", {"robot.links.b.body.section.radius=0.02"});
  const auto radius = [&](int link) {
    return dynamic_cast<const RodBody&>(*robot.links[link].body).parameters().section.radius.values.front();
  };
  EXPECT_EQ(radius(0), 0.01);
  EXPECT_EQ(radius(1), 0.02);
  EXPECT_EQ(radius(2), 0.01);
  const Robot longer = robot.source->with({{"links.a.body.length", 0.4}});
  EXPECT_EQ(length_of(longer, 0), 0.4);
  EXPECT_EQ(length_of(longer, 1), 0.2);
  EXPECT_EQ(length_of(longer, 2), 0.1);
}

TEST(MergeKeys, ErrorsStandWhereTheValueStands) {
  const std::string start = "cuttle: 1\nlinks:\n  - {name: a, body: &x {type: rigid, mass: -1}}\n";
  EXPECT_EQ(robot_errors(start + "  - {name: b, body: {<<: *x}}\n"),
            "r.yaml:3:44: links[0].body.mass: found -1, expected a number >= 0 [kg]\n"
            "r.yaml:3:44: links[1].body.mass: found -1, expected a number >= 0 [kg]");
  EXPECT_EQ(robot_errors(start + "  - {name: b, body: {<<: 3}}\n"),
            "r.yaml:4:26: YAML: found no mapping after <<, expected a mapping whose keys to take over, or a list of "
            "such mappings");
  EXPECT_EQ(robot_errors(start + "  - {name: b, body: {<<: [*x, 3]}}\n"),
            "r.yaml:4:26: YAML: found a list of other things after <<, expected a mapping whose keys to take over, or "
            "a list of such mappings");
  EXPECT_EQ(robot_errors(start + "  - {name: b, body: {<<: *x, <<: *x}}\n"),
            "r.yaml:4:30: YAML: found << again, expected it once, with a list of all mappings to merge");
  EXPECT_EQ(
      robot_errors("cuttle: 1\nlinks: [{name: b, body: &x {<<: *x}}]\n"),
      "r.yaml:2:33: YAML: found an alias inside the value that it stands for, expected a value without itself inside");
  EXPECT_EQ(
      robot_errors("cuttle: 1\nlinks: [{name: b, \"<<\": {parent: base}}]\n"),
      "r.yaml:2:19: links[0].<<: found an unknown key, expected name, parent, attach, joint, body, contact or visual");
}

TEST(MergeKeys, CannotFillTheMemory) {
  std::string text = "cuttle: 1\na0: &a0 {";
  for (int i = 0; i < 100; ++i) text += "k" + std::to_string(i) + ": 1, ";
  text += "}\n";
  for (int i = 1; i < 2000; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: *a" + std::to_string(i - 1) + "}\n";
  }
  const std::string error = robot_errors(text);
  EXPECT_NE(error.find("YAML: found aliases that expand to more than 100000 values, expected fewer"), error.npos)
      << error;
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
