#pragma once

#include "cuttle/algorithms/statics.h"
#include "cuttle/simulation/driven_motion.h"

namespace cuttle {

/// The equilibrium of a robot whose driven joints and base are held where q0 has them.
/// @param loads  `external` is not read: the robot's own loads act as they are at `state_loads_at`.
/// @throws as static_equilibrium.
StaticEquilibrium held_equilibrium(const Model& model, const DrivenMotion& motion, const StaticLoads& loads,
                                   const VectorXd& q0);

}  // namespace cuttle
