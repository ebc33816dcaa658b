#pragma once

#include <array>

#include "support/lagrange/dual.h"
#include "support/lagrange/pose_matrix.h"

namespace cuttle::test::lagrange {

/// Mass of a rigid body, of a section of a rod, or (I: dual) of a body whose inertia changes with its shape.
template <typename I>
struct MassOf {
  Real mass = 0;
  std::array<Real, 3> com{};
  std::array<std::array<I, 3>, 3> inertia{};  // about the com
};
using Mass = MassOf<Real>;

/// The mass without its outer dual part.
inline const Mass& at_instant(const Mass& m) { return m; }
template <typename X>
MassOf<X> at_instant(const MassOf<Dual<X>>& m) {
  MassOf<X> r{m.mass, m.com, {}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.inertia[i][j] = m.inertia[i][j].x;
  }
  return r;
}

/// (w; v) in body axes from a pose that moves along its outer dual part.
template <typename X>
std::array<X, 6> body_velocity(const Top<Dual<X>>& g) {
  Top<X> at, rate;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) at.at[i][j] = g.at[i][j].x, rate.at[i][j] = g.at[i][j].dx;
  }
  Top<X> rotation = at;
  for (int i = 0; i < 3; ++i) rotation.at[i][3] = X(0.0L);
  const Top<X> velocity = times_algebra(inverse(rotation), rate);
  return {velocity.at[2][1], velocity.at[0][2], velocity.at[1][0],
          velocity.at[0][3], velocity.at[1][3], velocity.at[2][3]};
}

template <typename X>
using Momentum = std::array<X, 6>;
/// Angular momentum about the frame's origin, and momentum.
template <typename I, typename X>
Momentum<X> momentum_of(const MassOf<I>& m, const std::array<X, 6>& V) {
  const auto& c = m.com;
  const std::array<X, 3> v{V[3] + c[2] * V[1] - c[1] * V[2], V[4] + c[0] * V[2] - c[2] * V[0],
                           V[5] + c[1] * V[0] - c[0] * V[1]};
  Momentum<X> h;
  for (int i = 0; i < 3; ++i) {
    h[i] = m.inertia[i][0] * V[0] + m.inertia[i][1] * V[1] + m.inertia[i][2] * V[2];
    h[i + 3] = m.mass * v[i];
  }
  h[0] = h[0] + c[1] * h[5] - c[2] * h[4];
  h[1] = h[1] + c[2] * h[3] - c[0] * h[5];
  h[2] = h[2] + c[0] * h[4] - c[1] * h[3];
  return h;
}
template <typename X>
X product(const std::array<X, 6>& a, const std::array<X, 6>& b) {
  X sum(0.0L);
  for (int i = 0; i < 6; ++i) sum = sum + a[i] * b[i];
  return sum;
}

}  // namespace cuttle::test::lagrange
