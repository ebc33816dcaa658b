#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/error.h"
#include "cuttle/model/contact.h"
#include "cuttle/model/effort_law.h"
#include "cuttle/model/joint.h"
#include "cuttle/model/load_law.h"
#include "cuttle/model/loop.h"
#include "cuttle/model/material.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/place.h"
#include "cuttle/model/routing.h"
#include "cuttle/model/signal.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// A link: a joint followed by a body, attached to a place on its parent.
template <typename S>
struct LinkT {
  std::string name;
  PlaceT<S> parent{};                        ///< empty parent.link: the link before, or "base" for the first
  std::shared_ptr<const JointT<S>> joint{};  ///< null: fixed
  JointDynamicsT<S> joint_dynamics{};
  std::shared_ptr<const BodyT<S>> body{};  ///< null: massless, tip = base
  /// Which of the robot's materials the body is made of; empty: of one of its own. Bodies have their numbers
  /// themselves: the name says that they are those of the others with this name too.
  std::string material{};
  LinkContactT<S> contact{};  ///< how it touches

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
  return {name,
          parent.template cast<T>(),
          joint ? std::shared_ptr<const JointT<T>>(joint->clone_as(ScalarTag<T>{})) : nullptr,
          joint_dynamics.template cast<T>(),
          body ? at_place("body", "", [&] { return std::shared_ptr<const BodyT<T>>(body->clone_as(ScalarTag<T>{})); })
               : nullptr,
          material,
          contact.template cast<T>()};
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

/// What pushes on the robot from outside, at a place or along a link: a wrench, a fluid, a drone, a load of a user.
/// Made by the functions of cuttle/elements, or of a law of one's own (docs/extending.md).
template <typename S>
struct LoadT {
  PlaceT<S> place;  ///< of laws that act along a link only the link counts
  std::shared_ptr<const LoadLawT<S>> law{};

  /// Laws are const once made: the same one is the same object.
  bool operator==(const LoadT&) const = default;
  /// The same load for another scalar; without a law if this has only one.
  template <typename T>
  LoadT<T> cast() const {
    return {place.template cast<T>(), law ? law->clone_as(ScalarTag<T>{}) : nullptr};
  }
};
using Load = LoadT<double>;

/// What acts by inputs: through a transmission, each of whose efforts is an input (docs/format.md, Actuator), or
/// follows from one by a law.
template <typename S>
struct ActuatorT {
  std::string name;
  std::shared_ptr<const TransmissionT<S>> transmission{};
  /// How efforts follow from the inputs, as many as efforts: a servo that winds a tendon. Null: they are the inputs.
  std::shared_ptr<const EffortLawT<S>> law{};

  /// Its inputs: NAME, or of several NAME.0, NAME.1, ..
  std::vector<std::string> inputs() const {
    std::vector<std::string> names;
    if (!transmission) return names;
    for (const std::string& input : transmission->inputs()) names.push_back(input.empty() ? name : name + "." + input);
    return names;
  }
  /// Transmissions and laws are const once made: the same one is the same object.
  bool operator==(const ActuatorT&) const = default;
  /// @throws ModelError if its law has only one scalar.
  template <typename T>
  ActuatorT<T> cast() const {
    ActuatorT<T> other{name, transmission ? transmission->clone_as(ScalarTag<T>{}) : nullptr};
    if (law) other.law = law->clone_as(ScalarTag<T>{});
    if (law && !other.law) {  // without it inputs would pass for efforts
      throw ModelError("law", "a " + law->type_name() + ", which exists for one scalar alone", "one with a cast()");
    }
    return other;
  }

  // Those of the library, each in its file of cuttle/model/transmissions.

