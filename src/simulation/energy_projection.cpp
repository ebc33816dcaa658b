#include "simulation/energy_projection.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
EnergyProjection::EnergyProjection(ImplicitSystem& system) : system_(system) {
  const std::span<const int> driven = system.driven();
  const bool base_is_driven = !driven.empty() && driven.front() == 0;
  // what touches the world has no momentum to keep
  keeps_momentum_ = system.model().robot().floating_base && system.constraint_count() == 0 && !base_is_driven &&
                    system.model().site_laws().empty();
  if (keeps_momentum_ || !driven.empty()) data_.emplace(system.model());
}

double EnergyProjection::balance_of(double time, const VectorXd& q, const VectorXd& v, const VectorXd& auxiliary,
                                    double& kinetic) {
  const auto balance = system_.energy_balance_at(time, q, v, auxiliary);
  if (!balance) {
    throw ArgumentError(
        "integrator.type: 'energy_conserving' needs a robot whose energies are known, and a body has none");
  }
  kinetic = balance->kinetic;
  return balance->energy - balance->work;
}

void EnergyProjection::begin(const State& state) {
  double kinetic = 0.0;
  balance_ = balance_of(state.time, state.q, state.v, state.auxiliary, kinetic);
}

double EnergyProjection::separate(const MatrixXd& M, VectorXd& v) const {
  const Eigen::Matrix<double, 6, 1> momentum = M.topRows<6>() * v;
  const Eigen::Matrix<double, 6, 1> locked = M.topLeftCorner<6, 6>().llt().solve(momentum);
  v.head<6>() -= locked;
  return 0.5 * momentum.dot(locked);
}

bool EnergyProjection::project(const VectorXd& q, const VectorXd& auxiliary, VectorXd& v, double time) {
  double kinetic = 0.0;
  const double missing = balance_ - balance_of(time, q, v, auxiliary, kinetic);
  internal_ = v;
  if (!system_.driven().empty()) return project_free(q, missing, v);
  if (data_) kinetic -= separate(mass_matrix<double>(system_.model(), *data_, q), internal_);
  if (!(kinetic > 0.0)) return false;
  const double change = std::clamp(missing / kinetic, -k_most_at_once, k_most_at_once);
  v += (std::sqrt(1.0 + change) - 1.0) * internal_;
  return change != 0.0;
}

bool EnergyProjection::project_free(const VectorXd& q, double missing, VectorXd& v) {
  const MatrixXd& M = mass_matrix<double>(system_.model(), *data_, q);
  for (const int k : system_.driven()) internal_[k] = 0.0;
  if (keeps_momentum_) separate(M, internal_);
  // c p + c^2 k = missing: energy of v + c internal
  const VectorXd momentum = M * internal_;
  const double p = momentum.dot(v), k = 0.5 * momentum.dot(internal_);
  if (!(k > 0.0)) return false;
  const double wanted = std::clamp(missing, -k_most_at_once * k, k_most_at_once * k);
  const double root = p * p + 4.0 * k * wanted;
  if (root < 0.0) return false;
  const double c = 2.0 * wanted / (p + std::copysign(std::sqrt(root), p));
  if (!(std::abs(c) <= k_most_at_once)) return false;  // the free part moves across the drive: it has none to give
  v += c * internal_;
  return c != 0.0;
}

}  // namespace cuttle
