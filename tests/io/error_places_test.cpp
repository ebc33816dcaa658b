// Whoever finds an error - a body of a user's own, a joint, the Model -, the file says in which line and at which key.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/yaml_cursor.h"
#include "cuttle/model/model.h"
#include "io/io_support.h"
#include "support/cargo_box.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const std::string k_file = R"(cuttle: 1
links:
  - {name: arm, body: {type: rigid, mass: 1}}
  - name: box
    attach: {at: tip}
    body:
      type: cargo_box
      cargo:
        mass: -1
        items: [egg, cup]
)";

/// What stands in the file's errors after a reader has worked on it.
template <typename Read>
std::string errors_of(const Read& read) {
  const YamlNode tree = parse_yaml(k_file, "r.yaml");
  FileErrors errors;
  read(YamlCursor(tree, "", errors));
  return message<FileError>([&] { errors.throw_if_any(); });
}

TEST(ErrorPlaces, OfABodyThatIsMadeAreBelowIt) {
  const std::string text = errors_of([](const YamlCursor& root) {
    const YamlCursor body = root.child("links").child(1).child("body");
    try {
      test::CargoBox(-1.0);
    } catch (const ModelError& error) {
      body.fail_inside(error.diagnostic());
    }
  });
  EXPECT_EQ(text, "r.yaml:9:15: links[1].body.cargo.mass: found -1.000000, expected a number > 0 [kg]");
}

/// A robot with a box, and what a Model says about it, told by the file.
std::string model_errors(std::shared_ptr<const Body> box, const PortLocation& at = PortLocation::tip()) {
  return errors_of([&](const YamlCursor& root) {
    Robot robot;
    robot.links.push_back({.name = "arm", .body = std::make_shared<test::CargoBox>(1.0)});
    robot.links.push_back({.name = "box", .parent = {"arm", at, {}}, .body = std::move(box)});
    try {
      const Model model(robot);
    } catch (const Error& error) {
      root.fail_inside(error.diagnostic());
    }
  });
}

TEST(ErrorPlaces, OfABodyInAModelAreAtItsKey) {
  EXPECT_EQ(model_errors(std::make_shared<test::CargoBox>(1.0, true)),
            "r.yaml:10:22: links[1].body.cargo.items[1]: found it beside the box");
}

TEST(ErrorPlaces, OfAPortAreWhereItIsAskedFor) {
  EXPECT_EQ(model_errors(std::make_shared<test::CargoBox>(1.0), PortLocation::section(0.1)),
            "r.yaml:5:18: links[1].attach.at.s: found a section of a box, expected base or tip");
}

TEST(ErrorPlaces, WarningsHaveThemToo) {
  const YamlNode tree = parse_yaml(k_file, "r.yaml");
  FileErrors errors;
  const Diagnostic warning = test::CargoBox(1.0).warnings()[0];
  const YamlCursor body = YamlCursor(tree, "", errors).child("links").child(1).child("body");
  EXPECT_EQ(body.located(warning).text(), "r.yaml:9:15: links[1].body.cargo.mass: the box is overloaded");
}

// A robot from a file whose body somebody replaced: its source still knows where things stand.
TEST(ErrorPlaces, OfAChangedRobotAreFoundByItsSource) {
  Robot robot = read_robot_text(
      "cuttle: 1\nlinks:\n  - name: arm\n    body: {type: rigid, mass: 1}\n  - name: box\n    body: {type: rigid, "
      "mass: 2}\n",
      "r.yaml");
  robot.links[1].body = std::make_shared<test::CargoBox>(1.0, true);
  try {
    const Model model(robot);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.path(), "links[1].body.cargo.items[1]");
    EXPECT_EQ(robot.source->place(error.path()), "r.yaml:6:11");  // the body: it has no cargo there
  }
  EXPECT_EQ(robot.source->place("links[1].body.mass"), "r.yaml:6:31");
  EXPECT_EQ(robot.source->place("links[7].body"), "r.yaml:3:3");
  EXPECT_EQ(robot.source->place({}), "r.yaml:1:1");
}

TEST(ErrorPlaces, OfAParameterAreThereAsData) {
  const Robot robot = read_robot_text(R"(cuttle: 1
links:
  - {name: arm, body: {type: rod, length: 0.2, strain: pcc, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: 1, rotary_inertia: [1, 1, 2]}}
actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0.01, 0], from: 0.1, to: 0.2}]}]
)",
                                      "r.yaml");
  try {
    Model(robot).with("actuators.t.routing[0].to", 0.1);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path(), "actuators[0].routing[0].to");
    EXPECT_EQ(error.found(), "0.1, the same as from");
    EXPECT_STREQ(error.what(),
                 "r.yaml:4:93: actuators[0].routing[0].to: found 0.1, the same as from, expected a stretch of some "
                 "length [m]");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
