#include "algorithms/tree_tangent.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "algorithms/derivative_sweep.h"
#include "algorithms/transmissions.h"

namespace cuttle {

using namespace derivative;

namespace {

Twist column_twist(const MatrixXd& m, Eigen::Index column, int n) { return twist_of(m.col(column).data(), n); }

template <typename Column>
void store(Column&& column, int first, const Vector3& x) {
  column[first] = x.x, column[first + 1] = x.y, column[first + 2] = x.z;
}
template <typename Column>
void store_wrench(Column&& column, const Wrench& w) {
  store(column, 0, w.torque), store(column, 3, w.force);
}

}  // namespace

namespace {

/// x = pivot^-1 x, or by the transposed, without memory of its own. @param work  as large as x.
template <typename X, typename Work>
void solve_in_place(const Eigen::PartialPivLU<MatrixXd>& pivot, X&& x, Work&& work) {
  work = pivot.permutationP() * x;
  pivot.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work);
  pivot.matrixLU().triangularView<Eigen::Upper>().solveInPlace(work);
  x = work;
}
template <typename X, typename Work>
void solve_transposed_in_place(const Eigen::PartialPivLU<MatrixXd>& pivot, X&& x, Work&& work) {
  work = x;
  pivot.matrixLU().transpose().triangularView<Eigen::Lower>().solveInPlace(work);
  pivot.matrixLU().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(work);
  x = pivot.permutationP().transpose() * work;
}

}  // namespace

TreeTangent::TreeTangent(const Model& model) {
  const TopologyT<double>& t = model.topology();
  int most = 0, most_dense = 0;
  edges_.reserve(t.edges.size());
  for (const Edge& edge : t.edges) {
    Node node;
    node.v = edge.v, node.n = edge.nv, node.parent = edge.parent_node, node.child = edge.child_node;
    node.is_sparse = has_sparse_tangent(model, edge);
    const int dense = node.is_sparse ? 0 : edge.nv;
    node.response.setZero(k_wide, edge.nv), node.own.setZero(dense, dense), node.wrench.setZero(6, edge.nv);
    const auto ports = static_cast<std::size_t>(edge.child_count);
    node.out.assign(ports, {PassedColumns::Zero(k_wide, dense), node.is_sparse, {}});
    node.jacobian.assign(ports, {WrenchColumns::Zero(6, dense), node.is_sparse, {}});
    node.pivot = Eigen::PartialPivLU<MatrixXd>(dense);
    node.back.setZero(edge.nv, k_wide), node.send.setZero(6, edge.nv);
    edges_.push_back(std::move(node));
    most = std::max(most, edge.nv), most_dense = std::max(most_dense, dense);
  }
  edge_of_.assign(t.nodes.size(), -1);
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const int first = t.edges[e].child_node, end = first + t.edges[e].child_count;
    for (int node = first; node < end; ++node) edge_of_[static_cast<std::size_t>(node)] = static_cast<int>(e);
  }
  for (auto* of_nodes : {&loads_, &held_}) of_nodes->assign(t.nodes.size(), Held::Zero());
  passed_.assign(t.nodes.size(), Passed::Zero()), sent_.assign(t.nodes.size(), Wrench6::Zero());
  work_.resize(model.nv());
  columns_.resize(most, k_wide), pivot_.resize(most_dense, most_dense), sent_columns_.resize(6, most);
}

void TreeTangent::multiply(const VectorXd& x, VectorXd& result) const {
  wide_ ? multiply_tree<k_wide>(x, result) : multiply_tree<k_narrow>(x, result);
  if (outer_.cols() > 0) result.noalias() += outer_ * (inner_ * x);
}

void TreeTangent::factor() {
  wide_ ? factor_tree<k_wide>() : factor_tree<k_narrow>();
  const Eigen::Index k = outer_.cols();
  if (k == 0) return;
  swept_.resize(outer_.rows(), k);
  VectorXd column, solved;
  for (Eigen::Index i = 0; i < k; ++i) {
    column = outer_.col(i);
    solve_by_width(column, solved);
    swept_.col(i) = solved;
  }
  MatrixXd small = inner_ * swept_;
  small.diagonal().array() += 1.0;
  small_.compute(small);
}

