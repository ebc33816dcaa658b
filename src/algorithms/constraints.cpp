#include "cuttle/algorithms/constraints.h"

#include <algorithm>

#include "algorithms/frame_columns.h"
#include "algorithms/loop_rows.h"
#include "algorithms/sweep.h"
#include "algorithms/wrench_derivative.h"

namespace cuttle {
namespace {

template <typename S>
void check(const ModelT<S>& model, const char* function, const DataT<S>& data, const ConstraintDataT<S>& constraints,
           const VectorInT<S>& q) {
  check_call(model, function, data, q);
  check_workspace(model, function, "constraints", constraints);
}

/// @throws OverflowError naming the row of a result, one a row of the loops, that is not finite.
template <typename S>
void require_finite_rows(const ModelT<S>& model, const char* function, const char* name, const VectorXT<S>& x) {
  require_finite_result(function, x.data(), x.size(), [&](Eigen::Index i) {
    return std::string(name) + "[" + std::to_string(i) + "] (" + model.constraint_info()[i].name + ")";
  });
}

template <typename S>
void check_multipliers(const ModelT<S>& model, const char* function, const VectorInT<S>& lambda) {
  if (lambda.size() != model.constraint_count()) {
    throw ArgumentError(std::string(function) + ": lambda: found size " + std::to_string(lambda.size()) +
                        ", expected " + std::to_string(model.constraint_count()) + " (rows of the loops of '" +
                        model.name() + "')");
  }
  if constexpr (!k_has_lanes<S>) require_finite_argument<S>(function, "lambda", lambda);
}

/// Poses of the loops' frames from those of the nodes, and with them the residuals.
template <typename S>
void place_loops(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints) {
  sweep::world_poses(model, data);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    auto& ends = constraints.ends[i];
    ends.world_a = data.kinematics.pose(loop.a), ends.world_b = data.kinematics.pose(loop.b);
    loop_residual(loop, LoopPlaceT<S>(loop, ends.world_a, ends.world_b), constraints.residual.data() + loop.row);
  }
}

/// A twist that stands in a column.
template <typename S>
TwistT<S> twist_at(const MatrixXT<S>& J, int k) {
  return {{J(0, k), J(1, k), J(2, k)}, {J(3, k), J(4, k), J(5, k)}};
}
template <typename S>
void set_column(MatrixXT<S>& m, int k, const WrenchT<S>& w) {
  for (int i = 0; i < 6; ++i) m(i, k) = w[i];
}

/// Calls use(row, load) with each row of a loop, as the multiplier that is 1 there.
template <typename S, typename Use>
void for_each_row(const BoundLoopT<S>& loop, const LoopPlaceT<S>& place, const Use& use) {
  S unit[8] = {S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0)};
  for (int k = 0; k < loop.row_count(); ++k) {
    unit[k] = S(1.0);
    use(loop.row + k, LoopLoadT<S>(loop, place, unit));
    unit[k] = S(0.0);
  }
}

/// G and the residuals, after an outward sweep with blocks.
template <typename S>
void fill_jacobian(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints) {
  place_loops(model, data, constraints);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    auto& ends = constraints.ends[i];
    sweep::frame_columns(model, data, loop.a, ends.jacobian_a);
    sweep::frame_columns(model, data, loop.b, ends.jacobian_b);
    for_each_row(loop, LoopPlaceT<S>(loop, ends.world_a, ends.world_b), [&](int row, const LoopLoadT<S>& load) {
      const LoopWrenchesT<S> w = load.wrenches();
      for (int k = 0; k < model.nv(); ++k) {
        constraints.jacobian(row, k) = dot(w.a, twist_at(ends.jacobian_a, k)) + dot(w.b, twist_at(ends.jacobian_b, k));
      }
    });
  }
}

/// Marks the nodes between the loops' frames and the root.
template <typename S>
void mark_paths(const ModelT<S>& model, ConstraintDataT<S>& constraints) {
  const TopologyT<S>& t = model.topology();
  std::fill(constraints.on_path.begin(), constraints.on_path.end(), 0);
  for (const BoundLoopT<S>& loop : model.loops()) {
    for (int node : {loop.a.node, loop.b.node}) {
      for (; node != 0; node = t.edges[t.parent_edge[node]].parent_node) constraints.on_path[node] = 1;
    }
  }
}

