#include "bodies/rod/strain_polynomial.h"

#include <Eigen/Core>
#include <algorithm>
#include <numbers>

#include "bodies/lower_product.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

constexpr std::size_t k_held = 64;  // points whose products are formed together
constexpr std::size_t k_rows = 7;

/// Calls use(A, k, l) for the monomials q_k q_l, k <= l.
template <typename Use>
void each_pair(int n, const Use& use) {
  std::size_t monomial = n;
  for (int k = 0; k < n; ++k) {
    for (int l = k; l < n; ++l) use(monomial++, k, l);
  }
}
template <typename S>
void fill_monomials(int n, const S* q, S* m) {
  std::copy_n(q, n, m);
  each_pair(n, [&](std::size_t A, int k, int l) { m[A] = q[k] * q[l]; });
}
/// (dm/dq) v.
template <typename S>
void fill_rates(int n, const S* q, const S* v, S* rates) {
  std::copy_n(v, n, rates);
  each_pair(n, [&](std::size_t A, int k, int l) { rates[A] = q[k] * v[l] + v[k] * q[l]; });
}
/// y = K m.
template <typename S>
void multiply(std::size_t size, const S* form, const S* m, S* y) {
  std::fill_n(y, size, S(0.0));
  for (std::size_t A = 0; A < size; ++A) {
    const S factor = m[A];
    const S* row = form + A * size;
    for (std::size_t B = 0; B < size; ++B) y[B] += factor * row[B];
  }
}
/// Adds (dm/dq)^T y.
template <typename S>
void pull_back(int n, const S* q, const S* y, S* force) {
  for (int k = 0; k < n; ++k) force[k] += y[k];
  each_pair(n, [&](std::size_t A, int k, int l) {
    force[k] += y[A] * q[l];
    force[l] += y[A] * q[k];
  });
}

/// Adds sum_A y_A d2m_A/(dq_k dq_l) to an n x n matrix.
template <typename S>
void add_second(int n, const S* y, S* matrix) {
  each_pair(n, [&](std::size_t A, int k, int l) {
    matrix[k * n + l] += y[A];
    matrix[l * n + k] += y[A];
  });
}

/// Adds K d(q_k q_l) to n columns, one for each dq_k, if a product q_k q_l changes by x_l dq_k + x_k dq_l.
template <typename S>
void add_products(int n, const S* form, const S* x, S* columns) {
  const std::size_t size = StrainPolynomialT<S>::monomials(n);
  each_pair(n, [&](std::size_t A, int k, int l) {
    const S* row = form + A * size;
    for (std::size_t B = 0; B < size; ++B) {
      columns[k * size + B] += x[l] * row[B];
      columns[l * size + B] += x[k] * row[B];
    }
  });
}

}  // namespace

template <typename S>
StrainPolynomialT<S>::StrainPolynomialT(int coordinates) : n_(coordinates) {
  const std::size_t size = monomials(n_);
  squares_.assign(size * size, S(0.0));
  traces_ = squares_;
  strains_.resize(k_held * k_rows * size);
  volumes_.resize(k_held);
}

template <typename S>
void StrainPolynomialT<S>::add(const S& volume, const S* G) {
  const std::size_t size = monomials(n_);
  if (held_ == k_held) take_in();
  volumes_[held_] = volume;
  S* rows = strains_.data() + held_ * k_rows * size;
  ++held_;
  const auto set = [&](std::size_t A, const Matrix3T<S>& T, const S& factor) {  // factor sym(T)
    const S off = constant<S>(std::numbers::sqrt2_v<long double> / 2) * factor;
    rows[A] = factor * T(0, 0), rows[size + A] = factor * T(1, 1), rows[2 * size + A] = factor * T(2, 2);
    rows[3 * size + A] = off * (T(1, 2) + T(2, 1));
    rows[4 * size + A] = off * (T(0, 2) + T(2, 0));
    rows[5 * size + A] = off * (T(0, 1) + T(1, 0));
    rows[6 * size + A] = rows[A] + rows[size + A] + rows[2 * size + A];
  };
  const auto matrix = [&](int k) {
    const S* at = G + 9 * k;
    return Matrix3T<S>{{at[0], at[1], at[2]}, {at[3], at[4], at[5]}, {at[6], at[7], at[8]}};
  };
  for (int k = 0; k < n_; ++k) set(k, matrix(k), S(1.0));
  each_pair(n_, [&](std::size_t A, int k, int l) { set(A, matrix(k).transpose() * matrix(l), S(k == l ? 0.5 : 1.0)); });
}

