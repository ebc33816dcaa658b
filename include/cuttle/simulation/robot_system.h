#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/model/data.h"
#include "cuttle/simulation/hands.h"
#include "cuttle/simulation/implicit_system.h"

namespace cuttle {

/// Equation of motion of a robot under inputs and loads, `M a + c + g + s = nu(q, u) + J^T f`. The first extra states
/// are the work since the start [J], so that `E - E(0) = input + load - dissipated` can be checked: they integrate the
/// powers `v . s_d`, `v . nu` and `v . J^T f` with the same method and error control as the motion. The work of a fluid
/// that is moved along holds its kinetic energy. The integrals of loads that keep some (drones) follow.
class RobotSystem final : public ImplicitSystem {
 public:
  enum Extra { dissipated, input, load, k_extra_count };

  /// @param inputs  one signal an actuator input (nu). The model must outlive the system.
  /// @param rows  of the loops' constraints, those to hold: select_constraint_rows; needed if the model has loops and
  /// an implicit method is to hold them.
  /// @param hands  loads beside those of the robot, whose work counts as theirs; at frames of the model.
  RobotSystem(const Model& model, std::vector<Signal> inputs, ConstraintRows rows = {},
              std::vector<std::shared_ptr<const PointHand>> hands = {});

  const Model& model() const override { return model_; }
  int extra_count() const override { return extra_count(model_); }
  static int extra_count(const Model& model);
  bool extra_feeds_back() const override { return extra_count() > k_extra_count; }
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> extra, VectorOutT<double> a,
             VectorOutT<double> extra_rate) override;

  void residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a, VectorInT<double> extra,
                VectorOutT<double> r, VectorOutT<double> extra_rate) override;
  void prepare_derivatives() override;
  const DerivativeData& residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                             VectorInT<double> extra, VectorInT<double> lambda) override;
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

  /// Another signal of an input, between two steps of an integrator that is restarted then.
  void set_input(int index, const Signal& signal) { inputs_[static_cast<std::size_t>(index)] = signal; }
  /// Hands on coordinates, instead of those before; their work counts as that of loads. Likewise.
  void set_coordinate_hands(std::vector<CoordinateHand> hands) { coordinate_hands_ = std::move(hands); }

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
  /// Forces of inputs into tau_ and u_, loads that do not depend on the motion into loads_; powers of inputs and
  /// damping. @return the time for signals.
  double apply(double time, VectorInT<double> q, VectorInT<double> v, VectorOutT<double> extra_rate);
  /// Those of loads_ and state_loads_ that act, one after the other, in acting_; loads_ are the first `acting_loads_`.
  void collect_acting();
  /// Power of acting_[first .. last), after a sweep with them.
  double power(std::size_t first, std::size_t last) const;
  /// Power of the loads that depend on the state, after forward_dynamics with them.
  double state_load_power() const;
  /// Adds the wrenches of the hands to state_loads_, from the motion in data_.kinematics.
  void add_hands(double time);
  std::size_t own_count() const { return added_.size(); }
  FrameMotionT<double> motion_at(const Frame& frame) const;
  /// Subtracts how such loads change with the motion, after inverse_dynamics_derivatives.
  void subtract_state_load_slopes();

  const Model& model_;
  std::vector<Signal> inputs_;
  Data data_;
  bool balances_power_;
  double first_, last_;  // signals are evaluated within
  VectorXd q_, u_, tau_;
  std::vector<ExternalWrench> loads_, state_loads_, acting_;
  std::size_t acting_loads_ = 0;
  std::vector<AddedInertia> added_;
  std::vector<std::shared_ptr<const PointHand>> hands_;  ///< their wrenches are the last of state_loads_
  std::vector<CoordinateHand> coordinate_hands_;
  double coordinate_hand_power_ = 0.0;
  // made when an implicit method asks for derivatives
  struct Derivatives {
    Derivatives(const Model& model, std::size_t state_loads);
    DerivativeData dynamics;
    FrameDerivatives frame;
    std::vector<StateLoadDerivativeT<double>> loads;
    std::vector<ExternalWrench> external;
    MatrixXd change;
  };
  std::optional<Derivatives> derivatives_;
  ConstraintRows rows_;
  std::optional<ConstraintData> constraints_;  ///< of a model with loops
  MatrixXd jacobian_;                          ///< of the kept rows
  VectorXd multipliers_;                       ///< of all rows
};

}  // namespace cuttle
