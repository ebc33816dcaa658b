#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/acting_forces.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/forward_controllers.h"
#include "simulation/motion_slopes.h"

namespace cuttle {

/// How an input changes with a number that its signal is made of.
struct InputSlope {
  int input;
  int direction;  ///< of ForwardDual
  Signal slope;   ///< d u/d number, in time
};

/// A RobotSystem with derivatives in up to eight directions: those of parameters are in the model, those of signals in
/// the slopes, and states carry theirs. Auxiliary states are those that feed back alone: there are no accounts of work.
class ForwardSystem final {
 public:
  /// @param variable  the model of `plain`, with derivatives; both outlive the system.
  /// @param scales  of the numbers that the directions stand for, one a direction: sizes, as tolerances take them.
  /// @param controllers  what those of the plain system set, with derivatives; null: there are none.
  /// @param varies_robot  whether a direction is along a number of the robot.
  /// @param driven  of the directions; null: what is driven follows none of them.
  ForwardSystem(RobotSystem& plain, const ModelT<ForwardDual>& variable, std::vector<Signal> inputs,
                std::vector<InputSlope> slopes, std::vector<double> scales,
                std::unique_ptr<ForwardControllers> controllers, bool varies_robot = true,
                std::shared_ptr<const MotionSlopes> driven = nullptr);

  const ModelT<ForwardDual>& model() const { return equation_.model(); }
  DataT<ForwardDual>& data() { return equation_.data(); }
  const StateLayout& layout() const { return equation_.layout(); }
  int auxiliary_count() const { return layout().size(); }
  /// Null without.
  ForwardControllers* controllers() { return controllers_.get(); }
  bool has_controllers() const { return controllers_ != nullptr; }
  /// As EquationOfMotionT::sites.
  const SitesT<ForwardDual>* sites() const { return equation_.sites(); }
  /// Whether directions are along initial states and signals alone, of a robot without loops, driven joints and states
  /// of other kinds: derivatives are then products with those of the plain system, and no arithmetic with directions.
  bool is_tangent() const { return is_tangent_ && moves_alone_; }
  /// Where it is: the derivatives of a residual at a motion, by those of the plain system there. Its values are zero.
  void tangent_residual(const DerivativeData& derivatives, double time, const VectorXT<ForwardDual>& q,
                        const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& a, VectorXT<ForwardDual>& r);
  /// The same robot without derivatives. Its auxiliary states have works in front, these have not.
  RobotSystem& plain() { return plain_; }
  const std::vector<double>& scales() const { return scales_; }
  /// At the start of a run: integrals are zero, elements as their laws say.
  VectorXT<ForwardDual> start_of_auxiliary() const;

  /// As RobotSystem::enter, of both systems.
  void enter(double begin, double end);
  /// As RobotSystem::sample, of both systems.
  void sample(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
              const VectorXT<ForwardDual>& auxiliary);
  /// Inputs that act at a time and in a state, not confined to a stretch.
  const VectorXT<ForwardDual>& inputs(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                      const VectorXT<ForwardDual>& auxiliary);

  /// Coordinates of the velocity whose motion is given: it depends on numbers of that alone.
  std::span<const int> driven() const { return plain_.driven(); }
  /// Whether a direction is along a number of the driven motion.
  bool moves_driven() const { return driven_slopes_ != nullptr; }
  /// As System::impose.
  void impose(double time, VectorXT<ForwardDual>& q, VectorXT<ForwardDual>& v,
              VectorXT<ForwardDual>* a = nullptr) const;
  void rates(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
             const VectorXT<ForwardDual>& auxiliary, VectorXT<ForwardDual>& a, VectorXT<ForwardDual>& auxiliary_rate);
  /// As ImplicitSystem::residual. @param offset, factor, stiff_factor  of AuxiliaryStates.
  void residual(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                const VectorXT<ForwardDual>& a, const VectorXT<ForwardDual>& offset, double factor, double stiff_factor,
                VectorXT<ForwardDual>& r, VectorXT<ForwardDual>& auxiliary_rate);
  /// Of w . r at such an instant the part of ActingForces::work, and with it the inputs that act, valid until the next
  /// call, and the rates of auxiliary states. @param actuators  as there; null: inputs and rates of controllers alone.
  struct Acting {
    ForwardDual work;
    const VectorXT<ForwardDual>& inputs;
  };
  Acting acting(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                const VectorXT<ForwardDual>& a, const VectorXT<ForwardDual>& offset, double factor, double stiff_factor,
                const VectorXd& weights, std::optional<bool> actuators, VectorXT<ForwardDual>& auxiliary_rate);
  // Of the loops' held rows, those of the plain system, as ImplicitSystem has them.
  int constraint_count() const { return rows_.count(); }
  const VectorXT<ForwardDual>& constraints(const VectorXT<ForwardDual>& q);
  /// Those that the plain system has taken up (ImplicitSystem::take_up_constraints), each as open as it is at q.
  /// @param v  before; then as the plain system has made it, with its derivatives.
  void take_up_constraints(const VectorXT<ForwardDual>& q, const VectorXd& plain_v, VectorXT<ForwardDual>& v);
  /// d Phi/dt = G v.
  VectorXT<ForwardDual> constraint_velocity(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v);
  /// How far a motion opens the loops, for a change by 1 along each direction [rad, m, rad/s, m/s].
  VectorXd opened(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v);
  /// G^T lambda.
  const VectorXT<ForwardDual>& constraint_force(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& lambda);
  /// d^2 Phi/dt^2 = G a + (dG/dt) v.
  VectorXT<ForwardDual> constraint_acceleration(const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                                const VectorXT<ForwardDual>& a);

  /// As RobotSystem's.
  std::function<void(double)> heartbeat;

 private:
  using Equation = ActingForces;
  /// What acts at a time and in a motion, in the stretch; rates of controllers' states.
  Equation::Instant instant(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                            const VectorXT<ForwardDual>& offset, double factor, double stiff_factor);
  /// With the derivatives of the plain system by the motion; by numbers that move more, those of the residual alone.
  void tangent_rates(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                     VectorXT<ForwardDual>& a);
  /// What signals do, as forces, off the derivatives of a residual.
  void subtract_signals(double time, MatrixXd& slopes);
  /// Into u_.
  void read_signals(double time);
  void read_inputs(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                   const VectorXT<ForwardDual>& offset, double factor, double stiff_factor);

  RobotSystem& plain_;
  Equation equation_;
  HeldRowsT<ForwardDual> rows_;
  std::vector<Signal> inputs_;
  std::vector<InputSlope> slopes_;
  std::vector<double> scales_;
  double first_, last_;                              ///< signals are read within
  std::unique_ptr<ForwardControllers> controllers_;  ///< null: none
  VectorXT<ForwardDual> q_, u_, control_rates_;
  bool is_tangent_, moves_alone_;
  Data plain_data_;
  VectorXd plain_q_, plain_v_, plain_a_, plain_auxiliary_, plain_rate_;
  VectorXT<ForwardDual> left_;
  MatrixXd by_signals_, by_held_;
  std::shared_ptr<const MotionSlopes> driven_slopes_;
  std::vector<int> driven_places_;             ///< of the configuration
  VectorXT<ForwardDual> driven_q_, driven_v_;  ///< a motion with the driven part as it is given
};

}  // namespace cuttle
