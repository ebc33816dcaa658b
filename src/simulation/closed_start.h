#pragma once

#include <memory>

#include "algorithms/velocity_closing.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/scenario.h"
#include "simulation/prescribed_motion.h"

namespace cuttle {

/// Closes the loops of an initial state and of its velocities; what the scenario gives stays, if it can, and what is
/// driven whatever else must yield.
/// @return the rows of their constraints to hold.
/// @param closing  gets how the velocities have been closed; null: they were.
ConstraintRows close_start(const Model& model, const Scenario& scenario, const PrescribedMotion* motion, State& state,
                           std::shared_ptr<const VelocityClosing>& closing);

}  // namespace cuttle
