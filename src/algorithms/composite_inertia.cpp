#include "algorithms/composite_inertia.h"

#include <algorithm>
#include <type_traits>

#include "algorithms/momentum_kernels.h"
#include "algorithms/sweep.h"

namespace cuttle {
namespace {

/// The columns of one sweep: where the nodes are, how every coordinate moves the nodes that it begins to move, and
/// products with them. Twists keep places of their own: about one origin for all, entries of short levers would be
/// differences of those of long ones.
template <typename S>
class Columns {
 public:
  Columns(const ModelT<S>& model, DataT<S>& data)
      : t_(model.topology()), data_(data), stride_(static_cast<int>(padded(t_.slot_count))) {
    data_.columns.resize(9 * static_cast<std::size_t>(stride_));  // the first time only
    data_.placed_node.resize(t_.nodes.size());
    if constexpr (std::is_same_v<S, double>) kernel_ = momentum_kernel();
  }

  /// After an outward sweep with blocks.
  void place() {
    data_.placed_node[0] = {};
    for (std::size_t e = 0; e < t_.edges.size(); ++e) {
      const Edge& edge = t_.edges[e];
      const int slot = t_.first_slot[e];
      if (edge.kind == EdgeKind::body) {
        place_body(edge, slot);
        continue;
      }
      const PoseT<S>& pose = data_.placed_node[edge.child_node] =
          data_.placed_node[edge.parent_node] * data_.parent_child[e];
      if (edge.kind == EdgeKind::screw) {
        const ScrewEdgeT<S>& screw = t_.screws[edge.index];
        const Vector3T<S> axis = pose.rotation.column(2);
        store(slot, {screw.rotation * axis, screw.translation * axis}, pose.position);
      } else {
        for (int k = 0; k < edge.nv; ++k) store_in(pose, slot + k, data_.joint_motion[edge.index].subspace[k]);
      }
    }
  }
  /// Writes the entries between velocity coordinate `column` and all that move `node`, which are rows above it.
  /// @param momentum  of what the coordinate moves, about `place`; world axes.
  void write(int node, int column, const WrenchT<S>& momentum, const Vector3T<S>& place) {
    S* const to = data_.mass_matrix.data() + static_cast<std::ptrdiff_t>(column) * data_.mass_matrix.rows();
    t_.for_each_run(node, [&](const ColumnRun& run) {
      const S* const rows = data_.columns.data() + run.slot;
      if constexpr (std::is_same_v<S, double>) {
        kernel_({rows, stride_}, run.count, momentum, place, to + run.v);
      } else {
        for (int i = 0; i < run.count; ++i) {
          const auto vector = [&](int row) {
            const S* const at = rows + row * stride_ + i;
            return Vector3T<S>{at[0], at[stride_], at[2 * stride_]};
          };
          const Vector3T<S> torque = momentum.torque + cross(place - vector(6), momentum.force);
          to[run.v + i] = dot(torque, vector(0)) + dot(momentum.force, vector(3));
        }
      }
    });
  }

 private:
  void place_body(const Edge& edge, int slot) {
    const BodyEdgeT<S>& body = t_.bodies[edge.index];
    const PoseT<S> base = data_.placed_node[edge.parent_node] * body.parent_base;
    for (int p = 0; p < edge.child_count; ++p, slot += edge.nv) {
      const PoseT<S>& pose = data_.placed_node[edge.child_node + p] =
          base * data_.port_motion[body.first_port + p].base_port;
      if (!t_.loaded[edge.child_node + p]) continue;  // nothing meets these columns
      const S* J = body.body->port_jacobian(data_.workspace(body), p);
      for (int k = 0; k < edge.nv; ++k) store_in(pose, slot + k, sweep::column_of(J, edge.nv, k));
    }
  }
  void store_in(const PoseT<S>& pose, int slot, const TwistT<S>& twist) {
    store(slot, {pose.rotation * twist.angular, pose.rotation * twist.linear}, pose.position);
  }
  void store(int slot, const TwistT<S>& twist, const Vector3T<S>& place) {
    S* at = data_.columns.data() + slot;
    for (const Vector3T<S>* v : {&twist.angular, &twist.linear, &place}) {
      at[0] = v->x, at[stride_] = v->y, at[2 * stride_] = v->z;
      at += 3 * stride_;
    }
  }

