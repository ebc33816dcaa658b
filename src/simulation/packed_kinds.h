#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bodies/rod/rod_lanes.h"
#include "cuttle/model/joint.h"

// The kinds of bodies and joints that lie side by side in packs of robots, a line each.

namespace cuttle {

/// The body of all lanes; null if there is none of the kind, or if the bodies differ in more than numbers.
template <typename S>
std::unique_ptr<BodyT<S>> packed_body(const typename Gather<S>::template Each<BodyPacking>& from) {
  const std::string_view kind = from[0]->kind();
  if (kind == RodPacking::k_kind) return RodLanesT<S>::make(from);
  return nullptr;
}

/// The joint of all lanes; null if there is none of the kind.
template <typename S>
std::shared_ptr<const JointT<S>> packed_joint(std::string_view kind, const std::vector<Vector3T<S>>& axes) {
  if (kind == "revolute") return make_revolute_joint<S>(axes[0]);
  if (kind == "prismatic") return make_prismatic_joint<S>(axes[0]);
  if (kind == "cylindrical") return make_cylindrical_joint<S>(axes[0]);
  if (kind == "universal") return make_universal_joint<S>(axes[0], axes[1]);
  if (kind == "spherical") return make_spherical_joint<S>();
  if (kind == "planar") return make_planar_joint<S>();
  if (kind == "free") return make_free_joint<S>();
  return nullptr;
}

}  // namespace cuttle
