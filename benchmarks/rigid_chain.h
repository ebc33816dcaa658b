#pragma once

#include <string>
#include <vector>

#include "cuttle/model/robot.h"

namespace cuttle::bench {

/// One link of a rigid chain as both engines are told of it: URDF's numbers.
struct ChainLink {
  Vector3 origin_rpy;        ///< of the joint in the parent link [rad], R = Rz(yaw) Ry(pitch) Rx(roll)
  Vector3 origin_position;   ///< [m]
  Vector3 axis;              ///< of the revolute joint, link axes
  double mass;               ///< [kg]
  Vector3 com;               ///< [m]
  SymmetricMatrix3 inertia;  ///< about the com, link axes [kg m^2]
};

/// Chain of revolute joints about z and y in turn, with arbitrary offsets, turns and (valid) inertias.
/// The same count gives the same chain on every machine.
std::vector<ChainLink> random_chain(int count);

Robot chain_robot(const std::vector<ChainLink>& links);
/// The same chain as the text of a URDF file, to the last bit of every number.
std::string chain_urdf(const std::vector<ChainLink>& links);

}  // namespace cuttle::bench
