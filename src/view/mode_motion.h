#pragma once

#include <vector>

#include "cuttle/io/result_file.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"

namespace cuttle {

inline constexpr std::size_t k_mode_frames = 49;   ///< of one swing, the first and the last being the same
inline constexpr double k_mode_seconds = 2.0;      ///< that a swing takes, whatever its frequency
inline constexpr std::size_t k_played_modes = 60;  ///< at most, the lowest

/// One swing of each mode of a result, one after the other: q(phase) about the equilibrium, without the decay or
/// growth, so wide that the shape is well seen. Frames of mode i begin at i k_mode_frames; times go on through all of
/// them.
/// @param rest  the equilibrium.
std::vector<Sample> mode_motion(const Robot& robot, const std::vector<LinkVisual>& visuals, const ResultSequence& modes,
                                const Sample& rest);

}  // namespace cuttle
