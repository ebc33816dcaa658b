#include "bodies/sparse_tangent.h"

#include <metis.h>

#include <algorithm>
#include <stdexcept>

namespace cuttle {

void NodePairs::join(std::span<const int> nodes) {
  for (const int column : nodes) {
    for (const int row : nodes) pairs_.emplace_back(column, row);
  }
  constexpr std::size_t k_many = std::size_t{1} << 22;  // most of them are known already
  if (pairs_.size() < k_many || pairs_.size() < 2 * static_cast<std::size_t>(count_)) return;
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
}

void NodePairs::finish() {
  for (int i = 0; i < count_; ++i) pairs_.emplace_back(i, i);
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  start_.assign(static_cast<std::size_t>(count_) + 1, 0);
  row_.clear();
  row_.reserve(pairs_.size());
  for (const auto& [column, row] : pairs_) row_.push_back(row), ++start_[column + 1];
  for (int i = 0; i < count_; ++i) start_[i + 1] += start_[i];
  pairs_.clear();
  pairs_.shrink_to_fit();
}

std::ptrdiff_t NodePairs::place(int row, int column) const {
  const auto first = row_.begin() + start_[column], last = row_.begin() + start_[column + 1];
  return 9 * start_[column] + 3 * (std::lower_bound(first, last, row) - first);
}

Eigen::SparseMatrix<double> NodePairs::matrix() const {
  Eigen::SparseMatrix<double> result(3 * count_, 3 * count_);
  result.resizeNonZeros(entries());
  std::fill_n(result.valuePtr(), entries(), 0.0);
  int at = 0;
  for (int column = 0; column < count_; ++column) {
    for (int c = 0; c < 3; ++c) {
      result.outerIndexPtr()[3 * column + c] = at;
      for (std::ptrdiff_t k = start_[column]; k < start_[column + 1]; ++k) {
        for (int r = 0; r < 3; ++r) result.innerIndexPtr()[at++] = 3 * row_[k] + r;
      }
    }
  }
  result.outerIndexPtr()[3 * count_] = at;
  return result;
}

std::vector<int> NodePairs::places_in_order() const {
  std::vector<idx_t> start{0}, neighbors, order(static_cast<std::size_t>(count_)), place(order);
  for (int i = 0; i < count_; ++i) {
    for (std::ptrdiff_t k = start_[i]; k < start_[i + 1]; ++k) {
      if (row_[k] != i) neighbors.push_back(row_[k]);
    }
    start.push_back(static_cast<idx_t>(neighbors.size()));
  }
  for (int i = 0; i < count_; ++i) place[i] = i;
  if (!neighbors.empty()) {
    idx_t nodes = count_;
    const int status =
        METIS_NodeND(&nodes, start.data(), neighbors.data(), nullptr, nullptr, order.data(), place.data());
    if (status != METIS_OK) throw std::bad_alloc();
  }
  return {place.begin(), place.end()};
}

}  // namespace cuttle
