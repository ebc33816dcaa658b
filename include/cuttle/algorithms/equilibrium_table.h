#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// What came of one row of a table.
struct TableEquilibrium {
  std::optional<StaticEquilibrium> found;
  std::string trouble;  ///< why there is none; empty, too, of rows that were not reached before a stop
};

/// Equilibria of a robot for many values of inputs and parameters at once.
/// @code
/// const EquilibriumTable table(arm, {.u = VectorXd::Zero(2)}, arm.neutral(), {"left", "loads[0].force[2]"});
/// MatrixXd values(1000, 2);  // a row each
/// const std::vector<TableEquilibrium> rows = table.solve(values);
/// @endcode
class EquilibriumTable {
 public:
  /// What every row acts with beside its own values, and one of them as it acts.
  struct Row {
    const Model& model;  ///< with the row's parameters
    Data& data;          ///< of that model
    const StaticLoads& loads;
  };
  struct Options {
    /// Every row from q0 with loads that grow from none, as static_equilibrium alone finds it. Else a row starts from
    /// the nearest one that is done, which is several times quicker; where that leads to nothing stable, from q0. Where
    /// a robot has several stable equilibria, the two may differ.
    bool from_rest = false;
    int threads = 0;                          ///< 0: one a core
    const std::atomic<bool>* stop = nullptr;  ///< where it becomes true, no further row is begun
    /// Called by the calling thread ten times a second with the number of rows that are done.
    std::function<void(std::size_t)> progress = {};
    /// Called by the threads after each step of the search from q0, as static_equilibrium has it: an Error that it
    /// throws ends the row, whose trouble it is.
    std::function<void()> heartbeat = {};
    /// Called once for each row that is found, by several threads at once.
    std::function<void(std::size_t, const Row&, const StaticEquilibrium&)> found = {};
  };

  /// @param loads  of all rows; the columns' values take the place of what is in it. If the robot's own loads are to
  /// act, they are the first of its wrenches (loads_at) and state_loads_at is their time.
  /// @param columns  names of inputs, components of loads that depend on time alone, as loads[0].force[2] - a value
  /// takes the place of its signal, also where the file has none -, or paths of the robot's parameters as in
  /// Model::with; no name twice.
  /// @throws ArgumentError as static_equilibrium; for a column that is none of these, or of a load while loads do not
  /// act.
  EquilibriumTable(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                   const std::vector<std::string>& columns);

  /// The equilibria of all rows, in their order. What is found does not depend on that order, nor on the number of
  /// threads.
  /// @param values  a row each, a column each of `columns`.   @throws ArgumentError for another number of columns.
  std::vector<TableEquilibrium> solve(const MatrixXd& values, const Options& options) const;
  std::vector<TableEquilibrium> solve(const MatrixXd& values) const { return solve(values, Options{}); }

 private:
  struct Column {
    enum class Kind { input, load, parameter };
    Kind kind = Kind::input;
    std::string path;
    int input = -1;
    std::size_t load = 0;  ///< of a load's component: among Model::loads
    int component = 0;     ///< .. of its wrench, torque first
  };
  struct Worker;

  Column column_of(const std::string& name) const;
  bool find_component(const std::string& path, Column& column) const;
  [[noreturn]] void refuse(const std::string& name) const;
  /// Inputs and wrenches of a row. @param model  with its parameters. @throws ArgumentError for a slack tendon.
  void set_loads(const Model& model, const Eigen::Ref<const Eigen::RowVectorXd>& values, StaticLoads& loads) const;

  const Model& model_;
  StaticLoads loads_;
  VectorXd q0_;
  std::vector<Column> columns_;
  bool other_robots_ = false;  ///< some column is a parameter that a row's robot is made with
};

}  // namespace cuttle
