#pragma once

#include <limits>

namespace cuttle::test {

/// Distance from 1 to the next double: the unit in which tests measure rounding.
inline constexpr double k_eps = std::numeric_limits<double>::epsilon();

}  // namespace cuttle::test
