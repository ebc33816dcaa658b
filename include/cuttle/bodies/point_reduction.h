#pragma once

#include <cstddef>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/volume_body.h"

namespace CUTTLE_API cuttle {

/// What is asked of fewer points.
struct PointReductionOptions {
  /// Largest error of an integral over the body, relative to its usual size: of inertial forces, elastic and damping
  /// forces, energy and the moment of mass.
  double tolerance = 1e-4;
  /// Largest strain at a point (Frobenius norm of Green-Lagrange's) up to which configurations are looked at.
  double strain = 0.3;
};

/// A part of a body's quadrature points, with weights of their own, all > 0, that integrates what the dynamics need
/// within a tolerance (empirical cubature, An, Kim and James 2008; Farhat et al. 2014). Total mass and centre of mass
/// at rest are those of all points, to rounding. Part of a body that has one (BodyT::part).
struct PointReduction {
  PointReductionOptions options;
  Quadrature full;                ///< all points
  std::vector<std::size_t> kept;  ///< of them, increasing
  std::vector<double> factors;    ///< of each kept point: its weight over that in `full`
  /// Largest error at samples that the choice did not know, as of PointReductionOptions::tolerance.
  double error = 0.0;
};

/// Chooses points of a body once: random configurations, velocities and accelerations with strains up to
/// options.strain, then a non-negative least-squares fit of the weights. The same body gives the same points. Keeps all
/// points, with error 0, where more than half of them would be needed. Takes seconds for thousands of points.
/// @throws ModelError: key, what was found, what was expected.
PointReduction reduce_points(const VolumeBody& body, const PointReductionOptions& options);

/// The points that are kept, with their weights; the volume is exactly that of `full`, whatever numbers it was made of.
/// @param full  the rule of a body with as many points as the reduction was made for. @throws ModelError
template <typename S>
CUTTLE_API QuadratureT<S> reduced_quadrature(const QuadratureT<S>& full, const PointReduction& reduction);

}  // namespace cuttle
