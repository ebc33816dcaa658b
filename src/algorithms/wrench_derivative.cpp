#include "algorithms/wrench_derivative.h"

#include <algorithm>

#include "algorithms/sweep.h"

// With W the sum of the wrenches beyond an edge, in the axes of its child, the edge's force is F_i = S_i . W. W does
// not change with the edge's own coordinates or with those nearer to the base. Seen from there, a coordinate j turns
// the wrench with what it moves: dW = -ad_{S_j}^T W at its child. So dF_i/dq_j = S_i . dW for every edge i between j
// and the base, and W . dS_i/dq_j within an edge.

namespace cuttle {
namespace {

/// dS_i/dq_j . W from the quadratic forms B_i, B_j, B_ij = W . bias under velocities e_i, e_j, e_i + e_j: their sum
/// dS_i/dq_j + dS_j/dq_i is in the forms, their difference is the bracket [S_i, S_j], as both belong to one pose.
template <typename S>
CUTTLE_INLINE S mixed_slope(const S& B_i, const S& B_j, const S& B_ij, const S& bracket) {
  return S(0.5) * (B_ij - B_i - B_j + bracket);
}

/// Adds what the change `w` of a wrench at a node does to the forces of all edges towards the base.
template <typename S>
void carry(const ModelT<S>& model, const DataT<S>& data, int node, WrenchT<S> w, int column, MatrixXT<S>& result) {
  const TopologyT<S>& t = model.topology();
  while (node != 0) {
    const int e = t.parent_edge[node];
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      result(edge.v, column) += sweep::screw_component(t.screws[edge.index], w);
      w = data.parent_child[e].act(w);
    } else if (edge.kind == EdgeKind::joint) {
      for (int i = 0; i < edge.nv; ++i) {
        result(edge.v + i, column) += dot(w, data.joint_motion[edge.index].subspace[i]);
      }
      w = data.parent_child[e].act(w);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const int port = node - edge.child_node;
      const S* J = body.body->port_jacobian(data.workspace(body), port);
      for (int i = 0; i < edge.nv; ++i) result(edge.v + i, column) += dot(w, sweep::column_of(J, edge.nv, i));
      w = sweep::port_pose(body, data, port).act(w);
    }
    node = edge.parent_node;
  }
}

/// Within a joint of several coordinates. On a rotation group the coordinates are velocities in the child's axes: the
/// subspace is constant along them.
template <typename S>
void add_joint_block(const JointT<S>& joint, const Edge& edge, const JointMotionT<S>& motion, const WrenchT<S>& W,
                     const S* q, MatrixXT<S>& result) {
  const int n = edge.nv;
  JointMotionT<S> moved;
  S v[JointMotionT<S>::k_max_velocities] = {}, single[JointMotionT<S>::k_max_velocities];
  const auto form = [&] {
    joint.motion(q + edge.q, v, moved);
    return dot(W, moved.bias);
  };
  for (int i = 0; i < n; ++i) {
    v[i] = S(1.0);
    single[i] = form();
    result(edge.v + i, edge.v + i) += single[i];
    v[i] = S(0.0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      v[i] = v[j] = S(1.0);
      const S both = form();
      v[i] = v[j] = S(0.0);
      const S bracketed = edge.nq == edge.nv ? dot(W, bracket(motion.subspace[i], motion.subspace[j])) : S(0.0);
      result(edge.v + i, edge.v + j) += mixed_slope(single[i], single[j], both, bracketed);
      result(edge.v + j, edge.v + i) += mixed_slope<S>(single[i], single[j], both, -bracketed);
    }
  }
}

/// Within a body, from the accelerations of its ports when its coordinates move without acceleration.
template <typename S>
void add_body_block(const ModelT<S>& model, const DataT<S>& data, ConstraintDataT<S>& constraints, const Edge& edge,
                    const S* q, MatrixXT<S>& result) {
  const BodyEdgeT<S>& body = model.topology().bodies[edge.index];
  const WorkspaceT<S> workspace = data.workspace(body);
  const int n = edge.nv;
  const auto loaded = [&](int k) { return constraints.on_path[edge.child_node + k] != 0; };
  // the brackets first: the sweeps below overwrite the Jacobians of the ports
  for (int k = 0; k < edge.child_count; ++k) {
    if (!loaded(k)) continue;
    const S* J = body.body->port_jacobian(workspace, k);
    const WrenchT<S>& W = data.wrench[edge.child_node + k];
    for (int i = 0; i < n; ++i) {
      const WrenchT<S> turned = bracket_transpose(sweep::column_of(J, n, i), W);
      for (int j = 0; j < i; ++j) {
        const S half = S(0.5) * dot(turned, sweep::column_of(J, n, j));
        result(edge.v + i, edge.v + j) += half;
        result(edge.v + j, edge.v + i) -= half;
      }
    }
  }
  S* v = constraints.velocity.data();
  S* single = constraints.single.data();
  BodyStateT<S> state;
  state.q = q + edge.q, state.v = v, state.a = constraints.acceleration.data();
  std::fill(v, v + n, S(0.0));
  const auto form = [&] {
    sweep::call_body(model, edge, [&] {
      body.body->forward(MotionLevel::acceleration, state, workspace, constraints.motions.data());
    });
    S sum(0.0);
    for (int k = 0; k < edge.child_count; ++k) {
      if (loaded(k)) sum += dot(data.wrench[edge.child_node + k], constraints.motions[k].acceleration);
    }
    return sum;
  };
  for (int i = 0; i < n; ++i) {
    v[i] = S(1.0);
    single[i] = form();
    result(edge.v + i, edge.v + i) += single[i];
    v[i] = S(0.0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      v[i] = v[j] = S(1.0);
      const S slope = mixed_slope(single[i], single[j], form(), S(0.0));
      v[i] = v[j] = S(0.0);
      result(edge.v + i, edge.v + j) += slope;
      result(edge.v + j, edge.v + i) += slope;
    }
  }
}

}  // namespace