  const TopologyT<S>& t_;
  DataT<S>& data_;
  int stride_;
  MomentumKernel kernel_ = nullptr;
};

/// A wrench in world axes about the same place.
template <typename S>
WrenchT<S> turned(const Matrix3T<S>& rotation, const WrenchT<S>& w) {
  return {rotation * w.torque, rotation * w.force};
}

template <typename S>
void add_body(const ModelT<S>& model, DataT<S>& data, const Edge& edge, Columns<S>& columns) {
  const TopologyT<S>& t = model.topology();
  const BodyEdgeT<S>& body = t.bodies[edge.index];
  const InertiaBlocksT<S> blocks = data.inertia_blocks(body, edge.nv);
  const int n = edge.nv, v = edge.v;
  MatrixXT<S>& M = data.mass_matrix;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) M(v + i, v + j) = blocks.mass[j * n + i];
    const TwistT<S> c = sweep::column_of(static_cast<const S*>(blocks.coupling), n, j);
    data.carried[j] = {c.angular, c.linear};
  }
  SpatialInertiaT<S> total = data.body_inertia[edge.index];
  for (int k = 0; k < edge.child_count; ++k) {
    const int node = edge.child_node + k;
    if (!t.loaded[node]) continue;
    const SpatialInertiaT<S>& hanging = data.composite[node];
    const PoseT<S>& base_port = data.port_motion[body.first_port + k].base_port;
    const S* J = body.body->port_jacobian(data.workspace(body), k);
    for (int j = 0; j < n; ++j) {
      const WrenchT<S> momentum = hanging * sweep::column_of(J, n, j);
      for (int i = 0; i <= j; ++i) M(v + i, v + j) += dot(momentum, sweep::column_of(J, n, i));
      data.carried[j] += base_port.act(momentum);
    }
    total += hanging.in_parent(base_port);
  }
  if (edge.parent_node == 0) return;
  data.composite[edge.parent_node] += total.in_parent(body.parent_base);
  const PoseT<S> base = data.placed_node[edge.parent_node] * body.parent_base;
  for (int j = 0; j < n; ++j) {
    columns.write(edge.parent_node, v + j, turned(base.rotation, data.carried[j]), base.position);
  }
}

template <typename S>
void add_joint(const ModelT<S>& model, DataT<S>& data, int e, Columns<S>& columns) {
  const TopologyT<S>& t = model.topology();
  const Edge& edge = t.edges[e];
  MatrixXT<S>& M = data.mass_matrix;
  const SpatialInertiaT<S>& I = data.composite[edge.child_node];
  const PoseT<S>& pose = data.placed_node[edge.child_node];
  const auto outwards = [&](int j, const WrenchT<S>& momentum) {
    if (edge.parent_node == 0) return;
    columns.write(edge.parent_node, edge.v + j, turned(pose.rotation, momentum), pose.position);
  };
  if (edge.kind == EdgeKind::screw) {
    const ScrewEdgeT<S>& screw = t.screws[edge.index];
    const WrenchT<S> momentum = I * TwistT<S>{{S(0.0), S(0.0), screw.rotation}, {S(0.0), S(0.0), screw.translation}};
    M(edge.v, edge.v) = sweep::screw_component(screw, momentum) + screw.armature;
    outwards(0, momentum);
  } else {
    const JointMotionT<S>& motion = data.joint_motion[edge.index];
    for (int j = 0; j < edge.nv; ++j) {
      const WrenchT<S> momentum = I * motion.subspace[j];
      for (int i = 0; i <= j; ++i) M(edge.v + i, edge.v + j) = dot(momentum, motion.subspace[i]);
      M(edge.v + j, edge.v + j) += t.joints[edge.index].dynamics.armature[j];
      outwards(j, momentum);
    }
  }
  if (edge.parent_node != 0) data.composite[edge.parent_node] += I.in_parent(data.parent_child[e]);
}

/// Writes the lower half, in square blocks: lines of memory are then written whole. @return whether all is finite.
template <typename S>
bool mirror_upper(MatrixXT<S>& M) {
  constexpr Eigen::Index k_block = 8;
  const Eigen::Index n = M.rows();
  S* const m = M.data();
  S sum[k_block];  // zeros, or not numbers
  std::fill_n(sum, k_block, S(0.0));
  for (Eigen::Index right = 0; right < n; right += k_block) {
    if (right + k_block <= n) {
      for (Eigen::Index top = 0; top < right; top += k_block) {
        S block[k_block][k_block];
        for (Eigen::Index j = 0; j < k_block; ++j) {
          const S* const from = m + (right + j) * n + top;
          for (Eigen::Index i = 0; i < k_block; ++i) block[i][j] = from[i], sum[i] += from[i] - from[i];
        }
        for (Eigen::Index i = 0; i < k_block; ++i) std::copy_n(block[i], k_block, m + (top + i) * n + right);
      }
    }
    for (Eigen::Index j = right; j < std::min(right + k_block, n); ++j) {
      for (Eigen::Index i = right + k_block <= n ? right : 0; i <= j; ++i) {
        m[i * n + j] = m[j * n + i], sum[i % k_block] += m[j * n + i] - m[j * n + i];
      }
    }
  }
  for (Eigen::Index k = 1; k < k_block; ++k) sum[0] += sum[k];
  return k_has_lanes<S> || all(sum[0] == S(0.0));  // of packs, a robot may be wrong
}

}  // namespace

template <typename S>
void composite_mass_matrix(const ModelT<S>& model, DataT<S>& data, const char* function) {
  const TopologyT<S>& t = model.topology();
  data.mass_matrix.resize(model.nv(), model.nv()), data.composite.resize(t.nodes.size());  // the first time only
  if (t.branches) data.mass_matrix.setZero();  // coordinates on different branches do not meet
  for (std::size_t n = 0; n < t.nodes.size(); ++n) data.composite[n] = t.nodes[n].inertia;
  Columns<S> columns(model, data);
  if (t.edges.size() > 1) columns.place();
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    if (t.edges[e].kind == EdgeKind::body) {
      add_body(model, data, t.edges[e], columns);
    } else {
      add_joint(model, data, e, columns);
    }
  }
  if (!mirror_upper<S>(data.mass_matrix)) require_finite_matrix<S>(function, "M", data.mass_matrix);
}

#define CUTTLE_INSTANTIATE(S) template void composite_mass_matrix(const ModelT<S>&, DataT<S>&, const char*);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
