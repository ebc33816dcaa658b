#pragma once

#include <array>
#include <vector>

#include "support/lagrange/mass.h"
#include "support/lagrange/pose_matrix.h"
#include "support/lagrange/rod_functions.h"
#include "support/plain_robot.h"

namespace cuttle::test::lagrange {

/// A continuum joint as one mass that turns with the tip, in the joint's base frame.
template <typename T>
struct Lumped {
  Top<T> base_tip;
  Top<T> base_com;  // axes of the tip at the center of mass
  MassOf<T> mass;   // the inertia changes with the shape
};

/// [J] (9) and (19) as sums over discs, at the poses that matrix exponentials give.
template <typename T>
Lumped<T> lumped(const PlainContinuumJoint& plain, const T* q) {
  static const Quadrature rule = gauss_legendre(20, 0, 1);
  const auto arc = [&](Real t) {
    return exponential(hat<T>({t * q[0], t * q[1], T(0.0L), T(0.0L), T(0.0L), T(t * plain.length)}));
  };
  Lumped<T> result;
  result.base_tip = result.base_com = arc(1);
  std::array<T, 3> com{};
  std::vector<Top<T>> discs;
  for (std::size_t k = 0; k < rule.s.size(); ++k) {
    discs.push_back(arc(rule.s[k]));
    for (int i = 0; i < 3; ++i) com[i] = com[i] + rule.weight[k] * discs[k].at[i][3];
  }
  for (int i = 0; i < 3; ++i) result.base_com.at[i][3] = com[i];

  result.mass.mass = plain.mass;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    const Top<T> com_disc = times_pose(inverse(result.base_com), discs[k]);
    const Real m = rule.weight[k] * plain.mass, thin = static_cast<Real>(plain.radius) * plain.radius / 4;
    T square(0.0L);
    for (int i = 0; i < 3; ++i) square = square + com_disc.at[i][3] * com_disc.at[i][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        T& I = result.mass.inertia[i][j];
        // diag(1, 1, 2) r^2/4, turned, and the parallel axis
        for (int a = 0; a < 3; ++a) {
          I = I + (m * thin * (a == 2 ? 2 : 1)) * (com_disc.at[i][a] * com_disc.at[j][a]);
        }
        I = I - m * (com_disc.at[i][3] * com_disc.at[j][3]);
        if (i == j) I = I + m * square;
      }
    }
  }
  return result;
}

}  // namespace cuttle::test::lagrange
