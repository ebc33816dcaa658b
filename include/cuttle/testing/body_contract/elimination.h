#pragma once

// before anything else of Eigen
// clang-format off
#include "cuttle/eigen_memory.h"
// clang-format on

#include <Eigen/Cholesky>
#include <limits>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/workspace.h"

namespace cuttle::contract {

/// eliminate and back_substitute, checked by putting their acceleration into the inverse dynamics.
inline void check_elimination(Findings& findings, const Body& body, const State<double>& state, Numbers& numbers,
                              bool every_port) {
  const int n = body.coordinate_count(), ports = body.port_count();
  State<double> still = state;
  still.a.setZero(), still.A = {};
  Vector<double> applied(n);
  for (int i = 0; i < n; ++i) applied[i] = numbers();

  std::vector<ArticulatedLoadT<double>> loads(ports);
  std::vector<const ArticulatedLoadT<double>*> at_port(ports);
  for (int k = 0; k < ports; ++k) {
    const Vector3 h = 0.1 * numbers.vector();
    loads[k].inertia = ArticulatedInertia::from(
        SpatialInertia::from_com(1.5 + numbers(), h, SymmetricMatrix3::diagonal(0.02, 0.03, 0.025)));
    loads[k].inertia.subtract_outer(-0.3, numbers.wrench());  // no rigid body's
    loads[k].bias = numbers.wrench();
    at_port[k] = every_port || k % 2 == 1 ? &loads[k] : nullptr;
  }

  for (int j = 0; j <= 6; ++j) {  // six directions of the base and none
    Workspace<double> workspace(body.workspace_size());
    std::vector<PortMotionT<double>> motions = forward(body, still, MotionLevel::acceleration, workspace);
    ArticulatedLoadT<double> base;
    if (!findings.expect(
            body.eliminate(still.get(), applied.data(), at_port.data(), motions.data(), workspace.get(), base),
            "eliminate: found a mass matrix that is not positive definite")) {
      return;
    }
    workspace.finish_call();
    const Matrix6<double> I = to_eigen(base.inertia);
    findings.expect(I.selfadjointView<Eigen::Upper>().ldlt().vectorD().minCoeff() >=
                        -1e3 * std::numeric_limits<double>::epsilon() * size_of(I),
                    "articulated inertia at the base is not semidefinite");

    State<double> moving = still;
    if (j < 6) moving.A[j] = 1.0;
    moving.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    body.back_substitute(moving.A, workspace.get(), moving.a.data(), motions.data());
    workspace.finish_call();

    Workspace<double> other(body.workspace_size());
    const auto expected = forward(body, moving, MotionLevel::acceleration, other);
    std::vector<Wrench> wrenches(ports);
    double scale = 1.0;
    for (int k = 0; k < ports; ++k) {
      const double size = 1.0 + size_of(to_eigen(expected[k].acceleration));
      // the acceleration of a stiffly coupled coordinate is large: its rounding is that of the ports
      findings.near(to_eigen(motions[k].acceleration), to_eigen(expected[k].acceleration),
                    1e5 * std::numeric_limits<double>::epsilon(), size + size_of(moving.a),
                    "acceleration of port " + std::to_string(k));
      if (at_port[k] == nullptr) continue;
      wrenches[k] = loads[k].inertia * expected[k].acceleration + loads[k].bias;
      scale += size_of(to_eigen(wrenches[k])) + size_of(to_eigen(loads[k].inertia)) * size;
    }
    Vector6<double> base_wrench;
    Vector<double> force;
    backward(body, moving, wrenches, other, base_wrench, force);
    Evaluation<double> blocks;
    inertia(body, moving, other, blocks);
    scale += (size_of(blocks.mass) + size_of(blocks.coupling)) * size_of(moving.a) + size_of(blocks.coupling);
    const double rounding =
        1e6 * std::numeric_limits<double>::epsilon();  // solved with a matrix of condition 1e6 or less
    findings.near(force, applied, rounding, scale, "M a + .. = applied for base acceleration " + std::to_string(j));
    findings.near(base_wrench, to_eigen(base.inertia * moving.A + base.bias), rounding, scale,
                  "I A + p for base acceleration " + std::to_string(j));
  }
}

}  // namespace cuttle::contract
