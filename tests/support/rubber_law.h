#pragma once

#include <cmath>
#include <optional>

#include "cuttle/bodies/elastic_law.h"
#include "cuttle/bodies/strain_invariants.h"

namespace cuttle::test {

/// c1 (I1 - 3 - 2 ln J) + lambda / 2 (ln J)^2, as the library's neo_hookean; without lambda c1 (I1 - 3).
template <typename S>
struct Rubber {
  static constexpr const char* type_name = "rubber";
  S c1{};
  std::optional<S> lambda{};

  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    using std::log;
    const T k = material::first_invariant_excess(F);
    if (!lambda) return T(c1) * k;
    const T log_J = log(material::determinant(F));
    return T(c1) * (k - T(2.0) * log_J) + T(S(0.5) * *lambda) * log_J * log_J;
  }
  template <typename T>
  Rubber<T> cast() const {
    return {scalar_cast<T>(c1), lambda ? std::optional<T>(scalar_cast<T>(*lambda)) : std::nullopt};
  }
};

/// A material of a user that has this law.
inline VolumeMaterial own_rubber(double c1, std::optional<double> lambda) {
  VolumeMaterial material;
  material.law = make_elastic_law<double>(Rubber<double>{c1, lambda});
  return material;
}

}  // namespace cuttle::test
