#pragma once

#include <vector>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// How the wrenches on a site's frames follow their displacement, without a bristle: in their own axes, 6 frames x 6
/// frames.
struct NormalStiffness {
  const SitePlace* place;
  MatrixXd by_pose;
};

/// A site's bristle: how it follows the robot, and what it does to it.
struct Bristle {
  const SitePlace* place;
  MatrixXd way;        ///< A: displacement of the bristle by the robot's, states x nv
  MatrixXd force;      ///< B: generalized force by states, nv x states
  MatrixXd of_frames;  ///< displacement of the bristle by its frames', states x 6 frames
  MatrixXd on_frames;  ///< wrenches by states, 6 frames x states
  MatrixXd to_frames;  ///< a motion of the frames that displaces the bristle so, 6 frames x states
  VectorXd states;
  double part = 1.0;  ///< of its displacement that its cone lets it take
  bool slides = false;
};

/// Displacements of a robot that its sites hold: (eps M + K) dx - sum part B A dx = force, with G dx = 0 of loops that
/// are held and dx = 0 of driven coordinates. K is the stiffness of normal forces; bristles that slide hold nothing.
class BalanceDisplacement {
 public:
  BalanceDisplacement() = default;
  BalanceDisplacement(const BalanceDisplacement&) = delete;
  BalanceDisplacement& operator=(const BalanceDisplacement&) = delete;
  virtual ~BalanceDisplacement() = default;

  /// Size of a bristle's stiffness beside the inertia that it holds [1/s^2].
  virtual double stiffness_beside_inertia(const Bristle& bristle) = 0;
  /// dx.   @param eps  [1/s^2], the same in all calls.
  /// @throws SimulationError if there is none.
  virtual VectorXd solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles, double eps,
                         const VectorXd& force) = 0;
};

/// 6 rows for each frame of a site, one below the other: its twist, in its own axes, by velocities.
MatrixXd site_jacobian(EquationOfMotion& equation, VectorInT<double> q, const SitePlace& place);

/// With matrices of all coordinates. Rows of loops may follow from others, and coordinates be without mass.
class DenseDisplacement final : public BalanceDisplacement {
 public:
  DenseDisplacement(EquationOfMotion& equation, VectorInT<double> q, MatrixXd M);
  double stiffness_beside_inertia(const Bristle& bristle) override;
  VectorXd solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles, double eps,
                 const VectorXd& force) override;

 private:
  EquationOfMotion& equation_;
  VectorXd q_;
  MatrixXd M_, base_;  ///< base: eps M + K with the rows of loops, made by the first call
};

/// Along the tree, in which sites stand as inertias that are added to their frames.
class TreeDisplacement final : public BalanceDisplacement {
 public:
  TreeDisplacement(EquationOfMotion& equation, const EquationOfMotion::Instant& at);
  double stiffness_beside_inertia(const Bristle& bristle) override;
  VectorXd solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles, double eps,
                 const VectorXd& force) override;

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
