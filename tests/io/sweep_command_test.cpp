// `cuttle sweep`: what varies and what is kept against closed forms, runs that fail, kills, shards, merges, and what it
// refuses.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/sweep_file.h"
#include "io/command_line.h"

extern char** environ;

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

// A cart of mass m that a force F pushes from rest for 2 s: x = F t^2 / (2 m), which rk4 has exactly.
const char* const k_cart = R"(cuttle: 1
name: cart
gravity: [0, 0, 0]
links:
- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
actuators: [{name: motor, type: joint, link: cart}]
)";
const char* const k_pushed = R"(cuttle: 1
robot: cart.yaml
simulation: {duration: 2, output_step: 0.01, integrator: {type: rk4, step: 0.01}, inputs: {motor: 3}}
)";
// A bar of 2 kg that hangs on a hinge with a spring, m g l / 2 = 9.81 N m; inertia about the hinge 0.1 + 2 0.25.
const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}]
)";

class SweepCommand : public CommandLine {
 protected:
  SweepCommand() {
    directory_.write("cart.yaml", k_cart);
    scenario_ = directory_.write("pushed.yaml", k_pushed);
  }

  /// Runs a sweep of the cart and reads what it has written.
  SweepTable made(const std::string& arguments, const std::string& file) {
    const Result result = run("sweep " + scenario_ + " " + arguments + " -o " + directory_.path(file));
    EXPECT_EQ(result.code, 0) << result.errors;
    return read_sweep_file(directory_.path(file));
  }

