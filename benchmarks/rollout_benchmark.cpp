// Simulated seconds per second on one core: PCS rods (6 coordinates, 5 points each) in series, tsit5 at 1e-4 s.
#include <benchmark/benchmark.h>

#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "random_state.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

constexpr double k_step = 1e-4;              // [s]
constexpr double k_duration = 100 * k_step;  // simulated by one iteration [s]

/// Nothing but the motion: what forward dynamics alone allows.
class Motion final : public System {
 public:
  explicit Motion(const Model& model) : model_(model), data_(model), tau_(VectorXd::Zero(model.nv())) {}

  const Model& model() const override { return model_; }
  int auxiliary_count() const override { return 0; }
  void rates(double /*time*/, VectorInT<double> q, VectorInT<double> v, VectorInT<double> /*auxiliary*/,
             VectorOutT<double> a, VectorOutT<double> /*auxiliary_rate*/) override {
    a = forward_dynamics(model_, data_, q, v, tau_);
  }

 private:
  const Model& model_;
  Data data_;
  VectorXd tau_;
};

/// Every iteration is the same 100 steps from the same bent and moving state.
void roll_out(benchmark::State& state, System& system) {
  const Model& model = system.model();
  const MotionState motion = random_state(model);
  const State start{0.0, motion.q, motion.v, VectorXd::Zero(system.auxiliary_count()), {}};
  IntegratorOptions options;
  options.type = "tsit5";
  options.step = k_step;
  const auto integrator = make_integrator(system, options);
  try {
    for (auto _ : state) {
      integrator->restart(start);
      integrator->advance(k_duration, k_duration);
      benchmark::DoNotOptimize(integrator->state().q.data());
    }
  } catch (const SimulationError& error) {
    state.SkipWithError(error.what());
    return;
  }
  state.counters["simulated"] = benchmark::Counter(k_duration, benchmark::Counter::kIsIterationInvariantRate);
}

Model rods(const benchmark::State& state) {
  return Model(hanging_rods(tapered_rod(full_strain(0), 5), static_cast<int>(state.range(0))));
}

/// As `cuttle simulate` does it, with the work of damping, inputs and loads integrated beside the motion.
void simulate(benchmark::State& state) {
  const Model model = rods(state);
  RobotSystem system(model, {});
  roll_out(state, system);
}

void motion_only(benchmark::State& state) {
  const Model model = rods(state);
  Motion system(model);
  roll_out(state, system);
}

BENCHMARK(simulate)->Name("rollout/simulate")->RangeMultiplier(2)->Range(1, 32);
BENCHMARK(motion_only)->Name("rollout/motion_only")->RangeMultiplier(2)->Range(1, 32);

}  // namespace
}  // namespace cuttle::bench
