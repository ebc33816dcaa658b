// What the mass matrix of one rod costs beside its inverse dynamics, against the n + 1 calls of inverse dynamics that
// give it column by column ([P] 5.2). n_B = 3: pcc; 6, 12, 24: all six components constant, linear, cubic.
#include <benchmark/benchmark.h>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "random_state.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

constexpr int k_points = 10;

struct Rod {
  explicit Rod(const benchmark::State& state)
      : model(hanging_rods(parameters(static_cast<int>(state.range(0))), 1)),
        data(model),
        motion(random_state(model)) {}

  static RodParameters parameters(int coordinates) {
    const double length = 0.3;
    return tapered_rod(coordinates == 3 ? strain_shorthand<double>("pcc", length) : full_strain(coordinates / 6 - 1),
                       k_points);
  }

  Model model;
  Data data;
  MotionState motion;
};

void rod_inverse(benchmark::State& state) {
  Rod rod(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(inverse_dynamics(rod.model, rod.data, rod.motion.q, rod.motion.v, rod.motion.a).data());
  }
}

void rod_mass_inverse(benchmark::State& state) {
  Rod rod(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mass_inverse_dynamics(rod.model, rod.data, rod.motion.q, rod.motion.v, rod.motion.a).data());
  }
}

void rod_mass_matrix(benchmark::State& state) {
  Rod rod(state);
  for (auto _ : state) benchmark::DoNotOptimize(mass_matrix(rod.model, rod.data, rod.motion.q).data());
}

void rod_forward(benchmark::State& state) {
  Rod rod(state);
  const VectorXd tau = inverse_dynamics(rod.model, rod.data, rod.motion.q, rod.motion.v, rod.motion.a);
  for (auto _ : state) {
    benchmark::DoNotOptimize(forward_dynamics(rod.model, rod.data, rod.motion.q, rod.motion.v, tau).data());
  }
}

void coordinate_counts(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {3, 6, 12, 24}) benchmark->Arg(count);
}

BENCHMARK(rod_inverse)->Name("blocks/inverse_dynamics")->Apply(coordinate_counts);
BENCHMARK(rod_mass_inverse)->Name("blocks/mass_inverse_dynamics")->Apply(coordinate_counts);
BENCHMARK(rod_mass_matrix)->Name("blocks/mass_matrix")->Apply(coordinate_counts);
BENCHMARK(rod_forward)->Name("blocks/forward_dynamics")->Apply(coordinate_counts);

}  // namespace
}  // namespace cuttle::bench
