#pragma once

#include <cstddef>

#include "cuttle/api.h"
#include "cuttle/spatial/inertia.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct BodyStateT;
template <typename S>
struct WorkspaceT;

// Derivatives of inverse dynamics. Everything is in the axes of one inertial frame, at its origin. There the Jacobian
// column J of a coordinate is the same for all that the coordinate moves as one rigid part, and so are its time
// derivatives. With A the acceleration that includes gravity (as in BodyStateT), the twist and the acceleration of
// such a part change by
//   dV = J', dA = J'' + [a_root, J] - [V, J']   for q (and its pose by J),
//   dV = J,  dA = 2 J' - [V, J]                 for v,
//   dV = 0,  dA = J                             for a:
// so three twists a coordinate, J, J' and J'' + [a_root, J], say everything that [B] (48)-(50) say.

/// Linear map from an angular direction d to a wrench: `(matrix d; d x vector)`.
template <typename S>
struct AngularMapT {
  Matrix3T<S> matrix;
  Vector3T<S> vector;

  CUTTLE_INLINE AngularMapT& operator+=(const AngularMapT& b) {
    matrix += b.matrix, vector += b.vector;
    return *this;
  }
  CUTTLE_INLINE WrenchT<S> operator*(const Vector3T<S>& d) const { return {matrix * d, cross(d, vector)}; }
  /// The vector r with dot(map d, t) = dot(r, d).
  CUTTLE_INLINE Vector3T<S> transpose_times(const TwistT<S>& t) const {
    return matrix.transpose_times(t.angular) + cross(vector, t.linear);
  }
};

/// What hangs at a frame, taken as one rigid part: its inertial wrench w, and how w changes when the part gets another
/// motion. With the three twists of a coordinate, and z the part's own displacement,
///   dw = inertia dJ'' + rate (angular part of dJ') + z x* w + turn (angular part of z),
/// where the last term is there for loads that do not turn with the part.
template <typename S>
struct CompositeT {
  SpatialInertiaT<S> inertia;
  AngularMapT<S> rate;  ///< of momentum: from the velocities of its mass
  AngularMapT<S> turn;  ///< of loads in world axes
  WrenchT<S> wrench;    ///< that must act on the part, less the loads on it

  CUTTLE_INLINE CompositeT& operator+=(const CompositeT& b) {
    inertia += b.inertia, rate += b.rate, turn += b.turn, wrench += b.wrench;
    return *this;
  }
};

/// The map `rate` of mass that moves with linear momentum P = sum m u and K = sum m u p^T, u = dp/dt: Coriolis forces
/// 2 m d x u.
template <typename S>
CUTTLE_INLINE AngularMapT<S> momentum_rate(const Vector3T<S>& P, const Matrix3T<S>& K) {
  const S trace = S(2.0) * (K.row0.x + K.row1.y + K.row2.z);
  Matrix3T<S> m = S(-2.0) * K;
  m.row0.x += trace, m.row1.y += trace, m.row2.z += trace;
  return {m, S(2.0) * P};
}
/// The same of a rigid body with twist V.
template <typename S>
CUTTLE_INLINE AngularMapT<S> momentum_rate(const SpatialInertiaT<S>& inertia, const TwistT<S>& V) {
  // sum m p p^T = trace(I)/2 - I, so K = v h^T + w^ (trace(I)/2 - I)
  const SymmetricMatrix3T<S>& I = inertia.rotation;
  const S half = S(0.5) * (I.xx + I.yy + I.zz);
  const SymmetricMatrix3T<S> second{half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz};
  const Vector3T<S>& w = V.angular;
  const Matrix3T<S> K =
      Matrix3T<S>::outer(V.linear, inertia.moment) +
      Matrix3T<S>::from_columns(cross(w, second.column(0)), cross(w, second.column(1)), cross(w, second.column(2)));
  return momentum_rate(inertia.mass * V.linear + cross(w, inertia.moment), K);
}

/// The three twists of each coordinate of a body at one of its ports, each 6 x n by rows (angular rows first).
template <typename S>
struct PortTangentT {
  S* jacobian = nullptr;  ///< J
  S* rate = nullptr;      ///< J'
  S* second = nullptr;    ///< J'' + [a_root, J]
};

/// Derivatives of a body's inverse dynamics with everything that hangs at its ports; to be overwritten. n coordinates;
/// matrices by rows. No elasticity, no damping.
template <typename S>
struct BodyDerivativesT {
  S* force_by_q = nullptr;  ///< n x n, of the generalized force
  S* force_by_v = nullptr;  ///< n x n
  S* mass = nullptr;        ///< n x n, by a
  S* base_by_q = nullptr;   ///< 6 x n, of the base wrench
  S* base_by_v = nullptr;   ///< 6 x n
  S* coupling = nullptr;    ///< 6 x n, by a; transposed, the generalized force by dJ'' of what moves the base
  S* rate = nullptr;  ///< 3 x n; transposed, the generalized force by the angular part of dJ' of what moves the base
  S* turn = nullptr;  ///< 3 x n; transposed, by its angular displacement
  CompositeT<S> composite;  ///< of the body and its ports
};

/// Item by item what [B] VII.B asks of a body: derivatives in all of its coordinates. Both calls after
/// BodyT::forward(acceleration) on the same workspace, with the inertial frame of the comment above at the body's base
/// frame; `memory` is kept between them, and the second may use it up.
template <typename S>
class BodyTangentT {
 public:
  BodyTangentT() = default;
  BodyTangentT(const BodyTangentT&) = default;
  BodyTangentT& operator=(const BodyTangentT&) = default;
  virtual ~BodyTangentT() = default;

  virtual std::size_t tangent_memory_size() const = 0;  ///< scalars of `memory`
  /// Fills the matrices of every port.
  virtual void tangent_outward(const BodyStateT<S>& state, const WorkspaceT<S>& workspace, S* memory,
                               const PortTangentT<S>* ports) const = 0;
  /// @param ports  what hangs at each port, base axes.
  virtual void tangent_inward(const BodyStateT<S>& state, const CompositeT<S>* ports, const WorkspaceT<S>& workspace,
                              S* memory, BodyDerivativesT<S>& result) const = 0;

  /// Whether internal_derivatives can be called. Otherwise they come from BodyT::stiffness_matrix and damping_matrix,
  /// and from differentiating the damping force where it depends on the shape.
  virtual bool has_internal_derivatives() const { return false; }
  /// Derivatives of elastic and damping force together by q and by v, n x n by rows; overwritten. At any time.
  virtual void internal_derivatives(const S* /*q*/, const S* /*v*/, S* /*memory*/, S* /*by_q*/, S* /*by_v*/) const {}
};

}  // namespace cuttle
