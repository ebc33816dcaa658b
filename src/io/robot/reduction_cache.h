#pragma once

#include "cuttle/bodies/point_reduction.h"

namespace cuttle {

/// reduce_points, or what it gave for the same body and options before: kept by content in the user's cache folder,
/// $XDG_CACHE_HOME/cuttle or ~/.cache/cuttle. What cannot be kept there is computed each time.
PointReduction cached_reduction(const VolumeBody& body, const PointReductionOptions& options);

}  // namespace cuttle
