#include "model/joint_spring.h"

#include <cmath>

#include "cuttle/spatial/exponential.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {
namespace {

template <typename S>
S quadratic_energy(const S* stiffness, int nv, const S* e) {
  S energy(0.0);
  for (int k = 0; k < nv; ++k) energy += S(0.5) * stiffness[k] * e[k] * e[k];
  return energy;
}

/// A spring near half a turn: what is in joint_spring.h.
template <typename S>
class HalfTurnSpring {
 public:
  HalfTurnSpring(const S* stiffness, int nv, const S* e) : stiffness_(stiffness), nv_(nv), w_{e[0], e[1], e[2]} {
    using std::sqrt;
    const S pi = constant<S>(std::numbers::pi_v<long double>), range(k_half_turn_range);
    angle_ = sqrt(select(is_near_half_turn(e), dot(w_, w_), pi * pi));
    const S x = (pi - angle_) / range, X = x * x, rest = S(1.0) - X;
    step_ = S(0.125) * x * (S(15.0) - X * (S(10.0) - S(3.0) * X));
    step_slope_ = S(-1.875) * rest * rest / range;
    scale_ = (pi - range * S(0.0625) * (S(5.0) + X * (S(15.0) - X * (S(5.0) - X)))) / angle_;
    if (nv_ == 6) pose_ = exponential(TwistT<S>{w_, {e[3], e[4], e[5]}});
  }

  S energy() const {
    S sum(0.0);
    for (const S& sign : {S(1.0), S(-1.0)}) sum += share(sign) * way(sign).energy;
    return sum;
  }
  void force(S* result) const {
    Vector3T<S> by_turn{S(0.0), S(0.0), S(0.0)}, by_place = by_turn;  // derivatives by scale w and by the position
    S by_step(0.0);
    for (const S& sign : {S(1.0), S(-1.0)}) {
      const Way there = way(sign);
      by_step += S(0.5) * sign * there.energy;
      by_turn += (share(sign) * sign) * there.by_turn;
      if (nv_ == 6) by_place += share(sign) * there.by_place;
    }
    // scale w changes with w by scale + (step - scale) w w^T / t^2, the step with t
    const S inverse = S(1.0) / angle_;
    const S along = ((step_ - scale_) * dot(w_, by_turn) * inverse + by_step * step_slope_) * inverse;
    const Vector3T<S> torque = rotation_right_tangent_inverse(w_).transpose_times(scale_ * by_turn + along * w_);
    for (int i = 0; i < 3; ++i) result[i] = torque[i];
    if (nv_ != 6) return;
    const Vector3T<S> pull = pose_.rotation.transpose_times(by_place);
    for (int i = 0; i < 3; ++i) result[3 + i] = pull[i];
  }

 private:
  /// The spring by a turn one way, and its derivatives by the rotation vector and by the position.
  struct Way {
    S energy;
    Vector3T<S> by_turn, by_place;
  };
  S share(const S& sign) const { return S(0.5) * (S(1.0) + sign * step_); }
  Way way(const S& sign) const {
    const Vector3T<S> turn = (sign * scale_) * w_;
    S e[6] = {turn.x, turn.y, turn.z}, Ke[6];
    if (nv_ == 6) {
      const Vector3T<S> v = rotation_right_tangent_inverse(turn).transpose_times(pose_.position);
      for (int i = 0; i < 3; ++i) e[3 + i] = v[i];
    }
    for (int k = 0; k < nv_; ++k) Ke[k] = stiffness_[k] * e[k];
    Way result{quadratic_energy(stiffness_, nv_, e), {Ke[0], Ke[1], Ke[2]}, {}};
    if (nv_ != 6) return result;
    const TwistT<S> t{turn, {e[3], e[4], e[5]}};
    const WrenchT<S> wrench =
        right_tangent_inverse(t).transpose_times(WrenchT<S>{result.by_turn, {Ke[3], Ke[4], Ke[5]}});
    result.by_turn = right_tangent(t).diagonal.transpose_times(wrench.torque);
    result.by_place = exponential(t).rotation * wrench.force;
    return result;
  }

  const S* stiffness_;
  int nv_;
  Vector3T<S> w_;
  S angle_, step_, step_slope_, scale_;  // t, s, ds/dt, phi / t
  PoseT<S> pose_{};                      // in the axes of rest
};

}  // namespace

template <typename S>
S joint_spring_energy(const JointT<S>& joint, const JointDynamicsT<S>& dynamics, const S* q) {
  S e[6];
  const int nv = joint.nv();
  joint.difference(dynamics.rest.data(), q, e);
  const S energy = quadratic_energy(dynamics.stiffness.data(), nv, e);
  if (joint.nq() == nv) return energy;
  const auto near = is_near_half_turn(e);
  if (!any(near)) return energy;
  return select(near, HalfTurnSpring<S>(dynamics.stiffness.data(), nv, e).energy(), energy);
}

template <typename S>
void joint_spring_force(const JointT<S>& joint, const JointDynamicsT<S>& dynamics, const S* q, S* force) {
  S e[6], Ke[6];
  const int nv = joint.nv();
  joint.difference(dynamics.rest.data(), q, e);
  for (int k = 0; k < nv; ++k) Ke[k] = dynamics.stiffness[k] * e[k];
  joint.difference_tangent_transpose(dynamics.rest.data(), q, Ke, force);
  if (joint.nq() == nv) return;
  const auto near = is_near_half_turn(e);
  if (!any(near)) return;
  S other[6];
  half_turn_spring_force(dynamics.stiffness.data(), nv, e, other);
  for (int k = 0; k < nv; ++k) force[k] = select(near, other[k], force[k]);
}

template <typename S>
void half_turn_spring_force(const S* stiffness, int nv, const S* e, S* force) {
  HalfTurnSpring<S>(stiffness, nv, e).force(force);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                 \
  template S joint_spring_energy(const JointT<S>&, const JointDynamicsT<S>&, const S*);       \
  template void joint_spring_force(const JointT<S>&, const JointDynamicsT<S>&, const S*, S*); \
  template void half_turn_spring_force(const S*, int, const S*, S*);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
