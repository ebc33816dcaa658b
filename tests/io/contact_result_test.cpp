// Contacts in results, in the tool, and as sensors.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/io/result_columns.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/simulator.h"
#include "io/command_line.h"
#include "view/result_curves.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

constexpr double k_mass = 0.1, k_weight = 9.81 * k_mass, k_radius = 0.02;

/// Two balls, one on the ground and one on a step, at rest but for what the scenario says. Damped so that they sink in
/// and stay.
std::string robot_text(const std::string& contact_keys = "", const std::string& more = "") {
  const std::string body =
      "body: {type: rigid, mass: 0.1, inertia: [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}, contact: "
      "{shape: sphere, radius: 0.02}";
  return "cuttle: 1\nname: balls\nlinks:\n"
         "  - {name: low, attach: {pose: {position: [0, 0, 0.02]}}, joint: {type: free}, " +
         body + "}\n  - {name: high, parent: base, attach: {pose: {position: [1, 0, 0.12]}}, joint: {type: free}, " +
         body +
         "}\nobstacles:\n  - {name: ground, shape: plane}\n"
         "  - {name: step, shape: box, size: [0.5, 0.5, 0.1], pose: {position: [1, 0, 0.05]}}\n"
         "contacts:\n  - {name: floor, a: [low, high], b: [ground, step], modulus: 1.0e6, dissipation: 300" +
         contact_keys + "}\n" + more;
}
std::string scenario_text(const std::string& keys) {
  return "cuttle: 1\nrobot: balls.yaml\nsimulation:\n  integrator: {type: bdf, relative_tolerance: 1.0e-8, "
         "absolute_tolerance: 1.0e-10}\n" +
         keys;
}

class ContactResult : public CommandLine {
 protected:
  /// Runs it, and reads the result again.
  ResultFile simulate(const std::string& scenario, const std::string& robot = robot_text()) {
    directory_.write("balls.yaml", robot);
    const std::string path = directory_.write("s.yaml", scenario);
    const Result result = run("simulate " + path + " -o " + directory_.path("r.h5") + " --force");
    EXPECT_EQ(result.code, 0) << result.errors;
    return read_result_file(directory_.path("r.h5"));
  }
  static const NumberColumn& column(const std::vector<NumberColumn>& columns, const std::string& name) {
    for (const NumberColumn& column : columns) {
      if (column.name == name) return column;
    }
    throw Error("no column " + name);
  }
};

TEST_F(ContactResult, HasForcesOfTheWholeAndOfEachPair) {
  const ResultFile result = simulate(scenario_text("  duration: 2\n  output_step: 0.5\n"));
  const std::vector<NumberColumn> columns = result_columns(result);
  const auto last = [&](const std::string& name) { return column(columns, "contacts.floor." + name).values.back(); };
  // at rest each ball is carried by what it lies on
  EXPECT_NEAR(last("force.z"), 2.0 * k_weight, 1e-5);
  EXPECT_NEAR(last("force.x"), 0.0, 1e-9);
  EXPECT_NEAR(last("normal"), 2.0 * k_weight, 1e-5);
  EXPECT_NEAR(last("friction"), 0.0, 1e-9);
  EXPECT_NEAR(last("low-ground.normal"), k_weight, 1e-5);
  EXPECT_NEAR(last("high-step.normal"), k_weight, 1e-5);
  EXPECT_EQ(last("low-step.normal"), 0.0);
  EXPECT_EQ(last("high-ground.normal"), 0.0);
  // Hertz: F = 4/3 E* sqrt(R) d^1.5
  const double depth = std::pow(k_weight / (4.0 / 3.0 * 1e6 * std::sqrt(k_radius)), 2.0 / 3.0);
  EXPECT_NEAR(last("gap"), -depth, 1e-3 * depth);
  EXPECT_NEAR(last("low-step.gap"), 0.75 - k_radius, 1e-3);
  EXPECT_NEAR(last("low-ground.center.z"), 0.0, 2.0 * depth);
  EXPECT_NEAR(last("high-step.center.x"), 1.0, 1e-6);
  EXPECT_TRUE(std::isnan(last("low-step.center.x")));
  EXPECT_EQ(column(columns, "contacts.floor.gap").unit, "m");
  EXPECT_EQ(column(columns, "contacts.floor.slip").unit, "m/s");
  // energy of a Hertz contact: 2/5 F d
  EXPECT_NEAR(column(columns, "energy.contacts").values.back(), 2.0 * 0.4 * k_weight * depth, 1e-3 * k_weight * depth);
}

