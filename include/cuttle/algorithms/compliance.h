#pragma once

#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// How a robot at rest yields to small loads beside those that hold it there: a generalized force df moves it by
/// dq = flexibility df, along the tangent directions of q (as `integrate` takes them). Loads that follow the body make
/// both matrices unsymmetric.
struct EquilibriumStiffness {
  /// nv x nv, row i in [N m or N] of coordinate i: K = d(g + s - A u - elements - sum J^T wrench + G^T lambda)/dq with
  /// the states of elements at rest and the multipliers lambda of loops as they are.
  MatrixXd stiffness;
  MatrixXd motions;      ///< nv x n: Z, orthonormal columns that span what the kept rows of the loops allow
  MatrixXd flexibility;  ///< nv x nv: Z (Z^T K Z)^-1 Z^T; 0 x 0 if `singular`
  /// Something moves freely, to rounding and to what Newton's method leaves: small loads have no small answer.
  bool singular = false;
};

/// Whether matrices of all coordinates are made of a robot: of one with a body of more than 600 coordinates they are
/// not.
bool takes_matrices(const Model& model);

/// @param loads, equilibrium  those that static_equilibrium took, and what it found.
/// @throws ArgumentError as static_equilibrium.
EquilibriumStiffness equilibrium_stiffness(const Model& model, Data& data, const StaticLoads& loads,
                                           const StaticEquilibrium& equilibrium);

/// Compliance of a frame in an equilibrium: C = J flexibility J^T, where a small wrench (torque, force) at the frame's
/// origin moves the frame by the twist (rotation vector, displacement of the origin) = C wrench; both in world axes. In
/// [rad; m] by [N m; N]; inputs and all other loads stay as they are. Zero where nothing can move.
/// @code
/// const StaticEquilibrium rest = static_equilibrium(arm, data, loads, arm.neutral());
/// const auto C = frame_compliance(arm, data, rest, equilibrium_stiffness(arm, data, loads, rest),
/// arm.tip_frame("hand")); C(3, 3);  // how far 1 N along the world's x pushes the hand along x [m/N]
/// @endcode
/// @throws StaticsError if the stiffness is singular; ArgumentError if a size or the frame is wrong.
Eigen::Matrix<double, 6, 6> frame_compliance(const Model& model, Data& data, const StaticEquilibrium& equilibrium,
                                             const EquilibriumStiffness& stiffness, const Frame& frame);

}  // namespace cuttle
