#pragma once

#include <cstddef>
#include <vector>

#include "cuttle/spatial/vector3.h"

namespace cuttle {

/// Green-Lagrange strain of points whose deformation gradient is F = 1 + sum_k q_k G_k: E = sum_A m_A(q) E_A over the
/// monomials m = (q_0 .. q_n-1, q_0 q_0, q_0 q_1 .., q_1 q_1 ..) of degree 1 and 2, with E_k = sym G_k,
/// E_kl = sym(G_k^T G_l), E_kk = G_k^T G_k / 2. Integrals of products of strains are quadratic forms of m.
/// Cost O(N^2), N = n (n + 3) / 2 monomials, whatever the number of points.
///
/// A form is an N x N symmetric matrix, both halves. `scratch`: scratch_size(n) scalars.
template <typename S>
class StrainPolynomialT {
 public:
  static std::size_t monomials(std::size_t n) { return n * (n + 3) / 2; }
  static std::size_t scratch_size(std::size_t n) { return (n + 2) * monomials(n); }

  explicit StrainPolynomialT(int coordinates);
  /// Takes a point along that stands for a volume [m^3]; G: G_k by rows, one behind the other.
  void add(const S& volume, const S* G);
  /// After the last point: int of (trace_factor tr E_A tr E_B + square_factor E_A : E_B) dV.
  std::vector<S> form(const S& trace_factor, const S& square_factor);

  /// m^T K m / 2.
  static S value(int n, const S* form, const S* q, S* scratch);
  /// Adds its gradient (dm/dq)^T K m.
  static void add_gradient(int n, const S* form, const S* q, S* gradient, S* scratch);
  /// Its second derivatives, n x n by rows; overwritten.
  static void hessian(int n, const S* form, const S* q, S* hessian, S* scratch);
  /// Adds (dm/dq)^T K (dm/dq) v.
  static void add_damping(int n, const S* form, const S* q, const S* v, S* force, S* scratch);
  /// Adds the derivative of add_damping's force in q to `slopes`, n x n by rows.
  static void add_damping_slopes(int n, const S* form, const S* q, const S* v, S* slopes, S* scratch);
  /// (dm/dq)^T K (dm/dq), n x n by rows; overwritten.
  static void damping_matrix(int n, const S* form, const S* q, S* damping, S* scratch);

 private:
  void take_in();

  int n_;
  std::size_t held_ = 0;    // points whose strains wait
  std::vector<S> strains_;  // of the held points: at [point][7][A] E_A as xx, yy, zz, sqrt2 (yz, xz, xy); tr E_A
  std::vector<S> volumes_;  // of the held points
  std::vector<S> squares_, traces_;  // lower halves
};

}  // namespace cuttle
