#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "arrays.h"
#include "cuttle/control/function_law.h"
#include "cuttle/model/signal.h"

// Functions of Python where the library wants its own: asked from a run, which does not hold the interpreter's lock.

namespace cuttle::python {

/// The interpreter's lock on any thread. A thread of the library keeps what the interpreter knows of it until it ends:
/// made anew for each call, it takes as long as a small function.
class InterpreterLock {
 public:
  InterpreterLock();

 private:
  std::optional<nb::gil_scoped_acquire> lock_;
};

/// A Python object that may be copied and forgotten without the interpreter's lock.
class SharedObject {
 public:
  explicit SharedObject(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* held) {
          const nb::gil_scoped_acquire lock;
          delete held;  // NOLINT(cppcoreguidelines-owning-memory): the pointer's own
        }) {}
  const nb::object& operator*() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

/// A signal from f(time) -> float, which is taken to be smooth but at some times.
/// @param derivative, second  functions like it, or None: then f is called with an array that carries derivatives.
Signal signal_from(const nb::object& function, const nb::object& derivative, const nb::object& second,
                   std::vector<double> discontinuities);
/// A law from f(time, q, v, sensors) -> numbers, with arrays; its `reset()`, if it has one, begins a run.
std::function<ControlFunction()> control_from(nb::object function);

}  // namespace cuttle::python
