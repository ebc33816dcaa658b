#include "interpreter_end.h"

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace cuttle::python {
namespace {

namespace nb = nanobind;

std::atomic<int> works = 0;
thread_local int own_works = 0;  // of this thread
std::atomic<bool> ending = false;
std::atomic<std::thread::id> ending_thread;

void stop_work() {
  using Clock = std::chrono::steady_clock;
  ending_thread = std::this_thread::get_id();
  ending = true;
  const nb::gil_scoped_release unlocked;
  const Clock::time_point last = Clock::now() + std::chrono::seconds(5);  // for functions that do not return
  while (works > 0 && Clock::now() < last) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

Work::Work() { ++works, ++own_works; }
Work::~Work() { --works, --own_works; }

void check_interpreter() {
  if (!ending || ending_thread.load() == std::this_thread::get_id()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw nb::python_error();
}

void stop_work_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_work));
  pthread_atfork(nullptr, nullptr, [] { works = own_works; });  // the child has the thread that forks alone
}

}  // namespace cuttle::python

// Python 3.13 and earlier end a thread that takes the interpreter's lock once the interpreter has begun to end: by
// pthread_exit, which unwinds the stack. On it are destructors, which end the process then (std::terminate), and
// objects that nobody may touch without the lock. So such a thread waits here until the process is gone, as in
// Python 3.14. The linker leads all calls of this module that may take the lock here, those of nanobind too
// (CMakeLists.txt): a lock, or a function of Python, during which other threads get it.

namespace {

[[noreturn]] void wait_for_the_end() {
  for (;;) pause();
}

template <typename Call>
auto or_wait_for_the_end(const Call& call) {
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {

void __real_PyEval_RestoreThread(PyThreadState* state);
void __wrap_PyEval_RestoreThread(PyThreadState* state) {
  or_wait_for_the_end([&] { __real_PyEval_RestoreThread(state); });
}

PyGILState_STATE __real_PyGILState_Ensure();
PyGILState_STATE __wrap_PyGILState_Ensure() {
  // a thread of the library, which would be made known to an interpreter that is no more
  if (Py_IsInitialized() == 0 && PyGILState_GetThisThreadState() == nullptr) wait_for_the_end();
  return or_wait_for_the_end([] { return __real_PyGILState_Ensure(); });
}

PyObject* __real_PyObject_Vectorcall(PyObject* called, PyObject* const* arguments, size_t count, PyObject* names);
PyObject* __wrap_PyObject_Vectorcall(PyObject* called, PyObject* const* arguments, size_t count, PyObject* names) {
  return or_wait_for_the_end([&] { return __real_PyObject_Vectorcall(called, arguments, count, names); });
}

PyObject* __real_PyObject_VectorcallMethod(PyObject* name, PyObject* const* arguments, size_t count, PyObject* names);
PyObject* __wrap_PyObject_VectorcallMethod(PyObject* name, PyObject* const* arguments, size_t count, PyObject* names) {
  return or_wait_for_the_end([&] { return __real_PyObject_VectorcallMethod(name, arguments, count, names); });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
