#pragma once

#include "cuttle/algorithms/constraints.h"

namespace cuttle {

/// Adds d(sum J_n^T w_n)/dq to `result` (nv x nv): the wrenches that stand in data.wrench, one a node, stay constant in
/// the axes of their nodes while the robot moves. Only nodes of constraints.on_path may carry any. After an outward
/// sweep with blocks; what that made, and data.wrench, is used up.
/// @throws ConfigurationError naming the link.
template <typename S>
void add_wrench_derivative(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints, const S* q,
                           MatrixXT<S>& result);

}  // namespace cuttle
