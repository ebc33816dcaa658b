#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/tangent.h"

namespace cuttle {

/// Which nodes of a body meet in its matrices, and where the 3 x 3 blocks of their coordinates - x, y and z of one node
/// behind the other - stand among the values of a sparse matrix, by columns.
class NodePairs {
 public:
  explicit NodePairs(int nodes) : count_(nodes) {}

  /// Each of these with each: numbers of nodes, each once.
  void join(std::span<const int> nodes);
  /// After the last join.
  void finish();

  int nodes() const { return count_; }
  std::ptrdiff_t entries() const { return 9 * static_cast<std::ptrdiff_t>(row_.size()); }
  /// Of entry (0, 0) of a block whose nodes were joined. Entry (r, c) stands c stride(column) + r further.
  std::ptrdiff_t place(int row, int column) const;
  std::ptrdiff_t stride(int column) const { return 3 * (start_[column + 1] - start_[column]); }
  /// Adds a block to the values of a matrix.
  void add(double* values, int row, int column, const Matrix3& block) const {
    add_at(values, place(row, column), column, block);
  }
  void add_at(double* values, std::ptrdiff_t place, int column, const Matrix3& block) const {
    const std::ptrdiff_t every = stride(column);
    double* at = values + place;
    for (int c = 0; c < 3; ++c, at += every) at[0] += block.row0[c], at[1] += block.row1[c], at[2] += block.row2[c];
  }
  /// All of whose values are 0.
  Eigen::SparseMatrix<double> matrix() const;
  /// Nodes in an order that fills factors little: which place each has.
  std::vector<int> places_in_order() const;

 private:
  int count_;
  std::vector<std::pair<int, int>> pairs_;  // column, row; until finish
  std::vector<std::ptrdiff_t> start_;
  std::vector<int> row_;
};

/// Values of the derivatives of a force by q, v and a, in the places of NodePairs.
struct NodeDerivatives {
  double *by_q, *by_v, *by_a;
};

/// Derivatives of a body whose coordinates are displacements of very many nodes, most of which do not meet: instead of
/// BodyTangentT, whose matrices are whole. `part<SparseTangent>()` of a body that has it, with the ports that the body
/// has then. It has no memory of its own: threads may share it.
class SparseTangent {
 public:
  SparseTangent() = default;
  SparseTangent(const SparseTangent&) = delete;
  SparseTangent& operator=(const SparseTangent&) = delete;
  virtual ~SparseTangent() = default;

  virtual int node_count() const = 0;  ///< a third of the coordinates
  /// Joins the nodes that meet in what the functions below add; `join_surface` and `join_polygon` those of
  /// transmissions.
  virtual void join(NodePairs& pairs) const = 0;
  virtual void join_surface(const ChamberSurface& surface, NodePairs& pairs) const = 0;
  virtual void join_polygon(const std::vector<Vector3>& points, NodePairs& pairs) const = 0;
  /// What `add_internal` needs to find its places, made once.
  virtual std::vector<std::ptrdiff_t> element_places(const NodePairs& pairs) const = 0;

  /// Nodes with which a port moves.
  virtual const std::vector<int>& port_nodes(int port) const = 0;
  /// The columns of PortTangentT that belong to them, three a node in their order: 6 x 3 nodes by rows. After
  /// BodyT::forward(acceleration) on the same workspace, as the next.
  virtual void port_twists(const BodyStateT<double>& state, int port, const PortTangentT<double>& result) const = 0;
  /// Adds the force's derivatives to values, and overwrites what BodyDerivativesT has beside n x n matrices.
  /// @param ports  what hangs at each, base axes.   @param twists  as of port_twists.
  virtual void add_inertial(const BodyStateT<double>& state, const CompositeT<double>* ports,
                            const PortTangentT<double>* twists, const WorkspaceT<double>& workspace,
                            const NodePairs& pairs, const NodeDerivatives& values,
                            BodyDerivativesT<double>& result) const = 0;
  /// Adds those of elastic and damping forces.
  virtual void add_internal(const double* q, const double* v, const NodePairs& pairs,
                            const std::vector<std::ptrdiff_t>& element_places, double* by_q, double* by_v) const = 0;
  /// Adds factor times the second derivatives of the volume within a surface, or of the length of a polygon.
  virtual void add_volume_hessian(const ChamberSurface& surface, const double* q, double factor, const NodePairs& pairs,
                                  double* values) const = 0;
  virtual void add_length_hessian(const std::vector<Vector3>& points, const double* q, double factor,
                                  const NodePairs& pairs, double* values) const = 0;
};

}  // namespace cuttle
