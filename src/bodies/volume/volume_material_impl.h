#pragma once

#include <cmath>
#include <type_traits>

#include "cuttle/bodies/strain_invariants.h"
#include "cuttle/bodies/volume_material.h"

// Energy and stress of a material of the library at one point, or at the points of a pack. A body gives a law of a user
// blocks of points instead.

namespace cuttle {

template <typename S>
template <typename T>
T VolumeMaterialT<S>::energy_density(const Matrix3T<T>& F) const {
  using std::log;
  using namespace material;
  if constexpr (std::is_same_v<T, S>) {
    if (law) return law->energy_at(F);
  }
  const T k = first_invariant_excess(F);
  switch (model) {
    case Model::neo_hookean: {
      if (!lame_lambda) return T(c1) * k;
      const T log_ratio = log(determinant(F));
      return T(c1) * (k - T(2.0) * log_ratio) + T(S(0.5) * *lame_lambda) * log_ratio * log_ratio;
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
  if constexpr (std::is_same_v<T, S>) {
    if (law) return law->stress_at(F);
  }
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
