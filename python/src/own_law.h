#pragma once

#include <memory>
#include <string>

#include "arrays.h"
#include "cuttle/model/effort_law.h"
#include "cuttle/model/transmission.h"

namespace cuttle::python {

/// The law of an element that is a cuttle.Element of Python. With the interpreter's lock.
std::shared_ptr<const EffortLawT<double>> make_python_law(const nb::object& part);

/// y is a coordinate of a link, of its joint first, then of its body [rad, m].
std::shared_ptr<const Transmission> make_coordinate_transmission(const std::string& link, int index);

}  // namespace cuttle::python
