#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cuttle/simulation/recorder.h"
#include "cuttle/view/scene.h"

namespace cuttle {

/// The frame vectors of some samples, as FrameBlocks of viewer/src/contract.ts. Lengths are kept to a hundred
/// thousandth of the robot's reach, other numbers to a part of their largest.
nlohmann::ordered_json packed_frames(Scene& scene, const std::vector<const Sample*>& samples);

}  // namespace cuttle
