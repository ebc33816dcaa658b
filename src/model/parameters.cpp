#include "cuttle/model/parameters.h"

#include <algorithm>

#include "cuttle/error.h"
#include "cuttle/model/robot.h"

namespace cuttle {
namespace {

bool same(const Vector3& a, const Vector3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool same(const Pose& a, const Pose& b) {
  const Matrix3 &A = a.rotation, &B = b.rotation;
  return same(a.position, b.position) && same(A.row0, B.row0) && same(A.row1, B.row1) && same(A.row2, B.row2);
}

bool same(const Place& a, const Place& b) {
  return a.link == b.link && a.at.kind == b.at.kind && a.at.s == b.at.s && same(a.at.point, b.at.point) &&
         same(a.pose, b.pose);
}

/// Joints and bodies are const once made: the same one is the same object.
bool same(const Link& a, const Link& b) {
  const JointDynamicsT<double>&x = a.joint_dynamics, &y = b.joint_dynamics;
  return a.name == b.name && same(a.parent, b.parent) && a.joint == b.joint && a.body == b.body &&
         x.stiffness == y.stiffness && x.damping == y.damping && x.armature == y.armature && x.rest == y.rest;
}

bool same(const Routing& a, const Routing& b) {
  const auto same_helix = [](const std::optional<Routing::Helix>& x, const std::optional<Routing::Helix>& y) {
    if (!x || !y) return x.has_value() == y.has_value();
    return x->radius == y->radius && x->phase == y->phase && x->turns == y->turns;
  };
  return a.link == b.link && a.from == b.from && a.to == b.to && a.offset == b.offset && same_helix(a.helix, b.helix) &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                    [](const Vector3& x, const Vector3& y) { return same(x, y); });
}

bool same(const Actuator& a, const Actuator& b) {
  return a.kind == b.kind && a.name == b.name && a.links == b.links && a.matrix == b.matrix && a.inputs == b.inputs &&
         a.joint_index == b.joint_index && a.slack == b.slack && a.offset == b.offset && a.area == b.area &&
         std::equal(a.routing.begin(), a.routing.end(), b.routing.begin(), b.routing.end(),
                    [](const Routing& x, const Routing& y) { return same(x, y); });
}

bool same(const Load& a, const Load& b) {
  return a.kind == b.kind && same(a.place, b.place) && a.axes == b.axes &&
         std::equal(std::begin(a.force), std::end(a.force), std::begin(b.force)) &&
         std::equal(std::begin(a.torque), std::end(a.torque), std::begin(b.torque));
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

const ParameterSource& parameter_source(const Robot& robot) {
  if (!robot.source) {
    throw ArgumentError("parameters: found robot '" + robot.name +
                        "' described in C++, expected one from a file: change the fields of its Robot and build a "
                        "Model from it; for gradients, cast the Robot to the scalar Gradient first");
  }
  const Robot& read = robot.source->robot();
  const bool unchanged = robot.name == read.name && same(robot.gravity, read.gravity) &&
                         robot.floating_base == read.floating_base && same(robot.base_pose, read.base_pose) &&
                         same(robot.links, read.links) && same(robot.actuators, read.actuators) &&
                         same(robot.loads, read.loads);
  if (!unchanged) {
    throw ArgumentError("parameters: found robot '" + robot.name + "' changed in C++ after it was read from " +
                        robot.source->name() +
                        ", expected it as read: make these changes in the file, by parameters or overrides, or change "
                        "the fields of the Robot alone");
  }
  return *robot.source;
}

}  // namespace cuttle
