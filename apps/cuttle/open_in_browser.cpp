#include "open_in_browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace cuttle {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// First program of this name in PATH; empty: none.
std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return {};
}

/// What the new process does between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* words, int report) {
  setsid();  // Ctrl-C in this terminal is not for the browser
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) {
    for (int stream = 0; stream <= 2; ++stream) dup2(nothing, stream);
  }
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) signal(number, SIG_DFL);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // a browser that kept the server's socket would hold its port
  execv(words[0], words);
  const char failed = 1;
  [[maybe_unused]] const ssize_t written = write(report, &failed, 1);
  _exit(127);
}

}  // namespace

bool open_in_browser(const std::string& address) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  std::string program = find_program("xdg-open");
  if (program.empty()) return false;
  // a path that begins with a dash would be an option
  std::string page = address.rfind('-', 0) == 0 ? "./" + address : address;
  char* const words[] = {program.data(), page.data(), nullptr};

  int report[2];  // closed by a successful exec, else carries one byte
  if (pipe2(report, O_CLOEXEC) != 0) return false;
  const pid_t middle = fork();
  if (middle == 0) {
    // the browser's parent ends at once, so that nobody here must wait for the browser
    const pid_t last = fork();
    if (last == 0) become(words, report[1]);
    _exit(last < 0 ? 1 : 0);
  }
  close(report[1]);
  bool asked = middle > 0;
  if (middle > 0) {
    int status = 0;
    while (waitpid(middle, &status, 0) < 0 && errno == EINTR) {
    }
    asked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  char failed = 0;
  ssize_t count = 0;
  while ((count = read(report[0], &failed, 1)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  return asked && count == 0;
}

}  // namespace cuttle
