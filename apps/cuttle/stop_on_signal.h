#pragma once

#include <signal.h>

#include <atomic>

namespace cuttle {

/// While it lives, SIGINT and SIGTERM end what a command does in good order: they set `stop`. A second one ends the
/// process at once.
class StopOnSignal {
 public:
  StopOnSignal() {
    stop = false;
    struct sigaction action = {};
    action.sa_handler = [](int number) {
      signal_number = number;
      stop = true;
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  static inline std::atomic<bool> stop{false};
  static inline volatile sig_atomic_t signal_number = 0;

 private:
  struct sigaction old_interrupt_ = {}, old_terminate_ = {};
};

}  // namespace cuttle
