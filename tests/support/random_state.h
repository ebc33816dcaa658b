#pragma once

#include "cuttle/model/model.h"
#include "support/random.h"

namespace cuttle::test {

/// A configuration (quaternions of unit norm), a velocity, an acceleration.
struct RandomState {
  VectorXd q, v, a;
};
/// Angles up to pi, rod bending up to 1 rad, displacements and elongations up to a tenth of a meter; velocities of the
/// same sizes per second times `speed`.
RandomState random_state(const Model& model, Random& random, double speed = 1.0);

}  // namespace cuttle::test
