#pragma once

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Actuation matrix A(q) = (dy/dq)^T: the generalized force of the inputs is A u, and dy/dt = A^T v. Of an
/// actuator with a law (ActuatorT::law) it is A times the effort that the law makes of its input.
/// @param q  configuration, size nq.   @return data.actuation_matrix, nv x nu; valid until the next call.
/// @throws ArgumentError, here and below, if a size is wrong or a value is not finite.
/// Cost O(nv nu) and, a tendon, O(links + points of its routing). Allocates nothing.
template <typename S>
CUTTLE_API const MatrixXT<S>& actuation_matrix(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);

/// Actuation coordinates y(q) that the inputs do work on: a joint's coordinate [rad or m], how much a tendon
/// is shorter than in the neutral configuration [m], the volume of a chamber [m^3].
/// @param q  configuration, size nq.   @return data.actuation_coordinates, size nu; valid until the next call.
/// @throws as actuation_matrix.
template <typename S>
CUTTLE_API const VectorXT<S>& actuation_coordinates(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q);

/// Generalized force A(q) u of inputs u, taken as they are: a tendon may push (`apply_slack` sees to that). Without
/// those of actuators with laws, which act as elements do (algorithms/elements.h). A is not formed: one inward sweep
/// for all tendons.
/// @param q  configuration, size nq.   @param u  inputs, size nu, each in its unit: N, N m or Pa.
/// @return data.force, size nv [N m or N]; valid until the next call.   @throws as actuation_matrix.
template <typename S>
CUTTLE_API const VectorXT<S>& actuation_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> u);

/// Makes u, size nu, the inputs that act: a tendon of `slack: clip` has no tension below zero.
/// @return where a tendon of `slack: error` has one: of robots side by side the lanes. Its tension stays as it is.
template <typename S>
CUTTLE_API MaskT<S> clip_slack(const ModelT<S>& model, VectorOutT<S> u);
/// The same for one robot. @throws ArgumentError that names such a tendon.
template <typename S>
CUTTLE_API void apply_slack(const ModelT<S>& model, VectorOutT<S> u);

}  // namespace cuttle
