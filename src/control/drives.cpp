#include "control/drives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/element_slopes.h"
#include "control/bounded_slopes.h"
#include "cuttle/error.h"

namespace cuttle {

Drives::Drives(const Model& model, const std::vector<int>& inputs)
    : model_(model), data_(model), elements_(model), laws_(inputs.size(), nullptr) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (const auto& element : model.elements()) {
      const int count = element.law->input_count();
      if (!element.drives || inputs[k] < element.input || inputs[k] >= element.input + count) continue;
      const double effort = 0.0;
      double input = 0.0;
      laws_[k] = &element, any_ = true;
      if (count == 1 && element.state_count == 0 &&
          element.law->inputs_for(at(static_cast<int>(k), &input), &effort, &input)) {
        continue;
      }
      throw ArgumentError(Diagnostic({"inputs", k}, described(element) + ", whose efforts do not say its input",
                                     "actuators that a law that solves for efforts can drive"));
    }
  }
}

EffortArgumentsT<double> Drives::at(int k, const double* u) {
  EffortArgumentsT<double> arguments = arguments_of<double>(*laws_[static_cast<std::size_t>(k)], time_, u, elements_);
  arguments.input = u;
  return arguments;
}

void Drives::read(double time, const VectorXd& q, const VectorXd& v) {
  time_ = time;
  if (any_) element_motion<double>(model_, data_, q, v, elements_);
}

double Drives::effort(int k, double u) {
  if (!has_law(k)) return u;
  double effort = 0.0;
  laws_[static_cast<std::size_t>(k)]->law->evaluate(at(k, &u), &effort, nullptr);
  return effort;
}

Drives::Slopes Drives::slopes(int k, double u) {
  if (!has_law(k)) return {0.0, 0.0, 1.0};
  double slopes[3];
  laws_[static_cast<std::size_t>(k)]->law->derivatives(at(k, &u), slopes);
  return {slopes[0], slopes[1], slopes[2]};
}

Drives::InverseSlopes Drives::inverse_slopes(int k, double effort) {
  constexpr double k_least = 1e-12, k_grow = 1e3;  // [N]
  Slopes of_law = slopes(k, input_for(k, effort));
  for (double more = k_least; of_law.by_input == 0.0 && more < 1.0; more *= k_grow) {
    of_law = slopes(k, input_for(k, std::max(effort, 0.0) + more));
  }
  return {-of_law.by_y / of_law.by_input, -of_law.by_rate / of_law.by_input, 1.0 / of_law.by_input};
}

double Drives::input_for(int k, double effort) {
  if (!has_law(k)) return effort;
  double u = 0.0;
  laws_[static_cast<std::size_t>(k)]->law->inputs_for(at(k, &u), &effort, &u);
  return u;
}

namespace {

class DrivenLaw final : public OutputLaw {
 public:
  DrivenLaw(const Model& model, ControlPlaces places, std::unique_ptr<OutputLaw> law, Drives drives)
      : model_(model), places_(std::move(places)), law_(std::move(law)), drives_(std::move(drives)) {
    const int m = places_.input_count(), nv = model.nv();
    for (VectorXd* x : {&before_, &bounds_.lower, &bounds_.upper, &efforts_}) x->setZero(m);
    for (Followed* x : {&by_q_, &by_v_}) {
      for (MatrixXd* rows : {&x->y, &x->rate, &x->before, &x->lower, &x->upper}) rows->setZero(m, nv);
    }
    bounds_.lower_follows.assign(static_cast<std::size_t>(m), false);
  }

