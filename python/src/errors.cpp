#include <array>
#include <new>
#include <stdexcept>

#include "bindings.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "failures.h"

namespace cuttle::python {
namespace {

/// Raises the class of that name of cuttle.errors, with the diagnostic's parts beside the text.
void raise(const char* name, const Error& error) {
  try {
    const nb::object type = nb::module_::import_("cuttle.errors").attr(name);
    const nb::object raised = type(nb::str(error.what()), nb::str(error.path().text().c_str()),
                                   nb::str(error.found().c_str()), nb::str(error.expected().c_str()));
    PyErr_SetObject(type.ptr(), raised.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ArgumentTypeError& error) {
    raise("ArgumentTypeError", error);
  } catch (const ArgumentError& error) {
    raise("ArgumentError", error);
  } catch (const ModelError& error) {
    raise("ModelError", error);
  } catch (const ConfigurationError& error) {
    raise("ConfigurationError", error);
  } catch (const SingularMassError& error) {
    raise("SingularMassError", error);
  } catch (const OverflowError& error) {
    raise("OverflowError", error);
  } catch (const FileError& error) {
    raise("FileError", error);
  } catch (const SimulationError& error) {
    raise("SimulationError", error);
  } catch (const StaticsError& error) {
    raise("StaticsError", error);
  } catch (const Error& error) {
    raise("Error", error);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError,
                    "found more than there is memory for, expected fewer robots, rows, points or steps");
  } catch (const std::length_error&) {  // more than an array can have
    PyErr_SetString(PyExc_MemoryError,
                    "found more than an array can have, expected fewer robots, rows, points or steps");
  }
}

}  // namespace

void raise_with_rollout(std::string text, const nb::object& rollout) {
  text.replace(text.rfind(" = false"), 8, "=False");  // as Python says it
  const nb::object type = nb::module_::import_("cuttle.errors").attr("SimulationError");
  const nb::object raised = type(nb::str(("roll-outs: " + text).c_str()));
  raised.attr("rollout") = rollout;
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw nb::python_error();
}

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(translate); }

}  // namespace cuttle::python
