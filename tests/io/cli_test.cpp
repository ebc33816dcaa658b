// The command-line tool as a user runs it: output, messages and exit codes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cuttle/view/shown_run.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST_F(CommandLine, TellsItsVersionAndHelps) {
  const Result version = run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.output.find("cuttle "), 0u);
  for (const char* arguments :
       {"--help", "new --help", "check --help", "info --help", "eval --help", "parameters --help"}) {
    const Result help = run(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_NE(help.output.find("Example"), std::string::npos) << arguments;
    EXPECT_EQ(help.errors, "");
  }
}

TEST_F(CommandLine, WrongArgumentsEndWithCode2) {
  for (const char* arguments :
       {"", "chek x.yaml", "check", "eval", "info", "new", "check --no-such-option x.yaml", "eval --q"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_NE(result.errors, "") << arguments;
  }
}

TEST_F(CommandLine, UnknownCommandsNameTheNearest) {
  const std::string known =
      "new, import, check, info, eval, parameters, ik, statics, modes, workspace, simulate, sweep, sensitivities, "
      "view, plot, export, compare, identify, live, bench, completion";
  for (const auto& [word, nearest] : {std::pair<std::string, std::string>{"chek x.yaml", "; did you mean 'check'?"},
                                      {"simluate --csv x.yaml", "; did you mean 'simulate'?"},
                                      {"frob", ""},
                                      {"''", ""}}) {
    const Result result = run(word);
    EXPECT_EQ(result.code, 2) << word;
    EXPECT_EQ(result.output, "");
    std::string found = word.substr(0, word.find(' '));
    if (found == "''") found.clear();
    EXPECT_EQ(result.errors, "command: found '" + found + "', expected one of: " + known + nearest + "\n");
  }
}

TEST_F(CommandLine, HelpShowsAnExampleOfEachCommand) {
  const std::string help = run("--help").output;
  for (const char* command :
       {"new",      "import", "info", "check", "eval",   "parameters", "ik",       "statics", "modes", "workspace",
        "simulate", "sweep",  "view", "plot",  "export", "compare",    "identify", "live",    "bench", "completion"}) {
    EXPECT_NE(help.find(std::string("cuttle ") + command + " "), std::string::npos) << command;
  }
}

TEST_F(CommandLine, SaysWhichFilesItShows) {
  const std::string urdf = directory_.write("arm.urdf", "<robot name=\"arm\"/>\n");
  for (const std::string command : {"view", "live"}) {
    const Result result = run(command + " " + urdf + " --no-open");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, urdf +
                                 ": found a robot in a format of other programs (.urdf), expected a robot or scenario "
                                 "file in YAML (`cuttle import` makes one of it)\n");
  }
  const std::string result = directory_.path("pendulum.h5");
  run("simulate " + model("examples/pendulum_scenario.yaml") + " --duration 0.1 -o " + result);
  const Result live = run("live " + result + " --no-open");
  EXPECT_EQ(live.code, 2);
  EXPECT_EQ(live.errors,
            result + ": found a result, expected a robot or scenario file; `cuttle view " + result + "` shows it\n");
}

TEST_F(CommandLine, FactsOfAPageAreForPeople) {
  const std::string path = directory_.path("pendulum.h5");
  run("simulate " + model("examples/pendulum_scenario.yaml") + " --duration 0.1 --set robot.gravity[2]=-1.6 -o " +
      path);
  const ShownRun shown = shown_result(path);
  const std::map<std::string, std::string> facts(shown.facts.begin(), shown.facts.end());
  EXPECT_EQ(facts.at("coordinates"), "1 (1 link)");
  EXPECT_EQ(facts.count("rejected steps"), 1u);
  EXPECT_EQ(facts.count("failures"), 0u);
  EXPECT_EQ(shown.changes, (std::vector<std::string>{"robot.gravity[2]=-1.6", "simulation.duration=0.1"}));
}