TEST_F(ContactResult, KeepsTheEnergyBookOfABounceAndOfSliding) {
  const ResultFile result =
      simulate(scenario_text("  duration: 0.6\n  output_step: 0.01\n  initial: {low: {q: [0, 0, 0.1, 1, 0, 0, 0], v: "
                             "[0, 0, 0, 0.5, 0, 0]}}\n"));
  double exchanged = 0.0, error = 0.0;
  for (const Sample& s : result.samples) {
    exchanged = std::max(exchanged, s.kinetic);
    error = std::max(error, std::abs(s.energy() - result.samples.front().energy() - s.input - s.load + s.dissipated));
  }
  EXPECT_GT(result.samples.back().dissipated, 0.1 * exchanged);  // of friction and of the bounces
  EXPECT_LT(error, 1e-5 * exchanged);
}

TEST_F(ContactResult, HasEachSiteIfAsked) {
  const ResultFile result =
      simulate(scenario_text("  duration: 1\n  output_step: 0.5\n"), robot_text(", record: sites"));
  const std::vector<NumberColumn> columns = result_columns(result);
  double total = 0.0;
  int sticking = 0, sites = 0;
  for (const NumberColumn& column : columns) {
    if (!column.name.starts_with("contacts.floor.sites.")) continue;
    const bool of_force = column.name.find(".force.") != column.name.npos;
    if (of_force && column.name.ends_with(".z")) total += column.values.back(), ++sites;
    if (column.name.find(".state.") != column.name.npos && column.values.back() == 1.0) ++sticking;
  }
  EXPECT_NEAR(total, 2.0 * k_weight, 1e-5);
  EXPECT_EQ(sticking, 2);
  EXPECT_EQ(sites, 4);  // the center of each ball against each obstacle
}

TEST_F(ContactResult, ShowsCurvesOfContacts) {
  const ResultFile result = simulate(scenario_text("  duration: 0.02\n  output_step: 0.01\n"));
  const CurveFinder finder(result.robot, {}, {});
  const auto curves = finder.find("contacts", result.samples);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].title, "floor");
  ASSERT_EQ(curves[0].curves.size(), 2u);
  EXPECT_EQ(curves[0].curves[0].name, "contacts.floor.normal");
  EXPECT_EQ(curves[0].curves[1].label, "friction");
  EXPECT_THAT(finder.usual(), testing::Contains("contacts"));
}

TEST_F(ContactResult, SensorsSayItAboutAFrame) {
  const std::string sensor =
      "sensors:\n  - {name: sole, type: contact, contact: floor, link: base, pose: {position: [0, 0, 0], rpy: [0, 0, "
      "1.5707963267948966]}}\n";
  const ResultFile result = simulate(scenario_text("  duration: 2\n  output_step: 1\n"), robot_text("", sensor));
  const VectorXd& seen = result.samples.back().sensors;
  ASSERT_EQ(seen.size(), 6);
  // about the world's origin the higher ball's weight at x = 1 makes -F about y, which is -x of the turned frame
  EXPECT_NEAR(seen[0], -k_weight, 1e-5);
  EXPECT_NEAR(seen[1], 0.0, 1e-7);
  EXPECT_NEAR(seen[5], 2.0 * k_weight, 1e-5);
  const std::string wrong = "sensors:\n  - {name: sole, type: contact, contact: flor, link: low}\n";
  EXPECT_THAT(robot_errors(robot_text("", wrong)), HasSubstr("did you mean 'floor'?"));
}

