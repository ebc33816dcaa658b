#pragma once

#include <type_traits>

#include "cuttle/model/model.h"

// Vectors of ForwardDual as values and matrices of derivatives, a column a direction.

namespace cuttle {

inline VectorXd values_of(const VectorXT<ForwardDual>& x) {
  return x.unaryExpr([](const ForwardDual& number) { return number.value; });
}
inline MatrixXd values_of(const MatrixXT<ForwardDual>& x) {
  return x.unaryExpr([](const ForwardDual& number) { return number.value; });
}
inline MatrixXd derivatives_of(const VectorXT<ForwardDual>& x) {
  MatrixXd found(x.size(), k_forward_width);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    for (int k = 0; k < k_forward_width; ++k) found(i, k) = x[i].derivative[k];
  }
  return found;
}
inline void subtract_derivatives(const MatrixXd& change, VectorXT<ForwardDual>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    for (int k = 0; k < k_forward_width; ++k) x[i].derivative[k] -= change(i, k);
  }
}

/// Doubles in a number.
template <typename S>
inline constexpr Eigen::Index k_doubles = std::is_same_v<S, double> ? 1 : 1 + k_forward_width;
static_assert(sizeof(ForwardDual) == (1 + k_forward_width) * sizeof(double));

/// All doubles that a vector is made of: sums with factors that are doubles are such sums of these.
template <typename S>
Eigen::Map<VectorXd> flat(VectorXT<S>& x) {
  return {reinterpret_cast<double*>(x.data()), k_doubles<S> * x.size()};
}
template <typename S>
Eigen::Map<const VectorXd> flat(const VectorXT<S>& x) {
  return {reinterpret_cast<const double*>(x.data()), k_doubles<S> * x.size()};
}

/// Values in the first column, derivatives in the others.
inline MatrixXd numbers_of(const VectorXT<ForwardDual>& x) {
  MatrixXd all(x.size(), 1 + k_forward_width);
  all << values_of(x), derivatives_of(x);
  return all;
}
inline void subtract_numbers(const MatrixXd& change, VectorXT<ForwardDual>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i].value -= change(i, 0);
  subtract_derivatives(change.rightCols(k_forward_width), x);
}

}  // namespace cuttle
