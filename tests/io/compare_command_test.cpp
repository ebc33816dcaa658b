// `cuttle compare` as a user runs it; what it computes is tested in tests/identification/comparison_test.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

class CompareCommand : public CommandLine {
 protected:
  CompareCommand() {
    const std::string scenario = model("examples/pendulum_scenario.yaml");
    run("simulate " + scenario + " --duration 1 --csv -o " + run_);
    run("simulate " + scenario + " --duration 1 --set robot.gravity[2]=-5 -o " + other_);
  }
  std::string run_ = directory_.path("a.h5"), other_ = directory_.path("b.h5");
};

TEST_F(CompareCommand, ARunIsEqualToItselfAndItsTable) {
  for (const std::string& reference : {run_, directory_.path("a.csv")}) {
    const Result result = run("compare " + run_ + " " + reference + " --json");
    ASSERT_EQ(result.code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["left_out"], 0);
    ASSERT_TRUE(json["channels"].contains("arm.joint.q0"));
    // orientations are kept as matrices: rounding
    for (const auto& [name, channel] : json["channels"].items()) EXPECT_LT(channel["max"], 1e-14) << name;
  }
}

TEST_F(CompareCommand, SaysHowFarApartInPercentAndDrawsIt) {
  const std::string figure = directory_.path("new/apart.svg");
  const Result text = run("compare " + run_ + " " + other_ + " --length 0.5 -o " + figure);
  ASSERT_EQ(text.code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("arm.tip.position"));
  EXPECT_THAT(text.output, HasSubstr("RMS %"));
  EXPECT_THAT(text.output, HasSubstr("RMS from .. to [s]"));
  EXPECT_THAT(text.output, HasSubstr("written: " + figure));
  std::ifstream file(figure);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(svg, HasSubstr("arm.tip"));
  const auto json = nlohmann::json::parse(run("compare " + run_ + " " + other_ + " --length 0.5 --json").output);
  const auto& tip = json["channels"]["arm.tip.position"];
  EXPECT_GT(tip["rms"], 0.01);
  EXPECT_NEAR(tip["rms_percent"].get<double>(), 200.0 * tip["rms"].get<double>(), 1e-12);
  EXPECT_EQ(tip["rms_over_time"].size(), 10U);
  EXPECT_EQ(tip["unit"], "m");
}

TEST_F(CompareCommand, ListsTheTenThatDifferMostUnlessAsked) {
  const auto rows_of = [&](const std::string& more) {
    const Result result = run("compare " + run_ + " " + other_ + more);
    EXPECT_EQ(result.code, 0) << result.errors;
    const std::size_t begin = result.output.find("\n\n") + 2, end = result.output.find("\n\n", begin);
    return result.output.substr(begin, end - begin);
  };
  const auto count = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const auto json = nlohmann::json::parse(run("compare " + run_ + " " + other_ + " --json").output);
  const auto channels = static_cast<std::ptrdiff_t>(json["channels"].size());
  ASSERT_GT(channels, 12);
  const std::string shortened = rows_of(""), all = rows_of(" --all");
  EXPECT_EQ(count(shortened), 11);  // with a title and, last, what is left out
  EXPECT_EQ(count(all), channels);
  EXPECT_THAT(shortened,
              HasSubstr(std::to_string(channels - 10) + " more, which differ less beside their size (--all)"));
  EXPECT_THAT(shortened, HasSubstr("arm.tip.position"));
  EXPECT_EQ(shortened.find("arm.tip.qx"), std::string::npos);  // equal
  EXPECT_THAT(all, HasSubstr("arm.tip.qx"));
}

TEST_F(CompareCommand, MapsARecording) {
  const std::string recording = directory_.write("mocap.csv", "# of a camera\nt,x_mm\n0.1,100\n0.2,\n0.35,100\n5,1\n");
  const Result result = run("compare " + run_ + " " + recording + " --map 't=time,x_mm=arm.tip.x*0.001' --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["instants"], 3);
  EXPECT_EQ(json["left_out"], 1);
  EXPECT_EQ(json["channels"].size(), 1U);
  EXPECT_TRUE(json["channels"].contains("arm.tip.x"));
  const std::string list =
      directory_.write("columns.txt", "\xEF\xBB\xBFt=time\r\n\r\n# what is what\r\nx_mm=arm.tip.x*0.001\r\n");
  EXPECT_EQ(nlohmann::json::parse(run("compare " + run_ + " " + recording + " --map @" + list + " --json").output),
            json);
}

TEST_F(CompareCommand, SaysWhatOnlyTheRunHas) {
  const std::string longer = directory_.write("longer.csv", "q\n1\n2\n3\n"),
                    shorter = directory_.write("shorter.csv", "q\n1\n2\n");
  EXPECT_THAT(run("compare " + longer + " " + shorter).output,
              HasSubstr("1 of 3 rows of " + longer + " left out: " + shorter + " has nothing there"));
  const auto json = nlohmann::json::parse(run("compare " + longer + " " + shorter + " --json").output);
  EXPECT_EQ(json["surplus"], 1);
  EXPECT_EQ(json["left_out"], 0);
}

TEST_F(CompareCommand, MapsTimesOfOtherUnits) {
  const std::string recording = directory_.write("mocap.csv", "t_ms,x\n100,0.1\n350,0.1\n");
  const auto json = nlohmann::json::parse(
      run("compare " + run_ + " " + recording + " --map 't_ms=time*0.001,x=arm.tip.x' --json").output);
  EXPECT_EQ(json["instants"], 2);
  EXPECT_NEAR(json["to"].get<double>(), 0.35, 1e-15);
}

TEST_F(CompareCommand, ErrorsWriteNothing) {
  for (const auto& [arguments, said] :
       {std::pair<std::string, std::string>{run_ + " nothing.csv", "nothing.csv"},
        {run_ + " " + other_ + " --length 0", "--length: found 0, expected a length > 0 [m]"},
        {run_ + " " + other_ + " -o x.png", "--output: found 'x.png'"},
        {run_ + " " + other_ + " --map q=arm.tip.x", "found no column of numbers 'q'"}}) {
    const Result result = run("compare " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, HasSubstr(said));
  }
  EXPECT_EQ(run("complete zsh compare ''").output, ":files h5 csv\n");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
