#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"

namespace cuttle {
namespace {

/// In quotes, with what cannot stand there escaped: right for any text.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += letter;
    }
  }
  return result + "\"";
}

/// A name as a key: plain where no reader of YAML could take it for something else.
std::string key_text(const std::string& name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto may_be_inside = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const auto words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  const bool plain = !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), may_be_inside) &&
                     std::find(words.begin(), words.end(), lower) == words.end();
  return plain ? name : quoted(name);
}

std::string number(double x) { return fmt::format("{:.17g}", x); }

std::string list(const std::vector<double>& numbers) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : ", ") + number(x);
  return "[" + text + "]";
}

/// Keys that differ from their defaults.
std::string integrator_text(const IntegratorOptions& options) {
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
  add_number("max_step", options.max_step);
  add_number("rho_inf", options.rho_inf);
  add_number("alpha", options.alpha);
  return text;
}

}  // namespace

std::string scenario_text(const Scenario& scenario, const std::string& robot, const std::vector<std::string>& comments,
                          const Overrides& set) {
  std::string text;
  for (const std::string& comment : comments) text += "# " + comment + "\n";
  text += fmt::format("cuttle: 1\nrobot: {}\n", quoted(robot));
  if (!set.empty()) text += "set:\n";
  for (const std::string& setting : set) text += fmt::format("  - {}\n", quoted(setting));
  text += fmt::format("simulation:\n  duration: {}\n  output_step: {}\n", number(scenario.duration),
                      number(scenario.output_step));
  if (scenario.seed != 0) text += fmt::format("  seed: {}\n", scenario.seed);
  if (scenario.energy_error_limit != Scenario().energy_error_limit) {
    text += fmt::format("  energy_error_limit: {}\n", number(scenario.energy_error_limit));
  }
  if (scenario.strict) text += "  strict: true\n";
  const std::string integrator = integrator_text(scenario.integrator);
  if (!integrator.empty()) text += "  integrator: {" + integrator + "}\n";
  if (scenario.statics) {
    text += "  initial:\n    statics: true\n";
    if (!scenario.statics->inputs.empty()) text += "    inputs:\n";
    for (const auto& [name, value] : scenario.statics->inputs) {
      text += fmt::format("      {}: {}\n", key_text(name), number(value));
    }
  } else if (!scenario.initial.empty()) {
    text += "  initial:\n";
    for (const auto& [name, state] : scenario.initial) {
      std::string parts;
      if (!state.q.empty()) parts += "q: " + list(state.q);
      if (!state.v.empty()) parts += (parts.empty() ? "v: " : ", v: ") + list(state.v);
      text += fmt::format("    {}: {{{}}}\n", key_text(name), parts);
    }
  }
  if (!scenario.inputs.empty()) text += "  inputs:\n";
  for (const auto& [name, signal] : scenario.inputs) {
    if (!signal.is_constant()) {
      throw ArgumentError(fmt::format("inputs.{}: found a signal that depends on time, expected a number", name));
    }
    text += fmt::format("    {}: {}\n", key_text(name), number(signal.at(0.0)));
  }
  return text;
}

}  // namespace cuttle
