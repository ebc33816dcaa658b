#pragma once

#include <span>
#include <type_traits>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

// Loads that depend on the robot's motion (fluids, drones). Their frames stand in the order of model.state_loads() and
// of each load's frames(); their integrals one load after the other. Wrenches are in the axes of their frames.

/// Number of frames at which such loads act.
template <typename S>
CUTTLE_API std::size_t state_load_count(const ModelT<S>& model);
/// Number of integrals along the motion that they keep, 6 a drone: states beside q and v, zero at the start.
template <typename S>
CUTTLE_API int load_integral_count(const ModelT<S>& model);

/// Some loads: those of a model, or these and others.
template <typename S>
using StateLoadsRefT = std::span<const std::shared_ptr<const StateLoadT<S>>>;
template <typename S>
using WrenchesOutT = typename std::type_identity<std::span<ExternalWrenchT<S>>>::type;
template <typename S>
using AddedInertiasOutT = typename std::type_identity<std::span<AddedInertiaT<S>>>::type;
template <typename S>
using StateLoadDerivativesOutT = typename std::type_identity<std::span<StateLoadDerivativeT<S>>>::type;

/// Wrenches at velocities and true accelerations (gravity not inside): what a residual `inverse_dynamics - J^T wrench`
/// needs. Added inertia is part of them.
/// @param kinematics  of a forward_kinematics with accelerations.
/// @param integrals   load_integral_count numbers.
/// @param wrenches    state_load_count results.
/// @throws ArgumentError on sizes, or if accelerations are missing.
template <typename S>
CUTTLE_API void state_load_wrenches(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time,
                                    VectorInT<S> integrals, WrenchesOutT<S> wrenches);
/// The same after a forward_kinematics of its own, which it leaves in data.kinematics.
template <typename S>
CUTTLE_API void state_load_wrenches(const ModelT<S>& model, DataT<S>& data, double time, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> a, VectorInT<S> integrals, WrenchesOutT<S> wrenches);

/// What of the wrenches does not depend on acceleration: with state_load_inertias, what forward_dynamics needs.
/// @param kinematics  of a forward_kinematics with velocities.
template <typename S>
CUTTLE_API void state_load_biases(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time,
                                  VectorInT<S> integrals, WrenchesOutT<S> wrenches);
/// The added inertias, which do not change: one a frame.
template <typename S>
CUTTLE_API void state_load_inertias(const ModelT<S>& model, AddedInertiasOutT<S> inertias);

/// Rates of the integrals. @param kinematics  of a forward_kinematics with velocities.
/// @param rates  load_integral_count results.
template <typename S>
CUTTLE_API void state_load_rates(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time,
                                 VectorOutT<S> rates);

/// Derivatives of the wrenches, one a frame, exact to rounding. @param kinematics  of a forward_kinematics with
/// accelerations.
template <typename S>
CUTTLE_API void state_load_derivatives(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time,
                                       VectorInT<S> integrals, StateLoadDerivativesOutT<S> derivatives);

}  // namespace cuttle
