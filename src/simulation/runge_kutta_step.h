#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/runge_kutta.h"
#include "spatial/number_text.h"

namespace cuttle {

/// Number of equal steps, not longer than `longest`, over a time; a millionth of a step is rounding, not a reason for
/// another one.
inline double step_count(double duration, double longest) {
  return std::max(1.0, std::ceil(duration / longest - 1e-6));
}

/// Calls step(h, next) for each of the equal steps, not longer than `longest`, from one time to another, which the last
/// `next` is exactly.
template <typename Step>
void for_equal_steps(double start, double target, double longest, const Step& step) {
  if (!(target > start)) return;
  const double count = step_count(target - start, longest);
  const double h = (target - start) / count;
  for (double i = 0; i < count; ++i) step(h, i + 1 < count ? start + (i + 1) * h : target);
}

constexpr double k_most_parts = 4096.0;  // of a step

/// Walks a step of length h to `next` in parts, none longer than the robot may go unseen from where it is.
/// @param longest  the longest part from there.   @param step  as for_equal_steps calls it.
/// @throws SimulationError that says which steps would do, where parts would be too many.
template <typename Longest, typename Step>
void for_safe_parts(double time, double h, double next, const Longest& longest, const Step& step) {
  double most = longest();
  if (!(most < h)) {
    step(h, next);
    return;
  }
  while (time < next) {
    const double left = next - time, count = step_count(left, most);
    if (!(count <= k_most_parts)) {
      throw SimulationError("t = " + number_text(time) +
                            " s: a link would pass an obstacle unseen: reduce the step below " + number_text(most) +
                            " s");
    }
    const double end = count > 1.0 ? time + left / count : next;
    step(end - time, end);
    time = end;
    if (time < next) most = longest();
  }
}

/// One step of an explicit Runge-Kutta method on the configuration manifold (Munthe-Kaas), of one robot or of a pack.
/// Within a step the configuration is q = integrate(q_n, theta), and the method advances (theta, v, auxiliary) in a
/// vector space: d theta/dt = T(theta)^-1 v, theta = 0 at the start. So it keeps its order, and where coordinates form
/// a vector space it is the classical method. Allocates here and in `reserve`.
template <typename S>
class RungeKuttaStepT {
 public:
  RungeKuttaStepT(const ModelT<S>& model, int auxiliary_count)
      : q(model.nq()), v(model.nv()), auxiliary(auxiliary_count), theta_(model.nv()) {}

  /// Memory for methods of so many stages.
  void reserve(int stages) {
    while (static_cast<int>(stages_.size()) < stages) {
      stages_.push_back({VectorXT<S>(v.size()), VectorXT<S>(v.size()), VectorXT<S>(auxiliary.size())});
    }
  }

  /// From the state given to q, v, auxiliary, by a method that there is memory for. `rates(time, a, auxiliary_rate)`
  /// evaluates the system at these.
  template <typename Rates>
  void run(const ModelT<S>& model, const RungeKuttaTableau& tableau, double time, double h, const VectorXT<S>& q_start,
           const VectorXT<S>& v_start, const VectorXT<S>& auxiliary_start, const Rates& rates) {
    const auto accumulate = [&](const std::vector<double>& weights) {
      theta_.setZero();
      v = v_start;
      auxiliary = auxiliary_start;
      for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0.0) continue;
        const S w(h * weights[j]);
        add(w, stages_[j].theta_rate, theta_);
        add(w, stages_[j].a, v);
        add(w, stages_[j].auxiliary_rate, auxiliary);
      }
      integrate<S>(model, q_start, theta_, q);
    };
    for (int i = 0; i < tableau.stages(); ++i) {
      accumulate(tableau.a[i]);
      Stage& stage = stages_[i];
      tangent_rate<S>(model, theta_, v, stage.theta_rate);
      rates(time + tableau.c[i] * h, stage.a, stage.auxiliary_rate);
    }
    accumulate(tableau.b);
  }

  VectorXT<S> q, v, auxiliary;                         ///< where the stage is; in the end the next state
  const VectorXT<S>& theta() const { return theta_; }  ///< from the step's start to there

 private:
  struct Stage {
    VectorXT<S> theta_rate, a, auxiliary_rate;
  };
  static void add(const S& weight, const VectorXT<S>& rate, VectorXT<S>& sum) {
    for (Eigen::Index k = 0; k < sum.size(); ++k) sum[k] += weight * rate[k];
  }

  std::vector<Stage> stages_;
  VectorXT<S> theta_;
};

}  // namespace cuttle
