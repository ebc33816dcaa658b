#pragma once

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Poses of all frames in the world.
/// @param q  configuration, size nq.
/// @return data.kinematics; ask it for the pose of a frame. Valid until the next call.
/// @throws ArgumentError if a size is wrong or a value is not finite.
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);
/// Poses and velocities, of v, size nv.
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                    VectorInT<S> v);
/// Poses, velocities and accelerations (gravity not included).
template <typename S>
CUTTLE_API const KinematicsT<S>& forward_kinematics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                                    VectorInT<S> v, VectorInT<S> a);

/// Jacobian J of a frame, angular rows first: the frame's twist in its own axes, (rad/s; m/s), is J v.
/// @param q  configuration, size nq.   @return data.jacobian, 6 x nv.
/// @throws ArgumentError if a size is wrong, a value is not finite or the frame is of another model.
template <typename S>
CUTTLE_API const MatrixXT<S>& frame_jacobian(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q,
                                             const FrameT<S>& frame);

}  // namespace cuttle
