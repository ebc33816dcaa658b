// Runs of a sweep in lanes: the bits are a run's own, whatever lies beside it, and the numbers are those of a
// Simulator.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/sweep_file.h"
#include "cuttle/io/sweep_run.h"
#include "cuttle/simulation/simulator.h"
#include "io/command_line.h"
#include "simulation/run_parameter.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

std::vector<std::int64_t> all_of(const Sweep& sweep) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(sweep.head().count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// All but the time that a row took, and NaN of outputs that are not known.
std::string text_of(const SweepRow& row) {
  std::string text = fmt::format("{} {} {} {}", row.number, sweep_status_name(row.status), row.reason, row.run_as);
  for (const double x : row.outputs) text += fmt::format(" {:x}", std::isnan(x) ? 0U : std::bit_cast<std::uint64_t>(x));
  return text;
}
std::vector<std::string> texts_of(std::vector<SweepRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const SweepRow& a, const SweepRow& b) { return a.number < b.number; });
  std::vector<std::string> texts;
  for (const SweepRow& row : rows) texts.push_back(text_of(row));
  return texts;
}

/// Where a robot's links are, its energies and its account of work.
const std::vector<std::string> k_keep{
    "q", "v", "tip", "energy.total", "energy.dissipated", "max:energy.input", "mean:energy.load"};

class SweepLanes : public CommandLine {
 protected:
  /// A scenario of an example.
  std::string scenario(const std::string& robot, const std::string& rest) {
    const std::string name = fmt::format("{}_{}.yaml", robot, count_++);
    return directory_.write(
        name, fmt::format("cuttle: 1\nrobot: {}\nsimulation: {{{}}}\n", model("examples/" + robot + ".yaml"), rest));
  }

  /// Compares outputs of final columns with the last sample of a run of the Simulator, relative to the size of each
  /// kind.
  static void expect_simulated(const SweepSettings& settings, const std::vector<SweepRow>& rows) {
    const Sweep sweep(settings);
    for (const SweepRow& row : rows) {
      ASSERT_EQ(row.status, SweepStatus::complete) << row.reason;
      ASSERT_EQ(row.run_as, "lanes");
      ScenarioFile file = load_scenario_file(settings.file);
      Model robot(file.robot);
      for (std::size_t i = 0; i < row.parameters.size(); ++i) {
        const std::string& path = sweep.head().parameters[i].name;
        if (path.starts_with("robot.")) {
          robot = robot.with({{path.substr(6), row.parameters[i]}});
        } else {
          const ScenarioNumber number = find_scenario_number(robot, file.scenario, path);
          set_scenario_number(robot, file.scenario, number, row.parameters[i]);
        }
      }
      MemoryRecorder memory;
      Simulator(robot, file.scenario).run({&memory});
      const Sample& last = memory.samples().back();
      double most_input = 0.0;
      for (const Sample& sample : memory.samples()) most_input = std::max(most_input, sample.input);
      std::vector<double> expected(last.q.begin(), last.q.end());
      expected.insert(expected.end(), last.v.begin(), last.v.end());
      for (int k = 0; k < 3; ++k) expected.push_back(last.tips.back().position[k]);
      expected.insert(expected.end(), {last.energy(), last.dissipated, most_input});
      ASSERT_EQ(row.outputs.size(), expected.size() + 1);
      const double v = last.v.cwiseAbs().maxCoeff(), q = last.q.cwiseAbs().maxCoeff();
      const double energy = std::abs(last.energy()) + std::abs(last.input) + last.dissipated + last.kinetic;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const auto nq = static_cast<std::size_t>(last.q.size()), nv = static_cast<std::size_t>(last.v.size());
        const double size = k < nq ? q : k < nq + nv ? v : k + 3 < expected.size() ? 1.0 : energy;
        EXPECT_NEAR(row.outputs[k], expected[k], 1e-12 * (size + 1e-3 * std::max({q, v, 1.0})))
            << sweep.head().outputs[k].name << " of row " << row.number << " of " << settings.file;
      }
    }
  }

  int count_ = 0;
};

