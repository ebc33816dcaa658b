#pragma once

#include <array>

#include "cuttle/model/state_load.h"

namespace cuttle {

/// The part of a StateLoad that follows from its law, written once as templates on the scalar T:
///   template <T> WrenchT<T> law(int k, double time, const FrameMotionT<T>&, const T* integrals) const
///   template <T> void rates_law(double time, const FrameMotionT<T>&, T* rates) const    (k_integrals > 0)
/// Derivatives come from forward differentiation in passes of six directions, exact to rounding.
/// `Base` is StateLoadT<S>, or a class derived from it that says more of the load.
template <typename S, typename Law, typename Base = StateLoadT<S>>
class StateLoadLaw : public Base {
 public:
  using Base::Base;
  int integral_count() const final { return Law::k_integrals; }
  WrenchT<S> wrench(int k, double time, const FrameMotionT<S>& motion, const S* integrals) const final {
    return self().law(k, time, motion, integrals);
  }
  void integral_rates(double time, const FrameMotionT<S>& motion, S* rates) const final {
    if constexpr (Law::k_integrals > 0) self().rates_law(time, motion, rates);
  }
  void derivatives(int k, double time, const FrameMotionT<S>& motion, const S* integrals,
                   StateLoadDerivativeT<S>& result) const final {
    result.by_integral.setZero(), result.rate_by_pose.setZero(), result.rate_by_velocity.setZero();
    std::array<D, 6> x;
    for (int i = 0; i < Law::k_integrals; ++i) x[i] = D(integrals[i]);

    FrameMotionT<D> moved = cast(motion);
    const PoseT<D> step{Matrix3T<D>::identity() + Matrix3T<D>::skew(variables({}).angular), variables({}).linear};
    moved.pose = moved.pose * step;  // exp(zeta) to first order
    differentiate(k, time, moved, x.data(), result.by_pose, &result.rate_by_pose);

    moved = cast(motion);
    moved.velocity = variables(motion.velocity);
    differentiate(k, time, moved, x.data(), result.by_velocity, &result.rate_by_velocity);

    moved = cast(motion);
    moved.acceleration = variables(motion.acceleration);
    differentiate(k, time, moved, x.data(), result.by_acceleration, nullptr);

    if constexpr (Law::k_integrals > 0) {
      for (int i = 0; i < Law::k_integrals; ++i) x[i] = D::variable(integrals[i], i);
      differentiate(k, time, cast(motion), x.data(), result.by_integral, nullptr);
    }
  }

 private:
  using D = Dual<S, 8>;
  using Matrix = typename StateLoadDerivativeT<S>::Matrix;

  const Law& self() const { return static_cast<const Law&>(*this); }

  static Vector3T<D> constants(const Vector3T<S>& x) { return {D(x.x), D(x.y), D(x.z)}; }
  static FrameMotionT<D> cast(const FrameMotionT<S>& m) {
    const Matrix3T<S>& R = m.pose.rotation;
    return {{{constants(R.row0), constants(R.row1), constants(R.row2)}, constants(m.pose.position)},
            {constants(m.velocity.angular), constants(m.velocity.linear)},
            {constants(m.acceleration.angular), constants(m.acceleration.linear)}};
  }
  static TwistT<D> variables(const TwistT<S>& x) {
    TwistT<D> result;
    for (int i = 0; i < 6; ++i) result[i] = D::variable(x[i], i);
    return result;
  }

  void differentiate(int k, double time, const FrameMotionT<D>& motion, const D* integrals, Matrix& of_wrench,
                     Matrix* of_rates) const {
    const WrenchT<D> w = self().law(k, time, motion, integrals);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) of_wrench(i, j) = w[i].derivative[j];
    }
    if constexpr (Law::k_integrals > 0) {
      if (of_rates == nullptr) return;
      D rates[6];
      self().rates_law(time, motion, rates);
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) (*of_rates)(i, j) = rates[i].derivative[j];
      }
    }
  }
};

}  // namespace cuttle
