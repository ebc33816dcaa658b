#pragma once

#include <vector>

#include "cuttle/identification/identification.h"

namespace cuttle {

/// What is known of the parameters at the solution: intervals, correlation, combinations that the data cannot tell.
/// @param jacobian  of the residuals in deviations by the parameters.
/// @param absolute  the deviations are what they say; else the residuals tell their size.
void describe_uncertainty(const std::vector<FreeParameter>& parameters, const VectorXd& residuals,
                          const MatrixXd& jacobian, bool absolute, Identification& result);

/// Where there are no derivatives: all of that is NaN.
void describe_as_unknown(const std::vector<FreeParameter>& parameters, Identification& result);

/// The part of a change of the residuals that a change of the parameters would make: its norm. Parameters at a bound
/// count if the residuals push them inwards.
double explained_part(const std::vector<FreeParameter>& parameters, const VectorXd& values, const VectorXd& residuals,
                      const MatrixXd& jacobian, const VectorXd& change);

/// The number below which a variable of Student's distribution lies with a probability of 0.975.
double student_97_5(double degrees_of_freedom);

}  // namespace cuttle
