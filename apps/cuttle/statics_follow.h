#pragma once

#include <string>

#include "rest_options.h"
#include "statics_target.h"

namespace cuttle {

/// Finds equilibria that carry frames along the paths of a CSV file, and writes them as CSV, to a file or to the
/// standard output.
void follow_targets(const RestingRobot& robot, const StaticsTargetOptions& options, const std::string& output,
                    bool json);

}  // namespace cuttle
