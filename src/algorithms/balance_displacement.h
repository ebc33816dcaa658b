#pragma once

#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// Displacements of what nothing holds are very much longer than those of bristles, whose forces are wanted beside
/// them.
using Precise = long double;
using VectorXP = VectorXT<Precise>;
using MatrixXP = MatrixXT<Precise>;

/// How the wrenches on a site's frames follow their displacement along what it presses: -stiffness pressed pressed^T.
/// The whole slope turns forces with their frames too, so that a sum of such may have negative eigenvalues.
struct NormalStiffness {
  const SitePlace* place;
  VectorXd pressed;  ///< wrenches on the frames in their axes, one below the other
  VectorXd force;    ///< generalized force of these
  double stiffness;  ///< >= 0
};

/// A site's bristle: how it follows the robot, and what it does to it.
struct Bristle {
  const SitePlace* place;
  MatrixXd jacobian;   ///< of the site's frames, one below the other: 6 frames x nv
  MatrixXd way;        ///< A: displacement of the bristle by the robot's, states x nv
  MatrixXd force;      ///< B: generalized force by states where it is straight, nv x states
  MatrixXd of_frames;  ///< displacement of the bristle by its frames', states x 6 frames
  MatrixXd on_frames;  ///< wrenches by states, 6 frames x states
  MatrixXd by_way;     ///< P: how its states follow A dx, as its cone lets them: states x states
  VectorXd states;
  bool slides = false;  ///< its states follow nothing
};

/// Displacements of a robot that its sites hold: (eps M + K - sum B P A) dx = force, with G dx = 0 of loops that are
/// held and dx = 0 of driven coordinates. K is the stiffness of normal forces; bristles that slide hold nothing.
class BalanceDisplacement {
 public:
  BalanceDisplacement() = default;
  BalanceDisplacement(const BalanceDisplacement&) = delete;
  BalanceDisplacement& operator=(const BalanceDisplacement&) = delete;
  virtual ~BalanceDisplacement() = default;

  /// Size of the bristles' stiffness beside the inertia that they hold, of each coordinate [1/s^2]; zero: they hold
  /// none. Asked before the first solve.
  virtual VectorXd stiffness_beside_inertia(const std::vector<Bristle>& bristles) = 0;
  /// dx.   @param normals  the same in all calls.   @param eps  of each coordinate [1/s^2]
  /// @throws SimulationError if there is none.
  virtual VectorXP solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles,
                         const VectorXd& eps, const VectorXP& force) = 0;
};

/// The sweep after which site_jacobian may be asked, until another one. The equation's data have it.
void prepare_site_jacobians(EquationOfMotion& equation, VectorInT<double> q);
/// 6 rows for each frame of a site, one below the other: its twist, in its own axes, by velocities.
MatrixXd site_jacobian(EquationOfMotion& equation, const SitePlace& place);

/// With matrices of all coordinates. Rows of loops may follow from others, and coordinates be without mass.
class DenseDisplacement final : public BalanceDisplacement {
 public:
  DenseDisplacement(EquationOfMotion& equation, VectorInT<double> q, MatrixXd M);
  /// The stiffest of what moves freely, of each part of the robot that neither inertia nor sites couple to another one.
  VectorXd stiffness_beside_inertia(const std::vector<Bristle>& bristles) override;
  VectorXP solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles, const VectorXd& eps,
                 const VectorXP& force) override;

 private:
  /// Columns that span what loops and drives leave free; all axes where there are none.
  void find_free_motions();

  EquationOfMotion& equation_;
  VectorXd q_;
  MatrixXd M_;
  MatrixXP base_;  ///< eps M + K
  VectorXd base_eps_;
  MatrixXP free_;  ///< nv x what is free; empty: all is
};

/// Along the tree, in which sites stand as inertias that are added to their frames.
class TreeDisplacement final : public BalanceDisplacement {
 public:
  TreeDisplacement(EquationOfMotion& equation, const EquationOfMotion::Instant& at);
  /// The stiffest.
  VectorXd stiffness_beside_inertia(const std::vector<Bristle>& bristles) override;
  VectorXP solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles, const VectorXd& eps,
                 const VectorXP& force) override;

 private:
  void take();
  /// What wrenches on a site's frames do with their motion, as inertia.
  void load(const SitePlace& place, const MatrixXd& slopes);

  EquationOfMotion& equation_;
  EquationOfMotion::Instant at_;
  TreeDerivatives dynamics_;
  BorderedTangent tangent_;
  StepDirections directions_;
  VectorXd none_;
};

}  // namespace cuttle
