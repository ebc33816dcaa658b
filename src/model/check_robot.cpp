#include <cmath>
#include <set>

#include "cuttle/error.h"
#include "model/model_builder.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

template <typename S>
void check_number(const char* key, const S& value) {
  using std::isfinite;
  if (!isfinite(value)) throw ModelError(key, number_text(value), "a finite number");
}

/// @param place  makes the path, if it is needed.
template <typename S, typename Place>
void check_numbers(const Vector3T<S>& vector, const Place& place) {
  using std::isfinite;
  for (int i = 0; i < 3; ++i) {
    if (!isfinite(vector[i])) throw ModelError({place(), i}, number_text(vector[i]), "a finite number");
  }
}
template <typename S>
void check_vector(const char* key, const Vector3T<S>& vector) {
  check_numbers(vector, [key] { return KeyPath(key); });
}

/// Finite, and a rotation: R R^T = 1 with determinant 1.
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

template <typename S>
void check_routing(const RoutingT<S>& entry) {
  if (entry.from) check_number("from", *entry.from);
  if (entry.to) check_number("to", *entry.to);
  for (const auto& xy : entry.offset) check_number("offset", xy[0]), check_number("offset", xy[1]);
  for (const auto& point : entry.points) check_vector("points", point);
  if (!entry.helix) return;
  check_number("offset.helix.radius", entry.helix->radius);
  check_number("offset.helix.phase", entry.helix->phase);
  check_number("offset.helix.turns", entry.helix->turns);
}

/// What an actuator or an element acts through.
template <typename S>
void check_transmission(const ActuatorT<S>& actuator) {
  using Kind = typename ActuatorT<S>::Kind;
  for (const auto& row : actuator.matrix) {
    for (const S& value : row) check_number("matrix", value);
  }
  const std::size_t expected = actuator.kind == Kind::wrench ? 6 : 1;
  if (actuator.kind != Kind::linear && actuator.inputs.size() != expected) {
    throw ModelError({}, std::to_string(actuator.inputs.size()) + " inputs", expected == 1 ? "one" : "six");
  }
  check_pose("a.pose", actuator.a.pose), check_pose("b.pose", actuator.b.pose);
  check_number("a.at.s", actuator.a.at.s), check_number("b.at.s", actuator.b.at.s);
  check_number("area", actuator.area);
  for (const S& x : actuator.offset) check_number("offset", x);
  if (actuator.pocket) {
    check_number("surface.pocket.angle", actuator.pocket->angle);
    check_number("surface.pocket.width", actuator.pocket->width);
    check_number("surface.pocket.radius", actuator.pocket->radius);
  }
  for (std::size_t i = 0; i < actuator.routing.size(); ++i) {
    at_place({"routing", i}, "", [&] { check_routing(actuator.routing[i]); });
  }
}

void check_input(const std::string& input, std::set<std::string>& inputs) {
  if (input.empty()) throw ModelError({}, "nothing", "a name");
  if (!inputs.insert(input).second) throw ModelError({}, "'" + input + "' again", "unique names");
}

/// @param inputs  so far.
template <typename S>
void check_actuator(const ActuatorT<S>& actuator, std::set<std::string>& inputs) {
  for (const std::string& input : actuator.inputs) check_input(input, inputs);
  check_transmission(actuator);
}

/// @param names  of the actuators, and of the elements so far.
template <typename S>
void check_element(const ElementT<S>& element, std::set<std::string>& names, std::set<std::string>& inputs) {
  if (!names.insert(element.name).second) throw ModelError("name", "'" + element.name + "' again", "unique names");
  if (element.name.find('/') != std::string::npos) {
    throw ModelError("name", "'" + element.name + "'", "a name without '/' (it separates groups in results)");
  }
  for (const auto& transmission : element.through) check_transmission(transmission);
  if (!element.law) return;
  for (const CoordinateInfo& input : element.law->inputs()) {
    check_input(input.name.empty() ? element.name : element.name + "." + input.name, inputs);
  }
}

template <typename S>
void check_loop(const LoopT<S>& loop) {
  if (loop.name.find('/') != std::string::npos) {
    throw ModelError("name", "'" + loop.name + "'", "a name without '/' (it separates groups in results)");
  }
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
  for_each_part("links", "", robot.links, check_link<S>);
  for_each_part("markers", "marker", robot.markers,
                [](const MarkerT<S>& marker) { check_pose("pose", marker.place.pose); });
  std::set<std::string> inputs;
  for_each_part("actuators", "actuator", robot.actuators,
                [&](const ActuatorT<S>& actuator) { check_actuator(actuator, inputs); });
  std::set<std::string> names;
  for (const ActuatorT<S>& actuator : robot.actuators) names.insert(actuator.name);
  for_each_part("elements", "element", robot.elements,
                [&](const ElementT<S>& element) { check_element(element, names, inputs); });
  for_each_part("loads", "", robot.loads, [](const LoadT<S>& load) {
    check_pose("pose", load.place.pose);
    check_pose("drone.axes", PoseT<S>{load.drone.axes, {}});
  });
  for_each_part("loops", "loop", robot.loops, check_loop<S>);
}

#define CUTTLE_INSTANTIATE(S) template void check_robot(const RobotT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
