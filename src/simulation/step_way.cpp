#include "simulation/step_way.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace cuttle {
namespace {

constexpr double k_same_way = 0.25;  // of velocities: what may cross was judged with half of that left
constexpr std::size_t k_most_units = 4;

bool meets_what_has_another_side(const Model& model) {
  return std::any_of(model.site_laws().begin(), model.site_laws().end(), [](const auto& law) {
    for (std::size_t i = 0; i < law->sites().size(); ++i) {
      if (!law->is_endless(static_cast<int>(i))) return true;
    }
    return false;
  });
}

}  // namespace

StepWay::StepWay(const Model& model)
    : model_(model), meets_thin_(meets_what_has_another_side(model)), mean_(model.nv()) {
  std::vector<std::string> units;
  for (const CoordinateInfo& info : model.velocity_info()) {
    const auto unit = std::find(units.begin(), units.end(), info.unit);
    unit_of_.push_back(static_cast<std::size_t>(unit - units.begin()));
    if (unit == units.end()) units.push_back(info.unit);
  }
}

double StepWay::longest_along(ImplicitSystem& system, const State& start, const VectorXd& end_q, double h) {
  if (!meets_thin_) return std::numeric_limits<double>::infinity();
  difference<double>(model_, start.q, end_q, mean_);
  mean_ *= 1.0 / h;
  if (goes_on(mean_, start.v)) return std::numeric_limits<double>::infinity();
  return system.longest_step(start.time, start.q, mean_);
}

bool StepWay::goes_on(const VectorXd& v, const VectorXd& before) const {
  std::array<double, k_most_units> fastest{}, change{};
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const std::size_t unit = unit_of_[static_cast<std::size_t>(i)];
    if (unit >= k_most_units) return false;
    fastest[unit] = std::max(fastest[unit], std::abs(before[i]));
    change[unit] = std::max(change[unit], std::abs(v[i] - before[i]));
  }
  for (std::size_t unit = 0; unit < k_most_units; ++unit) {
    if (!(change[unit] <= k_same_way * fastest[unit])) return false;
  }
  return true;
}

}  // namespace cuttle
