#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/io/csv_table.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/sweep.h"
#include "io/sweeps/sweep_identified.h"
#include "io/sweeps/sweep_metric.h"
#include "io/sweeps/sweep_number.h"
#include "io/sweeps/sweep_variable.h"

namespace cuttle {

/// An error as one line.
std::string one_line(const std::string& text);
/// simulate | statics | modes
const char* what_name(SweepSettings::What what);
/// Words that sweep_settings makes these of.
std::vector<std::string> arguments_of(const SweepSettings& settings);

/// What a run of any kind found.
struct SweepFound {
  SweepStatus status = SweepStatus::complete;
  std::string reason;
  std::vector<double> outputs;
  bool stopped = false;
};

/// All of a sweep but its runs: what varies, what it varies, and what is kept. It makes the runs too.
struct Sweep::Plan {
  SweepSettings::What what = SweepSettings::What::simulate;
  std::optional<double> time_limit;
  SweepHead head;
  std::vector<std::string> warnings, files;
  std::vector<LinkVisual> visuals;  // of statics and modes
  // what varies, in the order of the columns: of the table, drawn, lists
  CsvTable table;
  std::vector<SweepVariable> drawn, lists;
  std::optional<IdentifiedNumbers> identified;  // the last ones of what is drawn
  std::optional<SweepSamples> samples;
  std::int64_t table_rows = 1, sample_count = 1, list_count = 1;
  // what runs
  std::unique_ptr<const Model> model;
  Scenario scenario;
  std::vector<SweepNumber> numbers;  // of simulations
  bool other_robots = false;
  std::string no_lanes;                                // why runs are not made in lanes; empty: they are
  std::unique_ptr<const EquilibriumTable> equilibria;  // of statics and modes
  std::unique_ptr<const SweepMetrics> metrics;
  struct ModeColumn {
    bool frequency = true;
    std::size_t mode = 0;
  };
  std::vector<ModeColumn> mode_columns;

  explicit Plan(const SweepSettings& settings);
  void check(std::int64_t number) const;
  std::vector<double> values(std::int64_t number) const;
  /// The robot of a run, which may be that of all, or a changed one that is kept in `changed`; and its scenario.
  const Model& robot_of(const std::vector<double>& values, std::optional<Model>& changed, Scenario& run) const;
  /// Runs until its end, the limit of time or `stop`; what it found is in the recorders.
  SweepFound simulate(const std::vector<double>& values, const std::atomic<bool>* stop,
                      const std::vector<Recorder*>& recorders) const;
  std::string late_text() const;  ///< of a run that took longer than the limit
  /// The row of a run that is made alone, into one that has its number.
  bool run_alone(SweepRow& row, const std::atomic<bool>* stop, const std::string& result) const;
  /// Rows of runs beside each other, into those that have their numbers. @return which are there: not those that were
  /// stopped.
  std::vector<bool> run_beside(std::vector<SweepRow>& rows, const std::atomic<bool>* stop,
                               const std::vector<std::string>& results) const;
  using AtRest = std::function<void(const EquilibriumTable::Row&, const StaticEquilibrium&)>;
  SweepFound rest(const std::vector<double>& values, const std::atomic<bool>* stop, const AtRest& at) const;
  void measure(const EquilibriumTable::Row& at, const StaticEquilibrium& equilibrium, SweepFound& found) const;

 private:
  std::vector<std::string> variable_paths() const;
  void read_variables(const SweepSettings& settings, Overrides& overrides);
  void read_files(const SweepSettings& settings, const Overrides& overrides);
  void find_numbers();
  std::string find_no_lanes() const;
  void choose_outputs(const SweepSettings& settings);
  void describe(const SweepSettings& settings);
  /// Where the user wrote a column's path: the option, or the place in the table.
  std::string place(std::size_t column) const { return column < table.names.size() ? table.places[column] : "--set"; }
};

}  // namespace cuttle
