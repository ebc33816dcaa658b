#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y = l(0) - l(q) of the distance l of two places [m]; u pulls them towards each other [N]. With `half_square` l is
/// half the square of the distance [m^2] and u a stiffness [N/m]: that is smooth where the places meet.
template <typename S>
class DistanceTransmissionT final : public CastTransmission<DistanceTransmissionT, S> {
 public:
  DistanceTransmissionT(PlaceT<S> from, PlaceT<S> to, bool by_half_square = false)
      : a(std::move(from)), b(std::move(to)), half_square(by_half_square) {}

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
    return {a.template cast<T>(), b.template cast<T>(), half_square};
  }

  PlaceT<S> a, b;
  bool half_square = false;
};
using DistanceTransmission = DistanceTransmissionT<double>;

}  // namespace cuttle
