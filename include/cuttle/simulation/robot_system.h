#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/model/data.h"
#include "cuttle/simulation/hands.h"
#include "cuttle/simulation/implicit_system.h"

namespace cuttle {

/// Equation of motion of a robot, or of a pack of robots side by side, under inputs and loads: `M a + c + g + s =
/// nu(q, u) + J^T f`, solved for a. Everything that simulates takes its rates from here: the integrators by
/// RobotSystem, roll-outs of batches directly.
///
/// Beside q and v there are extra states. With accounts the first three are the work since the start [J], so that
/// `E - E(0) = input + load - dissipated` can be checked: they integrate the powers `v . s_d`, `v . nu` and `v . J^T f`
/// with the same method and error control as the motion. The work of a fluid that is moved along holds its kinetic
/// energy. An element with inputs counts as input with what it takes from outside, another as dissipation with what it
/// loses. The integrals of loads that keep some (drones) follow, then the states of elements. Memory is made once,
/// here.
template <typename S>
class RobotSystemT {
 public:
  enum class Accounts { none, work };
  /// A robot's own loads; those of the lanes of a pack differ in their signals.
  using LoadsOfLanes = std::vector<const std::vector<Load>*>;
  using StateLoads = std::vector<std::shared_ptr<const StateLoadT<S>>>;

  /// @param lanes  one list a lane of S. Model and lists must outlive the system.
  /// @param perturbations  loads that depend on the motion beside those of the robot, whose work counts as theirs; at
  /// frames of the model.
  RobotSystemT(const ModelT<S>& model, LoadsOfLanes lanes, Accounts accounts, StateLoads perturbations = {});

  /// Goes on with another model of the same sizes and loads, in the memory that is there.
  void serve(const ModelT<S>& model, const LoadsOfLanes& lanes);

  const ModelT<S>& model() const { return *model_; }
  DataT<S>& data() { return data_; }
  int extra_count() const { return account_count_ + integral_count_ + element_state_count(); }

  /// One signal an actuator input, the same for all lanes; none: zero.
  void set_inputs(std::vector<Signal> inputs) { inputs_ = std::move(inputs); }
  void set_input(int index, const Signal& signal) { inputs_[static_cast<std::size_t>(index)] = signal; }
  /// What is added to the signals, nu values a lane; held until it is set again.
  VectorXT<S>& held_inputs() { return held_; }
  /// Hands on coordinates, instead of those before; their work counts as that of loads. One robot has them, not a pack.
  void set_coordinate_hands(std::vector<CoordinateHand> hands) { coordinate_hands_ = std::move(hands); }
  /// Signals are read within these times: none jumps there.
  void confine(double first, double last) { first_ = first, last_ = last; }

  /// Inputs u at a time, not confined: signals and what is held. They are those that act, clipped where a tendon is
  /// slack. @return the lanes in which a tendon that cannot push is told to.
  MaskT<S> inputs(double time, VectorOutT<S> u) const;

  /// Begins an evaluation: the configuration, whose quaternions need not be of unit norm, and the signals at the time.
  /// @return as `inputs`.
  MaskT<S> read_signals(double time, VectorInT<S> q);
  /// Accelerations and rates of the extra states at what read_signals has read. Lanes without a definite mass matrix
  /// are marked in data().singular.
  void rates(double time, VectorInT<S> v, VectorInT<S> extra, VectorOutT<S> a, VectorOutT<S> extra_rate);

 protected:
  enum Account { dissipated, input, load, k_account_count };

  double signal_time(double time) const;
  int element_state_count() const { return static_cast<int>(elements_.states.size()); }
  StateLoadsRefT<S> state_loads() const { return all_state_loads_; }
  void collect_state_loads();
  /// Loads that do not depend on the motion, into loads_.
  void read_loads(double time);
  /// Forces of inputs, of elements at elements_.states and of hands on coordinates into tau_; powers of inputs and
  /// damping; rates of elements' states. After element_motion.
  void apply(double time, VectorInT<S> v, VectorOutT<S> extra_rate);
  /// loads_, if any is not zero, and state_load_wrenches_, one after the other, in acting_.
  void collect_acting();
  /// Power of the first of acting_, after a sweep with them.
  S power(std::size_t count) const;
  /// Power of the loads that depend on the motion, after forward_dynamics with them.
  S state_load_power() const;

