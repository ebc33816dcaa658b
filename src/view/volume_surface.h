#pragma once

#include <array>
#include <vector>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {

/// Surface of a volume at rest, for drawings: flat faces between its points.
struct VolumeSurface {
  /// Corners counterclockwise seen from outside; triangles have -1 last.
  using Face = std::array<int, 4>;
  struct Edge {
    int a, b;          ///< its ends
    int first, other;  ///< its faces
    bool sharp;        ///< the faces meet at an angle
  };
  std::vector<Vector3> points;  ///< rest positions, base frame [m]
  std::vector<Face> faces;
  std::vector<Edge> edges;

  /// Fills `edges`.
  void connect();
};

/// Of a cylinder, with its bore, or a box; without faces if the shape is not known.
VolumeSurface volume_surface(const PointShape& shape);
/// The boundary of a mesh.
VolumeSurface volume_surface(const TetrahedralMesh& mesh);

}  // namespace cuttle
