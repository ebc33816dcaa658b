#pragma once

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Poses of all frames. @return data.kinematics; ask it for the pose of a frame. Valid until the next call.
/// @throws ArgumentError if a size is wrong or a value is not finite.
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Poses and velocities.
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                    VectorInT<S> v);
/// Poses, velocities and accelerations (gravity not included).
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                    VectorInT<S> v, VectorInT<S> a);

/// Jacobian J (6 x nv, angular rows first): the frame's twist in its own axes is J v. @return data.jacobian.
template <typename S>
CUTTLE_API const MatrixXT<S>& frame_jacobian(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                             const FrameT<S>& frame);

}  // namespace cuttle
