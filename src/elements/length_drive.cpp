#include "cuttle/elements/length_drive.h"

#include <cmath>
#include <utility>

#include "cuttle/model/transmissions/tendon.h"
#include "elements/check_number.h"

namespace cuttle {
namespace {

template <typename S>
class LengthDriveLaw final : public EffortLaw<LengthDriveLaw, S, 1, 1, 0, 1> {
 public:
  explicit LengthDriveLaw(const LengthDriveT<S>& drive) : drive_(drive) {}
  std::string type_name() const override { return "length"; }
  std::vector<CoordinateInfo> inputs() const override { return {{"", "m"}}; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"tension", "N"}}; }
  const LengthDriveT<S>& parameters() const { return drive_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    const T r(drive_.range), taut = T(drive_.pretension) + T(drive_.stiffness) * (at.input[0] - at.y[0]);
    const T beyond = select(taut > -r, taut + r, T(0.0));
    efforts[0] = select(taut > r, taut, beyond * beyond / (T(4.0) * r));
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
  /// Of no tension, or one below zero, how far it is wound where it becomes slack.
  void inverse_law(const EffortArgumentsT<S>& at, const S* efforts, S* inputs) const {
    using std::sqrt;
    const S r = drive_.range, pull = select(efforts[0] > S(0.0), efforts[0], S(0.0));
    const S taut = select(pull > r, pull, S(2.0) * sqrt(r * pull) - r);
    inputs[0] = at.y[0] + (taut - drive_.pretension) / drive_.stiffness;
  }
  template <typename T>
  LengthDriveLaw<T> cast() const {
    return LengthDriveLaw<T>(LengthDriveT<T>{scalar_cast<T>(drive_.stiffness), scalar_cast<T>(drive_.pretension),
                                             scalar_cast<T>(drive_.range)});
  }

 private:
  LengthDriveT<S> drive_;
};

}  // namespace

template <typename S>
ActuatorT<S> make_length_driven_tendon(std::string name, std::vector<RoutingT<S>> routing,
                                       const LengthDriveT<S>& drive) {
  check_positive("stiffness", drive.stiffness, "N/m");
  check_positive("range", drive.range, "N");
  using std::isfinite;
  if (!isfinite(drive.pretension)) throw ModelError("pretension", number_text(drive.pretension), "a number [N]");
  // it has a law for what slack means
  return {std::move(name), std::make_shared<const TendonTransmissionT<S>>(std::move(routing), Slack::allow),
          std::make_shared<const LengthDriveLaw<S>>(drive)};
}

template <typename S>
const LengthDriveT<S>* length_drive_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const LengthDriveLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

template <typename S>
using Routings = std::vector<RoutingT<S>>;
#define CUTTLE_INSTANTIATE(S)                                                                           \
  template ActuatorT<S> make_length_driven_tendon<S>(std::string, Routings<S>, const LengthDriveT<S>&); \
  template const LengthDriveT<S>* length_drive_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
