#pragma once

#include <string>
#include <string_view>

#include "cuttle/api.h"
#include "cuttle/identification/identification_job.h"

namespace CUTTLE_API cuttle {

/// One HTML file that needs nothing else: numbers with intervals, what the data cannot tell, how far model and data are
/// apart, data and model over each other in 3D, and residuals by channel.
/// @param job  that is done, but for this page.   @param viewer  as of report_page.
std::string identification_page(const IdentificationJob& job, std::string_view viewer);

}  // namespace cuttle
