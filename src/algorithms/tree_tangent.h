#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/derivative_workspace.h"
#include "algorithms/sparse_pivot.h"
#include "algorithms/step_coordinates.h"
#include "algorithms/tangent_solver.h"
#include "algorithms/transmissions.h"
#include "model/check_argument.h"

namespace cuttle {

/// The tangent of a robot's inverse dynamics in the unknowns of a step, as one matrix that follows the tree: block LU
/// from the leaves to the root, with as many operations as there are links. What few numbers couple across links -
/// elements, controllers - comes on top as a matrix of low rank. A coordinate meets those further in by the 12 numbers
/// that reach its base - the change of acceleration 6, of angular rate 3, turn 3 - and those further out by the wrench
/// 6 that they send back.
///
/// Pivots are sought within an edge. As of any LU without pivoting across blocks, what is left of the last digits hangs
/// on the matrix: masses that are positive, and stiffness and damping beside them, have no small pivots.
class TreeTangent final : public TangentSolver {
 public:
  explicit TreeTangent(const Model& model);

  /// result = T x, size nv. Before `factor`, or after.
  void multiply(const VectorXd& x, VectorXd& result) const;
  /// result = T^T y.
  void multiply_transposed(const VectorXd& y, VectorXd& result) const;
  /// Row and column of a coordinate become those of 1, until T is formed again. Before `factor`.
  void pin(int coordinate);
  /// T + numbers, until T is formed again. Before `factor`.   @param numbers  nv.
  void add_to_diagonal(const VectorXd& numbers);
  void add_to_diagonal(double number);
  /// After `factor`, of a symmetric T: how many of its eigenvalues are negative. Nothing where a sparse body has no
  /// such factor.
  std::optional<int> negative_eigenvalues() const;
  /// Makes `solve` and `solve_transposed` ready. Singular blocks leave results that are not finite.
  void factor();
  /// T result = right, size nv.
  void solve(const VectorXd& right, VectorXd& result) const override;
  /// T^T result = right.
  void solve_transposed(const VectorXd& right, VectorXd& result) const;

 private:
  friend class TreeDerivatives;
  // p: change of acceleration 6, of angular rate 3, turn 3; with loads that depend on the motion also the linear parts
  // of rate and displacement
  static constexpr int k_narrow = 12, k_wide = 18;
  using Passed = Eigen::Matrix<double, k_wide, 1>;
  using PassedColumns = Eigen::Matrix<double, k_wide, Eigen::Dynamic>;
  using Wrench6 = Eigen::Matrix<double, 6, 1>;
  using WrenchColumns = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  using Held = Eigen::Matrix<double, 6, k_wide>;

  /// What a port of an edge has for each coordinate that it moves with: for all of them, or of a body with sparse
  /// derivatives for those of few nodes.
  template <typename Matrix>
  struct PortColumns {
    Matrix columns;
    bool is_sparse = false;
    std::vector<int> nodes;  ///< of a sparse one

    /// Calls use(first, columns) for columns of neighboring coordinates, from `first` on.
    template <typename Use>
    void each_block(const Use& use) const {
      if (!is_sparse) return use(Eigen::Index{0}, columns.leftCols(columns.cols()));
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Eigen::Index first = 3 * static_cast<Eigen::Index>(nodes[i]);
        use(first, columns.template middleCols<3>(3 * static_cast<Eigen::Index>(i)));
      }
    }
    /// y += M x with the first rows of M, as many as y has.
    template <int k_rows, typename X, typename Y>
    void add_product(const X& x, Y&& y) const {
      each_block([&](Eigen::Index first, const auto& block) {
        y.noalias() += block.template topRows<k_rows>() * x.middleRows(first, block.cols());
      });
    }
    /// x += M^T y.
    template <int k_rows, typename X, typename Y>
    void add_transposed_product(const Y& y, X&& x) const {
      each_block([&](Eigen::Index first, const auto& block) {
        x.middleRows(first, block.cols()).noalias() += block.template topRows<k_rows>().transpose() * y;
      });
    }
    void clear(int coordinate) {
      if (!is_sparse) return void(columns.col(coordinate).setZero());
      const auto at = std::find(nodes.begin(), nodes.end(), coordinate / 3);
      if (at != nodes.end()) columns.col(3 * (at - nodes.begin()) + coordinate % 3).setZero();
    }
  };

