#include "algorithms/family_along_tree.h"

#include <cmath>
#include <vector>

#include "algorithms/tree_stability.h"

namespace cuttle {
namespace {

constexpr double k_nearly_nothing = 1e-8;  // of a row, beside the largest
constexpr double k_weak_spring = 1e-9;     // beside its row
constexpr int k_scale_probes = 16;
constexpr int k_most_directions = 40;
constexpr double k_family_solved = 1e-14, k_accepted = 1e-10;  // of what is left, beside the right-hand side

/// Mean squares of T D x, entry by entry: those of the rows of T D, as the entries of x are as good as independent.
/// @param D  diagonal.
VectorXd mean_squares(const BorderedTangent& tangent, const VectorXd& D) {
  VectorXd sum = VectorXd::Zero(D.size()), product;
  for (int i = 0; i < k_scale_probes; ++i) {
    tangent.multiply(D.cwiseProduct(trial_vector(static_cast<int>(D.size()), i)), product);
    sum += product.cwiseAbs2();
  }
  return sum * (2.0 / k_scale_probes);  // a sine has a mean square of 1/2
}

}  // namespace

VectorXd inverse_sizes(const VectorXd& sizes) {
  const double largest = sizes.size() > 0 ? sizes.maxCoeff() : 0.0;
  if (!(largest > 0.0)) return VectorXd::Ones(sizes.size());
  return sizes.unaryExpr([largest](double s) { return 1.0 / (s > k_nearly_nothing * largest ? s : largest); });
}

void FamilyAlongTree::set_scale(const BorderedTangent& tangent, int nv) {
  nv_ = nv;
  const int rows = tangent.row_count();
  columns_ = VectorXd::Ones(nv + rows);
  if (rows > 0) {  // forces of loops shall not hide those of weak springs
    VectorXd motions = columns_, loops = columns_;
    motions.tail(rows).setZero(), loops.head(nv).setZero();
    const double of_motions = mean_squares(tangent, motions).head(nv).sum(),
                 of_loops = mean_squares(tangent, loops).head(nv).sum();
    if (of_motions > 0.0 && of_motions < of_loops) columns_.tail(rows).setConstant(std::sqrt(of_motions / of_loops));
  }
  // rows of forces and of loops have other units: each is nothing only beside its kind
  const VectorXd sizes = mean_squares(tangent, columns_).cwiseSqrt();
  row_scale_.resize(nv + rows);
  row_scale_ << inverse_sizes(sizes.head(nv)), inverse_sizes(sizes.tail(rows));
}

VectorXd FamilyAlongTree::weak_springs() const { return springs(k_weak_spring); }

double FamilyAlongTree::size(const BorderedTangent& tangent) const {
  return std::sqrt(mean_squares(tangent, columns_).cwiseProduct(row_scale_.cwiseAbs2()).sum());
}

bool FamilyAlongTree::solve(const BorderedTangent& tangent, const VectorXd& column, const VectorXd& plane,
                            const VectorXd& right, VectorXd& x) const {
  const Eigen::Index n = row_scale_.size();
  const VectorXd springs = weak_springs();
  VectorXd swept, part, product, weight(n + 1);
  tangent.solve(column, swept);
  weight << row_scale_, 1.0;
  const double pivot = plane[n] - plane.head(n).dot(swept);

  struct Direction {
    VectorXd way, change;  ///< change: weighted
  };
  std::vector<Direction> directions;
  directions.reserve(k_most_directions);
  x.setZero(n + 1);
  VectorXd left = weight.cwiseProduct(right), unweighted(n + 1);
  const double whole = left.norm();
  for (int i = 0; i < k_most_directions && left.norm() > k_family_solved * whole; ++i) {
    Direction next{VectorXd(n + 1), VectorXd(n + 1)};
    unweighted = left.cwiseQuotient(weight);
    tangent.solve(unweighted.head(n), part);
    next.way[n] = (unweighted[n] - plane.head(n).dot(part)) / pivot;
    next.way.head(n) = part - next.way[n] * swept;
    if (!next.way.allFinite()) return false;

    part = next.way.head(n);
    tangent.multiply(part, product);
    product.head(nv_) -= springs.cwiseProduct(part.head(nv_));
    next.change << product + next.way[n] * column, plane.dot(next.way);
    next.change = weight.cwiseProduct(next.change);
    for (const Direction& before : directions) {
      const double along = before.change.dot(next.change);
      next.way -= along * before.way, next.change -= along * before.change;
    }
    const double length = next.change.norm();
    if (!(length > 0.0)) break;
    next.way /= length, next.change /= length;
    const double along = next.change.dot(left);
    x += along * next.way, left -= along * next.change;
    directions.push_back(std::move(next));
  }
  return left.norm() <= k_accepted * whole;
}

}  // namespace cuttle
