#pragma once

#include <functional>

#include "cuttle/model/model.h"

namespace cuttle {

/// The derivative at 0 of a function of one number, by central differences.
struct CentralSlope {
  VectorXd slope;
  double error = 0.0;   ///< estimate of it, in the measure that was asked for
  int evaluations = 0;  ///< of the function
};

/// Takes steps that halve and extrapolates the differences to steps of zero (Ridders 1982). The estimate is how far an
/// entry is from the two of the next lower order that it was made of, which is more than its own error where the
/// function is smooth: where errors of second order fall to a quarter as steps halve. Other entries do not count. It
/// ends where the estimate is within the tolerance, with three steps at the least and eight at the most. Where errors
/// grow as steps shrink, which noise does, it begins again with larger ones. Noise as large as the tolerance can hide
/// from the estimate by chance.
/// @param step  the first one.
/// @param measure  of an error: how large it is beside that slope.
/// @return the best that was found, whatever its error. Errors of the function pass through.
CentralSlope central_slope(const std::function<VectorXd(double)>& function, double step, double tolerance,
                           const std::function<double(const VectorXd& error, const VectorXd& slope)>& measure);

}  // namespace cuttle
