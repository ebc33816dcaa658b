#pragma once

#include "cuttle/model/robot.h"

namespace cuttle {

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
ElementT<S> make_joint_limit(std::string name, std::string link, int index, const JointLimitT<S>& limit);

}  // namespace cuttle
