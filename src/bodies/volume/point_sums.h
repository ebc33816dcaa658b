#pragma once

#include "cuttle/bodies/point_block.h"
#include "cuttle/bodies/volume_material.h"

namespace cuttle {

/// Constant tables of the points of a body, in blocks; a lane that no point fills has no mass and no volume.
template <typename S>
struct PointTable {
  const S* x = nullptr;       ///< rest positions [m], vectors of blocks
  const S* mass = nullptr;    ///< [kg]
  const S* volume = nullptr;  ///< [m^3]
  std::size_t blocks = 0;
  int coordinates = 0;  ///< n_B

  PointTable part(std::size_t first, std::size_t count) const {
    constexpr std::size_t n = k_point_lanes<S>;
    const auto behind = [](const S* table, std::size_t offset) { return table != nullptr ? table + offset : nullptr; };
    return {behind(x, 3 * n * first), behind(mass, n * first), behind(volume, n * first), count, coordinates};
  }
};

/// F = df/dx of blocks: of each block its nine rows of lanes, by rows; the slopes dF/dq_j of a block one behind the
/// other. With a derivative along a direction, each row of lanes is followed by that of its derivatives.
template <typename S>
struct GradientBlocks {
  const S* F;
  const S* slopes;
};

/// Rows of lanes that `add_derivatives` adds to, each the sum of one number over the points; matrices by rows.
struct PointTangentRows {
  std::size_t force_by_q, force_by_v;  ///< n x n
  std::size_t pairs;                   ///< f . d2p/(dq_i dq_j), i <= j at [j (j + 1) / 2 + i]
  std::size_t base_by_q, base_by_v;    ///< 6 x n
  std::size_t rate;                    ///< 3 x n
  std::size_t momentum;                ///< sum m u and sum m u p^T
  std::size_t count;

  explicit PointTangentRows(std::size_t n)
      : force_by_q(0),
        force_by_v(n * n),
        pairs(2 * n * n),
        base_by_q(pairs + n * (n + 1) / 2),
        base_by_v(base_by_q + 6 * n),
        rate(base_by_v + 6 * n),
        momentum(rate + 3 * n),
        count(momentum + 12) {}
};

/// F, its slopes and what `add_internal_derivatives` needs besides.
template <typename S>
struct InternalBlocks {
  const S* F;
  const S* slopes;
  const S* hessians;  ///< d2F/(dq_i dq_j) as of SecondSlopesT; null: zero
  S* rates;           ///< 9 n rows of lanes, scratch
};

/// Sums over points whose motions or deformation gradients are known; one table for each instruction set.
template <typename S>
struct PointSums {
  /// df/dt and d2f/dt2 from the slopes, up to the level.
  void (*complete)(const PointTable<S>&, MotionLevel, const S* v, const S* a, const PointMotionsT<S>&);
  /// First block with a number that is not finite; `blocks` if there is none.
  std::size_t (*first_not_finite)(const PointTable<S>&, MotionLevel, const PointMotionsT<S>&);
  /// Adds the wrench and the generalized force of the points' inertia.
  void (*add_inertial_forces)(const PointTable<S>&, const BodyStateT<S>&, const PointMotionsT<S>&, WrenchT<S>& base,
                              S* force);
  /// Adds to zeroed blocks; of `mass` the half with column >= row.
  void (*add_inertia_blocks)(const PointTable<S>&, const PointMotionsT<S>&, InertiaBlocksT<S>&);
  S (*kinetic_energy)(const PointTable<S>&, const BodyStateT<S>&, const PointMotionsT<S>&);
  Vector3T<S> (*mass_moment)(const PointTable<S>&, const PointMotionsT<S>&);

  /// Adds the derivatives of the inertial forces to rows of lanes. `paths` and `hessians` as of SecondSlopesT.
  void (*add_derivatives)(const PointTable<S>&, const BodyStateT<S>&, const PointMotionsT<S>&, const S* paths,
                          const S* hessians, S* lanes);

  /// F = 1 + sum_k q_k G_k from slopes G_k that are constants; with a direction also its derivatives along it.
  void (*fill_linear_gradients)(const PointTable<S>&, const S* q, const S* direction, const S* slopes, S* F);
  /// det F > 0 at every point? @return first block that has another; `blocks` if there is none.
  std::size_t (*first_folded)(const PointTable<S>&, const S* F);
  S (*elastic_energy)(const PointTable<S>&, const VolumeMaterialT<S>&, const S* F);
  void (*add_elastic_force)(const PointTable<S>&, const VolumeMaterialT<S>&, const GradientBlocks<S>&, S* force);
  /// The derivative of the elastic force along the direction of the gradients.
  void (*add_elastic_force_change)(const PointTable<S>&, const VolumeMaterialT<S>&, const GradientBlocks<S>&,
                                   S* change);
  /// The same for slopes that are constants, without rows of derivatives.
  void (*add_linear_elastic_force_change)(const PointTable<S>&, const VolumeMaterialT<S>&, const GradientBlocks<S>&,
                                          S* change);
  /// The same from stresses at the points, laid out as F: of a law that is not the library's.
  void (*add_force_of_stress)(const PointTable<S>&, const S* stress, const GradientBlocks<S>&, S* force);
  void (*add_force_change_of_stress)(const PointTable<S>&, const S* stress, const GradientBlocks<S>&, S* change);
  void (*add_linear_force_change_of_stress)(const PointTable<S>&, const S* stress, const GradientBlocks<S>&, S* change);
  void (*add_damping_force)(const PointTable<S>&, const S& viscosity, const GradientBlocks<S>&, const S* v, S* force);
  /// Adds the derivatives of elastic force (with a material) and damping force (with a viscosity) by q and by v, n_B x
  /// n_B rows of lanes each; by v only the half with column >= row.
  void (*add_internal_derivatives)(const PointTable<S>&, const VolumeMaterialT<S>* material, const S* viscosity,
                                   const InternalBlocks<S>&, const S* v, S* by_q, S* by_v);
  /// Adds the half with column >= row.
  void (*add_damping_matrix)(const PointTable<S>&, const S& viscosity, const GradientBlocks<S>&, S* damping);
};

/// The fastest table that this CPU runs (for double; chosen once).
template <typename S>
const PointSums<S>& point_sums();
template <>
const PointSums<double>& point_sums();
template <>
const PointSums<long double>& point_sums();
template <>
const PointSums<ForwardDual>& point_sums();

}  // namespace cuttle
