#pragma once

#include <memory>
#include <string>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorder.h"

namespace cuttle {

/// What a result says about where it comes from. All of it together repeats the run, without any other file.
struct ResultSource {
  std::string robot_yaml;     ///< texts of the files, with overrides as comments `# --set PATH=VALUE`
  std::string scenario_yaml;  ///< at their ends
  Overrides overrides = {};   ///< the same, of both files
  FileTexts robot_files = {}, scenario_files = {};  ///< texts of the files that these name: meshes, networks, tables
};

/// The source of a result that a scenario makes.
ResultSource result_source(const ScenarioFile& file);

/// Result file in HDF5, docs/format.md. Rows are written and flushed at least every second, `time` last: whatever
/// happens to the process, the file holds whole rows up to the length of `time`. Its status is `interrupted` until the
/// end. Missing folders are made. An earlier file of this name stays until the first row: a run that has none leaves no
/// file and touches nothing.
/// @throws FileError from `begin` if the file cannot be created, later if it cannot be written (a full disk).
std::unique_ptr<Recorder> make_hdf5_recorder(const std::string& path, const ResultSource& source);

/// The same rows as text: one line an output, names as header, 17 digits, written as they come.
std::unique_ptr<Recorder> make_csv_recorder(const std::string& path);

/// Sees that a file can be written here, before hours of work whose result goes there; changes nothing.
/// @throws FileError if the folder or the file cannot be written, or another program has the file locked.
void check_writable(const std::string& path);

}  // namespace cuttle
