#include "cuttle/elements/coupling.h"

#include "elements/check_number.h"
#include "elements/sum_element.h"

namespace cuttle {
namespace {

template <typename S>
class CouplingLaw final : public EffortLaw<CouplingLaw, S, 1, 0, 0, 1> {
 public:
  explicit CouplingLaw(const CouplingT<S>& coupling) : coupling_(coupling) {}
  std::string type_name() const override { return "coupling"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"effort", "1"}}; }
  const CouplingT<S>& parameters() const { return coupling_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    efforts[0] = T(coupling_.stiffness) * (T(coupling_.rest) - at.y[0]) - T(coupling_.damping) * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    const T beyond = at.y[0] - T(coupling_.rest);
    return T(0.5) * T(coupling_.stiffness) * beyond * beyond;
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
  template <typename T>
  CouplingLaw<T> cast() const {
    return CouplingLaw<T>(CouplingT<T>{scalar_cast<T>(coupling_.stiffness), scalar_cast<T>(coupling_.damping),
                                       scalar_cast<T>(coupling_.rest)});
  }

 private:
  CouplingT<S> coupling_;
};

}  // namespace

template <typename S>
ElementT<S> make_coupling(const std::string& name, std::vector<std::string> links, const std::vector<S>& factors,
                          const CouplingT<S>& coupling) {
  check_not_negative("stiffness", coupling.stiffness, "1");
  check_not_negative("damping", coupling.damping, "s");
  using std::isfinite;
  if (!isfinite(coupling.rest)) throw ModelError("rest", number_text(coupling.rest), "a number");
  return element_on_sum<S>(name, std::move(links), factors, std::make_shared<CouplingLaw<S>>(coupling));
}

template <typename S>
const CouplingT<S>* coupling_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const CouplingLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                                \
  template ElementT<S> make_coupling<S>(const std::string&, std::vector<std::string>, const std::vector<S>&, \
                                        const CouplingT<S>&);                                                \
  template const CouplingT<S>* coupling_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
