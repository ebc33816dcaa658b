#pragma once

#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// At a state; nothing if the system knows none there, or they are not finite: the dynamics will say so.
std::optional<EnergyBalance> finite_balance(System& system, double time, VectorInT<double> q, VectorInT<double> v,
                                            VectorInT<double> auxiliary);

/// Makes local error control answer for energy at the end of a run. The local errors that a method controls add up:
/// over N steps of an undamped motion to some N times the tolerance. So the energy error |E - E(0) - work| is watched
/// at every accepted step, and the tolerances of the local errors are multiplied by a factor <= 1 such that the error,
/// if it goes on growing as it does, ends within `k_budget` x relative tolerance x peak kinetic energy. What was seen
/// is carried no further than half a minute or some times as long as the run has lasted: a robot that swings for ten
/// seconds may rest for the other hundred thousand. A damped robot keeps a factor near 1; an undamped one, whose errors
/// all point the same way, comes to 1/100.
class EnergyControl {
 public:
  EnergyControl(System& system, double relative_tolerance);

  /// Takes a state as it is: a jump of the state is no error. A time before the last one begins a new run.
  void restart(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary);
  /// @param time, q, v, auxiliary  an accepted state; one at a time that was there before changes nothing.
  /// @param end  when the run ends, as far as known.
  /// @return what to multiply the tolerances with from here on; 1 if the system knows no energies.
  double factor(double time, double end, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary);
  /// Of the last state that `factor` took, if the system knows its energies there.
  const std::optional<EnergyBalance>& last() const { return last_; }
  /// For a step that fails: brings the factor nearer to 1, below which it stays out for the rest of the run. What
  /// works with the tolerances as given thus never fails for being watched.
  /// @return whether it was below 1, so that the step is worth another try.
  bool relax();

 private:
  void begin_window() { window_begin_ = time_, window_error_ = error_, window_steps_ = 0; }

  System& system_;
  double relative_tolerance_, finest_factor_;
  double factor_ = 1.0, least_factor_ = 1.0;
  bool begun_ = false;
  double begin_ = 0.0;               // of the run
  double time_ = 0.0, error_ = 0.0;  // energy that came from nowhere, up to time_ [J]
  double reference_ = 0.0;           // energy - work without error
  double peak_kinetic_ = 0.0;
  std::optional<EnergyBalance> last_;
  double window_begin_ = 0.0, window_error_ = 0.0;  // over which growth is measured
  int window_steps_ = 0;
};

}  // namespace cuttle
