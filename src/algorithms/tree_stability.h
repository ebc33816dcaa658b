#pragma once

#include <functional>
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

/// Small motions M x'' + D x' + K x = 0 with symmetric matrices, D positive semidefinite, K with negative eigenvalues:
/// the largest s for which K + s D + s^2 M is singular on the motions that rows allow [1/s]. All growth rates are real
/// there, and as many lie above s as that matrix has negative eigenvalues. So s is bracketed by counts, and found by
/// Rayleigh's quotient. Nothing where counts fail.
/// @param tangent  is formed by the functions, and solves after `factor`.
/// @param form  makes `tangent` by_q K + by_v D + by_a M.
/// @param factor  sets what was formed beside its rows, holds what is held, and factors.
std::optional<double> growth_on_motions(BorderedTangent& tangent, const std::vector<char>& held, int size,
                                        const std::function<void(double by_q, double by_v, double by_a)>& form,
                                        const std::function<void()>& factor);

/// Of a symmetric T the eigenvectors, on the motions that its rows allow, whose eigenvalues are nearest to zero; after
/// `factor`. Fewer where Lanczos' method does not converge.
std::vector<VectorXd> flattest_directions(const BorderedTangent& tangent, int size, int count);

}  // namespace cuttle
