// Derivatives of whole runs by k numbers of the robot, and of the initial state and signals, against the run alone.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/motion_adjoint.h"
#include "cuttle/simulation/sensitivities.h"

namespace cuttle::bench {
namespace {

struct Case {
  const char *name, *file;
  double duration;
  std::vector<std::string> by;         ///< eight, of the robot
  std::vector<std::string> by_states;  ///< eight, of the initial state and signals
};

struct Setup {
  Setup(const Case& given, const std::string& method)
      : file(load_scenario_file(CUTTLE_BENCH_MODELS "/" + std::string(given.file) + "_scenario.yaml")),
        model(file.robot) {
    file.scenario.duration = given.duration;
    file.scenario.output_step = 0.5 * given.duration;
    if (method == "fixed") {
      file.scenario.integrator = {};
      file.scenario.integrator.type = "generalized_alpha";
      file.scenario.integrator.step = 5e-3;
    }
  }
  ScenarioFile file;
  Model model;
};

void run_alone(benchmark::State& state, const Case& given, const std::string& method) {
  const Setup s(given, method);
  for (auto _ : state) benchmark::DoNotOptimize(Simulator(s.model, s.file.scenario).run({}).time);
}

void with_derivatives(benchmark::State& state, const Case& given, const std::string& method,
                      const std::vector<std::string>& all, std::size_t count) {
  const Setup s(given, method);
  const std::vector<std::string> by(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        sensitivities(s.model, s.file.scenario, {"tip.position"}, by, {given.duration}).derivatives.back().data());
  }
}

/// Backwards: one scalar of some samples by the initial state, and all knots of signals that cost no more.
/// @param numbers  whether by all numbers of the robot too.
void backwards(benchmark::State& state, const Case& given, const std::string& method, int samples, bool numbers) {
  const Setup s(given, method);
  std::vector<std::string> by;
  if (numbers) {
    for (const ParameterInfo& info : s.model.parameters()) by.push_back(info.path);
  }
  std::vector<double> times;
  for (int i = 1; i <= samples; ++i) times.push_back(given.duration * i / samples);
  const auto sum_of_squares = [](double, const VectorXd& q, const VectorXd&, VectorXd& by_q, VectorXd&) {
    by_q = 2.0 * q;
    return q.squaredNorm();
  };
  for (auto _ : state) {
    benchmark::DoNotOptimize(motion_adjoint(s.model, s.file.scenario, times, sum_of_squares, by).value);
  }
}

const bool k_added = [] {
  static const std::vector<Case> k_cases{
      {"tendon_arm",
       "examples/tendon_arm",
       1.0,
       {"materials.silicone.young_modulus", "materials.silicone.density", "materials.silicone.damping_time",
        "links.upper.body.length", "links.lower.body.length", "links.disk.body.mass", "gravity[2]", "gravity[0]"},
       {"simulation.inputs.right.value[1]", "simulation.inputs.left.amplitude", "simulation.inputs.right.value[2]",
        "simulation.initial.upper.q[0]", "simulation.initial.upper.q[1]", "simulation.initial.upper.v[0]",
        "simulation.initial.lower.q[0]", "simulation.initial.lower.v[0]"}},
      {"hybrid_arm",
       "pustina2025/hybrid_arm",
       1.0,
       {"gravity[0]", "gravity[1]", "gravity[2]", "links.soft_finger.body.length", "links.soft_arm.body.length",
        "materials.silicone.density", "materials.silicone.young_modulus", "materials.silicone.damping_time"},
       {"simulation.initial.shoulder.q[0]", "simulation.initial.wrist_2.v[0]", "simulation.initial.soft_arm.q[0]",
        "simulation.initial.soft_arm.q[1]", "simulation.initial.upper_arm.q[0]", "simulation.initial.forearm.q[0]",
        "simulation.initial.forearm.v[0]", "simulation.initial.wrist_3.q[0]"}},
      {"cantilever_soft",
       "boyer2023/cantilever_soft",
       1.0,
       {"materials.steel.young_modulus", "materials.steel.density", "links.rod.body.length", "gravity[0]", "gravity[1]",
        "gravity[2]", "links.rod.body.section.radius", "materials.steel.damping_time"},
       {}},
  };
  for (const Case& given : k_cases) {
    for (const std::string method : {"shipped", "fixed"}) {
      const std::string name = std::string("sensitivities/") + given.name + "/" + method + "/";
      benchmark::RegisterBenchmark((name + "run").c_str(),
                                   [&given, method](benchmark::State& state) { run_alone(state, given, method); });
      for (const std::size_t count : {1, 3, 8}) {
        for (const auto& [of, all] : {std::pair("", &given.by), std::pair("states/", &given.by_states)}) {
          if (count > all->size()) continue;
          benchmark::RegisterBenchmark((name + of + std::to_string(count)).c_str(),
                                       [&given, method, all = all, count](benchmark::State& s) {
                                         with_derivatives(s, given, method, *all, count);
                                       });
        }
      }
      for (const int samples : {1, 100}) {
        benchmark::RegisterBenchmark(
            (name + "adjoint/" + std::to_string(samples)).c_str(),
            [&given, method, samples](benchmark::State& state) { backwards(state, given, method, samples, false); });
      }
      benchmark::RegisterBenchmark((name + "adjoint/all_numbers").c_str(), [&given, method](benchmark::State& state) {
        backwards(state, given, method, 1, true);
      });
    }
  }
  return true;
}();

}  // namespace
}  // namespace cuttle::bench
