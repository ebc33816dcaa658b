#include "support/random_robot.h"

#include <algorithm>
#include <cmath>

#include "support/random.h"

namespace cuttle::test {

const std::vector<std::string>& all_joints() {
  static const std::vector<std::string> names{"fixed",     "revolute",  "prismatic", "cylindrical",
                                              "universal", "spherical", "planar",    "free"};
  return names;
}

namespace {

/// True if the body has inertia in every direction, so that its base frame cannot move without kinetic energy.
bool has_full_inertia(const PlainLink& link) {
  if (link.rod || link.continuum_joint) return true;
  return link.rigid && link.rigid->inertia[0] > 0.0;
}

PlainJoint random_joint(Random& random, const std::string& type, bool springs, bool armature) {
  PlainJoint joint;
  joint.type = type;
  for (double& x : joint.axis) x = random.uniform(-2.0, 2.0);
  for (int i = 0; i < 3; ++i) joint.axis2[i] = joint.axis[(i + 1) % 3] + random.uniform(-0.3, 0.3);
  const int nv = joint_nv(type), nq = joint_nq(type);
  const auto values = [&](double low, double high) {
    std::vector<double> list(nv);
    for (double& x : list) x = random.uniform(low, high);
    return list;
  };
  if (springs && random.chance(0.4)) joint.stiffness = values(0.5, 5.0);
  if (springs && random.chance(0.4)) joint.damping = values(0.1, 1.0);
  if (armature || (springs && random.chance(0.3))) joint.armature = values(0.01, 0.1);
  if (!joint.stiffness.empty() && random.chance(0.6)) {
    joint.rest.resize(nq);
    for (double& x : joint.rest) x = random.uniform(-0.5, 0.5);
    if (nq != nv) {
      double square = 0.0;
      for (int i = nq - 4; i < nq; ++i) square += joint.rest[i] * joint.rest[i];
      for (int i = nq - 4; i < nq; ++i) joint.rest[i] /= std::sqrt(square);
    }
  }
  return joint;
}

}  // namespace

PlainRobot random_robot(unsigned seed, const RandomRobotOptions& options) {
  Random random(seed);
  PlainRobot robot;
  robot.gravity = {random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0), random.uniform(-9.0, -5.0)};
  robot.floating = options.floating;
  robot.base = random_pose(random, 1.0);
  const int count = std::max(options.min_links + random.index(options.max_links - options.min_links + 1),
                             static_cast<int>(options.cells.size()) + 1);
  const auto is_rod = [&](int link) { return link >= 0 && robot.links[link].rod.has_value(); };
  for (int i = 0; i < count; ++i) {
    PlainLink link;
    link.name = "link_" + std::to_string(i);
    std::string joint, body, port;

    const bool needs_inertia = options.floating && i == 0;  // the floating base has none of its own
    const double which = random.uniform(0.0, 1.0);
    if (options.rods && which < 0.45) {
      body = "rod";
    } else if (!options.massless || needs_inertia || which < 0.75) {
      body = "rigid";
    } else {
      body = which < 0.87 ? "point mass" : "none";
    }
    const int joints = static_cast<int>(all_joints().size());
    do {
      joint = all_joints()[random.index(joints)];
    } while (!options.quaternion_joints && (joint == "spherical" || joint == "free"));
    if (needs_inertia) joint = "fixed";

    // often the link before, so that long chains occur; else any
    int parent = options.chain || random.chance(0.5) ? i - 1 : random.index(i + 1) - 1;
    const double at = random.uniform(0.0, 1.0);
    port = parent < 0 ? "robot base" : is_rod(parent) && at > 0.5 ? "s" : at < 0.25 ? "base" : "tip";

    if (!options.cells.empty() && i == 0) body = "rod";  // offers every port
    if (i > 0 && i <= static_cast<int>(options.cells.size())) {
      joint = options.cells[i - 1][0], body = options.cells[i - 1][1], port = options.cells[i - 1][2];
      parent = port == "robot base" ? -1 : random.index(i);
      while (port == "s" && !is_rod(parent)) --parent;  // down to the rod that is link 0
    }

    if (body == "rod" && options.continuum_joints && random.chance(0.6)) body = "continuum joint";

    if (body == "rod") link.rod = random_rod(random, options);
    if (body == "continuum joint") link.continuum_joint = random_continuum_joint(random);
    if (body == "rigid" || body == "point mass") link.rigid = random_rigid(random);
    if (body == "point mass") link.rigid->inertia = {};
    link.joint = random_joint(random, joint, options.springs, !has_full_inertia(link));
    link.parent.link = parent;
    link.parent.at = port == "robot base" ? "tip" : port;
    if (port == "s") {
      const double length = robot.links[parent].rod->length;
      link.parent.s = length * random.uniform(0.05, 0.95);
      if (random.chance(0.15)) link.parent.s = length;
      if (random.chance(0.15)) link.parent.s = 0.0;
    }
    if (random.chance(0.8)) link.parent.pose = random_pose(random);
    robot.links.push_back(link);
  }
  // a part that floats must have mass and inertia
  std::vector<bool> heavy(count);
  for (int i = count - 1; i >= 0; --i) {
    heavy[i] = heavy[i] || has_full_inertia(robot.links[i]);
    const int parent = robot.links[i].parent.link;
    if (heavy[i] && parent >= 0) heavy[parent] = true;
  }
  for (int i = 0; i < count; ++i) {
    if (robot.links[i].joint.type != "free" || heavy[i]) continue;
    PlainLink ballast;
    ballast.name = "ballast_" + std::to_string(i);
    ballast.parent = {i, "tip", 0.0, random_pose(random)};
    ballast.rigid = random_rigid(random);
    robot.links.push_back(ballast);
  }
  for (int i = 0; i < count; ++i) {
    PlainPlace place;
    place.link = i;
    place.at = random.chance(0.5) ? "tip" : "base";
    if (robot.links[i].rod && random.chance(0.7)) {
      place.at = "s";
      place.s = robot.links[i].rod->length * random.uniform(0.0, 1.0);
    }
    place.pose = random_pose(random);
    if (i < 6) robot.markers.push_back(place);
  }
  return robot;
}

}  // namespace cuttle::test
