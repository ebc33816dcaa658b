// `cuttle identify` as a user runs it, on a table that `cuttle statics` made; the numbers are tested in
// tests/identification.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "io/command_line.h"

namespace cuttle {
namespace {

using testing::HasSubstr;

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

// The run of a scenario is a recording, beside a table of equilibria; another scenario's is held out.
TEST_F(IdentifyCommand, LearnsFromMotionsAndEquilibria) {
  const auto scenario = [&](const std::string& name, double tension) {
    return directory_.write(name,
                            "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 0.6\n  output_step: 0.02\n  "
                            "integrator: {type: generalized_alpha, step: 0.01}\n  inputs: {right: {type: ramp, "
                            "start: 0.1, end: 0.3, from: 0, to: " +
                                std::to_string(tension) + "}}\n");
  };
  const std::string learned = scenario("learned.yaml", 3.0), other = scenario("other.yaml", 1.5);
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
        {ok + " --deviation q=1", "--deviation: found 'q=1'"},
        {ok + " --prior x=1:2", "--prior: found 'x=1:2'"},
        {ok + " --loss cubic", "loss: found 'cubic'"},
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
}  // namespace cuttle
