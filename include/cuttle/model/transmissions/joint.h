#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y is a coordinate of a link's joint [rad, m], u in N m or N.
template <typename S>
class JointTransmissionT final : public CastTransmission<JointTransmissionT, S> {
 public:
  explicit JointTransmissionT(std::string link_name, int coordinate = 0)
      : link(std::move(link_name)), index(coordinate) {}

  std::string type_name() const override { return "joint"; }
  std::vector<std::string> links() const override { return {link}; }
  void bind(TransmissionBinderT<S>& to) const override;
  template <typename T>
  JointTransmissionT<T> cast() const {
    return JointTransmissionT<T>(link, index);
  }

  std::string link;
  int index;  ///< which of the joint's coordinates
};
using JointTransmission = JointTransmissionT<double>;

}  // namespace cuttle
