#pragma once

#include <cstddef>

#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// A matrix among rows of lanes: its numbers, by rows, lie `every` apart.
template <typename S>
Matrix3T<S> lane_matrix(const S* at, std::size_t every) {
  const auto row = [&](std::size_t i) {
    return Vector3T<S>{at[3 * i * every], at[(3 * i + 1) * every], at[(3 * i + 2) * every]};
  };
  return {row(0), row(1), row(2)};
}

}  // namespace cuttle
