#include "cuttle/elements/joint_friction.h"

#include <cmath>

#include "cuttle/model/transmissions/joint.h"
#include "elements/check_number.h"

namespace cuttle {
namespace {

template <typename S>
class JointFrictionLaw final : public EffortLaw<JointFrictionLaw, S, 1, 0, 0, 1> {
 public:
  explicit JointFrictionLaw(const JointFrictionT<S>& friction) : friction_(friction) {}
  std::string type_name() const override { return "joint_friction"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"effort", ""}}; }
  const JointFrictionT<S>& parameters() const { return friction_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    using std::exp;
    using std::tanh;
    T level(friction_.friction);
    if (friction_.stiction) {
      const T x = at.rate[0] / T(*friction_.stribeck_velocity);
      level += T(*friction_.stiction - friction_.friction) * exp(-(x * x));
    }
    efforts[0] = -level * tanh(at.rate[0] / T(friction_.velocity));
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
  template <typename T>
  JointFrictionLaw<T> cast() const {
    const auto each = [](const std::optional<S>& x) { return x ? std::optional<T>(scalar_cast<T>(*x)) : std::nullopt; };
    return JointFrictionLaw<T>(JointFrictionT<T>{scalar_cast<T>(friction_.friction), scalar_cast<T>(friction_.velocity),
                                                 each(friction_.stiction), each(friction_.stribeck_velocity)});
  }

 private:
  JointFrictionT<S> friction_;
};

/// Of a number that is to be above (or, `or_equal`, not below) another one.
template <typename S>
void check_friction_above(const char* key, const S& value, bool or_equal, const char* other_key, const S& other) {
  using std::isfinite;
  if (isfinite(value) && (any(value > other) || (or_equal && !any(value < other)))) return;
  throw ModelError(key, number_text(value),
                   std::string("a number ") + (or_equal ? ">= " : "> ") + other_key + " = " + number_text(other));
}

}  // namespace

template <typename S>
ElementT<S> make_joint_friction(std::string name, std::string link, int index, const JointFrictionT<S>& friction) {
  check_not_negative("friction", friction.friction, "N m or N");
  check_positive("velocity", friction.velocity, "rad/s or m/s");
  if (friction.stiction && !friction.stribeck_velocity) {
    throw ModelError("stribeck_velocity", "nothing beside stiction", "a number > velocity [rad/s or m/s]");
  }
  if (friction.stribeck_velocity && !friction.stiction) {
    throw ModelError("stiction", "nothing beside stribeck_velocity", "a number >= friction [N m or N]");
  }
  if (friction.stiction) {
    check_friction_above("stiction", *friction.stiction, true, "friction", friction.friction);
    // where the regularisation has hardly begun to push back, nothing is left to fall
    check_friction_above("stribeck_velocity", *friction.stribeck_velocity, false, "velocity", friction.velocity);
  }
  return {std::move(name),
          {std::make_shared<const JointTransmissionT<S>>(std::move(link), index)},
          std::make_shared<JointFrictionLaw<S>>(friction)};
}

template <typename S>
const JointFrictionT<S>* joint_friction_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const JointFrictionLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                           \
  template ElementT<S> make_joint_friction<S>(std::string, std::string, int, const JointFrictionT<S>&); \
  template const JointFrictionT<S>* joint_friction_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
