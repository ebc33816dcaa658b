#include "cuttle/elements/play.h"

#include "elements/check_number.h"
#include "elements/rounded_contact.h"
#include "elements/sum_element.h"

namespace cuttle {
namespace {

template <typename S>
class PlayLaw final : public EffortLaw<PlayLaw, S, 1, 0, 0, 1> {
 public:
  explicit PlayLaw(const PlayT<S>& play) : play_(play) {}
  std::string type_name() const override { return "play"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"effort", "1"}}; }
  const PlayT<S>& parameters() const { return play_; }

  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    const auto [below, above] = flanks(at.y[0]);
    efforts[0] = T(play_.stiffness) * (below.depth - above.depth) -
                 T(play_.damping) * (below.contact + above.contact) * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    const auto [below, above] = flanks(at.y[0]);
    return T(play_.stiffness) * (below.energy + above.energy);
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
  template <typename T>
  PlayLaw<T> cast() const {
    return PlayLaw<T>(PlayT<T>{scalar_cast<T>(play_.gap), scalar_cast<T>(play_.stiffness),
                               scalar_cast<T>(play_.damping), scalar_cast<T>(play_.range), scalar_cast<T>(play_.rest)});
  }

 private:
  template <typename T>
  struct Flanks {
    RoundedContact<T> below, above;
  };
  template <typename T>
  Flanks<T> flanks(const T& y) const {
    const T from_rest = y - T(play_.rest), half = T(0.5) * T(play_.gap), range(play_.range);
    return {{-from_rest - half, range}, {from_rest - half, range}};
  }
  PlayT<S> play_;
};

}  // namespace

template <typename S>
ElementT<S> make_play(const std::string& name, std::vector<std::string> links, const std::vector<S>& factors,
                      const PlayT<S>& play) {
  check_not_negative("gap", play.gap, "of y");
  check_positive("stiffness", play.stiffness, "effort per y");
  check_not_negative("damping", play.damping, "effort per dy/dt");
  check_positive("range", play.range, "of y");
  using std::isfinite;
  if (!isfinite(play.rest)) throw ModelError("rest", number_text(play.rest), "a number");
  return element_on_sum<S>(name, std::move(links), factors, std::make_shared<PlayLaw<S>>(play));
}

template <typename S>
const PlayT<S>* play_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const PlayLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                            \
  template ElementT<S> make_play<S>(const std::string&, std::vector<std::string>, const std::vector<S>&, \
                                    const PlayT<S>&);                                                    \
  template const PlayT<S>* play_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
