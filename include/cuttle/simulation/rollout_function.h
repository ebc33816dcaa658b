#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/simulator.h"

namespace CUTTLE_API cuttle {

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

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuttle
