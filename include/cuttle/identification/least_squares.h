#pragma once

#include <functional>
#include <string>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// What a residual r, in deviations, costs: r^2, or less where it is large, with z = (r/scale)^2. Twice the cost is
/// scale^2 rho(z): z; 2 (sqrt(1 + z) - 1); z below 1 and 2 sqrt(z) - 1 above; ln(1 + z).
enum class Loss { squares, soft_l1, huber, cauchy };
/// @throws ArgumentError for another name.
Loss loss_of_name(const std::string& name);

/// A residual s(r) whose square is twice the cost of r, and its slope ds/dr: so a method for squares minimizes any
/// loss.
struct LossyResidual {
  double value = 0.0, slope = 1.0;
};
LossyResidual lossy(Loss loss, double scale, double residual);

enum class LeastSquaresStatus {
  converged,
  stalled,           ///< no step lowers the sum of squares, though by its slopes one would
  most_evaluations,  ///< it was still getting better
  stopped,           ///< from outside
  failed,            ///< there are no residuals where it began
};

struct LeastSquaresProgress {
  int evaluations = 0;
  double cost = 0.0;  ///< half of the sum of squares: the best so far
  VectorXd z;
};

/// Residuals, and derivatives by rows if they are wanted; false where there are none, which no step is taken to.
using Residuals = std::function<bool(const VectorXd& z, VectorXd& residuals, MatrixXd* jacobian)>;

struct LeastSquaresOptions {
  int max_evaluations = 200;
  double tolerance = 1e-10;  ///< relative, of the sum of squares and of z
  /// Bounds of z, which no evaluation leaves; empty: none. A start outside is moved to the nearest point inside.
  VectorXd lower = {}, upper = {};
  std::function<bool(const LeastSquaresProgress&)> improved = {};  ///< after a better evaluation; true: stop
  std::function<bool()> stop = {};                                 ///< asked at each evaluation
};

struct LeastSquaresResult {
  VectorXd z;         ///< the best that was seen; where it began if there was nothing yet
  double cost = 0.0;  ///< half of the sum of squares; infinite if there was nothing yet
  LeastSquaresStatus status = LeastSquaresStatus::failed;
  int evaluations = 0;
};

/// Nonlinear least squares within bounds by Levenberg and Marquardt, each z in units in which its column of the
/// Jacobian has length 1 (More 1977). A step minimizes the linearized squares and lambda times the step's square
/// between the bounds. It knows no scale but those of the residuals, so a start of 1e-12 moves as far as one of 1.
/// @param count  of residuals, at least as many as z has.   @throws ArgumentError otherwise.
LeastSquaresResult minimize_squares(const Residuals& residuals, const VectorXd& start, int count,
                                    const LeastSquaresOptions& options = {});

}  // namespace cuttle
