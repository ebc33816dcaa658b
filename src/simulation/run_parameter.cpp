#include "simulation/run_parameter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "model/signal_slope.h"

namespace cuttle {
namespace {

const std::string k_initial_prefix = "simulation.initial.", k_inputs_prefix = "simulation.inputs.",
                  k_controllers_prefix = "simulation.controllers.", k_motion_prefix = "simulation.motion.";

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// What stands behind `name` in `text`: nothing, or `.key` without the dot.
std::optional<std::string> behind(const std::string& text, const std::string& name) {
  if (text == name) return "";
  if (starts_with(text, name + ".")) return text.substr(name.size() + 1);
  return std::nullopt;
}

RunParameter find_input(const Model& model, const Scenario& scenario, const std::string& path) {
  const std::string rest = path.substr(k_inputs_prefix.size());
  std::vector<std::string> known;
  for (int i = 0; i < model.nu(); ++i) {
    const CoordinateInfo& info = model.input_info()[static_cast<std::size_t>(i)];
    known.push_back(info.name);
    const auto key = behind(rest, info.name);
    if (!key) continue;
    const auto given = scenario.inputs.find(info.name);
    const Signal signal = given != scenario.inputs.end() ? given->second : Signal();
    try {
      RunParameter found;
      found.of = RunParameter::Of::input;
      found.index = i;
      found.slope = signal_slope(signal, *key);
      found.info.path = path, found.info.unit = info.unit;
      found.info.value = signal_number(signal, *key);
      return found;
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", path, error.what()));
    }
  }
  throw ArgumentError(fmt::format("{}: found no such input{}", path, did_you_mean(rest, known)));
}

/// Calls use(name, signal, unit) for each signal of a driven motion: `base.position[0]`, `shoulder[0]`.
template <typename Motion, typename Use>
void each_driven(const Model& model, Motion& motion, const Use& use) {
  for (const auto& [name, unit, three] :
       {std::tuple("base.position", "m", &motion.base.position), std::tuple("base.rpy", "rad", &motion.base.rpy)}) {
    for (std::size_t k = 0; *three && k < 3; ++k) use(fmt::format("{}[{}]", name, k), (**three)[k], std::string(unit));
  }
  for (auto& [link, signals] : motion.joints) {
    const auto found = std::find_if(model.links().begin(), model.links().end(),
                                    [&, name = &link](const auto& other) { return other.name == *name; });
    for (std::size_t k = 0; k < signals.size(); ++k) {
      const std::size_t place = found == model.links().end() ? 0 : static_cast<std::size_t>(found->q) + k;
      const auto& infos = model.configuration_info();
      use(fmt::format("{}[{}]", link, k), signals[k], place < infos.size() ? infos[place].unit : std::string());
    }
  }
}

RunParameter find_driven(const Model& model, const Scenario& scenario, const std::string& path) {
  const std::string rest = path.substr(k_motion_prefix.size());
  std::vector<std::string> known;
  std::optional<RunParameter> found;
  each_driven(model, scenario.motion, [&](const std::string& name, const Signal& signal, const std::string& unit) {
    known.push_back(name);
    const auto key = behind(rest, name);
    if (!key) return;
    try {
      found.emplace();
      found->of = RunParameter::Of::motion;
      signal_slope(signal, *key);  // refuses times, and what is no number of it
      found->key = *key;
      found->info.path = path, found->info.unit = unit, found->info.value = signal_number(signal, *key);
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", path, error.what()));
    }
  });
  if (found) return *found;
  if (known.empty()) throw ArgumentError(fmt::format("{}: found a scenario without driven motion, expected one", path));
  throw ArgumentError(fmt::format("{}: found no such signal of the driven motion, expected {}{}", path,
                                  fmt::join(known, ", "), did_you_mean(rest.substr(0, rest.find(']') + 1), known)));
}

RunParameter find_controller_number(const Scenario& scenario, const std::string& path) {
  const std::string rest = path.substr(k_controllers_prefix.size());
  std::vector<std::string> known;
  for (std::size_t i = 0; i < scenario.controllers.size(); ++i) {
    const NamedController& given = scenario.controllers[i];
    known.push_back(given.name);
    const auto key = behind(rest, given.name);
    if (!key) continue;
    std::vector<std::string> keys;
    for (const ControllerNumber& number : given.controller->numbers()) {
      keys.push_back(number.key);
      if (number.key != *key) continue;
      RunParameter found;
      found.of = RunParameter::Of::controller;
      found.index = static_cast<int>(i), found.key = *key;
      found.info.path = path, found.info.value = number.value, found.info.unit = "as in the file";
      return found;
    }
    throw ArgumentError(fmt::format("{}: found no such number of controller '{}' of type {}; it has {}{}", path,
                                    given.name, given.controller->type_name(),
                                    keys.empty() ? "none" : fmt::to_string(fmt::join(keys, ", ")),
                                    did_you_mean(*key, keys)));
  }
  throw ArgumentError(fmt::format("{}: found no such controller{}", path, did_you_mean(rest, known)));
}

/// `q[3]`: which, and 3.
std::optional<std::pair<char, int>> coordinate(const std::string& text) {
  int index = 0;
  if (text.size() < 4 || (text[0] != 'q' && text[0] != 'v') || text[1] != '[' || text.back() != ']') {
    return std::nullopt;
  }
  const char* const end = text.data() + text.size() - 1;
  const auto read = std::from_chars(text.data() + 2, end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return std::pair(text[0], index);
}

/// Where the coordinates of a part of the initial state begin, and how many there are.
struct PartCoordinates {
  int q = 0, nq = 7, v = 0, nv = 6;
};
PartCoordinates part_coordinates(const Model& model, const std::string& part) {
  for (const auto& link : model.links()) {
    if (link.name == part) return {link.q, link.nq, link.v, link.nv};
  }
  return {};
}

/// All numbers of a part, also those that the scenario leaves out.
InitialState complete_state(const Model& model, const Scenario& scenario, const std::string& part) {
  const PartCoordinates at = part_coordinates(model, part);
  const auto given = scenario.initial.find(part);
  InitialState state;
  if (given != scenario.initial.end()) state = given->second;
  if (state.q.empty()) {
    const VectorXd neutral = model.neutral().segment(at.q, at.nq);
    state.q.assign(neutral.begin(), neutral.end());
  }
  if (state.v.empty()) state.v.assign(static_cast<std::size_t>(at.nv), 0.0);
  return state;
}

RunParameter find_initial(const Model& model, const Scenario& scenario, const std::string& path) {
  if (scenario.statics) {
    throw ArgumentError(fmt::format("{}: found an initial state of statics, expected one of coordinates", path));
  }
  const std::string rest = path.substr(k_initial_prefix.size());
  std::vector<std::string> known;
  const auto of_part = [&](const std::string& name, int q, int nq, int v, int nv) -> std::optional<RunParameter> {
    known.push_back(name);
    const auto key = behind(rest, name);
    if (!key) return std::nullopt;
    const auto at = coordinate(*key);
    const int count = at && at->first == 'q' ? nq : nv;
    if (!at || at->second < 0 || at->second >= count) {
      throw ArgumentError(fmt::format("{}: found '{}', expected q[0] .. q[{}] or v[0] .. v[{}] of '{}'", path, *key,
                                      nq - 1, nv - 1, name));
    }
    RunParameter found;
    found.of = at->first == 'q' ? RunParameter::Of::configuration : RunParameter::Of::velocity;
    found.index = (at->first == 'q' ? q : v) + at->second;
    const auto& infos = at->first == 'q' ? model.configuration_info() : model.velocity_info();
    found.info.path = path, found.info.unit = infos[static_cast<std::size_t>(found.index)].unit;
    const InitialState state = complete_state(model, scenario, name);
    const std::vector<double>& values = at->first == 'q' ? state.q : state.v;
    const auto place = static_cast<std::size_t>(at->second);
    if (place < values.size()) found.info.value = values[place];  // fewer are refused where the run begins
    return found;
  };
  if (model.robot().floating_base) {
    if (auto found = of_part("base", 0, 7, 0, 6)) return *found;
  }
  for (const auto& link : model.links()) {
    if (auto found = of_part(link.name, link.q, link.nq, link.v, link.nv)) return *found;
  }
  throw ArgumentError(
      fmt::format("{}: found no such link{}", path, did_you_mean(rest.substr(0, rest.rfind('.')), known)));
}

}  // namespace

RunParameter find_run_parameter(const Model& model, const Scenario& scenario, const std::string& path) {
  if (starts_with(path, k_inputs_prefix)) return find_input(model, scenario, path);
  if (starts_with(path, k_initial_prefix)) return find_initial(model, scenario, path);
  if (starts_with(path, k_controllers_prefix)) return find_controller_number(scenario, path);
  if (starts_with(path, k_motion_prefix)) return find_driven(model, scenario, path);
  if (starts_with(path, "simulation.")) {
    throw ArgumentError(
        fmt::format("{}: found no derivatives by it, expected a number of the robot, simulation.inputs.NAME, "
                    "simulation.initial.LINK.q[i], simulation.motion.LINK[0].KEY or simulation.controllers.NAME.kp",
                    path));
  }
  RunParameter found;
  found.info = model.parameter(path);
  return found;
}

ScenarioNumber find_scenario_number(const Model& model, const Scenario& scenario, const std::string& path) {
  if (!starts_with(path, "simulation.")) {
    throw ArgumentError(
        fmt::format("{}: found no number of a scenario, expected simulation.initial.LINK.q[0], "
                    "simulation.inputs.NAME, simulation.inputs.NAME.KEY, simulation.motion.LINK[0].KEY or "
                    "simulation.controllers.NAME.KEY",
                    path));
  }
  const RunParameter found = find_run_parameter(model, scenario, path);
  ScenarioNumber number;
  number.of = found.of, number.unit = found.info.unit, number.value = found.info.value;
  if (found.of == RunParameter::Of::input) {
    number.part = model.input_info()[static_cast<std::size_t>(found.index)].name;
    number.key = behind(path.substr(k_inputs_prefix.size()), number.part).value();
    return number;
  }
  if (found.of == RunParameter::Of::controller) {
    number.part = scenario.controllers[static_cast<std::size_t>(found.index)].name, number.key = found.key;
    return number;
  }
  if (found.of == RunParameter::Of::motion) {
    number.part = path.substr(k_motion_prefix.size()), number.key = found.key;
    if (!number.key.empty()) number.part.resize(number.part.size() - number.key.size() - 1);
    return number;
  }
  const bool is_q = found.of == RunParameter::Of::configuration;
  number.part = path.substr(k_initial_prefix.size());
  number.part.resize(number.part.rfind('.'));
  const PartCoordinates at = part_coordinates(model, number.part);
  number.index = found.index - (is_q ? at.q : at.v);
  return number;
}

void set_scenario_number(const Model& model, Scenario& scenario, const ScenarioNumber& number, double value) {
  if (number.of == RunParameter::Of::input) {
    const auto given = scenario.inputs.find(number.part);
    const Signal before = given != scenario.inputs.end() ? given->second : Signal();
    scenario.inputs[number.part] = signal_with(before, number.key, value);
    return;
  }
  if (number.of == RunParameter::Of::controller) {
    for (NamedController& given : scenario.controllers) {
      if (given.name == number.part) given.controller = given.controller->with_number(number.key, value);
    }
    return;
  }
  if (number.of == RunParameter::Of::motion) {
    each_driven(model, scenario.motion, [&](const std::string& name, Signal& signal, const std::string&) {
      if (name == number.part) signal = signal_with(signal, number.key, value);
    });
    return;
  }
  InitialState state = complete_state(model, scenario, number.part);
  (number.of == RunParameter::Of::configuration ? state.q : state.v)[static_cast<std::size_t>(number.index)] = value;
  scenario.initial[number.part] = state;
}

void refuse_beside_motion(const Model& model, const Scenario& scenario) {
  if (scenario.motion.empty()) return;
  if (scenario.statics) {
    throw ArgumentError(
        "initial: found statics beside driven motion, whose equilibrium has no derivatives, expected "
        "states of links");
  }
  if (!scenario.controllers.empty() && !model.robot().sensors.empty()) {
    throw ArgumentError(fmt::format(
        "controllers: found '{}' beside sensors and driven motion, which have no derivatives together, expected none",
        scenario.controllers.front().name));
  }
}

void refuse_driven_number(const DrivenMotion& motion, const RunParameter& parameter) {
  if (motion.empty()) return;
  const std::string& path = parameter.info.path;
  bool given = !motion.base.empty() && (path.starts_with("base.") || path.starts_with("simulation.initial.base."));
  for (const auto& [link, signals] : motion.joints) {
    given = given || path.starts_with(fmt::format("simulation.initial.{}.", link));
  }
  if (!given) return;
  throw ArgumentError(
      fmt::format("{}: found a number of what is driven, whose motion is given, expected another", path));
}

void require_closed_start(const RunParameter& number, double opened) {
  constexpr double k_closed = 1e-9;  // what opens less, per change of a number by its own size, does not
  if (opened * size_of(number) <= k_closed) return;
  throw ArgumentError(
      fmt::format("{}: found a number that moves the closed loops of the initial state, expected one of what acts: how "
                  "the loops are closed has no derivatives",
                  number.info.path));
}

}  // namespace cuttle