  /// Starts the tool, sends it a signal as soon as a file is there, and waits for its end. @return its status.
  static int signaled(const std::vector<std::string>& arguments, const std::string& file, int signal) {
    std::vector<std::string> words{test::k_tool};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    pid_t process = 0;
    EXPECT_EQ(posix_spawn(&process, test::k_tool.c_str(), &quiet, nullptr, pointers.data(), environ), 0);
    posix_spawn_file_actions_destroy(&quiet);
    int status = 0;
    while (!std::filesystem::exists(file) && waitpid(process, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(process, signal);
    waitpid(process, &status, 0);
    return status;
  }

  std::string scenario_;
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// All but the time that rows took.
void expect_equal(const SweepTable& a, const SweepTable& b) {
  EXPECT_EQ(a.head.plan, b.head.plan);
  EXPECT_EQ(a.head.hash, b.head.hash);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const SweepRow &x = a.rows[i], &y = b.rows[i];
    EXPECT_EQ(x.number, y.number);
    EXPECT_EQ(x.status, y.status) << i;
    EXPECT_EQ(x.reason, y.reason) << i;
    EXPECT_EQ(x.version + x.instruction_set + x.hash, y.version + y.instruction_set + y.hash);
    ASSERT_EQ(x.outputs.size(), y.outputs.size());
    ASSERT_EQ(x.parameters.size(), y.parameters.size());
    for (std::size_t k = 0; k < x.outputs.size(); ++k) {
      EXPECT_TRUE(bits(x.outputs[k]) == bits(y.outputs[k]) || (std::isnan(x.outputs[k]) && std::isnan(y.outputs[k])))
          << "row " << i << ", " << a.head.outputs[k].name;
    }
    for (std::size_t k = 0; k < x.parameters.size(); ++k) EXPECT_EQ(bits(x.parameters[k]), bits(y.parameters[k]));
  }
}

TEST_F(SweepCommand, CombinesListsAndKeepsMetrics) {
  const SweepTable table = made(
      "--set links.cart.body.mass=1,2 --set simulation.inputs.motor=1:3:3 --keep final:cart.tip.x --keep 'top=max:v' "
      "--keep min:q --keep mean:cart.tip.x --keep rms:v --keep integral:cart.tip.x --keep settling:cart.tip.x",
      "grid.csv");
  ASSERT_EQ(table.rows.size(), 6U);
  ASSERT_EQ(table.head.outputs.size(), 7U);
  EXPECT_EQ(table.head.parameters[0].name, "links.cart.body.mass");
  EXPECT_EQ(table.head.parameters[0].unit, "kg");
  EXPECT_EQ(table.head.outputs[0].name, "final:cart.tip.x");
  EXPECT_EQ(table.head.outputs[0].unit, "m");
  EXPECT_EQ(table.head.outputs[1].name, "top");
  EXPECT_EQ(table.head.outputs[5].unit, "m s");
  const double T = 2.0, h = 0.01;
  for (std::size_t i = 0; i < 6; ++i) {
    const SweepRow& row = table.rows[i];
    const double m = i < 3 ? 1.0 : 2.0, F = 1.0 + static_cast<double>(i % 3), a = F / m;
    EXPECT_EQ(row.number, static_cast<std::int64_t>(i));
    EXPECT_EQ(row.parameters, (std::vector{m, F}));
    EXPECT_EQ(row.status, SweepStatus::complete);
    const double rounding = 1e-13 * a;  // of 200 steps
    EXPECT_NEAR(row.outputs[0], a * T * T / 2, rounding);
    EXPECT_NEAR(row.outputs[1], a * T, rounding);
    EXPECT_EQ(row.outputs[2], 0.0);
    // trapezoids of a parabola are too large by h^2 / 12 times its curvature, a
    EXPECT_NEAR(row.outputs[3], a * T * T / 6 + a * h * h / 12, rounding);
    EXPECT_NEAR(row.outputs[4], a * std::sqrt(T * T / 3 + h * h / 6), rounding);
    EXPECT_NEAR(row.outputs[5], a * T * T * T / 6 + a * T * h * h / 12, rounding);
    // within 2 % of the way from its end where t^2 >= 0.98 T^2
    EXPECT_NEAR(row.outputs[6], h * std::ceil(std::sqrt(0.98) * T / h), 1e-12);
  }
}

TEST_F(SweepCommand, VariesWhateverHasAPath) {
  const SweepTable table = made(
      "--set simulation.duration=1,2 --set 'simulation.initial.cart.q[0]=0,5' --set 'simulation.initial.cart.v[0]=0,1' "
      "--set robot.links.cart.body.mass=4 --keep cart.tip.x",
      "paths.h5");
  ASSERT_EQ(table.rows.size(), 8U);
  for (const SweepRow& row : table.rows) {
    const double T = row.parameters[0], x = row.parameters[1], v = row.parameters[2];
    EXPECT_NEAR(row.outputs[0], x + v * T + 3 * T * T / 8, 1e-13 * 8);
  }
}

TEST_F(SweepCommand, RunsTheRowsOfATable) {
  const std::string runs =
      directory_.write("runs.csv", "links.cart.body.mass,simulation.inputs.motor\nkg,N\n1,5\n4,-2\n");
  const SweepTable table = made("--table " + runs + " --keep cart.tip.x", "table.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_NEAR(table.rows[0].outputs[0], 10, 1e-12);
  EXPECT_NEAR(table.rows[1].outputs[0], -1, 1e-13);
}

TEST_F(SweepCommand, ARunThatFailsIsARowWithItsReason) {
  const SweepTable table = made("--set links.cart.body.mass=1,-1,2", "failed.h5");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[1].status, SweepStatus::failed);
  EXPECT_THAT(table.rows[1].reason, HasSubstr("mass"));
  EXPECT_THAT(table.rows[1].reason, HasSubstr("-1"));
  for (const double output : table.rows[1].outputs) EXPECT_TRUE(std::isnan(output));
  EXPECT_EQ(table.rows[0].status, SweepStatus::complete);
  EXPECT_EQ(table.rows[2].status, SweepStatus::complete);
}

TEST_F(SweepCommand, ARunThatDivergesIsARowWithItsReason) {
  // rk4 is stable up to a step of 2.8 over the frequency, here sqrt(k / 2) rad/s
  const std::string springs = "--set simulation.inputs.motor=0 --set 'simulation.initial={cart: {q: [1]}}' ";
  directory_.write("cart.yaml", std::string(k_cart).replace(std::string(k_cart).find("axis: [1, 0, 0]"), 15,
                                                            "axis: [1, 0, 0], stiffness: 100"));
  const SweepTable table = made(springs + "--set links.cart.joint.stiffness=1e3,1e9 --save failed", "diverged.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].status, SweepStatus::complete) << table.rows[0].reason;
  EXPECT_EQ(table.rows[1].status, SweepStatus::failed);
  EXPECT_THAT(table.rows[1].reason, HasSubstr("cart"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path("diverged_runs/0.h5")));
  const ResultFile saved = read_result_file(directory_.path("diverged_runs/1.h5"));
  EXPECT_EQ(saved.status, RunStatus::failed);
  EXPECT_EQ(saved.robot.links[0].name, "cart");
}

TEST_F(SweepCommand, SavesWholeRuns) {
  const SweepTable table = made("--set links.cart.body.mass=1,2,3 --save every:2 --keep cart.tip.x", "saved.h5");
  for (const int number : {0, 2}) {
    const ResultFile saved = read_result_file(directory_.path("saved_runs/" + std::to_string(number) + ".h5"));
    EXPECT_EQ(saved.status, RunStatus::complete);
    EXPECT_EQ(bits(saved.samples.back().tips[0].position.x),
              bits(table.rows[static_cast<std::size_t>(number)].outputs[0]));
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.path("saved_runs/1.h5")));
}

const std::string k_drawn =
    "--set 'links.cart.body.mass=uniform(1,3)' --set 'simulation.inputs.motor=normal(0,2)' --runs 60 ";

TEST_F(SweepCommand, IsTheSameForAnyThreadsShardsAndFormat) {
  for (const std::string method : {"lhs", "sobol", "random"}) {
    const std::string how = k_drawn + "--sample " + method + " ";
    const SweepTable one = made(how + "--seed 7 --jobs 1", "one.h5");
    expect_equal(one, made(how + "--seed 7 --jobs 4", "four.csv"));
    std::string parts;
    for (int i = 0; i < 3; ++i) {
      // the second as a task of a job array, whose numbers begin anywhere
      const std::string shard = i == 1 ? "" : "--shard " + std::to_string(i) + "/3 ";
      if (i == 1) setenv("SLURM_ARRAY_TASK_ID", "14", 1), setenv("SLURM_ARRAY_TASK_COUNT", "3", 1);
      if (i == 1) setenv("SLURM_ARRAY_TASK_MIN", "10", 1), setenv("SLURM_ARRAY_TASK_STEP", "4", 1);
      const Result result =
          run("sweep " + scenario_ + " " + how + "--seed 7 " + shard + "-o " + directory_.path("part.h5"));
      for (const char* name : {"ID", "COUNT", "MIN", "STEP"}) {
        unsetenv((std::string("SLURM_ARRAY_TASK_") + name).c_str());
      }
      ASSERT_EQ(result.code, 0) << result.errors;
      EXPECT_THAT(result.output, HasSubstr("20 runs in"));
      parts += directory_.path("part_" + std::to_string(i) + "_of_3.h5") + " ";
    }
    const std::string whole = directory_.path("whole.csv");
    const Result merged = run("sweep --merge " + parts + "-o " + whole);
    ASSERT_EQ(merged.code, 0) << merged.errors;
    EXPECT_THAT(merged.output, HasSubstr("60 of 60 runs"));
    expect_equal(one, read_sweep_file(whole));
    if (method == "sobol") continue;
    const SweepTable other = made(k_drawn + "--seed 8 --sample " + method, "other.h5");
    EXPECT_NE(one.rows[0].parameters, other.rows[0].parameters);
  }
}

TEST_F(SweepCommand, GoesOnAfterAKill) {
  const std::string file = directory_.path("killed.h5");
  // some seconds in all; the file is written after one
  const std::vector<std::string> words{
      "sweep", scenario_, "--set", "links.cart.body.mass=1:2:400", "--set", "simulation.duration=240", "--jobs",
      "1",     "-o",      file};
  const int status = signaled(words, file, SIGKILL);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was done before it was killed";
  const SweepTable part = read_sweep_file(file);
  ASSERT_GT(part.rows.size(), 0U);
  ASSERT_LT(part.rows.size(), 400U);
  const std::string how = "--set links.cart.body.mass=1:2:400 --set simulation.duration=240 ";
  const Result result = run("sweep " + scenario_ + " " + how + "--resume --json -o " + file);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["before"], part.rows.size());
  EXPECT_EQ(json["done"], 400 - part.rows.size());
  const SweepTable whole = read_sweep_file(file);
  ASSERT_EQ(whole.rows.size(), 400U);
  const SweepTable shard = [&] {
    run("sweep " + scenario_ + " " + how + "--shard 3/40 -o " + directory_.path("fresh.h5"));
    return read_sweep_file(directory_.path("fresh_3_of_40.h5"));
  }();
  ASSERT_EQ(shard.rows.size(), 10U);
  for (const SweepRow& row : shard.rows) {
    EXPECT_EQ(bits(row.outputs[0]), bits(whole.rows[static_cast<std::size_t>(row.number)].outputs[0]));
  }
  const Result again = run("sweep " + scenario_ + " " + how + "--resume -o " + file);
  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("0 runs in"));
  const Result other = run("sweep " + scenario_ + " --set links.cart.body.mass=1:3:400 --resume -o " + file);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.errors, HasSubstr("expected"));
}

