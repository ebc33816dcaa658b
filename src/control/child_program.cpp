#include "control/child_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "cuttle/error.h"

extern char** environ;

namespace cuttle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto k_patience = std::chrono::seconds(1);   // for a program whose input has ended
constexpr auto k_look = std::chrono::milliseconds(2);  // between looks whether it has ended
constexpr std::size_t k_longest_answer = 64UL << 20;   // bytes

/// Waits until a socket is ready. @return false once the time is over.
bool wait_for(int socket, short what, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{socket, what, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::clamp<long long>(left + 1, 0, 1000)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) throw SimulationError(std::string("poll: ") + std::strerror(errno));
    if (Clock::now() >= end) return false;
  }
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& command, const std::string& directory) {
  // a pair of sockets, not pipes: a write to a program that has ended must be an error, not a signal
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw SimulationError(std::string("no sockets for an external program: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Ctrl-C is for us: the program goes when its input ends
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (error == 0) return;
  close(socket_);
  throw SimulationError(fmt::format("command: found '{}', which does not start ({}), expected a program", command[0],
                                    std::strerror(error)));
}

ChildProgram::~ChildProgram() {
  close(socket_);
  if (process_ > 0 && end().empty()) {
    kill(-process_, SIGKILL);  // its group: what it has started too
    waitpid(process_, nullptr, 0);
  }
}

std::string ChildProgram::end() {
  int status = 0;
  for (const auto until = Clock::now() + k_patience; process_ > 0; std::this_thread::sleep_for(k_look)) {
    const int found = waitpid(process_, &status, WNOHANG);
    if (found == process_) {
      process_ = -1;
      return WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                               : fmt::format("signal {}", WTERMSIG(status));
    }
    if (found < 0 && errno != EINTR) break;
    if (Clock::now() >= until) break;
  }
  return "";
}

std::string ChildProgram::ask(std::string line, double seconds) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto late = [&] {
    return SimulationError(fmt::format("found no answer of the program within {:g} s, expected a line", seconds));
  };
  const auto ended = [&] {
    const std::string how = end();
    return SimulationError(fmt::format("found the program at its end{}, expected an answer to each line",
                                       how.empty() ? "" : " (" + how + ")"));
  };
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    if (!wait_for(socket_, POLLOUT, until)) throw late();
    const ssize_t count = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) throw ended();
    sent += static_cast<std::size_t>(count);
  }
  for (;;) {
    if (const auto at = received_.find('\n'); at != received_.npos) {
      std::string answer = received_.substr(0, at);
      received_.erase(0, at + 1);
      if (answer.ends_with('\r')) answer.pop_back();
      return answer;
    }
    if (received_.size() > k_longest_answer) throw SimulationError("found an answer without end, expected a line");
    if (!wait_for(socket_, POLLIN, until)) throw late();
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) throw ended();
    received_.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace cuttle
