#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cuttle {

/// A program of the user's that answers lines with lines: its standard input and output are ours; its error output is
/// that of this process. It ends with this object: its input ends, and if it does not go by itself, it is killed; at
/// once if it owes an answer. What it has started ends with it.
class ChildProgram {
 public:
  /// @param command  program, found by PATH, and arguments.   @param directory  in which it works; empty: this one's.
  /// @throws SimulationError if it cannot be started.
  ChildProgram(const std::vector<std::string>& command, const std::string& directory);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Sends a line, and waits for one. @param seconds  for both.
  /// @param while_waiting  called ten times a second, and after each signal. What it throws ends the waiting.
  /// @return without its end.
  /// @throws SimulationError `found .., expected ..` if it takes longer, or has ended.
  std::string ask(std::string line, double seconds, const std::function<void()>& while_waiting);

 private:
  using Clock = std::chrono::steady_clock;
  /// Until the socket is ready. @return false once the time is over.
  bool wait_for(short what, Clock::time_point end, const std::function<void()>& while_waiting) const;
  /// How it ended, if it does within the time. Until it is killed its process is kept, and so the number of its group.
  std::string end(Clock::duration patience) const;

  int process_ = -1, socket_ = -1;
  bool owes_answer_ = false;
  std::string received_;  ///< after the last line
};

}  // namespace cuttle
