#include "cuttle/model/transmissions/joint.h"

#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/transmissions/link_coordinates.h"

namespace cuttle {

template <typename S>
void JointTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  const LinkInfoT<S>& info = *to.link(link).info;
  require_vector_space(info);
  if (index < 0 || index >= info.joint_nv) {
    throw ModelError("index", std::to_string(index),
                     "less than " + std::to_string(info.joint_nv) + " (joint coordinates of the link)");
  }
  const int row = info.v + index;
  to.add_linear(to.model().velocity_info()[row].unit == "m/s" ? "N" : "N m", S(0.0))[row] = S(1.0);
}

template <typename S>
ActuatorT<S> ActuatorT<S>::joint(std::string name, std::string link, int index) {
  return {std::move(name), std::make_shared<const JointTransmissionT<S>>(std::move(link), index)};
}

#define CUTTLE_INSTANTIATE(S)           \
  template class JointTransmissionT<S>; \
  template ActuatorT<S> ActuatorT<S>::joint(std::string, std::string, int);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