  /// An edge with n coordinates x, whose base has changed by p and whose ports by p + out x:
  ///   row = response^T p + own x + sum jacobian^T f,   f = wrench x + sum f of ports.
  struct Node {
    int v = 0, n = 0, parent = 0, child = 0;  ///< first coordinate; nodes of its base and of its first port
    PassedColumns response;
    MatrixXd own;
    WrenchColumns wrench;
    std::vector<PortColumns<PassedColumns>> out;       ///< of ports
    std::vector<PortColumns<WrenchColumns>> jacobian;  ///< of ports
    // of a body with sparse derivatives, in place of `own` and `pivot`: made with its first derivatives, as are the
    // columns of its ports
    bool is_sparse = false;
    std::unique_ptr<SparsePivot> sparse;
    // factored
    Eigen::PartialPivLU<MatrixXd> pivot;
    Eigen::Matrix<double, Eigen::Dynamic, k_wide> back;  ///< x = y - back p
    WrenchColumns send;                                  ///< f = .. + send y
  };
  std::vector<Node> edges_;
  std::vector<int> edge_of_;  ///< of nodes: which edge carries them; -1: the root
  std::vector<Held> loads_;   ///< of nodes: f by p, of what acts there
  std::vector<Held> held_;    ///< of nodes: f by p, of what hangs there too, with x that follows
  bool wide_ = false;         ///< whether there are loads

  // of as many numbers p
  template <int k_count>
  void multiply_tree(const VectorXd& x, VectorXd& result) const;
  template <int k_count>
  void multiply_tree_transposed(const VectorXd& y, VectorXd& result) const;
  template <int k_count>
  void factor_tree();
  template <int k_count>
  void factor_sparse(Node& node);
  template <int k_count>
  void solve_tree(const VectorXd& right, VectorXd& result) const;
  template <int k_count>
  void solve_tree_transposed(const VectorXd& right, VectorXd& result) const;
  void solve_by_width(const VectorXd& right, VectorXd& result) const {
    wide_ ? solve_tree<k_wide>(right, result) : solve_tree<k_narrow>(right, result);
  }
  void solve_transposed_by_width(const VectorXd& right, VectorXd& result) const {
    wide_ ? solve_tree_transposed<k_wide>(right, result) : solve_tree_transposed<k_narrow>(right, result);
  }
  /// f of a node by p of another.
  struct NodeLoad {
    int on, of;
    Held slope;
  };
  /// Into the blocks of an edge that carries both nodes; else it waits in crossing_.
  void add_load(const NodeLoad& load);
  /// J_on^T load out_of into the own block of an edge, of two of its ports.
  void add_between_ports(Node& edge, std::size_t on, std::size_t of, const Held& load);
  /// J_on^T load out_of at the places of the nodes of one port in a sparse matrix.
  static void add_at_port(const Node& edge, std::size_t port, const Held& load, double* values);
  /// Those as a part of low rank.
  void add_crossing_loads();
  /// Calls use(edge, port) for each edge between a node and the root.
  template <typename Use>
  void along_path(int node, const Use& use) const {
    for (int e = edge_of_[static_cast<std::size_t>(node)]; e >= 0;) {
      const Node& edge = edges_[static_cast<std::size_t>(e)];
      use(edge, static_cast<std::size_t>(node - edge.child));
      node = edge.parent, e = edge_of_[static_cast<std::size_t>(node)];
    }
  }
  std::vector<NodeLoad> crossing_;
  // what acts across links: T + outer inner, by the formula of Woodbury
  MatrixXd outer_, inner_;               ///< nv x k, k x nv; empty: nothing
  MatrixXd swept_;                       ///< T^-1 outer
  Eigen::PartialPivLU<MatrixXd> small_;  ///< of 1 + inner T^-1 outer

  mutable std::vector<Passed> passed_;
  mutable std::vector<Wrench6> sent_;
  mutable VectorXd work_;
  // of the edge with most coordinates
  mutable MatrixXd columns_;  ///< what a pivot is solved with
  MatrixXd pivot_;
  WrenchColumns sent_columns_;
};

/// Whether a body of the robot has too many coordinates for matrices of them all, and sparse derivatives.
inline bool needs_sparse_tangent(const Model& model) {
  const std::vector<Edge>& edges = model.topology().edges;
  return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    return edge.nv > k_most_dense_coordinates && has_sparse_tangent(model, edge);
  });
}
/// Contraction of Newton's method with which the tangent of so many nodes is kept: a new one costs some 30 solutions.
inline constexpr double k_sparse_contraction = 0.3;

/// [T B; C 0], a tangent along the tree with rows of constraints: solved by the complement of Schur of the rows.
class BorderedTangent final : public TangentSolver {
 public:
  explicit BorderedTangent(const Model& model) : tree_(model) {}
  TreeTangent& tree() { return tree_; }
  /// Beside the tree as it was formed last.
  /// @param columns  B, nv x m.   @param rows  C, m x nv.
  void border(const MatrixXd& columns, const MatrixXd& rows) { columns_ = columns, rows_ = rows; }
  /// Row and column of a coordinate become those of 1. After `border`.
  void pin(int coordinate);
  void factor();
  /// After `factor`, of a symmetric T and rows that are the columns transposed: how many eigenvalues of T are negative
  /// on the motions that the rows allow. Nothing as TreeTangent has it.
  std::optional<int> negative_eigenvalues() const;
  int row_count() const { return static_cast<int>(rows_.rows()); }
  /// Of the rows' complement, after `factor`: reciprocal condition number; 1 without rows.
  double row_condition() const { return row_count() > 0 ? schur_.rcond() : 1.0; }

