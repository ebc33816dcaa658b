#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/algorithms/driven_dynamics.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/api.h"
#include "cuttle/control/controller.h"
#include "cuttle/model/data.h"
#include "cuttle/simulation/implicit_system.h"

namespace CUTTLE_API cuttle {

class PrescribedMotion;  // src/simulation/prescribed_motion.h

/// Wrenches in time of a robot's loads, or of those of several robots, lane by lane: one a load, null for one that
/// depends on the motion.
using TimedWrenches = std::vector<const TimedWrench*>;

/// A law, without inputs and states, that acts on one coordinate of a vector space - of a revolute, prismatic or other
/// joint without quaternions - beside the elements of the model.
template <typename S>
struct CoordinatePerturbationT {
  int q = 0, v = 0;  ///< its indices in configuration and velocity
  std::shared_ptr<const EffortLawT<S>> law;
};
using CoordinatePerturbation = CoordinatePerturbationT<double>;

/// Equation of motion of a robot, or of a pack of robots side by side, under inputs and loads: `M a + c + g + s =
/// nu(q, u) + J^T f`, solved for a. Everything that simulates takes its rates from here: the integrators by
/// RobotSystem, roll-outs of batches directly.
///
/// Beside q and v there are auxiliary states. With accounts the first three are the work since the start [J], so that
/// `E - E(0) = input + load - dissipated` can be checked: they integrate the powers `v . s_d`, `v . nu` and `v . J^T f`
/// with the same method and error control as the motion. The work of a fluid that is moved along holds its kinetic
/// energy. An element with inputs counts as input with what it takes from outside, another as dissipation with what it
/// loses. The integrals of loads that keep some (drones) follow, then the states of controllers (RobotSystem), then
/// those of elements. Memory is made once, here.
template <typename S>
class RobotSystemT {
 public:
  enum class Accounts { none, work };
  using StateLoads = std::vector<std::shared_ptr<const StateLoadT<S>>>;

  /// @param wrenches  of the robots in the lanes of S. The model and they must outlive the system.
  /// @param perturbations  loads that depend on the motion beside those of the robot, whose work counts as theirs; at
  /// frames of the model.
  RobotSystemT(const ModelT<S>& model, TimedWrenches wrenches, Accounts accounts, StateLoads perturbations = {});

  /// Goes on with another model of the same sizes and loads, in the memory that is there.
  void serve(const ModelT<S>& model, const TimedWrenches& wrenches);

  const ModelT<S>& model() const { return *model_; }
  DataT<S>& data() { return data_; }
  int auxiliary_count() const { return account_count_ + integral_count_ + element_state_count(); }

  /// One signal an actuator input, the same for all lanes; none: zero.
  void set_inputs(std::vector<Signal> inputs) { inputs_ = std::move(inputs); }
  void set_input(int index, const Signal& signal) { inputs_[static_cast<std::size_t>(index)] = signal; }
  /// What is added to the signals, nu values a lane; held until it is set again.
  VectorXT<S>& held_inputs() { return held_; }
  /// Perturbations of coordinates, instead of those before; their work counts as that of loads.
  void set_coordinate_perturbations(std::vector<CoordinatePerturbationT<S>> all) {
    coordinate_perturbations_ = std::move(all);
  }
  /// Signals are read within these times: none jumps there.
  void confine(double first, double last) { first_ = first, last_ = last; }

  /// Inputs u at a time, not confined: signals and what is held. They are those that act, clipped where a tendon is
  /// slack. @return the lanes in which a tendon that cannot push is told to.
  MaskT<S> inputs(double time, VectorOutT<S> u) const;

  /// Begins an evaluation: the configuration, whose quaternions need not be of unit norm, and the signals at the time.
  /// @return as `inputs`.
  MaskT<S> read_signals(double time, VectorInT<S> q);
  /// Accelerations and rates of the auxiliary states at what read_signals has read. Lanes without a definite mass
  /// matrix are marked in data().singular.
  void rates(double time, VectorInT<S> v, VectorInT<S> auxiliary, VectorOutT<S> a, VectorOutT<S> auxiliary_rate);

 protected:
  /// Signals and what is held, not clipped.
  void signals(double time, VectorOutT<S> u) const;
  enum Account { dissipated, input, load, k_account_count };

