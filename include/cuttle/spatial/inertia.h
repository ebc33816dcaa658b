#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/pose.h"

namespace CUTTLE_API cuttle {

/// Inertia of a rigid body in some frame: ten numbers. The momentum of a twist `(w; v)` of that frame is
/// `(I w + h x v; m v - h x w)`.
template <typename S>
struct SpatialInertiaT {
  S mass{};                       ///< m [kg]
  Vector3T<S> moment;             ///< h = m com [kg m], frame axes
  SymmetricMatrix3T<S> rotation;  ///< I about the frame's origin [kg m^2], frame axes

  /// From mass, center of mass, and the inertia tensor about the center of mass in the frame's axes.
  static CUTTLE_INLINE SpatialInertiaT from_com(const S& mass, const Vector3T<S>& com,
                                                const SymmetricMatrix3T<S>& inertia_at_com) {
    const S c2 = mass * dot(com, com);
    return {mass, mass * com,
            inertia_at_com + (SymmetricMatrix3T<S>::diagonal(c2, c2, c2) - SymmetricMatrix3T<S>::outer(mass, com))};
  }

  CUTTLE_INLINE SpatialInertiaT& operator+=(const SpatialInertiaT& b) {
    mass += b.mass, moment += b.moment, rotation += b.rotation;
    return *this;
  }
  /// Momentum of a twist; also the inertial wrench of an acceleration.
  CUTTLE_INLINE WrenchT<S> operator*(const TwistT<S>& t) const {
    return {rotation * t.angular + cross(moment, t.linear), mass * t.linear - cross(moment, t.angular)};
  }
  /// The same inertia in the parent frame of which this frame has the given pose.
  CUTTLE_INLINE SpatialInertiaT in_parent(const PoseT<S>& parent_child) const {
    const Vector3T<S>& p = parent_child.position;
    const Vector3T<S> h = parent_child.rotation * moment;
    // I about the new origin: R I R^T + (2 h.p + m p.p) 1 - (h p^T + p h^T) - m p p^T
    const Vector3T<S> k = h + mass * p;
    const S trace = dot(h, p) + dot(k, p);
    SymmetricMatrix3T<S> rotated = rotation.rotated(parent_child.rotation);
    rotated.xx += trace - (h.x * p.x + p.x * k.x);
    rotated.yy += trace - (h.y * p.y + p.y * k.y);
    rotated.zz += trace - (h.z * p.z + p.z * k.z);
    rotated.xy -= h.x * p.y + p.x * k.y;
    rotated.xz -= h.x * p.z + p.x * k.z;
    rotated.yz -= h.y * p.z + p.y * k.z;
    return {mass, k, rotated};
  }

  template <typename T>
  SpatialInertiaT<T> cast() const {
    return {scalar_cast<T>(mass), moment.template cast<T>(), rotation.template cast<T>()};
  }
};
using SpatialInertia = SpatialInertiaT<double>;

/// `V x* (M V)` = -ad_V^T M V: the part of a rigid body's inertial wrench that velocity makes, [B] (27).
template <typename S>
CUTTLE_INLINE WrenchT<S> gyroscopic_wrench(const TwistT<S>& velocity, const WrenchT<S>& momentum) {
  return {cross(velocity.angular, momentum.torque) + cross(velocity.linear, momentum.force),
          cross(velocity.angular, momentum.force)};
}

/// Symmetric 6 x 6 matrix from twists to wrenches: the inertia that a subtree shows at a frame when its joints and
/// deformations are free to give way, or a composite inertia. `t = A w + H v`, `f = H^T w + L v`.
template <typename S>
struct ArticulatedInertiaT {
  SymmetricMatrix3T<S> angular;  ///< A
  Matrix3T<S> coupling;          ///< H
  SymmetricMatrix3T<S> linear;   ///< L

