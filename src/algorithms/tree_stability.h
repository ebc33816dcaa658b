#pragma once

#include <optional>
#include <vector>

#include "algorithms/tree_tangent.h"

namespace cuttle {

/// Entries without a pattern, of either sign, the same everywhere: what methods start from.
VectorXd trial_vector(int size, int number);

/// Largest entry, roughly, and whether T is symmetric but for rounding: judged by products with some vectors.
struct TreeSymmetry {
  double size = 0.0;
  bool symmetric = false;
};
TreeSymmetry symmetry_of(const TreeTangent& tangent, int size);

/// Smallest eigenvalue of a symmetric T on the motions that its rows allow, after `factor`: by Lanczos' method on the
/// inverse. Nothing, if that does not converge.
/// @param held  coordinates that are pinned, not 0 for these; empty: none.
/// @param negative  how many eigenvalues there are negative; nothing is looked for where these are many.
std::optional<double> smallest_on_motions(const BorderedTangent& tangent, const std::vector<char>& held, int size,
                                          int negative = 0);

/// Of a symmetric T the eigenvectors, on the motions that its rows allow, whose eigenvalues are nearest to zero; after
/// `factor`. Fewer where Lanczos' method does not converge.
std::vector<VectorXd> flattest_directions(const BorderedTangent& tangent, int size, int count);

}  // namespace cuttle
