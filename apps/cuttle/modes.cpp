#include "cuttle/algorithms/modes.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/simulation/rest_sample.h"
#include "json_output.h"
#include "rest_options.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct ModesOptions {
  RestOptions rest;
  int count = 20;
  bool json = false;
  std::string output;
};

/// Whether finding all modes would take longer than a user waits: a minute from some 500 coordinates on.
bool has_many_modes(const Model& model) {
  constexpr int k_many = 300;
  return model.nv() > k_many;
}

/// The coordinates that move most, at most three of them, with their parts of the largest.
std::string shape_text(const Model& model, const Mode& mode) {
  std::string text;
  VectorXd size = mode.shape.cwiseAbs();
  for (int k = 0; k < 3 && size.size() > 0; ++k) {
    Eigen::Index largest = 0;
    if (!(size.maxCoeff(&largest) > 0.05)) break;
    const double part = std::copysign(size[largest], mode.shape[largest].real());
    text += fmt::format("{}{} {:.2g}", k > 0 ? ", " : "", model.velocity_info()[static_cast<int>(largest)].name, part);
    size[largest] = 0.0;
  }
  return text;
}

/// Time in which a mode falls to 1/e [s], below 0 where it grows; infinite where it does neither.
double decay_time(const Mode& mode) {
  const double rate = mode.eigenvalue.real();
  return rate == 0.0 ? std::numeric_limits<double>::infinity() : -1.0 / rate;
}

void print_text(const Model& model, const StaticEquilibrium& found, const std::vector<Mode>& all, int count) {
  const bool known = found.stability != Stability::unknown;
  fmt::print("{}: {}{} mode{} about an equilibrium{}\n", model.name(), has_many_modes(model) ? "the lowest " : "",
             all.size(), all.size() == 1 ? "" : "s",
             known ? fmt::format(" that is {}", stability_name(found.stability)) : "; not known whether it is stable");
  TextTable table(
      {{"mode", true}, {"frequency [Hz]", true}, {"damping ratio", true}, {"decay time [s]", true}, {"moves most"}});
  int number = 0;
  bool grows = false, is_free = false;
  for (const Mode& mode : all) {
    if (number == count) break;
    // what does not turn has no frequency: it decays or grows, or moves freely
    const bool turns = mode.eigenvalue.imag() != 0.0, decays = mode.eigenvalue.real() != 0.0;
    table.add({std::to_string(++number),
               turns    ? fmt::format("{:.6g}", mode.frequency())
               : decays ? "-"
                        : "0",
               turns ? fmt::format("{:.4g}", mode.damping_ratio()) : "-",
               decays ? fmt::format("{:.4g}", decay_time(mode)) : "-", shape_text(model, mode)});
    grows = grows || mode.eigenvalue.real() > 0.0, is_free = is_free || (!turns && !decays);
  }
  fmt::print("{}", table.text());
  if (is_free) fmt::print("  (frequency 0: moves freely)\n");
  if (grows) fmt::print("  (decay time below 0: grows)\n");
  if (number < static_cast<int>(all.size()) || has_many_modes(model)) fmt::print("  (--count shows more)\n");
}

void print_as_json(const Model& model, const StaticEquilibrium& found, const VectorXd& u,
                   const std::vector<Mode>& all) {
  Json result;
  result["robot"] = model.name();
  result["q"] = to_json(found.q);
  result["u"] = to_json(u);
  result["stability"] = stability_name(found.stability);
  result["growth_rate"] = found.growth_rate;
  result["modes"] = Json::array();
  for (const Mode& mode : all) {
    Json one;
    one["frequency"] = mode.frequency();
    one["damping_ratio"] = mode.damping_ratio();
    one["decay_time"] = mode.eigenvalue.real() == 0.0 ? Json() : Json(decay_time(mode));
    one["eigenvalue"] = {mode.eigenvalue.real(), mode.eigenvalue.imag()};
    one["shape"] = {{"real", to_json(VectorXd(mode.shape.real()))},
                    {"imaginary", to_json(VectorXd(mode.shape.imag()))}};
    result["modes"].push_back(std::move(one));
  }
  print_json(result);
}

