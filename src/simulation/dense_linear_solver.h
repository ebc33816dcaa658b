#pragma once

#include <Eigen/LU>
#include <vector>

#include "cuttle/model/model.h"
#include "simulation/cvode_solver.h"

namespace cuttle {

/// Newton's matrix of CVODE, 1 - gamma J with y = (q, v, auxiliary states), from columns of the Jacobian J. Only the
/// velocities, quaternions and those auxiliary states that have a column are in the matrix that is factored:
///   coordinates q that are no quaternion follow their velocities, dq = b_q + gamma dv, and
///   states without a column (at rest in the air, or integrals along the motion) follow all others.
/// Their number falls fast: points of a volume's surface have three states each, and few touch.
class DenseLinearSolver final : public CvodeSolver {
 public:
  /// @param size  of y.
  /// @param blocks  vectors of that size in what is solved for: a system's and those of its linearizations, without
  ///   what couples these to the motion.
  /// @throws std::bad_alloc.
  DenseLinearSolver(const Model& model, int size, int blocks, SUNContext context);

  /// Without columns: J = 0.
  void clear();
  /// A column of J, to be filled before the next is added. @param state  of a coordinate, a velocity (all of them are
  /// to have one), or an auxiliary state.
  Eigen::Map<VectorXd> add_column(int state);
  /// @return whether the matrix has an inverse.
  /// @throws SimulationError if there is no memory for it.
  bool factor(double gamma);

 private:
  int solve(const double* right, double* x) override;
  Eigen::Map<const VectorXd> column(int number) const {
    return {columns_.data() + static_cast<std::size_t>(number) * static_cast<std::size_t>(size_), size_};
  }

  int size_, blocks_, motion_;
  Eigen::VectorXi velocity_of_;  // of each state of the motion: where dq = b_q + gamma dv, the velocity; -1 else
  std::vector<int> states_;      // that have a column, as they were added
  std::vector<double> columns_;
  double gamma_ = 0.0;
  std::vector<int> kept_;       // states in the matrix
  Eigen::VectorXi row_of_;      // of each state its row, or -1
  std::vector<int> followers_;  // auxiliary states that have none
  MatrixXd matrix_, right_, all_;
  Eigen::PartialPivLU<MatrixXd> factor_;
};

}  // namespace cuttle
