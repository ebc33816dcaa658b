#pragma once

#include <cstddef>
#include <vector>

#include "bodies/volume/point_sums.h"
#include "cuttle/bodies/body.h"

namespace cuttle {

/// Inertia of points that move by p = u_0 + sum_k u_k q_k, u_0 = x, u_k = phi_k(x), from the constants that all sums
/// over the points are made of: their mass, the first moments sum m u_a and the second moments N_ab = sum m u_a u_b^T.
/// Cost O(n_B^2), whatever the number of points.
///
/// What the sums need of the shape at q lies in `shape`, shape_size() scalars that `reshape` fills.
template <typename S>
class LinearInertiaT {
 public:
  explicit LinearInertiaT(int coordinates);
  /// Takes points along; `at_rest`: their motions, with slopes, at q = 0.
  void add(const PointTable<S>& part, const PointMotionsT<S>& at_rest);
  /// After the last point.
  void finish(const S& density);

  std::size_t shape_size() const { return padded(9 * (n_ + 1) + 12); }
  void reshape(const S* q, S* shape) const;
  /// Whether every number of the shape is finite.
  bool is_finite(const S* shape) const;

  // as PointSums
  void add_inertial_forces(const BodyStateT<S>& state, const S* shape, WrenchT<S>& base, S* force) const;
  void add_inertia_blocks(const S* shape, InertiaBlocksT<S>& blocks) const;
  /// Fills what the points' inertia gives to force_by_q, force_by_v, base_by_q, base_by_v, rate and composite.rate.
  void derivatives(const BodyStateT<S>& state, const S* shape, BodyDerivativesT<S>& result) const;
  S kinetic_energy(const BodyStateT<S>& state, const S* shape) const;
  Vector3T<S> mass_moment(const S* shape) const;

 private:
  struct Shape;
  Shape view(const S* shape) const;

  int n_;
  std::vector<S> products_;  // of volumes, sum V w w^T, w = (1, u_0, u_1, ..): 3 n_B + 4 rows; until finish
  S mass_{};
  std::vector<Vector3T<S>> first_;  // sum m u_a, n_B + 1
  std::vector<S> second_;           // N_ja by rows at [a][j]: column a of the map of (1, q) to the sums m u_j p^T
  std::vector<S> mass_matrix_;      // n_B x n_B by rows
  std::vector<Vector3T<S>> turn_;   // sum m u_k x u_j at [k][j], j and k from 1 on
};

}  // namespace cuttle
