// `cuttle statics --path`: all equilibria of a load, folds and branch points, and the file of the path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/io/result_reader.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using StaticsPath = CommandLine;

// A bar that stands on a hinge with a spring of 5 N m/rad, m g l / 2 = 9.81 N m: it tilts from a part 5 / 9.81 of its
// weight on, 5 q = part 9.81 sin q.
const char* const k_mast = R"(cuttle: 1
name: mast
links:
- name: bar
  joint: {type: revolute, axis: [0, 1, 0], damping: 0.3, stiffness: 5}
  body: {type: rigid, mass: 2, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, 1]}}
actuators: [{name: motor, type: joint, link: bar}]
)";

TEST_F(StaticsPath, ListsAllEquilibriaOfALoad) {
  const std::string file = directory_.write("mast.yaml", k_mast), table = directory_.path("path.csv");
  const Result result = run("statics " + file + " --path load --json -o " + table);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["equilibria"].size(), 3u);
  for (const int k : {0, 1}) {
    const double q = json["equilibria"][static_cast<std::size_t>(k)]["q"][0];
    EXPECT_GT(std::abs(q), 0.1);
    EXPECT_NEAR(5 * q, 9.81 * std::sin(q), 1e-8);
    EXPECT_EQ(json["equilibria"][static_cast<std::size_t>(k)]["stability"], "stable");
  }
  EXPECT_NEAR(json["equilibria"][2]["q"][0], 0.0, 1e-9);
  EXPECT_EQ(json["equilibria"][2]["stability"], "unstable");
  double at = 0.0;
  for (const auto& point : json["branches"][0]["points"]) {
    if (point["kind"] == "branch point") at = point["parameter"];
  }
  EXPECT_NEAR(at, 5 / 9.81, 1e-6);
  // the file has a line a point
  std::ifstream lines(table);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, testing::StartsWith("branch,kind,parameter,arc_length,stability,growth_rate,smallest_stiffness,"
                                        "bar.joint.q0,motor,motor.y,bar.tip.x,bar.tip.y,bar.tip.z,bar.tip.qw"));
  std::size_t count = 0, points = 0;
  while (std::getline(lines, line)) ++count;
  for (const auto& branch : json["branches"]) points += branch["points"].size();
  EXPECT_EQ(count, points);
  const Result text = run("statics " + file + " --path load");
  EXPECT_THAT(text.output, HasSubstr("branch point at load 0.50968"));
  // without a path: the stable one of them
  const auto rest = nlohmann::json::parse(run("statics " + file + " --json").output);
  EXPECT_EQ(rest["by_path"], true);
  EXPECT_EQ(rest["stable"], true);
}

TEST_F(StaticsPath, FollowsInputsAndParametersByName) {
  const std::string file = directory_.write("mast.yaml", k_mast);
  auto json = nlohmann::json::parse(run("statics " + file +
                                        " --path motor --to 4 --at 2 --json --set "
                                        "robot.links.bar.joint.stiffness=20")
                                        .output);
  ASSERT_EQ(json["equilibria"].size(), 1u);
  double q = json["equilibria"][0]["q"][0];
  EXPECT_NEAR(20 * q - 9.81 * std::sin(q), 2.0, 1e-8);
  // softer and softer: it tilts where the stiffness is 9.81
  json = nlohmann::json::parse(
      run("statics " + file + " --path 'links.bar.joint.stiffness' --from 20 --to 8 --json").output);
  ASSERT_EQ(json["equilibria"].size(), 3u);
  q = json["equilibria"][0]["q"][0];
  EXPECT_GT(std::abs(q), 0.1);
  EXPECT_NEAR(8 * q, 9.81 * std::sin(q), 1e-8);
  const Result unknown = run("statics " + file + " --path links.bar.joint.stifness --from 20 --to 8");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("stifness"));
  EXPECT_EQ(run("statics " + file + " --to 8").code, 2);
}

TEST_F(StaticsPath, FollowsAComponentOfALoadAsTablesDo) {
  const std::string file = directory_.write("pushed.yaml", std::string(k_mast) + R"(loads:
- {type: wrench, link: bar, force: [1, 0, 0]}
)");
  for (const char* prefix : {"", "robot."}) {
    const std::string table = directory_.path("path.csv");
    const Result result =
        run("statics " + file + " --path '" + prefix +
            "loads[0].force[0]' --from 2 --to 9 --json --set robot.links.bar.joint.stiffness=20 -o " + table);
    ASSERT_EQ(result.code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    ASSERT_EQ(json["equilibria"].size(), 1u);
    const double q = json["equilibria"][0]["q"][0];
    EXPECT_NEAR(20 * q, 9.81 * std::sin(q) + 9 * std::cos(q), 1e-8);
  }
  EXPECT_EQ(run("statics " + file + " --path 'loads[0].force[0]' --to 9 -o " + directory_.path("path.h5")).code, 0);
  EXPECT_EQ(read_result_file(directory_.path("path.h5")).sequence.along_unit, "N");
  const Result unknown = run("statics " + file + " --path 'loads[0].force[3]' --to 9");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("did you mean 'loads[0].force["));
  const Result idle = run("statics " + file + " --path 'loads[0].force[0]' --to 9 --unloaded");
  EXPECT_EQ(idle.code, 2);
  EXPECT_THAT(idle.errors, HasSubstr("loads do not act"));
}