TEST_F(SweepCommand, KeepsAllAtAnInterrupt) {
  const std::string file = directory_.path("interrupted.csv");
  const int status = signaled({"sweep", scenario_, "--set", "links.cart.body.mass=1:2:100000", "--set",
                               "simulation.duration=60", "--jobs", "1", "-o", file},
                              file, SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const SweepTable part = read_sweep_file(file);
  EXPECT_GT(part.rows.size(), 0U);
  for (const SweepRow& row : part.rows) EXPECT_EQ(row.status, SweepStatus::complete);
}

TEST_F(SweepCommand, EndsARunThatTakesTooLong) {
  const SweepTable table = made(
      "--set simulation.duration=1,1e6 --set 'simulation.output_step=1e5' --set 'simulation.integrator={type: rk4, "
      "step: "
      "1.0e-3}' --time-limit 1 --keep cart.tip.x",
      "late.csv");
  EXPECT_EQ(table.rows[0].status, SweepStatus::complete) << table.rows[0].reason;
  EXPECT_EQ(table.rows[1].status, SweepStatus::failed);
  EXPECT_THAT(table.rows[1].reason, HasSubstr("time limit of 1 s"));
}

TEST_F(SweepCommand, FindsEquilibriaAndModes) {
  const std::string bar = directory_.write("bar.yaml", k_bar), file = directory_.path("bar.csv");
  const Result statics = run("sweep " + bar + " --statics --set motor=-5:10:4 --keep q -o " + file);
  ASSERT_EQ(statics.code, 0) << statics.errors;
  SweepTable table = read_sweep_file(file);
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.head.parameters[0].unit, "N m");
  for (const SweepRow& row : table.rows) {
    const double q = row.outputs[0];
    EXPECT_NEAR(20 * q + 9.81 * std::sin(q), row.parameters[0], 1e-8);
  }
  const Result modes = run("sweep " + bar + " --modes --set links.bar.joint.stiffness=10,40 -o " + file);
  ASSERT_EQ(modes.code, 0) << modes.errors;
  table = read_sweep_file(file);
  EXPECT_EQ(table.head.outputs[0].name, "frequency[0]");
  for (const SweepRow& row : table.rows) {
    const double omega = std::sqrt((row.parameters[0] + 9.81) / 0.6);
    EXPECT_NEAR(row.outputs[0], omega / (2 * std::acos(-1.0)), 1e-9);
  }
}

