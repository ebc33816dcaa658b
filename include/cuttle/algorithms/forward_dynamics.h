#pragma once

#include <span>

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// An inertia that something outside adds to a frame, as the water that a section stirs: the frame also gets the wrench
/// `-inertia A`, with A the acceleration of the frame in its own axes, gravity not inside.
template <typename S>
struct AddedInertiaT {
  FrameT<S> frame;
  ArticulatedInertiaT<S> inertia;  ///< any symmetric 6 x 6 matrix, positive semidefinite; frame axes
};
using AddedInertia = AddedInertiaT<double>;
template <typename S>
using AddedInertiasT = typename std::type_identity<std::span<const AddedInertiaT<S>>>::type;

/// Acceleration a of M a + c + g + s = tau + sum J^T wrench: articulated bodies, every deforming body eliminated as a
/// joint that has mass (docs/architecture.md, "A body"). Costs O(links + points n_B^2 + n_B^3 per body), without M.
/// `added` are inertias that move with frames of the robot.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @param tau  generalized force on the coordinates, size nv: actuation and whatever else [N m or N].
/// @param external  wrenches that the world puts on frames.
/// @return data.a, size nv [rad/s^2 or m/s^2]. With it data.velocity and data.acceleration are those of the nodes, and
/// data.kinematics has the poses if there are added inertias or wrenches in world axes.
/// @throws ArgumentError if a size is wrong or a value is not finite; SingularMassError names the link whose
/// coordinates move no mass.
template <typename S>
CUTTLE_API const VectorXT<S>& forward_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                               VectorInT<S> tau, ExternalWrenchesT<S> external = {},
                                               AddedInertiasT<S> added = {});

/// The same from the Cholesky factor of M, [P] 5.2: O(nv^3). For small robots and as a check.
template <typename S>
CUTTLE_API const VectorXT<S>& forward_dynamics_dense(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                     VectorInT<S> v, VectorInT<S> tau,
                                                     ExternalWrenchesT<S> external = {});

/// Generalized force sum J^T wrench of external wrenches.
/// @param q  configuration, size nq.   @return data.force, size nv [N m or N].   @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& external_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                             ExternalWrenchesT<S> external);

/// The robot's loads that depend on time alone, into `result` (as many as load_wrench_count).
template <typename S>
CUTTLE_API std::size_t load_wrench_count(const ModelT<S>& model);
template <typename S>
CUTTLE_API void load_wrenches(const ModelT<S>& model, double time,
                              typename std::type_identity<std::span<ExternalWrenchT<S>>>::type result);

}  // namespace cuttle
