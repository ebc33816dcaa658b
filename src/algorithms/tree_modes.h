#pragma once

#include <optional>
#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/modes.h"

namespace cuttle {

/// By ascending |eigenvalue|; where these agree within rounding, as of a pair that flutters, the growing one first.
void sort_by_size(std::vector<Mode>& modes);

/// The lowest modes of small motions, by |eigenvalue|, without matrices of all coordinates: a block method of Krylov on
/// the inverse of `K + s D + s^2 M`, factored once along the tree.
/// @param dynamics  derivatives at rest, of a robot without states of elements.
/// @param rows  of loops that are held, m x nv.
/// @throws SimulationError if they do not converge.
std::vector<Mode> tree_modes(const Model& model, TreeDerivatives& dynamics, const MatrixXd& rows, int count);

/// Rows w with which eigenvalues change: d lambda = -w (dK + lambda dD + lambda^2 dM) x, for modes x of motions without
/// loops whose matrices are symmetric. Nothing for others. Of equal eigenvalues these have the sum of all changes
/// right.
/// @param dynamics  as tree_modes has them.   @param modes  by ascending |eigenvalue|.
/// @param equal  eigenvalues that differ by less, beside their size, are equal.
std::optional<Eigen::MatrixXcd> tree_mode_weights(const Model& model, TreeDerivatives& dynamics,
                                                  const std::vector<Mode>& modes, double equal);

}  // namespace cuttle
