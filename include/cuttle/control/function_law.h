#pragma once

#include <functional>
#include <memory>

#include "cuttle/api.h"
#include "cuttle/control/controllers.h"

namespace CUTTLE_API cuttle {

/// A law that is asked at samples: `outputs` has one number an input of the controller, and is to be filled.
using ControlFunction = std::function<void(const ControlArguments& at, VectorXd& outputs)>;

/// A controller from a function, asked `rate` times a second and held in between, with window, delay, noise, resolution
/// and limits of the settings: as `make_external`, without another program.
/// @param make  gives a run its function, so that each has memory of its own.
/// @throws ArgumentError without `rate`, or for settings that make no sense on any robot. What the function throws ends
/// the run; a number that is not finite is a SimulationError.
/// @code
/// ControlSettings settings;
/// settings.inputs = {"motor"}, settings.rate = 200;
/// make_function_law(settings, [] { return [](const ControlArguments& at, VectorXd& out) { out[0] = -2 * at.q[0]; };
/// });
/// @endcode
std::shared_ptr<const Controller> make_function_law(ControlSettings settings, std::function<ControlFunction()> make);

}  // namespace cuttle