/// Puts the wrenches of the multipliers on the nodes.
template <typename S>
void fill_wrenches(const ModelT<S>& model, DataT<S>& data, const ConstraintDataT<S>& constraints, const S* lambda) {
  std::fill(data.wrench.begin(), data.wrench.end(), WrenchT<S>::zero());
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    const auto& ends = constraints.ends[i];
    const LoopPlaceT<S> place(loop, ends.world_a, ends.world_b);
    const LoopWrenchesT<S> w = LoopLoadT<S>(loop, place, lambda + loop.row).wrenches();
    data.wrench[loop.a.node] += loop.a.node_frame.act(w.a);
    data.wrench[loop.b.node] += loop.b.node_frame.act(w.b);
  }
}

}  // namespace

template <typename S>
ConstraintDataT<S>::ConstraintDataT(const ModelT<S>& model) : stamp_(model.stamp()) {
  const WorkspaceSizes& s = stamp_->sizes;
  const int m = s.constraints, nv = s.nv;
  residual.setZero(m), bias.setZero(m), force.setZero(nv), zero.setZero(nv);
  jacobian.setZero(m, nv), force_derivative.setZero(nv, nv);
  rate_a.setZero(6, nv), rate_b.setZero(6, nv);
  ends.assign(s.loops, {{}, {}, MatrixXT<S>::Zero(6, nv), MatrixXT<S>::Zero(6, nv)});
  on_path.assign(s.nodes, 0);
  motions.resize(s.body_ports);
  for (auto* memory : {&velocity, &acceleration, &single}) memory->assign(s.body_coordinates, S(0.0));
}

template <typename S>
const VectorXT<S>& constraint_residual(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                       VectorInT<S> q) {
  check(model, "constraint_residual", data, constraints, q);
  sweep::outward<MotionLevel::pose, false, false, S>(model, data, q.data(), nullptr, nullptr, {});
  place_loops(model, data, constraints);
  require_finite_rows(model, "constraint_residual", "residual", constraints.residual);
  return constraints.residual;
}

template <typename S>
const MatrixXT<S>& constraint_jacobian(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                       VectorInT<S> q) {
  check(model, "constraint_jacobian", data, constraints, q);
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  fill_jacobian(model, data, constraints);
  require_finite_matrix<S>("constraint_jacobian", "G", constraints.jacobian);
  return constraints.jacobian;
}

template <typename S>
const VectorXT<S>& constraint_bias(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                   VectorInT<S> q, VectorInT<S> v) {
  check(model, "constraint_bias", data, constraints, q);
  check_argument(model, "constraint_bias", "v", v, model.nv());
  sweep::outward<MotionLevel::acceleration, false, false, S>(model, data, q.data(), v.data(), constraints.zero.data(),
                                                             {});
  place_loops(model, data, constraints);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    const auto& ends = constraints.ends[i];
    const auto at = [](const FrameT<S>& frame, const std::vector<TwistT<S>>& nodes) {
      return frame.node_frame.act_inverse(nodes[frame.node]);
    };
    const TwistT<S> V_a = at(loop.a, data.velocity), V_b = at(loop.b, data.velocity);
    const TwistT<S> A_a = at(loop.a, data.acceleration), A_b = at(loop.b, data.acceleration);
    for_each_row(loop, LoopPlaceT<S>(loop, ends.world_a, ends.world_b), [&](int row, const LoopLoadT<S>& load) {
      const LoopWrenchesT<S> w = load.wrenches(), rate = load.rates(V_a, V_b);
      constraints.bias[row] = dot(w.a, A_a) + dot(w.b, A_b) + dot(rate.a, V_a) + dot(rate.b, V_b);
    });
  }
  require_finite_rows(model, "constraint_bias", "bias", constraints.bias);
  return constraints.bias;
}

template <typename S>
const VectorXT<S>& constraint_force(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                    VectorInT<S> q, VectorInT<S> lambda) {
  check(model, "constraint_force", data, constraints, q);
  check_multipliers(model, "constraint_force", lambda);
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  place_loops(model, data, constraints);
  fill_wrenches(model, data, constraints, lambda.data());
  constraints.force.setZero();
  sweep::add_projected_wrenches(model, data, constraints.force.data());
  require_finite_force(model, "constraint_force", "force", constraints.force);
  return constraints.force;
}

