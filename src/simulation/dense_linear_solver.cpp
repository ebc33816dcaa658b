#include "simulation/dense_linear_solver.h"

#include <fmt/format.h>

#include <new>

#include "cuttle/error.h"

namespace cuttle {

DenseLinearSolver::DenseLinearSolver(const Model& model, int size, int blocks, SUNContext context)
    : CvodeSolver(context), size_(size), blocks_(blocks), motion_(model.nq() + model.nv()), all_(size, blocks) {
  velocity_of_.setConstant(motion_, -1);
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq != edge.nv) continue;
    for (int k = 0; k < edge.nq; ++k) velocity_of_[edge.q + k] = model.nq() + edge.v + k;
  }
}

void DenseLinearSolver::clear() { states_.clear(), columns_.clear(); }

Eigen::Map<VectorXd> DenseLinearSolver::add_column(int state) {
  states_.push_back(state);
  const std::size_t begin = columns_.size();
  columns_.resize(begin + static_cast<std::size_t>(size_));
  return {columns_.data() + begin, size_};
}

bool DenseLinearSolver::factor(double gamma) {
  gamma_ = gamma;
  kept_.clear();
  row_of_.setConstant(size_, -1);
  for (const int state : states_) {
    if (state < motion_ && velocity_of_[state] >= 0) continue;
    row_of_[state] = static_cast<int>(kept_.size());
    kept_.push_back(state);
  }
  followers_.clear();
  for (int state = motion_; state < size_; ++state) {
    if (row_of_[state] < 0) followers_.push_back(state);
  }
  const auto count = static_cast<Eigen::Index>(kept_.size());
  try {
    matrix_.setIdentity(count, count);
    for (int c = 0; c < static_cast<int>(states_.size()); ++c) {
      const int state = states_[static_cast<std::size_t>(c)], own = row_of_[state];
      // a coordinate's column is that of its velocity too, which moves it by gamma
      const int target = own >= 0 ? own : row_of_[velocity_of_[state]];
      const double factor = own >= 0 ? gamma : gamma * gamma;
      matrix_.col(target) -= factor * column(c)(kept_);
    }
    factor_.compute(matrix_);
  } catch (const std::bad_alloc&) {
    throw SimulationError(fmt::format(
        "found {} states that act on each other, which have no room in a dense matrix, expected fewer of them: take a "
        "method of implicit steps, as generalized_alpha",
        count));
  }
  const auto diagonal = factor_.matrixLU().diagonal().array();
  return diagonal.isFinite().all() && (diagonal != 0.0).all();
}

int DenseLinearSolver::solve(const double* right, double* x) {
  all_ = Eigen::Map<const MatrixXd>(right, size_, blocks_);
  right_ = all_(kept_, Eigen::all);
  for (int c = 0; c < static_cast<int>(states_.size()); ++c) {
    const int state = states_[static_cast<std::size_t>(c)];
    if (row_of_[state] < 0) right_ += gamma_ * column(c)(kept_) * all_.row(state);
  }
  right_ = factor_.solve(right_);  // it permutes in place
  all_(kept_, Eigen::all) = right_;
  for (int state = 0; state < motion_; ++state) {
    const int velocity = velocity_of_[state];
    if (velocity >= 0) all_.row(state) += gamma_ * all_.row(velocity);
  }
  Eigen::Map<MatrixXd> solution(x, size_, blocks_);
  solution = all_;
  for (int c = 0; c < static_cast<int>(states_.size()) && !followers_.empty(); ++c)
    solution(followers_, Eigen::all) += gamma_ * column(c)(followers_) * all_.row(states_[static_cast<std::size_t>(c)]);
  return solution.allFinite() ? 0 : 1;
}

}  // namespace cuttle