template <typename S>
void add_wrench_derivative(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints, const S* q,
                           MatrixXT<S>& result) {
  const TopologyT<S>& t = model.topology();
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::body) {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      bool any_loaded = false;
      for (int k = 0; k < edge.child_count; ++k) {
        if (!constraints.on_path[edge.child_node + k]) continue;
        any_loaded = true;
        const WrenchT<S>& W = data.wrench[edge.child_node + k];
        const S* J = body.body->port_jacobian(data.workspace(body), k);
        const PoseT<S> pose = sweep::port_pose(body, data, k);
        for (int j = 0; j < edge.nv; ++j) {
          const WrenchT<S> change = S(-1.0) * bracket_transpose(sweep::column_of(J, edge.nv, j), W);
          carry(model, data, edge.parent_node, pose.act(change), edge.v + j, result);
        }
        data.wrench[edge.parent_node] += pose.act(W);
      }
      if (any_loaded) add_body_block(model, data, constraints, edge, q, result);
      continue;
    }
    if (!constraints.on_path[edge.child_node]) continue;
    const WrenchT<S> W = data.wrench[edge.child_node];
    const PoseT<S>& pose = data.parent_child[e];
    const auto carry_column = [&](const TwistT<S>& column, int k) {
      const WrenchT<S> change = S(-1.0) * bracket_transpose(column, W);
      carry(model, data, edge.parent_node, pose.act(change), edge.v + k, result);
    };
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const S zero(0.0);
      carry_column({{zero, zero, screw.rotation}, {zero, zero, screw.translation}}, 0);
    } else {
      const JointMotionT<S>& motion = data.joint_motion[edge.index];
      for (int k = 0; k < edge.nv; ++k) carry_column(motion.subspace[k], k);
      add_joint_block(*t.joints[edge.index].joint, edge, motion, W, q, result);
    }
    data.wrench[edge.parent_node] += pose.act(W);
  }
}

#define CUTTLE_INSTANTIATE(S) \
  template void add_wrench_derivative<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, const S*, MatrixXT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
