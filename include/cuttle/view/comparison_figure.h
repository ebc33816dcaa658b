#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/identification/comparison.h"

namespace CUTTLE_API cuttle {

/// Both runs over each other as SVG, a panel for each frame or other channel, and below how far they are apart.
std::string comparison_figure(const ComparisonRequest& request, const Comparison& comparison);

}  // namespace cuttle
