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
  std::vector<std::string> labels, held_out_labels;  ///< of the data: each is another
  std::vector<ExperimentFit> held_out;
  std::optional<CrossValidation> cross;
  std::string written;  ///< the robot file; empty: none
};
/// `15 measurements`, `15 measurements and 2 priors`.
std::string measurements_text(const Identification& found);
/// How a robust loss and runs were chosen: a sentence for each.
std::vector<std::string> method_texts(const IdentificationOptions& options, const Identification& found);
/// What an interval is: its limits with as many digits as mean something, at a bound, not known.
std::string interval_text(const IdentifiedParameter& one, const char* format);
/// A sentence for rows that are not predicted: the first ones, and how many there are beside them.
/// @param rows  fitted | left out | held out
std::vector<std::string> unpredicted_texts(const std::string& rows, const std::string& label, const ExperimentFit& fit);
void print_as_json(const IdentifyOutcome& outcome);
/// Hints, and rows that are not predicted, are warnings, on the standard error.
void print_text(const IdentifyOutcome& outcome);

}  // namespace cuttle
