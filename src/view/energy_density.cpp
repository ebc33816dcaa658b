#include "view/energy_density.h"

#include <algorithm>
#include <cmath>

#include "cuttle/bodies/rod_body.h"

namespace cuttle {

LinkFields::LinkFields(const DrawnRobot::DrawnLink& link, const Body* body) : link_(&link), body_(body) {
  if (body == nullptr || !body->has_energy_density()) return;
  if (link.rod == nullptr) places_ = link.surface.points;
  for (const double s : link.s) places_.push_back({0.0, 0.0, s});
}

void LinkFields::energy(const double* q, double* values) const {
  body_->energy_density(q, places_.data(), places_.size(), values);
  // rounding can leave an undeformed point with an energy below zero
  for (std::size_t k = 0; k < places_.size(); ++k) values[k] = std::max(values[k], 0.0);
}

void LinkFields::curvature(const double* q, double* values) const {
  const int n = link_->body->coordinate_count();
  std::vector<Twist> shape(n);
  for (std::size_t k = 0; k < link_->s.size(); ++k) {
    Twist strain;
    link_->rod->strain_map(link_->s[k], strain, shape.data());
    for (int j = 0; j < n; ++j) strain.angular += q[j] * shape[j].angular;
    values[k] = std::hypot(strain[kappa_x], strain[kappa_y]);
  }
}

}  // namespace cuttle
