// u = K_P e + K_D e' + K_I int e on the actuation coordinates of its inputs.
#include <algorithm>
#include <cmath>

#include "control/plant.h"
#include "cuttle/algorithms/actuation.h"

namespace cuttle {
namespace {

/// Part of the span of the limits, or of one limit, within which an integral comes to rest once the output is beyond.
constexpr double k_rounding = 0.01;

class Pid final : public OutputLaw {
 public:
  Pid(const Model& model, const ControlSettings& settings, const ControlPlaces& places)
      : plant_(model, places.inputs),
        places_(places),
        data_(model),
        reference_(settings.reference, places.input_count()),
        kp_(gain_matrix("kp", settings.kp, places.input_count())),
        kd_(gain_matrix("kd", settings.kd, places.input_count())),
        ki_(gain_matrix("ki", settings.ki, places.input_count())),
        integrates_(!ki_.isZero(0.0)) {
    const int m = places.input_count(), nv = model.nv();
    error_.resize(m), rate_error_.resize(m), free_.setOnes(m), wanted_.resize(m);
    y_by_q_.resize(m, nv), rate_by_q_.resize(m, nv), rate_by_v_.resize(m, nv);
  }

  int state_count() const override { return integrates_ ? places_.input_count() : 0; }

  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    read(at);
    out.noalias() = kp_ * error_;
    out.noalias() += kd_ * rate_error_;
    if (integrates_) out.noalias() += ki_ * at.state;
  }

  /// e, where no limit holds the output: beyond a limit it fades to zero, so that the rate does not jump.
  void rates(const ControlArguments& at, const OutputBounds& bounds, VectorOutT<double> rates) override {
    outputs(at, bounds, wanted_);
    for (Eigen::Index i = 0; i < wanted_.size(); ++i) {
      const double lower = bounds.lower[i], upper = bounds.upper[i];
      const double beyond = std::max({0.0, lower - wanted_[i], wanted_[i] - upper});
      const double span = std::isfinite(lower) && std::isfinite(upper) && upper > lower
                              ? upper - lower
                              : std::abs(wanted_[i] < lower ? lower : upper);
      const double width = std::max(k_rounding * span, 1e-12);
      free_[i] = beyond > 0.0 ? std::max(0.0, 1.0 - beyond / width) : 1.0;
      rates[i] = free_[i] * error_[i];
    }
  }

  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    plant_.read_slopes(at);
    y_by_q_ = plant_.A.transpose();
    rate_by_v_ = y_by_q_;
    rate_by_q_.setZero();
    if (plant_.bends()) {
      for (int j = 0; j < places_.input_count(); ++j) rate_by_q_.row(j).noalias() = at.v.transpose() * plant_.slopes[j];
    }
    by_q.noalias() = -kp_ * y_by_q_ - kd_ * rate_by_q_;
    by_v.noalias() = -kd_ * rate_by_v_;
    if (integrates_ && at.factor > 0.0) {
      // how far a limit holds an integral counts as given
      for (int j = 0; j < places_.input_count(); ++j) y_by_q_.row(j) *= free_[j];
      by_q.noalias() -= at.factor * ki_ * y_by_q_;
    }
    for (int k = 0; k < places_.input_count(); ++k) {
      const bool low = !(out[k] > bounds.lower[k]);
      if (!low && out[k] < bounds.upper[k]) continue;
      by_q.row(k).setZero(), by_v.row(k).setZero();
      if (!low || !bounds.lower_follows[k]) continue;
      by_q.row(k) = -before.by_q.row(places_.inputs[k]), by_v.row(k) = -before.by_v.row(places_.inputs[k]);
    }
  }

 private:
  void read(const ControlArguments& at) {
    plant_.read_inputs(at);
    const VectorXd& y = actuation_coordinates<double>(plant_.model(), data_, at.q);
    error_ = reference_.at(at.time);
    for (int i = 0; i < places_.input_count(); ++i) error_[i] -= y[places_.inputs[i]];
    rate_error_ = reference_.rate_at(at.time) - plant_.rate;
  }

  Plant plant_;
  ControlPlaces places_;
  Data data_;
  Reference reference_;
  MatrixXd kp_, kd_, ki_;
  bool integrates_;
  VectorXd error_, rate_error_, free_, wanted_;
  MatrixXd y_by_q_, rate_by_q_, rate_by_v_;
};

}  // namespace

std::shared_ptr<const Controller> make_pid(ControlSettings settings) {
  return framed_controller(
      "pid", std::move(settings), Controls::inputs,
      [](const Model& model, const ControlSettings& s, const ControlPlaces& places) -> std::unique_ptr<OutputLaw> {
        return std::make_unique<Pid>(model, s, places);
      });
}

}  // namespace cuttle
