#include "cuttle/io/scenario_file.h"

#include <gtest/gtest.h>

#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const char* const k_robot = R"(cuttle: 1
base: {motion: floating}
links:
  - {name: hull, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: shoulder, joint: {type: revolute}, body: {type: rigid, mass: 1}}
  - {name: ball, joint: {type: spherical}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
actuators:
  - {name: motor1, type: joint, link: shoulder}
  - {name: pull, type: linear, links: [shoulder], matrix: [[1, 2]]}
)";

class ScenarioFiles : public testing::Test {
 protected:
  ScenarioFiles() { directory_.write("arm.yaml", k_robot); }

  /// A scenario of the robot whose `simulation:` block is in line 4 and after.
  std::string write(const std::string& simulation) {
    return directory_.write("s.yaml", "cuttle: 1\nrobot: arm.yaml\nsimulation:\n" + simulation);
  }
  ScenarioFile load(const std::string& simulation, const Overrides& overrides = {}) {
    return load_scenario_file(write(simulation), overrides);
  }
  /// Messages without the directory.
  std::string errors(const std::string& simulation, const Overrides& overrides = {}) {
    try {
      load(simulation, overrides);
      return "";
    } catch (const FileError& error) {
      std::string text = error.what();
      const std::string prefix = directory_.path("");
      for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
      return text;
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(ScenarioFiles, ReadsTheExampleOfTheFormat) {
  const ScenarioFile file = load(R"(  duration: 5.0
  output_step: 0.02
  seed: 7
  integrator: {type: bdf, relative_tolerance: 1.0e-7, absolute_tolerance: 1.0e-9, max_step: 0.1}
  initial: {shoulder: {q: [0.3], v: [0]}, base: {q: [0,0,0, 1,0,0,0], v: [0,0,0, 0,0,0]}}
  inputs: {pull.1: 2.0, motor1: {type: step, time: 1, before: 0, after: 5}}
  controllers: []
)");
  EXPECT_EQ(file.scenario.duration, 5.0);
  EXPECT_EQ(file.scenario.output_step, 0.02);
  EXPECT_EQ(file.scenario.seed, 7);
  EXPECT_EQ(file.scenario.integrator.type, "bdf");
  EXPECT_EQ(file.scenario.integrator.relative_tolerance, 1e-7);
  EXPECT_EQ(file.scenario.integrator.absolute_tolerance, 1e-9);
  EXPECT_EQ(file.scenario.integrator.max_step, 0.1);
  EXPECT_EQ(file.scenario.initial.at("shoulder").q, std::vector<double>({0.3}));
  EXPECT_EQ(file.scenario.initial.at("base").v.size(), 6u);
  EXPECT_EQ(file.scenario.inputs.at("pull.1").at(0), 2.0);
  EXPECT_EQ(file.scenario.inputs.at("motor1").at(0.5), 0.0);
  EXPECT_EQ(file.scenario.inputs.at("motor1").at(1), 5.0);
  EXPECT_EQ(file.robot_path, directory_.path("arm.yaml"));
  EXPECT_EQ(file.robot_yaml, k_robot);
  EXPECT_EQ(file.scenario_yaml.find("cuttle: 1\nrobot: arm.yaml"), 0u);
  EXPECT_EQ(file.robot.links.size(), 3u);
}

// as inputs are named: a motor of a joint stands for the link of the joint
TEST_F(ScenarioFiles, InitialStatesMayBeNamedByTheMotorsOfJoints) {
  const ScenarioFile file = load("  initial: {motor1: {q: [0.3], v: -1}}\n");
  ASSERT_EQ(file.scenario.initial.size(), 1U);
  EXPECT_EQ(file.scenario.initial.at("shoulder").q, std::vector<double>({0.3}));
  EXPECT_EQ(file.scenario.initial.at("shoulder").v, std::vector<double>({-1.0}));
  EXPECT_EQ(errors("  initial: {motor1: {q: [1, 2]}}\n"),
            "s.yaml:4:25: simulation.initial.shoulder.q: found 2 values, expected 1 value (nq of 'shoulder')");
  EXPECT_EQ(
      errors("  initial: {motor1: {q: 1}, shoulder: {q: 1}}\n"),
      "s.yaml:4:21: simulation.initial.motor1: found the joint of link 'shoulder', which has an initial state by its "
      "own name too, expected one of them");
  EXPECT_NE(errors("  initial: {pull: {q: 1}}\n").find("found no link 'pull'"), std::string::npos);
}

TEST_F(ScenarioFiles, DefaultsAndFixedSteps) {
  const ScenarioFile empty = load("  duration: 1\n");
  EXPECT_EQ(empty.scenario.output_step, 0.01);
  EXPECT_EQ(empty.scenario.integrator.type, "");
  EXPECT_EQ(empty.scenario.integrator.relative_tolerance, 1e-6);
  const ScenarioFile fixed = load("  integrator: {type: rk4, step: 1e-3}\n  initial: {shoulder: {q: 0.5}}\n");
  EXPECT_EQ(fixed.scenario.integrator.type, "rk4");
  EXPECT_EQ(fixed.scenario.integrator.step, 1e-3);
  EXPECT_EQ(fixed.scenario.initial.at("shoulder").q, std::vector<double>({0.5}));
}

TEST_F(ScenarioFiles, ReadsEverySignal) {
  directory_.write("t.csv", "# torques\ntime, \"a\" ,b\r\n0,1,2\r\n\n0.5,3,-4e0\n");
  const ScenarioFile file = load(R"(  duration: 1
  inputs:
    motor1: {type: table, file: t.csv, column: b}
    pull.0: {type: points, time: [0, 1], value: [0, 2]}
)");
  EXPECT_EQ(file.scenario.inputs.at("motor1").at(0.25), -1.0);
  EXPECT_EQ(file.scenario.inputs.at("pull.0").at(0.5), 1.0);
  const ScenarioFile other = load(R"(  duration: 1
  inputs:
    motor1: {type: table, file: t.csv, column: a, hold: true}
    pull.0: {type: ramp, start: 0, end: 1, from: 1, to: 3}
    pull.1: {type: sine, amplitude: 1, frequency: 1, phase: 0, offset: 5}
)");
  EXPECT_EQ(other.scenario.inputs.at("motor1").at(0.49), 1.0);
  EXPECT_EQ(other.scenario.inputs.at("pull.0").at(0.5), 2.0);
  EXPECT_NEAR(other.scenario.inputs.at("pull.1").at(0.25), 6.0, 1e-15);
}

TEST_F(ScenarioFiles, TablesAreCheckedAtTheirOwnPlaces) {
  const std::string input = "  inputs: {motor1: {type: table, file: t.csv, column: b}}\n";
  EXPECT_EQ(errors(input),
            "s.yaml:4:40: simulation.inputs.motor1.file: found 't.csv', which does not exist, expected a CSV table");
  directory_.write("t.csv", "time,a\n0,1\n");
  EXPECT_EQ(errors(input), "t.csv:1:1: b: found no column of this name, expected time or a");
  directory_.write("t.csv", "time,b\n0,1\n0,2\n");
  EXPECT_EQ(errors(input), "t.csv:3:1: time: found 0 after 0, expected increasing times");
  directory_.write("t.csv", "time,b\n0,nan\n");
  EXPECT_EQ(errors(input), "t.csv:2:3: b: found 'nan', expected a finite number");
  directory_.write("t.csv", "time,b\n0\n");
  EXPECT_EQ(errors(input), "t.csv:2:1: row: found 1 cell, expected 2, as many as the header has");
  directory_.write("t.csv", "time,b\n");
  directory_.write("t.csv", "b\n0\n1\n");
  EXPECT_EQ(errors(input), "t.csv:1:1: time: found no column of this name, expected time among the columns");
  directory_.write("t.csv", "time,b\n");
  EXPECT_EQ(errors(input), "t.csv:1:1: table: found no rows, expected a line of names and at least one row of numbers");
}

TEST_F(ScenarioFiles, WrongKeysAndValues) {
  EXPECT_EQ(errors("  duration: 0\n"), "s.yaml:4:13: simulation.duration: found 0, expected a number > 0 [s]");
  EXPECT_EQ(errors("  duraton: 1\n"),
            "s.yaml:4:3: simulation.duraton: found an unknown key, expected duration, output_step, seed, integrator, "
            "initial, inputs, motion, energy_error_limit, strict or controllers; did you mean 'duration'?");
  EXPECT_EQ(errors("  output_step: 1.0e-12\n"),
            "s.yaml:4:16: simulation.output_step: found 1e-12 in a duration of 1, expected a step [s] that makes at "
            "most 1e+09 outputs");
  EXPECT_EQ(errors("  integrator: {type: rk4, step: 1.0e-300}\n"),
            "s.yaml:4:33: simulation.integrator.step: found 1.0e-300, expected a number >= 1e-12 [s]");
  EXPECT_EQ(
      errors("  duration: 1.0e3\n  output_step: 1\n  integrator: {type: newmark, step: 1.0e-10}\n"),
      "s.yaml:6:37: simulation.integrator.step: found 1e-10 in a duration of 1000, expected a step [s] that makes "
      "at most 1e+12 steps");
  EXPECT_EQ(errors("  integrator: {type: bdf, relative_tolerance: 10}\n"),
            "s.yaml:4:47: simulation.integrator.relative_tolerance: found 10, expected a number in [1e-14, 0.1]");
  EXPECT_EQ(errors("  seed: -1\n"), "s.yaml:4:9: simulation.seed: found -1, expected an integer >= 0");
  EXPECT_EQ(errors("  integrator: {type: rk4}\n"),
            "s.yaml:4:15: simulation.integrator.step: found nothing, expected a number >= 1e-12 [s]");
  EXPECT_EQ(errors("  integrator: {type: bdf, step: 1}\n"),
            "s.yaml:4:27: simulation.integrator.step: found a key that type bdf does not have, expected type, "
            "relative_tolerance, absolute_tolerance or max_step");
  EXPECT_EQ(errors("  integrator: {type: generalized_alpha, rho_inf: 1.5}\n"),
            "s.yaml:4:50: simulation.integrator.rho_inf: found 1.5, expected a number in [0, 1]");
  EXPECT_EQ(
      errors("  integrator: {type: hht, rho_inf: 0.5}\n"),
      "s.yaml:4:27: simulation.integrator.rho_inf: found a key that type hht does not have, expected type, alpha, "
      "step, relative_tolerance, absolute_tolerance, error or max_step");
  EXPECT_EQ(errors("  controllers: [{name: c}]\n"),
            "s.yaml:4:17: simulation.controllers[0].type: found nothing, expected computed_torque, "
            "partial_feedback_linearization, pd_with_cancellation, pd_plus, pid, feed_forward, adaptive, "
            "operational_space, lqr or external");
  EXPECT_EQ(errors("  initial: {statics: false}\n"),
            "s.yaml:4:22: simulation.initial.statics: found false, expected true");
  EXPECT_EQ(errors("  initial: {statics: true, inputs: {motor1: fast}}\n"),
            "s.yaml:4:45: simulation.initial.inputs.motor1: found 'fast', expected a number");
  EXPECT_EQ(errors("  inputs: {motor1: fast}\n"),
            "s.yaml:4:20: simulation.inputs.motor1: found 'fast', expected a number or a signal, as {type: step, time: "
            "1, before: 0, after: 5}");
  EXPECT_EQ(errors("  inputs: {motor1: 1, motor1: 2}\n"),
            "s.yaml:4:23: simulation.inputs.motor1: found this key again, expected it once (s.yaml:4:12)");
}

TEST_F(ScenarioFiles, NamesAndSizesMustFitTheRobot) {
  EXPECT_EQ(errors("  initial: {sholder: {q: [1]}}\n"),
            "s.yaml:4:22: simulation.initial.sholder: found no link 'sholder', expected base, hull, shoulder or ball; "
            "did you mean 'shoulder'?");
  EXPECT_EQ(errors("  initial: {shoulder: {q: [1, 2], v: [1, 2]}}\n"),
            "s.yaml:4:27: simulation.initial.shoulder.q: found 2 values, expected 1 value (nq of 'shoulder')\n"
            "s.yaml:4:38: simulation.initial.shoulder.v: found 2 values, expected 1 value (nv of 'shoulder')");
  EXPECT_EQ(
      errors("  initial: {ball: {q: [1, 0.1, 0, 0]}}\n"),
      "s.yaml:4:23: simulation.initial.ball.q: found a quaternion whose norm is 0.00498756211 off 1, expected at most "
      "1e-6");
  EXPECT_EQ(errors("  inputs: {pull: 1}\n"),
            "s.yaml:4:18: simulation.inputs.pull: found no input 'pull', expected motor1, pull.0 or pull.1; did you "
            "mean 'pull.0'?");
  EXPECT_EQ(errors("  initial: {base: {q: [0, 0, 0, 1, 0, 0, 0]}}\n", {"robot.base.motion=fixed"}),
            "s.yaml:4:23: simulation.initial.base.q: found 7 values, expected no values (the base is fixed)");
}

TEST_F(ScenarioFiles, OverridesGoToTheFileTheyName) {
  const ScenarioFile file =
      load("  duration: 1\n", {"simulation.duration=2", "robot.gravity=[0, 0, 0]", "simulation.integrator.type=tsit5",
                               "simulation.integrator.step=0.1"});
  EXPECT_EQ(file.scenario.duration, 2.0);
  EXPECT_EQ(file.robot.gravity.z, 0.0);
  EXPECT_EQ(file.scenario.integrator.type, "tsit5");
  EXPECT_EQ(file.scenario_yaml.find("# --set robot.gravity"), std::string::npos);
  EXPECT_NE(file.scenario_yaml.find("# --set simulation.duration=2\n"), std::string::npos);
  EXPECT_NE(file.robot_yaml.find("# --set robot.gravity=[0, 0, 0]\n"), std::string::npos);
  EXPECT_EQ(errors("  duration: 1\n", {"simulation.duration=x"}),
            "--set simulation.duration=x: simulation.duration: found 'x', expected a number > 0 [s]");
}

// A key that has a point itself, as names of inputs and frames may.
TEST_F(ScenarioFiles, OverridesFollowKeysWithPoints) {
  const ScenarioFile file = load("  inputs: {motor1: 1, pull.0: 2, pull.1: {type: step, time: 1, after: 3}}\n",
                                 {"simulation.inputs.pull.0=5", "simulation.inputs.pull.1.after=7"});
  EXPECT_EQ(file.scenario.inputs.at("pull.0").at(0.0), 5.0);
  EXPECT_EQ(file.scenario.inputs.at("pull.1").at(2.0), 7.0);
  EXPECT_EQ(file.scenario.inputs.at("motor1").at(0.0), 1.0);
}

TEST_F(ScenarioFiles, OverridesThatNameNoFileAreToldWhichTheyMean) {
  for (const auto& [override_text, nearest] :
       {std::pair<std::string, std::string>{"duration=2", "; did you mean 'simulation.duration=2'?"},
        {"integrator.type=bdf", "; did you mean 'simulation.integrator.type=bdf'?"},
        {"links.arm.body.mass=2", "; did you mean 'robot.links.arm.body.mass=2'?"},
        {"gravity[2]=-1.62", "; did you mean 'robot.gravity[2]=-1.62'?"},  // the file leaves it out
        {"simulatoin.duration=2", "; did you mean 'simulation'?"},
        {"unlike=2", ""}}) {
    EXPECT_EQ(errors("  duration: 1\n", {override_text}),
              "--set " + override_text + ": found '" + override_text +
                  "', expected simulation.KEY.PATH=VALUE or robot.KEY.PATH=VALUE" + nearest);
  }
}

TEST_F(ScenarioFiles, OverridesOfSeveralLinesStayComments) {
  const ScenarioFile file = load("  duration: 1\n", {"simulation.inputs={motor1:\n 1\n}", "simulation.seed=\r\n2"});
  EXPECT_EQ(file.scenario.inputs.at("motor1").at(0), 1.0);
  const std::string comments = "# --set simulation.inputs={motor1:\n#  1\n# }\n# --set simulation.seed=\n# 2\n";
  EXPECT_EQ(file.scenario_yaml, "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 1\n" + comments);
  const std::string again = directory_.write("again.yaml", file.scenario_yaml);
  EXPECT_EQ(load_scenario_file(again).scenario.seed, 0);
}

TEST_F(ScenarioFiles, TooManyOutputsAreRefusedAtTheirPlace) {
  EXPECT_EQ(
      errors("  duration: 1\n  output_step: 1e-20\n"),
      "s.yaml:5:16: simulation.output_step: found 1e-20 in a duration of 1, expected a step [s] that makes at most "
      "1e+09 outputs");
  EXPECT_EQ(errors("  duration: 1e14\n"),
            "s.yaml:4:3: simulation.output_step: found 0.01 in a duration of 1e+14, expected a step [s] that makes at "
            "most 1e+09 outputs");
}

TEST_F(ScenarioFiles, ErrorsOfBothFilesComeTogether) {
  directory_.write("arm.yaml", "cuttle: 1\nlinks: []\n");
  EXPECT_EQ(errors("  duration: -1\n"),
            "s.yaml:4:13: simulation.duration: found -1, expected a number > 0 [s]\n"
            "arm.yaml:2:8: links: found an empty list, expected at least one link");
  const std::string path = directory_.write("t.yaml", "cuttle: 1\nrobot: leg.yaml\nsimulation: {duration: 1}\n");
  try {
    load_scenario_file(path);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), path + ":2:8: robot: found 'leg.yaml' (no file " +
                                             directory_.path("leg.yaml") +
                                             "), expected a robot file, relative to this file");
  }
}

TEST_F(ScenarioFiles, ReadsTextsWithoutFiles) {
  const std::string scenario = "cuttle: 1\nrobot: nowhere.yaml\nsimulation:\n  duration: 3\n";
  const ScenarioFile file = read_scenario_text(scenario, "text.yaml", k_robot, {"simulation.output_step=0.5"});
  EXPECT_EQ(file.scenario.duration, 3.0);
  EXPECT_EQ(file.scenario.output_step, 0.5);
  EXPECT_EQ(file.robot.links.size(), 3u);
  try {
    read_scenario_text(scenario, "text.yaml", "cuttle: 1\nname: arm\nlinks: 5\n");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find("nowhere.yaml:3:"), 0u) << error.what();
  }
}

