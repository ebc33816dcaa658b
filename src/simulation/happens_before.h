#pragma once

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

}  // namespace cuttle
