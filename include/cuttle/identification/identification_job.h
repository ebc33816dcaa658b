#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/identification/identification.h"
#include "cuttle/io/visual.h"

namespace CUTTLE_API cuttle {

/// Where runs of identification begin: noise of measurements is mostly far larger.
constexpr double k_run_tolerance = 1e-4;

/// An identification by files and words, as `cuttle identify` has its options (docs/identification.md).
struct IdentificationRequest {
  /// Robot and scenario files, each followed by its tables.
  std::vector<std::string> files;
  std::vector<std::string> free, map, deviations, priors, held_out, overrides;
  std::string loss = "squares", group, output, report, between = "spline";
  std::optional<double> length;     ///< errors of positions also in percent of it [m]
  double time = 0.0;                ///< at which the robot's loads act on equilibria [s]
  std::optional<double> tolerance;  ///< of runs; nothing: as fine as the intervals need
  int folds = 0;                    ///< of the cross-validation; 0: there is none
  int threads = 0;                  ///< 0: one a core
  bool force = false;               ///< outputs may replace files that no Cuttle wrote
  IdentificationOptions solving;
};

/// What was found, for people and programs.
struct IdentificationOutcome {
  std::vector<FreeParameter> parameters;
  Identification found;
  std::vector<std::string> labels, held_out_labels;  ///< of the data: each is another
  std::vector<ExperimentFit> held_out;
  std::optional<CrossValidation> cross;
  std::string written;  ///< the robot file; empty: none
  std::string report;   ///< the page; empty: none
};
/// One object of JSON, docs/format.md; numbers that are not finite are null.
std::string identification_json(const IdentificationOutcome& outcome);

/// An identification from its files to its files, step by step:
///
///   IdentificationJob job(request);
///   job.prepare();
///   job.fit(&stop, show);
///   job.write_robot(), job.validate(), job.compare_held_out();
///   job.write_report([&] { return identification_page(job, viewer); });
///   std::string json = identification_json(job.outcome());
///   job.rethrow_failure();
///
/// Steps behind the fit that fail let the others go on, and what was found is not lost.
class IdentificationJob {
 public:
  /// Reads all files. @throws FileError, ArgumentError, ModelError.
  explicit IdentificationJob(IdentificationRequest request);
  ~IdentificationJob();
  IdentificationJob(const IdentificationJob&) = delete;
  IdentificationJob& operator=(const IdentificationJob&) = delete;

  /// Binds data and parameters, and finds out what would be found out too late else.
  /// @throws FileError, ArgumentError, ModelError.
  void prepare();
  /// @param stop  where it becomes true, the best so far is the result; null: it never does. Outlives this.
  /// @param show  called where the best found becomes better, with the part that is done, 0 to 1, and words.
  /// @throws as identify().
  void fit(const std::atomic<bool>* stop, const std::function<void(double done, const std::string& words)>& show);
  void write_robot();       ///< where an output is asked for
  void validate();          ///< by folds, where they are asked for, and it was not stopped
  void compare_held_out();  ///< tables that nothing was learned from
  /// @param page  makes it; called where a report is asked for.
  void write_report(const std::function<std::string()>& page);
  /// Throws what failed first behind the fit, if anything did.
  void rethrow_failure() const;

  const IdentificationRequest& request() const;
  const IdentificationOutcome& outcome() const;  ///< filled by the steps
  std::vector<std::string> warnings() const;     ///< of the files
  /// The robot of the files, the file that it stands in, and how it is drawn.
  const Model& model() const;
  const std::string& robot_path() const;
  const std::vector<LinkVisual>& visuals() const;
  const std::vector<Experiment*>& experiments() const;
  const std::vector<Experiment*>& held_out() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuttle
