#include "cuttle/simulation/runge_kutta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cuttle/error.h"
#include "simulation/bristle_watch.h"
#include "simulation/diagnosis.h"
#include "simulation/integrators.h"
#include "simulation/runge_kutta_step.h"
#include "simulation/stable_step.h"

namespace cuttle {
namespace {

constexpr int k_most_looks = 16;  // at how long steps may be, of a run: each is many evaluations

/// Explicit Runge-Kutta method with fixed steps. Steps between two targets are equal, not longer than asked.
class RungeKutta final : public Integrator, public StepWarnings {
 public:
  RungeKutta(System& system, const RungeKuttaTableau& tableau, double step)
      : Integrator(system),
        model_(system.model()),
        tableau_(tableau),
        length_(step),
        step_(model_, system.auxiliary_count()) {
    step_.reserve(tableau.stages());
  }

  void restart(const State& state) override { state_ = state; }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all = warnings_;
    if (const auto found = bristles_ ? bristles_->warning() : std::nullopt) all.push_back(*found);
    return all;
  }

  void advance(double target, double /*limit*/) override {
    for_equal_steps(state_.time, target, length_, [this](double h, double next) {
      try {
        const auto longest = [this] { return system_.longest_step(state_.time, state_.q, state_.v); };
        for_safe_parts(state_.time, h, next, longest, [this](double part, double end) { step(part, end); });
      } catch (const SimulationError&) {
        throw;
      } catch (const Error& error) {
        fail_at(state_, state_.time, error.what());
      }
    });
  }

 private:
  void step(double h, double next) {
    try {
      step_.run(model_, tableau_, state_.time, h, state_.q, state_.v, state_.auxiliary,
                [this](double time, VectorXd& a, VectorXd& auxiliary_rate) {
                  ++statistics_.evaluations;
                  system_.rates(time, step_.q, step_.v, step_.auxiliary, a, auxiliary_rate);
                });
      system_.impose(next, step_.q, step_.v);
      require_finite(model_, step_.q, step_.v);
      const std::string trouble = system_.trouble_at(next, step_.q, step_.v);
      if (!trouble.empty()) throw SimulationError(trouble);
    } catch (const Error& error) {
      if (!(h > stable_)) look(h);
      fail_at(state_, state_.time, error.what() + advice());
    }
    state_.time = next;
    state_.q = step_.q;
    state_.v = step_.v;
    state_.auxiliary = step_.auxiliary;
    ++statistics_.steps;
    tell_energies();
    if (model_.site_laws().empty()) return;
    watch_bristles(h);
    if (system_.touching() == touching_ || statistics_.steps < next_look_) return;
    touching_ = system_.touching();
    if (touching_ != 0 && looks_ < k_most_looks) look(h);
  }

  void watch_bristles(double h) {
    if (system_.touching() == 0) return;
    if (!bristles_) bristles_.emplace(model_, stable_length(tableau_, -1.0, 0.0));
    bristles_->look(h, state_);
  }

  /// Where it touches now: how long may steps be? Warns once.
  void look(double h) {
    if (model_.site_laws().empty()) return;
    ++looks_, next_look_ = statistics_.steps + (64L << std::min(looks_, k_most_looks));
    if (const auto found = stable_step(system_, tableau_, state_)) stable_ = std::min(stable_, *found);
    if (!(h > stable_) || !warnings_.empty()) return;
    warnings_.push_back(fmt::format(
        "t = {:.9g} s: steps of {:.3g} s are too long for the stiffness of contacts: what vibrates on them grows in "
        "steps above {:.3g} s: take shorter ones, an implicit method as generalized_alpha, or a smaller modulus",
        state_.time, h, stable_));
  }
  std::string advice() const {
    if (length_ > stable_) {
      return fmt::format(
          "; steps of {:.3g} s are unstable where it touches: take steps below {:.2g} s, or an implicit method",
          length_, stable_);
    }
    if (system_.touching() == 0) return "";
    return fmt::format(
        "; bristles of contacts may overshoot in steps of {:.3g} s: take shorter ones, or an implicit method", length_);
  }

  const Model& model_;
  RungeKuttaTableau tableau_;
  double stable_ = std::numeric_limits<double>::infinity();  // longest step that is, where it touched [s]
  std::vector<std::string> warnings_;
  std::optional<BristleWatch> bristles_;  // none: nothing has touched
  unsigned long touching_ = 0;
  int looks_ = 0;
  long next_look_ = 0;
  double length_;
  RungeKuttaStepT<double> step_;
};

/// What a program gives as its own.
class RungeKuttaMethod final : public IntegratorMethod {
 public:
  RungeKuttaMethod(std::string type_name, RungeKuttaTableau tableau, double step)
      : type_name_(std::move(type_name)), tableau_(std::move(tableau)), step_(step) {}

  std::string type_name() const override { return type_name_; }
  std::unique_ptr<Integrator> make(System& system) const override { return make_runge_kutta(system, tableau_, step_); }
  std::optional<double> step() const override { return step_; }
  bool is_explicit() const override { return true; }
  const RungeKuttaTableau* tableau() const override { return &tableau_; }

 private:
  std::string type_name_;
  RungeKuttaTableau tableau_;
  double step_;
};

}  // namespace

void RungeKuttaTableau::check() const {
  const auto require = [](bool good, KeyPath place, const std::string& found, const std::string& expected) {
    if (!good) throw ArgumentError(std::move(place), found, expected);
  };
  constexpr double k_tolerance = 1e-12;  // of published coefficients of 16 digits, some of them above 10
  const std::size_t n = b.size();
  const auto count = [](std::size_t size) { return fmt::format("{} numbers", size); };
  require(n > 0, {"tableau", "b"}, "nothing", "a number for each stage");
  require(c.size() == n, {"tableau", "c"}, count(c.size()), fmt::format("{}, as many as b has", n));
  require(a.size() == n, {"tableau", "a"}, fmt::format("{} rows", a.size()), fmt::format("{}, as many as b has", n));
  for (std::size_t i = 0; i < n; ++i) {
    require(a[i].size() == i, {"tableau", "a", i}, count(a[i].size()),
            fmt::format("{}: an explicit method has those left of the diagonal", i));
    const double sum = std::accumulate(a[i].begin(), a[i].end(), 0.0);
    require(std::abs(sum - c[i]) <= k_tolerance, {"tableau", "c", i}, fmt::format("{:.15g}", c[i]),
            fmt::format("{:.15g}, the sum of row {} of a", sum, i));
  }
  const double sum = std::accumulate(b.begin(), b.end(), 0.0);
  require(std::abs(sum - 1.0) <= k_tolerance, {"tableau", "b"}, fmt::format("a sum of {:.15g}", sum), "a sum of 1");
}

std::shared_ptr<const IntegratorMethod> runge_kutta_method(const std::string& type_name, RungeKuttaTableau tableau,
                                                           double step) {
  tableau.check();
  require_step("step", step);
  return std::make_shared<const RungeKuttaMethod>(type_name, std::move(tableau), step);
}

std::unique_ptr<Integrator> make_runge_kutta(System& system, const RungeKuttaTableau& tableau, double step) {
  return std::make_unique<RungeKutta>(system, tableau, step);
}

}  // namespace cuttle
