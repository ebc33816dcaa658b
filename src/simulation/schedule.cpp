#include "simulation/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {

std::vector<Stop> stops_of(const std::vector<double>& discontinuities, const OutputTimes& outputs) {
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * outputs.back();
  std::vector<Stop> stops;
  for (const double time : discontinuities) {
    if (time > outputs.back() + rounding) break;  // at the end itself it must not act in the last step
    if (!stops.empty() && time - stops.back().last <= rounding) {
      stops.back().last = time;
      continue;
    }
    stops.push_back({outputs.near(time, rounding).value_or(time), time, time});
  }
  return stops;
}

std::vector<double> interval_begins(double duration, int count) {
  std::vector<double> begins;
  for (int k = 1; k < count; ++k) begins.push_back(duration * k / count);
  return begins;
}

std::vector<Signal> input_signals(const Model& model, const std::map<std::string, Signal>& given) {
  std::vector<std::string> known;
  for (const CoordinateInfo& info : model.input_info()) known.push_back(info.name);
  std::vector<Signal> signals(known.size());
  for (const auto& [name, signal] : given) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw ArgumentError(
          fmt::format("inputs.{}: found no such input of an actuator{}", name, did_you_mean(name, known)));
    }
    signals[found - known.begin()] = signal;
  }
  return signals;
}

StaticLoads loads_before_start(const Model& model, const InitialStatics& statics) {
  const double before = std::nextafter(0.0, -1.0);
  StaticLoads loads;
  std::map<std::string, Signal> inputs;
  for (const auto& [name, value] : statics.inputs) inputs[name] = value;
  loads.u.resize(model.nu());
  const std::vector<Signal> signals = input_signals(model, inputs);
  for (int i = 0; i < model.nu(); ++i) loads.u[i] = signals[static_cast<std::size_t>(i)].at(0.0);
  apply_slack<double>(model, loads.u);
  loads.external = loads_at(model, before);
  loads.state_loads_at = before;
  return loads;
}

}  // namespace cuttle
