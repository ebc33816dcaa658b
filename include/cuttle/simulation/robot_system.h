#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/api.h"
#include "cuttle/simulation/implicit_system.h"
#include "cuttle/simulation/reached_state.h"
#include "cuttle/simulation/robot_system_setup.h"

namespace CUTTLE_API cuttle {

class ControlLoop;  // src/control/control_loop.h
class RobotSenses;  // src/simulation/robot_senses.h

/// A robot as integrators and implicit methods take it: its equation of motion with accounts of work, under signals,
/// controllers and driven motion.
/// @code
/// RobotSystem system(model, {.inputs = {Signal(0.3)}});
/// auto integrator = make_integrator(system, {.type = "bdf"});
/// @endcode
class RobotSystem final : public ImplicitSystem {
 public:
  using Setup = RobotSystemSetup;
  using enum StateLayout::Work;

  /// The model must outlive the system. @throws ArgumentError that names a controller which does not fit.
  explicit RobotSystem(const Model& model, Setup setup = {});
  ~RobotSystem() override;

  const Model& model() const override { return equation_.model(); }
  const StateLayout& layout() const { return equation_.layout(); }
  int auxiliary_count() const override { return layout().size(); }
  bool auxiliary_feeds_back() const override { return auxiliary_count() > layout().works; }
  /// Auxiliary states of the robot (start_of_auxiliary) with those of the controllers at their start in between.
  VectorXd with_controllers(const VectorXd& robot_states) const;
  /// Lets the contacts of a state begin in balance (EquationOfMotion::begin_in_balance).
  void begin_in_balance(State& state);
  /// Of the loops' constraints.
  const ConstraintRows& rows() const { return equation_.rows().rows(); }
  /// Holds these from now on: between two steps of an integrator that knows of it.
  void hold_rows(ConstraintRows rows) { equation_.rows().hold(std::move(rows)); }
  /// What take_up_constraints has done so far, for the user.
  const std::vector<std::string>& taken_up() const { return taken_up_; }
  /// Whether all bodies' forces balance power (BodyT::balances_power).
  bool balances_power() const { return balances_power_; }

