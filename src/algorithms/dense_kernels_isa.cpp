#include "algorithms/coordinate_lanes.h"
#include "algorithms/dense_kernels.h"
#include "cuttle/spatial/dense.h"

// Compiled once for each instruction set: what the derivatives of forward dynamics need of dense algebra, without the
// fixed cost of a general library, which small robots would feel.

namespace cuttle::CUTTLE_ISA {
namespace {

constexpr int k_width = CUTTLE_ISA_WIDTH;

/// Rows from i on and columns from j on, Count of them, of c = A B, where only rows of B from `first` on are not zero.
template <int Count, int Packs, bool Negative, typename P>
CUTTLE_INLINE void multiply_block(const double* a, const double* b, double* c, int n, int first, int i, int j) {
  using L = Lanes<P, double>;
  P sum[Count][Packs];
  for (int m = 0; m < Count; ++m) {
    for (int p = 0; p < Packs; ++p) sum[m][p] = P(0.0);
  }
  const double *column = a + static_cast<long>(first) * n + i, *row = b + static_cast<long>(j) * n;
  for (int k = first; k < n; ++k, column += n) {
    P x[Packs];
    for (int p = 0; p < Packs; ++p) x[p] = L::load(column + p * L::k_width);
    for (int m = 0; m < Count; ++m) {
      const P y(row[static_cast<long>(m) * n + k]);
      for (int p = 0; p < Packs; ++p) sum[m][p] += x[p] * y;
    }
  }
  for (int m = 0; m < Count; ++m) {
    for (int p = 0; p < Packs; ++p) {
      L::store(c + static_cast<long>(j + m) * n + i + p * L::k_width, Negative ? -sum[m][p] : sum[m][p]);
    }
  }
}

/// All rows of Count columns. The last blocks end at n: what they share with those before them is computed twice.
template <int Count, bool Negative>
CUTTLE_INLINE void multiply_columns(const double* a, const double* b, double* c, int n, int first, int j) {
  constexpr int rows = 2 * k_width;
  if (n >= rows) {
    for (int i = 0; i < n; i += rows) {
      multiply_block<Count, 2, Negative, Pack<k_width>>(a, b, c, n, first, i + rows <= n ? i : n - rows, j);
    }
  } else {
    for_each_lanes<k_width>(
        n, [&]<typename P>(int i)
               __attribute__((always_inline)) { multiply_block<Count, 1, Negative, P>(a, b, c, n, first, i, j); });
  }
}

/// c = A B; with `Lower`, rows of B above its diagonal are zero.
template <bool Lower, bool Negative>
void multiply(const double* a, const double* b, double* c, int n) {
  constexpr int k_columns = 4;
  if (n < k_columns) {
    for (int j = 0; j < n; ++j) multiply_columns<1, Negative>(a, b, c, n, Lower ? j : 0, j);
    return;
  }
  for (int group = 0; group < n; group += k_columns) {
    const int j = group + k_columns <= n ? group : n - k_columns;
    multiply_columns<k_columns, Negative>(a, b, c, n, Lower ? j : 0, j);
  }
}

/// A = L D L^T, A^-1 = W D^-1 W^T with W = L^-T, upper triangular.
bool invert(double* a, int n, double* work) {
  if (!ldlt_factor(a, n)) return false;
  // W by rows, last one first: W_i = e_i - sum of (L^T)_ik W_k over k > i
  double *const w = work, *const result = work + static_cast<long>(n) * n;
  for (int i = n - 1; i >= 0; --i) {
    double* const row = w + static_cast<long>(i) * n;
    const double* const u = a + static_cast<long>(i) * n;
    const double d = u[i];
    for (int j = 0; j < n; ++j) row[j] = 0.0;
    row[i] = 1.0;
    int k = i + 1;
    for (; k + 4 <= n; k += 4) {
      const double* const w0 = w + static_cast<long>(k) * n;
      const double *const w1 = w0 + n, *const w2 = w1 + n, *const w3 = w2 + n;
      const double f0 = d * u[k], f1 = d * u[k + 1], f2 = d * u[k + 2], f3 = d * u[k + 3];
#pragma GCC ivdep
      for (int j = k; j < n; ++j) row[j] -= (f0 * w0[j] + f1 * w1[j]) + (f2 * w2[j] + f3 * w3[j]);
    }
    for (; k < n; ++k) {
      const double* const w0 = w + static_cast<long>(k) * n;
      const double f = d * u[k];
#pragma GCC ivdep
      for (int j = k; j < n; ++j) row[j] -= f * w0[j];
    }
  }
  // D^-1 W^T by columns is W by rows, scaled; W by columns goes where the factor was
  for (int k = 0; k < n; ++k) result[k] = a[static_cast<long>(k) * n + k];  // 1 / D
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) a[static_cast<long>(k) * n + i] = w[static_cast<long>(i) * n + k];
  }
  for (int j = 0; j < n; ++j) {
    double* const row = w + static_cast<long>(j) * n;
    for (int k = 0; k < n; ++k) row[k] *= result[k];
  }
  multiply<true, false>(a, w, result, n);
  // the half above the diagonal, which rounds a little differently, is taken from that below
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      a[static_cast<long>(j) * n + i] = a[static_cast<long>(i) * n + j] = result[static_cast<long>(j) * n + i];
    }
  }
  return true;
}

}  // namespace

DenseKernels dense_kernels() { return {&invert, &multiply<false, true>}; }

}  // namespace cuttle::CUTTLE_ISA
