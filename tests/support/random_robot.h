#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/plain_robot.h"
#include "support/random_body.h"

namespace cuttle::test {

/// What random_robot may use.
struct RandomRobotOptions : RandomRodOptions {
  int min_links = 1, max_links = 12;
  bool floating = false;
  bool rods = true;
  bool continuum_joints = false;  ///< in the place of some rods; not together with `cells`
  bool massless = true;           ///< links without body, and point masses
  bool quaternion_joints = true;  ///< spherical and free
  bool springs = true;            ///< stiffness, damping, armature, rest on joints
  bool chain = false;             ///< every link on the one before
  /// Joint, body (none, point mass, rigid, rod) and port of the parent (robot base, base, tip, s) of the first links
  /// after the first, instead of random ones.
  std::vector<std::array<std::string, 3>> cells;
};

/// A tree of random links. Every number is arbitrary, none is zero or one or equal to another where a slip could hide
/// behind it; masses are positive, and the mass matrix is definite: a joint whose own body does not have inertia in all
/// directions gets armature, the base of a floating robot a rigid body. The same seed gives the same robot everywhere.
PlainRobot random_robot(unsigned seed, const RandomRobotOptions& options = {});

/// The joint types that random_robot knows.
const std::vector<std::string>& all_joints();

}  // namespace cuttle::test
