#pragma once

#include <vector>

namespace cuttle {

/// What check_body_contract tries, and how closely.
struct BodyContractOptions {
  unsigned seed = 1;
  int samples = 2;                  ///< random states
  std::vector<double> coordinates;  ///< size of each coordinate; empty: 0.7 rad, 0.03 m
  double step = 4e-3;               ///< of the sixth-order central differences
  /// Relative to the sum of the sizes of the terms, wherever a derivative is compared with differences: step^6 / 140 of
  /// the seventh derivative, and 2 eps / step = 1e-13 of rounding; the default leaves room for derivatives that grow
  /// tenfold each. A body that is itself made of differences needs more.
  double tolerance = 1e-10;
  /// False: not against Lagrange's equations and the power, for bodies that say `balances_power() == false`.
  bool lagrangian = true;
};

}  // namespace cuttle