TEST_F(ContactResult, ToolEvaluatesContacts) {
  const std::string robot = directory_.write("balls.yaml", robot_text());
  const double depth = 1e-4;
  const std::string q = "'[0,0,-1.0e-4,1,0,0,0, 0,0,0.5,1,0,0,0]'";
  const Json with = Json::parse(run("eval --contacts --q " + q + " " + robot).output);
  const double force = 4.0 / 3.0 * 1e6 * std::sqrt(k_radius) * std::pow(depth, 1.5);
  EXPECT_NEAR(with["contacts"]["floor"]["normal"].get<double>(), force, 1e-9 * force);
  EXPECT_NEAR(with["contacts"]["floor/low-ground"]["force"][2].get<double>(), force, 1e-9 * force);
  EXPECT_EQ(with["contacts"]["floor/high-step"]["center"], nullptr);
  // a free body: its linear acceleration is that of the force less gravity
  EXPECT_NEAR(with["forward_dynamics"][5].get<double>(), force / k_mass - 9.81, 1e-9 * force / k_mass);
  EXPECT_NEAR(with["forward_dynamics"][11].get<double>(), -9.81, 1e-9);
  const Json without = Json::parse(run("eval --q " + q + " " + robot).output);
  EXPECT_FALSE(without.contains("contacts"));
  EXPECT_NEAR(without["forward_dynamics"][5].get<double>(), -9.81, 1e-9);
}

TEST_F(ContactResult, ToolSaysWhatTouchesWhat) {
  const std::string robot = directory_.write("balls.yaml", robot_text());
  const Result checked = run("check " + robot);
  EXPECT_EQ(checked.code, 0) << checked.errors;
  EXPECT_THAT(checked.output, HasSubstr("contact 'floor': low on ground"));
  EXPECT_THAT(checked.output + checked.errors, HasSubstr("contact 'floor': friction is not given"));
  const Json info = Json::parse(run("info --json " + robot).output);
  EXPECT_EQ(info["obstacles"][1]["name"], "step");
  EXPECT_EQ(info["contacts"][0]["friction"]["by_default"], true);
  EXPECT_EQ(info["contacts"][0]["pairs"][0]["a"], "low");
  EXPECT_EQ(info["contacts"][0]["pairs"][0]["b"], "ground");
  EXPECT_NEAR(info["contacts"][0]["pairs"][0]["gap"].get<double>(), 0.0, 1e-15);
  EXPECT_THAT(run("info " + robot).output, HasSubstr("0.5 (default)"));
  const std::string given = directory_.write("given.yaml", robot_text(", friction: 0.5"));
  EXPECT_THAT(run("check " + given).errors, testing::Not(HasSubstr("friction is not given")));
}

TEST_F(ContactResult, RefusesToBeginInTheMiddleOfAnObstacle) {
  directory_.write("balls.yaml", robot_text());
  const auto checked = [&](const std::string& z) {
    const std::string start = "  initial: {low: {q: [0, 0, " + z + ", 1, 0, 0, 0]}}\n";
    return run("check " + directory_.write("s.yaml", scenario_text(start)));
  };
  EXPECT_THAT(checked("0").errors, testing::Not(HasSubstr("deep in")));
  const Result slightly = checked("-0.001");  // more than 1 % of 40 mm
  EXPECT_EQ(slightly.code, 0);
  EXPECT_THAT(slightly.errors,
              HasSubstr("contacts[0]: found low 1 mm deep in ground at the start, expected at most 1 % of 40 "
                        "mm, the thickness of the thinner one"));
  const Result deep = checked("-0.025");
  EXPECT_NE(deep.code, 0);
  EXPECT_THAT(deep.errors,
              HasSubstr("contacts[0]: found low 25 mm deep in ground at the start, expected at most half of 40 mm, "
                        "the thickness of the thinner one"));
}

TEST_F(ContactResult, RobotsWithoutContactsHaveNothingOfThem) {
  std::string text = robot_text();
  text = text.substr(0, text.find("contacts:"));
  const ResultFile result = simulate(scenario_text("  duration: 0.02\n  output_step: 0.01\n"), text);
  for (const NumberColumn& column : result_columns(result)) {
    EXPECT_EQ(column.name.find("contact"), column.name.npos) << column.name;
  }
  EXPECT_LT(result.samples.back().q[2], 0.0);  // it falls through obstacles that are only drawn
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
