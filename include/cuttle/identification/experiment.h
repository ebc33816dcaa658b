#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/identification/column_map.h"
#include "cuttle/identification/free_parameter.h"
#include "cuttle/identification/measured_quantity.h"
#include "cuttle/io/result_columns.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// A column of measurements.
struct MeasuredChannel {
  std::string column;    ///< of the file
  std::string quantity;  ///< as results name it
  std::string unit;
  double deviation = 1.0;  ///< of a measurement: residuals are divided by it
};

/// One number that was measured.
struct MeasuredPoint {
  std::size_t channel = 0, row = 0;
  double value = 0.0;  ///< in SI
};

/// Rows that have no prediction.
struct UnpredictedRows {
  std::size_t first = 0, last = 0;  ///< those between them too, if anything was measured there
  std::string why;
};

/// Measurements of one kind, and what a robot says of them. Another kind is another class.
class Experiment {
 public:
  virtual ~Experiment() = default;
  const std::string& label() const { return label_; }
  /// Its file's name without folder and extension: `NAME:CONSTANT` is a constant of this experiment alone.
  const std::string& name() const { return name_; }
  const std::vector<MeasuredChannel>& channels() const { return channels_; }
  std::vector<MeasuredChannel>& channels() { return channels_; }
  const std::vector<MeasuredPoint>& points() const { return points_; }
  std::size_t row_count() const { return row_count_; }
  /// When rows were measured [s]; empty: they are no instants.
  const std::vector<double>& times() const { return times_; }
  /// Rows of one group are left out together in cross-validation: one of `groups()` a row.
  const std::vector<std::string>& groups() const { return groups_; }
  /// Of each row the first one with the same inputs, of which measurements differ by noise alone; empty: of instants.
  const std::vector<std::size_t>& first_alike() const { return first_alike_; }
  /// Relative size of the errors that predictions have, and that differ between parameters: of chosen steps. 0:
  /// rounding.
  virtual double precision() const { return 0.0; }

  /// Relative tolerance of runs that choose their steps by one; 0: there are none.
  virtual double run_tolerance() const { return 0.0; }
  /// Their absolute tolerance changes in proportion. @param relative  > 0.
  virtual void set_run_tolerance(double relative);

  /// While this is true, predictions that take long end without a result. Null: they do not.
  void interrupt_with(const std::atomic<bool>* stop) { stop_ = stop; }

  /// A constant of the set-up by its name: COLUMN.bias, COLUMN.scale; of motions also time.shift, and the numbers of
  /// their scenario. Nothing: it has no such one.
  /// @throws ArgumentError for a number of a scenario that leads nowhere.
  virtual std::optional<SetUpConstant> constant(const std::string& name) const;

  /// What the robot says of all points of rows that are not left out. It may start from where it was before.
  /// @param left_out  not 0 of rows without interest; empty: none.
  /// @param jacobian  points x parameters, or null.
  /// @return false, and why, where the robot has no state that could have been measured.
  virtual bool predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted,
                       MatrixXd* jacobian, std::string& trouble) = 0;
  /// What a prediction leaves to the next one, one a row; empty: nothing. A search that begins with what another began
  /// with does not depend on it.
  virtual std::vector<VectorXd> memory() const { return {}; }
  virtual void set_memory(const std::vector<VectorXd>& memory);
  /// As predict without derivatives, but each row by itself: where a row has no prediction, is left out or has nothing
  /// measured its points are NaN.
  /// @return rows that have none, in their order.
  virtual std::vector<UnpredictedRows> predict_rows(const FreedRobot& robot, const std::vector<char>& left_out,
                                                    VectorXd& predicted) = 0;
  /// The whole robot where rows, ascending, were measured, for pictures. @throws StaticsError if there is no
  /// equilibrium, SimulationError if a run fails.
  virtual std::vector<Sample> samples(const FreedRobot& robot, const std::vector<std::size_t>& rows) = 0;
  Sample sample(const FreedRobot& robot, std::size_t row) { return samples(robot, {row}).front(); }

 protected:
  /// @param label  the file of the measurements.
  void set_label(const std::string& label);

  std::string label_, name_;
  std::vector<MeasuredChannel> channels_;
  std::vector<MeasuredPoint> points_;
  std::size_t row_count_ = 0;
  std::vector<double> times_;
  std::vector<std::string> groups_;
  std::vector<std::size_t> first_alike_;
  std::vector<std::string> scaled_columns_;  ///< that have a bias and a scale
  const std::atomic<bool>* stop_ = nullptr;
};

/// The constants of all of them. @throws ArgumentError for a number of a scenario that none of them has.
SetUpConstants set_up_constants(const std::vector<Experiment*>& experiments);

struct EquilibriumExperimentOptions {
  std::vector<ColumnMap> map = {};  ///< beside columns that have the names of quantities
  std::string group = {};           ///< column whose equal texts make groups; empty: each row is one
  double time = 0.0;                ///< at which the robot's own loads act [s]
  int threads = 0;                  ///< 0: one a core
};

/// A table of equilibria: inputs (and components of loads, as loads[0].force[2]) by row, and what was measured there.
/// Derivatives are exact, by the implicit function theorem. A row starts from where it was before; where that leads to
/// nothing stable, from the configuration zero with loads that grow from none. Rows without a measurement are not
/// solved.
/// @throws ArgumentError for a column of `map` that is not there, a quantity that the robot has not, no measured
/// column, no free input, two columns of one input, a quaternion of zeros.
std::unique_ptr<Experiment> make_equilibrium_experiment(const Model& model, const MeasuredTable& table,
                                                        const EquilibriumExperimentOptions& options);

}  // namespace cuttle
