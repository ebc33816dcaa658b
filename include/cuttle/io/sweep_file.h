#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/sweep.h"

namespace CUTTLE_API cuttle {

/// The rows of a sweep, or of a part of it.
struct SweepTable {
  SweepHead head;
  std::vector<SweepRow> rows;  ///< by ascending number, none twice
};

/// Whether a file says that it is a sweep, in HDF5 or CSV by its name. False where it cannot be read.
bool is_sweep_file(const std::string& path);

/// Reads what a SweepWriter has written, in HDF5 or CSV by its name. Every byte of it may be wrong: HDF5 reads it in a
/// process of its own, which has limits.
/// @throws FileError for a file that is no sweep, or is damaged.
SweepTable read_sweep_file(const std::string& path);

/// One table of several parts of one sweep, as shards are. Rows that are in several parts are taken once: a complete
/// one before others, the earlier before the later.
/// @param names  of the parts, for errors.
/// @throws ArgumentError for parts of several sweeps, versions or instruction sets, and for rows that say otherwise.
SweepTable merged_sweeps(const std::vector<SweepTable>& parts, const std::vector<std::string>& names);

/// Writes a sweep while it goes on, in HDF5 or CSV by the file's name. Rows stand there by their numbers, whatever the
/// order in which they come. The file is replaced as a whole now and then - after a second, later when that takes not
/// more than a twentieth of the time - and so is whole whenever the process is killed; an earlier file stays until the
/// first row is there. Others cannot write it meanwhile.
class SweepWriter {
 public:
  /// @param rows  that there are already, of this sweep.
  /// @throws ArgumentError for a name that does not end in .h5, .hdf5 or .csv; FileError if it cannot be written.
  SweepWriter(const std::string& path, SweepTable table);
  ~SweepWriter();

  /// @throws FileError if it cannot be written; ArgumentError for a row of another version or instruction set than
  /// those before it, or one that was given already.
  void add(SweepRow row);
  /// Writes what is not yet there, if the time for that has come.
  void tick();
  /// Writes all. Called at the end.
  void finish();
  const SweepTable& table() const;  ///< rows in the order in which they came, until `finish`

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuttle
