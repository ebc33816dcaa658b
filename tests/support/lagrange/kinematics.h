#pragma once

#include <array>
#include <optional>
#include <vector>

#include "support/lagrange/continuum_joint.h"
#include "support/lagrange/dual.h"
#include "support/lagrange/mass.h"
#include "support/lagrange/pose_matrix.h"
#include "support/lagrange/rod.h"
#include "support/lagrange_reference.h"
#include "support/plain_robot.h"

namespace cuttle::test::lagrange {

/// A configuration that moves along tangent vectors: q exp(inner e2) exp(outer e1).
struct Path {
  const VectorXl* q;
  const VectorXl* outer = nullptr;
  const VectorXl* inner = nullptr;
};

/// Poses of a link's frames in world.
template <typename T>
struct LinkPoses {
  Top<T> base, tip;
  std::vector<Top<T>> stops;     // after each step of the rod
  std::vector<Top<T>> sections;  // of the rod
  std::vector<T> q;              // of the body
  std::optional<Lumped<T>> lumped;
};
template <typename T>
struct Poses {
  Top<T> base;
  std::vector<LinkPoses<T>> links;
};

/// A link: where its coordinates start, and its body.
struct LinkData {
  int joint_q, joint_v, body_q, body_v;
  std::optional<Rod> rod;
  Mass rigid;
};

/// Poses, velocities and momenta of everything on a plain robot. T, X: plain numbers, or dual ones that carry
/// derivatives along the path.
struct Kinematics {
  PlainRobot robot;
  std::vector<LinkData> links;
  int nq = 0, nv = 0;

  Kinematics(PlainRobot plain, const RodIntegration& integration);

  template <typename T>
  Poses<T> poses(const Path& path) const;
  template <typename T>
  Top<T> place_pose(const Poses<T>& poses, const PlainPlace& place) const;

  /// Velocities and momenta of all masses for the velocity `outer`; X = Real, or Dual1: with derivatives along `inner`.
  template <typename X>
  void motion(const Path& path, std::vector<std::array<X, 6>>& velocities, std::vector<Momentum<X>>* momenta) const;

  template <typename T>
  T gravity_energy(const Poses<T>& at) const;
  /// Spring elongation e of a joint: q - rest, or log(rest^-1 q).
  template <typename T>
  std::array<T, 6> elongation(int index, const Path& path) const;

 private:
  /// Calls f(pose, mass) for every rigid body and section.
  template <typename T, typename F>
  void for_each_mass(const Poses<T>& poses, const F& f) const;
};

}  // namespace cuttle::test::lagrange
