#include "simulation/energy_control.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"

namespace cuttle {
namespace {

// The promise is 20 x relative tolerance x peak kinetic energy (docs/accuracy.md). The rest is for what the control
// sees too late, and for outputs between steps.
constexpr double k_budget = 6.0;
constexpr double k_rounding = 1e-13;  // of energies: smaller errors mean nothing

constexpr double k_first_factor = 0.1;  // before anything is measured: a stiff start spends all within a few steps
constexpr double k_least_factor = 1e-4;
constexpr double k_finest_tolerance = 3e-12;  // relative: below, methods chase rounding errors
constexpr double k_most_change = 3.0;         // of the factor, at once
constexpr double k_relaxation = 10.0;         // of the factor, where a step fails

// How far what was seen is carried, in times of what the run has lasted. With h of them errors that never cease spend a
// share of the budget that grows as 1 - (t0/t)^(1/h), half of it for h = 10 and a run 1000 times its first steps.
constexpr double k_horizon = 10.0;
// But at least so far [s]: the first steps of a stiff start foretell too little, and up to there it costs little.
constexpr double k_least_horizon = 30.0;

// Growth is measured over so many steps and so much of the run up to the horizon, to see through what comes and goes
// with oscillations; sooner if this much of the budget goes.
constexpr int k_window_steps = 20, k_least_steps = 5;
constexpr double k_window_time = 0.003, k_window_budget = 0.1;

}  // namespace

std::optional<EnergyBalance> finite_balance(System& system, double time, VectorInT<double> q, VectorInT<double> v,
                                            VectorInT<double> auxiliary) {
  try {
    const auto balance = system.energy_balance_at(time, q, v, auxiliary);
    if (balance && std::isfinite(balance->energy - balance->work)) return balance;
  } catch (const Error&) {
  }
  return std::nullopt;
}

EnergyControl::EnergyControl(System& system, double relative_tolerance)
    : system_(system),
      relative_tolerance_(relative_tolerance),
      finest_factor_(std::clamp(k_finest_tolerance / relative_tolerance, k_least_factor, 1.0)) {}

void EnergyControl::restart(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary) {
  const auto balance = finite_balance(system_, time, q, v, auxiliary);
  if (!balance) return;
  if (!begun_ || time < time_) {
    begun_ = true;
    begin_ = time;
    least_factor_ = finest_factor_;
    factor_ = std::max(k_first_factor, least_factor_);
    error_ = peak_kinetic_ = 0.0;
  }
  time_ = time;
  peak_kinetic_ = std::max(peak_kinetic_, balance->kinetic);
  reference_ = balance->energy - balance->work - error_;
  begin_window();
}

double EnergyControl::factor(double time, double end, VectorInT<double> q, VectorInT<double> v,
                             VectorInT<double> auxiliary) {
  if (!begun_ || !(time > time_)) return factor_;
  const auto& balance = last_ = finite_balance(system_, time, q, v, auxiliary);
  if (!balance) return factor_;
  time_ = time;
  error_ = balance->energy - balance->work - reference_;
  peak_kinetic_ = std::max(peak_kinetic_, balance->kinetic);
  ++window_steps_;

  const double budget = k_budget * relative_tolerance_ * peak_kinetic_ +
                        k_rounding * (std::abs(balance->energy) + std::abs(balance->work));
  const double growth = std::abs(error_ - window_error_), duration = time_ - window_begin_;
  const double lasted = time_ - begin_,
               ahead = std::clamp(end - time_, 0.0, std::max(k_horizon * lasted, k_least_horizon));
  const bool seen = window_steps_ >= k_window_steps && duration >= k_window_time * (lasted + ahead);
  const bool urgent = window_steps_ >= k_least_steps && growth > k_window_budget * budget;
  if (!seen && !urgent) return factor_;

  // what is left of the budget, spent evenly until the horizon; some is always left, or a run could not go on
  const double left = std::max(budget - std::abs(error_), 0.1 * budget);
  const double to_come = growth / duration * ahead;  // error at this pace
  const double change = to_come * k_most_change > left ? left / to_come : k_most_change;
  factor_ = std::clamp(factor_ * std::max(change, 1.0 / k_most_change), least_factor_, 1.0);
  begin_window();
  return factor_;
}

bool EnergyControl::relax() {
  if (!(factor_ < 1.0)) return false;
  least_factor_ = factor_ = std::min(k_relaxation * factor_, 1.0);
  return true;
}

}  // namespace cuttle
