#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/error.h"
#include "cuttle/model/effort_law.h"
#include "cuttle/model/joint.h"
#include "cuttle/model/load.h"
#include "cuttle/model/loop.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/place.h"
#include "cuttle/model/routing.h"
#include "cuttle/model/signal.h"

namespace cuttle {

/// Axes of a wrench: those of the world, or of the frame at which it acts.
enum class Axes { world, body };

/// A link: a joint followed by a body, attached to a place on its parent.
template <typename S>
struct LinkT {
  std::string name;
  PlaceT<S> parent{};                        ///< empty parent.link: the link before, or "base" for the first
  std::shared_ptr<const JointT<S>> joint{};  ///< null: fixed
  JointDynamicsT<S> joint_dynamics{};
  std::shared_ptr<const BodyT<S>> body{};  ///< null: massless, tip = base

  /// Joints and bodies are const once made: the same one is the same object.
  bool operator==(const LinkT&) const = default;
  /// The same link for another scalar. @throws ModelError if its body has only one scalar.
  template <typename T>
  LinkT<T> cast() const;
};
using Link = LinkT<double>;

template <typename S>
template <typename T>
LinkT<T> LinkT<S>::cast() const {
  return {name, parent.template cast<T>(),
          joint ? std::shared_ptr<const JointT<T>>(joint->clone_as(ScalarTag<T>{})) : nullptr,
          joint_dynamics.template cast<T>(),
          body ? at_place("body", "", [&] { return std::shared_ptr<const BodyT<T>>(body->clone_as(ScalarTag<T>{})); })
               : nullptr};
}

/// A named frame that users want to read or push at.
template <typename S>
struct MarkerT {
  std::string name;
  PlaceT<S> place;

  bool operator==(const MarkerT&) const = default;
  template <typename T>
  MarkerT<T> cast() const {
    return {name, place.template cast<T>()};
  }
};
using Marker = MarkerT<double>;

/// An external load: a wrench at a place, force and torque per meter along a rod, a fluid around a link, a drone at a
/// place.
template <typename S>
struct LoadT {
  enum class Kind { wrench, distributed, fluid, drone };
  Kind kind = Kind::wrench;
  PlaceT<S> place;             ///< distributed, fluid: only the link counts
  Signal force[3], torque[3];  ///< wrench, distributed: [N, N m] or per meter
  Axes axes = Axes::world;     ///< body: the axes follow the place's frame
  FluidT<S> fluid{};
  DroneT<S> drone{};

  bool operator==(const LoadT&) const = default;
  /// It is a function of the robot's motion, not of time alone.
  bool depends_on_state() const { return kind == Kind::fluid || kind == Kind::drone; }
  /// All signals that it follows.
  std::vector<Signal> signals() const {
    std::vector<Signal> all;
    for (const auto* three : {&force, &torque, &drone.angular_velocity, &drone.linear_velocity}) {
      all.insert(all.end(), std::begin(*three), std::end(*three));
    }
    return all;
  }

  template <typename T>
  LoadT<T> cast() const {
    LoadT<T> other;
    other.kind = static_cast<typename LoadT<T>::Kind>(kind);
    other.place = place.template cast<T>();
    for (int i = 0; i < 3; ++i) other.force[i] = force[i], other.torque[i] = torque[i];
    other.axes = axes;
    other.fluid = fluid.template cast<T>();
    other.drone = drone.template cast<T>();
    return other;
  }
};
using Load = LoadT<double>;

/// What inputs an actuator has, its actuation coordinates y(q), and with them its generalized force (dy/dq)^T u
/// (docs/format.md, Actuator).
template <typename S>
struct ActuatorT {
  enum class Kind { linear, joint, tendon, chamber, distance, wrench };
  Kind kind = Kind::linear;
  std::string name;
  std::vector<std::string> inputs;  ///< NAME, or of a linear one NAME.0, NAME.1, ..

  // linear: y = matrix^T q of the links; joint: y is a coordinate of the joint of links[0]
  std::vector<std::string> links;      ///< rows: their coordinates (velocities) in order; chamber: its rod or volume
  std::vector<std::vector<S>> matrix;  ///< by rows, one column an input
  int joint_index = -1;                ///< joint: which of its coordinates

  // tendon: y = l(0) - l(q), u = tension [N]
  std::vector<RoutingT<S>> routing;
  Slack slack = Slack::error;

  // chamber: y = volume [m^3], u = pressure difference to the atmosphere [Pa]
  std::array<S, 2> offset{};               ///< of its axis, in the rod's section axes [m]
  S area{};                                ///< of its cross-section [m^2]; along a rod
  std::string surface;                     ///< of a volume: `inner`, or a group of its mesh
  std::optional<SectorPocketT<S>> pocket;  ///< of a volume, instead of `surface`

  // distance: y = l(0) - l(q), l the distance of two places
  // wrench: u = torque and force at a; there is no y of which the velocity is the rate: it is 0
  PlaceT<S> a{}, b{};
  Axes axes = Axes::body;  ///< of the wrench

