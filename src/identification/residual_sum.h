#pragma once

#include <string>
#include <vector>

#include "cuttle/identification/identification.h"

namespace cuttle {

using LeftOut = std::vector<std::vector<char>>;  ///< rows of each experiment; empty: none

/// All residuals of some data, as functions of values of the parameters: points, then priors.
class ResidualSum {
 public:
  ResidualSum(const Model& model, const std::vector<FreeParameter>& parameters,
              const std::vector<Experiment*>& experiments, const LeftOut& left_out,
              const IdentificationOptions& options);

  int count() const { return points_ + priors_; }
  int measurements() const { return points_; }
  int priors() const { return priors_; }
  bool has_priors() const { return priors_ > 0; }
  const std::vector<FreeParameter>& parameters() const { return parameters_; }
  const std::vector<Experiment*>& experiments() const { return experiments_; }
  const std::string& trouble() const { return trouble_; }

  /// Of what residuals can be told apart, relative.
  double precision() const;
  /// The worst relative tolerance of runs that choose their steps; 0: there are none.
  double run_tolerance() const;
  /// Of the runs of each experiment; 0 where none chooses its steps.
  std::vector<double> run_tolerances() const;
  void set_run_tolerances(const std::vector<double>& relative);
  /// Those that are worse.
  void tighten_runs(double relative);

  double loss_scale() const { return loss_scale_; }
  void set_loss_scale(double scale) { loss_scale_ = scale; }

  /// Residuals in deviations, losses applied; derivatives by the parameters themselves.
  bool evaluate(const VectorXd& values, VectorXd& residuals, MatrixXd* jacobian);
  /// The same without losses.
  bool evaluate_plain(const VectorXd& values, VectorXd& residuals, MatrixXd* jacobian);
  /// How much what was measured varies, in deviations: root of the mean square about the mean of each column; about 0
  /// where a column has one number. At least 1e-12 of size().
  double spread() const;
  /// Root of the mean square of what was measured, in deviations.
  double size() const;

 private:
  bool acts(std::size_t experiment, std::size_t row) const {
    return left_out_.empty() || left_out_[experiment].empty() || left_out_[experiment][row] == 0;
  }

  const Model& model_;
  const std::vector<FreeParameter>& parameters_;
  const std::vector<Experiment*>& experiments_;
  const LeftOut& left_out_;
  Loss loss_;
  double loss_scale_;
  int points_ = 0, priors_ = 0;
  std::string trouble_;
  VectorXd predicted_;
  MatrixXd slopes_;
};

struct Solution {
  VectorXd values;
  LeastSquaresResult result;
};

/// The least of a sum from one start. Long predictions end where `options.stop` becomes true.
/// @param before  evaluations of earlier starts, and the best cost of them.
Solution solve_from(ResidualSum& sum, const VectorXd& start, const IdentificationOptions& options, int before,
                    double best);

/// Lets long predictions be interrupted while a search lasts, and not what describes its best.
class InterruptibleSearch {
 public:
  InterruptibleSearch(const std::vector<Experiment*>& experiments, const std::atomic<bool>* stop)
      : experiments_(experiments) {
    for (Experiment* experiment : experiments_) experiment->interrupt_with(stop);
  }
  ~InterruptibleSearch() {
    for (Experiment* experiment : experiments_) experiment->interrupt_with(nullptr);
  }
  InterruptibleSearch(const InterruptibleSearch&) = delete;
  InterruptibleSearch& operator=(const InterruptibleSearch&) = delete;

 private:
  const std::vector<Experiment*>& experiments_;
};

}  // namespace cuttle
