#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "arrays.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"

// The module cuttle._core, a file a part of it. Names are those of C++; so are the texts of errors.

namespace cuttle::python {

using namespace nanobind::literals;  // NOLINT(google-build-using-namespace): "name"_a
using ModelPointer = std::shared_ptr<const Model>;

void bind_errors(nb::module_& m);
void bind_robot(nb::module_& m);
void bind_signals(nb::module_& m);  ///< before batches, whose defaults have some
void bind_dynamics(nb::module_& m);
void bind_statics(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_rollouts(nb::module_& m);
void bind_functions(nb::module_& m);  ///< after scenarios, slopes
void bind_identification(nb::module_& m);
void bind_own(nb::module_& m);  ///< parts of robots that are functions of Python

/// Of robots in which an algorithm takes longer than it takes to let another thread go on, lets one go on.
class Unlocked {
 public:
  explicit Unlocked(const Model& model) {
    constexpr int k_small = 24;  // coordinates: some ten microseconds
    if (model.nv() > k_small) release_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> release_;
};

/// Files by name, whose contents need not be text: meshes in binary formats.
nb::dict contents(const FileTexts& files);
/// The same from Python, where contents may be texts too.
FileTexts files_from(const nb::dict& given);

/// A vector that may be left out.
inline VectorXd vector_or(const std::optional<Numbers>& given, const char* name, const VectorXd& otherwise) {
  return given ? VectorXd(given->vector(name)) : otherwise;
}

}  // namespace cuttle::python