TEST_F(SweepCommand, SaysWhatItWouldDo) {
  const Result result =
      run("sweep " + scenario_ + " --set links.cart.body.mass=1:2:1000 --dry-run -o " + directory_.path("none.h5"));
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1000 runs of 1000 to make"));
  EXPECT_THAT(result.output, HasSubstr("varied: links.cart.body.mass [kg], 1 in the first run"));
  EXPECT_THAT(result.output, HasSubstr("10 runs tried"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path("none.h5")));
}

TEST_F(SweepCommand, RefusesToMixInstructionSetsAndSweeps) {
  const std::string masses = "--set links.cart.body.mass=1:2:4 --keep q ";
  const auto part = [&](const std::string& arguments, const std::string& file) {
    const Result result = run("sweep " + scenario_ + " " + arguments + " -o " + directory_.path(file));
    EXPECT_EQ(result.code, 0) << result.errors;
  };
  part(masses + "--shard 0/2 --isa baseline", "a.h5"), part(masses + "--shard 1/2 --isa baseline", "b.h5");
  const std::string a = directory_.path("a_0_of_2.h5"), b = directory_.path("b_1_of_2.h5");
  const std::string merge = " -o " + directory_.path("all.h5");
  for (const SweepRow& row : read_sweep_file(a).rows) EXPECT_EQ(row.instruction_set, "baseline");
  const Result half = run("sweep --merge " + a + merge);
  EXPECT_EQ(half.code, 0);
  EXPECT_THAT(half.errors, HasSubstr("found no row of 2 runs"));
  EXPECT_EQ(run("sweep --merge " + a + " " + b + merge).code, 0);
  part("--set links.cart.body.mass=1:3:4 --keep q --isa baseline --shard 1/2", "c.h5");
  const Result other = run("sweep --merge " + a + " " + directory_.path("c_1_of_2.h5") + merge);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.errors, HasSubstr("plan: found"));
  directory_.write("cart.yaml", std::string(k_cart) + "# changed\n");
  part(masses + "--shard 1/2 --isa baseline", "d.h5");
  const Result changed = run("sweep --merge " + a + " " + directory_.path("d_1_of_2.h5") + merge);
  EXPECT_EQ(changed.code, 2);
  EXPECT_THAT(changed.errors, HasSubstr("robot and scenario: found those of hash"));
  directory_.write("cart.yaml", k_cart);
  const Result usual = run("sweep " + scenario_ + " " + masses + "--shard 1/2 -o " + directory_.path("e.h5"));
  ASSERT_EQ(usual.code, 0) << usual.errors;
  const std::string e = directory_.path("e_1_of_2.h5");
  if (read_sweep_file(e).rows.front().instruction_set == "baseline") GTEST_SKIP() << "this CPU has no other set";
  const Result mixed = run("sweep --merge " + a + " " + e + merge);
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.errors, HasSubstr("row 1: found the instruction set"));
  EXPECT_THAT(mixed.errors, HasSubstr("expected baseline as in row 0"));
  EXPECT_EQ(
      run("sweep " + scenario_ + " " + masses + "--shard 1/2 --isa baseline --resume -o " + directory_.path("e.h5"))
          .code,
      2);
}

