#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// The actuator with a lag of first order between its inputs u and its efforts x: valves that fill chambers, motors
/// that build up torque. `lag dx/dt = u - x` from x = 0; at rest x = u. The efforts x are states of it, in results
/// under elements/NAME with the names of its inputs; their power counts as input.
/// @param lag  time constant [s], > 0.
/// @param unit  of inputs and efforts, "1": none.
/// @throws ModelError: key, what was found, what was expected.
/// @code
/// robot.actuators.push_back(with_input_lag(Actuator::linear("pressure", {"joint"}, matrix), 0.08, "Pa"));
/// @endcode
template <typename S>
CUTTLE_API ActuatorT<S> with_input_lag(ActuatorT<S> actuator, const S& lag, const std::string& unit);

/// The lag of a law, if it is that of such an actuator; else null.
template <typename S>
CUTTLE_API const S* input_lag_of(const EffortLawT<S>& law);

}  // namespace cuttle
