#include "view/energy_density.h"

#include <algorithm>
#include <cmath>

#include "bodies/rod_discretization.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/volume_body.h"

namespace cuttle {
namespace {

const VolumeMaterial* material_of(const Body& body) {
  if (const auto* volume = dynamic_cast<const VolumeBody*>(&body)) return &volume->material();
  if (const auto* nodal = dynamic_cast<const NodalVolume*>(&body)) return &nodal->parameters().material;
  return nullptr;
}

bool has_section(const Section& section) {
  return !section.radius.empty() || !section.radius_x.empty() || !section.width.empty() || !section.area.empty();
}

}  // namespace

LinkFields::LinkFields(const DrawnRobot::DrawnLink& link, const Body* body) : link_(&link), body_(body) {
  if (body == nullptr) return;
  if (const auto* rod = dynamic_cast<const RodBody*>(body)) {
    const RodParameters& p = rod->parameters();
    if (!has_section(p.section)) return;
    const std::size_t pieces = link.s.size() - 1;
    for (std::size_t k = 0; k <= pieces; ++k) {  // trapezoidal rule
      const double weight = p.length / static_cast<double>(pieces) * (k == 0 || k == pieces ? 0.5 : 1.0);
      volume_ += weight * p.section.at(link.s[k] / p.length).area;
    }
    const bool law = p.hyperelastic_bend || p.hyperelastic_stretch;
    if (law || p.stiffness || p.material.young_modulus) energy_ = law ? Energy::whole : Energy::sections;
  } else if (const auto* joint = dynamic_cast<const ContinuumJoint*>(body)) {
    volume_ = M_PI * std::pow(joint->parameters().radius, 2) * joint->parameters().length;
    energy_ = Energy::whole;
  } else if (material_of(*body) != nullptr && !link.surface.points.empty()) {
    energy_ = Energy::points;
  }
}

void LinkFields::energy(const double* q, double* values) const {
  if (energy_ == Energy::whole) {
    std::fill_n(values, link_->s.size(), body_->elastic_energy(q) / volume_);
  } else if (energy_ == Energy::sections) {
    const RodParameters& p = link_->rod->parameters();
    for (std::size_t k = 0; k < link_->s.size(); ++k) {
      const double t = link_->s[k] / p.length;
      const Twist strain = link_->rod->strain_at(link_->s[k], q);
      double energy = 0.0;
      for (int c = 0; c < 6; ++c) {
        if (!p.strain[c]) continue;
        const Profile& rest = p.rest_strain[c];
        const double change = strain[c] - (rest.empty() ? (c == sigma_z ? 1.0 : 0.0) : rest.at(t));
        energy += 0.5 * section_rigidity(p, c, t) * change * change;
      }
      values[k] = energy / p.section.at(t).area;
    }
  } else if (energy_ == Energy::points) {
    const std::vector<Vector3>& x = link_->surface.points;
    std::vector<Vector3> positions(x.size());
    std::vector<Matrix3> gradients(x.size());
    body_->material_points(q, x.data(), x.size(), {positions.data(), nullptr, gradients.data()});
    const VolumeMaterial& material = *material_of(*body_);
    // rounding can leave an undeformed point with an energy below zero
    for (std::size_t i = 0; i < x.size(); ++i) values[i] = std::max(material.energy_density(gradients[i]), 0.0);
  }
}

void LinkFields::curvature(const double* q, double* values) const {
  for (std::size_t k = 0; k < link_->s.size(); ++k) {
    const Twist strain = link_->rod->strain_at(link_->s[k], q);
    values[k] = std::hypot(strain[kappa_x], strain[kappa_y]);
  }
}

}  // namespace cuttle
