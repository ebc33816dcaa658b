#pragma once

#include <functional>
#include <string>
#include <vector>

#include "control/setting_visitor.h"

namespace cuttle {

/// Shows some settings to a visitor.
using ShowSettings = std::function<void(SettingVisitor& visitor)>;

/// The numbers of a controller's settings that its run can be differentiated by: gains and weights, damping, initial
/// estimates, limits of outputs, equilibrium inputs, and those of signals of the reference and of fed inputs. A list of
/// one number has its key without index.
std::vector<ControllerNumber> setting_numbers(const ShowSettings& show);
/// @throws ArgumentError for another key.
void set_number(const ShowSettings& show, const std::string& key, double value);
/// Times at which signals that the law follows jump or bend.
std::vector<double> signal_discontinuities(const ShowSettings& show);

}  // namespace cuttle
