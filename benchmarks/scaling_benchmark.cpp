// [P] 7.3, Simulation 3: planar chains of constant-curvature bodies, radius 0.03 m, length 0.3 m, 1000 kg/m^3, at unit
// coordinates and rates. The paper stops at 20 bodies.
#include <benchmark/benchmark.h>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

Robot planar_chain(int count) {
  RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = 0.03;
  rod.material.density = 1000.0;
  rod.material.young_modulus = 1e6;  // not in the paper, which times M a and c only
  rod.strain = strain_shorthand<double>("planar_cc", rod.length);
  return hanging_rods(rod, count);
}

void per_body(benchmark::State& state) {
  state.counters["per_body"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void build(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  for (auto _ : state) {
    const Model model(planar_chain(count));
    const Data data(model);
    benchmark::DoNotOptimize(data.tau.data());
  }
  per_body(state);
}

void inertial_inverse(benchmark::State& state) {
  const Model model(planar_chain(static_cast<int>(state.range(0))));
  Data data(model);
  const VectorXd ones = VectorXd::Ones(model.nv());
  for (auto _ : state) {
    benchmark::DoNotOptimize(inertial_inverse_dynamics(model, data, ones, ones, ones).data());
  }
  per_body(state);
  state.counters["data_bytes"] = static_cast<double>(data.bytes());
}

void forward(benchmark::State& state) {
  const Model model(planar_chain(static_cast<int>(state.range(0))));
  Data data(model);
  const VectorXd ones = VectorXd::Ones(model.nv());
  const VectorXd tau = inverse_dynamics(model, data, ones, ones, ones);
  for (auto _ : state) benchmark::DoNotOptimize(forward_dynamics(model, data, ones, ones, tau).data());
  per_body(state);
}

void body_counts(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) benchmark->Arg(count);
}

BENCHMARK(build)->Name("planar_chain/build")->Apply(body_counts);
BENCHMARK(inertial_inverse)->Name("planar_chain/inertial_inverse_dynamics")->Apply(body_counts);
BENCHMARK(forward)->Name("planar_chain/forward_dynamics")->Apply(body_counts);

}  // namespace
}  // namespace cuttle::bench
