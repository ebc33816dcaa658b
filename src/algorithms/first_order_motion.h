#pragma once

#include <Eigen/Cholesky>

#include "cuttle/algorithms/modes.h"

namespace cuttle {

/// Small motions z = (x, x', s) as z' = A z, in coordinates of one size.
struct FirstOrderMotion {
  MatrixXd matrix;  ///< scale^-1 A scale
  VectorXd scale;   ///< z = scale y
};
FirstOrderMotion first_order_motion(const LinearizedMotion& motion, const Eigen::LLT<MatrixXd>& mass);

/// @throws SingularMassError if a motion moves no mass.
Eigen::LLT<MatrixXd> factorized_mass(const LinearizedMotion& motion);

/// Smallest eigenvalue of the symmetric part of a stiffness: 0 where it is rounding, which is judged in one unit, as
/// stability_of does. So its sign is the verdict's. One below 0 that large ones of other units would hide is the
/// nearest to 0. Infinite of no motions. @param K, mass  on the same motions.
double smallest_stiffness(const MatrixXd& K, const MatrixXd& mass);

/// So that the largest entry of the shape is 1.
void normalize_shape(Mode& mode);

}  // namespace cuttle