template <typename S>
void constraint_wrenches(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints, VectorInT<S> q,
                         VectorInT<S> lambda,
                         typename std::type_identity<std::span<ExternalWrenchT<S>>>::type wrenches) {
  check(model, "constraint_wrenches", data, constraints, q);
  check_multipliers(model, "constraint_wrenches", lambda);
  if (wrenches.size() != 2 * model.loops().size()) {
    throw ArgumentError("constraint_wrenches: wrenches: found size " + std::to_string(wrenches.size()) + ", expected " +
                        std::to_string(2 * model.loops().size()) + " (two a loop)");
  }
  sweep::outward<MotionLevel::pose, false, false, S>(model, data, q.data(), nullptr, nullptr, {});
  place_loops(model, data, constraints);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    const auto& ends = constraints.ends[i];
    const LoopPlaceT<S> place(loop, ends.world_a, ends.world_b);
    const LoopWrenchesT<S> w = LoopLoadT<S>(loop, place, lambda.data() + loop.row).wrenches();
    wrenches[2 * i] = {loop.a, w.a, Axes::body};
    wrenches[2 * i + 1] = {loop.b, w.b, Axes::body};
    for (const WrenchT<S>* wrench : {&w.a, &w.b}) {
      for (int k = 0; k < 6; ++k) finite_result<S>("constraint_wrenches", loop.name.c_str(), (*wrench)[k]);
    }
  }
}

template <typename S>
const MatrixXT<S>& constraint_wrench_derivative(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                                VectorInT<S> q, VectorInT<S> lambda) {
  check(model, "constraint_wrench_derivative", data, constraints, q);
  check_multipliers(model, "constraint_wrench_derivative", lambda);
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  fill_jacobian(model, data, constraints);
  MatrixXT<S>& K = constraints.force_derivative;
  K.setZero();
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<S>& loop = model.loops()[i];
    const auto& ends = constraints.ends[i];
    const LoopPlaceT<S> place(loop, ends.world_a, ends.world_b);
    const LoopLoadT<S> load(loop, place, lambda.data() + loop.row);
    for (int k = 0; k < model.nv(); ++k) {
      const LoopWrenchesT<S> rate = load.rates(twist_at(ends.jacobian_a, k), twist_at(ends.jacobian_b, k));
      set_column(constraints.rate_a, k, rate.a), set_column(constraints.rate_b, k, rate.b);
    }
    K += ends.jacobian_a.transpose().lazyProduct(constraints.rate_a);  // six terms each: no memory is needed
    K += ends.jacobian_b.transpose().lazyProduct(constraints.rate_b);
  }
  require_finite_matrix<S>("constraint_wrench_derivative", "derivative", K);
  return K;
}

template <typename S>
const MatrixXT<S>& constraint_force_derivative(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                               VectorInT<S> q, VectorInT<S> lambda) {
  check(model, "constraint_force_derivative", data, constraints, q);
  check_multipliers(model, "constraint_force_derivative", lambda);
  // sum J^T w: the wrenches turn in their frames, and the Jacobians change
  constraint_wrench_derivative(model, data, constraints, q, lambda);
  fill_wrenches(model, data, constraints, lambda.data());
  mark_paths(model, constraints);
  add_wrench_derivative(model, data, constraints, q.data(), constraints.force_derivative);
  require_finite_matrix<S>("constraint_force_derivative", "derivative", constraints.force_derivative);
  return constraints.force_derivative;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                         \
  template class ConstraintDataT<S>;                                                                                  \
  template const VectorXT<S>& constraint_residual<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, VectorInT<S>); \
  template const MatrixXT<S>& constraint_jacobian<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, VectorInT<S>); \
  template const VectorXT<S>& constraint_bias<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, VectorInT<S>,      \
                                                 VectorInT<S>);                                                       \
  template const VectorXT<S>& constraint_force<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, VectorInT<S>,     \
                                                  VectorInT<S>);                                                      \
  template void constraint_wrenches<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&, VectorInT<S>, VectorInT<S>,  \
                                       std::span<ExternalWrenchT<S>>);                                                \
  template const MatrixXT<S>& constraint_wrench_derivative<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&,       \
                                                              VectorInT<S>, VectorInT<S>);                            \
  template const MatrixXT<S>& constraint_force_derivative<S>(const ModelT<S>&, DataT<S>&, ConstraintDataT<S>&,        \
                                                             VectorInT<S>, VectorInT<S>);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
