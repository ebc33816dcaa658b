#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cuttle/algorithms/rod_strain.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/shown_run.h"
#include "shared_options.h"

namespace cuttle {

// One function a subcommand, each in a file of its name. The subcommand's callback does the work; it throws
// cuttle::Error for what went wrong, or CLI::RuntimeError(code) to end with an exit code after saying why.
void add_bench_command(CLI::App& app);
void add_check_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_ik_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_live_command(CLI::App& app);
void add_modes_command(CLI::App& app);
void add_new_command(CLI::App& app);
void add_parameters_command(CLI::App& app);
void add_plot_command(CLI::App& app);
void add_sensitivities_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_statics_command(CLI::App& app);
void add_sweep_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_workspace_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_identify_command(CLI::App& app);
void add_completion_command(CLI::App& app);

/// `cuttle complete SHELL WORD..`, which the scripts of `cuttle completion` call: what could stand in place of the last
/// word. It walks the commands and options of `app`, so that it knows all that the tool knows.
void print_candidates(const CLI::App& app, std::vector<std::string> arguments);

/// The option `--force` of commands that write.
inline void add_force_option(CLI::App& command) {
  command.add_flag_callback(
      "--force", [] { static const ReplaceAnyFile k_for_the_rest_of_the_program; }, k_about_force);
}

/// Warnings of files, the same way in every command. What an `include` lost on the way, the notes of a file, is no
/// fault of a run: who checks or describes the robot says it.
inline void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", printable(warning));
}
/// Of a configuration that was found: rods that are strained beyond what any material bears.
inline void warn_of_strains(const Model& model, const VectorXd& q) {
  const std::string trouble = RodStrains(model).beyond_sense(q);
  if (!trouble.empty()) print_warnings({trouble});
}

/// Whether a file is a result, by its name.
bool is_result(const std::string& path);

/// A result, which the command's outputs then do not replace.
ResultFile read_result(const std::string& path);

/// A result, or a robot or scenario file at rest, by the file's name.
ShownRun shown_file(const std::string& path);

/// Exit codes: errors of files and arguments (nothing was written), and of computations.
inline constexpr int k_exit_input_error = 2;
inline constexpr int k_exit_failure = 1;

}  // namespace cuttle
