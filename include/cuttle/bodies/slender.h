#pragma once

#include <memory>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/rod_section.h"
#include "cuttle/spatial/pose.h"

namespace CUTTLE_API cuttle {

template <typename S>
class BodyT;

/// A body along a line, as others see it (BodyT::slender): cross-sections at 0 <= s <= L [m of rest length], each a
/// frame whose z axis is normal to it and whose x, y axes those of its outline follow. Rods are; a body of a user's own
/// may be.
///
/// Such a body has ports at {s} (BodyT::add_port), and its rest points (x, y, s) are s along the line and (x, y) in the
/// axes of the section there [m]; points (0, 0, s) are what BodyT::energy_density is asked about. It is drawn as a
/// tube, markers and children sit on it, tendons and chambers run along it by its strain, distributed loads and fluids
/// act at its BodyT::stations.
template <typename S>
class SlenderT {
 public:
  virtual ~SlenderT() = default;

  virtual S length() const = 0;  ///< L [m]
  /// Shape of the sections. One without any size is one that nobody knows.
  virtual const SectionT<S>& section() const = 0;
  /// Strain (angular kappa [1/m], linear sigma; section axes) at s: xi(s) = rest + sum_k shape[k] q_k, where the frames
  /// change along the line by xi.
  /// @param shape  n_B, overwritten.
  virtual void strain_map(const S& s, TwistT<S>& rest, TwistT<S>* shape) const = 0;
  /// Where the strain jumps or bends, ascending [m].
  virtual std::vector<S> strain_breaks() const { return {}; }
  /// Points of Gauss-Legendre quadrature along each piece between two breaks, with which the body is computed.
  virtual int quadrature_points() const = 0;
  /// The same body, without ports besides the tip, computed with so many; null: there is no such choice.
  virtual std::unique_ptr<BodyT<S>> with_quadrature_points(int /*count*/) const { return nullptr; }
};

}  // namespace cuttle
