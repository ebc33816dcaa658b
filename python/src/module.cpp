#include "bindings.h"
#include "cuttle/version.h"
#include "interpreter_end.h"

namespace {

/// Sets an attribute of a type that Python may not change: those of nanobind's functions, which have no __signature__.
void set_on_type(nanobind::handle type, const char* name, nanobind::handle value) {
  auto* const object = reinterpret_cast<PyTypeObject*>(type.ptr());
  const unsigned long fixed = object->tp_flags & Py_TPFLAGS_IMMUTABLETYPE;
  object->tp_flags &= ~fixed;
  const int failed = PyObject_SetAttrString(type.ptr(), name, value.ptr());
  object->tp_flags |= fixed;
  if (failed != 0) throw nanobind::python_error();
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