TEST_F(CommandLine, ChecksEveryModelOfTheProject) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::k_source_dir + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const Result result = run("check " + entry.path().string());
    EXPECT_EQ(result.code, 0) << entry.path() << "\n" << result.errors;
    // no warnings, but for tips that deform under the next link as the paper's or a mesh's modes say
    EXPECT_EQ(std::regex_replace(result.errors, std::regex("warning: .*Assumption 2 of Pustina 2025\\)\n"), ""), "");
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST_F(CommandLine, CheckSaysWhatItRead) {
  const std::string path = model("examples/two_segment_arm.yaml");
  EXPECT_EQ(run("check " + path).output,
            path + ": ok: robot 'two_segment_arm', fixed base, 3 links, nq 8, nv 8, nu 0\n");
}

TEST_F(CommandLine, ListsParameters) {
  const std::string path =
      directory_.write("arm.yaml",
                       "cuttle: 1\ngravity: [0, 0, -9.81]\nlinks:\n"
                       "  - {name: arm, joint: {type: revolute, damping: 0.1}, body: {type: rigid, mass: 2}}\n");
  const Result table = run("parameters " + path + " --set robot.gravity[2]=-1.625 --set robot.links.arm.body.mass=3");
  EXPECT_EQ(table.code, 0);
  EXPECT_EQ(table.errors, "");
  EXPECT_EQ(table.output,
            "  path                        value  unit       from\n"
            "  gravity[0]                      0  m/s^2      given\n"
            "  gravity[1]                      0  m/s^2      given\n"
            "  gravity[2]                 -1.625  m/s^2      given\n"
            "  links.arm.joint.axis[0]         0             default\n"
            "  links.arm.joint.axis[1]         0             default\n"
            "  links.arm.joint.axis[2]         1             default\n"
            "  links.arm.joint.stiffness       0  N m/rad    default\n"
            "  links.arm.joint.damping       0.1  N m s/rad  given\n"
            "  links.arm.joint.armature        0  kg m^2     default\n"
            "  links.arm.joint.rest            0  rad        default\n"
            "  links.arm.body.mass             3  kg         given\n"
            "  links.arm.body.com[0]           0  m          default\n"
            "  links.arm.body.com[1]           0  m          default\n"
            "  links.arm.body.com[2]           0  m          default\n"
            "  links.arm.body.inertia[0]       0  kg m^2     default\n"
            "  links.arm.body.inertia[1]       0  kg m^2     default\n"
            "  links.arm.body.inertia[2]       0  kg m^2     default\n"
            "  links.arm.body.inertia[3]       0  kg m^2     default\n"
            "  links.arm.body.inertia[4]       0  kg m^2     default\n"
            "  links.arm.body.inertia[5]       0  kg m^2     default\n");
  const auto json = nlohmann::json::parse(run("parameters --json " + path).output);
  ASSERT_EQ(json.size(), 20u);
  EXPECT_EQ(json[10],
            nlohmann::json::parse(R"({"path": "links.arm.body.mass", "value": 2, "unit": "kg", "given": true})"));
  EXPECT_EQ(json[19]["given"], false);
}

TEST_F(CommandLine, CheckReportsErrorsOnStderr) {
  const std::string path = directory_.write("bad.yaml", "cuttle: 1\nlinks: [{name: a, bodi: 1}, {name: a}]\n");
  const Result result = run("check " + path);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            path +
                ":2:19: links[0].bodi: found an unknown key, expected name, parent, attach, joint, body, contact "
                "or visual; did you mean 'body'?\n" +
                path + ":2:36: links[1].name: found 'a' again, expected a name of its own (" + path + ":2:9 has it)\n");
}

