#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of a tendon that a servo winds: u is how much of it is wound [m].
template <typename S>
struct LengthDriveT {
  S stiffness{};      ///< [N/m], > 0: of the tendon with what winds it
  S pretension{};     ///< [N]: at u = 0 in the neutral configuration; below zero it has slack there
  S range = S(0.01);  ///< [N], > 0: within it of zero the tension is rounded
};
using LengthDrive = LengthDriveT<double>;

/// A tendon driven by its length. With T = pretension + stiffness (u - y), of the shortening y of the tendon, its
/// tension is T above `range`, zero below -range, and (T + range)^2 / (4 range) in between, so that value and slope
/// are continuous: it never pushes. Its power, tension times dy/dt, counts as input. Output: `tension` [N].
/// @throws ModelError: key, what was found, what was expected.
/// @code
/// robot.actuators.push_back(make_length_driven_tendon("cable", {routing}, LengthDrive{.stiffness = 2e4}));
/// @endcode
template <typename S>
CUTTLE_API ActuatorT<S> make_length_driven_tendon(std::string name, std::vector<RoutingT<S>> routing,
                                                  const LengthDriveT<S>& drive);

/// The parameters of a law, if it is that of such a tendon; else null.
template <typename S>
CUTTLE_API const LengthDriveT<S>* length_drive_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
