#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// The displacement dv (nv, velocity coordinates) that a change of the configuration's coordinates is: the inverse of
/// configuration_rate. What changes a quaternion along itself displaces nothing.
/// @param q, change  nq.
inline void displacement(const Model& model, const VectorXd& q, VectorInT<double> change, VectorOutT<double> dv) {
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) {
      dv.segment(edge.v, edge.nv) = change.segment(edge.q, edge.nq);
      continue;
    }
    const int free = edge.nv - 3;  // coordinates of a position before the quaternion
    const int first = edge.q + free;
    const Quaternion turn{q[first], q[first + 1], q[first + 2], q[first + 3]};
    const Quaternion turned =
        turn.conjugate() * Quaternion{change[first], change[first + 1], change[first + 2], change[first + 3]};
    dv.segment(edge.v, 3) << 2.0 * turned.x, 2.0 * turned.y, 2.0 * turned.z;
    if (free == 0) continue;
    const Vector3 moved =
        turn.matrix().transpose_times(Vector3{change[edge.q], change[edge.q + 1], change[edge.q + 2]});
    dv.segment(edge.v + 3, 3) << moved[0], moved[1], moved[2];
  }
}

}  // namespace cuttle
