#pragma once

#include <vector>

#include "view/drawn_robot.h"

namespace cuttle {

/// What colors can show of links that deform, at the places where they are drawn.
class LinkFields {
 public:
  /// @param body  of the robot itself; the drawn one of a continuum joint has no stiffness of its own.
  LinkFields(const DrawnRobot::DrawnLink& link, const Body* body);

  bool has_energy() const { return energy_ != Energy::none; }
  bool has_curvature() const { return link_->rod != nullptr; }

  /// Strain energy density [J/m^3] at the rod's stations or the surface's points. Along a rod: of the section's
  /// stiffness and strain, per area; where a law for the whole link stands instead, its energy over the volume.
  /// @param q  of the body.
  void energy(const double* q, double* values) const;
  /// Curvature of the backbone [1/m] at the rod's stations.
  void curvature(const double* q, double* values) const;

 private:
  enum class Energy { none, sections, whole, points };
  const DrawnRobot::DrawnLink* link_;
  const Body* body_;
  Energy energy_ = Energy::none;
  double volume_ = 0.0;  ///< [m^3]
};

}  // namespace cuttle
