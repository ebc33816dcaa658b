#pragma once

#include <functional>

namespace cuttle::python {

/// Work that other threads than the caller's may do, or that takes long. While the process ends the library's constants
/// go: before that, the interpreter's end waits for work to stop.
class Work {
 public:
  Work();
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
};

/// Throws SystemExit, which ends a thread in silence, once the interpreter is about to end; not in the thread that ends
/// it. With the interpreter's lock.
void check_interpreter();

/// Has Python call this before it ends: work stops at its next heartbeat, for which it waits some seconds at most.
void stop_work_at_exit();

/// signal_watch() of something that is kept while it does not work.
std::function<void()> idle_signal_watch();

}  // namespace cuttle::python
