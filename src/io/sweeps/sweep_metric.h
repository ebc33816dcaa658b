#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/io/sweep.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/recorder.h"
#include "io/results/result_block.h"

namespace cuttle {

/// The columns that metrics know: those of a result, and energy.total.
std::vector<ResultBlock> sweep_blocks(const Model& model, const Scenario& scenario);

/// A number of a run: what became of a column of its result.
struct SweepMetric {
  enum class Kind { final, max, min, mean, rms, integral, settling };
  Kind kind = Kind::final;
  std::size_t block = 0, column = 0;  ///< of the blocks
  SweepColumn made;                   ///< name and unit
};

/// Metrics of the columns of results.
class SweepMetrics {
 public:
  /// @param texts  `[NAME=][METRIC:]COLUMN`, where COLUMN is one of a result's CSV file, energy.total, a pattern with
  /// `*` and `?`, or a beginning before a dot; q, v, u, y and `tip`, the position of the last link's tip.
  /// @param at_rest  the rows are equilibria: there is `final` alone.
  /// @param option  that the texts are of.
  /// @throws ArgumentError that names the option.
  SweepMetrics(const Model& model, const std::vector<ResultBlock>& blocks, const std::vector<std::string>& texts,
               bool at_rest, const char* option = "--keep");
  const std::vector<SweepMetric>& all() const { return metrics_; }
  /// Of one sample, by `final`. @param blocks  as given, of a robot with the same columns.
  std::vector<double> at_rest(const std::vector<ResultBlock>& blocks, const Sample& sample) const;

 private:
  std::vector<SweepMetric> metrics_;
};

/// Follows a run and has its metrics in the end. Between outputs columns are straight lines:
/// - max, min: of the outputs;
/// - integral: of x over time, by trapezoids; mean: that over the time;
/// - rms: the root of the mean of x^2, by trapezoids;
/// - settling: the first output time from which on |x - x_end| <= 2 % of its largest value; 0 of what never moved [s].
class MetricRecorder final : public Recorder {
 public:
  explicit MetricRecorder(const SweepMetrics& metrics) : metrics_(metrics) {}
  void begin(const Model& model, const Scenario& scenario) override;
  void record(const Sample& sample) override;
  void finish(const Outcome&) override {}
  /// NaN where there was no row.
  std::vector<double> values() const;

 private:
  struct Running {
    double previous = 0.0, largest = 0.0, least = 0.0, integral = 0.0, square = 0.0;
    std::vector<double> all;  ///< of settling
  };
  const SweepMetrics& metrics_;
  std::vector<ResultBlock> blocks_;
  std::vector<std::vector<double>> rows_;  ///< of the blocks that metrics read; others are empty
  std::vector<Running> running_;
  std::vector<double> times_;  ///< of all outputs if some metric is settling, else of the first and the last
  bool keep_times_ = false;
};

/// Follows a run and has its columns over time.
class CurveRecorder final : public Recorder {
 public:
  /// @param columns  metrics whose kind does not matter.
  explicit CurveRecorder(const SweepMetrics& columns) : columns_(columns) {}
  void begin(const Model& model, const Scenario& scenario) override;
  void record(const Sample& sample) override;
  void finish(const Outcome&) override {}
  const SweepCurves& curves() const { return curves_; }

 private:
  const SweepMetrics& columns_;
  std::vector<ResultBlock> blocks_;
  std::vector<std::vector<double>> rows_;  ///< of the blocks that columns are of; others are empty
  SweepCurves curves_;
};

}  // namespace cuttle
