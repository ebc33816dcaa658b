#include "simulation/tree_linear_solver.h"

#include <algorithm>
#include <new>
#include <utility>

namespace cuttle {
namespace {

SUNMatrix_ID custom_matrix(SUNMatrix) { return SUNMATRIX_CUSTOM; }
void free_matrix(SUNMatrix matrix) { SUNMatFreeEmpty(matrix); }
SUNLinearSolver_Type direct_type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
int set_up_already(SUNLinearSolver, SUNMatrix) { return 0; }
int free_solver(SUNLinearSolver solver) {
  solver->content = nullptr;
  SUNLinSolFreeEmpty(solver);
  return 0;
}

StepDirections directions(double by_q, double by_v, double by_a) {
  StepDirections result;
  result.by_q = by_q, result.by_v = by_v, result.by_a = by_a;
  return result;
}

}  // namespace

TreeLinearSolver::TreeLinearSolver(ImplicitSystem& system, Rates rates, SUNContext context)
    : system_(system),
      rates_(std::move(rates)),
      n_(system.model().nv()),
      size_(2 * n_ + system.auxiliary_count()),
      matrix_(SUNMatNewEmpty(context)),
      solver_(SUNLinSolNewEmpty(context)),
      tangent_(system.model()),
      mass_(system.model()),
      stiffness_(system.model()) {
  if (!matrix_ || !solver_) throw std::bad_alloc();
  matrix_->ops->getid = custom_matrix;
  matrix_->ops->destroy = free_matrix;
  solver_->content = this;
  solver_->ops->gettype = direct_type;
  solver_->ops->setup = set_up_already;
  solver_->ops->solve = solve;
  solver_->ops->free = free_solver;
  system.prepare_along_tree();
  for (VectorXd* x : {&y_, &rate_, &trial_, &trial_rate_}) x->setZero(size_);
  for (VectorXd* x : {&right_, &work_, &dv_}) x->setZero(n_);
}

void TreeLinearSolver::set_up(double time, const double* y, const double* rate, bool keep, double gamma) {
  if (!keep || derivatives_ == nullptr) {
    std::copy_n(y, size_, y_.data()), std::copy_n(rate, size_, rate_.data());
    time_ = time;
    const VectorXd auxiliary = y_.tail(size_ - 2 * n_);
    derivatives_ =
        &system_.residual_along_tree(time, y_.head(n_), y_.segment(n_, n_), rate_.segment(n_, n_), {auxiliary});
    derivatives_->form(system_.model(), directions(0.0, 0.0, 1.0), mass_);
    derivatives_->form(system_.model(), directions(1.0, 0.0, 0.0), stiffness_);
  }
  derivatives_->form(system_.model(), directions(gamma * gamma, gamma, 1.0), tangent_);
  tangent_.factor();
  gamma_ = gamma;
}

int TreeLinearSolver::solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector right, double) {
  return self(solver).solve(N_VGetArrayPointer(right), N_VGetArrayPointer(x));
}

int TreeLinearSolver::solve(const double* right, double* x) {
  const Eigen::Map<const VectorXd> by_q(right, n_), by_v(right + n_, n_);
  work_ = by_v;
  mass_.multiply(work_, right_);
  work_ = by_q;
  stiffness_.multiply(work_, dv_);
  right_ -= gamma_ * dv_;
  tangent_.solve(right_, dv_);
  trial_ = y_;
  trial_.head(n_) += by_q + gamma_ * dv_;
  trial_.segment(n_, n_) += dv_;
  const int works = size_ - 2 * n_;
  if (works > 0 && rates_(time_, trial_.data(), trial_rate_.data()) != 0) return 1;
  const Eigen::Map<const VectorXd> by_works(right + static_cast<std::ptrdiff_t>(2) * n_, works);
  trial_.tail(works) += by_works + gamma_ * (trial_rate_ - rate_).tail(works);
  Eigen::Map<VectorXd>(x, size_) = trial_ - y_;
  return Eigen::Map<const VectorXd>(x, size_).allFinite() ? 0 : 1;
}

}  // namespace cuttle
