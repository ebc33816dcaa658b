// Chains of revolute joints with rigid links: Cuttle against MuJoCo, in one process, from the same state.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "mujoco_chain.h"
#include "rigid_chain.h"

namespace cuttle::bench {
namespace {

/// The same chain in both engines, at the same state.
struct EnginePair {
  explicit EnginePair(const std::vector<ChainLink>& links)
      : model(chain_robot(links)), data(model), state(random_state(model)), mujoco(links) {
    tau = inverse_dynamics(model, data, state.q, state.v, state.a);
    mujoco.set(state, tau);
  }

  Model model;
  Data data;
  MotionState state;
  VectorXd tau;  ///< that makes state.a
  MujocoChain mujoco;
};

/// @throws Error unless both engines compute the same thing.
void require_agreement(EnginePair& pair) {
  // Forces at the root of a long chain are sums over all links: the largest one is the scale. MuJoCo turns the inertias
  // to principal axes by an iteration that stops early: it costs up to 3e-10, without it the engines agree to 1e-14.
  constexpr double k_tolerance = 1e-8;
  const auto nv = pair.model.nv();
  const Eigen::Map<const VectorXd> tau(pair.mujoco.inverse_dynamics(), nv);
  const double scale = pair.tau.lpNorm<Eigen::Infinity>();
  const double inverse_error = (tau - pair.tau).lpNorm<Eigen::Infinity>() / scale;

  // M of a long chain is ill-conditioned and accelerations differ: compare the forces that they need
  const VectorXd a = Eigen::Map<const VectorXd>(pair.mujoco.forward_dynamics(), nv);
  const VectorXd needed = inverse_dynamics(pair.model, pair.data, pair.state.q, pair.state.v, a);
  const double forward_error = (needed - pair.tau).lpNorm<Eigen::Infinity>() / scale;
  pair.mujoco.set(pair.state, pair.tau);  // mj_forward wrote its acceleration over the given one

  // false for NaN too
  if (inverse_error <= k_tolerance && forward_error <= k_tolerance) return;
  char message[200];
  std::snprintf(message, sizeof message,
                "chain of %d joints: Cuttle and MuJoCo disagree, relative difference of the forces %.2g (inverse "
                "dynamics), %.2g (forward dynamics), expected at most %.2g",
                nv, inverse_error, forward_error, k_tolerance);
  throw Error(message);
}

/// Made and compared once for each length; a comparison of different things is worth nothing, so it ends the program.
EnginePair& engines(int count) {
  static std::map<int, std::unique_ptr<EnginePair>> pairs;
  auto& pair = pairs[count];
  if (pair) return *pair;
  try {
    pair = std::make_unique<EnginePair>(random_chain(count));
    require_agreement(*pair);
  } catch (const Error& error) {
    std::fprintf(stderr, "cuttle_bench: %s\n", error.what());
    std::exit(EXIT_FAILURE);
  }
  return *pair;
}

void per_joint(benchmark::State& state) {
  state.counters["per_joint"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void cuttle_inverse_dynamics(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(inverse_dynamics(pair.model, pair.data, pair.state.q, pair.state.v, pair.state.a).data());
  }
  per_joint(state);
}

void mujoco_inverse_dynamics(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(pair.mujoco.inverse_dynamics());
  per_joint(state);
}

void cuttle_forward_dynamics(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(forward_dynamics(pair.model, pair.data, pair.state.q, pair.state.v, pair.tau).data());
  }
  per_joint(state);
}

void mujoco_forward_dynamics(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(pair.mujoco.forward_dynamics());
  per_joint(state);
}

void cuttle_mass_matrix(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(mass_matrix(pair.model, pair.data, pair.state.q).data());
}

/// One packed half of what Cuttle's has two of.
void mujoco_mass_matrix(benchmark::State& state) {
  EnginePair& pair = engines(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(pair.mujoco.mass_matrix());
}

void lengths(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {6, 24, 96, 384}) benchmark->Arg(count);
}

BENCHMARK(cuttle_inverse_dynamics)->Name("chain/inverse_dynamics/cuttle")->Apply(lengths);
BENCHMARK(mujoco_inverse_dynamics)->Name("chain/inverse_dynamics/mujoco")->Apply(lengths);
BENCHMARK(cuttle_forward_dynamics)->Name("chain/forward_dynamics/cuttle")->Apply(lengths);
BENCHMARK(mujoco_forward_dynamics)->Name("chain/forward_dynamics/mujoco")->Apply(lengths);
BENCHMARK(cuttle_mass_matrix)->Name("chain/mass_matrix/cuttle")->Apply(lengths);
BENCHMARK(mujoco_mass_matrix)->Name("chain/mass_matrix/mujoco")->Apply(lengths);

}  // namespace
}  // namespace cuttle::bench
