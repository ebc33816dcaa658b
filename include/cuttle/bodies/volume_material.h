#pragma once

#include <memory>
#include <optional>

#include "cuttle/api.h"
#include "cuttle/bodies/elastic_law_base.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Hyperelastic material of a volume: energy density W [J/m^3] of F = df/dx, and viscosity.
template <typename S>
struct VolumeMaterialT {
  enum class Model {
    neo_hookean,          ///< c1 (I1 - 3); with lame_lambda c1 (I1 - 3 - 2 ln J) + lame_lambda/2 (ln J)^2
    mooney_rivlin,        ///< c1 (I1 - 3) + c2 (I2 - 3)
    yeoh,                 ///< c1 (I1 - 3) + c2 (I1 - 3)^2 + c3 (I1 - 3)^3
    st_venant_kirchhoff,  ///< lambda/2 tr(E)^2 + mu E:E
  };
  Model model = Model::neo_hookean;
  S c1{}, c2{}, c3{};               ///< [Pa]
  std::optional<S> lame_lambda{};   ///< of neo_hookean [Pa]; without it, for kinematics that keep volume. Of
                                    ///< st_venant_kirchhoff in place of what its other numbers give
  S young_modulus{};                ///< of st_venant_kirchhoff [Pa]
  S poisson_ratio{};                ///< of st_venant_kirchhoff, < 0.5
  std::optional<S> damping_time{};  ///< [s]: stress S = 2 damping_time mu dE/dt; none: no damping
  /// W of a user's own (bodies/elastic_law.h), instead of `model` and its constants. Null: none.
  std::shared_ptr<const ElasticLawBaseT<S>> law{};

  /// @throws ModelError: key, what was found, what was expected.
  void check() const;
  /// mu = 2 c1 | 2 (c1 + c2) | 2 c1 | E / (2 (1 + nu)) [Pa]; that of the law.
  S shear_modulus() const;
  /// lambda of small strains [Pa]; 0 without resistance to changes of volume.
  S lambda() const;
  /// Whether W resists changes of volume.
  bool resists_volume() const {
    return law ? law->resists_volume() : model == Model::st_venant_kirchhoff || lame_lambda.has_value();
  }

  /// W(F). @tparam T  S, or, if there is no `law`, a scalar over it.
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const;
  /// First Piola-Kirchhoff stress P = dW/dF [Pa].
  template <typename T>
  Matrix3T<T> stress(const Matrix3T<T>& F) const;

  template <typename T>
  VolumeMaterialT<T> cast() const;
};
using VolumeMaterial = VolumeMaterialT<double>;

}  // namespace cuttle
