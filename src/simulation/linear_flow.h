#pragma once

#include <array>
#include <functional>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// The matrix of dx/dt = A(t) x over an interval: the polynomial of degree four through five places, which descend in
/// time and are equally far apart.
struct LinearPanel {
  std::array<double, 5> times{};
  std::array<const MatrixXd*, 5> rates{};
  /// Whether x is two parts of one size, of which the first follows the second alone, and the second the first by minus
  /// the unit matrix: then equations are of half the size.
  bool is_of_second_order = false;

  /// Shares of the places in the polynomial at a time.
  std::array<double, 5> shares(double time) const;
};

/// Solves dx/dt = A(t) x backwards in time under a relative tolerance, by a singly diagonally implicit Runge-Kutta
/// method of order four (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.6, SDIRK4): it is L-stable,
/// so that what jumps at a sample does not ring, and begins anew at no cost. Tolerances are by the largest of each
/// part. Of states that nothing follows a gradient has only rounding: parts in the middle are judged by what all parts
/// are worth, too.
class LinearFlow {
 public:
  static constexpr int k_parts = 5;
  /// @param parts  sizes of the parts of x, each in a unit of its own.
  LinearFlow(std::array<int, k_parts> parts, double relative_tolerance)
      : parts_(parts), relative_tolerance_(relative_tolerance) {}

  using Sizes = std::array<double, k_parts>;
  /// Forgets how long steps were. @param sizes  of what each part of x is the gradient by: together the worth.
  void begin(const Sizes& sizes = {}) { step_ = 0.0, sizes_ = sizes; }
  /// How far the polynomial is off over a panel, beside the tolerance, for x such as these: from its last difference.
  double error_of(const LinearPanel& panel, const VectorXd& x) const;
  /// Takes part of an integral over the way: a time, its weight, x there, and the shares of the panel's places.
  using See = std::function<void(double time, double weight, const VectorXd& x, const std::array<double, 5>& shares)>;
  /// From one time to an earlier one within a panel. @return false where no step is short enough.
  bool go(const LinearPanel& panel, double from, double to, VectorXd& x, const See& see);
  /// The same with the matrix itself, where no polynomial follows it; the shares are zero.
  /// @param shortest  step: it is taken whatever its error.
  using RateAt = std::function<const MatrixXd&(double time)>;
  void go(const RateAt& rate_at, double from, double to, double shortest, VectorXd& x, const See& see);

 private:
  template <typename Solver>
  bool go_with(Solver& solver, double from, double to, double shortest, VectorXd& x, const See& see);
  /// The largest of each part beside the largest of the same part of `size`, of the last part beside `least` at least.
  double beside(const VectorXd& x, const VectorXd& size, double least) const;

  std::array<int, k_parts> parts_;
  Sizes sizes_{};
  double relative_tolerance_;
  double step_ = 0.0, peak_ = 0.0;  ///< peak: of the last part
};

}  // namespace cuttle
