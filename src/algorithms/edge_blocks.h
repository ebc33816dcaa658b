#pragma once

#include <cstddef>
#include <vector>

#include "bodies/sparse_tangent.h"
#include "cuttle/model/model.h"

namespace cuttle {

/// Whether an edge is a body whose derivatives along a tree are sparse matrices.
inline bool has_sparse_tangent(const Model& model, const Edge& edge) {
  return edge.kind == EdgeKind::body &&
         model.topology().bodies[static_cast<std::size_t>(edge.index)].body->part<SparseTangent>() != nullptr;
}

/// Where the entries of square blocks are kept, one block an edge of the tree, on the diagonal of an nv x nv matrix.
struct EdgePlaces {
  std::vector<std::ptrdiff_t> origin;  ///< of columns: where row 0 of the matrix would be
  std::ptrdiff_t size = 0;             ///< of what is kept

  /// Within a matrix that is kept whole, by columns.
  static EdgePlaces in_matrix(const Model& model) {
    const std::ptrdiff_t n = model.nv();
    EdgePlaces places{{}, n * n};
    for (std::ptrdiff_t k = 0; k < n; ++k) places.origin.push_back(k * n);
    return places;
  }
  /// Block after block, each by columns. Bodies with sparse derivatives have none.
  static EdgePlaces alone(const Model& model) {
    EdgePlaces places{std::vector<std::ptrdiff_t>(static_cast<std::size_t>(model.nv())), 0};
    for (const Edge& edge : model.topology().edges) {
      if (has_sparse_tangent(model, edge)) continue;
      for (int k = edge.v; k < edge.v + edge.nv; ++k) {
        places.origin[static_cast<std::size_t>(k)] = places.size - edge.v;
        places.size += edge.nv;
      }
    }
    return places;
  }
};

/// Such blocks. Entries are asked for by their places in the matrix.
struct EdgeBlocks {
  const std::ptrdiff_t* origin = nullptr;
  double* data = nullptr;

  /// @param row, column  of the same edge.
  double& operator()(int row, int column) const { return data[origin[column] + row]; }
  /// Rows and columns of one edge.
  Eigen::Map<MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>> block(int row, int column, int rows, int columns) const {
    const std::ptrdiff_t stride = columns > 1 ? origin[column + 1] - origin[column] : rows;
    return {data + origin[column] + row, rows, columns, Eigen::OuterStride<>(stride)};
  }
};

/// Derivatives of a generalized force by q, v and a within each edge.
struct EdgeDerivatives {
  EdgeBlocks by_q, by_v, by_a;
};

}  // namespace cuttle
