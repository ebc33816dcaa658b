#include "cuttle/algorithms/contact_resultant.h"

#include <algorithm>

#include "algorithms/still_sites.h"

namespace cuttle {

Vector3 ContactResultant::center() const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return normal > 0.0 ? 1.0 / normal * moment_ : Vector3{nan, nan, nan};
}

void ContactResultant::add(const SiteObservation& seen) {
  gap = std::min(gap, seen.gap);
  const Vector3 at_site = seen.normal_force * seen.normal + seen.friction;
  force += at_site, torque += seen.torque, friction += seen.friction;
  normal += seen.normal_force, moment_ += seen.normal_force * seen.position;
  if (seen.touch != SiteObservation::Touch::apart) slip = std::max(slip, seen.slip);
}

SiteObservation observe_at_rest(const Sites& sites, const SitePlace& place, double time) {
  const double* states = sites.states().data() + place.state;
  return sites.law(place).observe(place.site, time, StillFrames(sites, place, time).motion, states);
}

}  // namespace cuttle
