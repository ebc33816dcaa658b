#pragma once

#include <vector>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Joints whose accelerations are prescribed, and what it takes to have them so.
template <typename S>
struct DrivenJointsT {
  std::vector<char> driven;  ///< nv, one a velocity coordinate: not 0 for all coordinates of a driven joint
  VectorXT<S> a;             ///< nv: prescribed accelerations; those of other coordinates are not read
  VectorXT<S> effort;        ///< nv, result: generalized force of the drive [N m or N]; 0 for other coordinates

  bool empty() const { return driven.empty(); }
};
using DrivenJoints = DrivenJointsT<double>;

/// Hybrid dynamics: the acceleration a of M a + c + g + s = tau + sum J^T wrench + effort, with a as prescribed for
/// some joints or the floating base, and efforts on these alone. The sweeps of forward_dynamics, in which a driven
/// joint is a rigid one that accelerates (Featherstone 2008, 9.2): it needs no mass behind it.
/// @param joints  driven joints; gets their efforts, beside what tau has for them.
/// @return data.a, as forward_dynamics.
/// @throws ArgumentError if sizes are wrong or a joint is driven in part; else as forward_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& driven_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                              VectorInT<S> tau, DrivenJointsT<S>& joints,
                                              ExternalWrenchesT<S> external = {}, AddedInertiasT<S> added = {});

}  // namespace cuttle
