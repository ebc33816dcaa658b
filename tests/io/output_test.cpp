// What is left when the tool's output goes nowhere, or its terminal goes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cuttle/io/result_reader.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

class Output : public CommandLine {
 protected:
  void SetUp() override {
    scenario_ = model("examples/pendulum_scenario.yaml");
    robot_ = model("examples/pendulum.yaml");
    result_ = directory_.path("x.h5");
  }
  /// A run that takes hours, to which a signal is sent after a while; how it ended is the shell's.
  Result endless_with(const std::string& signals) {
    return run("simulate " + scenario_ + " -o " + result_ +
               " --set simulation.duration=1e5 --set simulation.integrator='{type: rk4, step: 1e-3}' 2>" +
               directory_.path("messages") + " & p=$!; " + signals + "wait $p");
  }
  std::string messages() const {
    std::ifstream file(directory_.path("messages"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string scenario_, robot_, result_;
};

TEST_F(Output, AFullDeviceIsAnErrorOfEveryCommand) {
  const std::string out = directory_.path("out");
  ASSERT_EQ(run("simulate " + scenario_ + " -o " + result_ + " --duration 0.1").code, 0);
  for (const std::string& command :
       {"new --force " + out + ".yaml", "check " + robot_, "info " + robot_, "info " + robot_ + " --json",
        "eval " + robot_, "parameters " + robot_, "statics " + robot_ + " --q '[0.1]'",
        "simulate " + scenario_ + " -o " + out + ".h5 --duration 0.1",
        "view " + result_ + " --no-open -o " + out + ".html", "plot " + result_ + " -o " + out + ".svg",
        "export " + result_ + " --gltf " + out + ".glb", "live " + robot_ + " --no-open --port 0",
        std::string("bench table1 --step 0.1"), std::string("completion bash"), std::string("complete bash cuttle si"),
        std::string("--help"), std::string("info --help"), std::string("--version")}) {
    const Result full = run(command + " >/dev/full");
    EXPECT_EQ(full.code, 1) << command;
    EXPECT_THAT(full.errors, HasSubstr("standard output: cannot be written: ")) << command;
    const Result closed = run(command + " >&-");
    EXPECT_EQ(closed.code, 1) << command << " with its output closed";
  }
  EXPECT_THAT(run("info " + robot_ + " >/dev/full").errors, HasSubstr("No space left on device"));
  EXPECT_EQ(run("no-such-command >/dev/full").code, 2);
}

TEST_F(Output, AHangUpKeepsEverySampleSoFar) {
  const Result hung_up = endless_with("sleep 1.5; kill -HUP $p; ");
  EXPECT_EQ(hung_up.code, 128 + SIGHUP);
  EXPECT_THAT(messages(), HasSubstr("interrupted: stopped by the user at t = "));
  const ResultFile result = read_result_file(result_);
  EXPECT_EQ(result.status, RunStatus::interrupted);
  EXPECT_GT(result.samples.size(), 10u);
}

// nohup says that the run shall go on without the terminal.
TEST_F(Output, AHangUpThatIsIgnoredStaysIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const Result ended = endless_with("sleep 1; kill -HUP $p; sleep 0.5; kill -TERM $p; ");
  std::signal(SIGHUP, before);
  EXPECT_EQ(ended.code, 128 + SIGTERM);
  EXPECT_EQ(read_result_file(result_).status, RunStatus::interrupted);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
