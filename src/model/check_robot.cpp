#include <cmath>
#include <set>

#include "cuttle/error.h"
#include "model/model_builder.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

template <typename S>
void check_finite(const std::string& key, const S& value) {
  using std::isfinite;
  if (!isfinite(value)) {
    throw ModelError(key + ": found " + number_text(value) + ", expected a finite number");
  }
}

template <typename S>
void check_vector(const std::string& key, const Vector3T<S>& vector) {
  for (int i = 0; i < 3; ++i) check_finite(key + "[" + std::to_string(i) + "]", vector[i]);
}

/// Finite, and a rotation: R R^T = 1 with determinant 1.
template <typename S>
void check_pose(const std::string& key, const PoseT<S>& pose) {
  check_vector(key + ".position", pose.position);
  const Matrix3T<S>& R = pose.rotation;
  for (int i = 0; i < 3; ++i) {
    check_vector(key + ".rotation[" + std::to_string(i) + "]", R.row(i));
    for (int j = 0; j < 3; ++j) {
      const S error = dot(R.row(i), R.row(j)) - S(i == j ? 1.0 : 0.0);
      if (any(error > S(1e-6)) || any(error < S(-1e-6))) {
        throw ModelError(key + ".rotation: found rows whose products are " + number_text(error) +
                         " off those of a rotation, expected at most 1e-6");
      }
    }
  }
  if (any(dot(cross(R.row0, R.row1), R.row2) < S(0.0))) {
    throw ModelError(key + ".rotation: found a reflection, expected a rotation");
  }
}

/// Numbers of tendons and chambers.
template <typename S>
void check_routes(const ActuatorT<S>& actuator, const std::string& what) {
  using Kind = typename ActuatorT<S>::Kind;
  const std::size_t expected = actuator.kind == Kind::wrench ? 6 : 1;
  if (actuator.kind != Kind::linear && actuator.inputs.size() != expected) {
    throw ModelError(what + "found " + std::to_string(actuator.inputs.size()) + " inputs, expected " +
                     (expected == 1 ? "one" : "six"));
  }
  check_finite(what + "area", actuator.area);
  for (const S& x : actuator.offset) check_finite(what + "offset", x);
  if (actuator.pocket) {
    check_finite(what + "surface.pocket.angle", actuator.pocket->angle);
    check_finite(what + "surface.pocket.width", actuator.pocket->width);
    check_finite(what + "surface.pocket.radius", actuator.pocket->radius);
  }
  for (std::size_t i = 0; i < actuator.routing.size(); ++i) {
    const RoutingT<S>& entry = actuator.routing[i];
    const std::string where = what + "routing[" + std::to_string(i) + "].";
    if (entry.from) check_finite(where + "from", *entry.from);
    if (entry.to) check_finite(where + "to", *entry.to);
    for (const auto& xy : entry.offset) check_finite(where + "offset", xy[0]), check_finite(where + "offset", xy[1]);
    for (const auto& point : entry.points) check_vector(where + "points", point);
    if (!entry.helix) continue;
    check_finite(where + "offset.helix.radius", entry.helix->radius);
    check_finite(where + "offset.helix.phase", entry.helix->phase);
    check_finite(where + "offset.helix.turns", entry.helix->turns);
  }
}

template <typename S>
void check_transmission(const ActuatorT<S>& actuator, const std::string& what) {
  for (const auto& row : actuator.matrix) {
    for (const S& value : row) check_finite(what + "matrix", value);
  }
  check_pose(what + "a.pose", actuator.a.pose), check_pose(what + "b.pose", actuator.b.pose);
  check_finite(what + "a.at.s", actuator.a.at.s), check_finite(what + "b.at.s", actuator.b.at.s);
  check_routes(actuator, what);
}

void check_unique(std::set<std::string>& seen, const std::string& key, const std::string& name) {
  if (name.empty()) throw ModelError(key + ": found nothing, expected a name");
  if (!seen.insert(name).second) throw ModelError(key + ": found '" + name + "' again, expected unique names");
}

}  // namespace

template <typename S>
void check_robot(const RobotT<S>& robot) {
  check_vector("gravity", robot.gravity);
  check_pose("base.pose", robot.base_pose);
  for (const LinkT<S>& link : robot.links) {
    check_pose(link.name + ": attach.pose", link.parent.pose);
    check_finite(link.name + ": attach.at.s", link.parent.at.s);
    const JointDynamicsT<S>& d = link.joint_dynamics;
    const bool fixed = !link.joint || link.joint->nv() == 0;
    if (fixed && !(d.stiffness.empty() && d.damping.empty() && d.armature.empty() && d.rest.empty())) {
      throw ModelError(link.name +
                       ": joint: found stiffness, damping, armature or rest on a fixed joint, expected none");
    }
  }
  std::set<std::string> markers, actuators, inputs;
  for (const auto& marker : robot.markers) {
    check_unique(markers, "markers", marker.name);
    check_pose("marker '" + marker.name + "': pose", marker.place.pose);
  }
  for (const auto& actuator : robot.actuators) {
    check_unique(actuators, "actuators", actuator.name);
    for (const std::string& input : actuator.inputs) check_unique(inputs, "actuator '" + actuator.name + "'", input);
    check_transmission(actuator, "actuator '" + actuator.name + "': ");
  }
  for (const auto& element : robot.elements) {
    check_unique(actuators, "elements", element.name);
    const std::string what = "element '" + element.name + "': ";
    if (element.name.find('/') != std::string::npos) {
      throw ModelError(what + "name: found '" + element.name +
                       "', expected a name without '/' (it separates groups in results)");
    }
    for (const auto& transmission : element.through) check_transmission(transmission, what);
    if (!element.law) continue;
    for (const CoordinateInfo& input : element.law->inputs()) {
      check_unique(inputs, "element '" + element.name + "'",
                   input.name.empty() ? element.name : element.name + "." + input.name);
    }
  }
  for (std::size_t i = 0; i < robot.loads.size(); ++i) {
    const std::string key = "loads[" + std::to_string(i) + "]: ";
    check_pose(key + "pose", robot.loads[i].place.pose);
    check_pose(key + "drone.axes", PoseT<S>{robot.loads[i].drone.axes, {}});
  }
  std::set<std::string> loops;
  for (const auto& loop : robot.loops) {
    check_unique(loops, "loops", loop.name);
    const std::string what = "loop '" + loop.name + "': ";
    if (loop.name.find('/') != std::string::npos) {
      throw ModelError(what + "name: found '" + loop.name +
                       "', expected a name without '/' (it separates groups in results)");
    }
    check_vector(what + "axis", loop.axis);
    check_pose(what + "a.pose", loop.a.pose), check_pose(what + "b.pose", loop.b.pose);
    check_finite(what + "a.at.s", loop.a.at.s), check_finite(what + "b.at.s", loop.b.at.s);
  }
}

#define CUTTLE_INSTANTIATE(S) template void check_robot(const RobotT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
