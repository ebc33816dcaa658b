#pragma once

#include "algorithms/sweep.h"

namespace cuttle::sweep {

/// A screw's twist, about and along z, seen from a frame that stands so in the screw's child; frame axes.
template <typename S>
CUTTLE_INLINE TwistT<S> seen_from(const PoseT<S>& child_frame, const ScrewEdgeT<S>& screw) {
  const Matrix3T<S>& R = child_frame.rotation;
  const S x = -(screw.rotation * child_frame.position.y), y = screw.rotation * child_frame.position.x;
  return {screw.rotation * R.row2, x * R.row0 + y * R.row1 + screw.translation * R.row2};
}

/// Jacobian of a frame (6 x nv, angular rows first, frame axes), after an outward sweep with blocks - of the edges that
/// move the frame -, which make the Jacobians of the bodies' ports.
template <typename S>
void frame_columns(const ModelT<S>& model, const DataT<S>& data, const FrameT<S>& frame, MatrixXT<S>& J) {
  const TopologyT<S>& t = model.topology();
  J.setZero();
  const auto set = [&](int column, const TwistT<S>& twist) {
    for (int i = 0; i < 6; ++i) J(i, column) = twist[i];
  };
  PoseT<S> node_frame = frame.node_frame;
  for (int node = frame.node; node != 0;) {
    const int e = t.parent_edge[node];
    const Edge& edge = t.edges[e];
    if (edge.kind == EdgeKind::screw) {
      set(edge.v, seen_from(node_frame, t.screws[edge.index]));
      node_frame = data.parent_child[e] * node_frame;
    } else if (edge.kind == EdgeKind::joint) {
      for (int k = 0; k < edge.nv; ++k) {
        set(edge.v + k, node_frame.act_inverse(data.joint_motion[edge.index].subspace[k]));
      }
      node_frame = data.parent_child[e] * node_frame;
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      const int port = node - edge.child_node;
      const S* J_port = body.body->port_jacobian(data.workspace(body), port);
      for (int k = 0; k < edge.nv; ++k) {
        set(edge.v + k, node_frame.act_inverse(column_of(J_port, edge.nv, k)));
      }
      node_frame = port_pose(body, data, port) * node_frame;
    }
    node = edge.parent_node;
  }
}

}  // namespace cuttle::sweep
