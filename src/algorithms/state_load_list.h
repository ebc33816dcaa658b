#pragma once

#include "cuttle/algorithms/state_loads.h"

// The functions of cuttle/algorithms/state_loads.h for any list of loads at frames of the model: its own, and those
// that something else has beside them.

namespace cuttle {

template <typename S>
std::size_t state_load_count(StateLoadsRefT<S> loads);
template <typename S>
int load_integral_count(StateLoadsRefT<S> loads);
template <typename S>
void state_load_wrenches(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                         VectorInT<S> integrals, WrenchesOutT<S> wrenches);
template <typename S>
void state_load_biases(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                       VectorInT<S> integrals, WrenchesOutT<S> wrenches);
template <typename S>
void state_load_inertias(StateLoadsRefT<S> loads, AddedInertiasOutT<S> inertias);
template <typename S>
void state_load_rates(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                      VectorOutT<S> rates);
template <typename S>
void state_load_derivatives(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics,
                            double time, VectorInT<S> integrals, StateLoadDerivativesOutT<S> derivatives);

}  // namespace cuttle
