#include "simulation/energy_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cuttle {
namespace {

constexpr double k_senseless = 10.0;  // times what can have come in; a robot is then three times too fast
// What is no reason, of the energies that come and go and by itself [J]: an equilibrium gives nothing to compare with.
constexpr double k_small_share = 1e-6, k_no_energy = 1e-9;

bool is_finite(const Sample& s) {
  const double numbers[] = {s.kinetic, s.gravity, s.elastic, s.elements, s.contact, s.dissipated, s.input, s.load};
  return s.q.allFinite() && s.v.allFinite() &&
         std::all_of(std::begin(numbers), std::end(numbers), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::string EnergyWatch::problem(const Sample& sample) {
  if (!is_finite(sample)) return "the state or its energies are no finite numbers any more";
  if (!balances_power_) return "";
  if (!begun_) {
    begun_ = true;
    start_energy_ = sample.energy(), start_gravity_ = sample.gravity;
    stored_ = sample.kinetic + std::abs(sample.elastic) + std::abs(sample.elements) + sample.contact;
  }
  given_ += std::max(sample.input - last_input_, 0.0) + std::max(sample.load - last_load_, 0.0);
  last_input_ = sample.input, last_load_ = sample.load;
  fallen_ = std::max(fallen_, start_gravity_ - sample.gravity);
  const double explained = stored_ + fallen_ + given_;
  const double surplus = sample.energy() - start_energy_ - (sample.input + sample.load - sample.dissipated);
  if (surplus > k_senseless * explained + k_small_share * largest_ + k_no_energy) {
    return fmt::format(
        "the computed motion has gained {:.3g} J that nothing supplied, more than {:g} times the {:.3g} J that the "
        "start, gravity, springs, inputs and loads can have given: take smaller steps or tolerances, or an implicit "
        "method as bdf",
        surplus, k_senseless, explained);
  }
  largest_ = std::max(
      {largest_, sample.kinetic, std::abs(sample.gravity), std::abs(sample.elastic), std::abs(sample.elements)});
  return "";
}

bool judge_energy(const Scenario& scenario, Outcome& outcome) {
  const auto [moved, name] = outcome.exchange.largest();
  const double limit = scenario.energy_error_limit * moved;
  if (!(outcome.energy_error > std::max(limit, outcome.energy_rounding()))) return false;
  const std::string part =
      moved > 0.0 ? fmt::format(", {:.3g} % of {} ({:.3g} J)", 100.0 * outcome.energy_error / moved, name, moved) : "";
  outcome.warnings.push_back(
      fmt::format("the energy balance is off by {:.3g} J{}, beyond energy_error_limit = {:g} %: take smaller steps or "
                  "tolerances before you trust the motion",
                  outcome.energy_error, part, 100.0 * scenario.energy_error_limit));
  return true;
}

}  // namespace cuttle
