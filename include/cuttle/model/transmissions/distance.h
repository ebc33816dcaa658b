#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y = l(0) - l(q) of the distance l of two places [m]; u pulls them towards each other [N].
template <typename S>
class DistanceTransmissionT final : public CastTransmission<DistanceTransmissionT, S> {
 public:
  DistanceTransmissionT(PlaceT<S> from, PlaceT<S> to) : a(std::move(from)), b(std::move(to)) {}

  std::string type_name() const override { return "distance"; }
  std::vector<std::string> links() const override;
  void check() const override;
  void request_ports(PortRequestsT<S>& ports) const override;
  void bind(TransmissionBinderT<S>& to) const override;
  TransmissionPicture picture() const override { return {{a.template cast<double>(), b.template cast<double>()}, {}}; }
  std::vector<TransmissionDetail> details(const TransmissionsT<S>& bound, int input) const override;
  IdleRule idle_rule(const RobotT<S>&) const override { return {k_idle_limit, "no coordinate changes its length"}; }
  template <typename T>
  DistanceTransmissionT<T> cast() const {
    return {a.template cast<T>(), b.template cast<T>()};
  }

  PlaceT<S> a, b;
};
using DistanceTransmission = DistanceTransmissionT<double>;

}  // namespace cuttle
