#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/io/sweep_run.h"

namespace cuttle {

/// Options of `cuttle sweep`.
struct SweepOptions {
  SweepSettings settings;
  bool statics = false, modes = false;
  std::string output, isa;
  std::optional<std::string> save, shard;
  std::vector<std::string> merge;
  int jobs = 0;
  bool resume = false, dry_run = false, json = false, lines = false;
};
void add_sweep_options(CLI::App& command, SweepOptions& options);

}  // namespace cuttle
