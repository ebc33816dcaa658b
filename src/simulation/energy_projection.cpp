#include "simulation/energy_projection.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_most_at_once = 0.1;  // of the kinetic energy: a robot that creeps has none to take

}  // namespace

EnergyProjection::EnergyProjection(ImplicitSystem& system) : system_(system) {
  if (system.model().robot().floating_base && system.constraint_count() == 0) data_.emplace(system.model());
}

double EnergyProjection::balance_of(const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary, double& kinetic) {
  const auto balance = system_.energy_balance(q, v, auxiliary);
  if (!balance) {
    throw ArgumentError(
        "integrator.type: 'energy_conserving' needs a robot whose energies are known, and a body has none");
  }
  kinetic = balance->kinetic;
  return balance->energy - balance->work;
}

void EnergyProjection::begin(const State& state) {
  double kinetic = 0.0;
  balance_ = balance_of(state.q, state.v, state.auxiliary, kinetic);
}

double EnergyProjection::separate(const VectorXd& q, VectorXd& v) {
  const MatrixXd& M = mass_matrix<double>(system_.model(), *data_, q);
  const Eigen::Matrix<double, 6, 1> momentum = M.topRows<6>() * v;
  const Eigen::Matrix<double, 6, 1> locked = M.topLeftCorner<6, 6>().llt().solve(momentum);
  v.head<6>() -= locked;
  return 0.5 * momentum.dot(locked);
}

bool EnergyProjection::project(const VectorXd& q, const VectorXd& auxiliary, VectorXd& v) {
  double kinetic = 0.0;
  const double missing = balance_ - balance_of(q, v, auxiliary, kinetic);
  internal_ = v;
  if (data_) kinetic -= separate(q, internal_);
  if (!(kinetic > 0.0)) return false;
  const double change = std::clamp(missing / kinetic, -k_most_at_once, k_most_at_once);
  v += (std::sqrt(1.0 + change) - 1.0) * internal_;
  return change != 0.0;
}

}  // namespace cuttle
