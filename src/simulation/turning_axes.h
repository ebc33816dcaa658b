#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// Small changes dq of joints that turn in space are in child axes, which turn: d(dq)/dt = dv - ad(v) dq.
/// @param use  takes row, column and number of -ad(v), nv x nv.
template <typename Use>
void for_turning_axes(const Model& model, const VectorXd& v, const Use& use) {
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) continue;
    Twist velocity;
    for (int i = 0; i < edge.nv; ++i) velocity[i] = v[edge.v + i];
    for (int row = 0; row < edge.nv; ++row) {
      Wrench unit;
      unit[row] = 1.0;
      const Wrench bracket = gyroscopic_wrench(velocity, unit);
      for (int i = 0; i < edge.nv; ++i) use(edge.v + row, edge.v + i, bracket[i]);
    }
  }
}

}  // namespace cuttle
