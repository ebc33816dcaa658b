// `cuttle plot` as a user runs it; what figures show is tested in tests/view/curve_plot_test.cpp.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PlotCommand : public CommandLine {
 protected:
  PlotCommand() {
    const std::string scenario = model("examples/pendulum_scenario.yaml");
    run("simulate " + scenario + " --duration 1 -o " + result_);
    run("simulate " + scenario + " --duration 0.5 -o " + other_);
  }
  std::string figure() const {
    std::ifstream file(figure_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string said(const std::string& arguments) {
    const Result result = run("plot " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_FALSE(std::filesystem::exists(figure_)) << arguments;
    return result.errors;
  }
  std::string result_ = directory_.path("a.h5"), other_ = directory_.path("b.h5");
  std::string figure_ = directory_.path("new/figure.svg");
};

TEST_F(PlotCommand, WritesAFigure) {
  const Result result = run("plot " + result_ + " -o " + figure_);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "written: " + figure_ + "\n");
  for (const char* label : {">arm.joint.q0 [rad]<", ">arm.tip [m]<", ">energy [J]<", "width=\"84mm\""}) {
    EXPECT_THAT(figure(), HasSubstr(label));
  }
}

TEST_F(PlotCommand, WritesBesideTheResultByItself) {
  EXPECT_EQ(run("plot " + result_).output, "written: " + directory_.path("a_curves.svg") + "\n");
  EXPECT_EQ(run("plot " + result_ + " " + other_).output, "written: " + directory_.path("a_and_b_curves.svg") + "\n");
  for (const char* name : {"a_curves.svg", "a_and_b_curves.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_.path(name))) << name;
  }
}

TEST_F(PlotCommand, TakesWhatSizeTimeTitleAndSeveralResults) {
  const Result result = run("plot " + result_ + " " + other_ + " --what energy,'arm.tip.x+arm.tip.z' -o " + figure_ +
                            " --size 6x4in --from 0.1 --to 0.4 --title 'Two runs'");
  EXPECT_EQ(result.code, 0) << result.errors;
  for (const char* text :
       {"width=\"152.4mm\" height=\"101.6mm\"", ">Two runs<", ">a<", ">b<", ">arm.tip.x<", ">arm.tip.z<"}) {
    EXPECT_THAT(figure(), HasSubstr(text));
  }
  EXPECT_THAT(figure(), testing::Not(HasSubstr(">arm.joint.q0")));
  EXPECT_EQ(
      run("plot " + result_ + " " + other_ + " --what arm.tip.x --labels 'slow,twice as fast' -o " + figure_).code, 0);
  for (const char* text : {">slow<", ">twice as fast<"}) EXPECT_THAT(figure(), HasSubstr(text));
}

TEST_F(PlotCommand, SaysWhatIsWrong) {
  EXPECT_THAT(said(result_ + " -o " + figure_ + " --what enrgy"),
              StartsWith("what: found 'enrgy', which 'pendulum' does not have"));
  EXPECT_THAT(said(result_ + " " + other_ + " -o " + figure_ + " --from 0.8"),
              StartsWith("b: found no row from 0.8 s to inf s, expected a part of 0 s to 0.5 s"));
  EXPECT_THAT(said(result_ + " -o " + figure_ + " --size 84x"),
              StartsWith("--size: found '84x', expected a width as 84"));
  EXPECT_THAT(said(result_ + " -o " + figure_ + " --size 84x60m"), StartsWith("--size: found '84x60m'"));
  EXPECT_THAT(said(result_ + " -o " + figure_ + " --size 84x20"),
              StartsWith("size: found 84 x 20 mm, expected at least"));
  EXPECT_THAT(said(result_ + " -o " + figure_ + " --labels one,two"),
              StartsWith("--labels: found 2 names, expected one for each of the 1 results"));
  EXPECT_THAT(said(result_ + " -o x.png"), StartsWith("--output: found 'x.png'"));
  EXPECT_THAT(said(model("examples/pendulum.yaml") + " -o " + figure_), HasSubstr("found a file that is not in HDF5"));
}

TEST_F(PlotCommand, ListsTheNamesThatAFigureTakes) {
  const Result listed = run("plot " + result_ + " --list -o " + figure_);
  EXPECT_EQ(listed.code, 0) << listed.errors;
  EXPECT_THAT(listed.output, StartsWith("q\nv\n"));
  EXPECT_FALSE(std::filesystem::exists(figure_));
  std::istringstream lines(listed.output);
  int count = 0;
  for (std::string name; std::getline(lines, name); ++count) {
    EXPECT_EQ(run("plot " + result_ + " --what '" + name + "' --force -o " + figure_).code, 0) << name;
  }
  EXPECT_GT(count, 10);
}

TEST_F(PlotCommand, ListsEffortsOfDrivenJointsToo) {
  const std::string driven = directory_.path("driven.h5");
  const std::string motion = " --set 'simulation.motion={arm: [{type: cubic, start: 0, end: 1, from: 1, to: 2}]}'";
  const Result ran = run("simulate " + model("examples/pendulum_scenario.yaml") + " --duration 0.1" + motion +
                         " --set 'simulation.initial={}' -o " + driven);
  ASSERT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(run("plot " + driven + " --list").output, HasSubstr("\nmotion.arm"));
}

TEST_F(PlotCommand, CompletesNamesOfTheResult) {
  EXPECT_EQ(run("complete zsh plot " + result_ + " --what q,arm.j").output, "q,arm.joint.q0\nq,arm.joint.v0\n");
  EXPECT_EQ(run("complete zsh plot " + result_ + " --what ene").output.substr(0, 7), "energy\n");
  EXPECT_EQ(run("complete zsh plot ''").output, ":files h5\n");
  EXPECT_EQ(run("complete zsh plot x.h5 -o ''").output, ":files svg\n");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
