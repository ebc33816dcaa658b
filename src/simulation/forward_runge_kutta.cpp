#include <fmt/format.h>

#include <cmath>

#include "algorithms/forward_numbers.h"
#include "cuttle/error.h"
#include "simulation/diagnosis.h"
#include "simulation/forward_integrator.h"
#include "simulation/runge_kutta_step.h"
#include "simulation/touch_downs.h"

namespace cuttle {
namespace {

/// The map of an explicit Runge-Kutta method, in arithmetic with derivatives.
class ForwardRungeKutta final : public ForwardIntegrator {
 public:
  ForwardRungeKutta(ForwardSystem& system, RungeKuttaTableau tableau, double step)
      : ForwardIntegrator(system),
        tableau_(std::move(tableau)),
        length_(step),
        touches_(system.plain().model()),
        step_(system.model(), system.auxiliary_count()) {
    step_.reserve(tableau_.stages());
  }

  void begin(const ForwardState& start, double /*end*/) override {
    state_ = start;
    touches_.begin(start.time, values_of(start.q), values_of(start.v));
  }
  void go_on() override {}
  void advance(double target, double /*limit*/) override {
    for_equal_steps(state_.time, target, length_, [this](double h, double next) {
      const auto longest = [this] {
        return system_.plain().longest_step(state_.time, values_of(state_.q), values_of(state_.v));
      };
      for_safe_parts(state_.time, h, next, longest, [this](double part, double end) { step(part, end); });
    });
  }

 private:
  void step(double h, double next) {
    step_.run(system_.model(), tableau_, state_.time, h, state_.q, state_.v, state_.auxiliary,
              [this](double time, VectorXT<ForwardDual>& a, VectorXT<ForwardDual>& auxiliary_rate) {
                system_.rates(time, step_.q, step_.v, step_.auxiliary, a, auxiliary_rate);
              });
    system_.impose(next, step_.q, step_.v);
    require_not_through(system_.plain(), {state_.time, values_of(state_.q), values_of(state_.v), {}, {}}, next,
                        values_of(step_.q), values_of(step_.v));
    if (touches_.watches()) {
      follow_touch_downs(next);
      require_useful(next);
    }
    state_.time = next, state_.q = step_.q, state_.v = step_.v, state_.auxiliary = step_.auxiliary;
  }

  /// Bristles of sites that have touched down in the step begin anew.
  void follow_touch_downs(double next) {
    const std::vector<TouchDown>& found = touches_.see(next, values_of(step_.q), values_of(step_.v));
    if (found.empty()) return;
    VectorXT<ForwardDual> a(step_.v.size()), rate(step_.auxiliary.size());
    system_.rates(next, step_.q, step_.v, step_.auxiliary, a, rate);
    auto states = system_.layout().sites_of(step_.auxiliary);
    for_each_begun(*system_.sites(), found, next,
                   [&](int i, const ForwardDual& begun) { states[i] = with_value(begun, states[i]); });
  }

  /// A stage just before what slides lifts off has a bristle that shrinks without limit: values forget it, derivatives
  /// of the method's map do not.
  void require_useful(double time) const {
    for (std::size_t k = 0; k < system_.scales().size(); ++k) {
      for (Eigen::Index i = 0; i < step_.v.size(); ++i) {
        const double change = step_.v[i].derivative[k] * system_.scales()[k];
        if (std::abs(change) < k_useless * (1.0 + std::abs(step_.v[i].value))) continue;
        throw SimulationError(fmt::format(
            "at t = {:.9g} s: found derivatives that have grown to {:.2g} times the velocity, expected a method whose "
            "stages follow what lifts off while it slides: an implicit one, as generalized_alpha",
            time, std::abs(change) / (1.0 + std::abs(step_.v[i].value))));
      }
    }
  }
  static constexpr double k_useless = 1e7;  ///< of a velocity, by a change of a number by itself

  RungeKuttaTableau tableau_;
  double length_;
  TouchWatch touches_;
  RungeKuttaStepT<ForwardDual> step_;
};

}  // namespace

std::unique_ptr<ForwardIntegrator> make_forward_runge_kutta(ForwardSystem& system, const RungeKuttaTableau& tableau,
                                                            double step) {
  return std::make_unique<ForwardRungeKutta>(system, tableau, step);
}

}  // namespace cuttle
