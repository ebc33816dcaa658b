#pragma once

#include "cuttle/identification/identification_job.h"

namespace cuttle {

/// What was found, for people. Hints, and rows that are not predicted, are warnings, on the standard error.
void print_text(const IdentificationRequest& request, const IdentificationOutcome& outcome);

}  // namespace cuttle
