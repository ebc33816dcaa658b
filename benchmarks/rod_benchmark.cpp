// One rod, inverse dynamics a point of its quadrature. The reference in the table is MuJoCo's time per joint of a chain
// of 24.
#include <benchmark/benchmark.h>

#include <string>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "random_state.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

void rod_inverse_dynamics(benchmark::State& state, const std::string& strain) {
  const int points = static_cast<int>(state.range(0));
  const double length = 0.3;
  const Model model(hanging_rods(tapered_rod(strain_shorthand<double>(strain, length), points), 1));
  Data data(model);
  const MotionState motion = random_state(model);
  for (auto _ : state) {
    benchmark::DoNotOptimize(inverse_dynamics(model, data, motion.q, motion.v, motion.a).data());
  }
  state.counters["per_point"] =
      benchmark::Counter(points, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(rod_inverse_dynamics, pcs, "pcs")->Name("rod/inverse_dynamics/pcs")->Arg(10)->Arg(20)->Arg(40);
BENCHMARK_CAPTURE(rod_inverse_dynamics, pac, "pac")->Name("rod/inverse_dynamics/pac")->Arg(10)->Arg(20)->Arg(40);
BENCHMARK_CAPTURE(rod_inverse_dynamics, pcc, "pcc")->Name("rod/inverse_dynamics/pcc")->Arg(10)->Arg(20)->Arg(40);

}  // namespace
}  // namespace cuttle::bench
