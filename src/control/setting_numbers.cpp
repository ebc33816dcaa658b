#include "control/setting_numbers.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

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

/// All numbers of settings, and the signals that are followed.
class FoundNumbers final : public SettingVisitor {
 public:
  explicit FoundNumbers(const ShowSettings& show) {
    show(*this);
    for (NumberPlace& place : of_signals_) numbers.push_back(std::move(place));
  }
  std::vector<NumberPlace> numbers;  ///< those of signals last
  std::vector<Signal*> followed;

  void inputs(std::vector<std::string>& /*names*/) override {}
  void links(ControlledLinks& /*names*/) override {}
  void reference(ReferenceSettings& settings) override {
    follow("reference", settings.reference);
    if (!settings.path) return;
    for (auto& [frame, signals] : settings.path->targets) {
      for (std::size_t i = 0; i < signals.size(); ++i) add_signal(at("reference.targets." + frame, i), signals[i]);
    }
  }
  void gain(const char* key, std::vector<double>& values, const char* /*about*/) override { add_list(key, values); }
  void weight(const char* key, std::vector<double>& values, const char* /*about*/) override { add_list(key, values); }
  void number(const char* key, double& value, const char* /*unit*/, const char* /*about*/) override {
    if (value != 0.0) add(key, value);
  }
  void text(const char* /*key*/, std::string& /*value*/, const char* /*about*/) override {}
  void model(LawModel& /*model*/) override {}
  void fed_inputs(FeedForwardSettings& settings) override {
    reference(settings);
    follow("inputs", settings.feed_inputs);
  }
  void estimates(std::vector<EstimatedParameter>& parameters) override {
    for (std::size_t i = 0; i < parameters.size(); ++i) add(at("parameters", i) + ".initial", parameters[i].initial);
  }
  void frame_reference(OperationalSpaceSettings& settings) override {
    follow("reference.position", settings.reference);
  }
  void impedance(OperationalSpaceSettings& settings) override {
    for (std::size_t i = 0; i < settings.stiffness.size(); ++i) {
      if (settings.stiffness[i] == 0.0 && settings.damping[i] == 0.0) continue;  // a direction that is free
      add(at("stiffness", i), settings.stiffness[i]), add(at("damping", i), settings.damping[i]);
    }
  }
  void equilibrium(std::map<std::string, double>& inputs) override {
    for (auto& [input, value] : inputs) add("equilibrium.inputs." + input, value);
  }
  void program(ExternalProgram& /*program*/) override {}
  void common(ControlSettings& settings) override {
    add_list("limits.lower", settings.limits.lower), add_list("limits.upper", settings.limits.upper);
  }

 private:
  void add(std::string key, double& number) {
    numbers.push_back({std::move(key), number, [&number](double value) { number = value; }});
  }
  void add_list(const std::string& key, std::vector<double>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list.size() == 1 ? key : at(key, i), list[i]);
  }
  void add_signal(const std::string& key, Signal& signal) {
    for (const SignalNumber& number : signal_numbers(signal)) {
      const std::string own = number.key;
      of_signals_.push_back({own.empty() ? key : fmt::format("{}.{}", key, own), number.value,
                             [&signal, own](double value) { signal = signal_with(signal, own, value); }});
    }
  }
  void follow(const std::string& key, std::vector<Signal>& signals) {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      add_signal(at(key, i), signals[i]);
      followed.push_back(&signals[i]);
    }
  }

  std::vector<NumberPlace> of_signals_;
};

}  // namespace

std::vector<ControllerNumber> setting_numbers(const ShowSettings& show) {
  std::vector<ControllerNumber> numbers;
  for (NumberPlace& place : FoundNumbers(show).numbers) numbers.push_back({std::move(place.key), place.value});
  return numbers;
}

void set_number(const ShowSettings& show, const std::string& key, double value) {
  const FoundNumbers found(show);
  for (const NumberPlace& place : found.numbers) {
    if (place.key == key) return place.set(value);
  }
  throw ArgumentError(key + ": found no such number of the controller");
}

std::vector<double> signal_discontinuities(const ShowSettings& show) {
  std::vector<double> times;
  for (const Signal* signal : FoundNumbers(show).followed) {
    for (const double time : signal->discontinuities()) times.push_back(time);
  }
  return times;
}

}  // namespace cuttle
