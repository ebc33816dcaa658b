#include "cuttle/elements/input_lag.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "elements/check_number.h"

namespace cuttle {
namespace {

/// Each of n efforts is a state that follows its input. Not an EffortLaw, whose counts are fixed where it is compiled.
template <typename S>
class InputLagLaw final : public ClonedByCast<EffortLawT, InputLagLaw, S> {
 public:
  InputLagLaw(std::vector<std::string> names, std::string unit, S lag)
      : names_(std::move(names)), unit_(std::move(unit)), lag_(std::move(lag)) {}

  std::string type_name() const override { return "lag"; }
  int transmission_count() const override { return count(); }
  int input_count() const override { return count(); }
  int state_count() const override { return count(); }
  std::vector<CoordinateInfo> inputs() const override {
    std::vector<CoordinateInfo> result;
    for (const std::string& name : names_) result.push_back({name, unit_});
    return result;
  }
  std::vector<ElementStateInfo> states() const override {
    std::vector<ElementStateInfo> result;
    for (const std::string& name : names_) result.push_back({name, unit_, 0.0});
    return result;
  }
  const S& lag() const { return lag_; }

  void evaluate(const EffortArgumentsT<S>& at, S* efforts, S* state_rates) const override {
    for (int i = 0; i < count(); ++i) efforts[i] = at.state[i], state_rates[i] = (at.input[i] - at.state[i]) / lag_;
  }
  /// Columns: y, their rates, states, inputs.
  void derivatives(const EffortArgumentsT<S>& /*at*/, S* matrix) const override {
    const int n = count(), columns = 4 * n;
    std::fill(matrix, matrix + 2 * n * columns, S(0.0));
    for (int i = 0; i < n; ++i) {
      matrix[i * columns + 2 * n + i] = S(1.0);
      matrix[(n + i) * columns + 2 * n + i] = S(-1.0) / lag_;
      matrix[(n + i) * columns + 3 * n + i] = S(1.0) / lag_;
    }
  }
  S stored_energy(const EffortArgumentsT<S>& /*at*/) const override { return S(0.0); }
  S stored_power(const EffortArgumentsT<S>& /*at*/, const S* /*state_rates*/) const override { return S(0.0); }

  template <typename T>
  InputLagLaw<T> cast() const {
    return InputLagLaw<T>(names_, unit_, scalar_cast<T>(lag_));
  }

 private:
  int count() const { return static_cast<int>(names_.size()); }

  std::vector<std::string> names_;
  std::string unit_;
  S lag_;
};

}  // namespace

template <typename S>
ActuatorT<S> with_input_lag(ActuatorT<S> actuator, const S& lag, const std::string& unit) {
  check_positive("lag", lag, "s");
  if (actuator.law) throw ModelError("law", "a " + actuator.law->type_name(), "none beside a lag");
  actuator.law = std::make_shared<const InputLagLaw<S>>(actuator.transmission->inputs(), unit, lag);
  return actuator;
}

template <typename S>
const S* input_lag_of(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const InputLagLaw<S>*>(&law);
  return found ? &found->lag() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                          \
  template ActuatorT<S> with_input_lag<S>(ActuatorT<S>, const S&, const std::string&); \
  template const S* input_lag_of(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
