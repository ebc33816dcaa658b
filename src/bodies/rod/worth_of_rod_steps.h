#pragma once

#include "bodies/rod/rod_kernels.h"
#include "cuttle/spatial/dual.h"
#include "cuttle/spatial/exponential.h"

// Steps of a rod with what a virtual twist makes of them, for WorthOfRod.

namespace cuttle {

/// Strain at one Magnus point, its rates, and its rate along the virtual twist.
template <typename S>
struct VirtualStrain {
  TwistT<S> value, rate, second, along;
};

/// What a step makes: its Magnus vector, and across it a twist, an acceleration and a virtual twist, axes of its end.
template <typename S>
struct StepMotion {
  TwistT<S> omega, velocity, acceleration, twist;
};

/// As rod_kernels_impl.h has it: Omega = h/2 (xi_1 + xi_2) + (sqrt(3)/12) h^2 [xi_1, xi_2], and its rates.
template <typename S>
struct MagnusVector {
  MagnusVector(const S& h, const VirtualStrain<S>& its_first, const VirtualStrain<S>& its_other)
      : half(S(0.5) * h), k(S(0.14433756729740644113) * h * h), first(its_first), other(its_other) {}

  TwistT<S> value() const { return half * (first.value + other.value) + k * bracket(first.value, other.value); }
  /// For rates of the strain at both points.
  TwistT<S> rate(const TwistT<S>& y1, const TwistT<S>& y2) const {
    return half * (y1 + y2) + k * (bracket(y1, other.value) + bracket(first.value, y2));
  }
  TwistT<S> second() const { return rate(first.second, other.second) + (S(2.0) * k) * bracket(first.rate, other.rate); }

  const S half, k;
  const VirtualStrain<S>&first, &other;
};

template <typename S>
CUTTLE_INLINE StepMotion<S> step_motion(const S& h, const VirtualStrain<S>& first, const VirtualStrain<S>& other) {
  const MagnusVector<S> magnus(h, first, other);
  StepMotion<S> motion;
  motion.omega = magnus.value();
  const auto c = stumpff<7>(dot(motion.omega.angular, motion.omega.angular));
  exponential_rates(motion.omega, magnus.rate(first.rate, other.rate), magnus.second(), c, motion.velocity,
                    motion.acceleration);
  motion.twist = right_tangent(motion.omega, c) * magnus.rate(first.along, other.along);
  return motion;
}
/// Its Magnus vector and virtual twist alone.
template <typename S>
StepMotion<S> virtual_step(const S& h, const VirtualStrain<S>& first, const VirtualStrain<S>& other) {
  const MagnusVector<S> magnus(h, first, other);
  StepMotion<S> motion;
  motion.omega = magnus.value();
  motion.twist = right_tangent(motion.omega) * magnus.rate(first.along, other.along);
  return motion;
}

/// How tables of a rod follow a number, as RodGrid has them.
struct RodTableSlopes {
  const double *length, *shape1, *shape2, *rest1, *rest2;
};

/// One table of kernels for each instruction set.
struct RodWorthKernels {
  /// How the steps follow a number: rows of `stride` entries of Magnus vector, velocity, acceleration and virtual
  /// twist, six each.
  void (*step_slopes)(const RodGrid<double>& grid, const RodTableSlopes& slopes, const BodyStateT<double>& state,
                      const double* weights, double* rows);
};

}  // namespace cuttle
