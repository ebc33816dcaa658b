#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/held_outputs.h"
#include "control/motion_differences.h"
#include "control/sensor_readings.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/control/controller.h"

namespace cuttle {

/// The controllers of a run at work, each seeing what those before it set: their memory, states and samples, and the
/// sensors that they read.
class ControlLoop {
 public:
  /// @param seed  of whatever is random in them.
  /// @throws ArgumentError that names one which does not fit. The model must outlive this.
  ControlLoop(const Model& model, const std::vector<NamedController>& controllers, long seed);

  bool empty() const { return controllers_.empty(); }
  /// Auxiliary states of the robot with those of the controllers in their place.
  const StateLayout& layout() const { return layout_; }
  /// The controllers' own at the start, layout().controllers numbers.
  void start(VectorOutT<double> states) const;
  /// Appends times > 0 at which they jump or bend; those of clocks until a time alone.
  void add_discontinuities(double until, std::vector<double>& times) const;

  struct Instant {
    double time;
    const VectorXd &q, &v;     ///< q on the manifold
    VectorInT<double> states;  ///< auxiliary ones, all; within a step their offsets
    double factor = 0.0, stiff_factor = 0.0;
  };
  /// Adds what they set to u, the signals before them. @throws SimulationError that names a controller.
  void add_inputs(const Instant& at, VectorXd& u);
  /// How their states changed at the last add_inputs.
  const VectorXd& rates() const { return rates_; }
  /// How what the last add_inputs has set changes with the motion, at the same instant: nu x nv each, by displacements
  /// of q and by v.
  void slopes(const Instant& at, MatrixXd& by_q, MatrixXd& by_v);
  /// How the inputs change with the signals, nu x nu, and with what is held, nu x held_count, at the same instant: of
  /// tendons that a slack clips not at all.
  void input_slopes(const Instant& at, MatrixXd& by_signals, MatrixXd& by_held);
  /// How the rates of their states, at given ones, change with the motion at the instant of the last add_inputs:
  /// states x nv each.
  void rate_slopes(const Instant& at, MatrixXd& by_q, MatrixXd& by_v);
  /// How they change with the signals, states x nu, and with what is held: differences, of laws that read inputs.
  void rate_input_slopes(const Instant& at, const VectorXd& signals, MatrixXd& by_signals, MatrixXd& by_held);
  /// What inputs and rates are worth to the states at an instant, all auxiliary ones: differences of order six. Zero
  /// for works, and for what `rests` says.
  /// @param by_u, by_rate  of the inputs before slack, and of the controllers' rates.
  VectorXd worth_of_states(const Instant& at, const VectorXd& signals, const VectorXd& by_u, const VectorXd& by_rate,
                           const std::function<bool(int)>& rests);
  /// How inputs before slack, nu x states, and the controllers' rates follow states at an instant, all that feed back.
  /// Differences of order six.
  void state_slopes(const Instant& at, const VectorXd& signals, MatrixXd& of_inputs, MatrixXd& of_rates);
  /// What they record of the last add_inputs, at the same instant (recorded_controllers).
  void record(const Instant& at, VectorXd& numbers);

  /// Lets laws with a clock see the robot: at the start, and after each discontinuity.
  /// @param u  in: the signals; what the controllers then set is added.
  /// @param sensors  all that the robot has, as exact as they are; null: there are none.
  /// @param heartbeat  to be called while a law waits; may be empty.
  void sample(const Instant& at, const VectorXd* sensors, const std::function<void(double)>& heartbeat, VectorXd& u);

  // Of laws with a clock through which gradients go back (ControlLaw::held_outputs):
  struct Holder {
    int controller;
    HeldOutputs* held;
    int first;  ///< of its numbers among all that are held
  };
  const std::vector<Holder>& holders() const { return holders_; }
  int held_count() const { return held_count_; }
  /// What all of them hold.
  VectorXd held() const;
  void hold(const VectorXd& held);
  /// What inputs get of a holder, one an input of it, at the instant of the last add_inputs or sample.
  std::vector<HeldOutputs::Gets> gets(const Instant& at, const Holder& holder) const;
  /// Of one controller alone, after `sample` at the same instant.
  void law_slopes(const Instant& at, int controller, LawSlopes& slopes);

  /// The constant references, and how to move one of them.
  std::vector<ControllerSetPoint> set_points() const;
  void move_set_point(int controller, int index, double value);

 private:
  struct AtWork {
    NamedController given;
    std::unique_ptr<ControlLaw> law;
    ControlColumns columns;
    VectorXd offset, state, rates;             ///< of its states, as they are given, as they are, and how they change
    VectorXd seen, output;                     ///< inputs before it, and what it adds
    std::unique_ptr<SensorReadings> readings;  ///< of a law that reads sensors at every instant
  };
  /// Lets controllers know the auxiliary states.
  void split(const VectorInT<double>& states);
  /// Slopes of controllers from one on, added to how what they see changes.
  void add_slopes(const Instant& at, std::size_t from, MatrixXd& by_q, MatrixXd& by_v);
  /// The same for any changes of that, a column each.
  void chain(const Instant& at, std::size_t from, MatrixXd& changes);
  /// Of one controller, by auxiliary states and by what it keeps between samples.
  void add_state_slopes(const ControlArguments& now, AtWork& controller, LawSlopes& slopes);
  void add_memory_slopes(const ControlArguments& now, AtWork& controller, LawSlopes& slopes);

  const Model& model_;
  StateLayout layout_;
  std::vector<AtWork> controllers_;
  VectorXd robot_states_;  ///< auxiliary ones without those of controllers
  VectorXd rates_;
  MatrixXd part_, by_q_, by_v_;
  MotionDifferences differences_;
  std::vector<Holder> holders_;
  int held_count_ = 0;
};

}  // namespace cuttle
