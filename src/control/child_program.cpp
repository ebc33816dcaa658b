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

constexpr auto k_patience = std::chrono::seconds(1);      // for a program whose input has ended
constexpr auto k_look = std::chrono::milliseconds(2);     // between looks whether it has ended
constexpr auto k_pause = std::chrono::milliseconds(100);  // between two calls of while_waiting
constexpr double k_longest_wait = 1e9;                    // s; what a clock can count
constexpr std::size_t k_longest_answer = 64UL << 20;      // bytes

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
  end(owes_answer_ ? Clock::duration::zero() : k_patience);
  kill(-process_, SIGKILL);  // its group: what it has started too
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProgram::wait_for(short what, Clock::time_point end, const std::function<void()>& while_waiting) const {
  for (;;) {
    while_waiting();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd ready{socket_, what, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::clamp(left, {}, k_pause).count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) throw SimulationError(std::string("poll: ") + std::strerror(errno));
    if (Clock::now() >= end) return false;
  }
}

std::string ChildProgram::end(Clock::duration patience) const {
  for (const auto until = Clock::now() + patience;; std::this_thread::sleep_for(k_look)) {
    siginfo_t found{};
    const int code = waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT);
    if (code == 0 && found.si_pid == process_) {
      return fmt::format("{} {}", found.si_code == CLD_EXITED ? "exit code" : "signal", found.si_status);
    }
    if ((code < 0 && errno != EINTR) || Clock::now() >= until) return "";
  }
}

std::string ChildProgram::ask(std::string line, double seconds, const std::function<void()>& while_waiting) {
  const std::chrono::duration<double> longest(std::min(seconds, k_longest_wait));
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(longest);
  const auto late = [&] {
    return SimulationError(fmt::format("found no answer of the program within {:g} s, expected a line", seconds));
  };
  const auto ended = [&] {
    const std::string how = end(k_patience);
    return SimulationError(fmt::format("found the program at its end{}, expected an answer to each line",
                                       how.empty() ? "" : " (" + how + ")"));
  };
  owes_answer_ = true;
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    if (!wait_for(POLLOUT, until, while_waiting)) throw late();
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
      owes_answer_ = false;
      return answer;
    }
    if (received_.size() > k_longest_answer) throw SimulationError("found an answer without end, expected a line");
    if (!wait_for(POLLIN, until, while_waiting)) throw late();
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) throw ended();
    received_.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace cuttle
