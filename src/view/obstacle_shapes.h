#pragma once

#include "cuttle/geometry/signed_distance.h"
#include "view/scene_items.h"

namespace cuttle {

/// How a shape of an obstacle or of a contact is drawn, in its own axes: what is like it, else a mesh of its surface.
/// @param reach   of the robot [m]: shapes without end are drawn so far that it finds room.
/// @param middle  where the robot is, in the shape's axes: they are drawn about its foot.
SceneShape drawn_shape(const SignedDistance& shape, double reach, const Vector3& middle);

/// Triangles of the surface where the distance is zero, within a cube about the origin, counterclockwise seen from
/// outside: marching tetrahedra, their corners moved onto the surface.
/// @param half_edge  of the cube [m].   @param cells  along an edge.
TriangleMesh distance_mesh(const SignedDistance& shape, double half_edge, int cells);

}  // namespace cuttle
