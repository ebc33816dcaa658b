#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <vector>

#include "bodies/volume/fem/material_parts.h"
#include "cuttle/bodies/tetrahedral_mesh.h"

namespace cuttle {

/// Displacements of the free nodes of a mesh: x, y and z of one node behind the other.
class FreeNodes {
 public:
  /// Fixes the nodes with z <= 1e-9 L. @throws ModelError if they leave the mesh free to turn or none is free.
  explicit FreeNodes(const TetrahedralMesh& mesh);
  /// Fixes none.
  static FreeNodes all(const TetrahedralMesh& mesh);
  Eigen::Index size() const { return size_; }
  /// Number of the first component of a node; -1 if it is fixed.
  int at(int node) const { return first_[node]; }
  std::vector<Vector3> displacements(const Eigen::VectorXd& free) const;

 private:
  FreeNodes() = default;
  std::vector<int> first_;
  Eigen::Index size_ = 0;
};

/// Stiffness of small strains over mu [m] and consistent mass over density [m^3] of the free nodes; both halves.
Eigen::SparseMatrix<double> fem_stiffness(const TetrahedralMesh& mesh, const FreeNodes& nodes,
                                          const LameRatios& ratios);
Eigen::SparseMatrix<double> fem_mass(const TetrahedralMesh& mesh, const FreeNodes& nodes);

/// Second derivative of the elastic force of the free nodes, over mu, in the amplitudes of two displacements u and v,
/// at rest, for C : E = lambda tr(E) + 2 mu E, E the Green-Lagrange strain: with H = grad u and G = grad v, the stress
/// H C:sym(G) + G C:sym(H) + C:sym(H^T G).
Eigen::VectorXd fem_second_force(const TetrahedralMesh& mesh, const FreeNodes& nodes, const LameRatios& ratios,
                                 const std::vector<Vector3>& u, const std::vector<Vector3>& v);

/// Energy over mu that the displacement a u has of the order a^4, over a^4 [m^3 / m^4]: of C : E alone that of the part
/// H^T H / 2 of E.
double fem_fourth_energy(const TetrahedralMesh& mesh, const LameRatios& ratios, const std::vector<Vector3>& u);

}  // namespace cuttle
