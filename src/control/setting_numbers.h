#pragma once

#include <string>
#include <vector>

#include "cuttle/control/controllers.h"

namespace cuttle {

/// The numbers of a controller's settings that its run can be differentiated by: gains and weights, damping, initial
/// estimates, limits of outputs, equilibrium inputs, and those of signals of the reference and of fed inputs. A list of
/// one number has its key without index.
std::vector<ControllerNumber> setting_numbers(const ControlSettings& settings);
/// @throws ArgumentError for another key.
ControlSettings settings_with(const ControlSettings& settings, const std::string& key, double value);

}  // namespace cuttle
