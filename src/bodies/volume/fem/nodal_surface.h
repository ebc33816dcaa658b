#pragma once

#include <vector>

#include "bodies/sparse_tangent.h"
#include "bodies/volume/fem/node_interpolation.h"

// Chambers and tendons in a body whose coordinates are displacements of nodes: each of their points moves with the few
// nodes of one tetrahedron.

namespace cuttle {

/// As volume_in_surface, in O(points + coordinates).
/// @param workspace  room for six scalars a point of the surface.
template <typename S>
S nodal_volume_in_surface(const NodeInterpolationT<S>& nodes, const ChamberSurfaceT<S>& surface, const S* q,
                          std::size_t coordinates, S* slopes, S* workspace);

/// Joins the nodes that meet in the second derivatives of the volume, or of the length of a polygon.
void join_surface_nodes(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, NodePairs& pairs);
void join_polygon_nodes(const NodeInterpolationT<double>& nodes, const std::vector<Vector3>& points, NodePairs& pairs);
/// Adds factor times these derivatives at q.
void add_surface_hessian(const NodeInterpolationT<double>& nodes, const ChamberSurface& surface, const double* q,
                         double factor, const NodePairs& pairs, double* values);
void add_polygon_hessian(const NodeInterpolationT<double>& nodes, const std::vector<Vector3>& points, const double* q,
                         double factor, const NodePairs& pairs, double* values);

}  // namespace cuttle
