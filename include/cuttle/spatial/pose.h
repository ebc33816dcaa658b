#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Velocity `(w; v)` of a frame in its own axes at its own origin, angular part first; also a spatial acceleration,
/// d/dt (w; v) component-wise, and a direction in se(3) such as a strain or a joint's axis.
template <typename S>
struct TwistT {
  Vector3T<S> angular, linear;

  static CUTTLE_INLINE TwistT zero() { return {}; }
  CUTTLE_INLINE S& operator[](int i) { return i < 3 ? angular[i] : linear[i - 3]; }
  CUTTLE_INLINE const S& operator[](int i) const { return i < 3 ? angular[i] : linear[i - 3]; }
  CUTTLE_INLINE TwistT& operator+=(const TwistT& b) {
    angular += b.angular, linear += b.linear;
    return *this;
  }

  template <typename T>
  TwistT<T> cast() const {
    return {angular.template cast<T>(), linear.template cast<T>()};
  }
};
using Twist = TwistT<double>;

/// Torque and force `(t; f)` in the axes of a frame, at its origin: dual to the twist, power is their dot product.
/// Also a spatial momentum.
template <typename S>
struct WrenchT {
  Vector3T<S> torque, force;

  static CUTTLE_INLINE WrenchT zero() { return {}; }
  CUTTLE_INLINE S& operator[](int i) { return i < 3 ? torque[i] : force[i - 3]; }
  CUTTLE_INLINE const S& operator[](int i) const { return i < 3 ? torque[i] : force[i - 3]; }
  CUTTLE_INLINE WrenchT& operator+=(const WrenchT& b) {
    torque += b.torque, force += b.force;
    return *this;
  }
  CUTTLE_INLINE WrenchT& operator-=(const WrenchT& b) {
    torque -= b.torque, force -= b.force;
    return *this;
  }

  template <typename T>
  WrenchT<T> cast() const {
    return {torque.template cast<T>(), force.template cast<T>()};
  }
};
using Wrench = WrenchT<double>;

template <typename S>
CUTTLE_INLINE TwistT<S> operator+(const TwistT<S>& a, const TwistT<S>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <typename S>
CUTTLE_INLINE TwistT<S> operator-(const TwistT<S>& a, const TwistT<S>& b) {
  return {a.angular - b.angular, a.linear - b.linear};
}
template <typename S>
CUTTLE_INLINE TwistT<S> operator-(const TwistT<S>& a) {
  return {-a.angular, -a.linear};
}
template <typename S>
CUTTLE_INLINE TwistT<S> operator*(const S& s, const TwistT<S>& a) {
  return {s * a.angular, s * a.linear};
}
template <typename S>
CUTTLE_INLINE WrenchT<S> operator+(const WrenchT<S>& a, const WrenchT<S>& b) {
  return {a.torque + b.torque, a.force + b.force};
}
template <typename S>
CUTTLE_INLINE WrenchT<S> operator-(const WrenchT<S>& a, const WrenchT<S>& b) {
  return {a.torque - b.torque, a.force - b.force};
}
template <typename S>
CUTTLE_INLINE WrenchT<S> operator*(const S& s, const WrenchT<S>& a) {
  return {s * a.torque, s * a.force};
}
/// Power of a wrench on a twist of the same frame [W].
template <typename S>
CUTTLE_INLINE S dot(const WrenchT<S>& a, const TwistT<S>& b) {
  return dot(a.torque, b.angular) + dot(a.force, b.linear);
}

/// Lie bracket ad_a b = [a, b] in se(3), [B] (39).
template <typename S>
CUTTLE_INLINE TwistT<S> bracket(const TwistT<S>& a, const TwistT<S>& b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
/// ad_a^T w, dual to the bracket: dot(ad_a^T w, b) = dot(w, [a, b]).
template <typename S>
CUTTLE_INLINE WrenchT<S> bracket_transpose(const TwistT<S>& a, const WrenchT<S>& w) {
  return {cross(w.torque, a.angular) + cross(w.force, a.linear), cross(w.force, a.angular)};
}

/// Pose of a frame (the child, right part of a name) in another (the parent, left part): `p_parent = R p_child + p`.
template <typename S>
struct PoseT {
  Matrix3T<S> rotation = Matrix3T<S>::identity();
  Vector3T<S> position;

  bool operator==(const PoseT&) const = default;
  static CUTTLE_INLINE PoseT identity() { return {}; }

  CUTTLE_INLINE PoseT operator*(const PoseT& b) const {
    return {rotation * b.rotation, rotation * b.position + position};
  }
  CUTTLE_INLINE PoseT inverse() const { return {rotation.transpose(), -rotation.transpose_times(position)}; }
  CUTTLE_INLINE Vector3T<S> act(const Vector3T<S>& point) const { return rotation * point + position; }

  /// Child's twist seen at the parent's origin, in parent axes: Ad_g.
  CUTTLE_INLINE TwistT<S> act(const TwistT<S>& child) const {
    const Vector3T<S> angular = rotation * child.angular;
    return {angular, rotation * child.linear + cross(position, angular)};
  }
  /// Parent's twist seen at the child's origin, in child axes: Ad_g^-1.
  CUTTLE_INLINE TwistT<S> act_inverse(const TwistT<S>& parent) const {
    return {rotation.transpose_times(parent.angular),
            rotation.transpose_times(parent.linear + cross(parent.angular, position))};
  }
  /// Child's wrench moved to the parent's origin, in parent axes: Ad_g^-T.
  CUTTLE_INLINE WrenchT<S> act(const WrenchT<S>& child) const {
    const Vector3T<S> force = rotation * child.force;
    return {rotation * child.torque + cross(position, force), force};
  }
  /// Parent's wrench moved to the child's origin, in child axes: Ad_g^T.
  CUTTLE_INLINE WrenchT<S> act_inverse(const WrenchT<S>& parent) const {
    return {rotation.transpose_times(parent.torque - cross(position, parent.force)),
            rotation.transpose_times(parent.force)};
  }

  template <typename T>
  PoseT<T> cast() const {
    return {rotation.template cast<T>(), position.template cast<T>()};
  }
};
using Pose = PoseT<double>;

}  // namespace cuttle