TEST_F(CommandLine, WarningsGoToStderrTheSameWayEverywhere) {
  const std::string robot = directory_.write(
      "r.yaml",
      "cuttle: 1\nmaterials: {unused: {density: 1}}\nlinks: [{name: a, joint: {type: prismatic}, body: {type: rigid, "
      "mass: 1}}]\n");
  const std::string scenario = directory_.write("s.yaml", "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 0.1}\n");
  const std::string warning = "warning: " + robot + ":2:21: materials.unused: no link is made of it\n";
  EXPECT_EQ(run("check " + robot).errors, warning);
  EXPECT_EQ(run("check " + scenario).errors, warning);
  const Result simulated = run("simulate " + scenario + " -o " + directory_.path("x.h5"));
  EXPECT_EQ(simulated.code, 0);
  EXPECT_EQ(simulated.errors, warning);
}

TEST_F(CommandLine, EachCommandNamesAFileOfTheOtherKind) {
  const std::string robot = model("examples/pendulum.yaml"), scenario = model("examples/pendulum_scenario.yaml");
  const Result simulate = run("simulate " + robot);
  EXPECT_EQ(simulate.code, 2);
  EXPECT_EQ(simulate.errors, robot + ": found a robot file, expected a scenario file, which names a robot\n");
  const Result eval = run("eval " + scenario);
  EXPECT_EQ(eval.code, 2);
  EXPECT_EQ(eval.errors, scenario + ": found a scenario file, expected a robot file\n");
}

// JSON has no word for infinity: there is all of it or none.
TEST_F(CommandLine, EvalRefusesToPrintWhatIsNotFinite) {
  const Result fast = run("eval " + model("examples/pendulum.yaml") + " --v '[1e200]'");
  EXPECT_EQ(fast.code, 1);
  EXPECT_EQ(fast.output, "");
  EXPECT_NE(fast.errors.find("energy"), std::string::npos) << fast.errors;
  const std::string rod = directory_.write("r.yaml", R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1e6}}
links: [{name: a, body: {type: rod, length: 0.2, material: m, section: {shape: circle, radius: 0.01}, strain: planar_cc}}]
)");
  const Result bent = run("eval " + rod + " --q '[1e200]'");
  EXPECT_NE(bent.code, 0);
  EXPECT_EQ(bent.output, "");
  EXPECT_NE(bent.errors, "");
}

TEST_F(CommandLine, EvalPrintsZeroWithoutASign) {
  const Result result = run("eval " + model("examples/pendulum.yaml"));
  ASSERT_EQ(result.code, 0);
  for (const char* text : {"-0,", "-0]", "-0\n"})
    EXPECT_EQ(result.output.find(text), std::string::npos) << result.output;
}

TEST_F(CommandLine, EvalPrintsThePendulumsDynamics) {
  const Result result =
      run("eval " + model("examples/pendulum.yaml") + " --q '[0.5]' --v '[2]' --a '[3]' --u '[1]' --tau '[0.5]'");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["nq"], 1);
  EXPECT_EQ(json["nv"], 1);
  // a rod of 1 m and 1 kg about its end
  const double inertia = 1.0 / 3.0, gravity = 9.81 * 0.5 * std::sin(0.5);
  const auto expect = [&json](const char* key, double value) {
    ASSERT_TRUE(json[key].is_array()) << key;
    EXPECT_NEAR(json[key][0].get<double>(), value, 1e-14) << key;
  };
  expect("inertial_inverse_dynamics", inertia * 3);
  expect("inverse_dynamics", inertia * 3 + gravity);
  expect("coriolis_force", 0);
  expect("gravity_force", gravity);
  expect("elastic_force", 0);
  expect("damping_force", 0);
  expect("forward_dynamics", (1.5 - gravity) / inertia);
  EXPECT_NEAR(json["mass_matrix"][0][0].get<double>(), inertia, 1e-14);
  EXPECT_NEAR(json["energy"]["kinetic"].get<double>(), 0.5 * inertia * 4, 1e-14);
  EXPECT_NEAR(json["energy"]["gravity"].get<double>(), -9.81 * 0.5 * std::cos(0.5), 1e-14);
  EXPECT_EQ(json["energy"]["elastic"], 0.0);
  EXPECT_NEAR(json["frames"]["arm.tip"]["position"][0].get<double>(), -std::sin(0.5), 1e-15);
  EXPECT_NEAR(json["frames"]["arm.tip"]["rotation"][0][2].get<double>(), std::sin(0.5), 1e-15);
  EXPECT_EQ(json["frames"]["arm.base"]["position"], nlohmann::json({0, 0, 0}));
  // 17 digits read back as the same number
  EXPECT_NE(result.output.find("0.87758256189037276"), std::string::npos);
}