  // of nv + m numbers
  void multiply(const VectorXd& x, VectorXd& result) const;
  void multiply_transposed(const VectorXd& y, VectorXd& result) const;
  void solve(const VectorXd& right, VectorXd& result) const override;
  void solve_transposed(const VectorXd& right, VectorXd& result) const;

 private:
  TreeTangent tree_;
  MatrixXd columns_, rows_;
  MatrixXd swept_;                       ///< T^-1 B
  Eigen::PartialPivLU<MatrixXd> schur_;  ///< C T^-1 B
  mutable VectorXd right_, part_;
};

/// Whether a tangent along the tree costs less than a matrix (docs/performance.md).
inline bool tree_pays(const Model& model) {
  constexpr long k_least = 32, k_more = 64;  // the more, the fewer coordinates an edge has
  const long nv = model.nv(), edges = static_cast<long>(model.topology().edges.size());
  return nv >= k_least && nv * (nv - k_least) >= k_more * edges;
}

/// Derivatives of inverse dynamics in the form that a TreeTangent is made of: O(N) in time and memory, where
/// DerivativeData has matrices. One a thread.
class TreeDerivatives {
 public:
  /// @throws ModelError as DerivativeData.
  explicit TreeDerivatives(const Model& model);

  /// At a motion. @param actions  with inputs only where acts_within_bodies(model, actuators).
  void take(const Model& model, Data& data, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
            const Actions& actions);
  /// A force on one coordinate changes with that coordinate and its rate, which stand on the other side.
  void subtract(int coordinate, double by_q, double by_v);
  /// The same of transmissions that act within bodies, at fixed efforts.
  void subtract_slopes(const Model& model, TransmissionSet set, VectorInT<double> q, const VectorXd& efforts);
  /// What efforts do at frames - straight stretches of tendons, wrenches: as loads, for `take`.
  /// @param kinematics  at the q of that `take`.
  static void append_frame_wrenches(const Model& model, TransmissionSet set, const KinematicsT<double>& kinematics,
                                    const VectorXd& efforts, std::vector<ExternalWrench>& external);
  /// How that changes with the frames.
  void load_frame_slopes(const Model& model, TransmissionSet set, VectorInT<double> q, const VectorXd& efforts);
  /// Of all transmissions: how dy/dt changes with q at fixed v, one a row.
  void transmission_rates_by_q(const Model& model, TransmissionSet set, VectorInT<double> q, VectorInT<double> v,
                               MatrixXd& by_q);
  /// The force has outer (by_q dq + by_v dv) in it too, until the next `take`.
  /// @param outer  nv x k.   @param by_q, by_v  k x nv.
  void couple(const MatrixXd& outer, const MatrixXd& by_q, const MatrixXd& by_v);
  /// How a wrench changes with the motion of a frame, each in its frame's own axes: until the next `take`.
  struct LoadSlopes {
    using Matrix = Eigen::Matrix<double, 6, 6>;
    Frame on, of;                             ///< any; those of different links make a part of low rank
    Matrix by_pose, by_velocity;              ///< by the frame's displacement and twist
    Matrix by_acceleration = Matrix::Zero();  ///< without gravity
  };
  void load(const LoadSlopes& slopes, const Vector3& gravity);
  /// The tangent of what was taken last.
  void form(const Model& model, const StepDirections& directions, TreeTangent& tangent);

 private:
  EdgeDerivatives blocks(std::vector<double>& memory) const;

  using NodeLoad = TreeTangent::NodeLoad;
  /// How the rate of a straight stretch's length changes with q at fixed v, taken from a row.
  void subtract_segment_rate(const Model& model, const BoundTendonT<double>& tendon,
                             const TendonSegmentT<double>& segment, MatrixXd& by_q) const;
  /// Own entries of an edge with sparse derivatives.
  void form_sparse(const SparseBodyMemory& memory, const StepDirections& directions, TreeTangent::Node& node) const;

  DerivativeData::Workspace workspace_;
  std::vector<NodeLoad> loads_;
  MatrixXd outer_, inner_by_q_, inner_by_v_;  ///< of `couple`
  std::vector<double> scratch_;               ///< blocks of transmission_rates_by_q, made when it is asked for
  std::vector<double> inertial_, internal_;   ///< by q, v and a: along moving frames; of elasticity and inputs
};

}  // namespace cuttle
