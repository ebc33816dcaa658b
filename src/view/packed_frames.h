#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "cuttle/simulation/recorder.h"
#include "cuttle/view/scene.h"

namespace cuttle {

/// Writes the frame vector of a sample.
using FrameOf = std::function<void(const Sample&, std::span<double>)>;

/// The frame vectors of some samples, as FrameBlocks of viewer/src/contract.ts. Lengths are kept to a hundred
/// thousandth of the robot's reach, other numbers to a part of their largest.
/// @param frame_of  instead of the scene, for robots that change from sample to sample.
nlohmann::ordered_json packed_frames(Scene& scene, const std::vector<const Sample*>& samples,
                                     const FrameOf& frame_of = {});

}  // namespace cuttle
