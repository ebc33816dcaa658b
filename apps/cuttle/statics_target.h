#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --target`.
struct StaticsTargetOptions {
  std::vector<std::string> targets;   ///< FRAME=[..]
  std::optional<std::string> inputs;  ///< that may change, with commas between
  std::vector<std::string> limits;    ///< INPUT=[lowest,highest]
};
void add_statics_target_options(CLI::App& command, StaticsTargetOptions& options);

/// Finds inputs that hold the targets, and prints them with the equilibrium.
void solve_targets(const RestingRobot& robot, const StaticsTargetOptions& options, bool json);

}  // namespace cuttle
