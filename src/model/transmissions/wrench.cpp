#include "cuttle/model/transmissions/wrench.h"

#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/check_numbers.h"

namespace cuttle {

template <typename S>
void WrenchTransmissionT<S>::check() const {
  check_place(place);
}

template <typename S>
void WrenchTransmissionT<S>::request_ports(PortRequestsT<S>& ports) const {
  at_place("at", "", [&] { ports.want(place.link, place.at); });
}

template <typename S>
void WrenchTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  to.add_wrench({0, to.frame(place), axes == Axes::world});
}

template <typename S>
ActuatorT<S> ActuatorT<S>::wrench(std::string name, PlaceT<S> place, Axes axes) {
  return {std::move(name), std::make_shared<const WrenchTransmissionT<S>>(std::move(place), axes)};
}

#define CUTTLE_INSTANTIATE(S)            \
  template class WrenchTransmissionT<S>; \
  template ActuatorT<S> ActuatorT<S>::wrench(std::string, PlaceT<S>, Axes);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
