#pragma once

#include <memory>
#include <vector>

#include "cuttle/simulation/robot_system.h"
#include "simulation/touch_downs.h"

namespace cuttle {

/// Transposed derivatives of a robot whose loads, controllers, elements and contacts keep states: what a residual and
/// the rates of states are worth to the motion and to the states. Those of controllers come from their laws, all others
/// from the equation of motion with derivatives, eight directions at a time.
class StateAdjoint {
 public:
  /// @param system  outlives this. @throws ArgumentError for a law of an element that exists for double alone.
  explicit StateAdjoint(RobotSystem& system);
  ~StateAdjoint();

  /// Where states that feed back stand: there are no works.
  const StateLayout& layout() const { return layout_; }
  int count() const { return layout_.size(); }
  /// The first of them, which a step takes along by its rates at both ends: of loads and controllers.
  int slow() const { return layout_.integrals + layout_.controllers; }
  int stiff() const { return stiff_; }
  bool elements_take_inputs() const { return elements_take_inputs_; }

  /// Where and how the equation of motion was asked, as RobotSystem::residual.
  struct Instant {
    double time;
    const VectorXd &q, &v, &a;
    const VectorXd& offset;  ///< all auxiliary states
    double factor, stiff_factor;
  };
  /// What the rates of the states are worth to the motion, along integrate(q, dq) and by velocities, nv each.
  /// @param by_rate  what the rates are worth.
  void to_motion(const Instant& at, const VectorXd& by_rate, VectorXd& by_q, VectorXd& by_v);
  /// What touch-downs at that instant are worth to the motion there, likewise.
  void touches_to_motion(const Instant& at, const std::vector<WorthOfTouch>& touches, VectorXd& by_q, VectorXd& by_v);
  /// Of a robot whose contacts have states.
  const std::vector<SitePlace>& site_places() const;
  /// What they and the residual are worth to the offsets of the states. States that rest where nothing touches have no
  /// past: zero. @param by_residual  what the residual is worth, nv.
  void to_states(const Instant& at, const VectorXd& by_residual, const VectorXd& by_rate, VectorXd& by_offset);

  /// What they and the residual are worth to the inputs, as if no slack took any of them away, nu.
  VectorXd to_inputs(const Instant& at, const VectorXd& by_residual, const VectorXd& by_rate);

  /// Of the inputs, as if no slack took any of them away.
  struct InputSlopes {
    MatrixXd forces;  ///< nv x nu
    MatrixXd rates;   ///< of the states of elements and contacts, stiff() x nu
  };
  InputSlopes input_slopes(const Instant& at);
  /// How the equation of motion follows the states, and their rates the motion and these. States that rest where
  /// nothing touches change nothing.
  struct StateSlopes {
    MatrixXd forces;                ///< nv x states
    MatrixXd by_q, by_v, by_state;  ///< of the rates, states x nv each, and states x states
  };
  /// @param at  with factors 0.
  StateSlopes state_slopes(const Instant& at);

 private:
  struct Memory;
  /// Calls use(direction, k) with where derivatives along it stand in the memory's rates, and in the work of what acts
  /// along these weights, or in its residual. @param directions q, then v, then the robot's own states, then the
  /// inputs.
  /// @param weights  of the residual, of which states and inputs change no more than what acts; null: the residual is
  /// asked for.
  template <typename Use>
  void along(const Instant& at, const std::vector<int>& directions, const VectorXd* weights, const Use& use);

  /// From worth of inputs to that of what is set for them, at the last act.
  VectorXd before_slack(VectorXd by_inputs) const;
  /// Adds those of the robot's own states, at given inputs.
  void add_own_slopes(const Instant& at, StateSlopes& slopes);
  /// Drops columns of inputs that a slack takes away, at the last act.
  void drop_slack(MatrixXd& by_inputs) const;
  /// Directions of the robot's own states that do not rest where nothing touches.
  std::vector<int> states_at_work(const Instant& at);
  /// The robot's own states are those of loads, elements and contacts. Where one stands among all that feed back.
  int place(int own) const { return own < layout_.integrals ? own : own + layout_.controllers; }
  /// What rates of the robot's own states are worth along direction k of the last call.
  double worth_along(const VectorXd& by_rate, std::size_t k) const;
  /// Lets the controllers act. @return the signals before them.
  const VectorXd& act(const Instant& at);

  RobotSystem& system_;
  StateLayout layout_;
  int stiff_, own_;
  bool elements_take_inputs_;
  std::unique_ptr<Memory> memory_;  ///< null without own states, and elements with inputs
  Data data_;
  VectorXd q_, signals_, u_;
  MatrixXd rates_by_q_, rates_by_v_;
};

}  // namespace cuttle