TEST_F(CommandLine, EvalAddsLoadsOnlyWhenAsked) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
gravity: [0, 0, 0]
links: [{name: a, joint: {type: prismatic}, body: {type: rigid, mass: 2}}]
loads: [{type: wrench, link: a, force: [0, 0, {type: ramp, start: -1, end: 1, from: 0, to: 12}]}]
)");
  const auto acceleration = [&](const std::string& options) {
    return nlohmann::json::parse(run("eval " + robot + options).output)["forward_dynamics"][0].get<double>();
  };
  EXPECT_EQ(acceleration(""), 0.0);
  EXPECT_DOUBLE_EQ(acceleration(" --loads"), 3.0);
}

TEST_F(CommandLine, EvalKnowsElements) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
gravity: [0, 0, 0]
links: [{name: a, joint: {type: prismatic}, body: {type: rigid, mass: 2}}]
elements:
  - {name: coil, type: spring, a: {link: base, pose: {position: [0, 0, -1]}}, b: {link: a}, stiffness: 10, damping: 3,
     rest_length: 0.5}
actuators: [{name: motor, type: joint, link: a}]
)");
  const Result result = run("eval " + robot + " --q '[0.2]' --v '[0.4]' --u '[5]' --tau '[1]'");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_NEAR(nlohmann::json::parse(result.output)["forward_dynamics"][0].get<double>(),
              (5 + 1 - 10 * 0.7 - 3 * 0.4) / 2, 1e-14);
}

TEST_F(CommandLine, EvalAddsLoadsOfMotion) {
  const std::string robot = directory_.write("r.yaml", R"(cuttle: 1
gravity: [-9.81, 0, 0]
links: [{name: a, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2}}]
loads:
  - {type: fluid, link: a, density: 1000, radius_x: 0.05, radius_y: 0.1, length: 1, normal_drag: 1}
  - {type: drone, link: a, linear_velocity: [3, 0, 0], proportional: [0, 5]}
)");
  const Result result = run("eval " + robot + " --v '[0.2]' --loads");
  ASSERT_EQ(result.code, 0) << result.errors;
  const double added = 1000 * std::acos(-1.0) * 0.1 * 0.1, drag = 0.5 * 1000 * 0.2 * 0.2 * 0.2;
  EXPECT_NEAR(nlohmann::json::parse(result.output)["forward_dynamics"][0].get<double>(),
              (5 * (3 - 0.2) - drag - 2 * 9.81) / (2 + added), 1e-12);
}

TEST_F(CommandLine, EvalSaysWhyThereIsNoForwardDynamics) {
  const std::string robot = directory_.write("r.yaml", "cuttle: 1\nlinks: [{name: ghost, joint: {type: revolute}}]\n");
  const Result result = run("eval " + robot);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_TRUE(json["forward_dynamics"].is_null());
  EXPECT_NE(json["forward_dynamics_error"].get<std::string>().find("ghost"), std::string::npos);
  EXPECT_EQ(json["mass_matrix"][0][0], 0.0);
}

