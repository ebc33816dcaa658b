#pragma once

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Kinetic energy 1/2 v^T M v, armature included [J].
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @throws ArgumentError, here and below, if a size is wrong or a value is not finite.
template <typename S>
CUTTLE_API S kinetic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);
/// Energy -sum m g.p of gravity, zero for mass at the world's origin [J].
/// @param q  configuration, size nq.   @throws as kinetic_energy.
template <typename S>
CUTTLE_API S gravity_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Elastic energy of bodies and joint springs, zero in the stress-free state [J].
/// @param q  configuration, size nq.   @throws as kinetic_energy.
template <typename S>
CUTTLE_API S elastic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);

/// Momentum of the whole robot about the world's origin, world axes.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @return (angular; linear), 6 numbers [kg m^2/s, kg m/s].   @throws as kinetic_energy.
template <typename S>
CUTTLE_API WrenchT<S> momentum(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);

}  // namespace cuttle