  bool operator==(const ActuatorT&) const = default;
  /// Acts on joint coordinate `index` of `link`.
  static ActuatorT joint(std::string name, std::string link, int index = 0);
  static ActuatorT tendon(std::string name, std::vector<RoutingT<S>> routing, Slack slack = Slack::error);
  /// Chamber all along the rod of `link`.
  static ActuatorT chamber(std::string name, std::string link, std::array<S, 2> offset, S area);
  /// Cavity in the volume of `link`: `inner`, the bore of a hollow cylinder, or what a group of triangles of its mesh
  /// bounds. Openings are closed by flat fans.
  static ActuatorT chamber(std::string name, std::string link, std::string surface);
  static ActuatorT chamber(std::string name, std::string link, const SectorPocketT<S>& pocket);
  /// Pulls two places towards each other, u [N].
  static ActuatorT distance(std::string name, PlaceT<S> a, PlaceT<S> b);
  /// Six inputs NAME.tx [N m] .. NAME.fz [N] at a place, in its axes or the world's.
  static ActuatorT wrench(const std::string& name, PlaceT<S> place, Axes axes = Axes::body);

  template <typename T>
  ActuatorT<T> cast() const {
    ActuatorT<T> other;
    other.kind = static_cast<typename ActuatorT<T>::Kind>(kind);
    other.name = name, other.links = links, other.inputs = inputs, other.joint_index = joint_index;
    for (const auto& row : matrix) {
      other.matrix.emplace_back();
      for (const S& x : row) other.matrix.back().push_back(scalar_cast<T>(x));
    }
    for (const auto& entry : routing) other.routing.push_back(entry.template cast<T>());
    other.slack = slack;
    other.offset = {scalar_cast<T>(offset[0]), scalar_cast<T>(offset[1])};
    other.area = scalar_cast<T>(area);
    other.surface = surface;
    if (pocket) other.pocket = pocket->template cast<T>();
    other.a = a.template cast<T>(), other.b = b.template cast<T>();
    other.axes = axes;
    return other;
  }
};
using Actuator = ActuatorT<double>;

/// What acts by a law of its own: a spring, a limit of a joint, a muscle of a user. The law's efforts act as the inputs
/// of actuators would, of which the element has one for each of its transmissions; names and slack of these are not
/// used.
template <typename S>
struct ElementT {
  std::string name;
  std::vector<ActuatorT<S>> through;
  std::shared_ptr<const EffortLawT<S>> law{};

  /// Laws are const once made: the same one is the same object.
  bool operator==(const ElementT&) const = default;
  /// The same element for another scalar; without a law if this has only one.
  template <typename T>
  ElementT<T> cast() const {
    ElementT<T> other;
    other.name = name;
    for (const auto& transmission : through) other.through.push_back(transmission.template cast<T>());
    if (law) other.law = law->clone_as(ScalarTag<T>{});
    return other;
  }
};
using Element = ElementT<double>;

/// Description of a robot, from which a Model is built: plain data, checked by the Model.
/// @code
/// Robot robot;
/// robot.links.push_back({.name = "arm", .joint = make_revolute_joint<double>({0, 1, 0}), .body = rod});
/// const Model model(robot);
/// @endcode
template <typename S>
struct RobotT {
  std::string name = "robot";
  Vector3T<S> gravity{S(0.0), S(0.0), S(-9.81)};  ///< world axes [m/s^2]
  bool floating_base = false;
  PoseT<S> base_pose;  ///< in the world; with a floating base, the pose at q = identity
  std::vector<LinkT<S>> links;
  std::vector<MarkerT<S>> markers;
  std::vector<ActuatorT<S>> actuators;
  std::vector<ElementT<S>> elements;
  std::vector<LoadT<S>> loads;
  std::vector<LoopT<S>> loops;
  /// What Model::with reads again; null for a robot described in C++.
  std::shared_ptr<const ParameterSource> source{};

  /// All of it: a new field of a robot, or of anything in it, takes part by itself.
  bool operator==(const RobotT&) const = default;
  /// The same robot for another scalar. @throws ModelError that names the link whose body has only one scalar.
  template <typename T>
  RobotT<T> cast() const {
    RobotT<T> other;
    other.name = name;
    other.gravity = gravity.template cast<T>();
    other.floating_base = floating_base;
    other.base_pose = base_pose.template cast<T>();
    for (std::size_t i = 0; i < links.size(); ++i) {
      at_place({"links", i}, links[i].name, [&] { other.links.push_back(links[i].template cast<T>()); });
    }
    for (const auto& marker : markers) other.markers.push_back(marker.template cast<T>());
    for (const auto& actuator : actuators) other.actuators.push_back(actuator.template cast<T>());
    for (const auto& element : elements) other.elements.push_back(element.template cast<T>());
    for (const auto& load : loads) other.loads.push_back(load.template cast<T>());
    for (const auto& loop : loops) other.loops.push_back(loop.template cast<T>());
    if constexpr (std::is_same_v<S, T>) other.source = source;
    return other;
  }
};
using Robot = RobotT<double>;

}  // namespace cuttle
