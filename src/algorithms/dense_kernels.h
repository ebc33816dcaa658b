#pragma once

namespace cuttle {

/// Dense matrices of the derivatives of forward dynamics, n x n, by columns.
struct DenseKernels {
  /// a <- A^-1, both halves, of a symmetric positive definite A. @param work  2 n^2 numbers.
  /// @return whether A is positive definite to working precision (ldlt_factor); if not, a holds nothing of use.
  bool (*invert)(double* a, int n, double* work);
  /// c <- -A B.
  void (*multiply_negative)(const double* a, const double* b, double* c, int n);
};

/// The fastest that this CPU runs.
DenseKernels dense_kernels();

}  // namespace cuttle
