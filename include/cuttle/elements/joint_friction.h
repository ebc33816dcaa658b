#pragma once

#include <optional>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of dry (Coulomb) friction on one joint coordinate, regularised: at the rate v it pushes back with
/// (friction + (stiction - friction) exp(-(v / stribeck_velocity)^2)) tanh(v / velocity), Stribeck's curve if there is
/// a stiction. Smooth, so a joint that should stick creeps: under an effort f below the friction at velocity artanh(f /
/// friction).
template <typename S>
struct JointFrictionT {
  S friction{};                          ///< while it slides [N m, N], >= 0
  S velocity{};                          ///< range of the regularisation [rad/s, m/s], > 0
  std::optional<S> stiction{};           ///< where sliding begins [N m, N], >= friction; none: friction
  std::optional<S> stribeck_velocity{};  ///< over which it falls to `friction` [rad/s, m/s], > velocity; with stiction
};
using JointFriction = JointFrictionT<double>;

/// Friction on coordinate `index` of the joint of `link`. @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ElementT<S> make_joint_friction(std::string name, std::string link, int index,
                                           const JointFrictionT<S>& friction);

/// The parameters of a law, if it is that of friction in a joint; else null.
template <typename S>
CUTTLE_API const JointFrictionT<S>* joint_friction_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
