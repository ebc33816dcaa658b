#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/geometry/signed_distance.h"
#include "cuttle/model/pose_motion.h"
#include "cuttle/spatial/pose.h"

namespace CUTTLE_API cuttle {

/// Something of the world that robots touch (docs/format.md, Obstacle).
template <typename S>
struct ObstacleT {
  std::string name;
  std::shared_ptr<const SignedDistanceT<S>> shape{};
  PoseT<S> pose;        ///< of the shape, in the world
  PoseMotion motion{};  ///< its pose in time, relative to `pose`
  bool inside = false;  ///< robots are within the shape: a tube, a bowl

  /// Shapes are const once made: the same one is the same object.
  bool operator==(const ObstacleT&) const = default;
  template <typename T>
  ObstacleT<T> cast() const {
    return {name, shape ? shape->clone_as(ScalarTag<T>{}) : nullptr, pose.template cast<T>(), motion, inside};
  }
};
using Obstacle = ObstacleT<double>;

/// A shape by which a rigid link touches.
template <typename S>
struct ContactShapeT {
  std::shared_ptr<const SignedDistanceT<S>> shape{};
  PoseT<S> pose;  ///< in the base frame of the link's body

  bool operator==(const ContactShapeT&) const = default;
  template <typename T>
  ContactShapeT<T> cast() const {
    return {shape ? shape->clone_as(ScalarTag<T>{}) : nullptr, pose.template cast<T>()};
  }
};
using ContactShape = ContactShapeT<double>;

/// How a link touches: by shapes of its own, by those of its body (rods, volumes), or not at all.
template <typename S>
struct LinkContactT {
  std::vector<ContactShapeT<S>> shapes;
  bool none = false;  ///< `contact: none`

  bool operator==(const LinkContactT&) const = default;
  template <typename T>
  LinkContactT<T> cast() const {
    LinkContactT<T> other;
    for (const auto& shape : shapes) other.shapes.push_back(shape.template cast<T>());
    other.none = none;
    return other;
  }
};

/// Coefficients of friction and what goes with them. Along the axis of a rod it may differ from across.
template <typename S>
struct ContactFrictionT {
  S forward = S(0.5);             ///< kinetic coefficient where a moves over b along its own +z
  S backward = S(0.5);            ///< along -z
  S sideways = S(0.5);            ///< across. Isotropic: all three are equal
  S static_ratio = S(1.0);        ///< of static to kinetic coefficients, >= 1
  S stribeck_velocity = S(0.01);  ///< speed at which the excess of the static one has fallen to 1/e [m/s]
  S damping_time = S(0.5e-3);     ///< of the bristles [s]

  bool operator==(const ContactFrictionT&) const = default;
  template <typename T>
  ContactFrictionT<T> cast() const {
    return {scalar_cast<T>(forward),      scalar_cast<T>(backward),          scalar_cast<T>(sideways),
            scalar_cast<T>(static_ratio), scalar_cast<T>(stribeck_velocity), scalar_cast<T>(damping_time)};
  }
};
using ContactFriction = ContactFrictionT<double>;

/// What may touch what, and by which law (docs/contact.md): links `a` touch obstacles or other links `b`.
template <typename S>
struct ContactT {
  std::string name;
  std::vector<std::string> a;  ///< links
  std::vector<std::string> b;  ///< obstacles or links
  ContactFrictionT<S> friction{};
  std::optional<S> modulus{};   ///< E* [Pa]; nothing: of the materials of both sides
  S dissipation = S(1.0);       ///< c of Hunt and Crossley [s/m]
  std::optional<S> rounding{};  ///< radius of corners, edges and vertices [m]; nothing: 1 % of the least half extent
  std::optional<double> spacing{};  ///< of samples along edges [m]; nothing: chosen by size
  bool record_sites = false;        ///< results have every site

  bool operator==(const ContactT&) const = default;
  template <typename T>
  ContactT<T> cast() const {
    ContactT<T> other{name, a, b, friction.template cast<T>()};
    if (modulus) other.modulus = scalar_cast<T>(*modulus);
    other.dissipation = scalar_cast<T>(dissipation);
    if (rounding) other.rounding = scalar_cast<T>(*rounding);
    other.spacing = spacing, other.record_sites = record_sites;
    return other;
  }
};
using Contact = ContactT<double>;

}  // namespace cuttle
