#include "cuttle/elements/distributed_load.h"

#include "cuttle/error.h"
#include "elements/timed_details.h"

namespace cuttle {

template <typename S>
std::vector<LoadPointT<S>> DistributedLawT<S>::points(const PlaceT<S>& place, const LinkT<S>* link) const {
  std::vector<LoadPointT<S>> points;
  if (link != nullptr && link->body) {
    for (const auto& station : link->body->stations()) {
      points.push_back({{place.link, PortLocationT<S>::section(station.s), {}}, station.weight});
    }
  }
  if (points.empty()) throw ModelError("link", "'" + place.link + "'", "a link whose body is a rod");
  return points;
}

template <typename S>
std::vector<LoadDetail> DistributedLawT<S>::details() const {
  return details_of(per_meter_);
}

#define CUTTLE_INSTANTIATE(S) template class DistributedLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
