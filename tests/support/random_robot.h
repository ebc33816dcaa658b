#pragma once

#include <array>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/model.h"
#include "support/plain_robot.h"
#include "support/random.h"

namespace cuttle::test {

/// The library's description of a plain robot. Link i is named as there, marker k "marker_k".
Robot to_robot(const PlainRobot& plain);
RodParameters to_rod_parameters(const PlainRod& plain);
RigidParameters to_rigid_parameters(const PlainRigid& plain);
Pose to_pose(const PlainPose& plain);

/// What random_robot may use.
struct RandomRobotOptions {
  int min_links = 1, max_links = 12;
  bool floating = false;
  bool rods = true;
  bool massless = true;           ///< links without body, and point masses
  bool quaternion_joints = true;  ///< spherical and free
  bool springs = true;            ///< stiffness, damping, armature, rest on joints
  bool functions = false;         ///< strain bases given as functions, which exist for double only
  int max_modes = 12;             ///< coordinates of one rod
  int max_sections = 6;
  bool chain = false;  ///< every link on the one before
  /// Joint, body (none, point mass, rigid, rod) and port of the parent (robot base, base, tip, s) of the first links
  /// after the first, instead of random ones.
  std::vector<std::array<std::string, 3>> cells;
};

/// A tree of random links. Every number is arbitrary, none is zero or one or equal to another where a slip could hide
/// behind it; masses are positive, and the mass matrix is definite: a joint whose own body does not have inertia in all
/// directions gets armature, the base of a floating robot a rigid body. The same seed gives the same robot everywhere.
PlainRobot random_robot(unsigned seed, const RandomRobotOptions& options = {});
/// One random rod; `basis` or `shape` empty: any.
PlainRod random_rod(Random& random, const RandomRobotOptions& options, const std::string& basis = "",
                    const std::string& shape = "");
PlainRigid random_rigid(Random& random);
PlainPose random_pose(Random& random, double distance = 0.2);

/// The bases and section shapes that random_rod knows.
const std::vector<std::string>& all_bases();
const std::vector<std::string>& all_shorthands();
const std::vector<std::string>& all_shapes();
const std::vector<std::string>& all_joints();

/// A configuration (quaternions of unit norm), a velocity, an acceleration.
struct RandomState {
  VectorXd q, v, a;
};
/// Angles up to pi, rod bending up to 1 rad, displacements and elongations up to a tenth of a meter; velocities of the
/// same sizes per second times `speed`.
RandomState random_state(const Model& model, Random& random, double speed = 1.0);

/// How often each combination of joint, body, port of the parent and base motion has been seen.
class Coverage {
 public:
  void add(const PlainRobot& robot);
  /// Table, one row a joint and body, one column a port and base motion; then rods by basis and by section shape.
  void print(std::ostream& out) const;
  /// Combinations never seen.
  std::vector<std::string> empty_cells() const;
  /// Joint, body and port never seen with that base motion.
  std::vector<std::array<std::string, 3>> empty_cells(const std::string& base_motion) const;

 private:
  using Cell = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Cell, int> cells_;
  std::map<std::string, int> bases_, shapes_;
};

/// The robots that the tests of algorithms run: trees of 1 - 50 links, half of them floating; the last ones hold the
/// combinations that chance left out.
struct NamedRobot {
  std::string name;  ///< repeats the case: "seed 12, floating"
  unsigned seed;
  PlainRobot plain;
};
const std::vector<NamedRobot>& standard_robots();

}  // namespace cuttle::test