  // As System and ImplicitSystem have them.
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary, VectorOutT<double> a,
             VectorOutT<double> auxiliary_rate) override;
  void residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                const AuxiliaryStates& auxiliary, VectorOutT<double> r, VectorOutT<double> auxiliary_rate) override;
  int stiff_auxiliary_count() const override { return layout().stiff(); }
  void prepare_derivatives() override { equation_.prepare_derivatives(); }
  const DerivativeData& residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                             const AuxiliaryStates& auxiliary, VectorInT<double> lambda) override;
  bool follows_tree() const override;
  void prepare_along_tree() override { equation_.prepare_along_tree(); }
  TreeDerivatives& residual_along_tree(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                       const AuxiliaryStates& auxiliary, VectorInT<double> lambda) override;
  /// Has methods take matrices, also where tangents along the tree would cost less: to compare them.
  void keep_to_matrices() { keeps_to_matrices_ = true; }
  int constraint_count() const override { return equation_.rows().count(); }
  void constraints(VectorInT<double> q, VectorOutT<double> phi) override;
  const MatrixXd& constraint_jacobian(VectorInT<double> q) override;
  void constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) override;
  void spread_multipliers(VectorInT<double> lambda, VectorXd& all) override;
  std::optional<double> appeared_constraints(VectorInT<double> q) override;
  void take_up_constraints(State& state) override;
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> auxiliary) override;
  std::optional<EnergyBalance> energy_balance_at(double time, VectorInT<double> q, VectorInT<double> v,
                                                 VectorInT<double> auxiliary) override;
  double longest_step(double time, VectorInT<double> q, VectorInT<double> v) override;
  std::string trouble() override { return equation_.trouble(); }
  std::string trouble_at(double time, VectorInT<double> q, VectorInT<double> v) override;
  unsigned long touching() override { return equation_.sites() != nullptr ? equation_.sites()->touching() : 0; }
  bool is_idle(int auxiliary) override;
  std::span<const int> driven() const override;
  void impose(double time, VectorXd& q, VectorXd& v, VectorXd* a = nullptr) const override;
  void book_efforts(VectorInT<double> effort, VectorInT<double> v, VectorOutT<double> auxiliary_rate) override;

  /// @return valid until the next call of the system, and as long as the state.
  /// @throws SimulationError naming a tendon that cannot push and is told to, or a controller that is not finite.
  ReachedState evaluate(const State& state);
  /// Inputs of a motion that is no state of a run, into u, size nu. @throws as evaluate.
  void inputs(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, VectorXd& u);
  /// Signals and what is held, not clipped.
  void signals(double time, VectorXd& u) const;
  /// How these change with the signals and with what laws with a clock hold (ControlLoop::input_slopes).
  void input_slopes(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary,
                    MatrixXd& by_signals, MatrixXd& by_held);
  /// Actuation coordinates y(q) with nu = (dy/dq)^T u.
  void actuation(const VectorInT<double>& q, VectorOutT<double> y);
  /// What has opened though the kept rows are closed (cuttle::opened_loop); empty: nothing.
  std::string opened_loop(VectorInT<double> q) { return equation_.opened_loop(q); }
  /// @throws SimulationError that says so, at a time.
  void require_closed_loops(double time, VectorInT<double> q);

  /// Times in (0, infinity) at which an input or a load jumps or bends, ascending; those of controllers' clocks until a
  /// time alone.
  std::vector<double> discontinuities(double until) const;
  /// Those of them at which more than the slope of inputs jumps.
  std::vector<double> jumps(double until) const;
  /// Confines signals to one stretch between discontinuities: `begin` takes the value from the right, `end` the value
  /// from the left, so that a step that ends on a jump does not see it. Controllers with a clock see the robot there.
  /// @param state  in which the stretch begins.
  void enter(double begin, double end, const State& state);
  void confine(double begin, double end);        ///< of that the signals alone
  void sample(double time, const State& state);  ///< the controllers alone
  double signal_time(double time) const;         ///< where signals of the stretch are read

  // Between two steps of an integrator that is restarted then:
  void set_input(int index, const Signal& signal) { inputs_[static_cast<std::size_t>(index)] = signal; }
  /// Added to the signals until it is set again, size nu.
  VectorXd& held_inputs() { return held_; }
  void set_coordinate_pushes(std::vector<CoordinatePush> all) { equation_.set_coordinate_pushes(std::move(all)); }
  std::vector<ControllerSetPoint> set_points() const;
  void move_set_point(int controller, int index, double value);
  /// The controllers, for copies of a run beside it.
  ControlLoop& control() { return *control_; }
  /// Called at every evaluation with its time; what it throws ends the simulation.
  std::function<void(double)> heartbeat;

 private:
  friend class ReachedState;
  /// Signals, controllers, and tendons that are slack.
  void act(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary, VectorXd& u);
  /// Begins an evaluation: the configuration into q_, inputs into u_.
  EquationOfMotion::Instant instant(double time, VectorInT<double> q, VectorInT<double> v,
                                    const AuxiliaryStates& auxiliary);
  RobotSenses& senses();

  bool balances_power_;
  bool keeps_to_matrices_ = false;
  std::unique_ptr<ControlLoop> control_;
  EquationOfMotion equation_;
  std::shared_ptr<const PrescribedMotion> motion_;
  std::unique_ptr<RobotSenses> senses_;  ///< made when somebody asks for what sensors measure
  double first_, last_;                  ///< signals are read within
  std::vector<Signal> inputs_;
  VectorXd held_, q_, v_, u_, auxiliary_, no_inputs_;
  VectorXd reached_;              ///< inputs of the state that was evaluated last
  VectorXd driven_q_, driven_v_;  ///< a motion with the driven part as it is given
  std::vector<std::string> taken_up_;
  MatrixXd control_by_q_, control_by_v_;
};

}  // namespace cuttle