  const ModelT<S>* model_;
  LoadsOfLanes lanes_;
  StateLoads perturbations_, all_state_loads_;  ///< all: the model's, then the perturbations
  int account_count_, integral_count_ = 0;
  DataT<S> data_;
  double first_, last_;  ///< signals are read within
  std::vector<Signal> inputs_;
  VectorXT<S> held_, q_, u_, tau_;
  std::vector<ExternalWrenchT<S>> loads_, state_load_wrenches_, acting_;
  std::size_t acting_loads_ = 0;  ///< of loads_, the first in acting_
  std::vector<AddedInertiaT<S>> added_;
  ElementDataT<S> elements_;
  std::vector<CoordinateHand> coordinate_hands_;
  S coordinate_hand_power_{};
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
  int extra_count() const override { return Engine::extra_count(); }
  /// Extra states at the start: no work done, elements as their laws say.
  static VectorXd start_of_extra(const Model& model);
  bool extra_feeds_back() const override { return extra_count() > k_account_count; }
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra, VectorOutT<double> a,
             VectorOutT<double> extra_rate) override;

  void residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a, const ExtraStates& extra,
                VectorOutT<double> r, VectorOutT<double> extra_rate) override;
  int stiff_extra_count() const override { return element_state_count(); }
  void prepare_derivatives() override;
  const DerivativeData& residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                             const ExtraStates& extra, VectorInT<double> lambda) override;
  int constraint_count() const override { return static_cast<int>(rows_.kept.size()); }
  void constraints(VectorInT<double> q, VectorOutT<double> phi) override;
  const MatrixXd& constraint_jacobian(VectorInT<double> q) override;
  void constraint_bias(VectorInT<double> q, VectorInT<double> v, VectorOutT<double> bias) override;
  void spread_multipliers(VectorInT<double> lambda, VectorXd& all) const override;

  /// Whether all bodies' forces balance power (BodyT::balances_power).
  bool balances_power() const { return balances_power_; }
  /// With the work in the extra states; nothing if a body's force does not balance power.
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> extra) override;

  /// Energy that elements store [J].
  double stored_energy(VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra);

  /// Both between two steps of an integrator that is restarted then.
  using Engine::set_coordinate_hands, Engine::set_input;

  /// Times in (0, infinity) at which an input or a load jumps or bends, ascending.
  std::vector<double> discontinuities() const;
  /// Confines signals to one stretch between discontinuities: `begin` takes the value from the right, `end` the value
  /// from the left, so that a step that ends on a jump does not see it.
  void enter(double begin, double end);
  /// Inputs u at a time, not confined to the stretch; at a jump, the value from the right. They are those that act:
  /// clipped where a tendon is slack.
  /// @throws SimulationError naming a tendon that cannot push and is told to.
  void inputs(double time, VectorOutT<double> u) const;
  /// Actuation coordinates y(q) with nu = (dy/dq)^T u.
  void actuation(const VectorInT<double>& q, VectorOutT<double> y);

  /// Called at every evaluation with its time; what it throws ends the simulation.
  std::function<void(double)> heartbeat;

 private:
  /// Begins an evaluation. @throws as `inputs`, and SimulationError for a state that is not finite.
  void begin(double time, VectorInT<double> q, VectorInT<double> v);
  /// Subtracts how the loads of state_loads() change with the motion, after inverse_dynamics_derivatives.
  void subtract_state_load_slopes(double coupling);
  /// Integrals of loads and states of elements of a step, into integrals_ and elements_.states.
  void solve_extra(double time, VectorInT<double> v, const KinematicsT<double>* kinematics, const ExtraStates& extra);

  bool balances_power_;
  struct Derivatives;
  std::unique_ptr<Derivatives> derivatives_;  ///< made when an implicit method asks for them
  VectorXd integrals_, integral_rates_;
  ConstraintRows rows_;
  std::optional<ConstraintData> constraints_;  ///< of a model with loops
  MatrixXd jacobian_;                          ///< of the kept rows
  VectorXd multipliers_;                       ///< of all rows
};

}  // namespace cuttle
