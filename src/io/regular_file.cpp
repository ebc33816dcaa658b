#include "io/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/replaced_files.h"

namespace cuttle {
namespace {

/// A file open for reading, closed in any case.
class OpenFile {
 public:
  // not blocking: the path may lead to a pipe since it was looked at
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// From now on reading waits for who writes.
  void wait() const { fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK); }
  /// Some of the next bytes. @return their number, 0 at the end, -1 with `errno`.
  ssize_t read(char* to, std::size_t count) const {
    ssize_t done = -1;
    do {
      done = ::read(descriptor_, to, count);
    } while (done < 0 && errno == EINTR);
    return done;
  }

 private:
  int descriptor_;
};

std::string cannot_be_read(int error) { return fmt::format("a file that cannot be read ({})", std::strerror(error)); }

/// Of what is no regular file, or one that is too large; empty otherwise.
std::string trouble_of(const struct stat& status, std::uint64_t most_bytes) {
  if (S_ISDIR(status.st_mode)) return "a directory";
  if (S_ISFIFO(status.st_mode)) return "a pipe";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  if (!S_ISREG(status.st_mode)) return "a device";
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return size > most_bytes ? fmt::format("a file of {} bytes (at most {} are read)", size, most_bytes) : "";
}

/// Whether a path is a file that the process has open already: where the shell puts what it pipes into a command. Who
/// writes into a pipe of this kind is known; any other would make the reader wait.
bool is_open_already(const std::string& path) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  if (path == "/dev/stdin") return true;
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos || !is_number(std::string_view(path).substr(slash + 1))) return false;
  const std::string_view folder = std::string_view(path).substr(0, slash);
  if (folder == "/dev/fd") return true;
  constexpr std::string_view k_begin = "/proc/", k_end = "/fd";
  if (!folder.starts_with(k_begin) || !folder.ends_with(k_end)) return false;
  const std::string_view process = folder.substr(k_begin.size(), folder.size() - k_begin.size() - k_end.size());
  return process == "self" || is_number(process);
}

bool is_given_pipe(const std::string& path) {
  struct stat status {};
  return is_open_already(path) && stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

std::string look_at(const std::string& path, std::uint64_t most_bytes, RegularFile& file) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? k_no_such_file : cannot_be_read(errno);
  }
  if (std::string trouble = trouble_of(status, most_bytes); !trouble.empty()) return trouble;
  if (access(path.c_str(), R_OK) != 0) return cannot_be_read(errno);
  file = {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_blocks) * 512};
  if (file.size > 0) return "";
  // those of the kernel say that they are empty, and some never end or wait for what may never come
  const OpenFile opened(path);
  char byte = 0;
  if (!opened.is_open()) return cannot_be_read(errno);
  return opened.read(&byte, 1) == 0 ? "" : "a file that does not say its size, as those below /proc";
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& found, const std::string& what) {
  throw FileError(fmt::format("{}: found {}, expected {}", path, found, what));
}

/// A pipe to its end.
std::string read_pipe(const std::string& path, const std::string& what) {
  const OpenFile pipe(path);
  if (!pipe.is_open()) refuse_file(path, cannot_be_read(errno), what);
  pipe.wait();
  std::string text, some(1 << 16, '\0');
  for (;;) {
    const ssize_t count = pipe.read(some.data(), some.size());
    if (count < 0) refuse_file(path, cannot_be_read(errno), what);
    if (count == 0) return text;
    text.append(some, 0, static_cast<std::size_t>(count));
    if (text.size() > k_most_file_bytes) {
      refuse_file(path, fmt::format("a pipe of more than {} bytes", k_most_file_bytes), what);
    }
  }
}

}  // namespace

std::string file_trouble(const std::string& path, std::uint64_t most_bytes) {
  RegularFile file;
  return look_at(path, most_bytes, file);
}

RegularFile require_regular_file(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  RegularFile file;
  if (const std::string trouble = look_at(path, most_bytes, file); !trouble.empty()) refuse_file(path, trouble, what);
  return file;
}

std::string read_regular_file(const std::string& path, const std::string& what) {
  if (is_given_pipe(path)) return read_pipe(path, what);
  require_regular_file(path, what);
  const OpenFile opened(path);
  struct stat status {};
  if (!opened.is_open() || fstat(opened.descriptor(), &status) != 0) refuse_file(path, cannot_be_read(errno), what);
  if (const std::string trouble = trouble_of(status, k_most_file_bytes); !trouble.empty()) {
    refuse_file(path, trouble, what);
  }
  // no more than it has now: another program may go on writing it
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t some = opened.read(text.data() + done, text.size() - done);
    if (some < 0) refuse_file(path, cannot_be_read(errno), what);
    if (some == 0) break;  // it became shorter
    done += static_cast<std::size_t>(some);
  }
  text.resize(done);
  note_read(path, what);
  return text;
}

}  // namespace cuttle
