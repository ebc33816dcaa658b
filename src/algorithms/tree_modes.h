#pragma once

#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/modes.h"

namespace cuttle {

/// The lowest modes of small motions, by |eigenvalue|, without matrices of all coordinates: a block method of Krylov on
/// the inverse of `K + s D + s^2 M`, factored once along the tree.
/// @param dynamics  derivatives at rest, of a robot without states of elements.
/// @param rows  of loops that are held, m x nv.
/// @throws SimulationError if they do not converge.
std::vector<Mode> tree_modes(const Model& model, TreeDerivatives& dynamics, const MatrixXd& rows, int count);

}  // namespace cuttle
