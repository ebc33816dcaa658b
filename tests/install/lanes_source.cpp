// Compiled twice, with other flags and as another function: CUTTLE_TEST_BENDER.
#include "lanes.h"

BenderFromSource CUTTLE_TEST_BENDER() {
  const auto body = std::make_shared<cuttle::PointBody<Bender>>(cuttle::point_cylinder(0.3, 0.02, 1000.0, 4, 2, 6));
  return {body, type_of(*body), cuttle::k_host_lanes};
}
