#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// What a result says about where it comes from. All of it together repeats the run, without any other file. Who
/// records a run that has no files leaves the texts empty: the recorder writes them from robot and scenario
/// (write_robot).
struct ResultSource {
  std::string robot_yaml;     ///< texts of the files, with overrides as comments `# --set PATH=VALUE`
  std::string scenario_yaml;  ///< at their ends
  Overrides overrides = {};   ///< the same, of both files
  FileTexts robot_files = {}, scenario_files = {};  ///< texts of the files that these name: meshes, networks, tables
};

/// What computed a result: with the same of everything, and on the same CPU, a run gives the same bits again.
struct RunEnvironment {
  std::string instruction_set;         ///< that the kernels ran with: avx512 | avx2 | baseline, as CUTTLE_ISA has them
  std::string compiler;                ///< of the library, name and version
  std::vector<std::string> libraries;  ///< name and version of those that numbers depend on
  std::string integrator;              ///< method and settings as they were used, defaults too, a mapping in YAML
};

/// The environment of a run that this program makes now.
RunEnvironment run_environment(const Model& model, const Scenario& scenario);

/// The source of a result that a scenario makes.
ResultSource result_source(const ScenarioFile& file);

/// A recorder that writes a file. It has a name of its own, the target's with `.new`, until rows have reached the disk:
/// then it takes the target's place, where an earlier file stays till then. A run that gets no row to the disk leaves
/// no file and touches nothing; one that ends early, in its initial state, does not replace an earlier file. The file
/// is locked while it is written: `begin` refuses to write one that another run is writing.
class FileRecorder : public Recorder {
 public:
  /// Whether the file at the target is that of this run.
  virtual bool kept() const = 0;
};

/// Numbers that stand beside the rows of a result whose rows are no instants of a simulation.
struct SequenceColumn {
  std::string name;  ///< in the file KIND/NAME, as path/arc_length
  std::string unit;
  std::vector<std::string> labels = {};  ///< what numbers 0, 1, .. stand for; empty: they are numbers
  std::vector<double> values = {};       ///< one a row
};
/// Lists of numbers, one a row: the shapes of modes.
struct SequenceVector {
  std::string name;
  std::vector<std::string> columns, units;
  MatrixXd values;  ///< a row each
};

/// What the rows of a result are if they are no instants of a simulation; `Sample::time` is their number, from 0.
struct ResultSequence {
  enum class Kind {
    simulation,  ///< instants: nothing else is filled
    path,        ///< equilibria along a path, columns parameter, branch, kind, arc_length, stability, growth_rate
    table,       ///< equilibria of the rows of a table, columns of the table, then status, stability, ..
    modes,       ///< small motions about one equilibrium, columns frequency, damping_ratio, ..
  };
  Kind kind = Kind::simulation;
  std::string along, along_unit;        ///< of a path: name and unit of what changes
  std::vector<std::string> branch_end;  ///< of a path: why each branch ends
  std::vector<double> branch_parent;    ///< .. and the one that it leaves, -1: none
  std::vector<SequenceColumn> columns;
  std::vector<SequenceVector> vectors;

  /// @throws ArgumentError if there is no such column.
  const SequenceColumn& column(const std::string& name) const;
  const SequenceVector& vector(const std::string& name) const;
};
const char* sequence_kind_name(ResultSequence::Kind kind);

/// Writes equilibria or modes as a result: datasets of a simulation's and those of the sequence, docs/format.md.
/// @param samples  one a row; their times are set to the rows' numbers.
/// @throws FileError if it cannot be written, ArgumentError if a column has not as many values as there are samples.
void write_sequence_hdf5(const std::string& path, const ResultSource& source, const Model& model,
                         const ResultSequence& sequence, std::vector<Sample> samples, const Outcome& outcome);
/// The same as text: the sequence's columns, labels instead of their numbers, then those of a simulation's CSV but for
/// velocities. What is not known (NaN) is left out.
std::string sequence_csv(const Model& model, const ResultSequence& sequence, const std::vector<Sample>& samples);

/// Result file in HDF5, docs/format.md. Rows are written at least every second, those of `time` become visible last:
/// whenever the process is killed, the file at the target can be read and holds whole rows up to the length of `time`.
/// Its status is `interrupted` until the end. Missing folders are made.
/// @throws FileError from `begin` if the file cannot be created, later if it cannot be written (a full disk).
std::unique_ptr<FileRecorder> make_hdf5_recorder(const std::string& path, const ResultSource& source);

/// The same rows as text: one line an output, names as header, 17 digits, written as they come.
std::unique_ptr<FileRecorder> make_csv_recorder(const std::string& path);

/// Sees that a file can be written here, before hours of work whose result goes there; changes nothing.
/// @throws FileError if the folder or the file cannot be written, or another run or program has the file locked.
void check_writable(const std::string& path);

}  // namespace cuttle
