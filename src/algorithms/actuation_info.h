#pragma once

#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// Names, those of the inputs, and units of the actuation coordinates: input times coordinate is work.
std::vector<CoordinateInfo> actuation_info(const Model& model);

}  // namespace cuttle
