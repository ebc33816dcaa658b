#pragma once

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of a limit of one joint coordinate: beyond it a spring with a damper pushes back. Both begin smoothly:
/// over the first `range` the stiffness grows evenly from zero, so that the force has no corner.
template <typename S>
struct JointLimitT {
  S lower{}, upper{};  ///< [rad, m], lower < upper
  S stiffness{};       ///< far beyond the limit [N m/rad, N/m], > 0
  S damping{};         ///< likewise [N m s/rad, N s/m], >= 0
  S range{};           ///< [rad, m], > 0
};
using JointLimit = JointLimitT<double>;

/// Limits coordinate `index` of the joint of `link`. @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ElementT<S> make_joint_limit(std::string name, std::string link, int index, const JointLimitT<S>& limit);

/// The parameters of a law, if it is that of a limit of a joint; else null.
template <typename S>
CUTTLE_API const JointLimitT<S>* joint_limit_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
