#include "io/sweeps/sweep_number.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle {
namespace {

/// Numbers of a scenario that are no part of the motion.
struct Setting {
  const char *path, *unit;
  bool whole;  ///< an integer >= 0; else a number > 0
  void (*set)(Scenario&, double);
};
constexpr std::array<Setting, 8> k_settings{{
    {"duration", "s", false, [](Scenario& s, double x) { s.duration = x; }},
    {"output_step", "s", false, [](Scenario& s, double x) { s.output_step = x; }},
    {"seed", "", true, [](Scenario& s, double x) { s.seed = static_cast<long>(x); }},
    {"energy_error_limit", "", false, [](Scenario& s, double x) { s.energy_error_limit = x; }},
    {"integrator.step", "s", false, [](Scenario& s, double x) { s.integrator.step = x; }},
    {"integrator.max_step", "s", false, [](Scenario& s, double x) { s.integrator.max_step = x; }},
    {"integrator.relative_tolerance", "", false, [](Scenario& s, double x) { s.integrator.relative_tolerance = x; }},
    {"integrator.absolute_tolerance", "", false, [](Scenario& s, double x) { s.integrator.absolute_tolerance = x; }},
}};
constexpr std::string_view k_simulation = "simulation.", k_statics_inputs = "initial.inputs.";

const Setting* setting_at(std::string_view path) {
  for (const Setting& setting : k_settings) {
    if (path == setting.path) return &setting;
  }
  return nullptr;
}

SweepNumber statics_input(const Model& model, const std::string& path, const std::string& name) {
  std::vector<std::string> known;
  for (const CoordinateInfo& input : model.input_info()) {
    known.push_back(input.name);
    if (input.name == name) return {SweepNumber::Of::statics_input, name, input.unit};
  }
  throw ArgumentError(fmt::format("{}: found no such input{}", path, did_you_mean(name, known)));
}

void set_setting(const Setting& setting, double value, Scenario& scenario) {
  const bool good = setting.whole ? value >= 0.0 && value == std::floor(value) && value <= 0x1p53 : value > 0.0;
  if (!good || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("simulation.{}: found {:g}, expected {}", setting.path, value,
                                    setting.whole ? "an integer >= 0" : "a number > 0"));
  }
  setting.set(scenario, value);
  if (!(scenario.duration / scenario.output_step <= OutputTimes::k_most)) {
    throw ArgumentError(
        fmt::format("simulation.output_step: found {:g} in a duration of {:g}, expected at most {:g} outputs",
                    scenario.output_step, scenario.duration, OutputTimes::k_most));
  }
}

}  // namespace

SweepNumber find_sweep_number(const Model& model, const Scenario& scenario, const std::string& path) {
  if (!path.starts_with(k_simulation)) {
    const std::string of_robot = path.starts_with("robot.") ? path.substr(6) : path;
    const ParameterInfo info = model.parameter(of_robot);
    return {SweepNumber::Of::robot, info.path, info.unit};
  }
  const std::string rest = path.substr(k_simulation.size());
  if (const Setting* setting = setting_at(rest)) return {SweepNumber::Of::setting, rest, setting->unit};
  if (scenario.statics && rest.starts_with(k_statics_inputs)) {
    return statics_input(model, path, rest.substr(k_statics_inputs.size()));
  }
  for (const char* const part : {"initial.", "inputs.", "controllers."}) {
    if (!rest.starts_with(part)) continue;
    ScenarioNumber number = find_scenario_number(model, scenario, path);
    std::string unit = number.unit;
    return {SweepNumber::Of::state_input_or_gain, rest, std::move(unit), std::move(number)};
  }
  std::vector<std::string> known{"initial.LINK.q[0]", "inputs.NAME", "controllers.NAME.kp"};
  for (const Setting& setting : k_settings) known.emplace_back(setting.path);
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "simulation." : ", simulation.") + one;
  throw ArgumentError(
      fmt::format("{}: found no number of a scenario, expected one of {}{}", path, all, did_you_mean(rest, known)));
}

void set_sweep_numbers(const Model& model, const std::vector<SweepNumber>& numbers, const std::vector<double>& values,
                       Scenario& scenario) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const SweepNumber& number = numbers[i];
    switch (number.of) {
      case SweepNumber::Of::robot:
        break;
      case SweepNumber::Of::state_input_or_gain:
        set_scenario_number(model, scenario, number.number, values[i]);
        break;
      case SweepNumber::Of::setting:
        set_setting(*setting_at(number.path), values[i], scenario);
        break;
      case SweepNumber::Of::statics_input:
        scenario.statics->inputs[number.path] = values[i];
        break;
    }
  }
}

}  // namespace cuttle
