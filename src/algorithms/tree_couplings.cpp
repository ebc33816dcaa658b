// What acts across links beside the tree: loads at frames of two links, straight stretches of tendons, functions of
// coordinates, and rows of constraints.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "algorithms/derivative_sweep.h"
#include "algorithms/tree_tangent.h"

namespace cuttle {

using namespace derivative;

namespace {

constexpr double k_no_stretch = 1e-12;  // of a tendon's length: ends that close have no direction between them
constexpr double k_no_rank = 1e-15;     // singular values beside the largest that are rounding

/// A straight stretch of a tendon: its ends from the origins of their nodes, in the axes of `pose`, and its direction.
struct Stretch {
  Vector3 first, second, direction;
  double length = 0.0;
  bool half_square;

  template <typename PoseOf>
  Stretch(const BoundTendonT<double>& tendon, const TendonSegmentT<double>& segment, const PoseOf& pose)
      : first(pose(segment.first_node).act(segment.first)),
        second(pose(segment.second_node).act(segment.second)),
        half_square(tendon.half_square) {
    const Vector3 apart = second - first;
    if (half_square) direction = apart;
    const double distance = norm(apart);
    if (half_square || !(distance > k_no_stretch * tendon.rest_length)) return;
    length = distance, direction = (1.0 / distance) * apart;
  }
  bool pulls() const { return half_square || length > 0.0; }
  /// How the direction changes where the second end goes this way from the first.
  Vector3 turned(const Vector3& way) const {
    return half_square ? way : (1.0 / length) * (way - dot(direction, way) * direction);
  }
};

/// Of the symmetric part of a matrix.
int negative_count(const MatrixXd& A) {
  const MatrixXd symmetric = 0.5 * (A + A.transpose());
  return static_cast<int>(
      (Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues().array() < 0.0).count());
}

/// The velocity of a point at `place` of what moves with a twist.
Vector3 carried_along(const Twist& twist, const Vector3& place) { return twist.linear + cross(twist.angular, place); }

}  // namespace

void TreeTangent::pin(int coordinate) {
  const auto edge = std::find_if(edges_.begin(), edges_.end(),
                                 [&](const Node& e) { return coordinate >= e.v && coordinate < e.v + e.n; });
  const int k = coordinate - edge->v;
  if (edge->sparse) {
    edge->sparse->pin(k);
  } else {
    edge->own.row(k).setZero(), edge->own.col(k).setZero();
    edge->own(k, k) = 1.0;
  }
  edge->response.col(k).setZero(), edge->wrench.col(k).setZero();
  for (auto& out : edge->out) out.clear(k);
  for (auto& jacobian : edge->jacobian) jacobian.clear(k);
  outer_.row(coordinate).setZero(), inner_.col(coordinate).setZero();
}

void TreeTangent::add_to_diagonal(const VectorXd& numbers) {
  for (Node& e : edges_) {
    const auto own = numbers.segment(e.v, e.n);
    if (e.sparse) {
      e.sparse->add_to_diagonal(own);
    } else {
      e.own.diagonal() += own;
    }
  }
}

void TreeTangent::add_to_diagonal(double number) {
  Eigen::Index count = 0;
  for (const Node& e : edges_) count = std::max<Eigen::Index>(count, e.v + e.n);
  add_to_diagonal(VectorXd::Constant(count, number));
}

std::optional<int> TreeTangent::negative_eigenvalues() const {
  // those of a block and of what is left of the others without it add up (Haynsworth 1968)
  int count = 0;
  for (const Node& e : edges_) {
    if (e.sparse) {
      const std::optional<int> of_body = e.sparse->negative_eigenvalues();
      if (!of_body) return std::nullopt;
      count += *of_body;
    } else if (e.n > 0) {
      count += negative_count(e.pivot.reconstructedMatrix());
    }
  }
  if (outer_.cols() == 0) return count;
  // a symmetric outer inner is U K U^T, with U of full rank: that of [T U; U^T -K^-1] counts both ways
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(outer_);
  const Eigen::Index rank = qr.rank();
  if (rank == 0) return count;
  const MatrixXd U = MatrixXd(qr.householderQ() * MatrixXd::Identity(outer_.rows(), rank));
  const MatrixXd K = (U.transpose() * outer_) * (inner_ * U);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (K + K.transpose()));
  const VectorXd& values = solver.eigenvalues();
  const double largest = values.cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) > k_no_rank * largest) kept.push_back(i);
  }
  if (kept.empty()) return count;
  const MatrixXd V = U * solver.eigenvectors()(Eigen::all, kept);
  const VectorXd k = values(kept);
  MatrixXd swept(V.rows(), V.cols());
  VectorXd column, solved;
  for (Eigen::Index i = 0; i < V.cols(); ++i) {
    column = V.col(i);
    solve_by_width(column, solved);
    swept.col(i) = solved;
  }
  MatrixXd left = -V.transpose() * swept;
  left.diagonal() -= k.cwiseInverse();
  return count + negative_count(left) - static_cast<int>((k.array() > 0.0).count());
}

