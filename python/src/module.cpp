#include "bindings.h"
#include "cuttle/version.h"
#include "interpreter_end.h"

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
  cuttle::python::bind_own(m);
  cuttle::python::stop_work_at_exit();
  m.attr("__version__") = CUTTLE_VERSION;
}
