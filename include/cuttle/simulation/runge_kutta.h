#pragma once

#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// An explicit Runge-Kutta method: from x at t over h by the stages k_i = f(t + c_i h, x + h sum_{j < i} a_ij k_j) to
/// x + h sum b_i k_i.
/// @code
/// const RungeKuttaTableau heun{{{}, {1.0}}, {0.5, 0.5}, {0.0, 1.0}};
/// @endcode
struct RungeKuttaTableau {
  std::vector<std::vector<double>> a;  ///< row i has the i numbers a_i0 .. a_i(i-1)
  std::vector<double> b, c;            ///< one a stage

  int stages() const { return static_cast<int>(b.size()); }
  /// @throws ArgumentError unless there are as many rows and numbers as stages, each c_i is the sum of its row of a,
  /// and the sum of b is 1, to 1e-12.
  void check() const;
};

}  // namespace cuttle