  void outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) override {
    bound(at, bounds);
    law_->outputs(at, bounds_, efforts_);
    // what does not respect its bounds is for whoever asked to clip, but no tendon has an input that makes it push
    for (int k = 0; k < places_.input_count(); ++k) {
      out[k] =
          drives_.has_law(k) ? drives_.input_for(k, before_[k] + efforts_[k]) - at.u[places_.inputs[k]] : efforts_[k];
    }
  }
  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    read_motion_slopes(at);
    follow(at, bounds, before.by_q, by_q_);
    follow(at, bounds, before.by_v, by_v_);
    law_->derivatives(
        at, bounds_, efforts_,
        {{before.by_q.inputs, &by_q_.lower, &by_q_.upper}, {before.by_v.inputs, &by_v_.lower, &by_v_.upper}}, by_q,
        by_v);
    wind(before.by_q, by_q_, by_q);
    wind(before.by_v, by_v_, by_v);
    hold_slopes(places_, bounds, out, before.by_q, by_q);
    hold_slopes(places_, bounds, out, before.by_v, by_v);
  }
  int state_count() const override { return law_->state_count(); }
  void rates(const ControlArguments& at, const OutputBounds& bounds, VectorOutT<double> rates) override {
    bound(at, bounds);
    law_->rates(at, bounds_, rates);
  }
  void rate_slopes(const ControlArguments& at, const OutputBounds& bounds, MatrixXd& by_q, MatrixXd& by_v) override {
    bound(at, bounds);
    law_->rate_slopes(at, bounds_, by_q, by_v);
  }
  void start(VectorOutT<double> state) const override { law_->start(state); }
  void project(VectorOutT<double> state) const override { law_->project(state); }
  void describe(ControlColumns& columns) const override { law_->describe(columns); }
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override {
    law_->observe(at, reference, error);
  }
  std::optional<double> allocation_residual() const override { return law_->allocation_residual(); }
  Reference* reference() override { return law_->reference(); }

 private:
  /// Efforts before the law, and bounds of what it adds to them.
  void bound(const ControlArguments& at, const OutputBounds& bounds) {
    drives_.read(at.time, at.q, at.v);
    bounds_ = bounds;
    constexpr double k_unbounded = std::numeric_limits<double>::infinity();
    for (int k = 0; k < places_.input_count(); ++k) {
      if (!drives_.has_law(k)) continue;
      const double u = at.u[places_.inputs[k]];
      before_[k] = drives_.effort(k, u);
      // without a bound of its own: no effort at all, the least that a tendon has
      const bool low = std::isfinite(bounds.lower[k]), high = std::isfinite(bounds.upper[k]);
      bounds_.lower[k] = low ? drives_.effort(k, u + bounds.lower[k]) - before_[k] : -before_[k];
      bounds_.upper[k] = high ? drives_.effort(k, u + bounds.upper[k]) - before_[k] : k_unbounded;
      bounds_.lower_follows[static_cast<std::size_t>(k)] = !low;
    }
  }

  /// How all that the law's efforts are made of follows the motion, by q or by v: an input a row.
  struct Followed {
    MatrixXd y, rate;               ///< actuation coordinates
    MatrixXd before, lower, upper;  ///< efforts before the law, and bounds_
  };

  void read_motion_slopes(const ControlArguments& at) {
    if (!derivatives_) derivatives_.emplace(model_);
    for (int k = 0; k < places_.input_count(); ++k) {
      if (!drives_.has_law(k)) continue;
      by_q_.y.row(k) = drives_.column(k).transpose();
      by_v_.rate.row(k) = by_q_.y.row(k);
      bend_.setZero(model_.nv(), model_.nv());
      transmission_slopes(model_, TransmissionSet::elements, *derivatives_, at.q, {{drives_.transmission(k), &bend_}});
      by_q_.rate.row(k).noalias() = at.v.transpose() * bend_;
    }
  }

  /// An effort at u, which changes by the row `of_input`, along the motion.
  template <typename Row>
  void effort_slope(int k, double u, const Row& of_input, Followed& x, MatrixXd& rows) {
    const Drives::Slopes of_law = drives_.slopes(k, u);
    rows.row(k) = of_law.by_y * x.y.row(k) + of_law.by_rate * x.rate.row(k) + of_law.by_input * of_input;
  }

  void follow(const ControlArguments& at, const OutputBounds& bounds, const GivenSlopes& before, Followed& x) {
    for (int k = 0; k < places_.input_count(); ++k) {
      if (!drives_.has_law(k)) {
        bound_slope(places_, bounds, k, true, before, x.lower.row(k));
        bound_slope(places_, bounds, k, false, before, x.upper.row(k));
        continue;
      }
      const double u = at.u[places_.inputs[k]];
      const auto of_input = before.inputs.row(places_.inputs[k]);
      effort_slope(k, u, of_input, x, x.before);
      for (const bool low : {true, false}) {
        const double bound = low ? bounds.lower[k] : bounds.upper[k];
        MatrixXd& rows = low ? x.lower : x.upper;
        rows.row(k).setZero();
        if (std::isfinite(bound)) {
          bound_slope(places_, bounds, k, low, before, rows.row(k));
          effort_slope(k, u + bound, (of_input + rows.row(k)).eval(), x, rows);
        }
        if (low || std::isfinite(bound)) rows.row(k) -= x.before.row(k);
      }
    }
  }

  /// From rows of efforts to those of inputs.
  void wind(const GivenSlopes& before, const Followed& x, MatrixXd& rows) {
    for (int k = 0; k < places_.input_count(); ++k) {
      if (!drives_.has_law(k)) continue;
      const Drives::InverseSlopes inverse = drives_.inverse_slopes(k, before_[k] + efforts_[k]);
      rows.row(k) = inverse.by_effort * (x.before.row(k) + rows.row(k)) + inverse.by_y * x.y.row(k) +
                    inverse.by_rate * x.rate.row(k) - before.inputs.row(places_.inputs[k]);
    }
  }

  const Model& model_;
  ControlPlaces places_;
  std::unique_ptr<OutputLaw> law_;
  Drives drives_;
  OutputBounds bounds_;
  VectorXd before_, efforts_;
  std::optional<DerivativeData> derivatives_;
  Followed by_q_, by_v_;
  MatrixXd bend_;
};

}  // namespace

std::unique_ptr<OutputLaw> through_drives(const Model& model, const ControlPlaces& places,
                                          std::unique_ptr<OutputLaw> law) {
  Drives drives(model, places.inputs);
  if (!drives.any()) return law;
  return std::make_unique<DrivenLaw>(model, places, std::move(law), std::move(drives));
}

}  // namespace cuttle
