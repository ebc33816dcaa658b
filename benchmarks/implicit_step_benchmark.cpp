// Steps of series of PCS rods (6 coordinates each) that fall sideways: an implicit method with steps of 5 ms, and bdf
// over 20 ms. "per_rod" has the start of the run in it, of twenty steps.
#include <benchmark/benchmark.h>

#include <cmath>

#include "cuttle/simulation/robot_system.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

void run(benchmark::State& state, const IntegratorOptions& options, double duration) {
  const int count = static_cast<int>(state.range(0));
  Robot robot = hanging_rods(tapered_rod(full_strain(0), 4), count);
  robot.gravity = {9.81, 0.0, 0.0};
  const Model model(robot);
  RobotSystem system(model);
  const auto integrator = make_integrator(system, options);
  State start;
  start.q = model.neutral(), start.v = VectorXd::Zero(model.nv());
  start.auxiliary = VectorXd::Zero(system.auxiliary_count());
  for (auto _ : state) {
    integrator->restart(start);
    integrator->advance(duration, duration);
    benchmark::DoNotOptimize(integrator->state().q.data());
  }
  state.counters["per_rod"] = benchmark::Counter(
      static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["tangents"] =
      static_cast<double>(integrator->statistics().jacobians) / static_cast<double>(state.iterations());
}

void newmark(benchmark::State& state) {
  IntegratorOptions options;
  options.type = "newmark", options.step = 5e-3;
  run(state, options, 0.1);
}
void bdf(benchmark::State& state) {
  IntegratorOptions options;
  options.type = "bdf";
  run(state, options, 0.02);
}

BENCHMARK(newmark)
    ->Name("rod_series/newmark_20_steps")
    ->Arg(1)
    ->Arg(8)
    ->Arg(50)
    ->Arg(500)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bdf)->Name("rod_series/bdf_20_ms")->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuttle::bench
