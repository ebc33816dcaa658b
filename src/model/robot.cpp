#include "cuttle/model/robot.h"

namespace cuttle {

template <typename S>
ActuatorT<S> ActuatorT<S>::joint(std::string name, std::string link, int index) {
  ActuatorT<S> actuator;
  actuator.kind = Kind::joint;
  actuator.name = name;
  actuator.links = {std::move(link)};
  actuator.inputs = {std::move(name)};
  actuator.joint_index = index;
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::tendon(std::string name, std::vector<RoutingT<S>> routing, Slack slack) {
  ActuatorT<S> actuator;
  actuator.kind = Kind::tendon;
  actuator.name = name;
  actuator.inputs = {std::move(name)};
  actuator.routing = std::move(routing);
  actuator.slack = slack;
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, std::array<S, 2> offset, S area) {
  ActuatorT<S> actuator;
  actuator.kind = Kind::chamber;
  actuator.name = name;
  actuator.inputs = {std::move(name)};
  actuator.links = {std::move(link)};
  actuator.offset = std::move(offset);
  actuator.area = std::move(area);
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, std::string surface) {
  ActuatorT<S> actuator = chamber(std::move(name), std::move(link), {}, S(0.0));
  actuator.surface = std::move(surface);
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, const SectorPocketT<S>& pocket) {
  ActuatorT<S> actuator = chamber(std::move(name), std::move(link), {}, S(0.0));
  actuator.pocket = pocket;
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::distance(std::string name, PlaceT<S> a, PlaceT<S> b) {
  ActuatorT<S> actuator;
  actuator.kind = Kind::distance;
  actuator.name = name;
  actuator.inputs = {std::move(name)};
  actuator.a = std::move(a), actuator.b = std::move(b);
  return actuator;
}

template <typename S>
ActuatorT<S> ActuatorT<S>::wrench(const std::string& name, PlaceT<S> place, Axes axes) {
  ActuatorT<S> actuator;
  actuator.kind = Kind::wrench;
  actuator.name = name;
  for (const char* component : {"tx", "ty", "tz", "fx", "fy", "fz"}) {
    actuator.inputs.push_back(name + "." + component);
  }
  actuator.a = std::move(place);
  actuator.axes = axes;
  return actuator;
}

const char* slack_name(Slack slack) {
  switch (slack) {
    case Slack::error:
      return "error";
    case Slack::clip:
      return "clip";
    case Slack::allow:
      return "allow";
  }
  return "";
}

#define CUTTLE_INSTANTIATE(S) template struct ActuatorT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
