#pragma once

#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// The row that a result has of a robot in equilibrium: at rest, all works and the time zero.
/// @param u  inputs that act.   @param time  at which the robot's elements and loads are taken.
/// @throws ArgumentError if a size is wrong.
Sample rest_sample(const Model& model, Data& data, VectorInT<double> u, const StaticEquilibrium& equilibrium,
                   double time = 0.0);

/// A row without a robot: every number that depends on where it is is NaN, for an equilibrium that was not found.
Sample unknown_sample(const Model& model, VectorInT<double> u);

}  // namespace cuttle
