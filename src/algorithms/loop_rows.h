#pragma once

#include "cuttle/model/loop.h"
#include "cuttle/spatial/logarithm.h"

// The rows of one loop's constraint, as functions of the poses of its two frames. Their gradients are wrenches at the
// frames, each in its frame's axes: dPhi/dt = w_a . V_a + w_b . V_b.

namespace cuttle {

/// Where the two frames of a loop are.
template <typename S>
struct LoopPlaceT {
  Matrix3T<S> a, b;       ///< their axes in the world
  Matrix3T<S> R;          ///< b's axes in a
  Vector3T<S> apart;      ///< p_b - p_a, world axes
  Vector3T<S> logarithm;  ///< of R; zero unless the loop has rotation rows
  Matrix3T<S> rate;       ///< d(logarithm)/dt = rate (w_b - R^T w_a), the inverse of the right tangent map

  LoopPlaceT(const BoundLoopT<S>& loop, const PoseT<S>& world_a, const PoseT<S>& world_b)
      : a(world_a.rotation),
        b(world_b.rotation),
        R(world_a.rotation.transpose() * world_b.rotation),
        apart(world_b.position - world_a.position) {
    if (loop.rotation_rows == 0) return;
    logarithm = rotation_logarithm(R);
    rate = rotation_right_tangent_inverse(logarithm);
  }
};

/// Residuals of a loop's rows.
template <typename S>
void loop_residual(const BoundLoopT<S>& loop, const LoopPlaceT<S>& place, S* phi) {
  for (int k = 0; k < loop.position_rows; ++k) *phi++ = place.apart[k];
  const Vector3T<S> axis = place.R * loop.axis_b;
  for (int k = 0; k < loop.axis_rows; ++k) *phi++ = dot(loop.normal[k], axis);
  for (int k = 0; k < loop.rotation_rows; ++k) *phi++ = place.logarithm[k];
  const Vector3T<S> d = place.a.transpose_times(place.apart);
  for (int k = 0; k < loop.slide_rows; ++k) *phi++ = dot(loop.normal[k], d);
}

/// What multipliers of a loop's rows make at its frames.
template <typename S>
struct LoopWrenchesT {
  WrenchT<S> a, b;
};

/// Multipliers of a loop's rows, summed to vectors.
template <typename S>
class LoopLoadT {
 public:
  LoopLoadT(const BoundLoopT<S>& loop, const LoopPlaceT<S>& place, const S* lambda) : loop_(loop), place_(place) {
    if (loop.position_rows > 0) force_ = {lambda[0], lambda[1], lambda[2]};
    lambda += loop.position_rows;
    for (int k = 0; k < loop.axis_rows; ++k) axis_ += lambda[k] * loop.normal[k];
    lambda += loop.axis_rows;
    if (loop.rotation_rows > 0) torque_ = place.rate.transpose_times({lambda[0], lambda[1], lambda[2]});
    lambda += loop.rotation_rows;
    for (int k = 0; k < loop.slide_rows; ++k) slide_ += lambda[k] * loop.normal[k];
  }

  /// w_a, w_b with (dPhi/dt) . lambda = w_a . V_a + w_b . V_b.
  LoopWrenchesT<S> wrenches() const {
    const Matrix3T<S>& R = place_.R;
    LoopWrenchesT<S> w;
    if (loop_.position_rows > 0) {
      w.a.force = -place_.a.transpose_times(force_);
      w.b.force = place_.b.transpose_times(force_);
    }
    if (loop_.axis_rows > 0) {
      w.a.torque += cross(axis_, R * loop_.axis_b);
      w.b.torque += cross(loop_.axis_b, R.transpose_times(axis_));
    }
    if (loop_.rotation_rows > 0) {
      w.a.torque -= R * torque_;
      w.b.torque += torque_;
    }
    if (loop_.slide_rows > 0) {
      w.a.torque += cross(slide_, place_.a.transpose_times(place_.apart));
      w.a.force -= slide_;
      w.b.force += R.transpose_times(slide_);
    }
    return w;
  }

  /// Their rates, component by component, at constant lambda while the frames move with twists V_a, V_b.
  LoopWrenchesT<S> rates(const TwistT<S>& V_a, const TwistT<S>& V_b) const {
    const Matrix3T<S>& R = place_.R;
    const Vector3T<S> turn = V_b.angular - R.transpose_times(V_a.angular);  // dR/dt = R turn^
    LoopWrenchesT<S> w;
    if (loop_.position_rows > 0) {  // constant in the world
      w.a.force = -cross(place_.a.transpose_times(force_), V_a.angular);
      w.b.force = cross(place_.b.transpose_times(force_), V_b.angular);
    }
    if (loop_.axis_rows > 0) {
      w.a.torque += cross(axis_, R * cross(turn, loop_.axis_b));
      w.b.torque += cross(loop_.axis_b, cross(R.transpose_times(axis_), turn));
    }
    if (loop_.rotation_rows > 0) {
      // torque = T^-T lambda: its rate is -T^-T (dT^T/dt) torque, and the transpose of a right tangent map is the left
      const Vector3T<S> change =
          left_tangent_derivative<S>({place_.logarithm, {}}, {place_.rate * turn, {}}, {torque_, {}}).angular;
      const Vector3T<S> rate = -place_.rate.transpose_times(change);
      w.a.torque -= R * (rate + cross(turn, torque_));
      w.b.torque += rate;
    }
    if (loop_.slide_rows > 0) {
      const Vector3T<S> d = place_.a.transpose_times(place_.apart);
      w.a.torque += cross(slide_, cross(d, V_a.angular) + R * V_b.linear - V_a.linear);
      w.b.force += cross(R.transpose_times(slide_), turn);
    }
    return w;
  }

 private:
  const BoundLoopT<S>& loop_;
  const LoopPlaceT<S>& place_;
  Vector3T<S> force_;   // on b, world axes
  Vector3T<S> axis_;    // sum of the normals of axis rows, a's axes
  Vector3T<S> torque_;  // on b, b's axes
  Vector3T<S> slide_;   // on b, a's axes
};

}  // namespace cuttle
