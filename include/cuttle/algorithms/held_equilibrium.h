#pragma once

#include <span>

#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// An equilibrium of a robot some of whose coordinates are held, as by motors that keep their position or by brakes.
struct HeldEquilibrium {
  StaticEquilibrium equilibrium;  ///< stability is that of the motions that are left
  /// nv, what holds them: the generalized force that is to act besides inputs and loads [N m or N]; 0 for the others.
  VectorXd holding_force;
};

/// The equilibrium that loads lead to while some coordinates stay where q0 has them: static_equilibrium for the others.
/// Whatever acts on a held coordinate - actuators, springs, elements, loops - acts as ever, and the holding force takes
/// the rest.
/// @param held  nv: not 0 for coordinates that are held.
/// @throws as static_equilibrium; StaticsError too if the loops cannot be closed so; ArgumentError if `held` has
/// another size.
HeldEquilibrium held_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                 std::span<const char> held);

}  // namespace cuttle