void TreeTangent::add_load(const NodeLoad& load) {
  if (load.on == load.of) {
    loads_[static_cast<std::size_t>(load.on)] += load.slope;
    return;
  }
  const int index = std::max(edge_of_[static_cast<std::size_t>(load.on)], edge_of_[static_cast<std::size_t>(load.of)]);
  Node& e = edges_[static_cast<std::size_t>(index)];
  const auto carries = [&e](int node) {
    return node == e.parent || (node >= e.child && node < e.child + static_cast<int>(e.out.size()));
  };
  if (!carries(load.on) || !carries(load.of)) {
    crossing_.push_back(load);
    return;
  }
  // with p of a port that is p of the base + out x
  const int on = load.on == e.parent ? -1 : load.on - e.child, of = load.of == e.parent ? -1 : load.of - e.child;
  loads_[static_cast<std::size_t>(e.parent)] += load.slope;
  if (on >= 0) {
    e.jacobian[static_cast<std::size_t>(on)].each_block([&](Eigen::Index first, const auto& jacobian) {
      e.response.middleCols(first, jacobian.cols()).noalias() += load.slope.transpose() * jacobian;
    });
  }
  if (of < 0) return;
  e.out[static_cast<std::size_t>(of)].each_block([&](Eigen::Index first, const auto& out) {
    e.wrench.middleCols(first, out.cols()).noalias() += load.slope * out;
  });
  if (on >= 0) add_between_ports(e, static_cast<std::size_t>(on), static_cast<std::size_t>(of), load.slope);
}

void TreeTangent::add_between_ports(Node& e, std::size_t on, std::size_t of, const Held& load) {
  if (!e.sparse) {
    const WrenchColumns sent = load * e.out[of].columns;
    e.own.noalias() += e.jacobian[on].columns.transpose() * sent;
    return;
  }
  if (on == of) return add_at_port(e, on, load, e.sparse->own());
  // nodes of two ports do not meet in the matrix
  const Eigen::Index before = outer_.cols();
  outer_.conservativeResize(Eigen::NoChange, before + 6), inner_.conservativeResize(before + 6, Eigen::NoChange);
  outer_.rightCols(6).setZero(), inner_.bottomRows(6).setZero();
  e.jacobian[on].each_block([&](Eigen::Index first, const auto& jacobian) {
    outer_.block(e.v + first, before, jacobian.cols(), 6) = jacobian.transpose();
  });
  e.out[of].each_block([&](Eigen::Index first, const auto& out) {
    inner_.block(before, e.v + first, 6, out.cols()).noalias() = load * out;
  });
}

