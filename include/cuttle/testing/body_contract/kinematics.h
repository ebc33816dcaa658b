#pragma once

#include <limits>
#include <string>

#include "cuttle/bodies/body.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/options.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/workspace.h"

namespace cuttle::contract {

/// Velocities and accelerations of the ports are the exact derivatives of their poses and velocities.
inline void check_exact_motions(Findings& findings, const Body& body, const State<double>& state,
                                const BodyContractOptions& options) {
  const auto motion = [&](double t, MotionLevel level) {
    Workspace<double> workspace(body.workspace_size());
    return forward(body, state.after(t), level, workspace);
  };
  const auto ports = motion(0.0, MotionLevel::acceleration);
  const auto poses_only = motion(0.0, MotionLevel::pose);
  const auto velocities = motion(0.0, MotionLevel::velocity);
  for (int k = 0; k < body.port_count(); ++k) {
    const Findings::Place port(findings, "port " + std::to_string(k));
    const Pose& g = ports[k].base_port;
    const double rounding = 100 * std::numeric_limits<double>::epsilon();
    findings.near(to_eigen(poses_only[k].base_port), to_eigen(g), rounding, 1.0, "pose at level pose");
    findings.near(to_eigen(velocities[k].base_port), to_eigen(g), rounding, 1.0, "pose at level velocity");
    findings.near(to_eigen(velocities[k].velocity), to_eigen(ports[k].velocity), rounding,
                  1.0 + size_of(to_eigen(ports[k].velocity)), "velocity at level velocity");
    const Eigen::Matrix3d R = to_eigen(g.rotation);
    findings.near(R.transpose() * R, Eigen::Matrix3d::Identity(), 100 * std::numeric_limits<double>::epsilon(), 1.0,
                  "rotation of the port");

    const Eigen::Matrix4d rate = derivative(
        [&](double t) -> Eigen::Matrix4d { return to_eigen(motion(t, MotionLevel::pose)[k].base_port); }, options.step);
    const Eigen::Matrix4d twist = to_eigen(g.inverse()) * rate;
    Vector6<double> relative;
    relative << twist(2, 1), twist(0, 2), twist(1, 0), twist(0, 3), twist(1, 3), twist(2, 3);
    const Vector6<double> velocity = to_eigen(g.act_inverse(state.V)) + relative;
    findings.near(to_eigen(ports[k].velocity), velocity, options.tolerance, 1.0 + size_of(velocity), "velocity");

    const Vector6<double> acceleration =
        derivative([&](double t) -> Vector6<double> { return to_eigen(motion(t, MotionLevel::velocity)[k].velocity); },
                   options.step);
    findings.near(to_eigen(ports[k].acceleration), acceleration, options.tolerance, 1.0 + size_of(acceleration),
                  "acceleration");
  }
}

}  // namespace cuttle::contract
