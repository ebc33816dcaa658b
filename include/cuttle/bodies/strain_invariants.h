#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

// What energy densities are made of, of the deformation gradient F = df/dx at a point, for any scalar.

namespace CUTTLE_API cuttle {

namespace material {

template <typename T>
T trace(const Matrix3T<T>& A) {
  return A.row0.x + A.row1.y + A.row2.z;
}
template <typename T>
T squared_norm(const Matrix3T<T>& A) {
  return dot(A.row0, A.row0) + dot(A.row1, A.row1) + dot(A.row2, A.row2);
}
template <typename T>
T determinant(const Matrix3T<T>& F) {
  return dot(F.row0, cross(F.row1, F.row2));
}
/// J F^-T.
template <typename T>
Matrix3T<T> cofactors(const Matrix3T<T>& F) {
  return {cross(F.row1, F.row2), cross(F.row2, F.row0), cross(F.row0, F.row1)};
}
/// I1 - 3 = tr(F^T F) - 3 without the cancellation of its terms near F = 1.
template <typename T>
T first_invariant_excess(const Matrix3T<T>& F) {
  const Matrix3T<T> H = F - Matrix3T<T>::identity();
  return T(2.0) * trace(H) + squared_norm(H);
}
/// E = (F^T F - 1) / 2.
template <typename T>
Matrix3T<T> green_lagrange(const Matrix3T<T>& F) {
  const Matrix3T<T> H = F - Matrix3T<T>::identity();
  return T(0.5) * (H + H.transpose() + H.transpose() * H);
}

}  // namespace material

}  // namespace cuttle