void TreeTangent::solve(const VectorXd& right, VectorXd& result) const {
  solve_by_width(right, result);
  if (outer_.cols() == 0) return;
  const VectorXd across = small_.solve(inner_ * result);
  result.noalias() -= swept_ * across;
}

void TreeTangent::solve_transposed(const VectorXd& right, VectorXd& result) const {
  if (outer_.cols() == 0) return solve_transposed_by_width(right, result);
  // (1 + W Z)^T has the inverse 1 - Z^T (1 + Z W)^-T W^T
  const VectorXd across = small_.transpose().solve(swept_.transpose() * right);
  const VectorXd left = right - inner_.transpose() * across;
  solve_transposed_by_width(left, result);
}

template <int k_count>
void TreeTangent::multiply_tree(const VectorXd& x, VectorXd& result) const {
  passed_[0].setZero();
  for (const Node& e : edges_) {
    for (std::size_t p = 0; p < e.out.size(); ++p) {
      auto there = passed_[e.child + p].head<k_count>();
      there = passed_[e.parent].head<k_count>();
      e.out[p].add_product<k_count>(x.segment(e.v, e.n), there);
    }
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    sent_[i].setZero();
    if (wide_) sent_[i].noalias() += loads_[i] * passed_[i];
  }
  result.resize(x.size());
  for (auto e = edges_.rbegin(); e != edges_.rend(); ++e) {
    auto row = result.segment(e->v, e->n);
    row.noalias() = e->response.topRows<k_count>().transpose() * passed_[e->parent].head<k_count>();
    if (e->sparse) {
      row += e->sparse->own_matrix() * x.segment(e->v, e->n);
    } else {
      row.noalias() += e->own * x.segment(e->v, e->n);
    }
    sent_[e->parent].noalias() += e->wrench * x.segment(e->v, e->n);
    for (std::size_t p = 0; p < e->out.size(); ++p) {
      e->jacobian[p].add_transposed_product<6>(sent_[e->child + p], row);
      sent_[e->parent] += sent_[e->child + p];
    }
  }
}

/// As factor_tree for other edges: what hangs at a port meets the few nodes that it moves with.
template <int k_count>
void TreeTangent::factor_sparse(Node& e) {
  SparsePivot& pivot = *e.sparse;
  std::copy_n(pivot.own(), pivot.entries(), pivot.whole());
  auto back = e.back.leftCols<k_count>();
  back.noalias() = e.response.topRows<k_count>().transpose();
  e.send = e.wrench;
  auto inwards = held_[e.parent].leftCols<k_count>();
  for (std::size_t p = 0; p < e.out.size(); ++p) {
    const auto held = held_[e.child + p].leftCols<k_count>();
    inwards += held;
    if (held.isZero(0.0)) continue;
    e.out[p].each_block([&](Eigen::Index first, const auto& out) {
      e.send.middleCols(first, out.cols()).noalias() += held * out.template topRows<k_count>();
    });
    add_at_port(e, p, held_[e.child + p], pivot.whole());
    e.jacobian[p].add_transposed_product<6>(held, back);
  }
  pivot.factor();
  if (e.parent == 0) {  // which does not move, and needs no wrench
    back.setZero();
    return;
  }
  pivot.solve(back);
  inwards.noalias() -= e.send * back;
}

void TreeTangent::add_at_port(const Node& e, std::size_t port, const Held& load, double* values) {
  const PortColumns<PassedColumns>& out = e.out[port];
  const PortColumns<WrenchColumns>& jacobian = e.jacobian[port];
  const MatrixXd blocks = jacobian.columns.transpose() * (load * out.columns);
  for (std::size_t column = 0; column < out.nodes.size(); ++column) {
    for (std::size_t row = 0; row < jacobian.nodes.size(); ++row) {
      Matrix3 added;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          added(i, k) = blocks(3 * static_cast<Eigen::Index>(row) + i, 3 * static_cast<Eigen::Index>(column) + k);
        }
      }
      e.sparse->pairs().add(values, jacobian.nodes[row], out.nodes[column], added);
    }
  }
}

