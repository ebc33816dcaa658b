#pragma once

#include <cmath>

#include "cuttle/bodies/volume_material.h"

// Energy and stress of a material at one point, or at the points of a pack.

namespace cuttle {

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
/// I1 - 3 without the cancellation of its terms near F = 1.
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

template <typename S>
template <typename T>
T VolumeMaterialT<S>::energy_density(const Matrix3T<T>& F) const {
  using std::log;
  using namespace material;
  const T k = first_invariant_excess(F);
  switch (model) {
    case Model::neo_hookean: {
      if (!lame_lambda) return T(c1) * k;
      const T log_J = log(determinant(F));
      return T(c1) * (k - T(2.0) * log_J) + T(S(0.5) * *lame_lambda) * log_J * log_J;
    }
    case Model::mooney_rivlin: {
      // 2 (I2 - 3) = I1^2 - tr C^2 - 6, with C = 1 + 2 E
      const Matrix3T<T> E = green_lagrange(F);
      const T second = T(2.0) * k + T(0.5) * k * k - T(2.0) * squared_norm(E);
      return T(c1) * k + T(c2) * second;
    }
    case Model::yeoh:
      return k * (T(c1) + k * (T(c2) + k * T(c3)));
    case Model::st_venant_kirchhoff:
      break;
  }
  const Matrix3T<T> E = green_lagrange(F);
  const S mu = shear_modulus(), lame = lambda();
  const T volumetric = trace(E);
  return T(S(0.5) * lame) * volumetric * volumetric + T(mu) * squared_norm(E);
}

template <typename S>
template <typename T>
Matrix3T<T> VolumeMaterialT<S>::stress(const Matrix3T<T>& F) const {
  using std::log;
  using namespace material;
  const T k = first_invariant_excess(F);
  switch (model) {
    case Model::neo_hookean: {
      if (!lame_lambda) return T(S(2.0) * c1) * F;
      const T J = determinant(F);
      return T(S(2.0) * c1) * F + ((T(*lame_lambda) * log(J) - T(S(2.0) * c1)) / J) * cofactors(F);
    }
    case Model::mooney_rivlin:
      return T(S(2.0) * c1) * F + T(S(2.0) * c2) * ((k + T(3.0)) * F - F * (F.transpose() * F));
    case Model::yeoh:
      return (T(2.0) * (T(c1) + k * (T(S(2.0) * c2) + k * T(S(3.0) * c3)))) * F;
    case Model::st_venant_kirchhoff:
      break;
  }
  const Matrix3T<T> E = green_lagrange(F);
  const S mu = shear_modulus(), lame = lambda();
  return F * ((T(lame) * trace(E)) * Matrix3T<T>::identity() + T(S(2.0) * mu) * E);
}

}  // namespace cuttle
