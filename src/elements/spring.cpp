#include "cuttle/elements/spring.h"

#include "cuttle/model/transmissions/distance.h"
#include "elements/check_number.h"

namespace cuttle {
namespace {

template <typename S>
class SpringLaw final : public EffortLaw<SpringLaw, S, 1, 0, 0, 2> {
 public:
  explicit SpringLaw(const SpringT<S>& spring) : spring_(spring) {}
  std::string type_name() const override { return "spring"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"force", "N"}, {"length", "m"}}; }
  const SpringT<S>& parameters() const { return spring_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    efforts[0] = T(spring_.stiffness) * extension(at) - T(spring_.damping) * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    const T e = extension(at);
    return T(0.5) * T(spring_.stiffness) * e * e;
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& at, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0], outputs[1] = at.rest[0] - at.y[0];
  }
  template <typename T>
  SpringLaw<T> cast() const {
    SpringT<T> other{scalar_cast<T>(spring_.stiffness), scalar_cast<T>(spring_.damping)};
    if (spring_.rest_length) other.rest_length = scalar_cast<T>(*spring_.rest_length);
    return SpringLaw<T>(other);
  }

 private:
  template <typename T>
  T extension(const EffortArgumentsT<T>& at) const {
    return spring_.rest_length ? at.rest[0] - at.y[0] - T(*spring_.rest_length) : -at.y[0];
  }
  SpringT<S> spring_;
};

}  // namespace

template <typename S>
ElementT<S> make_spring(std::string name, PlaceT<S> a, PlaceT<S> b, const SpringT<S>& spring) {
  check_not_negative("stiffness", spring.stiffness, "N/m");
  check_not_negative("damping", spring.damping, "N s/m");
  if (spring.rest_length) check_not_negative("rest_length", *spring.rest_length, "m");
  return {std::move(name),
          {std::make_shared<const DistanceTransmissionT<S>>(std::move(a), std::move(b))},
          std::make_shared<SpringLaw<S>>(spring)};
}

template <typename S>
const SpringT<S>* spring_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const SpringLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                \
  template ElementT<S> make_spring<S>(std::string, PlaceT<S>, PlaceT<S>, const SpringT<S>&); \
  template const SpringT<S>* spring_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
