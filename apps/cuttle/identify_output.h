#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify_files.h"

namespace cuttle {

/// What was found, for people and programs.
struct IdentifyOutcome {
  const IdentifyOptions& options;
  const std::vector<FreeParameter>& parameters;
  const Identification& found;
  std::vector<std::string> labels, held_out_labels;
  std::vector<ExperimentFit> held_out;
  std::optional<CrossValidation> cross;
};
void print_as_json(const IdentifyOutcome& outcome);
void print_text(const IdentifyOutcome& outcome);

}  // namespace cuttle
