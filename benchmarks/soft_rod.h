#pragma once

#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/robot.h"

namespace cuttle::bench {

/// A silicone rod 0.3 m long that tapers from 20 to 10 mm of radius.
RodParameters tapered_rod(const std::array<std::optional<StrainBasis>, 6>& strain, int points);
/// All six strain components with Legendre polynomials up to an order: 6 (order + 1) coordinates.
std::array<std::optional<StrainBasis>, 6> full_strain(int order);

/// Equal rods one after the other, hanging from a clamp; each link has a body of its own, as from a file.
Robot hanging_rods(const RodParameters& rod, int count);

}  // namespace cuttle::bench
