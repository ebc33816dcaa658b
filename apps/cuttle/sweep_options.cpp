#include "sweep_options.h"

#include "commands.h"

namespace cuttle {

void add_sweep_options(CLI::App& command, SweepOptions& options) {
  SweepSettings& settings = options.settings;
  command.add_option("file", settings.file, "scenario file; of --statics and --modes a robot file (required)")
      ->type_name("SCENARIO|ROBOT");
  command.add_option("-o,--output", options.output, "the sweep, a row a run (required)")->type_name("FILE.h5|FILE.csv");
  command
      .add_option(
          "--set", settings.set,
          "what varies: PATH=a,b,c, PATH=low:high:n or PATH=low:high:n:log, all combinations; drawn for each "
          "sample PATH=low:high, PATH=uniform(low,high) or PATH=normal(mean,deviation); one value replaces that "
          "of the file (may be repeated)")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  command
      .add_option("--identified", settings.identified,
                  "report of `cuttle identify --json`: its parameters are drawn for each sample, normal with their "
                  "covariance")
      ->type_name("FILE.json");
  command.add_option("--sample", settings.sample, "how samples are drawn (default: lhs, a Latin hypercube)")
      ->check(CLI::IsMember({"lhs", "sobol", "random"}));
  command.add_option("--runs", settings.runs, "how many samples")->type_name("N")->check(CLI::PositiveNumber);
  command.add_option("--seed", settings.seed, "seed of the samples")->type_name("N")->capture_default_str();
  command.add_option("--table", settings.table, "a row a run, whose columns are named like --set's paths")
      ->type_name("FILE.csv");
  command
      .add_option(
          "--keep", settings.keep,
          "outputs, as max:arm.tip.x: final, max, min, mean, rms, integral or settling of a column that `cuttle "
          "plot` knows, also q, tip or arm.*; NAME=max:arm.tip.x calls it so (may be repeated; default: final "
          "of the last link's tip; of modes the first three)")
      ->type_name("[NAME=][METRIC:]COLUMN")
      ->take_all()
      ->expected(1);
  auto* statics =
      command.add_flag("--statics", options.statics, "equilibria of a robot, as `cuttle statics` finds them");
  command.add_flag("--modes", options.modes, "small motions about these, as `cuttle modes` finds them")
      ->excludes(statics);
  command
      .add_option("--save", options.save, "whole results too, in a folder beside the output: all, failed or every:K")
      ->type_name("WHICH");
  command.add_option("--time-limit", settings.time_limit, "of a run; one that takes longer has failed")
      ->type_name("SECONDS");
  command.add_flag("--resume", options.resume, "go on with the rows that the output does not have");
  command.add_flag("--dry-run", options.dry_run, "say how many runs, how long and how large; write nothing");
  command.add_option("--jobs", options.jobs, "threads (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--shard", options.shard,
                  "part i of n of the runs, i from 0, into FILE_i_of_n (default: that of a Slurm job array)")
      ->type_name("i/n");
  command.add_option("--merge", options.merge, "put parts of one sweep into the output; no file is run")
      ->type_name("FILE.h5|FILE.csv")
      ->expected(1, -1);
  command
      .add_option("--isa", options.isa,
                  "instruction set, for the same bits on different machines (default: the CPU's widest)")
      ->check(CLI::IsMember({"baseline", "avx2", "avx512"}));
  command.add_flag("--json", options.json, "print one JSON object about the sweep");
  command.add_flag(
      "--lines", options.lines,
      "for programs that share out the work: read numbers of runs, a line each, and print each row as a line "
      "of JSON; the first line is about the sweep");
  add_force_option(command);
}

}  // namespace cuttle
