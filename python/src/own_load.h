#pragma once

#include <memory>

#include "arrays.h"
#include "cuttle/model/load_law.h"

namespace cuttle::python {

/// The law of a load that is a cuttle.FunctionLoad of Python. With the interpreter's lock.
std::shared_ptr<const LoadLaw> make_python_load(const nb::object& part);

}  // namespace cuttle::python
