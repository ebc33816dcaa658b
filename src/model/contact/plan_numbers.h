#pragma once

#include <optional>

#include "cuttle/model/robot.h"
#include "model/contact/site_curve.h"

// Numbers of materials and curves that sites of contacts are made with.

namespace cuttle {

/// (1 - nu^2) / E of a material; nothing if it says no stiffness.
template <typename S>
std::optional<S> compliance_of(const MaterialT<S>& material) {
  using Law = typename MaterialT<S>::Model;
  const S one(1.0), half(0.5), six(6.0);
  const auto of = [&](const S& E, const S& nu) { return (one - nu * nu) / E; };
  if (material.law) return std::nullopt;
  switch (material.model) {
    case Law::linear:
    case Law::st_venant_kirchhoff:
      if (!material.young_modulus || !any(*material.young_modulus > S(0.0))) return std::nullopt;
      return of(*material.young_modulus, material.poisson_ratio);
    case Law::neo_hookean: {
      const S mu = S(2.0) * material.c1;
      if (!any(mu > S(0.0))) return std::nullopt;
      if (!material.lame_lambda) return of(six * material.c1, half);
      const S nu = *material.lame_lambda / (S(2.0) * (*material.lame_lambda + mu));
      return of(S(2.0) * mu * (one + nu), nu);
    }
    case Law::mooney_rivlin:
    case Law::yeoh: {
      const S E = six * (material.c1 + (material.model == Law::mooney_rivlin ? material.c2 : S(0.0)));
      if (!any(E > S(0.0))) return std::nullopt;
      return of(E, half);
    }
  }
  return std::nullopt;
}

template <typename S>
S length_of(const CubicT<S>& curve) {
  // Simpson's rule over eight parts: the curves are close to circular arcs, along which the speed is even
  S sum(0.0);
  constexpr int k_parts = 8;
  for (int i = 0; i <= k_parts; ++i) {
    const S weight(i == 0 || i == k_parts ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0));
    sum += weight * norm(curve.slope(S(static_cast<double>(i) / k_parts)));
  }
  return sum * S(1.0 / (3.0 * k_parts));
}

}  // namespace cuttle
