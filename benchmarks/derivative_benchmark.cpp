// All derivatives of whole robots, by q, v and a in one call, against one inverse dynamics of the same robot: rigid
// chains, and robots with rods.
#include <benchmark/benchmark.h>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "random_state.h"
#include "rigid_chain.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

struct Setup {
  explicit Setup(const Robot& robot)
      : model(robot),
        data(model),
        derivatives(model),
        state(random_state(model)),
        tau(inverse_dynamics(model, data, state.q, state.v, state.a)) {}

  Model model;
  Data data;
  DerivativeData derivatives;
  MotionState state;
  VectorXd tau;  ///< that makes state.a
};

Robot rigid_chain(int joints) { return chain_robot(random_chain(joints)); }
Robot pcs_rod(int points) { return hanging_rods(tapered_rod(full_strain(0), points), 1); }
Robot three_pcc_rods(int points) { return hanging_rods(tapered_rod(strain_shorthand<double>("pcc", 0.3), points), 3); }

using MakeRobot = Robot (*)(int);

void inverse(benchmark::State& state, MakeRobot make) {
  Setup s(make(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    benchmark::DoNotOptimize(inverse_dynamics(s.model, s.data, s.state.q, s.state.v, s.state.a).data());
  }
}

void inverse_derivatives(benchmark::State& state, MakeRobot make) {
  Setup s(make(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    inverse_dynamics_derivatives(s.model, s.data, s.derivatives, s.state.q, s.state.v, s.state.a);
    benchmark::DoNotOptimize(s.derivatives.by_q.data());
  }
  state.counters["nv"] = s.model.nv();
}

void forward_derivatives(benchmark::State& state, MakeRobot make) {
  Setup s(make(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    forward_dynamics_derivatives(s.model, s.data, s.derivatives, s.state.q, s.state.v, s.tau);
    benchmark::DoNotOptimize(s.derivatives.by_q.data());
  }
}

void add_robot(const std::string& name, MakeRobot make, const std::vector<std::int64_t>& sizes) {
  const auto add = [&](const char* what, void (*run)(benchmark::State&, MakeRobot)) {
    auto* each = benchmark::RegisterBenchmark(("derivatives/" + name + "/" + what).c_str(), run, make);
    for (const std::int64_t size : sizes) each->Arg(size);
  };
  add("inverse_dynamics", inverse);
  add("inverse_dynamics_derivatives", inverse_derivatives);
  add("forward_dynamics_derivatives", forward_derivatives);
}

const bool k_added = [] {
  add_robot("chain", rigid_chain, {6, 24, 96});
  add_robot("pcs_rod", pcs_rod, {10, 20});
  add_robot("three_pcc_rods", three_pcc_rods, {10, 20});
  return true;
}();

}  // namespace
}  // namespace cuttle::bench
