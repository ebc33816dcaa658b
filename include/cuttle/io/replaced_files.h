#pragma once

#include <string>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Remembers, for all of this program, that a file was read: from then on no output replaces it. Everything that opens
/// a file for reading calls it. What is no regular file, and what is not there, is passed over.
/// @param what  it is read as, in messages: "a robot file".
void note_read(const std::string& path, const std::string& what);

/// Takes that back: for a file that was replaced, or that the user of the library says may be.
void forget_read(const std::string& path);

/// While one lives, outputs of this program may replace files that no Cuttle wrote, as `--force` says; a file that was
/// read is kept all the same.
class ReplaceAnyFile {
 public:
  /// Of all outputs.
  ReplaceAnyFile() : ReplaceAnyFile("") {}
  /// Of the output with this path alone, as it is given where that is opened.
  explicit ReplaceAnyFile(std::string path);
  ~ReplaceAnyFile();
  ReplaceAnyFile(const ReplaceAnyFile&) = delete;
  ReplaceAnyFile& operator=(const ReplaceAnyFile&) = delete;

 private:
  std::string path_;
};

/// Whether a file is one that Cuttle writes and may replace: a result in HDF5 (its attribute `cuttle_version`), a scene
/// (its generator), a table in CSV (the columns in its first line), a text whose beginning says `written by Cuttle` or
/// whose page has Cuttle for its generator. A file without content has nothing to lose and counts too.
bool is_written_by_cuttle(const std::string& path);

/// Refuses an output that would replace what it must not: a file that was read (by whatever path or link), or one that
/// no Cuttle wrote. Every output is opened through a function that asks this one.
/// @throws FileError that says which file it is, and what to do.
void check_replaceable(const std::string& path);
/// The same of a file that stands beside an output until that is whole: whether it may be replaced goes by the output.
void check_replaceable(const std::string& path, const std::string& output);

/// Refuses an output whose name is taken, by whatever: for files that people go on editing, as robots.
/// @param replace  whether it may be replaced all the same.
/// @throws FileError.
void check_free(const std::string& path, bool replace);

}  // namespace cuttle
