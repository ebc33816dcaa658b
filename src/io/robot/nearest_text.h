#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cuttle {

/// Steps to the neighbors of a point of a grid, up to three along each axis, nearest first.
template <std::size_t N>
std::vector<std::array<int, N>> nearest_steps() {
  constexpr int k_reach = 3, k_width = 2 * k_reach + 1;
  int count = 1;
  for (std::size_t k = 0; k < N; ++k) count *= k_width;
  std::vector<std::array<int, N>> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    for (int k = 0, rest = i; k < static_cast<int>(N); ++k, rest /= k_width) all[i][k] = rest % k_width - k_reach;
  }
  const auto square = [](const std::array<int, N>& steps) {
    int sum = 0;
    for (const int step : steps) sum += step * step;
    return sum;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return square(a) < square(b); });
  return all;
}

/// Numbers near some others, all multiples of 2^-53, for which an error is least: of what reading makes of a file, so
/// that rounding on both ways does not add up. Being on a grid they are found again from what was read; of several the
/// nearest, which lies within reach then too.
/// @param middle  numbers of at most 1.
/// @param error   of a list of numbers, >= 0.
template <std::size_t N, typename Error>
std::array<double, N> nearest_on_grid(const std::array<double, N>& middle, const Error& error) {
  static const std::vector<std::array<int, N>> k_steps = nearest_steps<N>();
  std::array<double, N> center, nearest;
  for (std::size_t k = 0; k < N; ++k) center[k] = nearest[k] = std::round(middle[k] * 0x1p53) * 0x1p-53;
  double least = error(nearest);
  for (const std::array<int, N>& steps : k_steps) {
    if (least == 0.0) break;
    std::array<double, N> candidate = center;
    for (std::size_t k = 0; k < N; ++k) candidate[k] += steps[k] * 0x1p-53;
    const double other = error(candidate);
    if (other < least) nearest = candidate, least = other;
  }
  return nearest;
}

}  // namespace cuttle
