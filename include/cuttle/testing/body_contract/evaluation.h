#pragma once

#include <limits>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/workspace.h"

namespace cuttle::contract {

template <typename S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <typename S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
template <typename S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;

/// Everything that a body makes for one state.
template <typename S>
struct Evaluation {
  std::vector<PortMotionT<S>> ports;
  Vector6<S> base_wrench;
  Vector<S> force;
  Matrix<S> mass;      // M_BB
  Matrix<S> coupling;  // M_0B
  SpatialInertiaT<S> base;
  std::vector<Matrix<S>> jacobians;
  S kinetic_energy;
  Vector3T<S> moment;

  /// [M_00 M_0B; M_B0 M_BB], for (V_0; v).
  Matrix<S> whole() const {
    const Eigen::Index n = mass.rows();
    Matrix<S> M(6 + n, 6 + n);
    M.topLeftCorner(6, 6) = to_eigen(ArticulatedInertiaT<S>::from(base));
    M.topRightCorner(6, n) = coupling;
    M.bottomLeftCorner(n, 6) = coupling.transpose();
    M.bottomRightCorner(n, n) = mass;
    return M;
  }
};

template <typename S>
std::vector<PortMotionT<S>> forward(const BodyT<S>& body, const State<S>& state, MotionLevel level,
                                    Workspace<S>& workspace) {
  std::vector<PortMotionT<S>> ports(body.port_count());
  BodyStateT<S> given = state.get();
  if (level < MotionLevel::acceleration) given.a = nullptr;
  if (level < MotionLevel::velocity) given.v = nullptr;
  body.forward(level, given, workspace.get(), ports.data());
  workspace.finish_call();
  return ports;
}
template <typename S>
void backward(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches,
              Workspace<S>& workspace, Vector6<S>& base, Vector<S>& force) {
  WrenchT<S> wrench;
  force.setConstant(body.coordinate_count(), std::numeric_limits<S>::quiet_NaN());  // to be overwritten
  body.backward(state.get(), wrenches.data(), workspace.get(), wrench, force.data());
  workspace.finish_call();
  base = to_eigen(wrench);
}
template <typename S>
void inertia(const BodyT<S>& body, const State<S>& state, Workspace<S>& workspace, Evaluation<S>& result) {
  const int n = body.coordinate_count();
  using ByRows = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  ByRows mass = ByRows::Constant(n, n, nan), coupling = ByRows::Constant(6, n, nan);
  InertiaBlocksT<S> blocks{mass.data(), coupling.data(), {}};
  body.inertia_blocks(state.get(), workspace.get(), blocks);
  workspace.finish_call();
  result.mass = mass;
  result.coupling = coupling;
  result.base = blocks.base;
  result.jacobians.clear();
  for (int k = 0; k < body.port_count(); ++k) {
    if (n == 0) {
      result.jacobians.emplace_back(6, 0);
    } else {
      result.jacobians.emplace_back(Eigen::Map<const ByRows>(body.port_jacobian(workspace.get(), k), 6, n));
    }
  }
}
/// Calls everything, in an order that `order` (0 .. 3) varies.
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches,
                       Workspace<S>& workspace, int order = 0) {
  Evaluation<S> r;
  r.ports = forward(body, state, MotionLevel::acceleration, workspace);
  const auto energy = [&] {
    r.kinetic_energy = body.kinetic_energy(state.get(), workspace.get());
    workspace.finish_call();
    r.moment = body.mass_moment(workspace.get());
    workspace.finish_call();
  };
  if (order & 1) energy();
  if (order & 2) inertia(body, state, workspace, r);
  backward(body, state, wrenches, workspace, r.base_wrench, r.force);
  if (!(order & 2)) inertia(body, state, workspace, r);
  if (!(order & 1)) energy();
  return r;
}
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches) {
  Workspace<S> workspace(body.workspace_size());
  return evaluate(body, state, wrenches, workspace);
}
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state) {
  return evaluate(body, state, std::vector<WrenchT<S>>(body.port_count()));
}

}  // namespace cuttle::contract
