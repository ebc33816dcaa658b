#include "cuttle/algorithms/derivatives.h"

#include "algorithms/dense_kernels.h"
#include "algorithms/derivative_sweep.h"
#include "algorithms/node_wrenches.h"
#include "algorithms/sweep.h"
#include "algorithms/transmissions.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/spatial/logarithm.h"
#include "spatial/number_text.h"

namespace cuttle {

using namespace derivative;

namespace {

using Workspace = DerivativeData::Workspace;

/// Derivatives of a force or a motion by the coordinates of a quaternion joint, so far those along a moving frame:
/// where the joint turns by e, its twist then changes by [v, e] and d/dt of that. From here on the components of v and
/// a are held instead.
void hold_velocities(const Edge& edge, const double* v, const double* a, MatrixXd& by_q, MatrixXd& by_v,
                     const MatrixXd& by_a) {
  const Twist twist = twist_of(v + edge.v, edge.nv), acceleration = twist_of(a + edge.v, edge.nv);
  for (int k = 0; k < edge.nv; ++k) {
    const Twist dv = bracket(twist, unit_twist(k));
    for (int m = 0; m < edge.nv; ++m) {
      if (dv[m] != 0.0) by_v.col(edge.v + k) -= dv[m] * by_a.col(edge.v + m);
    }
  }
  for (int k = 0; k < edge.nv; ++k) {
    const Twist dv = bracket(twist, unit_twist(k)), da = bracket(acceleration, unit_twist(k));
    for (int m = 0; m < edge.nv; ++m) {
      if (dv[m] != 0.0) by_q.col(edge.v + k) -= dv[m] * by_v.col(edge.v + m);
      if (da[m] != 0.0) by_q.col(edge.v + k) -= da[m] * by_a.col(edge.v + m);
    }
  }
}

/// Derivatives point to the bodies of their model: equal sizes are not enough.
void check_derivatives(const Model& model, const char* function, const DerivativeData& d) {
  if (d.stamp() != model.stamp()) fail_foreign(function, "derivatives", d.stamp().get(), *model.stamp(), false);
}

void check(const Model& model, const char* function, const Data& data, const DerivativeData& d,
           const VectorInT<double>& q, const VectorInT<double>& v, const VectorInT<double>& a, const Actions& actions) {
  check_call(model, function, data, q);
  check_derivatives(model, function, d);
  check_argument(model, function, "v", v, model.nv());
  check_argument(model, function, "a", a, model.nv());
  if (actions.u != nullptr) {
    if (actions.u->size() != model.nu()) {
      throw ArgumentError(std::string(function) + ": actions.u: found size " + std::to_string(actions.u->size()) +
                          ", expected " + std::to_string(model.nu()) + " (nu of '" + model.name() + "')");
    }
    require_finite_argument<double>(function, "actions.u", *actions.u);
  }
  sweep::check_external<double>(model, function, actions.external);
}

/// @throws OverflowError if one of the derivatives is not finite.
void require_finite_derivatives(const char* function, const DerivativeData& d) {
  require_finite_matrix<double>(function, "by_q", d.by_q);
  require_finite_matrix<double>(function, "by_v", d.by_v);
  require_finite_matrix<double>(function, "by_a", d.by_a);
}

/// Responses row by row, for lanes.
void gather_responses(Workspace& w) {
  const long s = w.response_stride;
  double* to = w.response_rows.data();
  for (const CoordinateResponse& r : w.response) {
    for (int i = 0; i < 6; ++i) to[i * s] = r.by_second[i];
    for (int i = 0; i < 3; ++i) to[(6 + i) * s] = r.by_rate[i], to[(9 + i) * s] = r.by_turn[i];
    ++to;
  }
}

/// Derivatives of what inertia and gravity make, along moving frames (see hold_velocities).
void inertial_derivatives(const Model& model, Data& data, DerivativeData& d, const VectorInT<double>& q,
                          const VectorInT<double>& v, const VectorInT<double>& a, const Actions& actions) {
  Workspace& w = d.workspace();
  if (model.topology().branches) {  // coordinates of different branches do not meet below
    for (MatrixXd* m : {&d.by_q, &d.by_v, &d.by_a}) m->setZero();
  }
  const bool turn = sweep_both_ways(model, data, w, w.in_matrices(d), q, v, a, actions);
  const PairKernels pairs = pair_kernels(turn);
  const long nv = model.nv();
  const auto column = [&](int k, int first_row) -> DerivativeColumns {
    const long at = k * nv + first_row;
    return {d.by_q.data() + at, d.by_v.data() + at, d.by_a.data() + at};
  };
  gather_responses(w);
  const long s = w.response_stride;
  const double* rows = w.response_rows.data();
  const TopologyT<double>& t = model.topology();
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    t.for_each_run(edge.parent_node, [&](const ColumnRun& run) {
      const ColumnRows inner{w.jacobian.data() + run.slot, w.rate.data() + run.slot, w.second.data() + run.slot,
                             w.stride};
      for (int k = 0; k < edge.nv; ++k)
        pairs.by_outer(inner, run.count, w.response[edge.v + k], column(edge.v + k, run.v));
    });
    for (int i = 0; i < edge.child_count * edge.nv; ++i) {
      const int slot = t.first_slot[e] + i, inner = edge.v + i % edge.nv;
      const Twist J = w.twist(w.jacobian, slot), rate = w.twist(w.rate, slot), second = w.twist(w.second, slot);
      for (const CoordinateRun& run : w.moved[slot]) {
        const double* outer = rows + run.v;
        pairs.by_inner({outer, outer + 6 * s, outer + 9 * s, w.response_stride}, run.count, J, rate, second,
                       column(inner, run.v));
      }
    }
  }
}

}  // namespace

void inverse_dynamics_derivatives(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> a, const Actions& actions) {
  check(model, "inverse_dynamics_derivatives", data, d, q, v, a, actions);
  require_few_coordinates(model, "inverse_dynamics_derivatives");
  inertial_derivatives(model, data, d, q, v, a, actions);
  for (const Edge& edge : model.topology().edges) {
    if (has_quaternion(edge)) hold_velocities(edge, v.data(), a.data(), d.by_q, d.by_v, d.by_a);
  }
  add_elasticity(model, d.workspace(), d.workspace().in_matrices(d), q.data(), v.data());
  if (actions.u != nullptr && actions.u->size() > 0)
    subtract_transmission_slope(model, TransmissionSet::actuators, d, q, *actions.u, d.by_q);
  require_finite_derivatives("inverse_dynamics_derivatives", d);
}

const MatrixXd& coriolis_matrix(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                VectorInT<double> v) {
  check(model, "coriolis_matrix", data, d, q, v, data.zero, {});
  require_few_coordinates(model, "coriolis_matrix");
  inertial_derivatives(model, data, d, q, v, data.zero, {});
  d.coriolis_matrix = 0.5 * d.by_v;
  require_finite_matrix<double>("coriolis_matrix", "C", d.coriolis_matrix);
  return d.coriolis_matrix;
}

