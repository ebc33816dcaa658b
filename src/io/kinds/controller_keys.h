#pragma once

#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/io/key_reader.h"

namespace cuttle {

// Keys that the controllers of the library share, for the tables of their kinds.

enum class ControlKeys { inputs, configuration };
/// Name, inputs, window, clock and limits, and the law's own; `links` of laws on the configuration.
std::vector<Key> controller_keys(ControlKeys what, std::vector<Key> own);
Key reference_key();
Key gain_key(const char* name, const char* about);

/// Numbers of a gain: one, one a coordinate, or a matrix by rows.
std::vector<double> read_gain(const YamlMap& map, const std::string& name);
/// What stands at the shared keys, and at those of `own` that the table has.
ControlSettings read_control_settings(const KeyReader<double>& part);

}  // namespace cuttle
