#pragma once

#include <string>
#include <utility>

namespace cuttle {

/// A file that a run writes. Until there is something worth keeping it has a name of its own beside the target; an
/// earlier file at the target stays until `keep`, and for good if that is never called.
/// @code
/// OutputFile file("out/arm.h5");
/// file.prepare();
/// create(file.current());  // out/arm.h5.new
/// file.keep();             // now it is out/arm.h5, open or not
/// @endcode
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  /// Discards what was not kept.
  ~OutputFile() { discard(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }        ///< the target, as given
  const std::string& current() const { return current_; }  ///< where the bytes are: valid after `prepare`

  /// Makes the folders and chooses the name to write to. @throws FileError if the target cannot be written.
  void prepare();
  /// Moves the file to the target, in place of an earlier one; later calls do nothing. @throws FileError.
  void keep();
  /// Removes the file unless it was kept; it may still be open.
  void discard() noexcept;

 private:
  std::string path_, target_, current_;
};

}  // namespace cuttle
