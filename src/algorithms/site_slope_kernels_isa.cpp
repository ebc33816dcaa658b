#include "algorithms/coordinate_lanes.h"
#include "algorithms/site_slope_kernels.h"

// Compiled once for each instruction set: coordinates in lanes.

namespace cuttle::CUTTLE_ISA {
namespace {

/// Calls use.operator()<P>(i) for lanes that lie side by side, ever narrower ones at the end: each number once.
template <int Width, typename Use>
CUTTLE_INLINE void for_lanes_apart(int begin, int n, const Use& use) {
  using P = std::conditional_t<Width == 1, double, Pack<std::max(Width, 2)>>;
  for (; begin + Width <= n; begin += Width) use.template operator()<P>(begin);
  if constexpr (Width > 1) {
    if (begin < n) for_lanes_apart<Width / 2>(begin, n, use);
  }
}

void add_block(const double* by_pose, const double* by_velocity, long lead, const double* jacobian,
               const double* velocity_by_q, double* by_q, double* by_v, int count, long stride) {
  for_lanes_apart<CUTTLE_ISA_WIDTH>(
      0, count, [&]<typename P>(int i) __attribute__((always_inline)) {
        using L = Lanes<P, double>;
        P moves[6], rates[6];
        for (int k = 0; k < 6; ++k) {
          moves[k] = L::load(jacobian + k * stride + i), rates[k] = L::load(velocity_by_q + k * stride + i);
        }
        for (int r = 0; r < 6; ++r) {
          double *const q = by_q + r * stride + i, *const v = by_v + r * stride + i;
          P of_q = L::load(q), of_v = L::load(v);
          for (int k = 0; k < 6; ++k) {
            const P damps(by_velocity[k * lead + r]);
            of_q += P(by_pose[k * lead + r]) * moves[k] + damps * rates[k], of_v += damps * moves[k];
          }
          L::store(q, of_q), L::store(v, of_v);
        }
      });
}

void subtract_product(const double* jacobian, const double* by, long stride, int terms, int rows, int columns,
                      double* from, long from_stride) {
  const auto columns_at = [&]<int k_columns>(int j) {
    for_lanes_apart<CUTTLE_ISA_WIDTH>(
        0, rows, [&]<typename P>(int i) __attribute__((always_inline)) {
          using L = Lanes<P, double>;
          P sums[k_columns];
          for (int k = 0; k < k_columns; ++k) sums[k] = L::load(from + (j + k) * from_stride + i);
          for (int s = 0; s < terms; ++s) {
            const P moves = L::load(jacobian + s * stride + i);
            for (int k = 0; k < k_columns; ++k) sums[k] -= P(by[s * stride + j + k]) * moves;
          }
          for (int k = 0; k < k_columns; ++k) L::store(from + (j + k) * from_stride + i, sums[k]);
        });
  };
  int j = 0;
  for (; j + 6 <= columns; j += 6) columns_at.template operator()<6>(j);
  for (; j < columns; ++j) columns_at.template operator()<1>(j);
}

}  // namespace

SiteSlopeKernels site_slope_kernels() { return {&add_block, &subtract_product}; }

}  // namespace cuttle::CUTTLE_ISA
