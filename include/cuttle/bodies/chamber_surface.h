#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/bodies/tetrahedral_mesh.h"

namespace CUTTLE_API cuttle {

/// ChamberPlace of a cylindrical volume all along its axis: distances from the axis up to `radius`, angles within width
/// / 2 of `angle`.
template <typename S>
struct SectorPocketT {
  S angle{};   ///< of its middle, from x towards y [rad]
  S width{};   ///< in (0, 2 pi] [rad]
  S radius{};  ///< [m]

  bool operator==(const SectorPocketT&) const = default;
  template <typename T>
  SectorPocketT<T> cast() const {
    return {scalar_cast<T>(angle), scalar_cast<T>(width), scalar_cast<T>(radius)};
  }
};
using SectorPocket = SectorPocketT<double>;

/// Which cavity of a body: one that the body knows by name, or a pocket.
template <typename S>
struct ChamberPlaceT {
  std::string surface;  ///< inner: the bore of a hollow cylinder; or a group of a mesh; or a name of the body's own
  std::optional<SectorPocketT<S>> pocket{};
  std::string link{};  ///< the body's, for messages
};
using ChamberPlace = ChamberPlaceT<double>;

/// Closed surface of a cavity in a body, given in the rest shape and carried along by the body's material points. Its
/// parts, each with normals out of the cavity: smooth patches, as nodes of a quadrature; cones over smooth rims, which
/// close an opening; a triangulated surface with cones over the rims of its openings. A cone's apex is the mean of its
/// rim's points, wherever the body has carried them: over a plane rim it is flat.
///
/// All entries are positions or tangents in the base frame of the rest shape [m].
template <typename S>
struct ChamberSurfaceT {
  /// What a node of a quadrature does beside standing at its point.
  struct Node {
    Vector3T<S> u;  ///< dx/du times the node's weight
    Vector3T<S> v;  ///< dx/dv; u x v points out of the cavity
  };
  struct Rim {
    int first;                          ///< of its points
    std::vector<Vector3T<S>> tangents;  ///< dx/du times weight, point by point; counterclockwise seen from outside
  };
  std::vector<Vector3T<S>> points;  ///< of the nodes, then of the rims, then the corners of the triangles
  std::vector<Node> nodes;
  std::vector<Rim> rims;
  std::vector<std::array<int, 3>> triangles;  ///< of points, counterclockwise seen from outside
  std::vector<std::vector<int>>
      openings;  ///< points of a triangulated surface's rims, counterclockwise seen from outside
  /// For drawings, its points carried by the body too; empty: the triangles above.
  BodySurface drawing;

  template <typename T>
  ChamberSurfaceT<T> cast() const {
    ChamberSurfaceT<T> other;
    for (const auto& x : points) other.points.push_back(x.template cast<T>());
    for (const Node& node : nodes) other.nodes.push_back({node.u.template cast<T>(), node.v.template cast<T>()});
    for (const Rim& rim : rims) {
      other.rims.push_back({rim.first, {}});
      for (const auto& tangent : rim.tangents) other.rims.back().tangents.push_back(tangent.template cast<T>());
    }
    other.triangles = triangles, other.openings = openings, other.drawing = drawing;
    return other;
  }
};
using ChamberSurface = ChamberSurfaceT<double>;

/// Sector of a cylinder about z, r <= radius within width/2 on either side of angle, with its two ends.
template <typename S>
struct SectorT {
  S length{};  ///< from z = 0 [m]
  S radius{};  ///< [m]
  S angle{};   ///< of its middle, from x towards y [rad]
  S width{};   ///< in (0, 2 pi] [rad]
};
/// Surface of a sector, Gauss-Legendre of nz, nr and nphi points along each edge.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ChamberSurfaceT<S> sector_surface(const SectorT<S>& sector, int nz, int nr, int nphi);

/// Bore of a hollow cylinder about z from 0 to `length`: Gauss-Legendre in z, equal angles, a cone over either rim.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ChamberSurfaceT<S> cylinder_bore_surface(const S& length, const S& inner_radius, int nz, int nphi);

/// Faces of a group of a mesh, turned so that tetrahedra lie outside of the cavity, and a cone over each open rim.
/// Those of four nodes stay flat; of ten nodes they are patches of degree 2: the volume is exact, a cubic function of
/// nodes.
/// @throws ModelError: no such group, a triangle that is no face of the mesh's surface, rims that touch.
ChamberSurface mesh_group_surface(const TetrahedralMesh& mesh, const std::string& group);

/// Volume within the surface [m^3] where the body is at q: 1/3 of the integral of p . n over it.
/// @param slopes     n_B, overwritten: the exact derivative of the value in q; null: not asked for.
/// @param workspace  surface_workspace_size() scalars of nobody else.
/// @param scratch    as of MaterialPointsT.
/// Cost O(points n_B). Allocates nothing where it is given scratch.
/// @throws as BodyT::material_points.
template <typename S>
CUTTLE_API S volume_in_surface(const BodyT<S>& body, const ChamberSurfaceT<S>& surface, const S* q, S* slopes,
                               S* workspace, S* scratch = nullptr);
template <typename S>
CUTTLE_API std::size_t surface_workspace_size(const ChamberSurfaceT<S>& surface, int coordinates);

}  // namespace cuttle
