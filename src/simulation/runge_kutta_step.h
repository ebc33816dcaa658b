#pragma once

#include <array>

#include "cuttle/model/model.h"
#include "simulation/tableau.h"

namespace cuttle {

/// One step of an explicit Runge-Kutta method on the configuration manifold (Munthe-Kaas), of one robot or of a pack.
/// Within a step the configuration is q = integrate(q_n, theta), and the method advances (theta, v, extra) in a vector
/// space: d theta/dt = T(theta)^-1 v, theta = 0 at the start. So it keeps its order, and where coordinates form a
/// vector space it is the classical method. Allocates once, here.
template <typename S>
class RungeKuttaStepT {
 public:
  RungeKuttaStepT(const ModelT<S>& model, int extra_count)
      : q(model.nq()), v(model.nv()), extra(extra_count), theta_(model.nv()) {
    for (Stage& stage : stages_) {
      stage.theta_rate.resize(model.nv()), stage.a.resize(model.nv()), stage.extra_rate.resize(extra_count);
    }
  }

  /// From the state given to q, v, extra. `rates(time, a, extra_rate)` evaluates the system at these.
  template <typename Rates>
  void run(const ModelT<S>& model, const Tableau& tableau, double time, double h, const VectorXT<S>& q_start,
           const VectorXT<S>& v_start, const VectorXT<S>& extra_start, const Rates& rates) {
    const auto accumulate = [&](const std::array<double, k_max_stages>& weights, int count) {
      theta_.setZero();
      v = v_start;
      extra = extra_start;
      for (int j = 0; j < count; ++j) {
        if (weights[j] == 0.0) continue;
        const S w(h * weights[j]);
        add(w, stages_[j].theta_rate, theta_);
        add(w, stages_[j].a, v);
        add(w, stages_[j].extra_rate, extra);
      }
      integrate<S>(model, q_start, theta_, q);
    };
    for (int i = 0; i < tableau.stages; ++i) {
      accumulate(tableau.a[i], i);
      Stage& stage = stages_[i];
      tangent_rate<S>(model, theta_, v, stage.theta_rate);
      rates(time + tableau.c[i] * h, stage.a, stage.extra_rate);
    }
    accumulate(tableau.b, tableau.stages);
  }

  VectorXT<S> q, v, extra;  ///< where the stage is; in the end the next state

 private:
  struct Stage {
    VectorXT<S> theta_rate, a, extra_rate;
  };
  static void add(const S& weight, const VectorXT<S>& rate, VectorXT<S>& sum) {
    for (Eigen::Index k = 0; k < sum.size(); ++k) sum[k] += weight * rate[k];
  }

  std::array<Stage, k_max_stages> stages_;
  VectorXT<S> theta_;
};

}  // namespace cuttle