TEST_F(ScenarioFiles, SetsValuesOfTheRobot) {
  const auto load_with = [&](const std::string& set, const Overrides& overrides = {}) {
    const std::string path =
        directory_.write("set.yaml", "cuttle: 1\nrobot: arm.yaml\nset: " + set + "\nsimulation: {duration: 1}\n");
    return load_scenario_file(path, overrides);
  };
  const std::string set = "[\"robot.gravity=[0, 0, -1.6]\", robot.links.ball.body.mass=3]";
  const ScenarioFile file = load_with(set);
  EXPECT_EQ(file.robot.gravity.z, -1.6);
  EXPECT_EQ(file.changes, (Overrides{"robot.gravity=[0, 0, -1.6]", "robot.links.ball.body.mass=3"}));
  EXPECT_EQ(file.overrides, Overrides());
  // what the command sets comes after the file
  const ScenarioFile other = load_with(set, {"robot.gravity[2]=-3"});
  EXPECT_EQ(other.robot.gravity.z, -3.0);
  EXPECT_EQ(other.changes.back(), "robot.gravity[2]=-3");
  EXPECT_EQ(other.overrides, Overrides{"robot.gravity[2]=-3"});
  for (const auto& [wrong, message] :
       {std::pair<std::string, std::string>{"[simulation.duration=2]",
                                            "set.yaml:3:7: set[0]: found 'simulation.duration=2'"},
        {"[robot=other.yaml]", "set.yaml:3:7: set[0]: found 'robot=other.yaml', expected robot.KEY.PATH=VALUE"},
        {"[robot.links.ball.body.mas=3]", "links[2].body.mas: found an unknown key"},
        {"robot.gravity=0", "set.yaml:3:6: set: found 'robot.gravity=0', expected a list of texts"}}) {
    try {
      load_with(wrong);
      ADD_FAILURE() << wrong;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST_F(ScenarioFiles, ATextHoldsWhatIsSet) {
  const Overrides set{"robot.gravity=[0, 0, 0]", "robot.links.ball.body.mass=3"};
  const std::string path = directory_.write("text.yaml", scenario_text(Scenario{}, "arm.yaml", {}, set));
  EXPECT_EQ(load_scenario_file(path).changes, set);
}

TEST_F(ScenarioFiles, KindsAreToldByTheirKeys) {
  EXPECT_EQ(kind_of_file(write("  duration: 1\n")), FileKind::scenario);
  EXPECT_EQ(kind_of_file(directory_.path("arm.yaml")), FileKind::robot);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
