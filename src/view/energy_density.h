#pragma once

#include <vector>

#include "view/drawn_robot.h"

namespace cuttle {

/// What colors can show of links that deform, at the places where they are drawn.
class LinkFields {
 public:
  /// @param body  of the robot itself; what stands for it in drawings has no stiffness of its own.
  LinkFields(const DrawnRobot::DrawnLink& link, const Body* body);

  bool has_energy() const { return !places_.empty(); }
  bool has_curvature() const { return link_->rod != nullptr; }

  /// Strain energy density [J/m^3] at the rod's stations or the surface's points (BodyT::energy_density).
  /// @param q  of the body.
  void energy(const double* q, double* values) const;
  /// Curvature of the backbone [1/m] at the rod's stations.
  void curvature(const double* q, double* values) const;

 private:
  const DrawnRobot::DrawnLink* link_;
  const Body* body_;
  std::vector<Vector3> places_;  ///< of the energy density; empty: none
};

}  // namespace cuttle