// Rods with tendons, chambers and tapers, rigid trees, a floating base; inputs that jump, one beside an output.
TEST_F(SweepLanes, AgreesWithTheSimulator) {
  const std::string arm = scenario(
      "tendon_arm",
      "duration: 0.02, output_step: 0.004, integrator: {type: rk4, step: 2.0e-5}, initial: {upper: {q: [0.3, 0.2, "
      "-0.4, 0.1, 0.2, 0.01], v: [0, 0, 0, 0, 0, 0]}}, inputs: {right: {type: step, time: 0.00901, after: 3}, pocket: "
      "{type: sine, "
      "amplitude: 900, frequency: 40}, left: {type: step, time: 0.008, before: 2, after: 0.5}}");
  const std::string tree =
      scenario("branched_tree", "duration: 1.0e-3, output_step: 5.0e-4, integrator: {type: tsit5, step: 4.0e-6}");
  const std::string rod =
      scenario("floating_rod", "duration: 0.01, output_step: 0.005, integrator: {type: rk4, step: 2.0e-5}");
  const std::vector<SweepSettings> all{
      {.file = arm,
       .set = {"robot.materials.silicone.young_modulus=2e5,3e5,4e5", "simulation.inputs.pocket.amplitude=0,700,1500"},
       .keep = k_keep},
      {.file = arm, .set = {"simulation.initial.upper.v[1]=-2,1,3"}, .keep = k_keep},
      {.file = tree, .set = {"robot.gravity[2]=-9.81,-1.6,3"}, .keep = k_keep},
      {.file = rod, .set = {"robot.gravity[0]=0,2"}, .keep = k_keep},
  };
  for (const SweepSettings& settings : all) {
    const Sweep sweep(settings);
    if (sweep.lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
    expect_simulated(settings, sweep.run(all_of(sweep)));
  }
}

// Each number of a robot is the lane's own: one that a pack took from its first robot would be wrong in the second.
TEST_F(SweepLanes, EveryParameterIsTheLanesOwn) {
  int compared = 0;
  for (const std::string robot : {"tendon_arm", "pcc_arm", "branched_tree"}) {
    const std::string file =
        scenario(robot, "duration: 4.0e-4, output_step: 4.0e-4, integrator: {type: rk4, step: 4.0e-5}");
    const ScenarioFile loaded = load_scenario_file(file);
    for (const ParameterInfo& parameter : Model(loaded.robot).parameters()) {
      const double value = parameter.value;
      const SweepSettings settings{.file = file,
                                   .set = {fmt::format("robot.{}={:.17g},{:.17g}", parameter.path, value,
                                                       value * 0.97 + (value == 0.0 ? 1e-4 : 0.0))},
                                   .keep = k_keep};
      const Sweep sweep(settings);
      if (sweep.lanes() == 1) continue;  // loads
      const std::vector<SweepRow> rows = sweep.run({0, 1});
      if (rows[1].status != SweepStatus::complete) continue;  // a value that the robot cannot have
      expect_simulated(settings, rows);
      EXPECT_EQ(texts_of(rows)[1], text_of(*sweep.run(1))) << parameter.path;
      if (HasFailure()) return;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

// 19 rows of which one diverges, one has a mass that cannot be, and one a tendon that cannot push.
TEST_F(SweepLanes, TheBitsOfARunAreItsOwn) {
  const std::string file = scenario(
      "tendon_arm", "duration: 0.004, output_step: 0.001, integrator: {type: rk4, step: 4.0e-5}, inputs: {right: 2}");
  std::string pulls, masses;
  for (int i = 0; i < 19; ++i) {
    pulls += fmt::format("{}\n", i == 4    ? "3e9,0.03"
                                 : i == 9  ? "1,-1"
                                 : i == 12 ? "-2,0.03"
                                           : fmt::format("{},{}", 0.3 * i, 0.02 + 0.003 * i));
  }
  const std::string table = directory_.write("table.csv", "simulation.inputs.right,links.disk.body.mass\n" + pulls);
  const SweepSettings settings{.file = file, .table = table, .keep = k_keep};
  const Sweep sweep(settings);
  if (sweep.lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
  const std::vector<SweepRow> rows = sweep.run(all_of(sweep));
  const std::vector<std::string> right = texts_of(rows);
  ASSERT_EQ(right.size(), 19U);
  for (const SweepRow& row : rows) {
    const bool bad = row.number == 4 || row.number == 9 || row.number == 12;
    EXPECT_EQ(row.status, bad ? SweepStatus::failed : SweepStatus::complete) << row.number << row.reason;
    EXPECT_EQ(row.run_as, bad ? "simulate" : "lanes");
  }
  EXPECT_THAT(rows[9].reason, HasSubstr("mass"));
  EXPECT_THAT(rows[12].reason, HasSubstr("tension"));
  EXPECT_THAT(rows[4].reason, HasSubstr("t = "));
  std::vector<std::int64_t> numbers = all_of(sweep);
  for (const std::int64_t number : numbers)
    EXPECT_EQ(text_of(*sweep.run(number)), right[static_cast<std::size_t>(number)]);
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(texts_of(sweep.run(numbers)), right);
  for (const std::size_t chunk : {2U, 3U, 5U, 7U, 8U, 11U}) {
    std::vector<SweepRow> made;
    for (std::size_t first = 0; first < numbers.size(); first += chunk) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = static_cast<std::ptrdiff_t>(std::min(chunk, numbers.size() - first));
      for (SweepRow& row : sweep.run(std::vector<std::int64_t>(begin, begin + count))) made.push_back(std::move(row));
    }
    EXPECT_EQ(texts_of(made), right) << chunk;
  }
  for (const int threads : {1, 2, 3}) {
    std::vector<SweepRow> made;
    SweepRunOptions options;
    options.threads = threads;
    options.row = [&made](SweepRow row) { made.push_back(std::move(row)); };
    run_sweep(sweep, numbers, options);
    EXPECT_EQ(texts_of(made), right) << threads;
  }
  // the command, in shards, and told numbers by lines
  const std::string words = "sweep " + file + " --table " + table + " --keep q --keep tip ";
  for (int i = 0; i < 3; ++i) run(words + fmt::format("--shard {}/3 -o {}", i, directory_.path("part.csv")));
  run(words + "-o " + directory_.path("whole.h5"));
  run("sweep --merge " + directory_.path("part_0_of_3.csv") + " " + directory_.path("part_1_of_3.csv") + " " +
      directory_.path("part_2_of_3.csv") + " -o " + directory_.path("merged.h5"));
  EXPECT_EQ(texts_of(read_sweep_file(directory_.path("merged.h5")).rows),
            texts_of(read_sweep_file(directory_.path("whole.h5")).rows));
}

// Lanes of robots that cannot share a pack: where a tendon ends decides what memory a rod needs.
TEST_F(SweepLanes, RobotsOfOtherArrangementsLieApart) {
  const std::string file = scenario(
      "tendon_arm", "duration: 0.002, output_step: 0.001, integrator: {type: rk4, step: 4.0e-5}, inputs: {right: 2}");
  const Sweep sweep({.file = file, .set = {"robot.actuators.right.routing[3].to=0.05,0.1,0.19,0.2"}, .keep = k_keep});
  if (sweep.lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
  const std::vector<SweepRow> rows = sweep.run(all_of(sweep));
  for (const SweepRow& row : rows) EXPECT_EQ(text_of(row), text_of(*sweep.run(row.number)));
  expect_simulated({.file = file, .set = {"robot.actuators.right.routing[3].to=0.05,0.1,0.19,0.2"}, .keep = k_keep},
                   rows);
}

TEST_F(SweepLanes, RobotMethodAndWhatVariesDecide) {
  const std::string rest = "duration: 0.002, output_step: 0.001, ", fixed = "integrator: {type: rk4, step: 4.0e-5}";
  const std::string arm =
      scenario("tendon_arm", rest + fixed + ", inputs: {right: {type: step, time: 1.0e-3, after: 1}}");
  const auto why = [](const std::string& file, const std::string& path) {
    const Sweep sweep({.file = file, .set = {path}});
    EXPECT_EQ(sweep.lanes() == 1, !sweep.why_no_lanes().empty());
    EXPECT_EQ(sweep.run(0)->run_as, sweep.lanes() == 1 ? "simulate" : "lanes") << path;
    return sweep.why_no_lanes();
  };
  if (Sweep({.file = arm, .set = {"robot.gravity[2]=-9,-8"}}).lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
  EXPECT_EQ(why(arm, "robot.gravity[2]=-9,-8"), "");
  EXPECT_EQ(why(arm, "simulation.inputs.right.after=1,2"), "");
  EXPECT_EQ(why(arm, "simulation.inputs.left=1,2"), "");
  EXPECT_EQ(why(arm, "simulation.initial.upper.q[0]=1,2"), "");
  EXPECT_EQ(why(arm, "simulation.integrator.step=4e-5,3e-5"), "simulation.integrator.step changes the steps of a run");
  EXPECT_EQ(why(arm, "simulation.duration=1e-3,2e-3"), "simulation.duration changes the steps of a run");
  EXPECT_EQ(why(scenario("tendon_arm", rest + "integrator: {type: bdf}"), "robot.gravity[2]=-9,-8"),
            "integrator bdf is no explicit method of fixed steps");
  EXPECT_THAT(why(scenario("ritz_block", rest + fixed), "robot.gravity[2]=-9,-8"), HasSubstr("have no lanes"));
  const Result told = run("sweep " + arm + " --set gravity[2]=-9,-8 --dry-run");
  EXPECT_THAT(told.output, HasSubstr("side by side"));
  EXPECT_THAT(run("sweep " + arm + " --set simulation.duration=1e-3,2e-3 --dry-run").output,
              HasSubstr("simulation.duration changes the steps of a run"));
}

TEST_F(SweepLanes, EndAtTheirTimeLimit) {
  const std::string file = scenario(
      "tendon_arm", "duration: 0.004, output_step: 0.001, integrator: {type: rk4, step: 4.0e-5}, inputs: {right: 2}");
  const SweepSettings settings{.file = file, .set = {"robot.gravity[2]=-9,-8,-7"}};
  SweepSettings soon = settings, late = settings;
  soon.time_limit = 1e-9, late.time_limit = 1e6;
  const Sweep sweep(settings);
  if (sweep.lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
  EXPECT_EQ(texts_of(Sweep(late).run({0, 1, 2})), texts_of(sweep.run({0, 1, 2})));
  const std::vector<SweepRow> rows = Sweep(soon).run({0, 1, 2});
  ASSERT_EQ(rows.size(), 3U);
  for (const SweepRow& row : rows) {
    EXPECT_EQ(row.status, SweepStatus::failed);
    EXPECT_EQ(row.reason, "time limit of 1e-09 s: found the run not at its end, expected that");
  }
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(sweep.run({0, 1, 2}, &stop).empty());
}

// A saved result is that of the row, with the steps that a Simulator takes.
TEST_F(SweepLanes, SavesTheRunOfTheRow) {
  const std::string file = scenario("tendon_arm",
                                    "duration: 0.004, output_step: 0.001, integrator: {type: rk4, step: 4.0e-5}, "
                                    "inputs: {right: {type: step, time: 0.00203, after: 2}}");
  const Sweep sweep({.file = file, .set = {"robot.gravity[2]=-9,-8"}, .keep = {"tip"}});
  if (sweep.lanes() == 1) GTEST_SKIP() << "NOT TESTED: no lanes here";
  const std::string path = directory_.path("run.h5");
  const std::vector<SweepRow> rows = sweep.run({0, 1}, nullptr, {"", path});
  const ResultFile result = read_result_file(path);
  ASSERT_EQ(result.samples.size(), 5U);
  EXPECT_EQ(result.status, RunStatus::complete);
  const ScenarioFile alone = load_scenario_file(file, {"robot.gravity=[0, 0, -8]"});
  const Model robot(alone.robot);
  const Outcome outcome = Simulator(robot, alone.scenario).run({});
  std::map<std::string, double> stated;
  for (const ResultStatistic& statistic : result.statistics) stated[statistic.name] = statistic.value;
  EXPECT_EQ(stated.at("steps"), static_cast<double>(outcome.statistics.steps));
  EXPECT_EQ(stated.at("evaluations"), static_cast<double>(outcome.statistics.evaluations));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result.samples.back().tips.back().position[static_cast<int>(k)]),
              std::bit_cast<std::uint64_t>(rows[1].outputs[k]));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
