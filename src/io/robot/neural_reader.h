#pragma once

#include <string>

#include "cuttle/bodies/neural_kinematics.h"

namespace cuttle {

/// Reads a network in the format `cuttle-mlp-1` (docs/format.md); everything but the length.
/// @throws FileError at FILE:LINE:COLUMN, with all that is wrong.
NeuralParameters read_network_file(const std::string& path);
/// The same from its text. @param path  name of the file in messages.
NeuralParameters read_network_text(const std::string& text, const std::string& path);
/// A network as such a text, numbers exactly; without its length.
std::string network_text(const NeuralParameters& network);

}  // namespace cuttle