// a rod that is held at both ends, nearer to each other than it is long
TEST_F(StaticsPath, FollowsAnArchFromTheStraightRod) {
  const std::string file = directory_.write("arch.yaml", R"(cuttle: 1
name: arch
gravity: [0, 0, 0]
links:
  - name: strip
    body:
      type: rod
      length: 1.0
      section: {shape: rectangle, width: 0.001, height: 0.02}
      material: {density: 7800, young_modulus: 2.0e11}
      strain: {kappa_y: {basis: legendre, order: 4}}
loops:
  - {name: clamp, type: spherical, a: {link: base, pose: {position: [0, 0, 0.85]}}, b: {link: strip}}
)");
  const auto rest = nlohmann::json::parse(run("statics " + file + " --json").output);
  for (const char* path : {"load", "links.strip.body.material.young_modulus --from 2e11 --to 1e11"}) {
    const Result result = run("statics " + file + " --json --path " + path);
    ASSERT_EQ(result.code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    ASSERT_GE(json["equilibria"].size(), 1u) << path;
    // the shape does not depend on the modulus
    for (std::size_t i = 0; i < rest["q"].size(); ++i) {
      EXPECT_NEAR(json["equilibria"][0]["q"][i], rest["q"][i], 1e-7) << path;
    }
  }
  const Result zero = run("statics " + file + " --path links.strip.body.material.young_modulus --to 1e11");
  EXPECT_EQ(zero.code, 2);
  EXPECT_THAT(zero.errors, HasSubstr("found 0, expected a number > 0 [Pa]; the path begins at --from"));
}

TEST_F(StaticsPath, OffersAnotherBeginning) {
  // the branch of the tilted mast comes back through no force at all
  const std::string file = directory_.write("mast.yaml", k_mast);
  const Result back = run("statics " + file + " --path motor --from 0 --to 4 --q '[-1.5]'");
  ASSERT_EQ(back.code, 0) << back.errors;
  EXPECT_THAT(back.output,
              HasSubstr("it leaves the range at its start, 0: with a lower `from` it goes on (--from -2)"));
  EXPECT_THAT(back.output, HasSubstr("none: no branch that was followed comes there"));
}

TEST_F(StaticsPath, WritesAResultThatIsReadAndShown) {
  const std::string file = directory_.write("mast.yaml", k_mast), path = directory_.path("path.h5");
  ASSERT_EQ(run("statics " + file + " --path load -o " + path).code, 0);
  const ResultFile result = read_result_file(path);
  const ResultSequence& sequence = result.sequence;
  EXPECT_EQ(sequence.kind, ResultSequence::Kind::path);
  EXPECT_EQ(sequence.along, "load");
  ASSERT_EQ(sequence.branch_end.size(), 3u);
  EXPECT_EQ(sequence.branch_end[0], "the end of the range");
  EXPECT_EQ(sequence.branch_parent, (std::vector<double>{-1, 0, 0}));
  const auto &parameter = sequence.column("parameter").values, &kind = sequence.column("kind").values;
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    const Sample& sample = result.samples[i];
    EXPECT_EQ(sample.time, static_cast<double>(i));
    EXPECT_NEAR(5 * sample.q[0], parameter[i] * 9.81 * std::sin(sample.q[0]), 1e-8);
    EXPECT_NEAR(sample.tips[0].position.x, std::sin(sample.q[0]), 1e-12);
    if (kind[i] == 2.0) {
      EXPECT_NEAR(parameter[i], 5 / 9.81, 1e-6);
    }
  }
  EXPECT_EQ(std::count(kind.begin(), kind.end(), 2.0), 1);
  EXPECT_EQ(run("view " + path + " --no-open").code, 0);
  EXPECT_EQ(run("export " + path + " --gltf " + directory_.path("path.glb")).code, 0);
  // the diagram: one quantity, both ways of the lines, one branch point
  const std::string figure = directory_.path("path.svg");
  ASSERT_EQ(run("plot " + path + " -o " + figure).code, 0);
  std::ifstream svg(figure);
  const std::string text{std::istreambuf_iterator<char>(svg), {}};
  for (const char* part : {">load factor<", ">bar.tip.x [m]<", ">stable<", ">unstable<", ">branch point<"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr(">fold<")));
  const Result unknown = run("plot " + path + " --what nothing -o " + figure);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("what: found 'nothing'"));
}

TEST_F(StaticsPath, HasTheFramesOfTheRobotThatChanges) {
  const std::string file = directory_.write("mast.yaml", k_mast), path = directory_.path("path.h5");
  const std::string along = "links.bar.body.tip.position[2]";
  ASSERT_EQ(run("statics " + file + " --path '" + along + "' --from 1 --to 2 -o " + path).code, 0);
  const ResultFile result = read_result_file(path);
  const auto& parameter = result.sequence.column("parameter").values;
  EXPECT_EQ(result.sequence.along_unit, "m");
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    const Vector3& tip = result.samples[i].tips[0].position;
    EXPECT_NEAR(std::hypot(tip.x, tip.z), parameter[i], 1e-12);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
