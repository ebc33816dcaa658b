#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/model/spelling.h"
#include "cuttle/version.h"
#include "shared_options.h"

namespace {

const char* const k_examples = R"(Examples:
  cuttle new my_arm.yaml
  cuttle import ur10e.urdf -o ur10e.yaml
  cuttle info models/examples/two_segment_arm.yaml
  cuttle check models/examples/two_segment_arm.yaml
  cuttle eval models/examples/pendulum.yaml --q '[0.5]' --v '[1]'
  cuttle parameters models/examples/two_segment_arm.yaml
  cuttle ik models/pustina2025/hybrid_arm.yaml --target soft_finger.tip=[0.5,0.3,2.4]
  cuttle statics models/examples/tendon_arm.yaml --input right=3
  cuttle modes models/examples/tendon_arm.yaml
  cuttle workspace models/examples/tendon_arm.yaml --range right=[0,4] -o out/cloud.svg
  cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/hybrid_arm.h5
  cuttle sweep models/examples/pendulum_scenario.yaml --set robot.gravity[2]=-9.81,-1.62 -o out/planets.csv
  cuttle sensitivities models/examples/servo_finger_scenario.yaml --of tip.position --by actuators.front.stiffness
  cuttle view out/hybrid_arm.h5
  cuttle plot out/hybrid_arm.h5 --what q,energy,tip -o out/figure.svg
  cuttle export out/hybrid_arm.h5 --gltf out/hybrid_arm.glb
  cuttle compare out/pcc.h5 out/pcs.h5 --length 0.45
  cuttle identify arm.yaml shapes.csv --free materials.silicone.young_modulus
  cuttle live models/examples/tendon_arm.yaml
  cuttle bench table1
  source <(cuttle completion bash)
  cuttle --plugin build/libown_kinds.so info arm.yaml
  cuttle COMMAND --help)";

int output_error = 0;  // errno of what could not be printed

int complain(const std::exception& error, int code) {
  std::fprintf(stderr, "%s\n", cuttle::printable_lines(error.what()).c_str());
  return code;
}

/// Refuses a first word that is neither an option nor a command: CLI11 would only say that a command is missing.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    if (commands.back() == word) return;
  }
  throw cuttle::ArgumentError(fmt::format("command: found '{}', expected one of: {}{}", word, fmt::join(commands, ", "),
                                          cuttle::did_you_mean(word, commands)));
}

int run(int argc, char** argv) {
  CLI::App app{"Cuttle: dynamics of soft and rigid robots", "cuttle"};
  app.set_version_flag("--version", std::string("cuttle ") + cuttle::k_version);
  app.footer(k_examples);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  cuttle::add_new_command(app);
  cuttle::add_import_command(app);
  cuttle::add_check_command(app);
  cuttle::add_info_command(app);
  cuttle::add_eval_command(app);
  cuttle::add_parameters_command(app);
  cuttle::add_ik_command(app);
  cuttle::add_statics_command(app);
  cuttle::add_modes_command(app);
  cuttle::add_workspace_command(app);
  cuttle::add_simulate_command(app);
  cuttle::add_sweep_command(app);
  cuttle::add_sensitivities_command(app);
  cuttle::add_view_command(app);
  cuttle::add_plot_command(app);
  cuttle::add_export_command(app);
  cuttle::add_compare_command(app);
  cuttle::add_identify_command(app);
  cuttle::add_live_command(app);
  cuttle::add_bench_command(app);
  cuttle::add_completion_command(app);
  cuttle::add_plugin_option(app);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    cuttle::add_plugin_option(*command);
  if (argc > 1 && std::string(argv[1]) == "complete") {  // its words belong to a line that is not finished
    cuttle::print_candidates(app, {argv + 2, argv + argc});
    return 0;
  }
  int first = 1;  // word that is no plugin
  while (first + 1 < argc && std::string(argv[first]) == "--plugin") first += 2;
  if (first < argc) check_command(app, argv[first]);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : cuttle::k_exit_input_error;  // help and version end here too
  }
}

/// What was too large, as far as the command line says it.
cuttle::Error no_memory(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return cuttle::Error({},
                       fmt::format("cuttle {}: found more than there is memory for, expected less of it: fewer rows, "
                                   "robots, points or steps, a smaller file",
                                   fmt::join(words, " ")));
}

int run_and_say_what_was_wrong(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cuttle::FileError& error) {
    return complain(error, cuttle::k_exit_input_error);
  } catch (const cuttle::ArgumentError& error) {
    return complain(error, cuttle::k_exit_input_error);
  } catch (const cuttle::ModelError& error) {
    return complain(error, cuttle::k_exit_input_error);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return complain(error, cuttle::k_exit_failure);
    output_error = error.code().value();
    return cuttle::k_exit_failure;
  } catch (const std::bad_alloc&) {
    return complain(no_memory(argc, argv), cuttle::k_exit_failure);
  } catch (const std::length_error&) {  // more than an array can have
    return complain(no_memory(argc, argv), cuttle::k_exit_failure);
  } catch (const std::exception& error) {
    return complain(error, cuttle::k_exit_failure);
  } catch (...) {
    const std::runtime_error error(
        "found an exception of unknown type, expected one derived from std::exception: does a plugin throw it?");
    return complain(error, cuttle::k_exit_failure);
  }
}

/// A stream that the caller has closed would be the next file that is opened, and what is printed would go into a
/// result. In its place stands one that takes nothing, standard error's one that drops all.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    static_cast<void>(!open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// What was printed may wait in a buffer still: only now it shows whether all of it could be written.
int check_output(int code) {
  if (std::fflush(stdout) != 0) output_error = errno;
  if (output_error == 0 && std::ferror(stdout) == 0) return code;
  // what failed in a flush on the way has left no reason
  std::fprintf(stderr, "standard output: cannot be written: %s\n",
               output_error != 0 ? std::strerror(output_error) : "a part of it is lost");
  return code == 0 ? cuttle::k_exit_failure : code;
}

/// Beyond the limit of a file's size (ulimit -f) a write is then an error with a name, as on a full disk. A handler, as
/// programs that this one starts do not get it.
void survive_size_limit() {
  struct sigaction action = {};
  action.sa_handler = [](int /*number*/) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  survive_size_limit();
  return check_output(run_and_say_what_was_wrong(argc, argv));
}
