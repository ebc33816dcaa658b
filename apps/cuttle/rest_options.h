#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/statics.h"
#include "cuttle/io/result_file.h"

namespace cuttle {

/// Options of commands that find equilibria: what acts, and where to start.
struct RestOptions {
  std::string file;
  std::vector<std::string> inputs;  ///< NAME=VALUE
  std::optional<std::string> q0;
  double time = 0.0;
  bool without_loads = false;
  std::string friction = "from_start";  ///< of contacts
  std::vector<std::string> overrides;
};
void add_rest_options(CLI::App& command, RestOptions& options);

/// A robot and what acts on it while it rests.
struct RestingRobot {
  Model model;
  StaticLoads loads;
  VectorXd q0;
  ResultSource source;  ///< the robot's file, for results
};
/// @param quiet  warnings of the file are not printed.
/// @throws ArgumentError that names the option; errors of the file.
RestingRobot read_resting_robot(const RestOptions& options, bool quiet);

/// What elements do in an equilibrium, outputs of Model::element_output_info: tensions of tendons that are wound.
VectorXd element_outputs_at_rest(const Model& model, Data& data, const VectorXd& u, const StaticEquilibrium& found,
                                 double time);
/// Names of the tendons that pull at nothing: of an output `NAME.tension` that is 0.
std::vector<std::string> slack_tendons(const Model& model, const VectorXd& element_outputs);
/// A table of the outputs, slack tendons named; "" for a robot without.
std::string element_outputs_text(const Model& model, const VectorXd& element_outputs);

}  // namespace cuttle
