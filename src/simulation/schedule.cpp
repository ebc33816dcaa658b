#include "simulation/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "simulation/integrators.h"

namespace cuttle {

namespace {

/// Times that are equal but for rounding.
double rounding_of(const OutputTimes& outputs) { return 64 * std::numeric_limits<double>::epsilon() * outputs.back(); }

}  // namespace

std::vector<Stop> stops_of(const std::vector<double>& discontinuities, const OutputTimes& outputs) {
  const double rounding = rounding_of(outputs);
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

Itinerary itinerary_of(const RobotSystem& system, const IntegratorOptions& integrator, const OutputTimes& outputs,
                       double from) {
  const LibraryMethod* method = find_method(system.model(), integrator);
  const auto ahead = [from](std::vector<double> times) {
    times.erase(times.begin(), std::upper_bound(times.begin(), times.end(), from));
    return times;
  };
  const std::vector<double> all = ahead(system.discontinuities(outputs.back()));
  // what touches hangs on when it does: it begins anew
  const bool goes_over = method != nullptr && method->goes_over_bends && system.model().site_laws().empty();
  if (!goes_over) return {stops_of(all, outputs), {}, outputs.back()};
  const std::vector<double> jumps = ahead(system.jumps(outputs.back()));
  std::vector<double> bends;
  std::set_difference(all.begin(), all.end(), jumps.begin(), jumps.end(), std::back_inserter(bends));
  for (double& time : bends) time = outputs.near(time, rounding_of(outputs)).value_or(time);
  return {stops_of(jumps, outputs), std::move(bends), outputs.back()};
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
