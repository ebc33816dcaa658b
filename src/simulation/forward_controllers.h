#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "control/control_loop.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/run_parameter.h"

namespace cuttle {

/// A robot and its controllers with one number a little different. The model is shared where the robot is the same.
struct ControlledVariant {
  std::shared_ptr<const Model> model;
  std::vector<NamedController> controllers;
};
/// @param direction  of ForwardDual.   @param steps  how far along it, in units of ForwardControllers::k_step.
using MakeVariant = std::function<ControlledVariant(int direction, double steps)>;

/// One with a number of the run changed.
/// @throws Error for a value that the number cannot have, ArgumentError where the robot then has other states.
ControlledVariant variant(const Model& model, const std::vector<NamedController>& controllers,
                          const RunParameter& number, double change);

/// Variants along a number, each made once.
class VariantsAlong {
 public:
  /// All must outlive this.
  VariantsAlong(const Model& model, const std::vector<NamedController>& controllers, const RunParameter& number)
      : model_(model), controllers_(controllers), number_(number) {}
  /// @throws as variant.
  const ControlledVariant& at(double change) {
    const auto found = made_.find(change);
    if (found != made_.end()) return found->second;
    return made_.emplace(change, variant(model_, controllers_, number_, change)).first->second;
  }

 private:
  const Model& model_;
  const std::vector<NamedController>& controllers_;
  const RunParameter& number_;
  std::map<double, ControlledVariant> made_;
};

/// To which side of where it is something may be changed: 0 either way; 1 or -1 at a bound, as of a damping of zero.
/// @param change  asks for it, changed to a side (1 or -1). @throws what it throws where neither side exists.
int open_side(const std::function<void(int side)>& change);
/// @throws ArgumentError for a number of the robot beside which it has other states, as a friction of zero: there are
/// none to have derivatives.
void require_same_states(const Model& model, const RunParameter& number);

/// What the controllers of a run set, with derivatives.
///
/// Laws without a clock and without states (Controller::acts_at_every_instant) say exactly how what they set changes
/// with the motion and with the signals before them. In directions that change neither robot nor controllers that is
/// all.
///
/// Any other law is a function of doubles, which may remember what it saw at samples, and may hang on the robot in any
/// way: an equation of motion, a Riccati equation, a path of equilibria. So each direction has six copies of the robot
/// at work beside the run, at one to three steps to either side along it, each with the motion that the derivatives say
/// and with memory of its own. Differences of order six of what they set are its derivatives: to some 1e-10 where a
/// change of the number by itself changes the motion by no more than ten times itself. Of a number at a bound there are
/// seven, at none to six steps away from it. Two more are a hundredth of a step beside the run, and two a hundredth of
/// that. Where the law bends within the steps, as at a limit, the differences disagree, and those of the near ones
/// count. Where it bends just where the run is, they are a mean of both sides.
class ForwardControllers {
 public:
  /// A step along a direction, in units of its scale.
  static constexpr double k_step = 2e-3;

  /// @param plain  the robot without derivatives, with its controllers; outlives this.
  /// @param scales  of the directions.   @param seed  of noise, the same in all copies.
  /// @throws ArgumentError for a controller that cannot run in copies.
  ForwardControllers(RobotSystem& plain, const std::vector<NamedController>& controllers, long seed,
                     const std::vector<double>& scales, const MakeVariant& make);

  int state_count() const { return plain_.layout().controllers; }
  /// As RobotSystem's, of all copies; `plain` is led by its own.
  void confine(double begin, double end);
  void start(VectorOutT<ForwardDual> states) const;

  /// @param auxiliary  integrals of loads, states of controllers, states of elements.   @param signals  of the inputs.
  void sample(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
              const VectorXT<ForwardDual>& auxiliary, const VectorXT<ForwardDual>& signals);
  /// Adds what they set to the signals u, and finds the rates of their states. @param offset, factor, stiff_factor  of
  /// AuxiliaryStates.
  void control(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
               const VectorXT<ForwardDual>& offset, double factor, double stiff_factor, VectorXT<ForwardDual>& u,
               VectorXT<ForwardDual>& rates);

  /// What laws with a clock hold in each copy (ControlLoop::held).
  std::vector<VectorXd> held() const;
  void hold(const std::vector<VectorXd>& held);

  /// Whether a direction, or all, have the controllers' own derivatives, and no copies.
  bool is_exact(int direction) const;
  bool is_exact() const { return copies_.empty(); }

 private:
  struct Copy {
    std::shared_ptr<const Model> model;
    std::unique_ptr<RobotSystem> system;
    int direction;
    double change;                  ///< along it, in units of the number
    std::array<double, 3> weights;  ///< of what it sets in the differences: by large, short and the shortest steps
  };
  /// What copies set along their directions: a row a component, a column a direction.
  struct Changes {
    std::array<MatrixXd, 3> differences;
    void clear(Eigen::Index count);
    void add(const Copy& copy, const VectorXd& set);
    /// Adds those that count to the derivatives. @param steps  of the directions.
    void add_to(VectorOutT<ForwardDual> x, const std::vector<double>& steps) const;
  };
  /// The motion of a copy, or that of the run itself, into state_. @return it, for the copy's controllers.
  ControlLoop::Instant move(const Copy* copy, double time, const VectorXT<ForwardDual>& q,
                            const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& auxiliary);

  /// What the controllers set along the directions that have no copies, after `add_inputs` of the run's own.
  void add_exact(const ControlLoop::Instant& at, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                 const VectorXT<ForwardDual>& signals, VectorXT<ForwardDual>& u);

  RobotSystem& plain_;
  std::vector<int> exact_;  ///< directions without copies
  std::vector<Copy> copies_;
  std::vector<double> steps_;  ///< of the directions, in units of their numbers; 0: no copies
  Changes of_inputs_, of_rates_;
  MatrixXd by_q_, by_v_, by_signals_, by_held_;
  State state_;  ///< of the copy that is asked
  VectorXd u_, change_, dq_, dv_, du_;
};

/// Along numbers of a run. @return null without controllers.
std::unique_ptr<ForwardControllers> controllers_along(RobotSystem& plain,
                                                      const std::vector<NamedController>& controllers, long seed,
                                                      const std::vector<RunParameter>& numbers);

}  // namespace cuttle
