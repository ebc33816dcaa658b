#include "bindings.h"
#include "callables.h"
#include "doc.h"

namespace cuttle::python {
namespace {

using SignalObject = nb::typed<nb::object, Signal>;

/// Makes a signal that remembers how it was made, so that it is pickled by that.
template <typename Make, typename... Arguments>
SignalObject remembered(const char* name, const Make& make, const Arguments&... arguments) {
  nb::object signal = nb::cast(make(arguments...));
  signal.attr("_made") = nb::make_tuple(name, nb::make_tuple(arguments...));
  return nb::borrow<SignalObject>(signal);
}
template <typename... Arguments>
auto signal_maker(const char* name, Signal (*make)(Arguments...)) {
  return [name, make](const std::decay_t<Arguments>&... arguments) { return remembered(name, make, arguments...); };
}

}  // namespace

void bind_signals(nb::module_& m) {
  nb::class_<Signal>(m, "Signal", nb::dynamic_attr(), doc("Signal", "A number is a constant signal."))
      .def(nb::init<double>(), "value"_a, "A constant.")
      .def(nb::init_implicit<double>())
      .def_static("step", signal_maker("step", &Signal::step), "time"_a, "before"_a, "after"_a, doc("Signal::step"))
      .def_static("ramp", signal_maker("ramp", &Signal::ramp), "start"_a, "end"_a, "from_"_a, "to"_a,
                  doc("Signal::ramp"))
      .def_static("sine", signal_maker("sine", &Signal::sine), "amplitude"_a, "frequency"_a, "phase"_a = 0.0,
                  "offset"_a = 0.0, doc("Signal::sine"))
      .def_static("cubic", signal_maker("cubic", &Signal::cubic), "start"_a, "end"_a, "from_"_a, "to"_a,
                  doc("Signal::cubic"))
      .def_static("quintic", signal_maker("quintic", &Signal::quintic), "start"_a, "end"_a, "from_"_a, "to"_a,
                  doc("Signal::quintic"))
      .def_static("points", signal_maker("points", &Signal::points), "times"_a, "values"_a, doc("Signal::points"))
      .def_static("spline", signal_maker("spline", &Signal::spline), "times"_a, "values"_a, doc("Signal::spline"))
      .def_static("steps", signal_maker("steps", &Signal::steps), "times"_a, "values"_a, doc("Signal::steps"))
      .def_static(
          "function",
          [](const nb::object& function, const nb::object& derivative, const nb::object& second_derivative,
             const std::vector<double>& discontinuities) {
            return remembered("function", &signal_from, function, derivative, second_derivative, discontinuities);
          },
          "function"_a, "derivative"_a = nb::none(), "second_derivative"_a = nb::none(),
          "discontinuities"_a = std::vector<double>(),
          "function(time) -> float. It is asked at every evaluation of the motion.\n\n"
          "derivative, second_derivative: functions like it, which references of controllers and driven joints need.\n"
          "Without them the function is called with a number that carries derivatives: exact, if it uses functions of\n"
          "NumPy and not of `math`.   discontinuities: times at which the function or its slope jumps; else it is "
          "taken\n"
          "to be smooth.")
      .def(
          "__eq__",
          [](const nb::object& a, const nb::object& b) -> nb::object {
            if (!nb::isinstance<Signal>(b)) return nb::borrow(Py_NotImplemented);
            return nb::bool_(a.attr("__reduce__")()[1].equal(b.attr("__reduce__")()[1]));
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"),
          "Whether both were made in the same way.")
      .def("__hash__",
           [](const nb::object& signal) {
             return nb::hash(nb::hasattr(signal, "_made") ? nb::object(signal.attr("_made")[0]) : nb::none());
           })
      .def("at", &Signal::at, "time"_a, doc("Signal::at"))
      .def("derivative", &Signal::derivative, "time"_a, "order"_a = 1, doc("Signal::derivative"))
      .def("__reduce__",
           [](const nb::object& signal) -> nb::object {
             const nb::object type = nb::borrow(signal.type());
             if (!nb::hasattr(signal, "_made")) return nb::make_tuple(type, nb::make_tuple(signal.attr("at")(0.0)));
             const nb::object made = signal.attr("_made");
             return nb::make_tuple(nb::module_::import_("cuttle.own").attr("_signal"), made);
           })
      .def("__copy__", [](const nb::object& signal) { return signal; })
      .def(
          "__deepcopy__", [](const nb::object& signal, const nb::object& /*memo*/) { return signal; }, "memo"_a);
}

}  // namespace cuttle::python