template <typename S>
void StrainPolynomialT<S>::take_in() {
  if (held_ == 0) return;
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index size = monomials(n_);
  Matrix all(size, 6 * held_), weighted = all, traces(size, held_), weighted_traces = traces;
  for (std::size_t i = 0; i < held_; ++i) {
    const Eigen::Map<const Matrix> rows(strains_.data() + i * k_rows * size, size, k_rows);
    all.middleCols(6 * i, 6) = rows.leftCols(6);
    traces.col(i) = rows.col(6);
    weighted.middleCols(6 * i, 6) = volumes_[i] * rows.leftCols(6);
    weighted_traces.col(i) = volumes_[i] * rows.col(6);
  }
  Eigen::Map<Matrix> squares(squares_.data(), size, size), trace_squares(traces_.data(), size, size);
  add_lower_product(squares, weighted, all);
  add_lower_product(trace_squares, weighted_traces, traces);
  held_ = 0;
}

template <typename S>
std::vector<S> StrainPolynomialT<S>::form(const S& trace_factor, const S& square_factor) {
  take_in();
  const std::size_t size = monomials(n_);
  std::vector<S> form(size * size);
  for (std::size_t A = 0; A < size; ++A) {
    for (std::size_t B = A; B < size; ++B) {  // columns of the lower halves are rows here
      form[A * size + B] = form[B * size + A] =
          trace_factor * traces_[A * size + B] + square_factor * squares_[A * size + B];
    }
  }
  return form;
}

template <typename S>
S StrainPolynomialT<S>::value(int n, const S* form, const S* q, S* scratch) {
  const std::size_t size = monomials(n);
  S *m = scratch, *y = scratch + size;
  fill_monomials(n, q, m);
  multiply(size, form, m, y);
  S sum(0.0);
  for (std::size_t A = 0; A < size; ++A) sum += m[A] * y[A];
  return S(0.5) * sum;
}

template <typename S>
void StrainPolynomialT<S>::add_gradient(int n, const S* form, const S* q, S* gradient, S* scratch) {
  const std::size_t size = monomials(n);
  S *m = scratch, *y = scratch + size;
  fill_monomials(n, q, m);
  multiply(size, form, m, y);
  pull_back(n, q, y, gradient);
}

template <typename S>
void StrainPolynomialT<S>::hessian(int n, const S* form, const S* q, S* hessian, S* scratch) {
  damping_matrix(n, form, q, hessian, scratch);
  const std::size_t size = monomials(n);
  S *m = scratch, *y = scratch + size;
  fill_monomials(n, q, m);
  multiply(size, form, m, y);
  add_second(n, y, hessian);
}

template <typename S>
void StrainPolynomialT<S>::add_damping(int n, const S* form, const S* q, const S* v, S* force, S* scratch) {
  const std::size_t size = monomials(n);
  S *rates = scratch, *y = scratch + size;
  fill_rates(n, q, v, rates);
  multiply(size, form, rates, y);
  pull_back(n, q, y, force);
}

template <typename S>
void StrainPolynomialT<S>::add_damping_slopes(int n, const S* form, const S* q, const S* v, S* slopes, S* scratch) {
  const std::size_t size = monomials(n);
  S *rates = scratch, *y = scratch + size;
  fill_rates(n, q, v, rates);
  multiply(size, form, rates, y);
  add_second(n, y, slopes);
  // K d(rates)/dq_k: the rate of q_k q_l changes by v_l
  S* columns = scratch;
  std::fill_n(columns, n * size, S(0.0));
  add_products(n, form, v, columns);
  S* column = columns + n * size;
  for (int k = 0; k < n; ++k) {
    std::fill_n(column, n, S(0.0));
    pull_back(n, q, columns + k * size, column);
    for (int i = 0; i < n; ++i) slopes[i * n + k] += column[i];
  }
}

template <typename S>
void StrainPolynomialT<S>::damping_matrix(int n, const S* form, const S* q, S* damping, S* scratch) {
  const std::size_t size = monomials(n);
  S* columns = scratch;  // K (dm/dq) e_k, n of them
  for (int k = 0; k < n; ++k) {
    S* column = columns + k * size;
    std::copy_n(form + k * size, size, column);
  }
  add_products(n, form, q, columns);
  std::fill_n(damping, n * n, S(0.0));
  for (int k = 0; k < n; ++k) pull_back(n, q, columns + k * size, damping + k * n);
  for (int j = 0; j < n; ++j) {  // equal but for rounding
    for (int k = 0; k < j; ++k) damping[j * n + k] = damping[k * n + j];
  }
}

#define CUTTLE_INSTANTIATE(S) template class StrainPolynomialT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
