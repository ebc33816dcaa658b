// `cuttle identify` as a user runs it, on a table that `cuttle statics` made; the numbers are tested in
// tests/identification.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;

class IdentifyCommand : public CommandLine {
 protected:
  IdentifyCommand() {
    std::filesystem::copy_file(model("examples/tendon_arm.yaml"), robot_);
    const std::string inputs = directory_.write("inputs.csv", "right,coil\n0,0\n1,0.5\n2,0\n3,1\n0.5,2\n");
    run("statics " + robot_ + " --set robot.materials.silicone.young_modulus=2.6e5 --table " + inputs + " -o " +
        directory_.path("truth.csv"));
    // the inputs, and the tip in millimeters
    std::ifstream truth(directory_.path("truth.csv"));
    std::string line, text = "set,r,c,x,y,z\n";
    std::getline(truth, line);
    const std::vector<std::string> names = split(line);
    for (int row = 0; std::getline(truth, line); ++row) {
      const std::vector<std::string> cells = split(line);
      const auto cell = [&](const std::string& name) {
        return cells.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
      };
      text += "s" + std::to_string(row) + "," + cell("right") + "," + cell("coil");
      for (const char* axis : {"x", "y", "z"}) {
        text += "," + std::to_string(1e3 * std::stod(cell(std::string("lower.tip.") + axis)));
      }
      text += "\n";
    }
    data_ = directory_.write("data.csv", text);
    map_ = " --map r=right,c=coil,x=lower.tip.x*0.001,y=lower.tip.y*0.001,z=lower.tip.z*0.001";
  }
  static std::vector<std::string> split(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// A scenario that winds in a tendon.
  std::string winding(const std::string& name, double tension, double duration = 0.6) {
    return directory_.write(
        name,
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: " + std::to_string(duration) +
            "\n  output_step: 0.02\n  integrator: {type: generalized_alpha, step: 0.01}\n  inputs: {right: {type: "
            "ramp, start: 0.1, end: 0.3, from: 0, to: " +
            std::to_string(tension) + "}}\n");
  }
  /// Runs it until `ready`, then Ctrl-C.
  template <typename Ready>
  Result interrupt(std::vector<std::string> arguments, const Ready& ready) {
    arguments.insert(arguments.begin(), {test::k_tool, "identify"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string output = directory_.path("out.txt"), errors = directory_.path("err.txt");
    const pid_t process = fork();
    if (process == 0) {
      dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(99);
    }
    for (int i = 0; i < 2000 && !ready(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(process, SIGINT);
    int status = 0;
    waitpid(process, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(output), text_of(errors)};
  }
  std::string robot_ = directory_.path("arm.yaml"), data_, map_;
};

TEST_F(IdentifyCommand, FindsTheModulusAndWritesRobotAndReport) {
  const std::string output = directory_.path("identified.yaml"), report = directory_.path("report.html");
  const Result result = run("identify " + robot_ + " " + data_ + map_ +
                            " --free materials.silicone.young_modulus=1e5:1e6:log --folds 5 --held-out " + data_ +
                            " --json -o " + output + " --report " + report);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["parameters"].size(), 1U);
  const auto& modulus = json["parameters"][0];
  EXPECT_EQ(modulus["path"], "materials.silicone.young_modulus");
  EXPECT_NEAR(modulus["value"].get<double>(), 2.6e5, 1.0);
  EXPECT_LT(modulus["interval95"][0].get<double>(), modulus["value"].get<double>());
  EXPECT_LT(json["rms"].get<double>(), 1e-6);
  EXPECT_EQ(json["rms_unit"], "m");
  EXPECT_EQ(json["correlation"], nlohmann::json::parse("[[1.0]]"));
  EXPECT_EQ(json["cross_validation"]["folds"], 5);
  EXPECT_TRUE(json["held_out"][data_]["frames"].contains("lower.tip.position"));
  EXPECT_EQ(Model(read_robot_file(output)).parameter("materials.silicone.young_modulus").value, modulus["value"]);
  std::ifstream page(report);
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  for (const char* part : {"materials.silicone.young_modulus", "<svg", "srcdoc=", "lower.tip.position"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST_F(IdentifyCommand, PrintsTables) {
  const Result result = run("identify " + robot_ + " " + data_ + map_ +
                            " --free materials.silicone.young_modulus,materials.silicone.density --length 0.456");
  ASSERT_EQ(result.code, 0) << result.errors;
  for (const char* part : {"2 from 15 measurements", "95 % interval", "RMS %", "lower.tip.position", "converged"}) {
    EXPECT_THAT(result.output, HasSubstr(part));
  }
}

// What comes after a fit cannot cost it: neither a row that has no equilibrium, nor a report that cannot be written.
TEST_F(IdentifyCommand, AFinishedFitIsNotLost) {
  const std::string held_out = directory_.write("held_out.csv", "r,c,x,y,z\n1,0.5,0,0,-400\n0,1e6,0,0,-400\n");
  const std::string output = directory_.path("identified.yaml"), full = directory_.path("full.html");
  std::filesystem::create_symlink("/dev/full", full);
  const std::string arguments = "identify " + robot_ + " " + data_ + map_ +
                                " --free materials.silicone.young_modulus --held-out " + held_out + " -o " + output;
  const Result text = run(arguments + " --report " + full);
  EXPECT_NE(text.code, 0);
  EXPECT_THAT(text.output, HasSubstr("converged"));
  EXPECT_THAT(text.output, HasSubstr("written: " + output));
  EXPECT_THAT(text.output, Not(HasSubstr("written: " + full)));
  EXPECT_THAT(text.errors, HasSubstr("warning: held out: " + held_out + ": row 1 not predicted: static_equilibrium: "));
  EXPECT_THAT(text.errors, HasSubstr("full.html: cannot be written"));
  EXPECT_NEAR(Model(read_robot_file(output)).parameter("materials.silicone.young_modulus").value, 2.6e5, 1.0);
  const std::string report = directory_.path("report.html");
  const Result result = run(arguments + " --json --report " + report);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  const auto& held = json["held_out"][held_out];
  EXPECT_EQ(held["channels"]["lower.tip.x"]["count"], 1);
  ASSERT_EQ(held["not_predicted"].size(), 1U);
  EXPECT_EQ(held["not_predicted"][0]["first"], 1);
  EXPECT_THAT(held["not_predicted"][0]["why"].get<std::string>(), HasSubstr("static_equilibrium"));
  EXPECT_EQ(json["data"][data_]["not_predicted"].size(), 0U);
  EXPECT_THAT(text_of(report), HasSubstr("row 1 not predicted"));
}

// What is said of a fit, in text, JSON, report and the robot file: here of one that bounds keep from the data, and of
// one with a gross error in one cell.
TEST_F(IdentifyCommand, SaysWhetherItIsAFit) {
  const std::string report = directory_.path("report.html"), output = directory_.path("identified.yaml");
  const std::string arguments = "identify " + robot_ + " " + data_ + map_ +
                                " --free materials.silicone.young_modulus=4e6:9e6 --set "
                                "robot.materials.silicone.young_modulus=5e6";
  const auto json = nlohmann::json::parse(run(arguments + " --json").output);
  EXPECT_EQ(json["converged"], false);
  EXPECT_THAT(json["status"].get<std::string>(), HasSubstr("does not explain the data"));
  EXPECT_THAT(json["hints"].dump(), HasSubstr("--starts 12"));
  EXPECT_THAT(json["hints"].dump(), HasSubstr("at a bound"));
  const Result text = run(arguments + " --report " + report + " -o " + output);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.output, Not(HasSubstr("converged")));
  EXPECT_THAT(text.errors, HasSubstr("warning: the residuals are large"));
  EXPECT_THAT(text_of(report), HasSubstr("--starts 12"));
  EXPECT_THAT(text_of(output), HasSubstr("does not explain the data"));

  std::string rough = text_of(data_);
  const std::size_t last = rough.rfind(',');
  rough.replace(last + 1, rough.find('\n', last) - last - 1, "400");
  data_ = directory_.write("rough.csv", rough);
  const std::string free =
      "identify " + robot_ + " " + data_ + map_ + " --free materials.silicone.young_modulus --json";
  const auto squares = nlohmann::json::parse(run(free).output),
             huber = nlohmann::json::parse(run(free + " --loss huber").output);
  EXPECT_THAT(squares["hints"].dump(), HasSubstr("row 4 of column 'z'"));
  EXPECT_THAT(squares["hints"].dump(), HasSubstr("--loss soft_l1, huber or cauchy"));
  EXPECT_FALSE(squares.contains("loss_scale"));
  EXPECT_GT(huber["loss_scale"].get<double>(), 0.0);
  EXPECT_LT(huber["loss_scale"].get<double>(), 0.1);
  EXPECT_EQ(huber["hints"].size(), 0U);
  EXPECT_NEAR(huber["parameters"][0]["value"].get<double>(), 2.6e5, 2e3);
}

// With -o written the fit is done: what is interrupted then is the cross-validation.
TEST_F(IdentifyCommand, CtrlCEndsTheCrossValidation) {
  const std::string scenario = winding("winding.yaml", 3.0), output = directory_.path("identified.yaml");
  run("simulate " + scenario + " --csv -o " + directory_.path("run.h5"));
  std::ifstream all(directory_.path("run.csv"));
  std::string line, text = "time,lower.tip.x,lower.tip.z\n";
  std::getline(all, line);
  const std::vector<std::string> names = split(line);
  const auto place = [&](const std::string& column) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
  };
  for (int row = 0; std::getline(all, line); ++row) {
    const std::vector<std::string> cells = split(line);
    const double noise = row % 2 == 0 ? 1e-3 : -1e-3;
    text += cells.at(place("time")) + "," + std::to_string(std::stod(cells.at(place("lower.tip.x"))) + noise) + "," +
            cells.at(place("lower.tip.z")) + "\n";
  }
  const std::string recording = directory_.write("recording.csv", text);
  const Result result = interrupt({scenario, recording, "--free",
                                   "materials.silicone.young_modulus,materials.silicone.density,"
                                   "materials.silicone.damping_time,lower.tip.x.bias",
                                   "--folds", "31", "-o", output},
                                  [&] { return std::filesystem::exists(output); });
  EXPECT_EQ(result.code, 130) << result.errors;
  EXPECT_THAT(result.errors, testing::MatchesRegex("interrupted: the search was finished, and [0-9]+ of 31 folds of "
                                                   "the cross-validation\n"));
  EXPECT_THAT(result.output, HasSubstr("converged"));
  EXPECT_THAT(result.output, HasSubstr("written: " + output));
}

TEST_F(IdentifyCommand, CtrlCBeforeTheFirstComparisonIsNoError) {
  const std::string scenario = winding("endless.yaml", 3.0, 1e5);
  const std::string recording = directory_.write("recording.csv", "time,lower.tip.x,lower.tip.z\n0,0,0\n90000,0,0\n");
  const auto begin = std::chrono::steady_clock::now();
  const Result result = interrupt({scenario, recording, "--free", "materials.silicone.young_modulus"}, [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1500);
  });
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "interrupted: nothing was compared yet, and nothing is written\n");
}

// One table after two scenarios is two sets of data; two columns of one quantity are two channels.
TEST_F(IdentifyCommand, KeysAreUnique) {
  const std::string one = winding("one.yaml", 3.0), two = winding("two.yaml", 2.0);
  const std::string data =
      directory_.write("both.csv", "time,lower.tip.x,x2,lower.tip.y,lower.tip.z\n0.1,0,0.01,0,0\n0.2,0,0.01,0,0\n");
  const Result result = run("identify " + one + " " + data + " " + two + " " + data +
                            " --map x2=lower.tip.x --free materials.silicone.young_modulus=1e5:1e6:log --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["measurements"], 16);
  ASSERT_EQ(json["data"].size(), 2U);
  for (const std::string& key : {data, data + " (" + two + ")"}) {
    ASSERT_TRUE(json["data"].contains(key)) << key;
    for (const char* channel : {"lower.tip.x", "lower.tip.x (lower.tip.x)", "lower.tip.y", "lower.tip.z"}) {
      EXPECT_EQ(json["data"][key]["channels"][channel]["count"], 2) << channel;
    }
    EXPECT_EQ(json["data"][key]["frames"]["lower.tip.position"]["count"], 2);
  }
}

TEST_F(IdentifyCommand, PriorsAreCountedBesideMeasurements) {
  const std::string arguments = "identify " + robot_ + " " + data_ + map_ +
                                " --free materials.silicone.young_modulus,materials.silicone.density --deviation "
                                "'*=0.001' --prior materials.silicone.density=1070:50";
  const auto json = nlohmann::json::parse(run(arguments + " --json").output);
  EXPECT_EQ(json["measurements"], 15);
  EXPECT_EQ(json["priors"], 1);
  EXPECT_THAT(run(arguments).output, HasSubstr("2 from 15 measurements and 1 prior in"));
}

// The picture has balls where a marker was measured in all three coordinates, and none elsewhere.
TEST_F(IdentifyCommand, TheReportDrawsOnlyWhatWasMeasured) {
  const std::string report = directory_.path("report.html");
  const auto page_of = [&](const std::string& map) {
    const Result result = run("identify " + robot_ + " " + data_ + " --map r=right,c=coil," + map +
                              " --free materials.silicone.young_modulus --report " + report);
    EXPECT_EQ(result.code, 0) << result.errors;
    return text_of(report);
  };
  EXPECT_NE(page_of("x=lower.tip.x*0.001,y=lower.tip.y*0.001,z=lower.tip.z*0.001").find("measured_lower.tip"),
            std::string::npos);
  const std::string flat = page_of("x=lower.tip.x*0.001,z=lower.tip.z*0.001");
  EXPECT_THAT(flat, HasSubstr("<svg"));
  EXPECT_EQ(flat.find("measured_lower.tip"), flat.npos);
  // what was not measured in one row is in the picture of the others
  std::string gap = text_of(data_);
  const std::size_t last = gap.rfind(',');
  gap.erase(last + 1, gap.find('\n', last) - last - 1);
  data_ = directory_.write("gap.csv", gap);
  EXPECT_NE(page_of("x=lower.tip.x*0.001,y=lower.tip.y*0.001,z=lower.tip.z*0.001").find("measured_lower.tip"),
            std::string::npos);
}

// The run of a scenario is a recording, beside a table of equilibria; another scenario's is held out.
TEST_F(IdentifyCommand, LearnsFromMotionsAndEquilibria) {
  const std::string learned = winding("learned.yaml", 3.0), other = winding("other.yaml", 1.5);
  const auto record = [&](const std::string& of, const std::string& name) {
    const std::string result = directory_.path(name + ".h5");
    const Result run_result = run("simulate " + of + " -o " + result +
                                  " --csv --set robot.materials.silicone.young_modulus=2.6e5"
                                  " --set robot.materials.silicone.damping_time=0.08");
    EXPECT_EQ(run_result.code, 0) << run_result.errors;
    std::ifstream all(directory_.path(name + ".csv"));
    std::string line, text = "t_ms,px,pz\n";
    std::getline(all, line);
    const std::vector<std::string> names = split(line);
    const auto place = [&](const std::string& column) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
    };
    while (std::getline(all, line)) {
      const std::vector<std::string> cells = split(line);
      text += std::to_string(1e3 * std::stod(cells.at(place("time")))) + "," + cells.at(place("lower.tip.x")) + "," +
              cells.at(place("lower.tip.z")) + "\n";
    }
    return directory_.write(name + "_data.csv", text);
  };
  const std::string recording = record(learned, "one"), held_out = record(other, "two");
  const std::string report = directory_.path("motion.html"), output = directory_.path("motion.yaml");
  const Result result =
      run("identify " + learned + " " + recording + " " + robot_ + " " + data_ + map_ +
          ",t_ms=time*0.001,px=lower.tip.x,pz=lower.tip.z --free materials.silicone.young_modulus=1e5:1e6:log,"
          "materials.silicone.damping_time,one_data:time.shift=-0.05:0.05 --folds 2 --held-out " +
          other + " --held-out " + held_out + " --json --report " + report + " -o " + output);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_NEAR(json["parameters"][0]["value"].get<double>(), 2.6e5, 30.0);
  EXPECT_NEAR(json["parameters"][1]["value"].get<double>(), 0.08, 1e-5);
  EXPECT_NEAR(json["parameters"][2]["value"].get<double>(), 0.0, 1e-5);
  EXPECT_EQ(json["parameters"][2]["unit"], "s");
  EXPECT_EQ(json["data"][recording]["channels"]["lower.tip.x"]["count"], 31);
  EXPECT_EQ(json["data"][data_]["frames"]["lower.tip.position"]["count"], 5);
  EXPECT_LT(json["held_out"][held_out]["channels"]["lower.tip.z"]["rms"].get<double>(), 1e-5);
  EXPECT_EQ(json["cross_validation"]["folds"], 2);
  EXPECT_EQ(Model(read_robot_file(output)).parameter("materials.silicone.damping_time").value,
            json["parameters"][1]["value"]);
  std::ifstream page(report);
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  for (const char* part : {"data and model", "srcdoc=", "one_data:time.shift"}) EXPECT_THAT(html, HasSubstr(part));
}

TEST_F(IdentifyCommand, ErrorsWriteNothing) {
  const std::string modulus = " --free materials.silicone.young_modulus", ok = robot_ + " " + data_ + map_ + modulus;
  for (const auto& [arguments, said] :
       {std::pair<std::string, std::string>{robot_ + " " + robot_ + modulus, "found no table of measurements"},
        {data_ + " " + robot_ + modulus, "before any robot or scenario file"},
        {robot_ + " " + data_ + " " + model("examples/pendulum_scenario.yaml") + " " + data_ + modulus,
         "all data are of one robot"},
        {robot_ + " " + data_ + modulus, "found no column of an input"},
        {ok + "x", "did you mean 'materials.silicone.young_modulus'?"},
        {ok + " --map set=time", "found 'set=time' for " + data_ + ", expected a scenario file before it"},
        {ok + " --map w=lower.tip.x", "data.csv:1:1: found no column 'w', which --map names"},
        {ok + " --between cubic", "--between: found 'cubic'"},
        {ok + " --deviation q=1", "--deviation: found 'q=1', which matches no measured column"},
        {ok + " --deviation 'lower.*.w=1'", "--deviation: found 'lower.*.w=1', which matches no measured column"},
        {ok + " --deviation '*=0'", "--deviation: found '*=0', expected COLUMN=NUMBER > 0"},
        {ok + " --deviation x=1,y=1", data_ + ": column 'z': found no --deviation of this column, while others have"},
        {ok + " --prior materials.silicone.young_modulus=3e5:1e4 --deviation x=1,y=1",
         data_ + ": column 'z': found --prior and no --deviation of this column"},
        {robot_ + " " + data_ + " --map r=right,c=coil,x=lower.tip.x,y=upper.kappa_x.0 --deviation x=1" + modulus,
         data_ + ": column 'y': found measurements in m and in rad, and no --deviation of this column"},
        {ok + ",materials.*.young_modulus",
         "found 'materials.silicone.young_modulus' twice, in 'materials.silicone.young_modulus' and in "
         "'materials.*.young_modulus'"},
        {ok + " --prior x=1:2", "--prior: found 'x=1:2'"},
        {ok + " --loss cubic", "loss: found 'cubic'"},
        {ok + " --starts 3", "found 3 starts and no free parameter with two bounds"},
        {ok + " --folds 6", "found 6 folds, expected 2 to 5"},
        {ok + " --group sets", "found no column 'sets', which --group names; did you mean 'set'?"},
        {ok + " -o x.txt", "--output: found 'x.txt'"}}) {
    const Result result = run("identify " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_THAT(result.errors, HasSubstr(said));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
