#pragma once

#include <functional>
#include <vector>

#include "algorithms/element_slopes.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/gradient_controllers.h"

namespace cuttle {

/// How an input changes with a number that its signal is made of.
struct InputSlope {
  int input;
  int direction;  ///< of Gradient
  Signal slope;   ///< d u/d number, in time
};

/// The equation of motion of a RobotSystem with derivatives in up to eight directions: those of parameters are in the
/// model, those of signals in the slopes, and states carry theirs. Auxiliary states are those that feed back alone:
/// integrals of loads, states of controllers, then states of elements; there are no accounts of work.
class GradientSystem final : private RobotSystemT<Gradient> {
  using Engine = RobotSystemT<Gradient>;

 public:
  /// @param variable  the model of `plain`, with derivatives; both outlive the system.
  /// @param scales  of the numbers that the directions stand for, one a direction: sizes, as tolerances take them.
  GradientSystem(RobotSystem& plain, const ModelT<Gradient>& variable, std::vector<Signal> inputs,
                 std::vector<InputSlope> slopes, std::vector<double> scales);

  using Engine::data, Engine::model;
  /// What the controllers of the plain system set, with derivatives: before any other call.
  void set_controllers(std::unique_ptr<GradientControllers> controllers) { controllers_ = std::move(controllers); }
  bool has_controllers() const { return controllers_ != nullptr; }
  int auxiliary_count() const { return Engine::auxiliary_count() + control_state_count(); }
  /// The same robot without derivatives.
  RobotSystem& plain() { return plain_; }
  /// What RobotSystem::auxiliary_count has more: works, in front.
  static constexpr int k_works = RobotSystem::k_account_count;
  /// The last auxiliary states are stiff ones: those of elements.
  int stiff_count() const { return element_states(); }
  const std::vector<double>& scales() const { return scales_; }
  /// At the start of a run: integrals are zero, elements as their laws say.
  VectorXT<Gradient> start_of_auxiliary() const;

  /// As RobotSystem::enter, of both systems.
  void enter(double begin, double end);
  /// As RobotSystem::sample, of both systems.
  void sample(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
              const VectorXT<Gradient>& auxiliary);
  /// Inputs that act at a time and in a state, not confined to a stretch.
  const VectorXT<Gradient>& inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                   const VectorXT<Gradient>& auxiliary);

  void rates(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v, const VectorXT<Gradient>& auxiliary,
             VectorXT<Gradient>& a, VectorXT<Gradient>& auxiliary_rate);
  /// As ImplicitSystem::residual. @param offset, factor, stiff_factor  of AuxiliaryStates.
  void residual(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v, const VectorXT<Gradient>& a,
                const VectorXT<Gradient>& offset, double factor, double stiff_factor, VectorXT<Gradient>& r,
                VectorXT<Gradient>& auxiliary_rate);
  // Of the loops' kept rows, as ImplicitSystem has them.
  int constraint_count() const { return static_cast<int>(kept_.size()); }
  VectorXT<Gradient> constraints(const VectorXT<Gradient>& q);
  /// d Phi/dt = G v.
  VectorXT<Gradient> constraint_velocity(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v);
  /// G^T lambda.
  VectorXT<Gradient> constraint_force(const VectorXT<Gradient>& q, const VectorXT<Gradient>& lambda);
  /// d^2 Phi/dt^2 = G a + (dG/dt) v.
  VectorXT<Gradient> constraint_acceleration(const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                             const VectorXd& a);
  /// @param kept  ConstraintRows::kept.
  void keep_rows(const std::vector<int>& kept);

  /// As RobotSystem's.
  std::function<void(double)> heartbeat;

 private:
  /// What acts at a time and in a motion; rates of controllers' states.
  void begin(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v, const VectorXT<Gradient>& offset,
             double factor, double stiff_factor);
  void read_inputs(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                   const VectorXT<Gradient>& offset, double factor, double stiff_factor);
  int control_state_count() const { return controllers_ ? controllers_->state_count() : 0; }
  void solve_states(double time, const VectorXT<Gradient>& offset, StateCoupling coupling);
  int element_states() const { return element_state_count(); }
  VectorXT<Gradient> kept_rows(const VectorXT<Gradient>& every) const;

  RobotSystem& plain_;
  std::vector<InputSlope> slopes_;
  std::vector<double> scales_;
  ElementData values_;  ///< of the elements
  std::vector<int> kept_;
  std::optional<ConstraintDataT<Gradient>> constraints_;
  VectorXT<Gradient> multipliers_;
  std::unique_ptr<GradientControllers> controllers_;  ///< null: none
  VectorXT<Gradient> control_rates_;
};

}  // namespace cuttle
