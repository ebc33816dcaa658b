#pragma once

#include <concepts>

#include "cuttle/api.h"
#include "cuttle/spatial/dual.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// What a class K tells a point body about the scalar T; true of a member template for every T that it takes.
template <typename K, typename T>
struct PointKinematicsT {
  // NOLINTBEGIN(readability-identifier-naming): questions, not constants
  static constexpr int n = K::coordinate_count;
  using Sloped = Dual<T, n>;
  static constexpr bool position = requires(const K& k, const Vector3T<T>& x, const T* q) {
    { k.position(x, q) } -> std::convertible_to<Vector3T<T>>;
  };
  static constexpr bool slopes = requires(const K& k, const Vector3T<T>& x, const T* q, Vector3T<T>* df) {
    k.slopes(x, q, df);
  };
  static constexpr bool curvature = requires(const K& k, const Vector3T<T>& x, const T* q) {
    { k.curvature(x, q, q) } -> std::convertible_to<Vector3T<T>>;
  };
  static constexpr bool deformation_gradient = requires(const K& k, const Vector3T<T>& x, const T* q) {
    { k.deformation_gradient(x, q) } -> std::convertible_to<Matrix3T<T>>;
  };
  static constexpr bool elastic_energy = requires(const K& k, const T* q) {
    { k.elastic_energy(q) } -> std::convertible_to<T>;
  };
  static constexpr bool elastic_force = requires(const K& k, const T* q, T* f) { k.elastic_force(q, f); };
  static constexpr bool stiffness_matrix = requires(const K& k, const T* q, T* m) { k.stiffness_matrix(q, m); };
  static constexpr bool dissipation = requires(const K& k, const T* q) {
    { k.dissipation(q, q) } -> std::convertible_to<T>;
  };
  static constexpr bool damping_force = requires(const K& k, const T* q, T* f) { k.damping_force(q, q, f); };
  static constexpr bool damping_matrix = requires(const K& k, const T* q, T* m) { k.damping_matrix(q, q, m); };
  static constexpr bool energy_density = requires(const K& k, const Matrix3T<T>& F) {
    { k.energy_density(F) } -> std::convertible_to<T>;
  };
  static constexpr bool dissipation_density = requires(const K& k, const Matrix3T<T>& F) {
    { k.dissipation_density(F, F) } -> std::convertible_to<T>;
  };

  static constexpr bool elastic = elastic_energy || energy_density;
  static constexpr bool damped = dissipation || dissipation_density || damping_force;
  // NOLINTEND(readability-identifier-naming)
};

/// Density of the dissipation [W/m^3] of the stress S = 2 damping_time mu dE/dt (second Piola-Kirchhoff, no volumetric
/// part), E the Green-Lagrange strain, mu the shear modulus [Pa]; its damping force never gives power. For
/// `dissipation_density` of a point body.
template <typename T>
T viscous_dissipation_density(const Matrix3T<T>& F, const Matrix3T<T>& F_rate, const T& mu, const T& damping_time) {
  const Matrix3T<T> half = F.transpose() * F_rate;
  const Matrix3T<T> strain_rate = T(0.5) * (half + half.transpose());
  return damping_time * mu *
         (dot(strain_rate.row0, strain_rate.row0) + dot(strain_rate.row1, strain_rate.row1) +
          dot(strain_rate.row2, strain_rate.row2));
}

}  // namespace cuttle
