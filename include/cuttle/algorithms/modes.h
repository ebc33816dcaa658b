#pragma once

#include <complex>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// Small motions about a configuration of rest, where loops allow n of them: with dq = motions x and changes s of the m
/// states of elements, `mass x'' + damping x' + stiffness x = state_force s` and
/// `s' = state_by_x x + state_by_rate x' + state_by_state s`.
struct LinearizedMotion {
  MatrixXd motions;                                    ///< nv x n, orthonormal columns
  MatrixXd mass, damping, stiffness;                   ///< n x n; the stiffness with the states held
  MatrixXd state_force;                                ///< n x m
  MatrixXd state_by_x, state_by_rate, state_by_state;  ///< m x n, m x n, m x m
};

/// One mode exp(eigenvalue t) of small motions; of two that are conjugate the one that turns forward.
struct Mode {
  std::complex<double> eigenvalue;  ///< [1/s]
  double rounding = 0.0;            ///< error that rounding may have left in it [1/s]
  Eigen::VectorXcd shape;           ///< nv, motion of the coordinates; its largest entry is 1
  Eigen::VectorXcd states;          ///< of elements, to the same scale

  double frequency() const;      ///< |eigenvalue| / 2 pi [Hz]
  double damping_ratio() const;  ///< -Re / |eigenvalue|: 1 where it decays without turning, below 0 where it grows
};

enum class Stability {
  stable,    ///< no small motion grows (without damping, none decays either)
  neutral,   ///< none grows to first order, but something moves freely
  unstable,  ///< some small motion grows
  unknown,   ///< the mass matrix is singular and the forces have no energy
};
const char* stability_name(Stability stability);

/// All modes, by ascending |eigenvalue|; of those as large as each other the one that grows more comes first.
/// @throws SingularMassError if a motion moves no mass.
std::vector<Mode> modes(const LinearizedMotion& motion);

struct StabilityOfMotion {
  Stability stability = Stability::unknown;
  /// Of the small motion that grows fastest [1/s]; 0 if none grows, infinite if it moves no mass, NaN if unknown.
  double growth_rate = 0.0;
};
/// Judged by the signs of the real parts of the eigenvalues, beyond what rounding leaves; where forces have an energy
/// (symmetric stiffness, damping that takes energy), by whether the energy is least there.
StabilityOfMotion stability_of(const LinearizedMotion& motion);

}  // namespace cuttle