/// A result with a row a mode: the equilibrium, and how the robot moves about it.
void write_modes(const std::string& output, const RestingRobot& robot, const StaticEquilibrium& found, Data& data,
                 const std::vector<Mode>& all) {
  const Model& model = robot.model;
  ResultSequence sequence;
  sequence.kind = ResultSequence::Kind::modes;
  const auto column = [&](const char* name, const char* unit, const auto& value_of) {
    SequenceColumn made{name, unit};
    for (const Mode& mode : all) made.values.push_back(value_of(mode));
    sequence.columns.push_back(std::move(made));
  };
  column("frequency", "Hz", [](const Mode& mode) { return mode.frequency(); });
  column("damping_ratio", "", [](const Mode& mode) { return mode.damping_ratio(); });
  column("eigenvalue_real", "1/s", [](const Mode& mode) { return mode.eigenvalue.real(); });
  column("eigenvalue_imaginary", "1/s", [](const Mode& mode) { return mode.eigenvalue.imag(); });
  for (const bool real : {true, false}) {
    SequenceVector shape{real ? "shape_real" : "shape_imaginary", {}, {}, {}};
    shape.values.resize(static_cast<Eigen::Index>(all.size()), model.nv());
    for (const CoordinateInfo& info : model.velocity_info()) {
      shape.columns.push_back(info.name), shape.units.emplace_back("1");
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Eigen::VectorXcd& its = all[i].shape;
      shape.values.row(static_cast<Eigen::Index>(i)) = (real ? VectorXd(its.real()) : VectorXd(its.imag())).transpose();
    }
    sequence.vectors.push_back(std::move(shape));
  }
  const Sample rest = rest_sample(model, data, robot.loads.u, found, robot.loads.state_loads_at.value_or(0.0));
  const std::vector<Sample> samples(all.size(), rest);
  if (std::filesystem::path(output).extension() == ".csv") {
    return write_whole_file(output, sequence_csv(model, sequence, samples));
  }
  Outcome outcome;
  outcome.status = RunStatus::complete;
  write_sequence_hdf5(output, robot.source, model, sequence, samples, outcome);
}

void solve(const ModesOptions& options) {
  if (!options.output.empty()) {
    check_output_extension("--output", options.output, {".h5", ".hdf5", ".csv"});
  }
  const RestingRobot robot = read_resting_robot(options.rest, options.json);
  if (!options.output.empty()) check_writable(options.output);
  Data data(robot.model);
  const StaticEquilibrium found = static_equilibrium(robot.model, data, robot.loads, robot.q0);
  const std::vector<Mode> all = has_many_modes(robot.model)
                                    ? lowest_modes(robot.model, data, robot.loads, found, options.count)
                                    : modes(linearized_motion(robot.model, data, robot.loads, found));
  if (!options.output.empty()) write_modes(options.output, robot, found, data, all);
  if (options.json) {
    print_as_json(robot.model, found, robot.loads.u, all);
  } else {
    print_text(robot.model, found, all, options.count);
    if (!options.output.empty()) fmt::print("written: {}\n", options.output);
  }
}

}  // namespace

void add_modes_command(CLI::App& app) {
  auto* command = app.add_subcommand("modes", "Find frequencies, damping and shapes of small motions about a rest");
  const auto options = std::make_shared<ModesOptions>();
  add_rest_options(*command, options->rest);
  command
      ->add_option(
          "--count", options->count,
          "most modes that the text lists; JSON and files have all, or as many of robots with over 300 coordinates")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->add_option("-o,--output", options->output, "write all modes; `cuttle view` of an HDF5 file plays them")
      ->type_name("FILE.h5|FILE.csv");
  add_force_option(*command);
  command->footer(
      "The robot rests where `cuttle statics` finds it under the same options.\n"
      "Examples:\n"
      "  cuttle modes models/examples/two_segment_arm.yaml\n"
      "  cuttle modes models/examples/tendon_arm.yaml --input right=3 --json\n"
      "  cuttle modes models/examples/tendon_arm.yaml -o out/modes.h5");
  command->callback([options] { solve(*options); });
}

}  // namespace cuttle
