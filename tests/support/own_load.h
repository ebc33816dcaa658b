#pragma once

#include <memory>
#include <string>

#include "cuttle/error.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/state_load_law.h"
#include "spatial/number_text.h"

/// Loads as users write them.
namespace cuttle::test {

/// A spring and a damper to a point of the world, with a mass that goes along.
template <typename S>
class TetherLaw final : public StateLoadLaw<TetherLaw, S> {
 public:
  TetherLaw(S stiffness, S damping, S mass, const Vector3T<S>& anchor = {})
      : stiffness_(stiffness), damping_(damping), mass_(mass), anchor_(anchor) {}
  std::string type_name() const override { return "tether"; }
  void check() const {
    if (!(stiffness_ >= S(0.0))) throw ModelError("stiffness", number_text(stiffness_), "a number >= 0 [N/m]");
  }

  template <typename T>
  WrenchT<T> law(int /*k*/, double /*time*/, const FrameMotionT<T>& motion, const T* /*integrals*/) const {
    const Vector3T<T> way = motion.pose.position - Vector3T<T>{T(anchor_.x), T(anchor_.y), T(anchor_.z)};
    const Vector3T<T> acceleration =  // of the point, not of the components of its velocity
        motion.acceleration.linear + cross(motion.velocity.angular, motion.velocity.linear);
    return {{},
            -(T(stiffness_) * motion.pose.rotation.transpose_times(way)) - T(damping_) * motion.velocity.linear -
                T(mass_) * acceleration};
  }
  ArticulatedInertiaT<S> added_inertia(int /*k*/) const {
    ArticulatedInertiaT<S> inertia;
    inertia.linear = SymmetricMatrix3T<S>::diagonal(mass_, mass_, mass_);
    return inertia;
  }
  template <typename T>
  TetherLaw<T> cast() const {
    return {scalar_cast<T>(stiffness_), scalar_cast<T>(damping_), scalar_cast<T>(mass_), anchor_.template cast<T>()};
  }

 private:
  S stiffness_, damping_, mass_;
  Vector3T<S> anchor_;
};

/// It has no `cast`.
template <typename S>
class OneScalarLaw final : public StateLoadLaw<OneScalarLaw, S> {
 public:
  std::string type_name() const override { return "one_scalar"; }
  template <typename T>
  WrenchT<T> law(int /*k*/, double /*time*/, const FrameMotionT<T>& motion, const T* /*integrals*/) const {
    return {{}, -motion.velocity.linear};
  }
};

/// It says neither what it does in time nor by the motion.
class NoLaw final : public LoadLaw {
 public:
  std::string type_name() const override { return "nothing"; }
};

}  // namespace cuttle::test