const VectorXd& inverse_dynamics_tangent(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                         VectorInT<double> v, VectorInT<double> a, VectorInT<double> dq,
                                         VectorInT<double> dv, VectorInT<double> da, const Actions& actions) {
  check(model, "inverse_dynamics_tangent", data, d, q, v, a, actions);
  check_argument(model, "inverse_dynamics_tangent", "dq", dq, model.nv());
  check_argument(model, "inverse_dynamics_tangent", "dv", dv, model.nv());
  check_argument(model, "inverse_dynamics_tangent", "da", da, model.nv());
  require_few_coordinates(model, "inverse_dynamics_tangent");
  Workspace& w = d.workspace();
  sweep_both_ways(model, data, w, w.in_matrices(d), q, v, a, actions);
  const TopologyT<double>& t = model.topology();
  w.dv = dv, w.da = da;
  for (const Edge& edge : t.edges) {
    if (!has_quaternion(edge)) continue;
    const Twist step = twist_of(dq.data() + edge.v, edge.nv), twist = twist_of(v.data() + edge.v, edge.nv);
    const Twist dv_moving = twist_of(dv.data() + edge.v, edge.nv) - bracket(twist, step);
    const Twist lost = bracket(twist_of(a.data() + edge.v, edge.nv), step) + bracket(twist, dv_moving);
    for (int k = 0; k < edge.nv; ++k) w.dv[edge.v + k] = dv_moving[k], w.da[edge.v + k] -= lost[k];
  }
  w.displacement_along[0] = w.rate_along[0] = w.second_along[0] = {};
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    for (int p = 0; p < edge.child_count; ++p) {
      Twist z = w.displacement_along[edge.parent_node], rate = w.rate_along[edge.parent_node],
            second = w.second_along[edge.parent_node];
      for (int k = 0; k < edge.nv; ++k) {
        const int slot = t.first_slot[e] + p * edge.nv + k, i = edge.v + k;
        const Twist J = w.twist(w.jacobian, slot), J_rate = w.twist(w.rate, slot);
        z += dq[i] * J;
        rate += dq[i] * J_rate + w.dv[i] * J;
        second += dq[i] * w.twist(w.second, slot) + (2.0 * w.dv[i]) * J_rate + w.da[i] * J;
      }
      w.displacement_along[edge.child_node + p] = z;
      w.rate_along[edge.child_node + p] = rate, w.second_along[edge.child_node + p] = second;
    }
  }
  // what moves the base, the edge's own coordinates, and what those further out ask for
  for (Wrench& wrench : w.wrench_along) wrench = {};
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    const int parent = edge.parent_node;
    for (int k = 0; k < edge.nv; ++k) {
      const int row = edge.v + k;
      const CoordinateResponse& r = w.response[row];
      double sum = dot(r.by_second, w.second_along[parent]) + dot(r.by_rate, w.rate_along[parent].angular) +
                   dot(r.by_turn, w.displacement_along[parent].angular);
      for (int i = 0; i < edge.nv; ++i) {
        const int column = edge.v + i;
        sum +=
            d.by_q(row, column) * dq[column] + d.by_v(row, column) * w.dv[column] + d.by_a(row, column) * w.da[column];
      }
      for (int p = 0; p < edge.child_count; ++p) {
        sum += dot(w.wrench_along[edge.child_node + p], w.twist(w.jacobian, t.first_slot[e] + p * edge.nv + k));
      }
      d.tangent[row] = sum;
    }
    Wrench& inwards = w.wrench_along[parent];
    for (int p = 0; p < edge.child_count; ++p) inwards += w.wrench_along[edge.child_node + p];
    for (int k = 0; k < edge.nv; ++k) {
      const int i = edge.v + k;
      const CoordinateResponse& r = w.response[i];
      inwards += dq[i] * r.wrench_by_q + w.dv[i] * r.wrench_by_v + w.da[i] * r.by_second;
    }
  }
  for (const Edge& edge : t.edges) {
    for (MatrixXd* m : {&d.by_q, &d.by_v, &d.by_a}) m->block(edge.v, edge.v, edge.nv, edge.nv).setZero();
  }
  add_elasticity(model, w, w.in_matrices(d), q.data(), v.data());
  for (const Edge& edge : t.edges) {
    const auto block = [&edge](const MatrixXd& m) { return m.block(edge.v, edge.v, edge.nv, edge.nv); };
    auto tangent = d.tangent.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_q) * dq.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_v) * dv.segment(edge.v, edge.nv);
    tangent.noalias() += block(d.by_a) * da.segment(edge.v, edge.nv);
  }
  if (actions.u != nullptr && actions.u->size() > 0) {
    d.by_q.setZero();
    subtract_transmission_slope(model, TransmissionSet::actuators, d, q, *actions.u, d.by_q);
    d.tangent.noalias() += d.by_q * dq;
  }
  require_finite_force(model, "inverse_dynamics_tangent", "tangent", d.tangent);
  return d.tangent;
}

