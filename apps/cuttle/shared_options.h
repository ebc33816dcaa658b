#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cuttle {

struct ComparisonRequest;
struct IdentificationRequest;

// Options that the package in Python takes too, as words; it is built with this file.

void add_identification_options(CLI::App& command, IdentificationRequest& request);
void add_comparison_options(CLI::App& command, ComparisonRequest& request);

/// The option `--set key=value` that every command has.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);
/// The option `--plugin`, before and behind the command.
void add_plugin_option(CLI::App& command);

inline constexpr const char* k_about_force =
    "replace also files that Cuttle did not write; files that the command reads are never replaced";

}  // namespace cuttle
