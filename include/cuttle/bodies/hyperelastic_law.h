#pragma once

#include <array>
#include <optional>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

/// Stiffness that depends on the strain, [C] (1.17): even polynomial k0 + k1 x^2 + .., or a1 + a2 tanh^2(a3 x).
template <typename S>
struct HyperelasticLawT {
  std::vector<S> polynomial;
  std::optional<std::array<S, 3>> tanh;
  bool operator==(const HyperelasticLawT&) const = default;

  S stiffness(const S& x) const;        ///< k(x)
  S stiffness_slope(const S& x) const;  ///< dk/dx
  S energy(const S& x) const;           ///< int_0^x k(e) e de

  template <typename T>
  HyperelasticLawT<T> cast() const {
    HyperelasticLawT<T> other;
    for (const S& k : polynomial) other.polynomial.push_back(scalar_cast<T>(k));
    if (tanh)
      other.tanh = std::array<T, 3>{scalar_cast<T>((*tanh)[0]), scalar_cast<T>((*tanh)[1]), scalar_cast<T>((*tanh)[2])};
    return other;
  }
};

}  // namespace cuttle
