#include <algorithm>
#include <cmath>
#include <vector>

#include "cuttle/error.h"
#include "simulation/diagnosis.h"
#include "simulation/integrators.h"
#include "simulation/tableau.h"

namespace cuttle {
namespace {

/// Explicit Runge-Kutta method with fixed steps on the configuration manifold (Munthe-Kaas). Within a step the
/// configuration is q = integrate(q_n, theta), and the method advances (theta, v, extra) in a vector space:
/// d theta/dt = T(theta)^-1 v, theta = 0 at the start. So it keeps its order, and where coordinates form a vector space
/// it is the classical method. Steps between two targets are equal, not longer than asked.
class RungeKutta final : public Integrator {
 public:
  RungeKutta(System& system, const Tableau& tableau, double step)
      : Integrator(system), model_(system.model()), tableau_(tableau), step_(step) {
    const int nq = model_.nq(), nv = model_.nv(), n_extra = system.extra_count();
    q_next_.resize(nq);
    theta_.resize(nv), v_.resize(nv);
    extra_.resize(n_extra);
    stages_.resize(tableau.stages);
    for (Stage& stage : stages_) {
      stage.theta_rate.resize(nv), stage.a.resize(nv), stage.extra_rate.resize(n_extra);
    }
  }

  void restart(const State& state) override { state_ = state; }

  void advance(double target, double /*limit*/) override {
    const double start = state_.time;
    if (!(target > start)) return;
    // a millionth of a step is rounding, not a reason for another step
    const double count = std::max(1.0, std::ceil((target - start) / step_ - 1e-6));
    const double h = (target - start) / count;
    for (double i = 0; i < count; ++i) {
      const double next = i + 1 < count ? start + (i + 1) * h : target;
      try {
        step(h);
        require_finite(model_, q_next_, v_);
      } catch (const Error& error) {
        fail_at(state_, state_.time, error.what());
      }
      state_.time = next;
      state_.q = q_next_;
      state_.v = v_;
      state_.extra = extra_;
      ++statistics_.steps;
    }
  }

 private:
  struct Stage {
    VectorXd theta_rate, a, extra_rate;
  };

  void accumulate(const std::array<double, k_max_stages>& weights, int count, double h) {
    theta_.setZero();
    v_ = state_.v;
    extra_ = state_.extra;
    for (int j = 0; j < count; ++j) {
      if (weights[j] == 0.0) continue;
      const double w = h * weights[j];
      theta_ += w * stages_[j].theta_rate;
      v_ += w * stages_[j].a;
      extra_ += w * stages_[j].extra_rate;
    }
    integrate<double>(model_, state_.q, theta_, q_next_);
  }

  /// From state_ to q_next_, v_, extra_.
  void step(double h) {
    for (int i = 0; i < tableau_.stages; ++i) {
      accumulate(tableau_.a[i], i, h);
      Stage& stage = stages_[i];
      tangent_rate<double>(model_, theta_, v_, stage.theta_rate);
      ++statistics_.evaluations;
      system_.rates(state_.time + tableau_.c[i] * h, q_next_, v_, extra_, stage.a, stage.extra_rate);
    }
    accumulate(tableau_.b, tableau_.stages, h);
  }

  const Model& model_;
  const Tableau& tableau_;
  double step_;
  std::vector<Stage> stages_;
  VectorXd q_next_, theta_, v_, extra_;
};

}  // namespace

std::unique_ptr<Integrator> make_rk4(System& system, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(system, k_rk4, *options.step);
}
std::unique_ptr<Integrator> make_tsit5(System& system, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(system, k_tsit5, *options.step);
}

}  // namespace cuttle
