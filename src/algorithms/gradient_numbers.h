#pragma once

#include "cuttle/model/model.h"

// Vectors of Gradient as values and matrices of derivatives, a column a direction.

namespace cuttle {

inline VectorXd values_of(const VectorXT<Gradient>& x) {
  return x.unaryExpr([](const Gradient& number) { return number.value; });
}
inline MatrixXd values_of(const MatrixXT<Gradient>& x) {
  return x.unaryExpr([](const Gradient& number) { return number.value; });
}
inline MatrixXd derivatives_of(const VectorXT<Gradient>& x) {
  MatrixXd found(x.size(), k_gradient_width);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    for (int k = 0; k < k_gradient_width; ++k) found(i, k) = x[i].derivative[k];
  }
  return found;
}
inline void subtract_derivatives(const MatrixXd& change, VectorXT<Gradient>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    for (int k = 0; k < k_gradient_width; ++k) x[i].derivative[k] -= change(i, k);
  }
}

/// Values in the first column, derivatives in the others.
inline MatrixXd numbers_of(const VectorXT<Gradient>& x) {
  MatrixXd all(x.size(), 1 + k_gradient_width);
  all << values_of(x), derivatives_of(x);
  return all;
}
inline void subtract_numbers(const MatrixXd& change, VectorXT<Gradient>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i].value -= change(i, 0);
  subtract_derivatives(change.rightCols(k_gradient_width), x);
}

}  // namespace cuttle
