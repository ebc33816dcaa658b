#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Points of a volume and the volume that each stands for; integrals over the rest shape are sums over them.
template <typename S>
struct QuadratureT {
  std::vector<Vector3T<S>> points;  ///< rest position [m], base frame of the body
  std::vector<S> weights;           ///< [m^3]

  template <typename T>
  QuadratureT<T> cast() const {
    QuadratureT<T> other;
    for (const Vector3T<S>& x : points) other.points.push_back(x.template cast<T>());
    for (const S& w : weights) other.weights.push_back(scalar_cast<T>(w));
    return other;
  }
};
using Quadrature = QuadratureT<double>;

/// Cylinder about z from 0 to `length` [m], hollow if inner_radius > 0: Gauss-Legendre in z and in u = r^2, equal
/// angles from +x on; dV = du dphi dz / 2.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API QuadratureT<S> cylinder_quadrature(const S& length, const S& radius, const S& inner_radius, int nz, int nr,
                                              int nphi);

/// Box centered on z, from 0 to size.z: Gauss-Legendre along each edge.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API QuadratureT<S> box_quadrature(const Vector3T<S>& size, int nz, int nx, int ny);

/// Points of all tetrahedra, in the order of their z: `rule` of each, 14 (exact for polynomials of degree 5), 4 (of
/// degree 2) or 1, the centroid (of degree 1); where edges are curved, for polynomials of the element's own
/// coordinates.
/// @param mesh  that passes `check`.
/// @throws ModelError: key, what was found, what was expected.
template <typename S = double>
CUTTLE_API QuadratureT<S> mesh_quadrature(const TetrahedralMesh& mesh, int rule);

}  // namespace cuttle