void TreeTangent::add_crossing_loads() {
  const auto places = [](const NodeLoad& load) { return std::tuple(load.on, load.of); };
  std::sort(crossing_.begin(), crossing_.end(),
            [&](const NodeLoad& a, const NodeLoad& b) { return places(a) < places(b); });
  std::size_t count = 0;
  for (const NodeLoad& load : crossing_) {
    if (count > 0 && places(crossing_[count - 1]) == places(load)) {
      crossing_[count - 1].slope += load.slope;
    } else {
      crossing_[count++] = load;
    }
  }
  crossing_.resize(count);
  for (const NodeLoad& load : crossing_) {
    const Eigen::JacobiSVD<MatrixXd> svd(load.slope, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorXd& values = svd.singularValues();
    const Eigen::Index rank = (values.array() > k_no_rank * values[0]).count(), before = outer_.cols();
    if (rank == 0) continue;
    outer_.conservativeResize(Eigen::NoChange, before + rank),
        inner_.conservativeResize(before + rank, Eigen::NoChange);
    outer_.rightCols(rank).setZero(), inner_.bottomRows(rank).setZero();
    const MatrixXd on = svd.matrixU().leftCols(rank) * values.head(rank).asDiagonal(),
                   of = svd.matrixV().leftCols(rank).transpose();
    along_path(load.on, [&](const Node& e, std::size_t port) {
      e.jacobian[port].add_transposed_product<6>(on, outer_.block(e.v, before, e.n, rank));
    });
    along_path(load.of, [&](const Node& e, std::size_t port) {
      e.out[port].each_block([&](Eigen::Index first, const auto& out) {
        inner_.block(before, e.v + first, rank, out.cols()).noalias() = of * out;
      });
    });
  }
}

void TreeDerivatives::append_frame_wrenches(const Model& model, TransmissionSet set,
                                            const KinematicsT<double>& kinematics, const VectorXd& efforts,
                                            std::vector<ExternalWrench>& external) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  for (const auto& tendon : t.tendons) {
    const double tension = t.is_driven(tendon.input) ? 0.0 : efforts[tendon.input];
    if (tension == 0.0) continue;
    for (const auto& segment : tendon.segments) {
      const Stretch stretch(tendon, segment, [&](int node) -> const Pose& { return kinematics.world_node[node]; });
      if (!stretch.pulls()) continue;
      const auto pull = [&](int node, const Vector3& at, double sign) {
        const Vector3 force =
            kinematics.world_node[node].rotation.transpose_times((sign * tension) * stretch.direction);
        external.push_back({Frame{node, Pose()}, {cross(at, force), force}, Axes::body});
      };
      pull(segment.first_node, segment.first, 1.0);
      pull(segment.second_node, segment.second, -1.0);
    }
  }
  for (const auto& bound : t.wrenches) {
    Wrench w;
    for (int k = 0; k < 6; ++k) w[k] = efforts[bound.input + k];
    external.push_back({bound.frame, w, bound.world_axes ? Axes::world : Axes::body});
  }
}

void TreeDerivatives::load_frame_slopes(const Model& model, TransmissionSet set, VectorInT<double> q,
                                        const VectorXd& efforts) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  for (const auto& tendon : t.tendons) {
    const double tension = t.is_driven(tendon.input) ? 0.0 : efforts[tendon.input];
    if (tension == 0.0) continue;
    for (const auto& segment : tendon.segments) {
      const Stretch stretch(tendon, segment, [&](int node) -> const Pose& { return workspace_.pose[node]; });
      if (!stretch.pulls()) continue;
      const Vector3& d = stretch.direction;
      const struct {
        int node;
        const Vector3& at;
        double sign;  // of the force on it along the direction, and of the direction's change with it
      } ends[2] = {{segment.first_node, segment.first, 1.0}, {segment.second_node, segment.second, -1.0}};
      for (const auto& on : ends) {
        for (const auto& of : ends) {
          const Frame on_frame{on.node, Pose()}, of_frame{of.node, Pose()};
          LoadSlopes slopes{on_frame, of_frame, LoadSlopes::Matrix::Zero(), LoadSlopes::Matrix::Zero()};
          const Matrix3 &R = workspace_.pose[on.node].rotation, &R_of = workspace_.pose[of.node].rotation;
          const Vector3 force = R.transpose_times((on.sign * tension) * d);
          for (int k = 0; k < 6; ++k) {
            const Twist moved = unit_twist(k);
            const Vector3 way = -of.sign * (R_of * carried_along(moved, of.at));  // of the second end from the first
            Vector3 change = R.transpose_times((on.sign * tension) * stretch.turned(way));
            if (on.node == of.node && &on == &of) change += cross(force, moved.angular);
            const Vector3 torque = cross(on.at, change);
            for (int i = 0; i < 3; ++i) slopes.by_pose(i, k) = torque[i], slopes.by_pose(3 + i, k) = change[i];
          }
          load(slopes, {});
        }
      }
    }
  }
  for (const auto& bound : t.functions) {
    const double effort = t.is_driven(bound.input) ? 0.0 : efforts[bound.input];
    if (effort == 0.0) continue;
    const Eigen::Index n = static_cast<Eigen::Index>(bound.q.size());
    std::array<double, k_most_function_coordinates> x{};
    for (std::size_t i = 0; i < bound.q.size(); ++i) x[i] = q[bound.q[i]];
    MatrixXd hessian(n, n);  // symmetric
    bound.function->hessian(x.data(), hessian.data());
    MatrixXd outer = MatrixXd::Zero(model.nv(), n), by_q = MatrixXd::Zero(n, model.nv());
    for (Eigen::Index i = 0; i < n; ++i) {
      outer(bound.v[static_cast<std::size_t>(i)], i) = 1.0;
      by_q.col(bound.v[static_cast<std::size_t>(i)]) -= effort * hessian.col(i);
    }
    couple(outer, by_q, MatrixXd::Zero(n, model.nv()));
  }
}

