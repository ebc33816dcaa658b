#include "bodies/volume/fem/fem_attachments.h"

#include <string>

#include "bodies/port_frame.h"
#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/error.h"

namespace cuttle {

namespace {

using Matrix = Eigen::MatrixXd;

/// Displacement of a material point from those of the free nodes: 3 x n.
Matrix point_slopes(const TetrahedronSearch& search, const FreeNodes& nodes, const Vector3& x) {
  Matrix slopes = Matrix::Zero(3, nodes.size());
  std::size_t tetrahedron = 0;
  const ElementPlace<double> place = search.at(x, tetrahedron);
  const ElementNodes of(search.mesh(), tetrahedron);
  for (int i = 0; i < of.count(); ++i) {
    const int at = nodes.at(of[i]);
    for (int axis = 0; at >= 0 && axis < 3; ++axis) slopes(axis, at + axis) = place.values[i];
  }
  return slopes;
}

/// Twist of the frame of o, a, b, in its own axes, from the displacements of the free nodes: 6 x n.
Matrix frame_slopes(const TetrahedronSearch& search, const FreeNodes& nodes, const std::array<Vector3, 3>& points) {
  const Vector3 a = points[1] - points[0], b = points[2] - points[0], normal = cross(a, b);
  if (!(dot(normal, normal) > 0.0)) throw ModelError({}, "points o, a, b on one line", "a triangle");
  const Matrix o_slopes = point_slopes(search, nodes, points[0]), a_slopes = point_slopes(search, nodes, points[1]),
               b_slopes = point_slopes(search, nodes, points[2]);
  const Matrix3 axes = port_axes(a, b);
  const auto column = [](const Matrix& slopes, Eigen::Index j) {
    return Vector3{slopes(0, j), slopes(1, j), slopes(2, j)};
  };
  Matrix slopes(6, nodes.size());
  for (Eigen::Index j = 0; j < nodes.size(); ++j) {
    const Vector3 o = column(o_slopes, j);
    const Twist twist = frame_twist(axes, a, b, o, column(a_slopes, j) - o, column(b_slopes, j) - o);
    for (int r = 0; r < 6; ++r) slopes(r, j) = twist[r];
  }
  return slopes;
}

/// Change of a cavity's volume with the displacements of the free nodes: 1 x n.
Matrix volume_slopes(const std::shared_ptr<const TetrahedralMesh>& mesh, const FreeNodes& nodes,
                     const std::string& surface) {
  // the whole mesh as a body; neither its material nor its tip matter for how a surface moves
  const auto corner = [&mesh](int i) { return mesh->nodes[mesh->tetrahedra[0][i]]; };
  const VolumeMaterial any{
      .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = 1.0, .poisson_ratio = 0.3};
  const NodalVolume body({mesh, 1.0, any, corner(0), corner(1), corner(2)});
  const ChamberSurface chamber_surface = mesh_group_surface(*mesh, surface);
  const int n = static_cast<int>(nodes.size());
  const std::vector<double> rest(n, 0.0);
  std::vector<double> workspace(surface_workspace_size(chamber_surface, n));
  Matrix slopes(1, n);
  volume_in_surface<double>(body, chamber_surface, rest.data(), slopes.data(), workspace.data());
  return slopes;
}

}  // namespace

Eigen::MatrixXd attachment_loads(const std::shared_ptr<const TetrahedralMesh>& mesh, const FreeNodes& nodes,
                                 const std::vector<FemAttachment>& attachments) {
  Matrix loads(nodes.size(), 0);
  if (attachments.empty()) return loads;
  const TetrahedronSearch search(mesh);
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const FemAttachment& at = attachments[i];
    const Matrix slopes = at_place({"attachments", i}, "", [&] {
      switch (at.kind) {
        case FemAttachment::Kind::point:
          return point_slopes(search, nodes, at.points[0]);
        case FemAttachment::Kind::frame:
          return frame_slopes(search, nodes, at.points);
        case FemAttachment::Kind::surface:
          break;
      }
      return volume_slopes(mesh, nodes, at.surface);
    });
    const Eigen::Index before = loads.cols();
    loads.conservativeResize(Eigen::NoChange, before + slopes.rows());
    loads.rightCols(slopes.rows()) = slopes.transpose();
  }
  return loads;
}

}  // namespace cuttle
