#pragma once

#include <optional>
#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// How the wrenches on a site's frames follow their motion, in their own axes, 6 frames x 6 frames each.
struct SiteStiffness {
  const SitePlace* place;
  MatrixXd normal;   ///< by the frames' displacement, without a bristle
  MatrixXd bristle;  ///< what its bristle adds; 0 without one
};

/// Displacements of a robot that its sites hold: (eps M - J^T S J) dx = force, with G dx = 0 of loops that are held and
/// dx = 0 of driven coordinates. S are the stiffnesses of sites.
class BalanceDisplacement {
 public:
  BalanceDisplacement() = default;
  BalanceDisplacement(const BalanceDisplacement&) = delete;
  BalanceDisplacement& operator=(const BalanceDisplacement&) = delete;
  virtual ~BalanceDisplacement() = default;

  /// M x.
  virtual VectorXd inertia(const VectorXd& x) = 0;
  /// dx.   @param eps  [1/s^2], the same in all calls.
  /// @throws SimulationError if there is none.
  virtual VectorXd solve(const std::vector<SiteStiffness>& sites, double eps, const VectorXd& force) = 0;
};

/// 6 rows for each frame of a site, one below the other: its twist, in its own axes, by velocities.
MatrixXd site_jacobian(EquationOfMotion& equation, VectorInT<double> q, const SitePlace& place);

/// With matrices of all coordinates. Rows of loops may follow from others, and coordinates be without mass.
class DenseDisplacement final : public BalanceDisplacement {
 public:
  DenseDisplacement(EquationOfMotion& equation, VectorInT<double> q, MatrixXd M);
  VectorXd inertia(const VectorXd& x) override { return M_ * x; }
  VectorXd solve(const std::vector<SiteStiffness>& sites, double eps, const VectorXd& force) override;

 private:
  EquationOfMotion& equation_;
  VectorXd q_;
  MatrixXd M_, base_;  ///< base: what does not change from call to call
  std::vector<MatrixXd> jacobians_;
};

/// Along the tree, in which sites stand as inertias that are added to their frames.
class TreeDisplacement final : public BalanceDisplacement {
 public:
  TreeDisplacement(EquationOfMotion& equation, const EquationOfMotion::Instant& at);
  VectorXd inertia(const VectorXd& x) override;
  VectorXd solve(const std::vector<SiteStiffness>& sites, double eps, const VectorXd& force) override;

 private:
  void take();

  EquationOfMotion& equation_;
  EquationOfMotion::Instant at_;
  TreeDerivatives dynamics_;
  BorderedTangent tangent_;
  StepDirections directions_;
  VectorXd none_;
};

}  // namespace cuttle
