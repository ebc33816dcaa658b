#include "shared_options.h"

#include <fmt/format.h>

#include "cuttle/identification/comparison.h"
#include "cuttle/identification/identification_job.h"
#include "cuttle/io/plugin.h"

namespace cuttle {

void add_identification_options(CLI::App& command, IdentificationRequest& request) {
  command
      .add_option(
          "file", request.files,
          "robot and scenario files, each followed by its tables: behind a scenario recordings of motions, with "
          "a column `time`; else equilibria, inputs and measurements by row")
      ->type_name("FILE.yaml|FILE.csv")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size);
  const auto add_list = [&command](const char* name, std::vector<std::string>& list, const char* about,
                                   const char* type) {
    return command.add_option(name, list, about)->type_name(type)->take_all()->expected(1);
  };
  add_list("--free", request.free,
           "numbers to find, with commas between: a parameter's path, within bounds as PATH=lo:hi, by its logarithm as "
           "PATH=lo:hi:log; one number for all paths that match with *, or with + between; of the set-up COLUMN.bias, "
           "COLUMN.scale, of motions time.shift, simulation.initial.LINK.q[0], simulation.inputs.NAME.KEY, with "
           "TABLE: before it of one table; @FILE has one a line",
           "PATH[=lo:hi[:log]]")
      ->required();
  add_list("--map", request.map,
           "what a column is: time, an input, or what was measured by the names of results' columns, as "
           "mocap_x=hand.tip.x, servo_mm=cable*0.001 or t_ms=time*0.001-12.5; @FILE has one a line (default: columns "
           "of these names)",
           "COLUMN=NAME");
  add_list("--deviation", request.deviations,
           "standard deviation of a column's errors, in the unit of its quantity, for each column or for none; * in "
           "COLUMN stands for any text (default: the same for all, which the residuals tell)",
           "COLUMN=NUMBER");
  add_list("--prior", request.priors, "what is known beside the data, with its standard deviation",
           "NAME=VALUE:DEVIATION");
  command
      .add_option(
          "--loss", request.loss,
          "squares, or against outliers soft_l1, huber, cauchy, beyond SCALE deviations (default: squares; SCALE "
          "from the residuals)")
      ->type_name("NAME[:SCALE]");
  command
      .add_option("--starts", request.solving.starts,
                  "searches: one from the values of the file, others from random ones (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command.add_option("--seed", request.solving.seed, "seed of the random starts (default: 0)")->type_name("N");
  command
      .add_option("--only-start", request.solving.only_start,
                  "of the searches of --starts the one of this number alone, from 0: to share them out")
      ->type_name("K")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--folds", request.folds,
                  "cross-validation: predict each of so many parts of the rows from the others; of motions whole "
                  "recordings, or stretches of time of fewer")
      ->type_name("N")
      ->check(CLI::Range(2, 10000));
  command.add_option("--group", request.group, "rows with the same text in this column are left out together")
      ->type_name("COLUMN");
  add_list(
      "--held-out", request.held_out,
      "another table, predicted and not learned from; of a motion after --held-out SCENARIO, if it has another one",
      "FILE.csv");
  command.add_option("--length", request.length, "errors of positions also in percent of it [m]")->type_name("METERS");
  command.add_option("--time", request.time, "time at which the robot's loads are taken [s] (default: 0)")
      ->type_name("SECONDS");
  command
      .add_option("--tolerance", request.tolerance,
                  fmt::format("relative, of runs whose integrator chooses its steps: one that the scenario asks to be "
                              "better is not (default: {:g}, and finer until it moves no value by 2 % of the half "
                              "width of its interval)",
                              k_run_tolerance))
      ->type_name("NUMBER")
      ->check(CLI::Range(IntegratorOptions::k_least_relative_tolerance, IntegratorOptions::k_most_relative_tolerance));
  command
      .add_option("--between", request.between,
                  "what a recorded input is between its samples: spline, linear, hold (default: spline)")
      ->type_name("NAME");
  command
      .add_option("--evaluations", request.solving.max_evaluations, "most evaluations of each search (default: 200)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command.add_option("--threads", request.threads, "threads (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_set_option(command, request.overrides);
  command.add_option("-o,--output", request.output, "the robot file with what was found, intervals as comments")
      ->type_name("FILE.yaml");
  command.add_option("--report", request.report, "page with the numbers, data and model in 3D, and residuals")
      ->type_name("FILE.html");
  command.add_flag("--force", request.force, k_about_force);
}

void add_comparison_options(CLI::App& command, ComparisonRequest& request) {
  command.add_option("run", request.run, "result of `cuttle simulate` or `cuttle statics`, or a CSV table")
      ->type_name("RESULT.h5|RESULT.csv")
      ->required();
  command
      .add_option("reference", request.reference, "what it is compared with, at its instants: another, or a recording")
      ->type_name("RESULT.h5|REFERENCE.csv")
      ->required();
  command
      .add_option(
          "--map", request.map,
          "what a column of the reference is called in the other, with commas between, as mocap_x=arm.tip.x or "
          "mocap_x=arm.tip.x*0.001 of millimeters; t=time or t_ms=time*0.001-12.5 names its times; @FILE has one a "
          "line "
          "(default: "
          "columns of the same name)")
      ->type_name("COLUMN=NAME")
      ->take_all()
      ->expected(1);
  command.add_option("--length", request.length, "differences of positions also in percent of it [m]")
      ->type_name("METERS");
  command.add_option("-o,--output", request.output, "figure to write: both over each other, and how far apart")
      ->type_name("FILE.svg");
  command.add_flag("--force", request.force, k_about_force);
}

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "replace a value of the file, as robot.links.arm.body.length=0.4 (may be repeated)")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
}

void add_plugin_option(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          "load a library with kinds of bodies, joints, .. of your own, docs/extending.md (may be repeated)")
      ->type_name("FILE.so")
      ->take_all()
      ->expected(1);
}

}  // namespace cuttle
