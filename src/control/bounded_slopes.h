#pragma once

#include "control/allocation.h"
#include "control/output_law.h"

namespace cuttle {

// Derivatives of outputs where bounds hold some of them: these follow their bounds, which may move with the motion.

/// Rows of outputs beyond their bounds become those of the bounds.
/// @param before  by the same coordinates: of the inputs that the law sees, nu rows.
void hold_slopes(const ControlPlaces& places, const OutputBounds& bounds, const VectorXd& out, const MatrixXd& before,
                 MatrixXd& rows);
/// From rows of w to those of the outputs that `allocation` has found for `G` and w.
void allocate_slopes(Allocation& allocation, const MatrixXd& G, const ControlPlaces& places, const OutputBounds& bounds,
                     const VectorXd& out, const MatrixXd& before, MatrixXd& rows);

}  // namespace cuttle
