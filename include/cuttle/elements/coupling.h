#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of a spring with a damper on a sum of coordinates y = factors . q: a gear or a differential that gives
/// way a little, a finger that follows another, a servo.
template <typename S>
struct CouplingT {
  S stiffness{};  ///< effort on y for each unit of y - rest, >= 0
  S damping{};    ///< for each unit of dy/dt, >= 0
  S rest{};       ///< where y is without force
};
using Coupling = CouplingT<double>;

/// Pulls y = sum of factors[i] q_i, over the coordinates of `links` in order, to its rest: the generalized force
/// -factors (stiffness (y - rest) + damping dy/dt).
/// @param factors  as many as the links have coordinates.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ElementT<S> make_coupling(const std::string& name, std::vector<std::string> links,
                                     const std::vector<S>& factors, const CouplingT<S>& coupling);

/// The parameters of a law, if it is that of a coupling; else null.
template <typename S>
CUTTLE_API const CouplingT<S>* coupling_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