  /// Acts on joint coordinate `index` of `link`.
  static ActuatorT joint(std::string name, std::string link, int index = 0);
  /// Generalized force matrix u on the coordinates of `links`.
  static ActuatorT linear(std::string name, std::vector<std::string> links, std::vector<std::vector<S>> matrix);
  static ActuatorT tendon(std::string name, std::vector<RoutingT<S>> routing, Slack slack = Slack::error);
  /// Chamber all along the rod of `link`.
  static ActuatorT chamber(std::string name, std::string link, std::array<S, 2> offset, S area);
  /// ChamberPlace in the volume of `link`: `inner`, the bore of a hollow cylinder, or what a group of triangles of its
  /// mesh bounds. Openings are closed by flat fans.
  static ActuatorT chamber(std::string name, std::string link, std::string surface);
  static ActuatorT chamber(std::string name, std::string link, const SectorPocketT<S>& pocket);
  /// Pulls two places towards each other, u [N].
  static ActuatorT distance(std::string name, PlaceT<S> a, PlaceT<S> b);
  /// Six inputs NAME.tx [N m] .. NAME.fz [N] at a place, in its axes or the world's.
  static ActuatorT wrench(std::string name, PlaceT<S> place, Axes axes = Axes::body);
};
using Actuator = ActuatorT<double>;

/// What acts by a law of its own: a spring, a limit of a joint, a muscle of a user. The law's efforts act as the inputs
/// of actuators would, one on each of its transmissions; slack of these is not used.
template <typename S>
struct ElementT {
  std::string name;
  std::vector<std::shared_ptr<const TransmissionT<S>>> through;
  std::shared_ptr<const EffortLawT<S>> law{};

  /// Laws and transmissions are const once made: the same one is the same object.
  bool operator==(const ElementT&) const = default;
  /// The same element for another scalar; without a law if this has only one.
  template <typename T>
  ElementT<T> cast() const {
    ElementT<T> other;
    other.name = name;
    for (const auto& transmission : through) other.through.push_back(transmission->clone_as(ScalarTag<T>{}));
    if (law) other.law = law->clone_as(ScalarTag<T>{});
    return other;
  }
};
using Element = ElementT<double>;

class Sensor;  // sensor.h

/// What a robot measures, for results and controllers.
struct NamedSensor {
  std::string name;
  std::shared_ptr<const Sensor> sensor;

  /// Sensors are const once made: the same one is the same object.
  bool operator==(const NamedSensor&) const = default;
};

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
  PoseT<S> base_pose;                             ///< in the world; with a floating base, the pose at q = identity
  std::map<std::string, MaterialT<S>> materials;  ///< by the names that links have
  std::vector<LinkT<S>> links;
  std::vector<MarkerT<S>> markers;
  std::vector<ActuatorT<S>> actuators;
  std::vector<ElementT<S>> elements;
  std::vector<LoadT<S>> loads;
  std::vector<LoopT<S>> loops;
  std::vector<ObstacleT<S>> obstacles;
  std::vector<ContactT<S>> contacts;
  std::vector<NamedSensor> sensors;  ///< of whatever scalar: no number of theirs is one of the dynamics
  /// The description that the robot was read from and that Model::with reads again. Null for a robot described in C++,
  /// for which `describe` makes one (parameters.h).
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
    for (const auto& [material_name, material] : materials) {
      other.materials.emplace(material_name, material.template cast<T>());
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      at_place({"links", i}, links[i].name, [&] { other.links.push_back(links[i].template cast<T>()); });
    }
    for (const auto& marker : markers) other.markers.push_back(marker.template cast<T>());
    for (std::size_t i = 0; i < actuators.size(); ++i) {
      at_place({"actuators", i}, actuators[i].name,
               [&] { other.actuators.push_back(actuators[i].template cast<T>()); });
    }
    for (const auto& element : elements) other.elements.push_back(element.template cast<T>());
    for (const auto& load : loads) other.loads.push_back(load.template cast<T>());
    for (const auto& loop : loops) other.loops.push_back(loop.template cast<T>());
    for (const auto& obstacle : obstacles) other.obstacles.push_back(obstacle.template cast<T>());
    for (const auto& contact : contacts) other.contacts.push_back(contact.template cast<T>());
    other.sensors = sensors;
    if constexpr (std::is_same_v<S, T>) other.source = source;
    return other;
  }
};
using Robot = RobotT<double>;

}  // namespace cuttle
