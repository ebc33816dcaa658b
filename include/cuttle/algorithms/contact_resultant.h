#pragma once

#include <limits>

#include "cuttle/algorithms/sites.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// What some sites of contacts do together: a contact, or what a link does to an obstacle.
/// @code
/// ContactResultant whole;
/// for (const SitePlace& place : sites.places()) whole.add(sites.observe(place));
/// @endcode
struct ContactResultant {
  Vector3 force;                                         ///< on the robot, world axes [N]
  Vector3 torque;                                        ///< about the world's origin, world axes [N m]
  Vector3 friction;                                      ///< the part of `force` that is friction [N]
  double normal = 0.0;                                   ///< sum of the magnitudes of normal forces [N]
  double gap = std::numeric_limits<double>::infinity();  ///< least distance, negative when pressed [m]
  double slip = 0.0;                                     ///< largest sliding speed where something presses [m/s]
  /// Where it presses: mean of the places, by normal force, world axes [m]. Not a number while nothing presses.
  Vector3 center() const;

  void add(const SiteObservation& seen);

 private:
  Vector3 moment_;  ///< sum of places by normal forces
};

/// What there is to see at a site of a robot at rest: nothing slides there, also where an obstacle moves
/// (SiteLawT::still). @param sites  as they were asked at that time.
SiteObservation observe_at_rest(const Sites& sites, const SitePlace& place, double time);

}  // namespace cuttle
