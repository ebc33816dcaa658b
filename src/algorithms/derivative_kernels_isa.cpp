#include "algorithms/coordinate_lanes.h"
#include "algorithms/derivative_kernels.h"

// Compiled once for each instruction set: inner loops of inverse_dynamics_derivatives.

namespace cuttle::CUTTLE_ISA {
namespace {

void by_outer(const ColumnRows& inner, int count, const CoordinateResponse& r, const DerivativeColumns& to) {
  const long s = inner.stride;
  for_each_lanes<CUTTLE_ISA_WIDTH>(
      count, [&]<typename P>(int i) __attribute__((always_inline)) {
        using L = Lanes<P, double>;
        const double* J = inner.jacobian + i;
        const auto along = [&](const Wrench& w) __attribute__((always_inline)) {
          return dot_rows(Covector<P>(w.torque), J, s) + dot_rows(Covector<P>(w.force), J + 3 * s, s);
        };
        L::store(to.by_a + i, along(r.by_second));
        L::store(to.by_q + i, along(r.wrench_by_q));
        L::store(to.by_v + i, along(r.wrench_by_v));
      });
}

template <bool Turn>
void by_inner(const ResponseRows& outer, int count, const Twist& jacobian, const Twist& rate, const Twist& second,
              const DerivativeColumns& to) {
  const long s = outer.stride;
  for_each_lanes<CUTTLE_ISA_WIDTH>(
      count, [&]<typename P>(int k) __attribute__((always_inline)) {
        using L = Lanes<P, double>;
        const double *U = outer.by_second + k, *Z = outer.by_rate + k;
        const auto along = [&](const Twist& t) __attribute__((always_inline)) {
          return dot_rows(Covector<P>(t.angular), U, s) + dot_rows(Covector<P>(t.linear), U + 3 * s, s);
        };
        const Covector<P> turned(jacobian.angular);
        P by_q = along(second) + dot_rows(Covector<P>(rate.angular), Z, s);
        if constexpr (Turn) by_q += dot_rows(turned, outer.by_turn + k, s);
        const P along_rate = along(rate);
        L::store(to.by_q + k, by_q);
        L::store(to.by_v + k, along_rate + along_rate + dot_rows(turned, Z, s));
        L::store(to.by_a + k, along(jacobian));
      });
}

}  // namespace

PairKernels pair_kernels(bool turn) { return {&by_outer, turn ? &by_inner<true> : &by_inner<false>}; }

}  // namespace cuttle::CUTTLE_ISA
