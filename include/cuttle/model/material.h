#pragma once

#include <memory>
#include <optional>

#include "cuttle/api.h"
#include "cuttle/bodies/elastic_law_base.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct RodMaterialT;  // bodies/rod_body.h
template <typename S>
struct VolumeMaterialT;  // bodies/volume_material.h

/// A material as robot files name it (docs/format.md, Material). Links of one material have its name
/// (LinkT::material), so that a number of it is one parameter, whatever rods and volumes make of it.
/// @code
/// robot.materials["silicone"] = {.density = 1070, .young_modulus = 5e5, .damping_time = 0.1};
/// rod.material = robot.materials["silicone"].of_rod();
/// robot.links.push_back({.name = "arm", .body = std::make_shared<RodBody>(rod), .material = "silicone"});
/// @endcode
template <typename S>
struct MaterialT {
  enum class Model { linear, neo_hookean, mooney_rivlin, yeoh, st_venant_kirchhoff };
  Model model = Model::linear;
  std::optional<S> density{};        ///< [kg/m^3]; volumes need it
  std::optional<S> young_modulus{};  ///< linear, st_venant_kirchhoff [Pa]
  S poisson_ratio = S(0.5);          ///< linear, st_venant_kirchhoff
  S c1{}, c2{}, c3{};                ///< neo_hookean (c1), mooney_rivlin (c1, c2), yeoh [Pa]
  std::optional<S> lame_lambda{};    ///< neo_hookean [Pa]; missing: volume is preserved
  std::optional<S> damping_time{};   ///< [s]
  std::optional<S> viscosity{};      ///< of rods, instead of damping_time [Pa s]
  /// Of a volume, instead of `model` and its constants: a user's own (bodies/elastic_law.h).
  std::shared_ptr<const ElasticLawBaseT<S>> law{};

  bool operator==(const MaterialT&) const = default;
  /// What a rod makes of it: of neo_hookean E = 6 c1, of the other models and laws for volumes nothing but density and
  /// damping.
  RodMaterialT<S> of_rod() const;
  /// What a volume makes of it, which has the density beside it.
  VolumeMaterialT<S> of_volume() const;

  template <typename T>
  MaterialT<T> cast() const {
    const auto each = [](const std::optional<S>& x) { return x ? std::optional<T>(scalar_cast<T>(*x)) : std::nullopt; };
    return {static_cast<typename MaterialT<T>::Model>(model),
            each(density),
            each(young_modulus),
            scalar_cast<T>(poisson_ratio),
            scalar_cast<T>(c1),
            scalar_cast<T>(c2),
            scalar_cast<T>(c3),
            each(lame_lambda),
            each(damping_time),
            each(viscosity),
            cast_law<T>(law)};
  }
};
using Material = MaterialT<double>;

}  // namespace cuttle