  double signal_time(double time) const;
  int element_state_count() const { return static_cast<int>(elements_.states.size()); }
  StateLoadsRefT<S> state_loads() const { return all_state_loads_; }
  void collect_state_loads();
  /// Loads that do not depend on the motion, into loads_.
  void read_loads(double time);
  /// Forces of inputs, of elements at elements_.states and of perturbations of coordinates into tau_; rates of
  /// elements' states. After element_motion.
  void find_forces(double time, VectorInT<S> v);
  /// That, and powers of inputs and damping.
  void apply(double time, VectorInT<S> v, VectorOutT<S> auxiliary_rate);
  /// loads_, if any is not zero, and state_load_wrenches_, one after the other, in acting_.
  void collect_acting();
  /// What implicit methods solve, at what read_signals has read: r = M a + c + g + s - nu - J^T f, without reactions of
  /// loops, and the rates of the auxiliary states. Integrals of loads are those of a step, `offset + factor rate`;
  /// `solve_states()` puts those of elements into elements_.states, where their transmissions are known.
  template <typename SolveStates>
  void residual(double time, VectorInT<S> v, VectorInT<S> a, VectorInT<S> integral_offset, double factor,
                const SolveStates& solve_states, VectorOutT<S> r, VectorOutT<S> auxiliary_rate);
  /// The part of that before the equation of motion: auxiliary states and wrenches of loads.
  template <typename SolveStates>
  void solve_auxiliary(double time, VectorInT<S> v, VectorInT<S> a, VectorInT<S> integral_offset, double factor,
                       const SolveStates& solve_states);
  /// Accelerations under tau_ and acting_, with those that are driven as they are given.
  const VectorXT<S>& solve_motion(VectorInT<S> v);
  /// How the robot moves: what forward and inverse dynamics say of their result.
  struct Motion {
    std::span<const TwistT<S>> velocity, acceleration;  ///< of nodes, node axes; accelerations with gravity inside
    const KinematicsT<S>& poses;
  };
  Motion motion() const { return {data_.velocity, data_.acceleration, data_.kinematics}; }
  /// Power of wrenches.
  static S power(std::span<const ExternalWrenchT<S>> wrenches, const Motion& motion);
  /// Power with which inertias resist their acceleration.
  static S inertia_power(std::span<const AddedInertiaT<S>> inertias, const Vector3T<S>& gravity, const Motion& motion);

  const ModelT<S>* model_;
  TimedWrenches wrenches_;
  StateLoads perturbations_, all_state_loads_;  ///< all: the model's, then the perturbations
  int account_count_, integral_count_ = 0;
  DataT<S> data_;
  double first_, last_;  ///< signals are read within
  std::vector<Signal> inputs_;
  VectorXT<S> held_, q_, u_, tau_;
  VectorXT<S> integrals_, integral_rates_;  ///< of loads, in a step
  std::vector<ExternalWrenchT<S>> loads_, state_load_wrenches_, acting_;
  std::vector<AddedInertiaT<S>> added_;
  ElementDataT<S> elements_;
  std::vector<CoordinatePerturbationT<S>> coordinate_perturbations_;
  S input_power_{}, coordinate_perturbation_power_{};
  DrivenJointsT<S> driven_joints_;  ///< empty: none
};

extern template class RobotSystemT<double>;

/// RobotSystemT of one robot as integrators and implicit methods take it, with accounts of work.
class RobotSystem final : public ImplicitSystem, private RobotSystemT<double> {
  using Engine = RobotSystemT<double>;

 public:
  using Engine::dissipated, Engine::input, Engine::load, Engine::k_account_count;

  /// @param inputs  one signal an actuator input (nu). The model must outlive the system.
  /// @param rows  of the loops' constraints, those to hold: select_constraint_rows; needed if the model has loops and
  /// an implicit method is to hold them.
  /// @param perturbations  as RobotSystemT has them.
  RobotSystem(const Model& model, std::vector<Signal> inputs, ConstraintRows rows = {}, StateLoads perturbations = {});

  ~RobotSystem() override;

  const Model& model() const override { return *model_; }
  int auxiliary_count() const override { return Engine::auxiliary_count() + control_state_count(); }
  /// Auxiliary states at the start: no work done, elements as their laws say; none of controllers.
  static VectorXd start_of_auxiliary(const Model& model);
  /// Such states with those of the controllers at their start in between.
  VectorXd with_controllers(const VectorXd& auxiliary) const;
  bool auxiliary_feeds_back() const override { return auxiliary_count() > k_account_count; }
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary, VectorOutT<double> a,
             VectorOutT<double> auxiliary_rate) override;

