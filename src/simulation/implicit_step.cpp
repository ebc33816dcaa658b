#include "simulation/implicit_step.h"

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_same_rows = 1e-13;  // condition of the rows' complement: loops hold something twice
constexpr double k_unsolved = 1e-6;    // of a force: more is left where masses are singular to rounding

}  // namespace

ImplicitStep::ImplicitStep(ImplicitSystem& system, IntegratorStatistics& statistics)
    : system_(system),
      statistics_(statistics),
      coordinates_(system.model()),
      driven_(system.driven().begin(), system.driven().end()),
      nv_(system.model().nv()) {
  q_.resize(system.model().nq()), q_end_.resize(system.model().nq());
  for (VectorXd* x : {&x_, &scaled_, &v_, &a_, &w_, &w_rate_}) x->resize(nv_);
  auxiliary_rate_.resize(system.auxiliary_count());
  effort_.setZero(nv_), trash_.setZero(nv_);
  follow_constraints();
}

void ImplicitStep::follow_constraints() {
  m_ = system_.constraint_count();
  lambda_.resize(m_);
}

void ImplicitStep::begin(double time, double end, const VectorXd& q0, const VectorXd& auxiliary, double factor,
                         double stiff_factor) {
  time_ = time, end_ = end, q0_ = q0, auxiliary_ = auxiliary, factor_ = factor, stiff_factor_ = stiff_factor;
}

bool ImplicitStep::equations(const VectorXd& z, VectorXd& result, std::string& trouble) {
  x_ = z.head(nv_);
  scaled_ = map.scale * x_;
  w_ = map.rate * x_ + map.rate_offset;
  w_rate_ = map.second * x_ + map.second_offset;
  coordinates_.motion_at(q0_, scaled_, w_, w_rate_, q_, v_, a_);
  system_.impose(time_, q_, v_, &a_);
  ++statistics_.evaluations;
  try {
    system_.residual(time_, q_, v_, a_, {auxiliary_, factor_, stiff_factor_}, result.head(nv_), auxiliary_rate_);
    result.head(nv_) /= map.second;
    if (m_ > 0) {
      result.head(nv_) += system_.constraint_jacobian(q_).transpose() * z.tail(m_);
      if (constraints_apart()) {
        coordinates_.configuration_at(q0_, x_, q_end_);
        system_.impose(end_, q_end_, trash_);
      }
      system_.constraints(constraints_apart() ? q_end_ : q_, result.tail(m_));
    }
    if (!driven_.empty()) {
      for (const int k : driven_) {
        effort_[k] = map.second * result[k];
        result[k] = x_[k];
      }
      system_.book_efforts(effort_, v_, auxiliary_rate_);
    }
  } catch (const Error& error) {
    trouble = error.what();
    return false;
  }
  return true;
}

void ImplicitStep::pin_driven(MatrixXd& matrix) const {
  for (const int k : driven_) {
    matrix.row(k).setZero(), matrix.col(k).setZero();
    matrix(k, k) = 1.0;
  }
}

void ImplicitStep::pin_driven(BorderedTangent& matrix) const {
  for (const int k : driven_) matrix.pin(k);
}

MatrixXd ImplicitStep::rows_by_unknowns() {
  MatrixXd rows(m_, nv_);
  const VectorXd& q = constraints_apart() ? q_end_ : q_;
  coordinates_.chain(x_, q, 1.0, system_.constraint_jacobian(q), rows);
  return rows;
}

