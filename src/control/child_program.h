#pragma once

#include <string>
#include <vector>

namespace cuttle {

/// A program of the user's that answers lines with lines: its standard input and output are ours; its error output is
/// that of this process. It ends with this object: its input ends, and if it does not go by itself, it is killed.
class ChildProgram {
 public:
  /// @param command  program, found by PATH, and arguments.   @param directory  in which it works; empty: this one's.
  /// @throws SimulationError if it cannot be started.
  ChildProgram(const std::vector<std::string>& command, const std::string& directory);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Sends a line, and waits for one. @param seconds  for both. @return without its end.
  /// @throws SimulationError `found .., expected ..` if it takes longer, or has ended.
  std::string ask(std::string line, double seconds);

 private:
  /// How it ended, if it has: waits for a short time.
  std::string end();

  int process_ = -1, socket_ = -1;
  std::string received_;  ///< after the last line
};

}  // namespace cuttle