void TreeTangent::multiply_transposed(const VectorXd& y, VectorXd& result) const {
  wide_ ? multiply_tree_transposed<k_wide>(y, result) : multiply_tree_transposed<k_narrow>(y, result);
  if (outer_.cols() > 0) result.noalias() += inner_.transpose() * (outer_.transpose() * y);
}

template <int k_count>
void TreeTangent::multiply_tree_transposed(const VectorXd& y, VectorXd& result) const {
  // the steps of multiply_tree backwards, each transposed
  for (Passed& p : passed_) p.setZero();
  sent_[0].setZero();
  result.resize(y.size());
  for (const Node& e : edges_) {
    const auto row = y.segment(e.v, e.n);
    for (std::size_t p = 0; p < e.out.size(); ++p) {
      sent_[e.child + p] = sent_[e.parent];
      e.jacobian[p].add_product<6>(row, sent_[e.child + p]);
    }
    auto x = result.segment(e.v, e.n);
    if (e.sparse) {
      x = e.sparse->own_matrix().transpose() * row;
    } else {
      x.noalias() = e.own.transpose() * row;
    }
    x.noalias() += e.wrench.transpose() * sent_[e.parent];
    passed_[e.parent].head<k_count>().noalias() += e.response.topRows<k_count>() * row;
  }
  for (std::size_t i = 0; wide_ && i < sent_.size(); ++i) passed_[i].noalias() += loads_[i].transpose() * sent_[i];
  for (auto e = edges_.rbegin(); e != edges_.rend(); ++e) {
    for (std::size_t p = 0; p < e->out.size(); ++p) {
      const auto there = passed_[e->child + p].head<k_count>();
      e->out[p].add_transposed_product<k_count>(there, result.segment(e->v, e->n));
      passed_[e->parent].head<k_count>() += there;
    }
  }
}

template <int k_count>
void TreeTangent::factor_tree() {
  held_ = loads_;
  for (auto e = edges_.rbegin(); e != edges_.rend(); ++e) {
    if (e->sparse) {
      factor_sparse<k_count>(*e);
      continue;
    }
    // with f = held p at the ports: own and wrench by x, response by p
    auto pivot = pivot_.topLeftCorner(e->n, e->n);
    auto sent = sent_columns_.leftCols(e->n);
    pivot = e->own;
    auto back = e->back.leftCols<k_count>();
    back.noalias() = e->response.topRows<k_count>().transpose();
    e->send = e->wrench;
    auto inwards = held_[e->parent].leftCols<k_count>();
    for (std::size_t p = 0; p < e->out.size(); ++p) {
      const auto held = held_[e->child + p].leftCols<k_count>();
      const WrenchColumns& jacobian = e->jacobian[p].columns;
      sent.noalias() = held * e->out[p].columns.topRows<k_count>();
      pivot.noalias() += jacobian.transpose() * sent;
      back.noalias() += jacobian.transpose() * held;
      e->send += sent;
      inwards += held;
    }
    if (e->n == 0) continue;
    e->pivot.compute(pivot);
    solve_in_place(e->pivot, back, columns_.topLeftCorner(e->n, k_count));
    inwards.noalias() -= e->send * back;
  }
}

template <int k_count>
void TreeTangent::solve_tree(const VectorXd& right, VectorXd& result) const {
  for (Wrench6& f : sent_) f.setZero();
  work_ = right;
  for (auto e = edges_.rbegin(); e != edges_.rend(); ++e) {
    auto y = work_.segment(e->v, e->n);
    for (std::size_t p = 0; p < e->out.size(); ++p) {
      const Wrench6 taken = -sent_[e->child + p];
      e->jacobian[p].add_transposed_product<6>(taken, y);
      sent_[e->parent] += sent_[e->child + p];
    }
    if (e->n == 0) continue;
    if (e->sparse) {
      e->sparse->solve(y);
    } else {
      solve_in_place(e->pivot, y, columns_.col(0).head(e->n));
    }
    sent_[e->parent].noalias() += e->send * y;
  }
  passed_[0].setZero();
  result.resize(right.size());
  for (const Node& e : edges_) {
    auto x = result.segment(e.v, e.n);
    x = work_.segment(e.v, e.n);
    x.noalias() -= e.back.leftCols<k_count>() * passed_[e.parent].head<k_count>();
    for (std::size_t p = 0; p < e.out.size(); ++p) {
      auto there = passed_[e.child + p].head<k_count>();
      there = passed_[e.parent].head<k_count>();
      e.out[p].add_product<k_count>(x, there);
    }
  }
}

