#include "callables.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cuttle/error.h"

namespace cuttle::python {
namespace {

/// What the interpreter knows of a thread that is not its own, from the first call on.
class ThreadState {
 public:
  ThreadState() {
    if (PyGILState_GetThisThreadState() != nullptr) return;
    before_ = PyGILState_Ensure();
    state_ = PyEval_SaveThread();
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;
  ~ThreadState() {
    if (state_ == nullptr || Py_IsInitialized() == 0) return;  // the interpreter has ended, and forgotten it
    PyEval_RestoreThread(state_);
    PyGILState_Release(before_);
  }

 private:
  PyGILState_STATE before_ = PyGILState_UNLOCKED;
  PyThreadState* state_ = nullptr;
};

class PythonSignal final : public SignalFunction {
 public:
  PythonSignal(const nb::object& function, const nb::object& derivative, const nb::object& second,
               std::vector<double> discontinuities)
      : function_(function),
        derivatives_{SharedObject(derivative), SharedObject(second)},
        times_(std::move(discontinuities)) {
    std::sort(times_.begin(), times_.end());
  }
  double at(double time) const override {
    const InterpreterLock lock;
    return number((*function_)(time));
  }
  double derivative(double time, int order) const override {
    const InterpreterLock lock;
    const nb::object& given = *derivatives_.at(order - 1);
    if (!given.is_none()) return number(given(time));
    return number(nb::module_::import_("cuttle.own").attr("_time_derivative")(*function_, time, order));
  }
  std::vector<double> discontinuities() const override { return times_; }

 private:
  static double number(const nb::object& answer) {
    double value = 0.0;
    if (nb::try_cast(answer, value)) return value;
    Numbers numbers;  // also an array of one
    Eigen::Index count = 1;
    if (numbers.take(answer.ptr())) {
      for (int i = 0; i < numbers.dimensions(); ++i) count *= numbers.extent(i);
      if (count == 1) return *numbers.data();
    }
    throw nb::type_error("signal: its function must return a number");
  }

  SharedObject function_;
  std::array<SharedObject, 2> derivatives_;
  std::vector<double> times_;
};

void ask(const nb::object& function, const ControlArguments& at, VectorXd& outputs) {
  const InterpreterLock lock;
  const nb::object sensors = at.sensors != nullptr ? nb::object(to_numpy(*at.sensors)) : nb::none();
  const nb::object answer = function(at.time, to_numpy(at.q), to_numpy(at.v), sensors);
  Numbers numbers;
  numbers.take(answer.ptr());
  const auto values = numbers.vector("outputs");
  if (values.size() != outputs.size()) {
    throw ArgumentError("outputs", std::to_string(values.size()) + " numbers",
                        std::to_string(outputs.size()) + ", one an input of the controller");
  }
  outputs = values;
}

}  // namespace

InterpreterLock::InterpreterLock() {
  thread_local const ThreadState kept;
  lock_.emplace();
}

Signal signal_from(const nb::object& function, const nb::object& derivative, const nb::object& second,
                   std::vector<double> discontinuities) {
  return Signal::function(std::make_shared<PythonSignal>(function, derivative, second, std::move(discontinuities)));
}

std::function<ControlFunction()> control_from(nb::object function) {
  return [shared = SharedObject(std::move(function))]() -> ControlFunction {
    const InterpreterLock lock;
    if (nb::hasattr(*shared, "reset")) (*shared).attr("reset")();
    return [shared](const ControlArguments& at, VectorXd& outputs) { ask(*shared, at, outputs); };
  };
}

}  // namespace cuttle::python