void ImplicitStep::tangent(const VectorXd& z, MatrixXd& result) {
  lambda_ = map.second * z.tail(m_);
  const DerivativeData& d =
      system_.residual_derivatives(time_, q_, v_, a_, {auxiliary_, factor_, stiff_factor_}, lambda_);
  derivatives_ = &d;
  ++statistics_.jacobians;
  tangent_touching_ = system_.touching();
  tangent_second_ = map.second;
  const double inverse = 1.0 / map.second;
  coordinates_.chain(scaled_, w_rate_, q_, v_, map.scale * inverse, map.rate * inverse, 1.0, d.by_q, d.by_v, d.by_a,
                     result.topLeftCorner(nv_, nv_));
  if (keeps_inertia) {
    inertia_.resize(nv_, nv_);
    coordinates_.chain(scaled_, w_rate_, q_, v_, 0.0, 0.0, 1.0, d.by_q, d.by_v, d.by_a, inertia_);
    pin_driven(inertia_);
  }
  if (m_ > 0) {
    result.topRightCorner(nv_, m_) = system_.constraint_jacobian(q_).transpose();
    result.bottomLeftCorner(m_, nv_) = rows_by_unknowns();
    result.bottomRightCorner(m_, m_).setZero();
  }
  pin_driven(result);
}

TreeDerivatives& ImplicitSystem::residual_along_tree(double, VectorInT<double>, VectorInT<double>, VectorInT<double>,
                                                     const AuxiliaryStates&, VectorInT<double>) {
  throw ArgumentError("residual_along_tree: found a system that does not follow a tree");
}

void ImplicitStep::follow_tree(bool follow) {
  if (!follow) {
    tree_.reset(), tree_inertia_.reset();
    return;
  }
  system_.prepare_along_tree();
  tree_.emplace(system_.model()), tree_inertia_.emplace(system_.model());
}

bool ImplicitStep::solve_masses(double time, const VectorXd& q, const VectorXd& v, const VectorXd& a,
                                const VectorXd& auxiliary, const VectorXd& force, VectorXd& result) {
  const VectorXd none = VectorXd::Zero(m_);
  coordinates_.motion_directions(0.0, 0.0, 1.0, directions_);
  system_.residual_along_tree(time, q, v, a, {auxiliary}, none)
      .form(system_.model(), directions_, tree_inertia_->tree());
  tree_inertia_->border({}, {});
  if (m_ > 0) {
    const MatrixXd& G = system_.constraint_jacobian(q);
    tree_inertia_->border(G.transpose(), G);
  }
  pin_driven(*tree_inertia_);
  tree_inertia_->factor();
  if (tree_inertia_->row_condition() < k_same_rows) return false;
  tree_inertia_->solve(force, result);
  // once more, for what long chains lose: the inertia of all that hangs at a link, less what gives way
  VectorXd left, more;
  tree_inertia_->multiply(result, left);
  left = force - left;
  tree_inertia_->solve(left, more);
  result += more;
  tree_inertia_->multiply(result, left);
  return (left - force).norm() <= k_unsolved * force.norm();  // NaN: not
}

const TangentSolver* ImplicitStep::factored(const VectorXd& z) {
  if (!tree_) return nullptr;
  lambda_ = map.second * z.tail(m_);
  TreeDerivatives& d = system_.residual_along_tree(time_, q_, v_, a_, {auxiliary_, factor_, stiff_factor_}, lambda_);
  ++statistics_.jacobians;
  tangent_touching_ = system_.touching();
  tangent_second_ = map.second;
  const double inverse = 1.0 / map.second;
  coordinates_.directions(scaled_, w_rate_, q_, v_, map.scale * inverse, map.rate * inverse, 1.0, directions_);
  d.form(system_.model(), directions_, tree_->tree());
  if (m_ > 0) tree_->border(system_.constraint_jacobian(q_).transpose(), rows_by_unknowns());
  pin_driven(*tree_);
  tree_->factor();
  if (keeps_inertia) {
    coordinates_.directions(scaled_, w_rate_, q_, v_, 0.0, 0.0, 1.0, directions_);
    d.form(system_.model(), directions_, tree_inertia_->tree());
    tree_inertia_->border({}, {});
    pin_driven(*tree_inertia_);
  }
  return &*tree_;
}

void ImplicitStep::times_inertia(const VectorXd& x, VectorXd& result) const {
  if (tree_) {
    tree_inertia_->multiply(x, result);
  } else {
    result = inertia_ * x;
  }
}

}  // namespace cuttle
