#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/tangent.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/exponential.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/options.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/workspace.h"

namespace cuttle::contract {

/// What hangs at a port: a rigid body, in port axes, under a wrench at the port's origin that keeps its direction.
struct PortLoad {
  SpatialInertia inertia;
  Wrench load;  ///< inertial axes, those of the base
};

inline std::vector<PortLoad> random_loads(int count, double mass, Numbers& numbers) {
  std::vector<PortLoad> loads(count);
  for (PortLoad& l : loads) {
    const Vector3 d = numbers.vector();
    l.inertia = SpatialInertia::from_com(
        mass * (1.5 + numbers()), 0.1 * numbers.vector(),
        SymmetricMatrix3::diagonal(1e-2 * mass, 1e-2 * mass, 1e-2 * mass) + SymmetricMatrix3::outer(1e-2 * mass, d));
    l.load = mass * numbers.wrench();
  }
  return loads;
}

/// A direction in which a loaded body is displaced: its coordinates, their rates and accelerations, the twist of its
/// base, and a rotation of its base against the loads, base axes.
struct Direction {
  Vector<double> q, v, a;
  Twist V;
  Vector3 turn;

  explicit Direction(int n) : q(Vector<double>::Zero(n)), v(q), a(q) {}
};

/// Velocity and acceleration of every port, the base's wrench and the generalized force, one after the other, of the
/// body with its loads a step `t` along a direction.
template <typename S>
Vector<S> loaded_outputs(const BodyT<S>& body, const State<double>& state, const Direction& direction,
                         const std::vector<PortLoad>& loads, const S& t, const WorkspaceT<S>& workspace) {
  const int n = body.coordinate_count(), ports = body.port_count();
  const auto moved = [&](double x, double d) { return S(x) + S(d) * t; };
  Vector<S> q(n), v(n), a(n);
  for (int i = 0; i < n; ++i) {
    q[i] = moved(state.q[i], direction.q[i]);
    v[i] = moved(state.v[i], direction.v[i]);
    a[i] = moved(state.a[i], direction.a[i]);
  }
  BodyStateT<S> given{q.data(), v.data(), a.data(), {}, state.A.cast<S>()};
  for (int i = 0; i < 6; ++i) given.base_velocity[i] = moved(state.V[i], direction.V[i]);
  std::vector<PortMotionT<S>> motions(ports);
  body.forward(MotionLevel::acceleration, given, workspace, motions.data());
  const Matrix3T<S> turn = rotation_exponential(t * direction.turn.cast<S>());
  std::vector<WrenchT<S>> wrenches(ports);
  Vector<S> result(12 * ports + 6 + n);
  for (int k = 0; k < ports; ++k) {
    const PortMotionT<S>& m = motions[k];
    const auto inertia = loads[k].inertia.cast<S>();
    const Matrix3T<S> R = turn * m.base_port.rotation;  // of the port in the loads' axes
    const WrenchT<S> load{R.transpose_times(loads[k].load.torque.cast<S>()),
                          R.transpose_times(loads[k].load.force.cast<S>())};
    wrenches[k] = inertia * m.acceleration + gyroscopic_wrench(m.velocity, inertia * m.velocity) - load;
    for (int i = 0; i < 6; ++i) result[12 * k + i] = m.velocity[i], result[12 * k + 6 + i] = m.acceleration[i];
  }
  WrenchT<S> base;
  Vector<S> force(n);
  body.backward(given, wrenches.data(), workspace, base, force.data());
  for (int i = 0; i < 6; ++i) result[12 * ports + i] = base[i];
  for (int i = 0; i < n; ++i) result[12 * ports + 6 + i] = force[i];
  return result;
}

/// What BodyTangentT fills in.
template <typename S>
struct TangentEvaluation {
  using ByRows = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<PortMotionT<S>> motions;
  std::vector<ByRows> jacobian, rate, second;  // of each port
  ByRows force_by_q, force_by_v, mass, base_by_q, base_by_v, coupling, momentum_rate, turn;
  CompositeT<S> composite;
};

template <typename S>
TangentEvaluation<S> evaluate_tangent(const BodyT<S>& body, const State<S>& state, const std::vector<PortLoad>& loads) {
  using ByRows = typename TangentEvaluation<S>::ByRows;
  const int n = body.coordinate_count(), ports = body.port_count();
  Workspace<S> workspace(body.workspace_size());
  Workspace<S> memory({body.tangent()->tangent_memory_size(), 0, 0});
  const auto finish_call = [&] { workspace.finish_call(), memory.finish_call(); };
  const auto nan = [](int rows, int columns) {  // to be overwritten
    return ByRows::Constant(rows, columns, std::numeric_limits<S>::quiet_NaN());
  };
  TangentEvaluation<S> r;
  r.motions = forward(body, state, MotionLevel::acceleration, workspace);
  r.jacobian.assign(ports, nan(6, n)), r.rate = r.second = r.jacobian;
  std::vector<PortTangentT<S>> tangents;
  tangents.reserve(static_cast<std::size_t>(ports));
  for (int k = 0; k < ports; ++k) tangents.push_back({r.jacobian[k].data(), r.rate[k].data(), r.second[k].data()});
  body.tangent()->tangent_outward(state.get(), workspace.get(), memory.get().persistent, tangents.data());
  finish_call();
  std::vector<CompositeT<S>> composites(ports);
  for (int k = 0; k < ports; ++k) {
    const PortMotionT<S>& m = r.motions[k];
    const PoseT<S>& g = m.base_port;
    const auto inertia = loads[k].inertia.cast<S>();
    const auto load = loads[k].load.cast<S>();
    CompositeT<S>& c = composites[k];
    c.inertia = inertia.in_parent(g);
    c.rate = momentum_rate(c.inertia, g.act(m.velocity));
    c.wrench = g.act(inertia * m.acceleration + gyroscopic_wrench(m.velocity, inertia * m.velocity)) -
               WrenchT<S>{load.torque + cross(g.position, load.force), load.force};
    // a load that turned with the part by d would change by d x load: less (d x torque + p x (d x force); d x force)
    using M = Matrix3T<S>;
    c.turn.vector = load.force;
    c.turn.matrix = S(-1.0) * (M::skew(load.torque) + M::skew(g.position) * M::skew(load.force));
  }
  r.force_by_q = r.force_by_v = r.mass = nan(n, n);
  r.base_by_q = r.base_by_v = r.coupling = nan(6, n);
  r.momentum_rate = r.turn = nan(3, n);
  BodyDerivativesT<S> out{r.force_by_q.data(),    r.force_by_v.data(), r.mass.data(),
                          r.base_by_q.data(),     r.base_by_v.data(),  r.coupling.data(),
                          r.momentum_rate.data(), r.turn.data(),       {}};
  body.tangent()->tangent_inward(state.get(), composites.data(), workspace.get(), memory.get().persistent, out);
  finish_call();
  r.composite = out.composite;
  return r;
}

/// @param slope  derivative of loaded_outputs in a direction.
template <typename Slope>
void check_tangent(Findings& findings, const TangentEvaluation<double>& found, const State<double>& state,
                   const Slope& slope, double tolerance) {
  using Column = Eigen::VectorXd;
  const int n = static_cast<int>(state.q.size()), ports = static_cast<int>(found.motions.size());
  const auto twist = [](const Column& x) { return Twist{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; };
  Eigen::MatrixXd by_q(12 * ports + 6 + n, n), by_v = by_q, by_a = by_q;
  for (int k = 0; k < n; ++k) {
    Direction q(n), v(n), a(n);
    q.q[k] = v.v[k] = a.a[k] = 1.0;
    by_q.col(k) = slope(q), by_v.col(k) = slope(v), by_a.col(k) = slope(a);
  }
  const auto near = [&](const auto& x, const auto& y, const std::string& what) {
    findings.near(x, y, tolerance, 1e-3 + size_of(y), what);
  };
  const auto rows = [n](const Eigen::MatrixXd& all, int first, int count) -> Eigen::MatrixXd {
    if (n == 0) return Eigen::MatrixXd(count, 0);  // a matrix without columns has no storage to point into
    return all.middleRows(first, count);
  };
  for (int p = 0; p < ports; ++p) {
    const std::string port = " at port " + std::to_string(p);
    const Pose& g = found.motions[p].base_port;
    Eigen::MatrixXd J(6, n), rate(6, n), q(12, n), v(12, n);
    for (int k = 0; k < n; ++k) {
      const Twist J1 = g.act_inverse(twist(found.rate[p].col(k))), s = g.act_inverse(twist(found.jacobian[p].col(k)));
      const Twist J2 = g.act_inverse(twist(found.second[p].col(k)));
      const Twist& V = found.motions[p].velocity;
      q.col(k) << to_eigen(J1), to_eigen(J2 - bracket(V, J1));
      v.col(k) << to_eigen(s), to_eigen(2.0 * J1 - bracket(V, s));
      J.col(k) = to_eigen(s);
    }
    near(q, rows(by_q, 12 * p, 12), "motion by q" + port);
    near(v, rows(by_v, 12 * p, 12), "motion by v" + port);
    near(J, rows(by_a, 12 * p + 6, 6), "acceleration by a" + port);
  }
  const int base = 12 * ports;
  near(found.base_by_q, rows(by_q, base, 6), "base wrench by q");
  near(found.base_by_v, rows(by_v, base, 6), "base wrench by v");
  near(found.coupling, rows(by_a, base, 6), "base wrench by a");
  near(found.force_by_q, rows(by_q, base + 6, n), "force by q");
  near(found.force_by_v, rows(by_v, base + 6, n), "force by v");
  near(found.mass, rows(by_a, base + 6, n), "force by a");
  for (int i = 0; i < 6; ++i) {
    // a twist of the base at rest of everything else is J' = e and J'' = [V, e]
    Direction direction(n);
    direction.V[i] = 1.0;
    const Column by_base = slope(direction);
    const Twist second = bracket(state.V, direction.V);
    const std::string along = " by base velocity " + std::to_string(i);
    const Wrench wrench = found.composite.inertia * second + found.composite.rate * direction.V.angular;
    near(to_eigen(wrench), by_base.segment(base, 6).eval(), "base wrench" + along);
    Column force = found.coupling.transpose() * to_eigen(second);
    if (i < 3) force += found.momentum_rate.row(i).transpose();
    near(force, by_base.tail(n).eval(), "force" + along);
    if (i >= 3) continue;
    Direction turned(n);
    turned.turn[i] = 1.0;
    const Column by_turn = slope(turned);
    near(to_eigen(found.composite.turn * turned.turn), by_turn.segment(base, 6).eval(), "base wrench by turn");
    near(found.turn.row(i).transpose().eval(), by_turn.tail(n).eval(), "force by turn");
  }
}

/// The body's own derivatives, if it has any, against differences of its motions and forces.
inline void check_own_tangent(Findings& findings, const Body& body, const State<double>& state,
                              const BodyContractOptions& options, Numbers& numbers) {
  if (body.tangent() == nullptr) return;
  const std::vector<PortLoad> loads = random_loads(body.port_count(), body.rest_inertia().mass, numbers);
  Workspace<double> workspace(body.workspace_size());
  const TangentEvaluation<double> found = evaluate_tangent(body, state, loads);
  check_tangent(
      findings, found, state,
      [&](const Direction& direction) {
        return derivative([&](double t) { return loaded_outputs(body, state, direction, loads, t, workspace.get()); },
                          options.step);
      },
      options.tolerance);
  const Evaluation<double> at = evaluate(body, state);
  SpatialInertia inertia = at.base;
  for (std::size_t k = 0; k < loads.size(); ++k) inertia += loads[k].inertia.in_parent(at.ports[k].base_port);
  const Matrix<double> expected = to_eigen(ArticulatedInertia::from(inertia));
  const double rounding = 1e4 * std::numeric_limits<double>::epsilon();
  findings.near(to_eigen(ArticulatedInertia::from(found.composite.inertia)), expected, rounding, size_of(expected),
                "inertia of the composite");
  const Vector<double> base =
      loaded_outputs(body, state, Direction(body.coordinate_count()), loads, 0.0, workspace.get())
          .segment(12 * body.port_count(), 6);
  findings.near(to_eigen(found.composite.wrench), base, rounding, size_of(base) + size_of(expected),
                "wrench of the composite");
}

}  // namespace cuttle::contract
