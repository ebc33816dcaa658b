#pragma once

#include <Eigen/LU>
#include <optional>
#include <span>
#include <vector>

#include "cuttle/algorithms/loop_closure.h"

namespace cuttle {

/// Solves M x + G^T y = b, G x = c with unknowns and rows scaled to the sizes of the masses: those of soft robots
/// differ by many digits.
class MassAndLoops {
 public:
  /// @throws SimulationError naming `function`.
  MassAndLoops(const Model& model, const char* function, const MatrixXd& M, const MatrixXd& G)
      : n_(G.cols()), m_(G.rows()) {
    const VectorXd masses = M.diagonal();
    const double largest = masses.maxCoeff();
    column_ = masses.cwiseMax(1e-12 * (largest > 0.0 ? largest : 1.0)).cwiseSqrt().cwiseInverse();
    const MatrixXd scaled = G * column_.asDiagonal();
    row_ = scaled.rowwise().norm().cwiseInverse();
    MatrixXd A = MatrixXd::Zero(n_ + m_, n_ + m_);
    A.topLeftCorner(n_, n_) = column_.asDiagonal() * M * column_.asDiagonal();
    A.bottomLeftCorner(m_, n_) = row_.asDiagonal() * scaled;
    A.topRightCorner(n_, m_) = A.bottomLeftCorner(m_, n_).transpose();
    lu_.compute(A);
    if (lu_.isInvertible()) return;
    throw SimulationError(std::string(function) + ": found a singular matrix of masses and loops of '" + model.name() +
                          "', expected masses in all directions that the loops leave free");
  }
  void solve(const VectorXd& b, const VectorXd& c, VectorXd& x, VectorXd& y) const {
    VectorXd right(n_ + m_);
    right << column_.cwiseProduct(b), row_.cwiseProduct(c);
    const VectorXd solution = lu_.solve(right);
    x = column_.cwiseProduct(solution.head(n_));
    y = row_.cwiseProduct(solution.tail(m_));
  }

 private:
  Eigen::Index n_, m_;
  VectorXd column_, row_;
  Eigen::FullPivLU<MatrixXd> lu_;
};

/// How velocities of a configuration become consistent with the loops (close_velocities), and how that follows the
/// masses.
class VelocityClosing {
 public:
  /// As close_velocities.
  VelocityClosing(const Model& model, Data& data, ConstraintData& constraints, const ConstraintRows& rows,
                  VectorInT<double> q, VectorInT<double> v, std::span<const char> held);

  double opened() const { return opened_; }  ///< largest |G v| [m/s, rad/s]
  /// What v is to lose, nv. Empty: it is consistent.
  const VectorXd& change() const { return change_; }
  /// How the consistent velocities change through the masses along the directions of the robot, nv rows.
  /// @param variable  the robot with derivatives. @param q  the configuration.
  MatrixXd slopes(const ModelT<ForwardDual>& variable, const VectorXd& q) const;

 private:
  /// @return whether these velocities alone can be consistent.
  bool close(const Model& model, const MatrixXd& M, const MatrixXd& G, const VectorXd& open, std::vector<int> free);

  double opened_ = 0.0;
  VectorXd change_;
  std::vector<int> free_;  // velocities that have changed
  std::optional<MassAndLoops> equations_;
  Eigen::Index rows_ = 0;  // of these equations
};

}  // namespace cuttle
