#include "cuttle/elements/joint_limit.h"

#include "cuttle/model/transmissions/joint.h"
#include "elements/check_number.h"
#include "elements/rounded_contact.h"

namespace cuttle {
namespace {

template <typename S>
class JointLimitLaw final : public EffortLaw<JointLimitLaw, S, 1, 0, 0, 1> {
 public:
  explicit JointLimitLaw(const JointLimitT<S>& limit) : limit_(limit) {}
  std::string type_name() const override { return "joint_limit"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"effort", ""}}; }
  const JointLimitT<S>& parameters() const { return limit_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    const RoundedContact<T> below = beyond(T(limit_.lower) - at.y[0]), above = beyond(at.y[0] - T(limit_.upper));
    efforts[0] = T(limit_.stiffness) * (below.depth - above.depth) -
                 T(limit_.damping) * (below.contact + above.contact) * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    return T(limit_.stiffness) * (beyond(T(limit_.lower) - at.y[0]).energy + beyond(at.y[0] - T(limit_.upper)).energy);
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
  template <typename T>
  JointLimitLaw<T> cast() const {
    return JointLimitLaw<T>(JointLimitT<T>{scalar_cast<T>(limit_.lower), scalar_cast<T>(limit_.upper),
                                           scalar_cast<T>(limit_.stiffness), scalar_cast<T>(limit_.damping),
                                           scalar_cast<T>(limit_.range)});
  }

 private:
  template <typename T>
  RoundedContact<T> beyond(const T& x) const {
    return {x, T(limit_.range)};
  }
  JointLimitT<S> limit_;
};

}  // namespace

template <typename S>
ElementT<S> make_joint_limit(std::string name, std::string link, int index, const JointLimitT<S>& limit) {
  check_not_negative("damping", limit.damping, "N m s/rad or N s/m");
  check_positive("stiffness", limit.stiffness, "N m/rad or N/m");
  check_positive("range", limit.range, "rad or m");
  using std::isfinite;
  if (!isfinite(limit.lower)) throw ModelError("lower", number_text(limit.lower), "a number");
  if (!isfinite(limit.upper) || !any(limit.upper > limit.lower)) {
    throw ModelError("upper", number_text(limit.upper), "a number > lower");
  }
  return {std::move(name),
          {std::make_shared<const JointTransmissionT<S>>(std::move(link), index)},
          std::make_shared<JointLimitLaw<S>>(limit)};
}

template <typename S>
const JointLimitT<S>* joint_limit_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const JointLimitLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                     \
  template ElementT<S> make_joint_limit<S>(std::string, std::string, int, const JointLimitT<S>&); \
  template const JointLimitT<S>* joint_limit_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
