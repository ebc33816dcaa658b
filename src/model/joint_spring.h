#pragma once

#include <numbers>

#include "cuttle/model/joint.h"

// Springs of joints: energy 1/2 e^T K e with e = difference(rest, q), and the force that is its gradient.
//
// At half a turn from rest e jumps to the same turn the other way. So for joints with a quaternion the spring is
// another one where the angle t = |w| of e = (w, v) is above pi - k_half_turn_range = pi - d. With x = (pi - t) / d:
//
//   s = x (15 - 10 x^2 + 3 x^4) / 8                 from 1 at x = 1 to 0 at half a turn, odd in x
//   phi = pi - d (5 + 15 x^2 - 5 x^4 + x^6) / 16    the integral of s over t; phi = t at x = 1
//   E = (1 + s)/2 E(phi n) + (1 - s)/2 E(-phi n)    n = w / t
//
// where E(w') = 1/2 e'^T K e' of the e' that leads to the same place by the rotation vector w'. Both are the same for a
// ball joint: its torque is K phi s about n if K is the same about all axes. E has three continuous derivatives.

namespace cuttle {

inline constexpr double k_half_turn_range = 0.2;  ///< d [rad]

template <typename S>
S joint_spring_energy(const JointT<S>& joint, const JointDynamicsT<S>& dynamics, const S* q);
/// @param force  nv, overwritten: what holds the spring.
template <typename S>
void joint_spring_force(const JointT<S>& joint, const JointDynamicsT<S>& dynamics, const S* q, S* force);

/// Whether a spring of a joint with a quaternion is the other one.
template <typename S>
MaskT<S> is_near_half_turn(const S* e) {
  constexpr double least = std::numbers::pi - k_half_turn_range;
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > S(least * least);
}
/// The force of that spring, from e. @param force  nv, overwritten.
template <typename S>
void half_turn_spring_force(const S* stiffness, int nv, const S* e, S* force);

}  // namespace cuttle
