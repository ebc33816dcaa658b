#pragma once

#include <optional>

#include "cuttle/algorithms/state_layout.h"
#include "cuttle/simulation/implicit_system.h"

namespace cuttle {

/// What inputs and loads have given since the start less what was lost, by the works in auxiliary states [J].
inline double net_work(const VectorXd& auxiliary) {
  return auxiliary[StateLayout::input] + auxiliary[StateLayout::load] - auxiliary[StateLayout::dissipated];
}

/// Holds the energy balance of a run: after each step it scales velocities so that the energy is what it was at the
/// start plus the work since (Hairer, Lubich, Wanner 2006, IV.4). With a floating base only the motion within the robot
/// is scaled, as seen from the rigid body that it would be with all coordinates locked: linear and angular momentum
/// stay, unless the robot has contacts. Driven coordinates stay too.
class EnergyProjection {
 public:
  /// Of the kinetic energy: a robot that creeps has none to take.
  static constexpr double k_most_at_once = 0.1;

  /// @throws ArgumentError if the system does not know its energies.
  explicit EnergyProjection(ImplicitSystem& system);

  /// From here on the balance is that of this state.
  void begin(const State& state);
  /// @param v  of the step's end; changed.   @param time  there.   @return whether it was changed.
  /// At most a tenth of the kinetic energy is given or taken at once, the rest in the steps to come.
  bool project(const VectorXd& q, const VectorXd& auxiliary, VectorXd& v, double time = 0.0);

  /// Whether the motion of the whole robot is left alone.
  bool keeps_momentum() const { return keeps_momentum_; }

 private:
  double balance_of(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, double& kinetic);
  /// Takes the locked motion out of v. @return its kinetic energy.
  double separate(const MatrixXd& M, VectorXd& v) const;
  /// `project` where some coordinates are driven, of internal_ = v.
  bool project_free(const VectorXd& q, double missing, VectorXd& v);

  ImplicitSystem& system_;
  bool keeps_momentum_ = false;
  std::optional<Data> data_;  ///< with a floating base or driven coordinates only
  double balance_ = 0.0;      ///< energy - work, at the start
  VectorXd internal_;
};

}  // namespace cuttle
