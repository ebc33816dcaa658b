#include "cuttle/model/transmissions/distance.h"

#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/check_numbers.h"
#include "model/transmissions/line.h"

namespace cuttle {

template <typename S>
std::vector<std::string> DistanceTransmissionT<S>::links() const {
  std::vector<std::string> links{a.link};
  add_once(links, b.link);
  return links;
}

template <typename S>
void DistanceTransmissionT<S>::check() const {
  at_place("a", "", [&] { check_place(a); });
  at_place("b", "", [&] { check_place(b); });
}

template <typename S>
void DistanceTransmissionT<S>::request_ports(PortRequestsT<S>& ports) const {
  at_place("a.at", "", [&] { ports.want(a.link, a.at); });
  at_place("b.at", "", [&] { ports.want(b.link, b.at); });
}

template <typename S>
void DistanceTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  const FrameT<S> first = at_place("a", "", [&] { return to.frame(a); });
  const FrameT<S> second = at_place("b", "", [&] { return to.frame(b); });
  if (first.node == second.node) throw ModelError("b", "a place that moves with a", "one on another link");
  BoundTendonT<S> line;
  line.slack = Slack::allow;
  line.fixed_length = S(0.0);
  line.half_square = half_square;
  const Vector3T<S> apart = to.rest_position(second) - to.rest_position(first);
  line.rest_length = half_square ? S(0.5) * dot(apart, apart) : length_of(apart);
  if (!half_square && !any(line.rest_length > S(0.0))) {
    throw ModelError("b", "the place of a", "one at a distance in the neutral configuration");
  }
  line.segments.push_back({first.node, second.node, first.node_frame.position, second.node_frame.position});
  to.add_tendon(std::move(line));
}

template <typename S>
std::vector<TransmissionDetail> DistanceTransmissionT<S>::details(const TransmissionsT<S>& bound, int input) const {
  return line_details(bound, input);
}

template <typename S>
ActuatorT<S> ActuatorT<S>::distance(std::string name, PlaceT<S> a, PlaceT<S> b) {
  return {std::move(name), std::make_shared<const DistanceTransmissionT<S>>(std::move(a), std::move(b))};
}

#define CUTTLE_INSTANTIATE(S)              \
  template class DistanceTransmissionT<S>; \
  template ActuatorT<S> ActuatorT<S>::distance(std::string, PlaceT<S>, PlaceT<S>);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
