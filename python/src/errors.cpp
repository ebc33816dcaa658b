#include <array>

#include "bindings.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"

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
  }
}

}  // namespace

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(translate); }

}  // namespace cuttle::python
