#include "callables.h"

#include <utility>

#include "cuttle/error.h"

namespace cuttle::python {
namespace {

class PythonSignal final : public SignalFunction {
 public:
  explicit PythonSignal(nb::object function) : function_(std::move(function)) {}
  double at(double time) const override {
    const nb::gil_scoped_acquire lock;
    double value = 0.0;
    if (!nb::try_cast((*function_)(time), value)) throw nb::type_error("signal: its function must return a number");
    return value;
  }

 private:
  SharedObject function_;
};

void ask(const nb::object& function, const ControlArguments& at, VectorXd& outputs) {
  const nb::gil_scoped_acquire lock;
  const nb::object sensors = at.sensors != nullptr ? nb::object(to_numpy(*at.sensors)) : nb::none();
  const nb::object answer = function(at.time, to_numpy(at.q), to_numpy(at.v), sensors);
  Numbers numbers;
  if (!numbers.take(answer.ptr())) throw nb::type_error("controller: expected numbers, one an input of it");
  const auto values = numbers.vector("outputs");
  if (values.size() != outputs.size()) {
    throw ArgumentError("outputs", std::to_string(values.size()) + " numbers",
                        std::to_string(outputs.size()) + ", one an input of the controller");
  }
  outputs = values;
}

}  // namespace

Signal signal_from(nb::object function) {
  return Signal::function(std::make_shared<PythonSignal>(std::move(function)));
}

std::function<ControlFunction()> control_from(nb::object function) {
  return [shared = SharedObject(std::move(function))]() -> ControlFunction {
    const nb::gil_scoped_acquire lock;
    if (nb::hasattr(*shared, "reset")) (*shared).attr("reset")();
    return [shared](const ControlArguments& at, VectorXd& outputs) { ask(*shared, at, outputs); };
  };
}

}  // namespace cuttle::python
