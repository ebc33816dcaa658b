#pragma once

#include <limits>

#include "cuttle/api.h"
#include "cuttle/spatial/scalar.h"

/// Dense symmetric positive definite systems of the sweeps (n = 1 .. some 500): A = L D L^T, in place, by rows.
///
/// Only the upper triangle of A is read. Afterwards it holds D L^T above the diagonal and 1/D on it; L has a unit
/// diagonal. All long loops run along rows, so they vectorize without reordering a sum.
namespace CUTTLE_API cuttle {

namespace detail {

/// Sum of a_i b_i with four partial sums, so that one addition need not wait for the one before.
template <typename S>
CUTTLE_INLINE S dot_product(const S* a, const S* b, int n) {
  S s0(0.0), s1(0.0), s2(0.0), s3(0.0);
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace detail

/// Factors the symmetric n x n matrix `a` (by rows, upper triangle) in place. The first column below the diagonal is
/// overwritten too.
/// @return true if A is positive definite to working precision: every pivot exceeds n eps times the diagonal entry of A
///         in its row. Where it does not, its inverse is stored as 0, so that what follows stays finite and the row can
///         be found.
template <typename S>
CUTTLE_INLINE auto ldlt_factor(S* a, int n) {
  const S tolerance(n * std::numeric_limits<typename ScalarTraits<S>::Precision>::epsilon());
  auto definite = S(0.0) < S(1.0);
  // keep the diagonal as given where row[0] finds it; that of row 0 is tested before it changes
  for (int i = 1; i < n; ++i) a[i * n] = a[i * n + i];

  // Four pivots at a time: each pass over the trailing rows then does four multiplications per load and store.
  constexpr int panel = 4;
  for (int k = 0; k < n; k += panel) {
    const int end = k + panel < n ? k + panel : n;
    for (int p = k; p < end; ++p) {
      S* row = a + p * n;
      for (int m = k; m < p; ++m) {
        const S* pivot_row = a + m * n;
        const S f = pivot_row[p] * pivot_row[m];
#pragma GCC ivdep
        for (int j = p; j < n; ++j) row[j] -= f * pivot_row[j];
      }
      const auto good = row[p] > tolerance * row[0];
      definite = definite & good;
      row[p] = select(good, S(1.0) / select(good, row[p], S(1.0)), S(0.0));
    }
    if (end < k + panel) break;  // the last panel has no rows below
    const S *u0 = a + k * n, *u1 = u0 + n, *u2 = u1 + n, *u3 = u2 + n;
    const S d0 = u0[k], d1 = u1[k + 1], d2 = u2[k + 2], d3 = u3[k + 3];
    for (int i = end; i < n; ++i) {
      S* row = a + i * n;
      const S f0 = d0 * u0[i], f1 = d1 * u1[i], f2 = d2 * u2[i], f3 = d3 * u3[i];
#pragma GCC ivdep
      for (int j = i; j < n; ++j) row[j] -= (f0 * u0[j] + f1 * u1[j]) + (f2 * u2[j] + f3 * u3[j]);
    }
  }
  return definite;
}

/// x <- L^-1 x for `columns` right-hand sides; `x` is n x columns by rows.
template <typename S>
CUTTLE_INLINE void ldlt_forward(const S* a, int n, S* x, int columns) {
  for (int k = 0; k < n; ++k) {
    const S* u = a + k * n;
    const S* pivot = x + k * columns;
    for (int i = k + 1; i < n; ++i) {
      S* row = x + i * columns;
      const S f = u[i] * u[k];
#pragma GCC ivdep
      for (int c = 0; c < columns; ++c) row[c] -= f * pivot[c];
    }
  }
}
/// x <- L^-1 x for one right-hand side.
template <typename S>
CUTTLE_INLINE void ldlt_forward(const S* a, int n, S* x) {
  for (int k = 0; k < n; ++k) {
    const S* u = a + k * n;
    const S f = x[k] * u[k];
#pragma GCC ivdep
    for (int i = k + 1; i < n; ++i) x[i] -= f * u[i];
  }
}

/// x <- L^-T D^-1 x, the second half of a solution, for `columns` right-hand sides.
template <typename S>
CUTTLE_INLINE void ldlt_backward(const S* a, int n, S* x, int columns) {
  for (int k = n - 1; k >= 0; --k) {
    const S* u = a + k * n;
    S* row = x + k * columns;
    for (int i = k + 1; i < n; ++i) {
      const S* known = x + i * columns;
#pragma GCC ivdep
      for (int c = 0; c < columns; ++c) row[c] -= u[i] * known[c];
    }
    for (int c = 0; c < columns; ++c) row[c] = u[k] * row[c];
  }
}
/// x <- L^-T D^-1 x for one right-hand side.
template <typename S>
CUTTLE_INLINE void ldlt_backward(const S* a, int n, S* x) {
  for (int k = n - 1; k >= 0; --k) {
    const S* u = a + k * n;
    x[k] = u[k] * (x[k] - detail::dot_product(u + k + 1, x + k + 1, n - k - 1));
  }
}

/// x <- A^-1 x with the factor from ldlt_factor.
template <typename S>
CUTTLE_INLINE void ldlt_solve(const S* a, int n, S* x) {
  ldlt_forward(a, n, x);
  ldlt_backward(a, n, x);
}
/// X <- A^-1 X; `x` is n x columns by rows.
template <typename S>
CUTTLE_INLINE void ldlt_solve(const S* a, int n, S* x, int columns) {
  ldlt_forward(a, n, x, columns);
  ldlt_backward(a, n, x, columns);
}

}  // namespace cuttle
