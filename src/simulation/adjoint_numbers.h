#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/worth_of_numbers.h"
#include "simulation/forward_system.h"
#include "simulation/run_parameter.h"
#include "simulation/state_adjoint.h"

namespace cuttle {

/// Where a run goes back: a motion that solves the equation of motion, and what its equations are worth to the scalar.
struct AdjointInstant {
  /// What else is zero there: nothing, the loops' rows at `closed_q`, or their second derivatives.
  enum class Closing { none, position, acceleration };

  double time;
  const VectorXd &q, &v, &a;
  const VectorXd& force;   ///< worth of the equations of motion, nv: d scalar / d (force that acts)
  const VectorXd& lambda;  ///< multipliers of the loops' rows, m
  Closing closing = Closing::none;
  const VectorXd& closed_q = q;            ///< where rows are closed
  const VectorXd& worth_of_rows = lambda;  ///< of what closes the loops, m
  double closed_time = time;

  /// If controllers, elements or contacts have states: all auxiliary ones with their factors, as
  /// RobotSystem::residual takes them, and what the rates of those are worth. Null: they have none.
  const VectorXd *auxiliary = nullptr, *by_state_rate = nullptr;
  double factor = 0.0, stiff_factor = 0.0;
};

/// The numbers that act while a run goes on: signals of inputs, nu, then numbers of the robot, of its controllers and
/// of its driven motion, then what laws with a clock hold (ControlLoop::held).
class AdjointNumbers {
 public:
  /// @param system  outlives it. @param setup  of the system. @param numbers  of the robot, then of controllers, then
  /// of the driven motion. @param scenario  that drives it; null: nothing is driven.
  explicit AdjointNumbers(RobotSystem& system, const RobotSystem::Setup& setup = {},
                          const std::vector<RunParameter>& numbers = {}, const Scenario* scenario = nullptr);

  int count() const { return model_.nu() + given_count() + held_count_; }
  const std::vector<std::string>& robot_paths() const { return robot_paths_; }
  /// Of the robot, of controllers and of the driven motion.
  int given_count() const { return robot_count_ + controller_count_ + motion_count_; }
  /// The stretch in which signals are read, of the system too.
  void confine(double begin, double end);
  /// Lets the system's controllers see the robot in a state, with all copies of theirs.
  void sample(double time, const State& state);
  /// What copies of controllers hold, along each eight numbers.
  std::vector<std::vector<VectorXd>> held() const;
  void hold(const std::vector<std::vector<VectorXd>>& held);
  /// d scalar / d number of what acts at that instant alone, count.
  VectorXd worth(const AdjointInstant& at);
  /// How forces, and behind them rates of controllers' states, follow signals and what is held: a row each.
  /// @param at  its worths are not looked at.
  MatrixXd by_signals_and_held(const AdjointInstant& at);
  /// Of `worth` the part of given numbers.
  VectorXd worth_of_given(const AdjointInstant& at);
  /// Whether any number is of the driven motion.
  bool moves_driven() const { return driven_ != nullptr; }
  /// What a motion at a time is worth through what is driven, count. @param by_q, by_v, by_a  worth of coordinates, of
  /// which those that are driven are looked at.
  VectorXd worth_of_driven(double time, const VectorXd& by_q, const VectorXd& by_v, const VectorXd& by_a) const;
  /// d scalar / d number of the robot through touch-downs at an instant, count.
  VectorXd worth_of_touches(const StateAdjoint::Instant& at, const std::vector<WorthOfTouch>& touches);
  /// d scalar / d given number through the states that controllers and elements begin with.
  /// @param by_states  what states of controllers, elements and contacts are worth at the start.
  VectorXd worth_of_start(const VectorXd& by_states) const;
  /// @param numbers  as they were given. @throws ArgumentError if one moves closed loops in a start that is given.
  void require_closed_start(const std::vector<RunParameter>& numbers, const State& start) const;
  /// @throws ArgumentError if there are numbers of the robot, through which `what` has no way back.
  void refuse_of_robot(const char* what) const;

 private:
  /// What a number is followed through with derivatives: the whole equation of motion; or, beside WorthOfNumbers, what
  /// else acts; or what controllers set alone; or nothing more.
  enum class Through { all, acting, controllers, tree };
  /// Along eight numbers at most.
  struct Group {
    ModelT<ForwardDual> model;
    std::unique_ptr<ForwardSystem> system;
    std::vector<Eigen::Index> places;  ///< of each among the given numbers
    Through through;
  };

  Through through(std::size_t number) const;
  void add_group(const RobotSystem::Setup& setup, const std::vector<RunParameter>& numbers, const Scenario* scenario,
                 std::vector<Eigen::Index> places, Through through, ModelT<ForwardDual> variable);

  void add_worth_of_control_rates(const AdjointInstant& at, VectorXd& worth);
  void add_worth_along_tree(const AdjointInstant& at, VectorXd& worth);
  /// What inputs without laws are worth.
  VectorXd worth_of_actuators(const AdjointInstant& at);
  void find_control_rate_slopes(const AdjointInstant& at);

  const Model& model_;
  RobotSystem& system_;
  StateAdjoint states_;
  Data data_;
  std::unique_ptr<WorthOfNumbers> along_tree_;  ///< of numbers of the robot; null: there are none
  std::vector<std::unique_ptr<Group>> groups_;
  int robot_count_ = 0, controller_count_ = 0, motion_count_ = 0, held_count_ = 0;
  std::shared_ptr<const MotionSlopes> driven_;  ///< null: no number is of driven motion
  std::vector<std::string> robot_paths_;
  VectorXd no_states_;
  MatrixXd by_signals_, by_held_, rates_by_signals_, rates_by_held_;
  VectorXT<ForwardDual> residual_, auxiliary_rate_;
};

}  // namespace cuttle
