#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/algorithms/statics.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle {

/// A time at which the system may jump: integrate up to `time`, on with what signals are there.
struct Stop {
  double time;         ///< an output time if there is one within rounding
  double first, last;  ///< signals jump at these times, equal but for rounding
};
/// The stops up to the last output; discontinuities ascend.
std::vector<Stop> stops_of(const std::vector<double>& discontinuities, const OutputTimes& outputs);

/// Where a run ends a step on its way, ascending.
struct Itinerary {
  std::vector<Stop> stops;    ///< to begin integration anew
  std::vector<double> bends;  ///< to go on
  double end;
};
/// That of a run with an integrator up to the last output. @param from  what is not later is left out.
Itinerary itinerary_of(const RobotSystem& system, const IntegratorOptions& integrator, const OutputTimes& outputs,
                       double from = 0.0);

/// Times at which all but the first of `count` equal intervals of a duration begin. Whatever is held over intervals has
/// these very numbers, at which its run stops: a time divided by the length of an interval is rounded into a neighbor.
std::vector<double> interval_begins(double duration, int count);

/// Signals of all inputs of the actuators, 0 where none is given. @throws ArgumentError for an unknown name.
std::vector<Signal> input_signals(const Model& model, const std::map<std::string, Signal>& given);

/// What acts in the equilibrium that a run begins with: the loads as they are just before time 0.
StaticLoads loads_before_start(const Model& model, const InitialStatics& statics);

}  // namespace cuttle
