#include "io/results/hdf5_content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "cuttle/error.h"
#include "io/regular_file.h"
#include "io/results/hdf5_walk.h"

namespace cuttle {
namespace {

// what a process may take to read a file: far more than good files need, however slow the machine
constexpr std::uint64_t k_cpu_seconds = 1, k_bytes_per_cpu_second = 10'000'000;
constexpr std::uint64_t k_memory = 512U << 20;

/// What takes time and memory are the bytes on the disk.
std::uint64_t cpu_seconds(const RegularFile& file) { return k_cpu_seconds + file.on_disk / k_bytes_per_cpu_second; }

constexpr int k_exit_no_memory = 3, k_exit_failed = 4;

/// Bytes of address space that this process has.
std::uint64_t address_space() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit(decltype(RLIMIT_CPU) resource, std::uint64_t value) {
  rlimit current{};
  getrlimit(resource, &current);
  current.rlim_cur = std::min<rlim_t>(value, current.rlim_max);
  setrlimit(resource, &current);
}

/// In the new process: everything that HDF5 does to the file happens here. Does not return.
[[noreturn]] void read_in_child(const RegularFile& file, const std::function<void(ByteWriter&)>& write, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDERR_FILENO), dup2(nowhere, STDOUT_FILENO);  // what libraries say when they abort
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu_seconds(file));
  if (const std::uint64_t now = address_space(); now > 0) limit(RLIMIT_AS, now + k_memory + file.on_disk);
  ByteWriter stream(output);
  try {
    write(stream);
  } catch (const std::bad_alloc&) {
    _exit(k_exit_no_memory);
  } catch (const std::exception&) {  // the reader has gone
    _exit(k_exit_failed);
  }
  _exit(0);
}

/// The process that reads, ended and waited for in any case.
class Child {
 public:
  Child(const std::string& path, const RegularFile& file, const std::function<void(ByteWriter&)>& write) : file_(file) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw FileError(path + ": cannot be read: " + std::strerror(errno));
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      read_in_child(file, write, ends[1]);
    }
    const int error = errno;
    close(ends[1]);
    output_ = ends[0];
    if (process_ >= 0) return;
    close(output_);
    throw FileError(path + ": cannot be read: no process for it: " + std::strerror(error));
  }
  ~Child() {
    close(output_);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int output() const { return output_; }
  /// Why its output ended too early.
  std::string ending() {
    const int status = wait();
    if (WIFEXITED(status) && WEXITSTATUS(status) == k_exit_no_memory) return "takes more memory than such a file needs";
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
      return fmt::format("does not come to an end within {} s of computing", cpu_seconds(file_));
    }
    if (WIFSIGNALED(status)) return fmt::format("crashes ({})", strsignal(WTERMSIG(status)));
    return "fails";
  }

 private:
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
    return status;
  }
  RegularFile file_;
  pid_t process_ = -1;
  int output_ = -1;
};

Hdf5Object read_object(ByteReader& stream) {
  Hdf5Object object;
  object.trouble = stream.text();
  object.is_dataset = stream.number() != 0;
  object.is_numeric = stream.number() != 0;
  for (std::uint64_t left = stream.number(); left > 0; --left) object.shape.push_back(stream.number());
  for (std::uint64_t left = stream.number(); left > 0; --left) {
    auto& [name, attribute] = object.attributes.emplace_back();
    name = stream.text();
    attribute.trouble = stream.text();
    attribute.is_text = stream.number() != 0;
    for (std::uint64_t texts = stream.number(); texts > 0; --texts) attribute.texts.push_back(stream.text());
    attribute.count = stream.number();
    attribute.number = stream.real();
  }
  object.values = stream.reals();
  object.bytes = stream.text();
  const std::string trouble = stream.text();  // met while its values were read
  if (object.trouble.empty()) object.trouble = trouble;
  return object;
}

}  // namespace

const Hdf5Attribute* Hdf5Object::attribute(const std::string& name) const {
  for (const auto& [own, attribute] : attributes) {
    if (own == name) return &attribute;
  }
  return nullptr;
}

void read_in_own_process(const std::string& path, const std::string& what,
                         const std::function<void(const RegularFile&, ByteWriter&)>& write,
                         const std::function<void(ByteReader&)>& read) {
  const RegularFile file = require_regular_file(path, what, k_any_size);  // it has bounds of its own
  Child child(path, file, [&](ByteWriter& stream) { write(file, stream); });
  ByteReader stream(child.output(), k_memory + k_most_compression * file.size);
  try {
    read(stream);
  } catch (const ByteReader::EndedEarly&) {
    throw FileError(fmt::format("{}: found a damaged file: HDF5 {} in reading it, expected {}", path, child.ending(),
                                "a whole" + what.substr(what.find(' '))));
  }
}

Hdf5Content read_hdf5_content(const std::string& path, bool with_rows) {
  Hdf5Content content;
  const auto write = [&](const RegularFile& file, ByteWriter& stream) {
    walk_hdf5_file(path, file.size, with_rows, stream);
  };
  read_in_own_process(path, "a result in HDF5", write, [&](ByteReader& stream) {
    if (const std::string trouble = stream.text(); !trouble.empty()) {
      throw FileError(fmt::format("{}: found {}, expected {}", path, trouble, stream.text()));
    }
    while (stream.number() != 0) {
      std::string name = stream.text();
      content.objects[std::move(name)] = read_object(stream);
    }
  });
  return content;
}

}  // namespace cuttle