template <int k_count>
void TreeTangent::solve_tree_transposed(const VectorXd& right, VectorXd& result) const {
  // the steps of solve_tree backwards, each transposed
  for (Passed& p : passed_) p.setZero();
  work_ = right;
  for (auto e = edges_.rbegin(); e != edges_.rend(); ++e) {
    auto x = work_.segment(e->v, e->n);
    for (std::size_t p = 0; p < e->out.size(); ++p) {
      e->out[p].add_transposed_product<k_count>(passed_[e->child + p].head<k_count>(), x);
      passed_[e->parent] += passed_[e->child + p];
    }
    passed_[e->parent].head<k_count>().noalias() -= e->back.leftCols<k_count>().transpose() * x;
  }
  sent_[0].setZero();
  result.resize(right.size());
  for (const Node& e : edges_) {
    auto g = result.segment(e.v, e.n);
    g = work_.segment(e.v, e.n);
    if (e.n > 0) {
      g.noalias() += e.send.transpose() * sent_[e.parent];
      if (e.sparse) {
        e.sparse->solve_transposed(g);
      } else {
        solve_transposed_in_place(e.pivot, g, columns_.col(0).head(e.n));
      }
    }
    for (std::size_t p = 0; p < e.out.size(); ++p) {
      Wrench6 lost = Wrench6::Zero();
      e.jacobian[p].add_product<6>(g, lost);
      sent_[e.child + p] = sent_[e.parent] - lost;
    }
  }
}

TreeDerivatives::TreeDerivatives(const Model& model) : workspace_(model, false) {
  inertial_.resize(3 * static_cast<std::size_t>(workspace_.places.size));
  internal_ = inertial_;
}

EdgeDerivatives TreeDerivatives::blocks(std::vector<double>& memory) const {
  const std::ptrdiff_t* origin = workspace_.places.origin.data();
  const std::ptrdiff_t size = workspace_.places.size;
  double* data = memory.data();
  return {{origin, data}, {origin, data + size}, {origin, data + 2 * size}};
}

void TreeDerivatives::take(const Model& model, Data& data, VectorInT<double> q, VectorInT<double> v,
                           VectorInT<double> a, const Actions& actions) {
  sweep_both_ways(model, data, workspace_, blocks(inertial_), q, v, a, actions);
  std::fill(internal_.begin(), internal_.end(), 0.0);
  loads_.clear();
  outer_.resize(model.nv(), 0), inner_by_q_.resize(0, model.nv()), inner_by_v_.resize(0, model.nv());
  const EdgeDerivatives internal = blocks(internal_);
  add_elasticity(model, workspace_, internal, q.data(), v.data());
  if (actions.u != nullptr && actions.u->size() > 0) subtract_slopes(model, TransmissionSet::actuators, q, *actions.u);
}

void TreeDerivatives::subtract_slopes(const Model& model, TransmissionSet set, VectorInT<double> q,
                                      const VectorXd& efforts) {
  subtract_sparse_slopes(model, set, workspace_, q, efforts, &SparseBodyMemory::by_q);
  subtract_body_slopes(model, set, workspace_, q, efforts, blocks(internal_).by_q);
}

void TreeDerivatives::couple(const MatrixXd& outer, const MatrixXd& by_q, const MatrixXd& by_v) {
  const Eigen::Index before = outer_.cols(), count = outer.cols();
  outer_.conservativeResize(Eigen::NoChange, before + count);
  inner_by_q_.conservativeResize(before + count, Eigen::NoChange);
  inner_by_v_.conservativeResize(before + count, Eigen::NoChange);
  outer_.rightCols(count) = outer;
  inner_by_q_.bottomRows(count) = by_q, inner_by_v_.bottomRows(count) = by_v;
}

