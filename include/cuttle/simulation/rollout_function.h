#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/simulator.h"

namespace CUTTLE_API cuttle {

/// The gradient of a scalar by the outputs of a run, where they are those: times x n each.
using WorthOfOutputs = std::function<MatrixXd(const MatrixXd& outputs)>;

/// How close a Hessian's product with a direction is to be.
struct HessianOptions {
  double tolerance = 1e-6;  ///< of its error
  /// The first difference is between numbers + step direction and numbers - step direction; 0: chosen, so that no
  /// number changes by more than 1/256 of its size. The size of a number is its magnitude; of one of a signal or of
  /// an initial state, that of the largest beside it; where that is 0, one in its unit.
  double step = 0.0;
};

/// What the Hessian of a scalar of a run makes of a direction.
struct HessianProduct {
  VectorXd product;  ///< p: how fast the gradient changes along the direction
  /// Estimate of its largest error relative to its largest number, each times the size of its number of the run. Where
  /// the product nearly vanishes, relative to a thousandth of the gradient along a direction of that size.
  double error = 0.0;
  int gradients = 0;  ///< that it took: runs with a way back each
};

/// A scenario's run as a function: from numbers to outputs at some times, and back from what the outputs are worth to
/// what the numbers are (motion_adjoint), at the price of some runs for any number of numbers.
/// @code
/// RolloutFunction run(model, scenario, {"tip.position"}, {1.0}, {"inputs.motor"});
/// const MatrixXd& tip = run.run(knots);                              // 1 x 3
/// const VectorXd by_knots = run.back(MatrixXd::Constant(1, 3, 1.0));  // of the sum of its three numbers
/// @endcode
class RolloutFunction {
 public:
  /// @param of  outputs, as `sensitivities` has them, but u.   @param times  ascending, within the run [s].
  /// @param by  what the numbers are, each: `inputs.NAME`, all values of a signal; `q` or `v`, the initial state; or
  /// one path as motion_adjoint has them.
  /// @throws ArgumentError for an output, path or time that there is not, and for what has no adjoint.
  RolloutFunction(const Model& model, Scenario scenario, const std::vector<std::string>& of, std::vector<double> times,
                  const std::vector<std::string>& by);
  ~RolloutFunction();

  const std::vector<CoordinateInfo>& outputs() const;    ///< names and units, n
  const std::vector<int>& output_sizes() const;          ///< how many of them each of `of` is
  const std::vector<ParameterInfo>& parameters() const;  ///< of the numbers, with what the scenario has, p
  const std::vector<int>& sizes() const;                 ///< how many of them each of `by` is
  const std::vector<double>& times() const;              ///< [s]

  /// Runs with other numbers, p. @return outputs, times x n. Valid until the next call.
  /// @throws ArgumentError for another size or numbers that make no sense, SimulationError as Simulator::run.
  const MatrixXd& run(VectorInT<double> numbers, const RunOptions& options = {});
  /// Of the run before: what the numbers are worth, p, if the outputs are worth `by_outputs`, times x n. A second time
  /// it runs again.
  /// @throws ArgumentError for another size, or before any run.
  VectorXd back(const MatrixXd& by_outputs);

  /// The Hessian of a scalar of the outputs, by the numbers, times a direction. It is a difference of gradients, which
  /// are exact themselves: central, of steps that halve, extrapolated (docs/gradients.md). The next `back` runs again.
  /// @param numbers, direction  p each.   @param worth  the scalar's gradient by the outputs.
  /// @throws ArgumentError for another size or numbers that make no sense; SimulationError as Simulator::run, and where
  /// the tolerance is not met, as where a contact begins within the steps.
  HessianProduct hvp(VectorInT<double> numbers, VectorInT<double> direction, const WorthOfOutputs& worth,
                     const HessianOptions& options = {}, const RunOptions& run_options = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuttle
