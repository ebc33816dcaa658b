#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/error.h"
#include "cuttle/identification/experiment.h"
#include "cuttle/identification/free_parameter.h"
#include "cuttle/identification/least_squares.h"

namespace CUTTLE_API cuttle {

struct IdentificationOptions {
  Loss loss = Loss::squares;
  /// Residual, in deviations, from which on a robust loss grows slower. Nothing: from what the fit leaves, 1.345 robust
  /// deviations (1.4826 times the median of the sizes), of cauchy 2.385.
  std::optional<double> loss_scale = {};
  bool deviations_known = false;  ///< channels say how large errors are; else the residuals alone do
  /// Runs that choose their steps get finer until a hundredth of their tolerance would move no value by more than 2 %
  /// of the half width of its interval (noise counts as at least 1e-5 of how much the data vary).
  bool refine_runs = false;
  int starts = 1;                           ///< the file's values, then random ones within the bounds
  long seed = 0;                            ///< of these
  std::optional<int> only_start = {};       ///< search from this one of them alone, from 0: others do it elsewhere
  int max_evaluations = 200;                ///< of residuals, a start
  const std::atomic<bool>* stop = nullptr;  ///< where it becomes true, the best so far is the result
  /// Called after each evaluation that is better than all before.
  std::function<void(const LeastSquaresProgress&)> progress = {};
};

/// What the data say of one free parameter.
struct IdentifiedParameter {
  std::string name, unit;
  double start = 0.0, value = 0.0;
  double lower95 = 0.0, upper95 = 0.0;  ///< NaN where it stands at a bound, or there are no derivatives
  double deviation = 0.0;               ///< its standard error
  bool at_bound = false;
};

/// A combination of parameters: by how much each changes, as a part of its scale (FreeParameter::scale; of a
/// logarithmic one of its value), together of length 1.
struct ParameterCombination {
  VectorXd direction;           ///< one a parameter, 0 for those at bounds
  double singular_value = 0.0;  ///< of the Jacobian of the residuals by the scaled parameters
  double half_width = 0.0;      ///< of its 95 % interval, as a part of the scale
  /// Uncertain by more than itself: the data cannot tell it.
  bool undetermined() const { return !(half_width < 1.0); }
};

/// How a quantity is predicted.
struct ChannelFit {
  /// Of several columns that measure the same, those behind the first have theirs in brackets: tip.x (camera2_x).
  std::string name, unit;
  double rms = 0.0, max = 0.0;  ///< NaN if there is none
  std::size_t count = 0;
};

/// Predictions of one set of data.
struct ExperimentFit {
  VectorXd predicted;                ///< one a point; NaN of rows that have none
  std::vector<ChannelFit> channels;  ///< as measured
  /// Distances of frames of which x, y and z are measured: FRAME.position. Of several columns of one component the mean
  /// of the squares counts.
  std::vector<ChannelFit> frames;
  std::vector<UnpredictedRows> missing;  ///< rows that were to be predicted and are not
};

struct Identification {
  std::vector<IdentifiedParameter> parameters;
  VectorXd values;
  std::vector<ExperimentFit> fits;  ///< one an experiment
  /// Root of the mean square of all residuals: in the unit of the channels if they share one and have deviation 1, else
  /// in deviations.
  double rms = 0.0;
  std::string rms_unit;
  double cost = 0.0;                  ///< half of the sum of losses, priors included
  std::size_t measurement_count = 0;  ///< numbers that were measured, and are learned from
  std::size_t prior_count = 0;        ///< what is known beside them: residuals too
  MatrixXd covariance, correlation;
  std::vector<ParameterCombination> combinations;  ///< from the best known to the least known
  LeastSquaresStatus status = LeastSquaresStatus::converged;
  int evaluations = 0;
  double seconds = 0.0;
  std::vector<double> start_costs;  ///< what each start led to; infinite: nowhere
  std::string message;              ///< why it ended
  bool explains = true;             ///< residuals are not so large that the fit says little
  std::vector<std::string> hints;   ///< what makes the fit doubtful, and what to try
  double loss_scale = 0.0;          ///< of a robust loss, as IdentificationOptions::loss_scale; 0 of squares
  double run_tolerance = 0.0;       ///< relative, of runs that choose their steps; 0: there are none
  bool runs_settled = false;        ///< a finer run was compared, and moves no value by more than 2 % of its half width
  /// At a minimum that explains the data.
  bool converged() const { return status == LeastSquaresStatus::converged && explains; }
};

/// Parameters from data: the values for which the losses of all residuals, each divided by its channel's deviation, and
/// of the priors are least.
/// Intervals are those of linear least squares at the solution, with the variance of the residuals estimated from what
/// is left of them and Student's distribution: they hold if the model is right and errors are independent.
/// @throws ArgumentError if there are fewer measurements than parameters, two parameters stand for one number, or the
/// robot has no state that could be compared at any of the starts; InterruptedError.
Identification identify(const Model& model, const std::vector<FreeParameter>& parameters,
                        const std::vector<Experiment*>& experiments, const IdentificationOptions& options);

/// A search was stopped before there was anything that it could show.
class InterruptedError : public Error {
 public:
  using Error::Error;
  ~InterruptedError() override;
};

/// What a robot with these values says of an experiment; rows without a state that could be compared are
/// ExperimentFit::missing.
ExperimentFit fit_of(const Model& model, const std::vector<FreeParameter>& parameters, const VectorXd& values,
                     Experiment& experiment, const std::vector<char>& left_out = {});

/// Cross-validation: groups of rows are dealt to folds in turn; each fold is predicted with parameters from all others,
/// found from those of all rows.
struct CrossValidation {
  int folds = 0;                    ///< that were done: fewer than asked for if it was stopped
  std::vector<ExperimentFit> fits;  ///< of every row with the parameters that do not know it
  std::vector<VectorXd> values;     ///< of the folds; NaN where a fold's search led nowhere
  double rms = 0.0;                 ///< as Identification::rms
};
/// @throws ArgumentError as check_folds.
CrossValidation cross_validate(const Model& model, const std::vector<FreeParameter>& parameters,
                               const std::vector<Experiment*>& experiments, const Identification& all, int folds,
                               const IdentificationOptions& options);

/// @throws ArgumentError for fewer than two folds, more than there are groups, or one without which there are fewer
/// measurements than parameters.
void check_folds(const std::vector<FreeParameter>& parameters, const std::vector<Experiment*>& experiments, int folds);

/// A sentence for each combination that the data cannot tell.
std::vector<std::string> undetermined_texts(const Identification& found);

/// A value with as many digits as its uncertainty leaves a meaning: two of the uncertainty.
std::string meaningful_digits(double value, double half_width);

/// `15 measurements`, `15 measurements and 2 priors`.
std::string measurements_text(const Identification& found);

/// What an interval is: its limits with as many digits as mean something, at a bound, not known.
/// @param format  of both limits: "[{}, {}]".
std::string interval_text(const IdentifiedParameter& one, const char* format);

/// A sentence for rows that are not predicted: the first ones, and how many there are beside them.
/// @param rows  fitted | left out | held out
std::vector<std::string> unpredicted_texts(const std::string& rows, const std::string& label, const ExperimentFit& fit);

}  // namespace cuttle
