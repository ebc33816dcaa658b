#pragma once

#include <string>

#include "cuttle/simulation/recorder.h"

namespace cuttle {

/// Finds the sample with which a run leaves all sense: a number that is not finite, or ten times more energy from
/// nowhere than the start, gravity, springs, inputs and loads can have given until then. What is small beside the
/// energies that come and go, as rounding at rest, is no reason.
class EnergyWatch {
 public:
  /// @param balances_power  false: the robot's bodies keep no energy balance, so only finite numbers are asked for.
  explicit EnergyWatch(bool balances_power) : balances_power_(balances_power) {}
  /// @param sample  the next one; the first is the start.   @return what is wrong with it; empty if nothing.
  std::string problem(const Sample& sample);

 private:
  bool balances_power_, begun_ = false;
  double start_energy_ = 0.0, start_gravity_ = 0.0;  // [J]
  double last_input_ = 0.0, last_load_ = 0.0;
  double stored_ = 0.0;   // in motion and springs at the start
  double fallen_ = 0.0;   // most that gravity has given so far
  double given_ = 0.0;    // by inputs and loads, where they gave
  double largest_ = 0.0;  // of the energies so far, each for itself
};

/// Adds the warning of an energy error above the scenario's limit, a part of the energy that came and went
/// (EnergyExchange), unless it is rounding. @return whether there is one.
bool judge_energy(const Scenario& scenario, Outcome& outcome);

}  // namespace cuttle
