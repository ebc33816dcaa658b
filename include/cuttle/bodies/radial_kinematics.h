#pragma once

#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/swept_kinematics.h"

namespace CUTTLE_API cuttle {

/// A strain component of the backbone that is one coordinate: q/L all along.
enum class RadialStrain { kappa_x, kappa_y, sigma_z };
/// Name as in files.
const char* radial_strain_name(RadialStrain strain);

template <typename S>
struct RadialParametersT {
  S length{};                        ///< L [m], rest length
  S radius{};                        ///< R_0 [m], where a bump moves points by its coordinate times b
  std::vector<RadialStrain> strain;  ///< kappa_x, kappa_y [rad], sigma_z [m]: each at most once, in this order
  std::vector<S> bumps;              ///< angle of the middle of each, from x towards y [rad]

  template <typename T>
  RadialParametersT<T> cast() const {
    RadialParametersT<T> other{scalar_cast<T>(length), scalar_cast<T>(radius), strain, {}};
    for (const S& angle : bumps) other.bumps.push_back(scalar_cast<T>(angle));
    return other;
  }
};
using RadialParameters = RadialParametersT<double>;

/// A backbone of constant strain whose cross-sections swell, [P] supplement 1.1: with x = (r cos phi, r sin phi, s),
/// p = r(s) + (1 + dR / R_0) R(s) (x1, x2, 0), dR = sum_k b(s, phi - angle_k) q_k,
/// b = exp(-1 / (1/4 - (s/L - 1/2)^2)) exp(-1 / (pi^2/4 - phi^2)), 0 outside of the half turn that it spans.
/// b is smooth, and largest in the middle: exp(-4 - 4/pi^2) = 0.0122. (The paper's exponent has L where L^2 must stand,
/// and its phi is a quarter turn further.) Points on the axis stay on the backbone, where F is that of the backbone.
/// The volume changes. Coordinates: those of the strain [rad or m], then one a bump [m].
template <typename S>
class RadialKinematicsT final : public SweptKinematicsT<RadialKinematicsT, RadialParametersT, S> {
  using Base = SweptKinematicsT<RadialKinematicsT, RadialParametersT, S>;

 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit RadialKinematicsT(const RadialParametersT<S>& parameters);

  std::string type_name() const override { return "radial"; }
  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return false; }
};
using RadialKinematics = RadialKinematicsT<double>;

}  // namespace cuttle