void TreeDerivatives::subtract_segment_rate(const Model& model, const BoundTendonT<double>& tendon,
                                            const TendonSegmentT<double>& segment, MatrixXd& by_q) const {
  const DerivativeData::Workspace& w = workspace_;
  const TopologyT<double>& t = model.topology();
  const Stretch stretch(tendon, segment, [&](int node) -> const Pose& { return w.pose[node]; });
  if (!stretch.pulls()) return;
  const Vector3& d = stretch.direction;
  const Vector3 apart_rate = carried_along(w.velocity[segment.second_node], stretch.second) -
                             carried_along(w.velocity[segment.first_node], stretch.first);
  const Vector3 across = stretch.turned(apart_rate);
  const auto add_end = [&](int node, const Vector3& at, double sign) {
    const Twist of_node = w.velocity[node];
    while (node != 0) {
      const int e = t.parent_edge[node];
      const Edge& edge = t.edges[e];
      const int slot = w.first_slot[static_cast<std::size_t>(node)];
      w.each_slot(edge, node - edge.child_node, [&](int k, int at_slot) {
        const Twist J = w.twist(w.jacobian, at_slot);
        Twist rate = w.twist(w.rate, at_slot);
        if (has_quaternion(edge)) {  // which is along the moving frame: components of v are held
          const Twist held = bracket(twist_of(w.v.data() + edge.v, edge.nv), unit_twist(k));
          for (int i = 0; i < edge.nv; ++i) rate += -held[i] * w.twist(w.jacobian, slot + i);
        }
        const Vector3 moved = carried_along(J, at);
        const Vector3 faster = carried_along(rate, at) + cross(J.angular, carried_along(of_node, at));
        by_q(tendon.input, edge.v + k) -= sign * (dot(d, faster) + dot(across, moved));
      });
      node = edge.parent_node;
    }
  };
  add_end(segment.second_node, stretch.second, 1.0);
  add_end(segment.first_node, stretch.first, -1.0);
}

void TreeDerivatives::transmission_rates_by_q(const Model& model, TransmissionSet set, VectorInT<double> q,
                                              VectorInT<double> v, MatrixXd& by_q) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const int count = t.count();
  by_q.setZero(count, model.nv());
  const std::vector<Edge>& edges = model.topology().edges;
  VectorXd unit = VectorXd::Zero(count);
  scratch_.resize(static_cast<std::size_t>(workspace_.places.size));
  const EdgeBlocks slope{workspace_.places.origin.data(), scratch_.data()};
  for (int k = 0; k < count; ++k) {
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    unit.setZero(), unit[k] = 1.0;
    subtract_body_slopes(model, set, workspace_, q, unit, slope);
    for (auto& body : workspace_.bodies) {
      if (body.sparse) body.sparse->scratch.assign(body.sparse->by_q.size(), 0.0);
    }
    subtract_sparse_slopes(model, set, workspace_, q, unit, &SparseBodyMemory::scratch);
    for (const Edge& edge : edges) {
      if (const SparseBodyMemory* sparse = workspace_.sparse_of(edge)) {
        Eigen::SparseMatrix<double> matrix = sparse->pairs.matrix();
        std::copy(sparse->scratch.begin(), sparse->scratch.end(), matrix.valuePtr());
        by_q.row(k).segment(edge.v, edge.nv) -= (matrix.transpose() * v.segment(edge.v, edge.nv)).transpose();
        continue;
      }
      by_q.row(k).segment(edge.v, edge.nv).noalias() -=
          v.segment(edge.v, edge.nv).transpose() * slope.block(edge.v, edge.v, edge.nv, edge.nv);
    }
  }
  for (const auto& tendon : t.tendons) {
    for (const auto& segment : tendon.segments) {
      subtract_segment_rate(model, tendon, segment, by_q);
    }
  }
  for (const auto& bound : t.functions) {
    std::array<double, k_most_function_coordinates> x{};
    std::array<double, k_most_function_coordinates * k_most_function_coordinates> hessian{};
    const std::size_t n = bound.q.size();
    for (std::size_t i = 0; i < n; ++i) x[i] = q[bound.q[i]];
    bound.function->hessian(x.data(), hessian.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) by_q(bound.input, bound.v[j]) += v[bound.v[i]] * hessian[i * n + j];
    }
  }
}

