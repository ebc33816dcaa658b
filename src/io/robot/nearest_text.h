#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace cuttle {

/// Numbers near some others, all multiples of 2^-53, for which an error is least: of what reading makes of a file, so
/// that rounding on both ways does not add up. Being on a grid they are found again from what was read.
/// @param middle  numbers of at most 1.
/// @param error   of a list of numbers, >= 0.
template <std::size_t N, typename Error>
std::array<double, N> nearest_on_grid(const std::array<double, N>& middle, const Error& error) {
  constexpr int k_reach = 3, k_width = 2 * k_reach + 1;
  int count = 1;
  std::array<double, N> center, nearest;
  for (std::size_t k = 0; k < N; ++k) {
    count *= k_width;
    center[k] = nearest[k] = std::round(middle[k] * 0x1p53) * 0x1p-53;
  }
  double least = error(nearest);
  for (int i = 0; i < count && least > 0.0; ++i) {
    std::array<double, N> candidate = center;
    int rest = i;
    for (std::size_t k = 0; k < N; ++k, rest /= k_width) candidate[k] += (rest % k_width - k_reach) * 0x1p-53;
    const double other = error(candidate);
    if (other < least) nearest = candidate, least = other;
  }
  return nearest;
}

}  // namespace cuttle
