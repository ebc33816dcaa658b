#include <cmath>
#include <set>
#include <type_traits>

#include "cuttle/error.h"
#include "model/check_numbers.h"
#include "model/model_builder.h"

namespace cuttle {
template <typename S>
void check_pose(const char* key, const PoseT<S>& pose) {
  check_numbers(pose.position, [key] { return KeyPath{key, "position"}; });
  const Matrix3T<S>& R = pose.rotation;
  for (int i = 0; i < 3; ++i) {
    check_numbers(R.row(i), [key, i] { return KeyPath{key, "rotation", i}; });
    for (int j = 0; j < 3; ++j) {
      const S error = dot(R.row(i), R.row(j)) - S(i == j ? 1.0 : 0.0);
      if (any(error > S(1e-6)) || any(error < S(-1e-6))) {
        throw ModelError({key, "rotation"},
                         "rows whose products are " + number_text(error) + " off those of a rotation", "at most 1e-6");
      }
    }
  }
  if (any(dot(cross(R.row0, R.row1), R.row2) < S(0.0))) {
    throw ModelError({key, "rotation"}, "a reflection", "a rotation");
  }
}

namespace {

void require_no_slash(const std::string& name) {
  if (name.find('/') == std::string::npos) return;
  throw ModelError("name", "'" + name + "'", "a name without '/' (it separates groups in results)");
}

void check_name(const std::string& name, std::set<std::string>& seen) {
  if (name.empty()) throw ModelError("name", "nothing", "a name");
  if (!seen.insert(name).second) throw ModelError("name", "'" + name + "' again", "unique names");
}

/// A name for each part of a list, before messages call them by it.
template <typename Part>
void check_names(const char* list, const std::vector<Part>& parts) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at_place({list, i}, "", [&] { check_name(parts[i].name, seen); });
  }
}

template <typename S>
void check_link(const LinkT<S>& link) {
  check_pose("attach.pose", link.parent.pose);
  check_number("attach.at.s", link.parent.at.s);
  const JointDynamicsT<S>& d = link.joint_dynamics;
  const bool fixed = !link.joint || link.joint->nv() == 0;
  if (fixed && !(d.stiffness.empty() && d.damping.empty() && d.armature.empty() && d.rest.empty())) {
    throw ModelError("joint", "stiffness, damping, armature or rest on a fixed joint", "none");
  }
}

/// What an actuator or an element acts through.
template <typename S>
void check_transmission(const KeyPath& place, const std::shared_ptr<const TransmissionT<S>>& transmission) {
  if (!transmission) throw ModelError(place, "none", "one");
  transmission->check();
}

void check_input(const std::string& input, std::set<std::string>& inputs) {
  if (input.empty()) throw ModelError({}, "nothing", "a name");
  if (!inputs.insert(input).second) throw ModelError({}, "'" + input + "' again", "unique names");
}

/// @param inputs  so far.
template <typename S>
void check_actuator(const ActuatorT<S>& actuator, std::set<std::string>& inputs) {
  check_transmission("transmission", actuator.transmission);
  for (const std::string& input : actuator.inputs()) check_input(input, inputs);
}

/// @param names  of the actuators, and of the elements so far.
template <typename S>
void check_element(const ElementT<S>& element, std::set<std::string>& names, std::set<std::string>& inputs) {
  if (!names.insert(element.name).second) throw ModelError("name", "'" + element.name + "' again", "unique names");
  require_no_slash(element.name);
  for (std::size_t i = 0; i < element.through.size(); ++i) check_transmission({"through", i}, element.through[i]);
  if (!element.law) return;
  for (const CoordinateInfo& input : element.law->inputs()) {
    check_input(input.name.empty() ? element.name : element.name + "." + input.name, inputs);
  }
}

template <typename S>
void check_marker(const MarkerT<S>& marker, const std::vector<LinkT<S>>& links) {
  require_no_slash(marker.name);
  for (const LinkT<S>& link : links) {
    if (marker.name != link.name + ".tip") continue;
    throw ModelError("name", "'" + marker.name + "', which results call a link's tip", "another name");
  }
  check_pose("pose", marker.place.pose);
}

template <typename S>
void check_loop(const LoopT<S>& loop) {
  require_no_slash(loop.name);
  check_vector("axis", loop.axis);
  check_pose("a.pose", loop.a.pose), check_pose("b.pose", loop.b.pose);
  check_number("a.at.s", loop.a.at.s), check_number("b.at.s", loop.b.at.s);
}

}  // namespace

template <typename S>
void check_robot(const RobotT<S>& robot) {
  check_vector("gravity", robot.gravity);
  check_pose("base.pose", robot.base_pose);
  check_names("markers", robot.markers);
  check_names("actuators", robot.actuators);
  check_names("elements", robot.elements);
  check_names("loops", robot.loops);
  check_names("sensors", robot.sensors);
  for_each_part("links", "", robot.links, check_link<S>);
  for_each_part("markers", "marker", robot.markers,
                [&](const MarkerT<S>& marker) { check_marker(marker, robot.links); });
  std::set<std::string> inputs;
  for_each_part("actuators", "actuator", robot.actuators,
                [&](const ActuatorT<S>& actuator) { check_actuator(actuator, inputs); });
  std::set<std::string> names;
  for_each_part("actuators", "actuator", robot.actuators, [&](const ActuatorT<S>& actuator) {
    names.insert(actuator.name);
    if (actuator.law) require_no_slash(actuator.name);  // results have what its law records by it
  });
  for_each_part("elements", "element", robot.elements,
                [&](const ElementT<S>& element) { check_element(element, names, inputs); });
  for_each_part("loads", "", robot.loads, [](const LoadT<S>& load) {
    if (!load.law && std::is_same_v<S, double>) throw ModelError("law", "none", "one");
    check_pose("pose", load.place.pose);
  });
  for_each_part("loops", "loop", robot.loops, check_loop<S>);
  for_each_part("sensors", "sensor", robot.sensors, [](const NamedSensor& sensor) {
    require_no_slash(sensor.name);
    if (!sensor.sensor) throw ModelError("sensor", "none", "one");
  });
}

#define CUTTLE_INSTANTIATE(S)                                      \
  template void check_pose(const char* key, const PoseT<S>& pose); \
  template void check_robot(const RobotT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