  static CUTTLE_INLINE ArticulatedInertiaT zero() { return {}; }
  static CUTTLE_INLINE ArticulatedInertiaT from(const SpatialInertiaT<S>& inertia) {
    return {inertia.rotation, Matrix3T<S>::skew(inertia.moment),
            SymmetricMatrix3T<S>::diagonal(inertia.mass, inertia.mass, inertia.mass)};
  }

  CUTTLE_INLINE ArticulatedInertiaT& operator+=(const ArticulatedInertiaT& b) {
    angular += b.angular, coupling += b.coupling, linear += b.linear;
    return *this;
  }
  CUTTLE_INLINE ArticulatedInertiaT& operator+=(const SpatialInertiaT<S>& b) {
    angular += b.rotation;
    coupling += Matrix3T<S>::skew(b.moment);
    linear.xx += b.mass, linear.yy += b.mass, linear.zz += b.mass;
    return *this;
  }
  CUTTLE_INLINE WrenchT<S> operator*(const TwistT<S>& t) const {
    return {angular * t.angular + coupling * t.linear, coupling.transpose_times(t.angular) + linear * t.linear};
  }
  /// Column j of the 6 x 6 matrix.
  CUTTLE_INLINE WrenchT<S> column(int j) const {
    return j < 3 ? WrenchT<S>{angular.column(j), coupling.row(j)}
                 : WrenchT<S>{coupling.column(j - 3), linear.column(j - 3)};
  }
  /// Subtracts s u u^T.
  CUTTLE_INLINE void subtract_outer(const S& s, const WrenchT<S>& u) {
    angular -= SymmetricMatrix3T<S>::outer(s, u.torque);
    linear -= SymmetricMatrix3T<S>::outer(s, u.force);
    const Vector3T<S> t = -(s * u.torque);
    coupling.row0 += t.x * u.force, coupling.row1 += t.y * u.force, coupling.row2 += t.z * u.force;
  }
  /// X^T I X: the same inertia in the parent frame of which this frame has the given pose.
  CUTTLE_INLINE ArticulatedInertiaT in_parent(const PoseT<S>& parent_child) const {
    const Matrix3T<S>& R = parent_child.rotation;
    const Vector3T<S>& p = parent_child.position;
    const SymmetricMatrix3T<S> L = linear.rotated(R);
    const Matrix3T<S> RH = R * coupling;
    // H0^T, by rows the columns of R H R^T
    const Matrix3T<S> H0t{RH * R.row0, RH * R.row1, RH * R.row2};  // row j = (R H) R_j = column j of R H R^T
    const Vector3T<S> l0 = L.column(0), l1 = L.column(1), l2 = L.column(2);
    // H = H0 + p^ L; kept transposed, row j = column j
    const Matrix3T<S> Ht{H0t.row0 + cross(p, l0), H0t.row1 + cross(p, l1), H0t.row2 + cross(p, l2)};
    // A = A0 + p^ H^T + (p^ H0^T)^T; column i of H^T is row i of H
    const Matrix3T<S> H = Ht.transpose();
    const Matrix3T<S> H0 = H0t.transpose();
    SymmetricMatrix3T<S> A = angular.rotated(R);
    const Vector3T<S> u0 = cross(p, H.row0), u1 = cross(p, H.row1), u2 = cross(p, H.row2);
    const Vector3T<S> w0 = cross(p, H0.row0), w1 = cross(p, H0.row1), w2 = cross(p, H0.row2);
    A.xx += u0.x + w0.x, A.yy += u1.y + w1.y, A.zz += u2.z + w2.z;
    A.xy += u1.x + w0.y, A.xz += u2.x + w0.z, A.yz += u2.y + w1.z;
    return {A, H, L};
  }

  template <typename T>
  ArticulatedInertiaT<T> cast() const {
    return {angular.template cast<T>(), coupling.template cast<T>(), linear.template cast<T>()};
  }
};
using ArticulatedInertia = ArticulatedInertiaT<double>;

}  // namespace cuttle
