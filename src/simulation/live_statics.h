#pragma once

#include <span>

#include "cuttle/elements/push.h"
#include "cuttle/model/data.h"

namespace cuttle {

/// How stiffly a robot holds its coordinates, for scales of pushes: elasticity of bodies and springs
/// of joints at q. A joint's coordinate without spring counts as held by the weight that it carries at the distance at
/// which it carries it, a floating base by the whole robot's. nv x nv.
MatrixXd holding_stiffness(const Model& model, VectorInT<double> q);

/// Of a point: `frame`'s origin. Critically damped for the mass that the point feels.
/// @param driven  coordinates of the velocity that do not yield.
PushSpring point_spring(const Model& model, Data& data, VectorInT<double> q, const Frame& frame,
                        std::span<const int> driven);
/// Of a coordinate of a joint. @param range  how far it may go: the push pulls no more than at half of that.
/// @param driven  coordinates of the velocity that do not yield; v is none of them.
PushSpring coordinate_spring(const Model& model, Data& data, VectorInT<double> q, int v, double range,
                             std::span<const int> driven);

/// Where on a link somebody points: the place of the material point that is nearest to `point` (world) at q.
Place nearest_place(const Robot& robot, const Model& model, VectorInT<double> q, int link, const Vector3& point);

}  // namespace cuttle
