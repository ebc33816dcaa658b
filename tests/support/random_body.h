#pragma once

#include <string>
#include <vector>

#include "support/plain_robot.h"
#include "support/random.h"

namespace cuttle::test {

/// What random_rod may use.
struct RandomRodOptions {
  bool functions = false;  ///< strain bases given as functions, which exist for double only
  int max_modes = 12;      ///< coordinates of one rod
  int max_sections = 6;
};

/// One random rod; `basis` or `shape` empty: any.
PlainRod random_rod(Random& random, const RandomRodOptions& options, const std::string& basis = "",
                    const std::string& shape = "");
PlainRigid random_rigid(Random& random);
PlainContinuumJoint random_continuum_joint(Random& random);
PlainPose random_pose(Random& random, double distance = 0.2);

/// The bases and section shapes that random_rod knows.
const std::vector<std::string>& all_bases();
const std::vector<std::string>& all_shorthands();
const std::vector<std::string>& all_shapes();

}  // namespace cuttle::test
