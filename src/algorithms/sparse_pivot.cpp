#include "algorithms/sparse_pivot.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <limits>

namespace cuttle {
namespace {

constexpr double k_diagonal = 0.01;  // of a column's largest entry: a pivot on the diagonal that is larger is taken

/// Orders the coordinates of nodes as their nodes are ordered, for Eigen's factors.
struct NodeOrder {
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;
  const std::vector<int>* places = nullptr;  // of nodes
  bool inverse = false;
  template <typename Matrix>
  void operator()(const Matrix&, PermutationType& order) const {
    order.resize(static_cast<Eigen::Index>(3 * places->size()));
    for (int i = 0; i < static_cast<int>(places->size()); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const int from = 3 * i + axis, to = 3 * (*places)[static_cast<std::size_t>(i)] + axis;
        order.indices()[inverse ? to : from] = inverse ? from : to;
      }
    }
  }
};

}  // namespace

struct SparsePivot::Factors {
  std::vector<int> places;
  Eigen::SparseMatrix<double> ordered;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> lu;
  bool analyzed = false, regular = false;
};

SparsePivot::SparsePivot(const NodePairs& pairs)
    : pairs_(pairs), own_(pairs.matrix()), whole_(own_), factors_(std::make_unique<Factors>()) {}
SparsePivot::~SparsePivot() = default;

void SparsePivot::factor() {
  Factors& f = *factors_;
  if (!f.analyzed) {
    f.places = pairs_.places_in_order();
    NodeOrder{&f.places}(whole_, f.order);
    f.lu.isSymmetric(true);
    f.lu.setPivotThreshold(k_diagonal);
  }
  f.ordered = whole_.twistedBy(f.order);
  if (!f.analyzed) f.lu.analyzePattern(f.ordered);
  f.analyzed = true;
  f.lu.factorize(f.ordered);
  f.regular = f.lu.info() == Eigen::Success;
}

void SparsePivot::solve(Eigen::Ref<Eigen::MatrixXd> x) const {
  const Factors& f = *factors_;
  if (!f.regular) {
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const Eigen::MatrixXd right = f.order * x;
  const Eigen::MatrixXd solution = f.lu.solve(right);
  x = f.order.transpose() * solution;
}

void SparsePivot::solve_transposed(Eigen::Ref<Eigen::MatrixXd> x) const {
  Factors& f = *factors_;
  if (!f.regular) {
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const Eigen::MatrixXd right = f.order * x;
  const Eigen::MatrixXd solution = f.lu.transpose().solve(right);
  x = f.order.transpose() * solution;
}

void SparsePivot::pin(int coordinate) {
  for (int column = 0; column < static_cast<int>(own_.outerSize()); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(own_, column); entry; ++entry) {
      const bool on_row = entry.row() == coordinate, on_column = column == coordinate;
      if (on_row || on_column) entry.valueRef() = on_row && on_column ? 1.0 : 0.0;
    }
  }
}

std::optional<int> SparsePivot::negative_eigenvalues() const {
  const Eigen::SparseMatrix<double> transposed = factors_->ordered.transpose();
  const Eigen::SparseMatrix<double> symmetric = 0.5 * (factors_->ordered + transposed);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(symmetric);
  if (factor.info() != Eigen::Success || !factor.vectorD().allFinite()) return std::nullopt;
  return static_cast<int>((factor.vectorD().array() < 0.0).count());
}

}  // namespace cuttle
