#pragma once

#include "algorithms/tree_tangent.h"

namespace cuttle {

/// Of sizes that differ much the inverses; what is nearly nothing counts as the largest.
VectorXd inverse_sizes(const VectorXd& sizes);

/// Linear algebra of paths of equilibria where tangents follow the tree: as many operations as the tree has links. A
/// tangent is factored with weak springs on all coordinates, as it is singular at folds, at branch points and where a
/// symmetry moves the robot freely. What the springs change, and the parameter's column, is solved for by generalized
/// conjugate residuals (Eisenstat, Elman, Schultz 1983): few directions, as few are soft.
class FamilyAlongTree {
 public:
  /// Takes the size of each row from where the path begins.   @param tangent  formed without springs.
  void set_scale(const BorderedTangent& tangent, int nv);
  /// nv + m, of equations: 1 over the size of the row.
  const VectorXd& row_scale() const { return row_scale_; }
  /// nv, to be added to the diagonal: this part of each row's size.
  VectorXd springs(double part) const { return part * row_scale_.head(nv_).cwiseInverse(); }
  /// Those with which `solve` wants its tangents.
  VectorXd weak_springs() const;
  /// Of a tangent beside the rows of the first, roughly: Frobenius' norm.
  double size(const BorderedTangent& tangent) const;

  /// [T c; plane^T] x = right, with T less its springs.
  /// @param tangent  with weak_springs, factored.   @param column  c, nv + m.   @param plane, right  nv + m + 1.
  /// @return whether it was solved; not where equations do not agree with each other.
  bool solve(const BorderedTangent& tangent, const VectorXd& column, const VectorXd& plane, const VectorXd& right,
             VectorXd& x) const;

 private:
  int nv_ = 0;
  VectorXd row_scale_;
  VectorXd columns_;  ///< nv + m: units of the unknowns, 1 of motions
};

}  // namespace cuttle
