#pragma once

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// 1/2 v^T M v, armature included [J].
template <typename S>
CUTTLE_API S kinetic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);
/// -sum m g.p, zero for mass at the world's origin [J].
template <typename S>
CUTTLE_API S gravity_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Of bodies and joint springs, zero in the stress-free state [J].
template <typename S>
CUTTLE_API S elastic_energy(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);

/// Momentum of the whole robot about the world's origin, world axes: (angular; linear) [kg m^2/s, kg m/s].
template <typename S>
CUTTLE_API WrenchT<S> momentum(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v);

}  // namespace cuttle
