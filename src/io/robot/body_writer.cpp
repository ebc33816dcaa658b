// Bodies of a few numbers.
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rigid_body.h"
#include "io/robot/part_writers.h"

namespace cuttle {

void write_rigid(const Body& body, MapWriter& map) {
  const auto* rigid = dynamic_cast<const RigidBody*>(&body);
  if (rigid == nullptr) refuse_to_write("another body of type rigid", "a RigidBody");
  const RigidParameters& p = rigid->parameters();
  const auto& I = p.inertia;
  map.number("mass", p.mass);
  map.vector("com", p.com, {});
  const std::vector<double> inertia{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  if (inertia != std::vector<double>(6, 0.0)) map.numbers("inertia", inertia);
  map.map("tip", [&](MapWriter& tip) { write_pose(p.tip, tip); });
}

void write_continuum_joint(const Body& body, MapWriter& map) {
  const auto* joint = dynamic_cast<const ContinuumJoint*>(&body);
  if (joint == nullptr) refuse_to_write("another body of type continuum_joint", "a ContinuumJoint");
  const ContinuumJointParameters& p = joint->parameters();
  const auto pair = [&map](const char* key, const std::array<double, 2>& values) {
    if (values[0] != values[1]) {
      map.numbers(key, {values[0], values[1]});
    } else {
      map.number(key, values[0], 0.0);
    }
  };
  map.number("length", p.length);
  map.number("mass", p.mass);
  map.number("radius", p.radius);
  pair("stiffness", p.stiffness);
  map.number("coupling_stiffness", p.coupling_stiffness, 0.0);
  pair("damping", p.damping);
  map.flag("momentarily_rigid", p.momentarily_rigid);
}

}  // namespace cuttle
