#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <string>

#include "cuttle/error.h"

#if defined(__SANITIZE_THREAD__)
#define CUTTLE_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUTTLE_THREAD_SANITIZER
#endif
#endif
#if defined(CUTTLE_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void* address);  // NOLINT(bugprone-reserved-identifier): the sanitizer's names
extern "C" void __tsan_release(void* address);  // NOLINT(bugprone-reserved-identifier)
#endif

namespace cuttle {

/// What TBB guarantees, said to the thread sanitizer, which does not see into its library: what a thread did before
/// `release` happens before what another does after `acquire`. Between threads that only acquire nothing is said, so
/// races between them are found. Without the sanitizer it does nothing.
class HappensBefore {
 public:
#if defined(CUTTLE_THREAD_SANITIZER)
  void acquire() { __tsan_acquire(this); }
  void release() { __tsan_release(this); }
#else
  void acquire() {}
  void release() {}
#endif
};

/// Threads that share out work on many robots.
class WorkerThreads {
 public:
  /// @param owner  whose they are, for the error  @param threads  at most so many; 0: one a core
  /// @throws ArgumentError for threads out of range
  WorkerThreads(const std::string& owner, int threads) : arena_(checked(owner, threads)) {}

  /// Calls work(index) for 0 .. count - 1, each on some thread, and returns when all are done.
  template <typename Work>
  void for_each(std::size_t count, const Work& work) {
    handed_out_.release();
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count, [&](std::size_t index) { call(work, index); }); });
    handed_back_.acquire();
  }
  /// The same on other threads, while this one calls `heartbeat`, if there is one, 20 times a second. What that throws
  /// comes out once all work has ended, which it is to do early: no further one is begun, and `stop` is true.
  template <typename Work>
  void for_each(std::size_t count, const Work& work, const std::function<void()>& heartbeat) {
    if (!heartbeat) return for_each(count, work);
    auto all = std::async(std::launch::async, [&] {
      for_each(count, [&](std::size_t index) {
        if (!stop_) work(index);
      });
    });
    try {
      while (all.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) heartbeat();
    } catch (...) {
      stop_ = true;
      all.wait();
      stop_ = false;
      throw;
    }
    all.get();
  }
  /// For work that looks now and then whether it is to end. Valid as long as these threads; false between calls.
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  static int checked(const std::string& owner, int threads) {
    // more would only take memory; some systems end a program that asks for a hundred thousand
    constexpr int most = 4096;
    if (threads < 0 || threads > most) {
      throw ArgumentError(owner + ": threads: found " + std::to_string(threads) + ", expected 0 (one a core) to " +
                          std::to_string(most));
    }
    return threads > 0 ? threads : tbb::task_arena::automatic;
  }

  template <typename Work>
  void call(const Work& work, std::size_t index) {
    handed_out_.acquire();
    // a body of a user may use threads of its own: this thread must not begin other work meanwhile
    tbb::this_task_arena::isolate([&] { work(index); });
    handed_back_.release();
  }

  std::atomic<bool> stop_ = false;
  HappensBefore handed_out_, handed_back_;  // work, to threads and back
  tbb::task_arena arena_;
};

}  // namespace cuttle
