#include "control/setting_numbers.h"

#include <fmt/format.h>

#include <functional>

#include "cuttle/error.h"
#include "model/signal_slope.h"

namespace cuttle {
namespace {

/// A number where it stands.
struct NumberPlace {
  std::string key;
  double value;
  std::function<void(double)> set;  ///< in the settings that were looked through, which must be there still
};

std::string at(const std::string& list, std::size_t i) { return fmt::format("{}[{}]", list, i); }

std::vector<NumberPlace> places(ControlSettings& settings) {
  std::vector<NumberPlace> found;
  const auto add = [&](std::string key, double& number) {
    found.push_back({std::move(key), number, [&number](double value) { number = value; }});
  };
  const auto add_list = [&](const std::string& key, std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) add(numbers.size() == 1 ? key : at(key, i), numbers[i]);
  };
  const auto add_signal = [&](const std::string& key, Signal& signal) {
    for (const SignalNumber& number : signal_numbers(signal)) {
      const std::string own = number.key;
      found.push_back({own.empty() ? key : fmt::format("{}.{}", key, own), number.value,
                       [&signal, own](double value) { signal = signal_with(signal, own, value); }});
    }
  };
  add_list("kp", settings.kp), add_list("kd", settings.kd), add_list("ki", settings.ki);
  add_list("lambda", settings.lambda), add_list("kr", settings.kr), add_list("gamma", settings.gamma);
  for (std::size_t i = 0; i < settings.parameters.size(); ++i) {
    add(at("parameters", i) + ".initial", settings.parameters[i].initial);
  }
  add_list("state_weight", settings.state_weight), add_list("input_weight", settings.input_weight);
  for (auto& [input, value] : settings.equilibrium) add("equilibrium.inputs." + input, value);
  for (std::size_t i = 0; i < settings.stiffness.size(); ++i) {
    if (settings.stiffness[i] == 0.0 && settings.damping[i] == 0.0) continue;  // a direction that is free
    add(at("stiffness", i), settings.stiffness[i]), add(at("damping", i), settings.damping[i]);
  }
  if (settings.nullspace_damping != 0.0) add("nullspace_damping", settings.nullspace_damping);
  add_list("limits.lower", settings.limits.lower), add_list("limits.upper", settings.limits.upper);
  const std::string reference = settings.frame.empty() ? "reference" : "reference.position";
  for (std::size_t i = 0; i < settings.reference.size(); ++i) add_signal(at(reference, i), settings.reference[i]);
  if (settings.path) {
    for (auto& [frame, signals] : settings.path->targets) {
      for (std::size_t i = 0; i < signals.size(); ++i) {
        add_signal(at("reference.targets." + frame, i), signals[i]);
      }
    }
  }
  for (std::size_t i = 0; i < settings.feed_inputs.size(); ++i) add_signal(at("inputs", i), settings.feed_inputs[i]);
  return found;
}

}  // namespace

std::vector<ControllerNumber> setting_numbers(const ControlSettings& settings) {
  ControlSettings copy = settings;
  std::vector<ControllerNumber> found;
  for (NumberPlace& place : places(copy)) found.push_back({std::move(place.key), place.value});
  return found;
}

ControlSettings settings_with(const ControlSettings& settings, const std::string& key, double value) {
  ControlSettings changed = settings;
  for (const NumberPlace& place : places(changed)) {
    if (place.key != key) continue;
    place.set(value);
    return changed;
  }
  throw ArgumentError(key + ": found no such number of the controller");
}

}  // namespace cuttle
