#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y = l(0) - l(q) of a tendon along rods, through volumes and links that do not deform [m]; u is its tension [N].
template <typename S>
class TendonTransmissionT final : public CastTransmission<TendonTransmissionT, S> {
 public:
  explicit TendonTransmissionT(std::vector<RoutingT<S>> points, Slack when_slack = Slack::error)
      : routing(std::move(points)), slack(when_slack) {}

  std::string type_name() const override { return "tendon"; }
  std::vector<std::string> links() const override;
  void check() const override;
  void request_ports(PortRequestsT<S>& ports) const override;
  void bind(TransmissionBinderT<S>& to) const override;
  TransmissionPicture picture() const override;
  std::vector<TransmissionDetail> details(const TransmissionsT<S>& bound, int input) const override;
  IdleRule idle_rule(const RobotT<S>&) const override { return {k_idle_limit, "no coordinate changes its length"}; }
  double least_input() const override { return 0.0; }
  template <typename T>
  TendonTransmissionT<T> cast() const {
    std::vector<RoutingT<T>> other;
    for (const auto& entry : routing) other.push_back(entry.template cast<T>());
    return TendonTransmissionT<T>(std::move(other), slack);
  }

  std::vector<RoutingT<S>> routing;
  Slack slack;
};
using TendonTransmission = TendonTransmissionT<double>;

}  // namespace cuttle
