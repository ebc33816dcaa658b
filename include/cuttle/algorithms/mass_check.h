#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// Whether some motion of the robot moves no mass, whatever its configuration: then M(q) is singular and nothing can be
/// simulated, while statics and inverse dynamics still exist. So for a massless link at the end of a chain, or for a
/// floating base whose only body hangs on a joint: base and joint can turn against each other and leave the body where
/// it is. Judged at a few configurations near the neutral one that no symmetry distinguishes.
/// @return a sentence naming links and coordinates of that motion; empty if there is none, or if it cannot be said:
/// with loops or loads of added mass, which can stand in for mass, and with too many coordinates for a dense M.
std::string always_singular_mass(const Model& model);

}  // namespace cuttle
