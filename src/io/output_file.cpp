#include "io/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "io/result_block.h"

namespace cuttle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_create(const std::string& path, const std::string& reason) {
  throw FileError(path + ": cannot create the file: " + reason);
}

/// The file that a path leads to, through symbolic links.
std::string followed(const std::string& path) {
  constexpr int k_most_links = 40;  // as Linux
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < k_most_links && fs::is_symlink(target, error); ++i) {
    target = target.parent_path() / fs::read_symlink(target, error);  // what it leads to need not exist
  }
  return target.string();
}

/// Refuses a file that is there and cannot be written, or is in use; changes nothing.
void check_existing(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) cannot_create(path, "a directory has this name");
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) cannot_create(path, std::strerror(errno));
  // HDF5 locks the files that it has open
  const bool in_use = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  if (in_use) cannot_create(path, "another program has it open and locked");
}

}  // namespace

void OutputFile::prepare() {
  target_ = followed(path_);
  create_folders_for(target_);
  std::error_code error;
  const auto type = fs::status(target_, error).type();
  if (type != fs::file_type::not_found) check_existing(target_);
  // a pipe or a device is written where it is
  const bool replaceable = type == fs::file_type::not_found || type == fs::file_type::regular;
  current_ = replaceable ? target_ + ".new" : target_;
}

void OutputFile::keep() {
  if (current_ == target_) return;
  if (std::rename(current_.c_str(), target_.c_str()) != 0) cannot_create(path_, std::strerror(errno));
  current_ = target_;
}

void OutputFile::discard() noexcept {
  if (current_ == target_) return;
  unlink(current_.c_str());
  current_ = target_;
}

void check_writable(const std::string& path) {
  const std::string target = followed(path);
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) return check_existing(target);
  std::vector<fs::path> made;  // deepest first
  for (fs::path folder = fs::path(target).parent_path(); !folder.empty() && !fs::exists(folder, error);
       folder = folder.parent_path()) {
    made.push_back(folder);
  }
  const auto remove_made = [&made] {
    std::error_code ignored;
    for (const fs::path& folder : made) fs::remove(folder, ignored);  // only if empty
  };
  try {
    create_folders_for(target);
  } catch (...) {
    remove_made();
    throw;
  }
  const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const std::string reason = file < 0 ? std::strerror(errno) : "";
  if (file >= 0) close(file), unlink(target.c_str());
  remove_made();
  if (file < 0) cannot_create(path, reason);
}

}  // namespace cuttle
