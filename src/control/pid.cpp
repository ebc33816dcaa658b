// u = K_P e + K_D e' + K_I int e on the actuation coordinates of its inputs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "control/actuation_law.h"
#include "control/bounded_slopes.h"
#include "control/clocked_controller.h"

namespace cuttle {
namespace {

/// Part of the span of the limits, or of one limit, within which an integral comes to rest once the output is beyond.
constexpr double k_rounding = 0.01;

class Pid final : public ActuationLaw {
 public:
  Pid(const Model& model, const PidSettings& settings, const ControlPlaces& places)
      : ActuationLaw(model, settings, places),
        ki_(gain_matrix("ki", settings.ki, places.input_count())),
        integrates_(!ki_.isZero(0.0)) {
    const int m = places.input_count(), nv = model.nv();
    free_.setOnes(m), fade_.setZero(m), held_by_.assign(static_cast<std::size_t>(m), 0), wanted_.resize(m);
    of_state_q_.resize(m, nv), of_state_v_.resize(m, nv);
    y_by_q_.resize(m, nv), rate_by_q_.resize(m, nv);
  }

  int state_count() const override { return integrates_ ? places_.input_count() : 0; }

  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    read(at);
    out.noalias() = kp_ * error_;
    out.noalias() += kd_ * rate_error_;
    if (integrates_) out.noalias() += ki_ * at.state;
  }

  /// e, but an integral that would take an output further beyond its limit fades to rest there, so that its rate does
  /// not jump; one that brings it back goes on.
  void rates(const ControlArguments& at, const OutputBounds& bounds, VectorOutT<double> rates) override {
    outputs(at, bounds, wanted_);
    free_.setOnes(), fade_.setZero();
    for (Eigen::Index i = 0; i < wanted_.size(); ++i) {
      const double lower = bounds.lower[i], upper = bounds.upper[i];
      const double beyond = std::max({0.0, lower - wanted_[i], wanted_[i] - upper});
      const double span = std::isfinite(lower) && std::isfinite(upper) && upper > lower
                              ? upper - lower
                              : std::abs(wanted_[i] < lower ? lower : upper);
      const double width = std::max(k_rounding * span, 1e-12);
      const double part = beyond > 0.0 ? std::max(0.0, 1.0 - beyond / width) : 1.0;
      const double side = wanted_[i] > upper ? 1.0 : -1.0;
      for (Eigen::Index j = 0; part < 1.0 && j < error_.size(); ++j) {
        if (side * ki_(i, j) * error_[j] <= 0.0 || part >= free_[j]) continue;
        free_[j] = part, fade_[j] = part > 0.0 ? -side / width : 0.0;
        held_by_[static_cast<std::size_t>(j)] = i;
      }
    }
    rates = free_.cwiseProduct(error_);
  }

  void rate_slopes(const ControlArguments& at, const OutputBounds& bounds, MatrixXd& by_q, MatrixXd& by_v) override {
    VectorXd found(state_count());
    rates(at, bounds, found);
    read_slopes(at);
    read_rate_slopes();
    by_q = of_state_q_, by_v = of_state_v_;
  }

  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    read_slopes(at);
    by_q.noalias() = -kp_ * y_by_q_ - kd_ * rate_by_q_;
    by_v.noalias() = -kd_ * y_by_q_;
    if (integrates_ && at.factor > 0.0) {  // integrals are offset + factor rate, with the rates that were found last
      read_rate_slopes();
      by_q.noalias() += at.factor * ki_ * of_state_q_;
      by_v.noalias() += at.factor * ki_ * of_state_v_;
    }
    hold_slopes(places_, bounds, out, before.by_q, by_q);
    hold_slopes(places_, bounds, out, before.by_v, by_v);
  }

  void describe(ControlColumns& columns) const override {
    ActuationLaw::describe(columns);
    if (!integrates_) return;
    for (const CoordinateInfo& y : columns.error)
      columns.state.push_back({y.name, y.unit.empty() ? "s" : y.unit + " s"});
  }

 private:
  void read(const ControlArguments& at) {
    plant_.read_inputs(at);
    read_errors(at);
  }
  /// How the coordinates and their rates follow the motion.
  void read_slopes(const ControlArguments& at) {
    plant_.read_slopes(at);
    y_by_q_ = plant_.A.transpose();
    rate_by_q_.setZero();
    if (!plant_.bends()) return;
    for (int j = 0; j < places_.input_count(); ++j) rate_by_q_.row(j).noalias() = at.v.transpose() * plant_.slopes[j];
  }
  /// How the rates that were found last follow the motion, after read_slopes.
  void read_rate_slopes() {
    of_state_q_.noalias() = -(free_.asDiagonal() * y_by_q_);
    of_state_v_.setZero();
    for (Eigen::Index j = 0; j < fade_.size(); ++j) {
      if (fade_[j] == 0.0) continue;
      const Eigen::Index i = held_by_[static_cast<std::size_t>(j)];
      const double by_wanted = fade_[j] * error_[j];
      of_state_q_.row(j).noalias() -= by_wanted * (kp_.row(i) * y_by_q_ + kd_.row(i) * rate_by_q_);
      of_state_v_.row(j).noalias() -= by_wanted * (kd_.row(i) * y_by_q_);
    }
  }

  MatrixXd ki_;
  bool integrates_;
  VectorXd free_, fade_;               ///< part of its rate that an integral keeps, and its slope by that output
  std::vector<Eigen::Index> held_by_;  ///< output that holds an integral
  VectorXd wanted_;
  MatrixXd y_by_q_, rate_by_q_, of_state_q_, of_state_v_;
};

LawT<PidSettings> pid() {
  return {
      .type = "pid",
      .about = "u = K_P e + K_D e' + K_I int e on the actuation coordinates of its inputs.",
      .example =
          "{name: servo, type: pid, inputs: [motor], reference: [{type: step, time: 1, after: 0.4}], kp: 20, kd: 2, "
          "ki: 5, limits: {lower: -3, upper: 3}}",
      .describe =
          [](PidSettings& settings, SettingVisitor& visitor) {
            visitor.inputs(settings.inputs);
            describe_feedback(settings, visitor);
            visitor.gain("ki", settings.ki,
                         "K_I, of its integral since the window began, likewise; "
                         "integrals stop while a limit holds the output.");
          },
      .bind = bind_law<Pid, PidSettings>};
}

}  // namespace

std::shared_ptr<const Controller> make_pid(PidSettings settings) {
  return clocked_controller(pid(), std::move(settings));
}

LibraryLaw pid_law() { return library_law(pid(), make_pid); }

}  // namespace cuttle
