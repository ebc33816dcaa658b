#pragma once

#include <signal.h>

#include <atomic>

namespace cuttle {

/// While it lives, SIGINT, SIGTERM and SIGHUP end what a command does in good order: they set `stop`. A second one ends
/// the process at once. A SIGHUP that is ignored from the start, as under nohup, stays ignored.
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
    sigaction(SIGHUP, nullptr, &old_hangup_);
    if (old_hangup_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
    sigaction(SIGHUP, &old_hangup_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  static inline std::atomic<bool> stop{false};
  static inline volatile sig_atomic_t signal_number = 0;

 private:
  struct sigaction old_interrupt_ = {}, old_terminate_ = {}, old_hangup_ = {};
};

}  // namespace cuttle
