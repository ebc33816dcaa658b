#include "io/results/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_file.h"
#include "io/results/result_block.h"

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
  // as programs with HDF5 and other runs lock the files that they have open
  const bool in_use = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  if (in_use) cannot_create(path, "another program has it open and locked");
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

}  // namespace

void OutputFile::close() noexcept {
  discard();
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void OutputFile::prepare() {
  target_ = followed(path_);
  check_replaceable(path_);
  create_folders_for(target_);
  std::error_code error;
  const auto type = fs::status(target_, error).type();
  if (type != fs::file_type::not_found && type != fs::file_type::regular) {
    check_existing(target_);
    current_ = target_;
    return;
  }
  open_beside(WhenLocked::refuse);
  // now that no other run can begin: one may have moved its file here, and two that look at once take each other's look
  // for a program that has it open
  if (fs::exists(target_, error)) {
    try {
      check_existing(target_);
    } catch (...) {
      discard();
      throw;
    }
  }
}

/// Two locks: one of a kind that HDF5 does not know, by which a run has the file for itself, and a shared one of the
/// kind by which programs with HDF5 see that the file is in use: they may read it, not write.
void OutputFile::open_beside(WhenLocked when_locked) {
  const std::string name = target_ + ".new";
  current_ = target_;  // until it is ours there is nothing to discard
  for (;;) {
    file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (file_ < 0) cannot_create(path_, name + ": " + std::strerror(errno));
    const auto give_up = [this](const std::string& reason) {
      ::close(std::exchange(file_, -1));
      cannot_create(path_, reason);
    };
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (fcntl(file_, when_locked == WhenLocked::wait ? F_OFD_SETLKW : F_OFD_SETLK, &whole) != 0) {
      const bool taken = errno == EAGAIN || errno == EACCES;
      give_up(taken ? "another run is writing it now, and has " + name
                    : name + " cannot be locked: " + std::strerror(errno));
    }
    // an earlier run may have moved or removed the file between the opening and the lock
    struct stat opened {
    }, named{};
    if (fstat(file_, &opened) != 0) give_up(std::strerror(errno));
    if (stat(name.c_str(), &named) == 0 && same_file(opened, named)) {
      if (!S_ISREG(opened.st_mode)) give_up(name + " is no regular file");
      try {
        check_replaceable(name, path_);  // what a killed run left, or a file of somebody else
      } catch (...) {
        ::close(std::exchange(file_, -1));
        throw;
      }
      if (flock(file_, LOCK_SH | LOCK_NB) != 0) give_up("another program has " + name + " open and locked");
      if (ftruncate(file_, 0) != 0) give_up(std::strerror(errno));
      current_ = name;
      return;
    }
    ::close(std::exchange(file_, -1));
  }
}

bool OutputFile::replaces() const {
  std::error_code error;
  return !kept_ && fs::exists(target_, error);
}

void OutputFile::keep() {
  if (kept_ || current_ == target_) return;
  if (std::rename(current_.c_str(), target_.c_str()) != 0) cannot_create(path_, std::strerror(errno));
  current_ = target_;
  kept_ = true;
  forget_read(target_);  // if one of this name was read, that is gone
}

void OutputFile::discard() noexcept {
  if (kept_ || current_ == target_) return;
  unlink(current_.c_str());
  current_ = target_;
}

std::unique_ptr<OutputFile> OutputFile::successor() const {
  struct stat own {
  }, named{};
  if (fstat(file_, &own) != 0 || stat(target_.c_str(), &named) != 0 || !same_file(own, named)) {
    throw FileError(path_ + ": cannot be written: the file was removed or replaced while it was written");
  }
  auto next = std::make_unique<OutputFile>(path_);
  next->target_ = target_;
  next->open_beside(WhenLocked::wait);  // a run that is about to be refused may hold it for a moment
  return next;
}

void check_writable(const std::string& path) {
  const std::string target = followed(path);
  std::error_code error;
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
    OutputFile file(path);
    file.prepare();
  } catch (...) {
    remove_made();
    throw;
  }
  remove_made();
}

}  // namespace cuttle
