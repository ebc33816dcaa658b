#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cuttle/algorithms/inverse_kinematics.h"
#include "json_output.h"

namespace cuttle {

/// `--target FRAME=[..]` of commands that bring frames somewhere.
void add_target_option(CLI::App& command, std::vector<std::string>& targets);
/// LINK.tip, LINK.base and markers: `FRAME=[x,y,z]` a position [m], `FRAME.pose=[x,y,z,qw,qx,qy,qz]`, and
/// `FRAME.z=[x,y,z]` a direction of that axis of the frame.
/// @throws ArgumentError that names the option, what was found and what was expected.
std::vector<FrameTarget> read_targets(const Model& model, const std::vector<std::string>& given);

/// LINK.tip, LINK.base or a marker. @throws ArgumentError that names the option.
Frame frame_of(const Model& model, const std::string& option, const std::string& name);

/// `--limit COORDINATE=[lowest,highest]`, in addition to those of the robot's joints.
CoordinateLimits read_coordinate_limits(const Model& model, const std::vector<std::string>& given);

/// A name and numbers of `NAME=[..]`. @param option  for messages.
struct NamedNumbers {
  std::string name;
  std::vector<double> numbers;
};
NamedNumbers read_named_numbers(const std::string& option, const std::string& text, const std::string& expected);

/// How near each target is, for JSON: [{target, position_error, angle_error}].
Json target_errors_json(const std::vector<FrameTarget>& targets, const std::vector<TargetError>& errors);
/// "hand.tip 1.2e-10 m, 0.3 rad", for the text.
std::string target_error_text(const FrameTarget& target, const TargetError& error);

}  // namespace cuttle
