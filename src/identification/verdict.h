#pragma once

#include <optional>

#include "identification/residual_sum.h"

namespace cuttle {

/// Deviation of numbers about 0 that a few gross ones do not change: of normal ones their standard deviation.
double robust_deviation(const VectorXd& numbers);

/// By how much values would move if the residuals changed so: the combination of parameters that moves most, as a part
/// of the half width of its 95 % interval. With the residuals themselves it is how far the minimum of the linearized
/// sum is (Bates and Watts 1981).
/// @param least_noise  as a part of how much the data vary: less than that counts as that.
double moved_half_widths(const ResidualSum& sum, const VectorXd& values, const VectorXd& residuals,
                         const MatrixXd& jacobian, const VectorXd& change, double least_noise);

/// Whether a fit leaves a part of what motions show that neither noise nor outliers are.
bool leaves_much(ResidualSum& sum, const VectorXd& values);

/// Whether a fit is one, and what to try if it is not: status, message, explains, hints.
/// @param from_minimum  half widths to the minimum of the linearized sum; nothing: not known.
void judge(const ResidualSum& sum, const IdentificationOptions& options, std::optional<double> from_minimum,
           Identification& found);

}  // namespace cuttle
