#pragma once

#include <array>
#include <string>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/model/model.h"

namespace cuttle::test {

/// Every type of loop.
inline constexpr std::array<LoopType, 5> k_loop_types{LoopType::fixed, LoopType::revolute, LoopType::spherical,
                                                      LoopType::prismatic, LoopType::universal};

/// A rigid bar along its x axis, its mass in the middle.
inline Link bar(const std::string& name, const std::string& parent, double length, const Vector3& axis) {
  const double mass = 2.0 * length, lateral = mass * length * length / 12.0;
  RigidParameters rigid;
  rigid.mass = mass, rigid.com = {length / 2, 0, 0}, rigid.inertia = {1e-3, lateral, lateral, 0, 0, 0};
  rigid.tip.position = {length, 0, 0};
  Link link;
  link.name = name;
  link.parent.link = parent;
  link.joint = make_revolute_joint<double>(axis);
  link.body = std::make_shared<const RigidBody>(rigid);
  return link;
}

/// Four-bar linkage in the xz plane: crank and coupler hang on each other from the origin, the rocker on the base at
/// (ground, 0, 0); `loop` joins the tips of coupler and rocker. All joints turn about -y, so that positive angles lift.
struct FourBar {
  double crank = 0.2, coupler = 0.5, rocker = 0.4, ground = 0.55;
  LoopType type = LoopType::revolute;
  double offset = 0.0;  ///< of the rocker's end out of the plane

  Robot robot() const {
    const Vector3 axis{0, -1, 0};
    Robot robot;
    robot.name = "four_bar";
    robot.links = {bar("crank", "base", crank, axis), bar("coupler", "crank", coupler, axis),
                   bar("rocker", "base", rocker, axis)};
    robot.links[2].parent.pose.position = {ground, 0, 0};
    Loop loop;
    loop.name = "pin", loop.type = type, loop.axis = axis;
    loop.a.link = "coupler", loop.b.link = "rocker";
    loop.b.pose.position = {0, offset, 0};
    robot.loops = {loop};
    return robot;
  }
};

}  // namespace cuttle::test
