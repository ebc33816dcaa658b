#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/inverse_statics.h"
#include "rest_options.h"

namespace cuttle {

/// Options of `cuttle statics --target` and `--follow`.
struct StaticsTargetOptions {
  std::vector<std::string> targets;   ///< FRAME=[..]
  std::optional<std::string> inputs;  ///< that may change, with commas between
  std::vector<std::string> limits;    ///< INPUT=[lowest,highest]
  std::optional<std::string> follow;  ///< CSV file of paths
  int samples = 101;                  ///< .. and equilibria along them
  std::optional<double> least_tension;
};
/// Inputs that may change, and their limits. @throws ArgumentError that names the option.
InverseStaticsOptions read_inverse_statics_options(const Model& model, const StaticsTargetOptions& options);
void add_statics_target_options(CLI::App& command, StaticsTargetOptions& options);

/// Finds inputs that hold the targets, and prints them with the equilibrium.
void solve_targets(const RestingRobot& robot, const StaticsTargetOptions& options, bool json);

}  // namespace cuttle