void forward_dynamics_derivatives(const Model& model, Data& data, DerivativeData& d, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> tau, const Actions& actions) {
  if (actions.gravity != 1.0) {
    throw ArgumentError("forward_dynamics_derivatives: actions.gravity: found " + number_text(actions.gravity) +
                        ", expected 1");
  }
  check(model, "forward_dynamics_derivatives", data, d, q, v, tau, actions);
  VectorXd& applied = d.workspace().applied;
  applied = tau;
  if (actions.u != nullptr && actions.u->size() > 0) {
    applied += actuation_force<double>(model, data, q, *actions.u);
  }
  d.workspace().a = forward_dynamics<double>(model, data, q, v, applied, actions.external);
  inverse_dynamics_derivatives(model, data, d, q, v, d.workspace().a, actions);
  data.a = d.workspace().a;
  const DenseKernels kernels = dense_kernels();
  const int nv = model.nv();
  MatrixXd& work = d.workspace().dense;  // two matrices
  if (!kernels.invert(d.by_a.data(), nv, work.data())) {
    throw SingularMassError("forward_dynamics_derivatives: the mass matrix of '" + model.name() +
                            "' is not positive definite to rounding");
  }
  for (MatrixXd* by : {&d.by_q, &d.by_v}) {
    std::copy_n(by->data(), by->size(), work.data());
    kernels.multiply_negative(d.by_a.data(), work.data(), by->data(), nv);
  }
  require_finite_derivatives("forward_dynamics_derivatives", d);
}

void frame_derivatives(const Model& model, DerivativeData& d, const Frame& frame, FrameDerivatives& result) {
  check_derivatives(model, "frame_derivatives", d);
  check_frame(model, "frame_derivatives", "frame", frame);
  const Workspace& w = d.workspace();
  const Pose pose = w.pose[frame.node] * frame.node_frame;
  const Twist V = pose.act_inverse(w.velocity[frame.node]);
  for (MatrixXd* m : {&result.jacobian, &result.velocity_by_q, &result.acceleration_by_q, &result.acceleration_by_v}) {
    if (m->cols() != model.nv()) {
      throw ArgumentError("frame_derivatives: result: found matrices of " + std::to_string(m->cols()) +
                          " columns, expected " + std::to_string(model.nv()) + " (nv of '" + model.name() + "')");
    }
    m->setZero();
  }
  const auto store = [](MatrixXd& m, int column, const Twist& t) {
    for (int r = 0; r < 6; ++r) m(r, column) = t[r];
  };
  model.topology().for_each_run(frame.node, [&](const ColumnRun& run) {
    for (int i = 0; i < run.count; ++i) {
      const Twist J = pose.act_inverse(w.twist(w.jacobian, run.slot + i));
      const Twist rate = pose.act_inverse(w.twist(w.rate, run.slot + i));
      store(result.jacobian, run.v + i, J);
      store(result.velocity_by_q, run.v + i, rate);
      store(result.acceleration_by_q, run.v + i, pose.act_inverse(w.twist(w.second, run.slot + i)) - bracket(V, rate));
      store(result.acceleration_by_v, run.v + i, 2.0 * rate - bracket(V, J));
    }
  });
  for (const Edge& edge : model.topology().edges) {
    if (!has_quaternion(edge)) continue;
    hold_velocities(edge, w.v.data(), w.a.data(), result.acceleration_by_q, result.acceleration_by_v, result.jacobian);
    const Twist twist = twist_of(w.v.data() + edge.v, edge.nv);
    for (int k = 0; k < edge.nv; ++k) {
      const Twist dv = bracket(twist, unit_twist(k));
      for (int m = 0; m < edge.nv; ++m) {
        if (dv[m] != 0.0) result.velocity_by_q.col(edge.v + k) -= dv[m] * result.jacobian.col(edge.v + m);
      }
    }
  }
  for (const MatrixXd* m : {&result.velocity_by_q, &result.acceleration_by_q, &result.acceleration_by_v}) {
    require_finite_matrix<double>("frame_derivatives", "result", *m);
  }
}

}  // namespace cuttle
