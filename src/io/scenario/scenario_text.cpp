#include <fmt/format.h>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/integrator.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

std::string number(double x) { return fmt::format("{:.17g}", x); }

std::string list(const std::vector<double>& numbers) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : ", ") + number(x);
  return "[" + text + "]";
}

/// A method of a program: what its kind writes.
std::string method_text(const IntegratorOptions& options) {
  const std::string type = options.method->type_name();
  const IntegratorKind* kind = kinds<IntegratorKind>().find(type);
  if (kind == nullptr || !kind->write) {
    throw ArgumentError("integrator", "a method '" + type + "', which has no text", "one whose kind can be written");
  }
  WriteContext context;
  MapWriter map(context);
  map.text("type", type);
  kind->write(options, map);
  return yaml_line(map.take());
}

/// Keys that differ from their defaults.
std::string integrator_text(const IntegratorOptions& options) {
  if (options.method) return method_text(options);
  const IntegratorOptions usual;
  std::string text;
  const auto add = [&text](const char* name, const std::string& value) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  };
  const auto add_number = [&](const char* name, const std::optional<double>& value) {
    if (value) add(name, number(*value));
  };
  if (!options.type.empty()) add("type", options.type);
  add_number("step", options.step);
  if (options.relative_tolerance != usual.relative_tolerance) {
    add("relative_tolerance", number(options.relative_tolerance));
  }
  if (options.absolute_tolerance != usual.absolute_tolerance) {
    add("absolute_tolerance", number(options.absolute_tolerance));
  }
  if (options.error == StepError::displacement) add("error", "displacement");
  add_number("max_step", options.max_step);
  for (const LibraryMethod& method : library_methods()) {
    if (method.option) add_number(method.option->name, options.*(method.option->value));
  }
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace

std::string scenario_text(const Scenario& scenario, const std::string& robot, const std::vector<std::string>& comments,
                          const Overrides& set, FileTexts* files) {
  std::string text;
  for (const std::string& comment : comments) text += "# " + comment + "\n";
  text += fmt::format("cuttle: 1\nrobot: {}\n", yaml_quoted(robot));
  if (!set.empty()) text += "set:\n";
  for (const std::string& setting : set) text += fmt::format("  - {}\n", yaml_quoted(setting));
  text += fmt::format("simulation:\n  duration: {}\n  output_step: {}\n", number(scenario.duration),
                      number(scenario.output_step));
  if (scenario.seed != 0) text += fmt::format("  seed: {}\n", scenario.seed);
  if (scenario.energy_error_limit != Scenario().energy_error_limit) {
    text += fmt::format("  energy_error_limit: {}\n", number(scenario.energy_error_limit));
  }
  if (scenario.strict) text += "  strict: true\n";
  const std::string integrator = integrator_text(scenario.integrator);
  if (!integrator.empty()) text += "  integrator: " + integrator + "\n";
  if (scenario.statics) {
    text += "  initial:\n    statics: true\n";
    if (!scenario.statics->friction) text += "    friction: none\n";
    if (!scenario.statics->inputs.empty()) text += "    inputs:\n";
    for (const auto& [name, value] : scenario.statics->inputs) {
      text += fmt::format("      {}: {}\n", yaml_plain_or_quoted(name), number(value));
    }
  } else if (!scenario.initial.empty()) {
    text += "  initial:\n";
    for (const auto& [name, state] : scenario.initial) {
      std::string parts;
      if (!state.q.empty()) parts += "q: " + list(state.q);
      if (!state.v.empty()) parts += (parts.empty() ? "v: " : ", v: ") + list(state.v);
      text += fmt::format("    {}: {{{}}}\n", yaml_plain_or_quoted(name), parts);
    }
  }
  FileTexts tables;
  const auto signal_text = [&](const Signal& signal, const KeyPath& place, const std::string& stem) {
    WriteContext context{.stem = stem, .files = &tables};
    const YamlNode node = at_place(place, "", [&] { return signal_node(signal, context); });
    if (files == nullptr && !tables.empty()) {
      throw ArgumentError(place, "a signal that needs a table in a file", "another one");
    }
    return signal.is_constant() ? number(signal.at(0.0)) : yaml_line(node);
  };
  if (!scenario.inputs.empty()) text += "  inputs:\n";
  for (const auto& [name, signal] : scenario.inputs) {
    text += fmt::format("    {}: {}\n", yaml_plain_or_quoted(name), signal_text(signal, {"inputs", name}, name));
  }
  const auto signal_list = [&](const auto& signals, const KeyPath& place, const std::string& stem) {
    std::string items;
    for (std::size_t k = 0; k < signals.size(); ++k) {
      items += (k > 0 ? ", " : "") + signal_text(signals[k], {place, k}, fmt::format("{}_{}", stem, k));
    }
    return "[" + items + "]";
  };
  if (!scenario.motion.empty()) text += "  motion:\n";
  if (!scenario.motion.base.empty()) text += "    base:\n";
  for (const auto& [key, signals] :
       {std::pair("position", &scenario.motion.base.position), std::pair("rpy", &scenario.motion.base.rpy)}) {
    if (!*signals) continue;
    const KeyPath place{"motion", "base", key};
    text += fmt::format("      {}: {}\n", key, signal_list(**signals, place, std::string("base_") + key));
  }
  for (const auto& [name, signals] : scenario.motion.joints) {
    text += fmt::format("    {}: {}\n", yaml_plain_or_quoted(name), signal_list(signals, {"motion", name}, name));
  }
  if (files != nullptr) files->merge(tables);
  return text;
}

}  // namespace cuttle
