#pragma once

namespace cuttle {

/// Coordinates of one body above which dense matrices and simulations are refused: gigabytes, steps of microseconds, or
/// hours for the differences that a Jacobian of bdf is made of.
inline constexpr int k_most_dense_coordinates = 600;

}  // namespace cuttle