TEST_F(CommandLine, EvalRefusesWrongVectors) {
  const std::string robot = model("examples/pendulum.yaml");
  const std::pair<const char*, const char*> cases[] = {
      {"--q '[1, 2]'", "--q: found 2 values, expected a JSON array of 1 finite number (nq of 'pendulum')\n"},
      {"--v '[NaN]'", "--v: found '[NaN]', expected a JSON array of 1 finite number (nv of 'pendulum')\n"},
      {"--a '[1e999]'", "--a: found '[1e999]', expected a JSON array of 1 finite number (nv of 'pendulum')\n"},
      {"--tau '[null]'", "--tau: found null at [0], expected a JSON array of 1 finite number (nv of 'pendulum')\n"},
      {"--u 1", "--u: found '1', expected a JSON array of 1 finite number (nu of 'pendulum')\n"},
      {"--q ''", "--q: found '', expected a JSON array of 1 finite number (nq of 'pendulum')\n"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = run("eval " + robot + " " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_EQ(result.errors, message);
  }
}

TEST_F(CommandLine, EvalActuatesWithTendons) {
  const std::string robot = model("examples/tendon_arm.yaml");
  const std::string q = " --q '[0.1, 0.2, 0.3, 0.1, 0.05, 0.01, 0.2, 0.1, -0.3, 0.2, 0.1, 0.005]'";
  const auto eval = [&](const std::string& more) {
    const Result result = run("eval " + robot + q + more);
    EXPECT_EQ(result.code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto pulled = eval(" --u '[3, -2, 1, 1e4]'");  // the second is clipped
  std::vector<double> force(12, 0.0);
  const double u[4] = {3, 0, 1, 1e4};
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 4; ++k) force[i] += pulled["actuation_matrix"][i][k].get<double>() * u[k];
  }
  const auto same = eval(" --tau '" + nlohmann::json(force).dump() + "'");
  for (int i = 0; i < 12; ++i) {
    const double a = pulled["forward_dynamics"][i], b = same["forward_dynamics"][i];
    EXPECT_NEAR(a, b, 1e-9 * (1 + std::abs(b))) << i;  // the condition of M in between
  }
  ASSERT_EQ(pulled["actuation_coordinates"].size(), 4u);
  // area times the length of the axis (0, 0.008): of each strain only the mean counts
  EXPECT_NEAR(pulled["actuation_coordinates"][3].get<double>(), 1e-4 * (0.25 + 0.01 + 0.008 * 0.1), 1e-17);

  const Result pushed = run("eval " + robot + " --u '[-3, 0, 0, 0]'");
  EXPECT_EQ(pushed.code, 2);
  EXPECT_EQ(pushed.errors,
            "--u: actuator 'right': found a tension of -3 N, expected >= 0 (or `slack: clip` or `slack: allow`)\n");
}

TEST_F(CommandLine, SetReplacesValues) {
  const std::string robot = model("examples/pendulum.yaml");
  const Result moon =
      run("eval " + robot + " --q '[0.5]' --set robot.gravity='[0, 0, -1.62]' --set robot.links.arm.body.mass=2");
  ASSERT_EQ(moon.code, 0) << moon.errors;
  EXPECT_NEAR(nlohmann::json::parse(moon.output)["gravity_force"][0].get<double>(), 2 * 1.62 * 0.5 * std::sin(0.5),
              1e-14);
  const Result wrong = run("check " + robot + " --set robot.links.arm.body.mas=2");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.errors.find("--set robot.links.arm.body.mas=2: links[0].body.mas: found an unknown key"), 0u)
      << wrong.errors;
  for (const auto& [argument, nearest] :
       {std::pair<std::string, std::string>{"links.arm.body.mass=2", "; did you mean 'robot.links.arm.body.mass=2'?"},
        {"gravity[2]=-1.62", "; did you mean 'robot.gravity[2]=-1.62'?"},
        {"robt.gravity[2]=-1.62", "; did you mean 'robot'?"},
        {"duration=2", ""}}) {
    EXPECT_EQ(run("check " + robot + " --set " + argument).errors,
              "--set " + argument + ": found '" + argument + "', expected robot.KEY.PATH=VALUE for a robot file" +
                  nearest + "\n");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
