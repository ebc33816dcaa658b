#include "bindings.h"
#include "cuttle/version.h"
#include "interpreter_end.h"

namespace {

/// Sets an attribute of a type that Python may not change: those of nanobind's functions, which have no __signature__.
void set_on_type(nanobind::handle type, const char* name, nanobind::handle value) {
  const nanobind::object attributes = nanobind::steal(PyObject_GenericGetDict(type.ptr(), nullptr));
  if (!attributes.is_valid() || PyDict_SetItemString(attributes.ptr(), name, value.ptr()) != 0)
    throw nanobind::python_error();
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "What of Cuttle is C++: models, algorithms, batches, runs.";
  nanobind::set_leak_warnings(false);  // what a script still holds at its end is no news to it
  cuttle::python::bind_errors(m);
  cuttle::python::bind_robot(m);
  cuttle::python::bind_signals(m);
  cuttle::python::bind_dynamics(m);
  cuttle::python::bind_statics(m);
  cuttle::python::bind_batch(m);
  cuttle::python::bind_simulation(m);
  cuttle::python::bind_rollouts(m);
  cuttle::python::bind_functions(m);
  cuttle::python::bind_identification(m);
  cuttle::python::bind_own(m);
  cuttle::python::stop_work_at_exit();
  m.attr("__version__") = CUTTLE_VERSION;
  m.def("_set_on_type", &set_on_type);
}