void TreeDerivatives::subtract(int coordinate, double by_q, double by_v) {
  const EdgeDerivatives internal = blocks(internal_);
  internal.by_q(coordinate, coordinate) -= by_q;
  internal.by_v(coordinate, coordinate) -= by_v;
}

void TreeDerivatives::load(const LoadSlopes& slopes, const Vector3& gravity) {
  using Matrix = LoadSlopes::Matrix;
  // of a twist in the reference frame: what it is in the axes of a frame; transposed, back for wrenches
  const auto into = [](const Pose& pose) {
    Matrix m;
    for (int k = 0; k < 6; ++k) {
      const Twist column = pose.act_inverse(unit_twist(k));
      for (int i = 0; i < 6; ++i) m(i, k) = column[i];
    }
    return m;
  };
  const Pose pose = workspace_.pose[slopes.of.node] * slopes.of.node_frame;
  const Matrix in_frame = into(pose);
  const Twist V = pose.act_inverse(workspace_.velocity[slopes.of.node]);
  const Vector3 g = pose.rotation.transpose_times(gravity);
  Matrix convected, turned = Matrix::Zero();  // [V, .], and how gravity, which the acceleration lacks, turns
  for (int k = 0; k < 6; ++k) {
    const Twist column = bracket(V, unit_twist(k));
    for (int i = 0; i < 6; ++i) convected(i, k) = column[i];
    if (k >= 3) continue;
    const Vector3 change = cross(g, unit_twist(k).angular);
    for (int i = 0; i < 3; ++i) turned(3 + i, k) = change[i];
  }
  const Matrix second = slopes.by_acceleration * in_frame;
  const Matrix rate = (slopes.by_velocity - slopes.by_acceleration * convected) * in_frame;
  const Matrix displacement = (slopes.by_pose + slopes.by_acceleration * turned) * in_frame;
  const Matrix back = into(workspace_.pose[slopes.on.node] * slopes.on.node_frame).transpose();
  NodeLoad load{slopes.on.node, slopes.of.node, {}};
  Eigen::Matrix<double, 6, 18> change;
  change << second, rate.leftCols<3>(), displacement.leftCols<3>(), rate.rightCols<3>(), displacement.rightCols<3>();
  load.slope.noalias() = -back * change;  // on the other side of the equation
  loads_.push_back(load);
}

void TreeDerivatives::form_sparse(const SparseBodyMemory& memory, const StepDirections& directions,
                                  TreeTangent::Node& node) const {
  if (!node.sparse) {
    node.sparse = std::make_unique<SparsePivot>(memory.pairs);
    for (std::size_t p = 0; p < node.out.size(); ++p) {
      const std::vector<int>& nodes = memory.tangent->port_nodes(static_cast<int>(p));
      const auto columns = 3 * static_cast<Eigen::Index>(nodes.size());
      node.out[p].nodes = node.jacobian[p].nodes = nodes;
      node.out[p].columns.setZero(TreeTangent::k_wide, columns), node.jacobian[p].columns.setZero(6, columns);
    }
  }
  double* own = node.sparse->own();
  for (std::size_t i = 0; i < memory.by_q.size(); ++i) {
    own[i] = directions.by_q * memory.by_q[i] + directions.by_v * memory.by_v[i] + directions.by_a * memory.by_a[i];
  }
}

