#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// What the runs of a sweep are, docs/sweeps.md. Texts are those of the command `cuttle sweep`.
struct SweepSettings {
  enum class What { simulate, statics, modes };

  std::string file;  ///< scenario; of statics and modes a robot
  What what = What::simulate;
  /// `PATH=VALUE` for all runs, as every command takes it; or what varies: `PATH=a,b,c`, `PATH=lo:hi:n`,
  /// `PATH=lo:hi:n:log`, and drawn for each sample `PATH=lo:hi`, `PATH=uniform(lo,hi)`, `PATH=normal(mean,sd)`. Paths
  /// are those of Model::parameters (perhaps behind `robot.`), `simulation.initial.LINK.q[0]`,
  /// `simulation.inputs.NAME`, `simulation.controllers.NAME.kp[0]`, `simulation.duration`,
  /// `simulation.integrator.step`, ..; of statics and modes inputs and components of loads too, as
  /// `cuttle statics --table` has them.
  std::vector<std::string> set = {};
  std::string sample = {};  ///< lhs | sobol | random: how samples are drawn; empty: lhs
  std::int64_t runs = 0;    ///< samples; 0 where nothing is drawn
  std::uint64_t seed = 0;   ///< of the samples
  /// Report of `cuttle identify --json` whose parameters are drawn, normal with their covariance. Empty: none.
  std::string identified = {};
  std::string table = {};       ///< CSV file whose columns are paths; a row is a run. Empty: none
  std::string table_text = {};  ///< its text; empty: the file is read
  /// Outputs, `[NAME=][METRIC:]COLUMN`: final, max, min, mean, rms, integral or settling of columns of a result.
  /// Empty: where the last link's tip is in the end; of modes the first frequencies and damping ratios.
  std::vector<std::string> keep = {};
  std::optional<double> time_limit = {};  ///< of a run [s]; beyond it the run has failed
};

/// A column of a sweep: what varies, or what is kept.
struct SweepColumn {
  std::string name;  ///< unique in the sweep
  std::string unit;  ///< empty: none
};

enum class SweepStatus {
  complete,
  failed,  ///< the run says why
  killed,  ///< the process that ran it ended
};
const char* sweep_status_name(SweepStatus status);

/// A run of a sweep. All but `seconds` is the same, bit for bit, wherever and whenever it runs with the same version
/// and instruction set.
struct SweepRow {
  std::int64_t number = 0;         ///< of the run, from 0
  std::vector<double> parameters;  ///< what varies
  std::vector<double> outputs;     ///< NaN of a run that is not complete
  SweepStatus status = SweepStatus::complete;
  std::string reason;                    ///< why it is not complete, one line
  double seconds = 0.0;                  ///< that it took
  std::string version, instruction_set;  ///< of the Cuttle that ran it; as CUTTLE_ISA has it
  std::string hash;                      ///< of robot and scenario
  /// How it was made: in `lanes` beside others or by `simulate`, which differ in the last digits (Sweep::lanes);
  /// `statics` or `modes`. Empty in files of the first versions.
  std::string run_as = {};
};

/// What all rows of a sweep have in common. Two tables of one head are parts of one sweep.
struct SweepHead {
  std::string plan;        ///< what varies, how, and what is kept: one line
  std::int64_t count = 0;  ///< runs of the whole sweep
  std::vector<SweepColumn> parameters, outputs;
  std::string hash;  ///< of robot and scenario, with all files that they name
  /// How the command made it: the file's path, then options as `cuttle sweep` has them. Parts of one sweep may differ
  /// in it, as where paths do; empty in files of the first versions.
  std::vector<std::string> arguments;
};

/// The settings that a sweep's `arguments` say. @throws ArgumentError for words that no sweep has written.
SweepSettings sweep_settings(const std::vector<std::string>& arguments);

/// Columns of a result over the time of one run.
struct SweepCurves {
  std::vector<SweepColumn> columns;
  std::vector<double> times;                ///< of outputs [s]
  std::vector<std::vector<double>> values;  ///< a curve a column, a value a time
};

/// A robot as a run of --statics or --modes has it, in its equilibrium.
struct SweepEquilibrium {
  Robot robot;
  std::vector<LinkVisual> visuals;
  Sample sample;
};

/// Many runs of one scenario, or equilibria or modes of one robot, whose numbers differ. Files are read once; threads
/// share it.
/// @code
/// const Sweep sweep({.file = "arm.yaml", .set = {"robot.gravity[2]=-9.81,-1.62"}, .keep = {"max:arm.tip.x"}});
/// const SweepRow on_moon = *sweep.run(1);
/// @endcode
class Sweep {
 public:
  /// @throws FileError for the files; ArgumentError that names the option, with what was found and expected.
  explicit Sweep(const SweepSettings& settings);
  ~Sweep();

  const SweepHead& head() const;
  const std::vector<std::string>& warnings() const;  ///< of the files
  /// Paths of all files that were read but for the table: who takes them elsewhere, in the same places to each other,
  /// makes the same sweep there. The first is that of the settings.
  const std::vector<std::string>& files() const;
  /// What varies, of a run. The order of runs: rows of the table, in each the samples, in each the lists, whose last
  /// varies fastest. @throws ArgumentError for a number that no run has.
  std::vector<double> values(std::int64_t number) const;
  /// Makes a run. What goes wrong in it is in the row. Nothing, if it was stopped.
  /// @param result  file in HDF5 that gets the whole run; empty: none. Of simulations alone.
  /// @throws FileError if that cannot be written; ArgumentError for a number that no run has.
  std::optional<SweepRow> run(std::int64_t number, const std::atomic<bool>* stop = nullptr,
                              const std::string& result = {}) const;
  /// Makes runs on this thread, in lanes beside each other where that is how they are made. Each is the same as alone,
  /// bit for bit. @param results  a file or nothing for each, or none at all.
  /// @return their rows in order, without those that were stopped.
  std::vector<SweepRow> run(const std::vector<std::int64_t>& numbers, const std::atomic<bool>* stop = nullptr,
                            const std::vector<std::string>& results = {}) const;
  /// How many runs lie beside each other in the lanes of the CPU's vector registers; 1: none, they are made as
  /// `cuttle simulate` makes them, or are equilibria. Robot, method and what varies decide, never how many runs there
  /// are. A run in lanes that goes wrong is made again by `simulate`, which says why.
  int lanes() const;
  /// Why none do; empty if they do, and of equilibria.
  const std::string& why_no_lanes() const;
  /// Columns over time of a simulation, named as `keep` has them but without a metric. Nothing, if it was stopped.
  /// @throws ArgumentError for a number that no run has, a column that the robot does not have, and for equilibria;
  /// what the run throws if it fails.
  std::optional<SweepCurves> curves(std::int64_t number, const std::vector<std::string>& columns,
                                    const std::atomic<bool>* stop = nullptr) const;
  /// The equilibrium of a run of --statics or --modes.
  /// @throws ArgumentError for a number that no run has, and for simulations; Error if there is none.
  SweepEquilibrium equilibrium(std::int64_t number) const;
  SweepSettings::What what() const;
  /// A row of a run that never answered. @param status  failed or killed.
  SweepRow unanswered(std::int64_t number, SweepStatus status, const std::string& reason) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace cuttle