void BorderedTangent::pin(int coordinate) {
  tree_.pin(coordinate);
  if (row_count() > 0) columns_.row(coordinate).setZero(), rows_.col(coordinate).setZero();
}

void BorderedTangent::factor() {
  tree_.factor();
  if (row_count() == 0) return;
  swept_.resize(columns_.rows(), columns_.cols());
  for (Eigen::Index k = 0; k < columns_.cols(); ++k) {
    right_ = columns_.col(k);
    tree_.solve(right_, part_);
    swept_.col(k) = part_;
  }
  schur_.compute(rows_ * swept_);
}

std::optional<int> BorderedTangent::negative_eigenvalues() const {
  // [T B; B^T 0] has one negative eigenvalue a row more than T has on the motions with B^T x = 0
  const std::optional<int> all = tree_.negative_eigenvalues();
  return !all || row_count() == 0 ? all : *all + negative_count(-(rows_ * swept_)) - row_count();
}

void BorderedTangent::multiply(const VectorXd& x, VectorXd& result) const {
  if (row_count() == 0) return tree_.multiply(x, result);
  const Eigen::Index n = rows_.cols(), m = rows_.rows();
  right_ = x.head(n);
  tree_.multiply(right_, part_);
  result.resize(n + m);
  result.head(n) = part_;
  result.head(n).noalias() += columns_ * x.tail(m);
  result.tail(m).noalias() = rows_ * right_;
}

void BorderedTangent::multiply_transposed(const VectorXd& y, VectorXd& result) const {
  if (row_count() == 0) return tree_.multiply_transposed(y, result);
  const Eigen::Index n = rows_.cols(), m = rows_.rows();
  right_ = y.head(n);
  tree_.multiply_transposed(right_, part_);
  result.resize(n + m);
  result.head(n) = part_;
  result.head(n).noalias() += rows_.transpose() * y.tail(m);
  result.tail(m).noalias() = columns_.transpose() * right_;
}

void BorderedTangent::solve(const VectorXd& right, VectorXd& result) const {
  if (row_count() == 0) return tree_.solve(right, result);
  const Eigen::Index n = rows_.cols(), m = rows_.rows();
  right_ = right.head(n);
  tree_.solve(right_, part_);
  const VectorXd multipliers = schur_.solve(rows_ * part_ - right.tail(m));
  result.resize(n + m);
  result.head(n) = part_;
  result.head(n).noalias() -= swept_ * multipliers;
  result.tail(m) = multipliers;
}

void BorderedTangent::solve_transposed(const VectorXd& right, VectorXd& result) const {
  if (row_count() == 0) return tree_.solve_transposed(right, result);
  const Eigen::Index n = rows_.cols(), m = rows_.rows();
  right_ = right.head(n);
  // B^T T^-T is swept^T
  const VectorXd multipliers = schur_.transpose().solve(swept_.transpose() * right_ - right.tail(m));
  right_.noalias() -= rows_.transpose() * multipliers;
  tree_.solve_transposed(right_, part_);
  result.resize(n + m);
  result << part_, multipliers;
}

}  // namespace cuttle
