#include "cuttle/algorithms/contact_resultant.h"

#include <algorithm>

namespace cuttle {

Vector3 ContactResultant::center() const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return normal > 0.0 ? 1.0 / normal * moment_ : Vector3{nan, nan, nan};
}

void ContactResultant::add(const SiteObservation& seen) {
  gap = std::min(gap, seen.gap);
  const Vector3 at_site = seen.normal_force * seen.normal + seen.friction;
  force += at_site, torque += cross(seen.position, at_site), friction += seen.friction;
  normal += seen.normal_force, moment_ += seen.normal_force * seen.position;
  if (seen.touch != SiteObservation::Touch::apart) slip = std::max(slip, seen.slip);
}

SiteObservation observe_at_rest(const Sites& sites, const SitePlace& place, double time) {
  FrameMotionT<double> motion[k_most_site_frames];
  std::copy_n(sites.motion(place), place.frame_count, motion);
  const SiteLaw& law = sites.law(place);
  law.still(place.site, time, motion);
  return law.observe(place.site, time, motion, sites.states().data() + place.state);
}

}  // namespace cuttle