TEST_F(SweepCommand, NamesWhatIsWrong) {
  const auto refuses = [&](const std::string& arguments, const std::string& error) {
    const Result result = run("sweep " + scenario_ + " " + arguments + " -o " + directory_.path("no.h5"));
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_THAT(result.errors, HasSubstr(error)) << arguments;
    EXPECT_FALSE(std::filesystem::exists(directory_.path("no.h5"))) << arguments;
  };
  refuses("--set links.cart.body.mas=1,2", "--set: parameter: found 'links.cart.body.mas', which 'cart' does not have");
  refuses("--set simulation.inputs.moter=1,2", "did you mean 'motor'?");
  refuses("--set simulation.durations=1,2", "did you mean 'duration'?");
  refuses("--set links.cart.body.mass=1,b",
          "--set: found 'links.cart.body.mass=1,b', expected a list of finite numbers");
  refuses("--set links.cart.body.mass=1:2:0", "COUNT from 1 to 1e8");
  refuses("--set links.cart.body.mass=-1:2:3:log", "numbers > 0");
  refuses("--set links.cart.body.mass=2:1 --runs 3", "a lowest value below the highest");
  refuses("--set 'links.cart.body.mass=normal(1,-1)' --runs 3", "standard deviation > 0");
  refuses("--set links.cart.body.mass=1:2", "--runs: found none");
  refuses("--set links.cart.body.mass=1,2 --runs 3", "--runs: found nothing to draw");
  refuses("--set links.cart.body.mass=1,2 --set robot.links.cart.body.mass=1,2", "vary twice");
  refuses("--keep mx:q", "--keep mx:q: found 'mx', expected final, max, min, mean, rms, integral or settling");
  refuses("--keep max:qq", "--keep max:qq: found 'qq', which 'cart' does not have");
  refuses("--keep q --keep q", "twice, expected another name");
  refuses("--shard 2/2", "--shard: found '2/2', expected i/n with 0 <= i < n");
  refuses("--save some", "--save: found 'some'");
  refuses("--statics", "expected a robot for --statics");
  const std::string robot = directory_.path("cart.yaml");
  const Result result = run("sweep " + robot + " -o " + directory_.path("no.h5"));
  EXPECT_THAT(result.errors, HasSubstr(robot + ": found a robot, expected a scenario"));
  EXPECT_EQ(run("sweep " + scenario_).code, 2);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