void TreeDerivatives::form(const Model& model, const StepDirections& directions, TreeTangent& tangent) {
  const TopologyT<double>& t = model.topology();
  const DerivativeData::Workspace& w = workspace_;
  const EdgeDerivatives inertial = blocks(inertial_), internal = blocks(internal_);
  tangent.outer_ = outer_;
  tangent.inner_ = directions.by_q * inner_by_q_ + directions.by_v * inner_by_v_;
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    const int n = edge.nv;
    TreeTangent::Node& node = tangent.edges_[e];
    const bool turns = has_quaternion(edge);
    MatrixXd q, v, a;
    if (turns) {
      const auto own = [&](const MatrixXd& all) { return all.block(0, edge.v, n, n); };
      q = own(directions.q), v = own(directions.v), a = own(directions.a);
    }
    const auto block = [&edge, n](const EdgeBlocks& of) { return of.block(edge.v, edge.v, n, n); };
    if (const SparseBodyMemory* sparse = w.sparse_of(edge)) {
      form_sparse(*sparse, directions, node);
    } else if (!turns) {
      node.own = directions.by_q * (block(inertial.by_q) + block(internal.by_q)) +
                 directions.by_v * (block(inertial.by_v) + block(internal.by_v)) +
                 directions.by_a * (block(inertial.by_a) + block(internal.by_a));
    } else {
      node.own = block(internal.by_q) * q + block(internal.by_v) * v + block(internal.by_a) * a;
      const Twist twist = twist_of(w.v.data() + edge.v, n), acceleration = twist_of(w.a.data() + edge.v, n);
      for (int k = 0; k < n; ++k) {
        const Twist step = column_twist(q, k, n);
        const Twist moving = column_twist(v, k, n) - bracket(twist, step);
        const Twist lost = bracket(acceleration, step) + bracket(twist, moving);
        for (int i = 0; i < n; ++i) v(i, k) = moving[i], a(i, k) -= lost[i];
      }
      node.own += block(inertial.by_q) * q + block(inertial.by_v) * v + block(inertial.by_a) * a;
    }
    if (turns) {
      tangent.inner_.middleCols(edge.v, n).noalias() =
          inner_by_q_.middleCols(edge.v, n) * directions.q.block(0, edge.v, n, n);
      tangent.inner_.middleCols(edge.v, n).noalias() +=
          inner_by_v_.middleCols(edge.v, n) * directions.v.block(0, edge.v, n, n);
    }
    // of the edge's coordinates one by one, then by the unknowns
    for (int k = 0; k < n; ++k) {
      const CoordinateResponse& r = w.response[edge.v + k];
      auto response = node.response.col(k);
      response.setZero();
      store_wrench(response, r.by_second);
      store(response, 6, r.by_rate), store(response, 9, r.by_turn);
    }
    const auto along = [&](int k, const auto& use) {  // use(coordinate, dq, dv, da)
      if (!turns) return use(k, directions.by_q, directions.by_v, directions.by_a);
      for (int i = 0; i < n; ++i) use(i, q(i, k), v(i, k), a(i, k));
    };
    for (int k = 0; k < n; ++k) {
      Wrench wrench;
      along(k, [&](int i, double dq, double dv, double da) {
        const CoordinateResponse& r = w.response[edge.v + i];
        wrench += dq * r.wrench_by_q + dv * r.wrench_by_v + da * r.by_second;
      });
      store_wrench(node.wrench.col(k), wrench);
    }
    for (int p = 0; p < edge.child_count; ++p) {
      const int first = w.first_slot[static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p)];
      auto& out = node.out[static_cast<std::size_t>(p)].columns;
      auto& jacobian = node.jacobian[static_cast<std::size_t>(p)].columns;
      w.each_slot(edge, p, [&](int k, int slot) {
        Twist z, rate, second;
        along(k, [&](int i, double dq, double dv, double da) {
          const int of = slot + i - k;
          const Twist J = w.twist(w.jacobian, of), J_rate = w.twist(w.rate, of);
          z += dq * J;
          rate += dq * J_rate + dv * J;
          second += dq * w.twist(w.second, of) + (2.0 * dv) * J_rate + da * J;
        });
        auto passed = out.col(slot - first);
        store(passed, 0, second.angular), store(passed, 3, second.linear);
        store(passed, 6, rate.angular), store(passed, 9, z.angular);
        store(passed, 12, rate.linear), store(passed, 15, z.linear);
        const Twist J = w.twist(w.jacobian, slot);
        store(jacobian.col(slot - first), 0, J.angular), store(jacobian.col(slot - first), 3, J.linear);
      });
    }
  }
  tangent.wide_ = !loads_.empty();
  for (auto& held : tangent.loads_) held.setZero();
  tangent.crossing_.clear();
  for (const NodeLoad& load : loads_) tangent.add_load(load);
  tangent.add_crossing_loads();
}

}  // namespace cuttle
