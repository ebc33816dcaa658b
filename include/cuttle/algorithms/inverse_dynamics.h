#pragma once

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Inertial force M(q) a + c(q, v), [P] Alg. 1. No gravity, elasticity, damping, actuation or loads.
/// @param q  configuration, size nq.   @param v, a  velocity and acceleration, size nv.
/// @return data.tau, size nv [N m or N]; valid until the next call.
/// @throws ArgumentError, as all algorithms, if a size is wrong, a value is not finite or `data` is of another robot;
/// OverflowError if a result is not finite.
/// Cost O(links + points of rods). Allocates nothing.
template <typename S>
CUTTLE_API const VectorXT<S>& inertial_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                        VectorInT<S> v, VectorInT<S> a);

/// Generalized force M(q) a + c(q, v) + g(q) + s(q, v), [P] (1) and Alg. 2: with gravity, elasticity and damping,
/// without actuation and loads.
/// @param q  configuration, size nq.   @param v, a  velocity and acceleration, size nv.
/// @return data.tau, size nv, N m or N as the coordinate is an angle or a length; valid until the next call.
/// @throws ArgumentError if a size is wrong, a value is not finite or `data` is of another robot; OverflowError if a
/// result is not finite.
/// Cost O(links + points of rods). Allocates nothing.
template <typename S>
CUTTLE_API const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                               VectorInT<S> a);

/// The same less sum J^T wrench of external wrenches, in the same sweep. Leaves twists of the nodes in data.velocity
/// and, if there are wrenches in world axes, poses without twists in data.kinematics.
template <typename S>
CUTTLE_API const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                               VectorInT<S> a, ExternalWrenchesT<S> external);

/// [P] Alg. 3: inverse_dynamics, size nv [N m or N], in data.tau and the mass matrix, nv x nv, in data.mass_matrix from
/// one sweep.
/// @param q  configuration, size nq.   @param v, a  velocity and acceleration, size nv.
/// @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& mass_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                    VectorInT<S> v, VectorInT<S> a);

/// Mass matrix M(q), both halves, armature included: kinetic energy is 1/2 v^T M v [J].
/// @param q  configuration, size nq.   @return data.mass_matrix, nv x nv.
/// @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const MatrixXT<S>& mass_matrix(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);

/// Single term c(q, v) of the equation of motion: Coriolis and centrifugal forces.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @return data.force, size nv [N m or N].   @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& coriolis_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);
/// Single term g(q): the gradient of gravity_energy.
/// @param q  configuration, size nq.   @return data.force, size nv [N m or N].   @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& gravity_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Single term s(q, 0), of bodies and joint springs: the gradient of elastic_energy.
/// @param q  configuration, size nq.   @return data.force, size nv [N m or N].   @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& elastic_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Single term s(q, v) - s(q, 0), of bodies and joints: the power v . force that it takes is >= 0.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @return data.force, size nv [N m or N].   @throws as inverse_dynamics.
template <typename S>
CUTTLE_API const VectorXT<S>& damping_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);

}  // namespace cuttle
