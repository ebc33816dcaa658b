#pragma once

#include <optional>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

/// What the finite number of points of its quadrature costs a rod: how far it moves when they double. As the method is
/// of order four, this is the error of the rod itself but for its sixteenth.
struct RodDiscretizationError {
  /// |M_2n - M_n| / |M_2n| in the Frobenius norm of the body's M_BB, with stretch and shear coordinates counted in rod
  /// lengths (q / L), so that every entry is in kg m^2. 0 if the rod has no coordinates, or none that moves mass.
  double mass_matrix = 0.0;
  double tip_position = 0.0;  ///< |p_2n - p_n| / L
  double tip_rotation = 0.0;  ///< angle between the two tip frames [rad]

  double largest() const;  ///< of the three
};

/// Each entry is the largest over these shapes: all coordinates 0; and each coordinate alone at 1 rad (bending,
/// torsion) or 0.1 L (stretch, shear), the others 0. Ports do not count. Above 500 points, which cannot double, it is
/// the change from half of them: more than the error. Cost: inertia_blocks of n_B + 1 shapes, with n and with 2 n
/// points. Allocates.
/// @throws ArgumentError if the body is no rod: nothing slender whose points can be chosen.
RodDiscretizationError estimate_discretization_error(const Body& rod);

/// Points of quadrature, the rod's own or more, with which the estimate for this rod is at most `tolerance`: found by
/// trying, each time the number that order four promises. Nothing if even 1000 do not suffice.
std::optional<int> quadrature_points_for_error(const Body& rod, double tolerance);

}  // namespace cuttle
