#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/error.h"
#include "cuttle/model/cloned_by_cast.h"
#include "cuttle/model/load_law.h"
#include "cuttle/spatial/dual.h"

namespace CUTTLE_API cuttle {

/// A StateLoadT that follows from its law, written once as templates on the scalar T:
///   template <T> WrenchT<T> law(int k, double time, const FrameMotionT<T>& motion, const T* integrals) const
///   template <T> void rates_law(double time, const FrameMotionT<T>& motion, T* rates) const   (with integrals)
///   ArticulatedInertiaT<S> added_inertia(int k) const   (of a law that depends on the acceleration; others see none)
/// Derivatives are by forward differentiation in passes of six directions, exact to rounding. Nothing in a law may
/// branch on its arguments: `select(mask, a, b)` instead of `if`.
template <typename S, typename Law, int k_integrals = 0>
class LawAtFramesT final : public StateLoadT<S> {
 public:
  static_assert(k_integrals <= 6);

  LawAtFramesT(Law law, std::vector<FrameT<S>> frames) : law_(std::move(law)) {
    this->frames_ = std::move(frames);
    if (k_integrals > 0 && this->frames_.size() != 1) {
      throw ModelError({}, std::to_string(this->frames_.size()) + " points of a load that keeps integrals", "one");
    }
  }

  /// Whoever may change the load - a push - does so between steps of an integrator.
  Law& law() { return law_; }
  const Law& law() const { return law_; }

  int integral_count() const override { return k_integrals; }
  ArticulatedInertiaT<S> added_inertia(int k) const override {
    if constexpr (k_has_inertia) {
      return law_.added_inertia(k);
    } else {
      return {};
    }
  }
  WrenchT<S> wrench(int k, double time, const FrameMotionT<S>& motion, const S* integrals) const override {
    if constexpr (k_has_inertia) return law_.law(k, time, motion, integrals);
    return law_.law(k, time, FrameMotionT<S>{motion.pose, motion.velocity, {}}, integrals);
  }
  void integral_rates(double time, const FrameMotionT<S>& motion, S* rates) const override {
    if constexpr (k_integrals > 0) law_.rates_law(time, motion, rates);
  }
  void derivatives(int k, double time, const FrameMotionT<S>& motion, const S* integrals,
                   StateLoadDerivativeT<S>& result) const override {
    result.by_acceleration.setZero(), result.by_integral.setZero();
    result.rate_by_pose.setZero(), result.rate_by_velocity.setZero();
    std::array<D, 6> x;
    for (int i = 0; i < k_integrals; ++i) x[i] = D(integrals[i]);
    const FrameMotionT<D> constant = cast(motion);

    FrameMotionT<D> moved = constant;
    const PoseT<D> step{Matrix3T<D>::identity() + Matrix3T<D>::skew(variables({}).angular), variables({}).linear};
    moved.pose = moved.pose * step;  // exp(zeta) to first order
    differentiate(k, time, moved, x.data(), result.by_pose, &result.rate_by_pose);

    moved = constant;
    moved.velocity = variables(motion.velocity);
    differentiate(k, time, moved, x.data(), result.by_velocity, &result.rate_by_velocity);

    if constexpr (k_has_inertia) {
      moved = constant;
      moved.acceleration = variables(motion.acceleration);
      differentiate(k, time, moved, x.data(), result.by_acceleration, nullptr);
    }
    if constexpr (k_integrals > 0) {
      for (int i = 0; i < k_integrals; ++i) x[i] = D::variable(integrals[i], i);
      differentiate(k, time, constant, x.data(), result.by_integral, nullptr);
    }
  }

 private:
  using D = Dual<S, 8>;
  using Matrix = typename StateLoadDerivativeT<S>::Matrix;
  static constexpr bool k_has_inertia = requires(const Law& law) { law.added_inertia(0); };

  static Vector3T<D> constants(const Vector3T<S>& x) { return {D(x.x), D(x.y), D(x.z)}; }
  static FrameMotionT<D> cast(const FrameMotionT<S>& m) {
    const Matrix3T<S>& R = m.pose.rotation;
    FrameMotionT<D> result{{{constants(R.row0), constants(R.row1), constants(R.row2)}, constants(m.pose.position)},
                           {constants(m.velocity.angular), constants(m.velocity.linear)},
                           {}};
    if constexpr (k_has_inertia) {
      result.acceleration = {constants(m.acceleration.angular), constants(m.acceleration.linear)};
    }
    return result;
  }
  static TwistT<D> variables(const TwistT<S>& x) {
    TwistT<D> result;
    for (int i = 0; i < 6; ++i) result[i] = D::variable(x[i], i);
    return result;
  }

  void differentiate(int k, double time, const FrameMotionT<D>& motion, const D* integrals, Matrix& of_wrench,
                     Matrix* of_rates) const {
    const WrenchT<D> w = law_.law(k, time, motion, integrals);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) of_wrench(i, j) = w[i].derivative[j];
    }
    if constexpr (k_integrals > 0) {
      if (of_rates == nullptr) return;
      D rates[k_integrals];
      law_.rates_law(time, motion, rates);
      for (int i = 0; i < k_integrals; ++i) {
        for (int j = 0; j < 6; ++j) (*of_rates)(i, j) = rates[i].derivative[j];
      }
    }
  }

  Law law_;
};

/// A load that is a function of the motion of the frame at which it acts. `Law<S>` derives from StateLoadLaw<Law, S>
/// and has a type_name, `law` as LawAtFramesT says (pose in the world; velocity and acceleration, gravity not inside,
/// in the axes of the frame, as is the wrench), and
///   template <T> Law<T> cast() const   (optional: then it exists for other scalars)
///   void check() const                 (optional: throws ModelError if its numbers are wrong)
/// With integrals, up to six that begin at 0, their rates are functions of time and motion alone.
template <template <typename> class Law, typename S, int k_integrals = 0>
class StateLoadLaw : public ClonedByCast<LoadLawT, Law, S> {
 public:
  int integral_count() const final { return k_integrals; }
  std::shared_ptr<const StateLoadT<S>> bind(std::vector<FrameT<S>> frames, const LinkT<S>* /*link*/) const final {
    if constexpr (requires(const Law<S>& law) { law.check(); }) self().check();
    return std::make_shared<const LawAtFramesT<S, Law<S>, k_integrals>>(self(), std::move(frames));
  }

 private:
  using ClonedByCast<LoadLawT, Law, S>::self;
};

}  // namespace cuttle
