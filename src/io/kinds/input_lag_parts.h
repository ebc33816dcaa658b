#pragma once

#include <string>
#include <utility>

#include "cuttle/elements/input_lag.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"

// The key `lag` of actuators under pressure.

namespace cuttle {

inline Key lag_key() {
  return key::number("lag", k_positive, "s")
      .about(
          "Time constant of valves: what acts, x, follows the input by lag dx/dt = u - x, from 0 when a simulation "
          "begins. Results have it as `elements/NAME`.")
      .if_missing("none: what acts is the input");
}
template <typename S>
ActuatorT<S> read_lag(const PartReader<S>& part, ActuatorT<S> actuator, const std::string& unit) {
  const auto lag = part.optional_number("lag");
  return lag ? with_input_lag<S>(std::move(actuator), *lag, unit) : actuator;
}
inline void write_lag(const Actuator& actuator, MapWriter& map) {
  if (!actuator.law) return;
  const double* lag = input_lag_of(*actuator.law);
  if (lag == nullptr) refuse_to_write("a law of type " + actuator.law->type_name(), "one of with_input_lag");
  map.number("lag", *lag);
}

}  // namespace cuttle
