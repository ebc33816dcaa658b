#include "algorithms/composite_inertia.h"

#include "algorithms/sweep.h"

namespace cuttle {
namespace {

/// Carries `count` columns of momentum (data.carried, axes of `node`) to the root and writes the mass matrix's rows of
/// every ancestor's coordinates, mirrored. Columns belong to velocity coordinates from `first` on.
template <typename S>
void carry_to_root(const ModelT<S>& model, DataT<S>& data, int node, int first, int count) {
  const TopologyT<S>& t = model.topology();
  MatrixXT<S>& M = data.mass_matrix;
  while (node != 0) {
    const int e = t.parent_edge[node];
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      for (int c = 0; c < count; ++c) {
        M(edge.v, first + c) = M(first + c, edge.v) = sweep::screw_component(screw, data.carried[c]);
        data.carried[c] = data.parent_child[e].act(data.carried[c]);
      }
    } else if (edge.kind == EdgeKind::joint) {
      const JointMotionT<S>& motion = data.joint_motion[edge.index];
      for (int c = 0; c < count; ++c) {
        for (int k = 0; k < edge.nv; ++k) {
          M(edge.v + k, first + c) = M(first + c, edge.v + k) = dot(data.carried[c], motion.subspace[k]);
        }
        data.carried[c] = data.parent_child[e].act(data.carried[c]);
      }
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const int port = node - edge.child_node;
      const S* J = body.body->port_jacobian(data.workspace(body), port);
      const PoseT<S> pose = sweep::port_pose(body, data, port);
      for (int c = 0; c < count; ++c) {
        for (int k = 0; k < edge.nv; ++k) {
          M(edge.v + k, first + c) = M(first + c, edge.v + k) = dot(data.carried[c], sweep::column_of(J, edge.nv, k));
        }
        data.carried[c] = pose.act(data.carried[c]);
      }
    }
    node = edge.parent_node;
  }
}

template <typename S>
void add_body(const ModelT<S>& model, DataT<S>& data, const Edge& edge) {
  const TopologyT<S>& t = model.topology();
  const BodyEdgeT<S>& body = t.bodies[edge.index];
  const InertiaBlocksT<S> blocks = data.inertia_blocks(body, edge.nv);
  const int n = edge.nv, v = edge.v;
  MatrixXT<S>& M = data.mass_matrix;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) M(v + i, v + j) = blocks.mass[i * n + j];
    const TwistT<S> c = sweep::column_of(static_cast<const S*>(blocks.coupling), n, i);
    data.carried[i] = {c.angular, c.linear};
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
      for (int i = 0; i <= j; ++i) {
        const S value = dot(momentum, sweep::column_of(J, n, i));
        M(v + i, v + j) += value;
        if (i != j) M(v + j, v + i) = M(v + i, v + j);
      }
      data.carried[j] += base_port.act(momentum);
    }
    total += hanging.in_parent(base_port);
  }
  data.composite[edge.parent_node] += total.in_parent(body.parent_base);
  for (int i = 0; i < n; ++i) data.carried[i] = body.parent_base.act(data.carried[i]);
}

}  // namespace

template <typename S>
void composite_mass_matrix(const ModelT<S>& model, DataT<S>& data) {
  const TopologyT<S>& t = model.topology();
  MatrixXT<S>& M = data.mass_matrix;
  M.setZero();  // coordinates on different branches do not meet
  for (std::size_t n = 0; n < t.nodes.size(); ++n) data.composite[n] = t.nodes[n].inertia;
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::body) {
      add_body(model, data, edge);
    } else {
      const SpatialInertiaT<S>& I = data.composite[edge.child_node];
      if (edge.kind == EdgeKind::screw) {
        const ScrewEdgeT<S>& screw = t.screws[edge.index];
        const WrenchT<S> momentum =
            I * TwistT<S>{{S(0.0), S(0.0), screw.rotation}, {S(0.0), S(0.0), screw.translation}};
        M(edge.v, edge.v) = sweep::screw_component(screw, momentum) + screw.armature;
        data.carried[0] = data.parent_child[e].act(momentum);
      } else {
        const JointMotionT<S>& motion = data.joint_motion[edge.index];
        for (int j = 0; j < edge.nv; ++j) {
          const WrenchT<S> momentum = I * motion.subspace[j];
          for (int i = 0; i <= j; ++i) {
            M(edge.v + i, edge.v + j) = M(edge.v + j, edge.v + i) = dot(momentum, motion.subspace[i]);
          }
          M(edge.v + j, edge.v + j) += t.joints[edge.index].dynamics.armature[j];
          data.carried[j] = data.parent_child[e].act(momentum);
        }
      }
      if (edge.parent_node != 0) data.composite[edge.parent_node] += I.in_parent(data.parent_child[e]);
    }
    carry_to_root(model, data, edge.parent_node, edge.v, edge.nv);
  }
}

#define CUTTLE_INSTANTIATE(S) template void composite_mass_matrix(const ModelT<S>&, DataT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
