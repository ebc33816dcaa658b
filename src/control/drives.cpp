#include "control/drives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/element_slopes.h"
#include "control/bounded_slopes.h"
#include "control/motion_differences.h"
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

EffortArgumentsT<double> Drives::at(int k, const double* u) const {
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

double Drives::slope(int k, double u) {
  if (!has_law(k)) return 1.0;
  double slopes[3];  // by y, its rate, u
  laws_[static_cast<std::size_t>(k)]->law->derivatives(at(k, &u), slopes);
  return slopes[2];
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
      : places_(std::move(places)), law_(std::move(law)), drives_(std::move(drives)), differences_(model) {
    const int m = places_.input_count();
    for (VectorXd* x : {&before_, &bounds_.lower, &bounds_.upper, &efforts_}) x->setZero(m);
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
    differences_(
        at, before, [&](const ControlArguments& near, VectorXd& value) { outputs(near, bounds, value); }, by_q, by_v);
    hold_slopes(places_, bounds, out, before.by_q, by_q);
    hold_slopes(places_, bounds, out, before.by_v, by_v);
  }
  int state_count() const override { return law_->state_count(); }
  void rates(const ControlArguments& at, const OutputBounds& bounds, VectorOutT<double> rates) override {
    bound(at, bounds);
    law_->rates(at, bounds_, rates);
  }
  void start(VectorOutT<double> state) const override { law_->start(state); }
  void project(VectorOutT<double> state) const override { law_->project(state); }
  void describe(ControlColumns& columns) const override { law_->describe(columns); }
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override {
    law_->observe(at, reference, error);
  }

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

  ControlPlaces places_;
  std::unique_ptr<OutputLaw> law_;
  Drives drives_;
  MotionDifferences differences_;
  OutputBounds bounds_;
  VectorXd before_, efforts_;
};

}  // namespace

std::unique_ptr<OutputLaw> through_drives(const Model& model, const ControlPlaces& places,
                                          std::unique_ptr<OutputLaw> law) {
  Drives drives(model, places.inputs);
  if (!drives.any()) return law;
  return std::make_unique<DrivenLaw>(model, places, std::move(law), std::move(drives));
}

}  // namespace cuttle
