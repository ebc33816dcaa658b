#pragma once

#include <algorithm>
#include <cmath>

#include "cuttle/model/model.h"

// Slopes, by differences, of functions that may bend close by, as where a limit begins to hold.

namespace cuttle {

/// Steps of the second and third difference, in those of the first.
inline constexpr double k_near_step = 1e-2, k_nearest_step = 1e-4;

/// Which of three differences of one slope counts: that of order six by large steps, unless the function bends within
/// them; then one of those by shorter steps. @param noise  error of the second one.
inline double slope_that_counts(double far, double near, double nearest, double noise) {
  constexpr double k_same = 1e-5, k_alike = 1e-3;
  const double size = std::max(std::abs(far), std::abs(near));
  const double apart = std::abs(far - near), nearer_apart = std::abs(near - nearest);
  // the error of a function that is solved for grows with shorter steps, what is due to a bend does not
  if (apart <= k_same * size + noise || (apart <= k_alike * size && apart <= nearer_apart)) return far;
  return nearer_apart <= k_alike * size ? near : nearest;
}
/// Error of a central difference of what a law has solved for.
inline double noise_of_slope(double value, double step) {
  constexpr double k_solved_to = 1e-11;
  return k_solved_to * std::abs(value) / step;
}

/// The slope at 0. @param f  a vector of how far it is moved.
template <typename F>
VectorXd slope_beside_bends(double step, const F& f) {
  VectorXd value;
  const auto across = [&](double by) {
    const VectorXd ahead = f(by);
    value = f(-by);
    return VectorXd(ahead - value);
  };
  VectorXd far = (0.75 * across(step) - 0.15 * across(2.0 * step) + across(3.0 * step) / 60.0) / step;
  const double near_step = k_near_step * step, nearest_step = k_nearest_step * step;
  const VectorXd near = across(near_step) / (2.0 * near_step);
  const auto noise = [&](Eigen::Index i) { return noise_of_slope(value[i], near_step); };
  bool bends = false;
  for (Eigen::Index i = 0; i < far.size(); ++i) {
    bends = bends || slope_that_counts(far[i], near[i], near[i], noise(i)) != far[i];
  }
  if (!bends) return far;
  const VectorXd nearest = across(nearest_step) / (2.0 * nearest_step);
  for (Eigen::Index i = 0; i < far.size(); ++i) far[i] = slope_that_counts(far[i], near[i], nearest[i], noise(i));
  return far;
}

}  // namespace cuttle
