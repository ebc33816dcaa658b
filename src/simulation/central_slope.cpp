#include "simulation/central_slope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace cuttle {
namespace {

constexpr int k_levels = 8;        ///< steps of a table, each half of the one before
constexpr double k_larger = 64.0;  ///< by which a table begins anew where noise was too large
/// Errors of second order are a quarter where steps are half as long, of smooth functions. Noise doubles.
constexpr double k_falls_least = 0.1, k_falls_most = 0.45;
/// Of them: an entry of whatever order is not believed to be nearer. Of many that noise made two agree by chance.
constexpr double k_believed = 0.03;

}  // namespace

CentralSlope central_slope(const std::function<VectorXd(double)>& function, double step, double tolerance,
                           const std::function<double(const VectorXd& error, const VectorXd& slope)>& measure) {
  CentralSlope best;
  best.error = std::numeric_limits<double>::infinity();
  for (const double first : {step, k_larger * step}) {
    double of_first_steps = 0.0, of_last_steps = 0.0;  // errors of second order
    std::vector<VectorXd> before, now;                 // of one step, by rising order
    double h = first;
    for (int level = 0; level < k_levels; ++level, h *= 0.5) {
      now.assign(1, (function(h) - function(-h)) / (2.0 * h));
      best.evaluations += 2;
      bool is_smooth = false;
      for (std::size_t order = 1; order <= before.size(); ++order) {
        const VectorXd &fine = now[order - 1], &coarse = before[order - 1];
        VectorXd found = fine + (fine - coarse) / (std::pow(4.0, static_cast<double>(order)) - 1.0);
        double error = std::max(measure(found - fine, found), measure(found - coarse, found));
        if (order == 1) {
          const bool is_small = std::max(error, of_last_steps) <= tolerance;
          const bool is_quartered = error >= k_falls_least * of_last_steps && error <= k_falls_most * of_last_steps;
          is_smooth = level > 1 && (is_small || is_quartered);
          if (level == 1) of_first_steps = error;
          of_last_steps = error;
        }
        error = std::max(error, k_believed * of_last_steps);
        if (is_smooth && error < best.error) best.error = error, best.slope = found;
        now.push_back(std::move(found));
      }
      if (best.error <= tolerance) return best;
      before = now;
    }
    if (of_last_steps < of_first_steps) break;
  }
  return best;
}

}  // namespace cuttle
