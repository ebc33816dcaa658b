#include "cuttle/error.h"
#include "simulation/diagnosis.h"
#include "simulation/integrators.h"
#include "simulation/runge_kutta_step.h"

namespace cuttle {
namespace {

/// Explicit Runge-Kutta method with fixed steps. Steps between two targets are equal, not longer than asked.
class RungeKutta final : public Integrator {
 public:
  RungeKutta(System& system, const Tableau& tableau, double step)
      : Integrator(system),
        model_(system.model()),
        tableau_(tableau),
        length_(step),
        step_(model_, system.extra_count()) {}

  void restart(const State& state) override { state_ = state; }

  void advance(double target, double /*limit*/) override {
    const double start = state_.time;
    if (!(target > start)) return;
    const double count = step_count(target - start, length_);
    const double h = (target - start) / count;
    for (double i = 0; i < count; ++i) {
      const double next = i + 1 < count ? start + (i + 1) * h : target;
      try {
        step_.run(model_, tableau_, state_.time, h, state_.q, state_.v, state_.extra,
                  [this](double time, VectorXd& a, VectorXd& extra_rate) {
                    ++statistics_.evaluations;
                    system_.rates(time, step_.q, step_.v, step_.extra, a, extra_rate);
                  });
        require_finite(model_, step_.q, step_.v);
      } catch (const Error& error) {
        fail_at(state_, state_.time, error.what());
      }
      state_.time = next;
      state_.q = step_.q;
      state_.v = step_.v;
      state_.extra = step_.extra;
      ++statistics_.steps;
    }
  }

 private:
  const Model& model_;
  const Tableau& tableau_;
  double length_;
  RungeKuttaStepT<double> step_;
};

}  // namespace

std::unique_ptr<Integrator> make_rk4(System& system, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(system, k_rk4, *options.step);
}
std::unique_ptr<Integrator> make_tsit5(System& system, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(system, k_tsit5, *options.step);
}

}  // namespace cuttle
