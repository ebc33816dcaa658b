#pragma once

#include <Eigen/Core>
#include <memory>

#include "support/plain_robot.h"

namespace cuttle::test {

namespace lagrange {
struct Kinematics;
}  // namespace lagrange

using VectorXl = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using MatrixXl = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using Matrix4l = Eigen::Matrix<long double, 4, 4>;

/// How the reference takes rods.
struct RodIntegration {
  /// 0: exactly the library's discrete rod (its Gauss points, one fourth-order Magnus step each, its sections).
  /// Otherwise that many sections, ...
  int sections = 0;
  /// ... and that many classical Runge-Kutta steps on dg/ds = g hat(xi) from each to the next.
  int substeps = 16;
};

/// Equations of motion of a robot by Lagrange's route, in long double, dense and slow, sharing no code with the
/// library: energies T(q, v) and U(q) as sums over rigid bodies and rod sections, whose poses are products of 4 x 4
/// matrices and matrix exponentials by power series; differentiated exactly by nested dual numbers.
///
/// Where v is not dq/dt (spherical, free, floating base) the equations are those of Hamel for quasi-velocities:
/// d/dt dT/dv - D T - ad_v^T dT/dv, with D the derivative along q exp(e hat) and ad that of SO(3) or SE(3).
class LagrangeReference {
 public:
  explicit LagrangeReference(PlainRobot robot, RodIntegration integration = {});
  ~LagrangeReference();
  LagrangeReference(LagrangeReference&&) noexcept;

  int nq() const;
  int nv() const;
  MatrixXl mass_matrix(const VectorXl& q) const;  ///< armature included
  VectorXl coriolis_force(const VectorXl& q, const VectorXl& v) const;
  VectorXl gravity_force(const VectorXl& q) const;
  VectorXl elastic_force(const VectorXl& q) const;
  VectorXl damping_force(const VectorXl& q, const VectorXl& v) const;
  long double kinetic_energy(const VectorXl& q, const VectorXl& v) const;
  long double gravity_energy(const VectorXl& q) const;
  long double elastic_energy(const VectorXl& q) const;
  /// Whether a spring of an orientation is nearer to half a turn than the 0.2 rad from which on it is none of these
  /// here.
  bool has_spring_near_half_turn(const VectorXl& q) const;
  Matrix4l pose(const VectorXl& q, const PlainPlace& place) const;
  /// Pose of a link's base frame.
  Matrix4l base_pose(const VectorXl& q, int link) const;

 private:
  std::unique_ptr<const lagrange::Kinematics> kinematics_;
};

}  // namespace cuttle::test
