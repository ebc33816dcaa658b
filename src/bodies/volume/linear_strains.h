#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bodies/rod/strain_polynomial.h"
#include "bodies/volume/fem/material_parts.h"
#include "bodies/volume/point_sums.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/bodies/volume_material.h"

namespace cuttle {

/// Blocks of points with one material.
template <typename S>
struct StrainGroupT {
  std::size_t first, blocks;
  const VolumeMaterialT<S>* material;
  bool of_quadrature;  ///< these integrate the damping, too, and show where the body folds; else centres
};

/// What the strains of a volume are made of once and for all if its kinematics are linear in q, F = 1 + sum_k q_k
/// G_k(x). Points with the same G_k, as those in one tetrahedron, count as one.
///
/// - Where the strain in q is a polynomial, so is what follows from it: the energy of st_venant_kirchhoff and the
///   damping force of every material are forms of the monomials (StrainPolynomialT). Used if they are cheaper than the
///   sums over points (N^2 multiplications against some 30 n_B a point), the matrix fits in 8 MB and the products that
///   make it, 3.5 N^2 a point, are not more than 3e9 (a few seconds).
/// - Otherwise the sums go over the points, with G_k from a table: 72 n_B bytes a point (for double). The check of det
/// F
///   uses it too; where nothing else needs it, it is made up to 8 MB.
template <typename S>
class LinearStrainsT {
 public:
  /// @param all   the points of the quadrature.
  /// @param mesh  whose nodes the kinematics move: where its material is in parts, centres of tetrahedra join the
  ///              points (fem/material_parts.h). Null: none.
  LinearStrainsT(const PointTable<S>& all, const VolumeMaterialT<S>& material, const VolumeKinematicsT<S>& kinematics,
                 const TetrahedralMesh* mesh);
  LinearStrainsT(const LinearStrainsT&) = delete;

  /// True only if det F > 0 at all points: y^T F y >= |y|^2 (1 - sum_k |q_k| max |sym G_k|) > 0 on the whole way from
  /// rest to q, so that det F, 1 at rest, is never 0. A turn costs little: sym G_k of a bending mode is small.
  bool surely_unfolded(const S* q) const;

  /// Forms of the elastic energy and of the damping; null: sums over the points.
  const S* elastic_form() const { return elastic_.empty() ? nullptr : elastic_.data(); }
  const S* damping_form() const { return damping_.empty() ? nullptr : damping_.data(); }

  /// Points that stand for all, in the order of the quadrature, then the centres; no masses.
  const PointTable<S>& points() const { return points_; }
  /// All of them. The first are those of the quadrature.
  const std::vector<StrainGroupT<S>>& groups() const { return groups_; }
  /// Block of the quadrature with the first point of a block of these.
  std::size_t whole_block(std::size_t block) const {
    return first_points_[block * k_point_lanes<S>] / k_point_lanes<S>;
  }
  /// G_k of these points, as slopes of GradientBlocks; null: no table.
  const S* slopes() const { return slopes_.empty() ? nullptr : slopes_.data(); }

 private:
  void find_points(const PointTable<S>& all, const VolumeKinematicsT<S>& kinematics, const TetrahedralMesh* mesh);

  std::vector<S> x_, volume_;
  std::vector<std::size_t> first_points_;  // in the quadrature, of each of these
  PointTable<S> points_;
  VolumeMaterialT<S> material_;             // of the points of the quadrature
  std::optional<MaterialPartsT<S>> parts_;  // with centres
  std::vector<StrainGroupT<S>> groups_;     // of one of these
  std::vector<S> bounds_;                   // max over the points of the Frobenius norm of sym G_k
  std::vector<S> elastic_, damping_, slopes_;
};

}  // namespace cuttle
