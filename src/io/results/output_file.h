#pragma once

#include <memory>
#include <string>
#include <utility>

namespace cuttle {

/// A file that a run writes. Until there is something worth keeping it has a name of its own beside the target; an
/// earlier file at the target stays until `keep`, and for good if that is never called.
///
/// That name is the target's with `.new`, and locked from `prepare` on: who finds the lock taken is refused, so that of
/// two runs that write the same file at once one has it for itself. A killed run leaves at most that one file, which
/// the next run of this target takes over. The lock stays with the file when it moves to the target, until the end.
/// @code
/// OutputFile file("out/arm.h5");
/// file.prepare();
/// create(file.current());  // out/arm.h5.new
/// file.keep();             // now it is out/arm.h5, open or not
/// @endcode
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  ~OutputFile() { close(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }        ///< the target, as given
  const std::string& current() const { return current_; }  ///< where the bytes are: valid after `prepare`
  int descriptor() const { return file_; }  ///< of the file, to read and write; -1: the target is a pipe or a device
  bool kept() const { return kept_; }
  bool replaces() const;  ///< whether `keep` would replace an earlier file

  /// Makes the folders and an empty file to write to. A pipe or a device is written where it is.
  /// @throws FileError if the target cannot be written, must not be replaced (`check_replaceable`), or another run or
  /// program has it.
  void prepare();
  /// Moves the file to the target, in place of an earlier one; later calls do nothing. @throws FileError.
  void keep();
  /// Removes the file unless it was kept; it may still be open.
  void discard() noexcept;
  /// Discards what was not kept, and leaves the file to others.
  void close() noexcept;
  /// Another file for the same target, to take the place of this one, which was kept, by its own `keep`.
  /// @throws FileError.
  std::unique_ptr<OutputFile> successor() const;

 private:
  enum class WhenLocked { refuse, wait };
  void open_beside(WhenLocked when_locked);

  std::string path_, target_, current_;
  int file_ = -1;
  bool kept_ = false;
};

/// Rows that a run must have on the disk before its file is kept. One that has not come beyond its initial state does
/// not replace an earlier result.
inline unsigned least_rows(const OutputFile& file, bool complete) { return file.replaces() && !complete ? 2 : 1; }

}  // namespace cuttle
