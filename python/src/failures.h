#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "cuttle/simulation/batch.h"

namespace cuttle::python {

/// Raises SimulationError with `rollout` of it.
[[noreturn]] void raise_with_rollout(std::string text, const nanobind::object& rollout);

/// If a robot failed, with all the results.
template <typename Found>
void raise_failures(const std::vector<std::string>& failures, const Found& found) {
  const std::string text = failures_text(failures);
  if (!text.empty()) raise_with_rollout(text, nanobind::cast(found));
}

}  // namespace cuttle::python
