#include "algorithms/velocity_closing.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "model/check_argument.h"

namespace cuttle {

VelocityClosing::VelocityClosing(const Model& model, Data& data, ConstraintData& constraints,
                                 const ConstraintRows& rows, VectorInT<double> q, VectorInT<double> v,
                                 std::span<const char> held) {
  const MatrixXd G = constraint_jacobian<double>(model, data, constraints, q)(rows.kept, Eigen::all);
  const VectorXd open = G * v;
  opened_ = open.size() > 0 ? open.lpNorm<Eigen::Infinity>() : 0.0;
  if (opened_ == 0.0) return;
  const MatrixXd& M = mass_matrix<double>(model, data, q);
  std::vector<int> all(static_cast<std::size_t>(v.size())), free;
  std::iota(all.begin(), all.end(), 0);
  for (const int k : all) {
    if (!held.empty() && held[static_cast<std::size_t>(k)] == 0) free.push_back(k);
  }
  if (!free.empty() && close(model, M, G, open, std::move(free))) return;
  close(model, M, G, open, std::move(all));
  require_finite_force<double>(model, "close_velocities", "change of v", change_);
}

bool VelocityClosing::close(const Model& model, const MatrixXd& M, const MatrixXd& G, const VectorXd& open,
                            std::vector<int> free) {
  constexpr double k_left = 1e-9;
  const bool is_part = static_cast<Eigen::Index>(free.size()) < G.cols();
  const MatrixXd G_free = G(Eigen::all, free);
  std::vector<int> rows(static_cast<std::size_t>(G.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  if (is_part) rows = independent_rows(G_free).kept;
  if (rows.empty()) return false;
  equations_.emplace(model, "close_velocities", M(free, free), G_free(rows, Eigen::all));
  VectorXd change, impulse;
  equations_->solve(VectorXd::Zero(static_cast<Eigen::Index>(free.size())), open(rows), change, impulse);
  if (is_part && !((open - G_free * change).lpNorm<Eigen::Infinity>() < k_left * opened_)) return false;
  change_.setZero(G.cols());
  change_(free) = change;
  free_ = std::move(free), rows_ = static_cast<Eigen::Index>(rows.size());
  return true;
}

MatrixXd VelocityClosing::slopes(const ModelT<ForwardDual>& variable, const VectorXd& q) const {
  if (!equations_) return MatrixXd::Zero(variable.nv(), k_forward_width);
  DataT<ForwardDual> data(variable);
  const VectorXT<ForwardDual> momentum =
      mass_matrix<ForwardDual>(variable, data, q.cast<ForwardDual>()) * change_.cast<ForwardDual>();
  const MatrixXd by_mass = derivatives_of(momentum);
  // M change + G^T impulse = 0, G change = open; what stays of v beside the change does not follow the masses
  MatrixXd found = MatrixXd::Zero(by_mass.rows(), by_mass.cols());
  VectorXd change, impulse;
  for (Eigen::Index k = 0; k < by_mass.cols(); ++k) {
    equations_->solve(by_mass(free_, k), VectorXd::Zero(rows_), change, impulse);
    found(free_, k) = change;
  }
  return found;
}

}  // namespace cuttle
