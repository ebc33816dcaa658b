#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// Torque and force at a place, six inputs NAME.tx [N m] .. NAME.fz [N]. There is no y of which the velocity is the
/// rate: it is 0.
template <typename S>
class WrenchTransmissionT final : public CastTransmission<WrenchTransmissionT, S> {
 public:
  explicit WrenchTransmissionT(PlaceT<S> at, Axes in_axes = Axes::body) : place(std::move(at)), axes(in_axes) {}

  std::string type_name() const override { return "wrench"; }
  std::vector<std::string> inputs() const override { return {"tx", "ty", "tz", "fx", "fy", "fz"}; }
  std::vector<std::string> links() const override { return {place.link}; }
  void check() const override;
  void request_ports(PortRequestsT<S>& ports) const override;
  void bind(TransmissionBinderT<S>& to) const override;
  IdleRule idle_rule(const RobotT<S>&) const override { return {-1.0, "no robot moves every way"}; }  // never idle
  template <typename T>
  WrenchTransmissionT<T> cast() const {
    return WrenchTransmissionT<T>(place.template cast<T>(), axes);
  }

  PlaceT<S> place;
  Axes axes;  ///< of torque and force
};
using WrenchTransmission = WrenchTransmissionT<double>;

}  // namespace cuttle
