#include "cuttle/elements/spring.h"

#include "cuttle/model/transmissions/distance.h"
#include "elements/check_number.h"
#include "geometry/distance_parts.h"

namespace cuttle {
namespace {

template <typename S>
class SpringLaw final : public EffortLaw<SpringLaw, S, 1, 0, 0, 2> {
 public:
  /// @param has_no_length  without force its ends meet: it is measured by half the square of its length, which is
  /// smooth there.
  SpringLaw(const SpringT<S>& spring, bool has_no_length) : spring_(spring), has_no_length_(has_no_length) {}
  std::string type_name() const override { return "spring"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"force", "N"}, {"length", "m"}}; }
  const SpringT<S>& parameters() const { return spring_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    if (!has_no_length_) {
      efforts[0] = T(spring_.stiffness) * extension(at) - T(spring_.damping) * at.rate[0];
      return;
    }
    const LengthT<T> length(T(2.0) * measure(at));
    const T inverse = select(length.none, T(0.0), T(1.0) / length.given);
    efforts[0] = T(spring_.stiffness) * (T(1.0) - T(*spring_.rest_length) * inverse) -
                 T(spring_.damping) * inverse * inverse * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    if (has_no_length_) {
      const T rest(*spring_.rest_length);
      return T(spring_.stiffness) *
             (measure(at) - rest * LengthT<T>(T(2.0) * measure(at)).value + T(0.5) * rest * rest);
    }
    const T e = extension(at);
    return T(0.5) * T(spring_.stiffness) * e * e;
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& at, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0], outputs[1] = measure(at);
    if (!has_no_length_) return;
    outputs[1] = LengthT<T>(T(2.0) * outputs[1]).value;
    outputs[0] = efforts[0] * outputs[1];
  }
  template <typename T>
  SpringLaw<T> cast() const {
    SpringT<T> other{scalar_cast<T>(spring_.stiffness), scalar_cast<T>(spring_.damping)};
    if (spring_.rest_length) other.rest_length = scalar_cast<T>(*spring_.rest_length);
    return SpringLaw<T>(other, has_no_length_);
  }

 private:
  /// Its length, or half the square of it.
  template <typename T>
  static T measure(const EffortArgumentsT<T>& at) {
    return at.rest[0] - at.y[0];
  }
  template <typename T>
  T extension(const EffortArgumentsT<T>& at) const {
    return spring_.rest_length ? measure(at) - T(*spring_.rest_length) : -at.y[0];
  }
  SpringT<S> spring_;
  bool has_no_length_;
};

}  // namespace

template <typename S>
ElementT<S> make_spring(std::string name, PlaceT<S> a, PlaceT<S> b, const SpringT<S>& spring) {
  check_not_negative("stiffness", spring.stiffness, "N/m");
  check_not_negative("damping", spring.damping, "N s/m");
  if (spring.rest_length) check_not_negative("rest_length", *spring.rest_length, "m");
  const bool has_no_length = spring.rest_length && !any(*spring.rest_length > S(0.0));
  return {std::move(name),
          {std::make_shared<const DistanceTransmissionT<S>>(std::move(a), std::move(b), has_no_length)},
          std::make_shared<SpringLaw<S>>(spring, has_no_length)};
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