  void residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                const AuxiliaryStates& auxiliary, VectorOutT<double> r, VectorOutT<double> auxiliary_rate) override;
  /// `M a + rest = 0` from one sweep: M without the added inertias of loads, and the residual at a = 0.
  void equation_of_motion(double time, VectorInT<double> q, VectorInT<double> v, const AuxiliaryStates& auxiliary,
                          MatrixXd& M, VectorXd& rest);
  int stiff_auxiliary_count() const override { return element_state_count(); }
  void prepare_derivatives() override;
  const DerivativeData& residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                             const AuxiliaryStates& auxiliary, VectorInT<double> lambda) override;
  int constraint_count() const override { return static_cast<int>(rows_.kept.size()); }
  void constraints(VectorInT<double> q, VectorOutT<double> phi) override;
  const MatrixXd& constraint_jacobian(VectorInT<double> q) override;
  void constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) override;
  void spread_multipliers(VectorInT<double> lambda, VectorXd& all) const override;
  /// What has opened though the kept rows are closed (cuttle::opened_loop); empty: nothing.
  std::string opened_loop(VectorInT<double> q);
  /// @throws SimulationError that says so, at a time.
  void require_closed_loops(double time, VectorInT<double> q);

  /// Whether all bodies' forces balance power (BodyT::balances_power).
  bool balances_power() const { return balances_power_; }
  /// With the work in the auxiliary states; nothing if a body's force does not balance power.
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> auxiliary) override;

  /// Lets the motion of some coordinates be given: before an integrator is made. Null: none.
  void set_motion(std::shared_ptr<const PrescribedMotion> motion);
  std::span<const int> driven() const override;
  void impose(double time, VectorXd& q, VectorXd& v, VectorXd* a = nullptr) const override;
  void book_efforts(VectorInT<double> effort, VectorInT<double> v, VectorOutT<double> auxiliary_rate) override;
  /// Efforts on the driven coordinates in a state, in their order, under the inputs u of `inputs`: after it.
  /// @param multipliers  of the loops. NaN where there are none for them, or accelerations are not known.
  const VectorXd& motion_efforts(double time, VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary,
                                 const VectorXd& multipliers, const VectorXd& u);

  /// Controllers, each seeing what those before it set: before an integrator is made, as they may have states.
  /// @param seed  of whatever is random in them. @throws ArgumentError that names one which does not fit.
  void set_controllers(const std::vector<NamedController>& controllers, long seed = 0);
  /// Lets controllers with a clock see the robot: at the start, and after each discontinuity, once `enter` was called.
  /// @param multipliers  of the loops, for sensors; may be empty.
  void sample(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary,
              const VectorXd& multipliers = {});

  /// Their states stand among the auxiliary ones from here on, after the integrals of loads.
  int first_control_state() const { return k_account_count + integral_count_; }
  int control_state_count() const { return control_state_count_; }
  /// Adds what controllers set to u, the signals before them.
  void control(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary, VectorXd& u);
  /// How their states change then, one after the other.
  void control_rates(VectorOutT<double> rates) const;

  /// The constant references of the controllers, and how to move one of them: between two steps of an integrator that
  /// is restarted then.
  struct ControllerSetPoint {
    int controller, index;  ///< of the controllers, of its own (ControlLaw::set_points)
    SetPoint set_point;
  };
  std::vector<ControllerSetPoint> set_points() const;
  void move_set_point(int controller, int index, double value);

  /// What the sensors measure in a state, under the inputs u of `inputs`: after it, in the order of recorded_sensors.
  /// @param multipliers  of the loops; if there are none for them, readings that depend on accelerations are NaN.
  const VectorXd& sense(double time, VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary,
                        const VectorXd& multipliers, const VectorXd& u);

  /// Elements in a state, under the inputs u of `inputs`: energy that they store, and their outputs.
  const ElementData& elements(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                              const VectorXd& u);

  /// Both between two steps of an integrator that is restarted then.
  using Engine::set_coordinate_perturbations, Engine::set_input;
  /// Added to the signals until it is set again.
  using Engine::held_inputs;

  /// Times in (0, infinity) at which an input or a load jumps or bends, ascending; those of controllers' clocks until a
  /// time alone.
  std::vector<double> discontinuities(double until) const;
  /// Confines signals to one stretch between discontinuities: `begin` takes the value from the right, `end` the value
  /// from the left, so that a step that ends on a jump does not see it.
  void enter(double begin, double end);
  /// Inputs u at a time and in a state, not confined to the stretch; at a jump, the value from the right. They are
  /// those that act: clipped where a tendon is slack.
  /// @throws SimulationError naming a tendon that cannot push and is told to, or a controller that is not finite.
  void inputs(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, VectorXd& u);
  /// What the controllers record (recorded_controllers), after `inputs` of the same arguments.
  void record_controllers(double time, const VectorXd& q, const VectorXd& v, VectorXd& numbers);
  /// Actuation coordinates y(q) with nu = (dy/dq)^T u.
  void actuation(const VectorInT<double>& q, VectorOutT<double> y);

  /// Called at every evaluation with its time; what it throws ends the simulation.
  std::function<void(double)> heartbeat;

 private:
  /// `rates` of a motion that is as given where it is driven.
  void true_rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary,
                  VectorOutT<double> a, VectorOutT<double> auxiliary_rate);
  /// Signals, then inputs in the state. @throws as `inputs`.
  void read_inputs(double time, VectorInT<double> q, VectorInT<double> v, const AuxiliaryStates& auxiliary);
  /// Lets controllers know the auxiliary states.
  void split(VectorInT<double> auxiliary);
  /// Signals, controllers, and tendons that are slack.
  void act(double time, const VectorXd& q, const VectorXd& v, const AuxiliaryStates& auxiliary, VectorXd& u);
  /// A state, for what follows: q_, and in senses_ the velocity.
  void begin_senses(VectorInT<double> q, VectorInT<double> v, const VectorXd& auxiliary);
  /// Accelerations at q_ and u_, into a, and efforts of driven joints.
  void find_acceleration(double time, VectorInT<double> v, const VectorXd& multipliers, VectorXd& a);
  /// How the inputs that controllers set change with the motion, into derivatives_.
  void control_slopes(double time, VectorInT<double> v, const AuxiliaryStates& auxiliary);
  /// Subtracts them, after the slopes of elements.
  void subtract_control_slopes();
  /// Motion and states of elements.
  void move_elements(VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary);
  /// Begins an evaluation. @throws as `inputs`, and SimulationError for a state that is not finite.
  void begin(double time, VectorInT<double> q, VectorInT<double> v, const AuxiliaryStates& auxiliary);
  /// Subtracts how the loads of state_loads() change with the motion, after inverse_dynamics_derivatives.
  void subtract_state_load_slopes(double coupling);
  /// Engine::solve_auxiliary with the states of elements solved for.
  void solve_auxiliary(double time, VectorInT<double> v, VectorInT<double> a, const AuxiliaryStates& auxiliary);
  /// Solves for the states of elements.
  auto state_solver(double time, const AuxiliaryStates& auxiliary);

  bool balances_power_;
  struct Derivatives;
  std::unique_ptr<Derivatives> derivatives_;  ///< made when an implicit method asks for them
  struct Senses;
  std::unique_ptr<Senses> senses_;  ///< made when somebody asks for what sensors measure
  struct Readings;
  struct ControllerAtWork {
    NamedController given;
    std::unique_ptr<ControlLaw> law;
    ControlColumns columns;
    VectorXd offset, state, rates;       ///< of its states, as they are given, as they are, and how they change
    VectorXd seen, output;               ///< inputs before it, and what it adds
    std::unique_ptr<Readings> readings;  ///< of a law that reads sensors at every instant
  };
  std::vector<ControllerAtWork> controllers_;
  int control_state_count_ = 0;
  std::shared_ptr<const PrescribedMotion> motion_;
  VectorXd driven_q_, driven_v_;  ///< a motion with the driven part as it is given
  VectorXd motion_efforts_;
  VectorXd v_;             ///< velocities
  VectorXd robot_states_;  ///< auxiliary ones without those of controllers
  VectorXd auxiliary_;     ///< all of them
  ConstraintRows rows_;
  std::optional<ConstraintData> constraints_;  ///< of a model with loops
  MatrixXd jacobian_;                          ///< of the kept rows
  VectorXd multipliers_;                       ///< of all rows
};

}  // namespace cuttle
