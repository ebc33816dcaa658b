// Many robots at once on one core, each with its own parameters: time a robot.
#include <benchmark/benchmark.h>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "random_state.h"
#include "rigid_chain.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

constexpr int k_robots = 64;

/// Robots of one topology, each with other numbers and another state.
struct Robots {
  std::vector<Model> models;
  RowMatrixXd q, v, a;

  explicit Robots(std::vector<Model> given) : models(std::move(given)) {
    const Model& first = models[0];
    const int count = static_cast<int>(models.size());
    q.resize(count, first.nq()), v.resize(count, first.nv()), a.resize(count, first.nv());
    for (int i = 0; i < count; ++i) {
      const MotionState state = random_state(models[i]);
      const double scale = 1.0 - 0.5 * i / count;
      q.row(i) = scale * state.q.transpose(), v.row(i) = scale * state.v.transpose(), a.row(i) = state.a.transpose();
    }
  }
};

std::vector<Model> chains(int joints) {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    std::vector<ChainLink> links = random_chain(joints);
    for (ChainLink& link : links) link.mass *= 1.0 + 0.01 * i, link.com.x += 1e-4 * i;
    models.emplace_back(chain_robot(links));
  }
  return models;
}

std::vector<Model> rods(int count, int points, int robots) {
  std::vector<Model> models;
  for (int i = 0; i < robots; ++i) {
    RodParameters rod = tapered_rod(full_strain(0), points);
    rod.length *= 1.0 + 0.002 * i;
    *rod.material.young_modulus *= 1.0 + 0.01 * i;
    models.emplace_back(hanging_rods(rod, count));
  }
  return models;
}

void per_robot(benchmark::State& state, int robots, int parts) {
  state.counters["per_part"] = benchmark::Counter(
      static_cast<double>(robots) * parts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <bool Forward>
void run(benchmark::State& state, std::vector<Model> models, int parts) {
  Robots robots(std::move(models));
  Batch batch(robots.models, 1);
  const RowMatrixXd tau = batch.inverse_dynamics(robots.q, robots.v, robots.a);
  for (auto _ : state) {
    const RowMatrixXd& result = Forward ? batch.forward_dynamics(robots.q, robots.v, tau)
                                        : batch.inverse_dynamics(robots.q, robots.v, robots.a);
    benchmark::DoNotOptimize(result.data());
  }
  if (!batch.all_good()) state.SkipWithError("a robot failed");
  per_robot(state, batch.size(), parts);
}

/// The same robots one after the other, each with its own Model, sharing one Data.
template <bool Forward>
void run_singly(benchmark::State& state, std::vector<Model> models, int parts) {
  Robots robots(std::move(models));
  Data data(robots.models[0]);
  std::vector<VectorXd> q, v, a, tau;
  for (std::size_t i = 0; i < robots.models.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    q.push_back(robots.q.row(row)), v.push_back(robots.v.row(row)), a.push_back(robots.a.row(row));
    tau.push_back(inverse_dynamics(robots.models[i], data, q[i], v[i], a[i]));
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < robots.models.size(); ++i) {
      const VectorXd& result = Forward ? forward_dynamics(robots.models[i], data, q[i], v[i], tau[i])
                                       : inverse_dynamics(robots.models[i], data, q[i], v[i], a[i]);
      benchmark::DoNotOptimize(result.data());
    }
  }
  per_robot(state, static_cast<int>(robots.models.size()), parts);
}

void chain_inverse(benchmark::State& state) { run<false>(state, chains(24), 24); }
void chain_forward(benchmark::State& state) { run<true>(state, chains(24), 24); }
BENCHMARK(chain_inverse)->Name("batch/chain24/inverse_dynamics/batch");
BENCHMARK(chain_forward)->Name("batch/chain24/forward_dynamics/batch");

void rod_inverse(benchmark::State& state) { run<false>(state, rods(1, static_cast<int>(state.range(0)), k_robots), 1); }
void rod_forward(benchmark::State& state) { run<true>(state, rods(1, static_cast<int>(state.range(0)), k_robots), 1); }
void rod_inverse_singly(benchmark::State& state) {
  run_singly<false>(state, rods(1, static_cast<int>(state.range(0)), k_robots), 1);
}
void rod_forward_singly(benchmark::State& state) {
  run_singly<true>(state, rods(1, static_cast<int>(state.range(0)), k_robots), 1);
}
BENCHMARK(rod_inverse)->Name("batch/rod/inverse_dynamics/batch")->Arg(5)->Arg(10);
BENCHMARK(rod_forward)->Name("batch/rod/forward_dynamics/batch")->Arg(5)->Arg(10);
BENCHMARK(rod_inverse_singly)->Name("batch/rod/inverse_dynamics/singly")->Arg(5)->Arg(10);
BENCHMARK(rod_forward_singly)->Name("batch/rod/forward_dynamics/singly")->Arg(5)->Arg(10);

/// Simulated robot-seconds a second: PCS rods with 5 points in series, tsit5 with steps of 1e-4 s.
void rollout(benchmark::State& state) {
  constexpr double duration = 5e-3;
  Robots robots(rods(static_cast<int>(state.range(0)), 5, 16));
  Batch batch(robots.models, 1);
  const RolloutOptions options{.method = "tsit5", .step = 1e-4, .duration = duration};
  for (auto _ : state) benchmark::DoNotOptimize(batch.rollout(robots.q, robots.v, options).q.data());
  if (!batch.all_good()) state.SkipWithError("a robot failed");
  state.counters["simulated"] =
      benchmark::Counter(duration * batch.size(), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(rollout)->Name("batch/rollout")->RangeMultiplier(2)->Range(1, 32);

}  // namespace
}  // namespace cuttle::bench
