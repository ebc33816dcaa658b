#include "cuttle/model/robot.h"

namespace cuttle {

template <typename S>
ActuatorT<S> ActuatorT<S>::joint(std::string name, std::string link, int index) {
  ActuatorT<S> actuator;
  actuator.name = name;
  actuator.links = {std::move(link)};
  actuator.inputs = {std::move(name)};
  actuator.joint_index = index;
  return actuator;
}

#define CUTTLE_INSTANTIATE(S) \
  template struct ActuatorT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
