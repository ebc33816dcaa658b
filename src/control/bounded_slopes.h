#pragma once

#include "control/allocation.h"
#include "control/output_law.h"

namespace cuttle {

// Derivatives of outputs where bounds hold some of them: these follow their bounds, which may move with the motion.

/// Rows of outputs beyond their bounds become those of the bounds.
/// @param before  by the same coordinates: of what the law is given.
void hold_slopes(const ControlPlaces& places, const OutputBounds& bounds, const VectorXd& out,
                 const GivenSlopes& before, MatrixXd& rows);
/// From rows of w to those of the outputs that `allocation` has found for `G` and w.
/// @param bound  working memory.
void allocate_slopes(Allocation& allocation, const MatrixXd& G, const ControlPlaces& places, const OutputBounds& bounds,
                     const VectorXd& out, const GivenSlopes& before, Eigen::RowVectorXd& bound, MatrixXd& rows);
/// Derivatives of one of the bounds themselves, those of outputs that it holds, into a row.
void bound_slope(const ControlPlaces& places, const OutputBounds& bounds, int k, bool low, const GivenSlopes& before,
                 Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> row);

}  // namespace cuttle
