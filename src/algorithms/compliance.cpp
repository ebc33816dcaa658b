#include "cuttle/algorithms/compliance.h"

#include <Eigen/LU>
#include <algorithm>
#include <string>

#include "algorithms/static_problem.h"
#include "cuttle/algorithms/kinematics.h"
#include "model/check_argument.h"

namespace cuttle {
namespace {

/// Of a pivot beside the largest: what rounding and Newton's residual leave of a stiffness that is zero.
constexpr double k_zero_stiffness = 1e-12;

}  // namespace

bool takes_matrices(const Model& model) {
  return std::all_of(model.links().begin(), model.links().end(),
                     [](const auto& link) { return link.nv - link.joint_nv <= k_most_dense_coordinates; });
}

EquilibriumStiffness equilibrium_stiffness(const Model& model, Data& data, const StaticLoads& loads,
                                           const StaticEquilibrium& equilibrium) {
  check_workspace(model, "equilibrium_stiffness", "data", data);
  check_configuration_argument(model, "equilibrium_stiffness", "equilibrium.q", equilibrium.q);
  if (equilibrium.multipliers.size() != model.constraint_count()) {
    throw ArgumentError("equilibrium_stiffness: equilibrium.multipliers: found size " +
                        std::to_string(equilibrium.multipliers.size()) + ", expected " +
                        std::to_string(model.constraint_count()) + " (rows of the loops of '" + model.name() + "')");
  }
  require_few_coordinates(model, "equilibrium_stiffness");
  check_static_loads(model, "equilibrium_stiffness", loads);
  StaticProblem problem(model, data, loads_of(loads, equilibrium), equilibrium.q, Stepping::imbalance);
  problem.begin(equilibrium.q, 1.0);
  const VectorXd lambda = problem.kept_of(equilibrium.multipliers);
  EquilibriumStiffness result;
  result.motions = problem.linearized(lambda).motions;
  result.stiffness = problem.stiffness(lambda);
  const MatrixXd& Z = result.motions;
  if (Z.cols() == 0) {  // no coordinates, or loops that leave no motion: nothing gives way
    result.flexibility = MatrixXd::Zero(model.nv(), model.nv());
    return result;
  }
  Eigen::FullPivLU<MatrixXd> allowed;
  allowed.setThreshold(k_zero_stiffness);
  allowed.compute(Z.transpose() * result.stiffness * Z);
  result.singular = !allowed.isInvertible();
  if (!result.singular) result.flexibility = Z * allowed.solve(Z.transpose());
  return result;
}

Eigen::Matrix<double, 6, 6> frame_compliance(const Model& model, Data& data, const StaticEquilibrium& equilibrium,
                                             const EquilibriumStiffness& stiffness, const Frame& frame) {
  check_workspace(model, "frame_compliance", "data", data);
  check_configuration_argument(model, "frame_compliance", "equilibrium.q", equilibrium.q);
  check_frame(model, "frame_compliance", "frame", frame);
  if (stiffness.singular) {
    throw StaticsError("frame_compliance: '" + model.name() +
                       "': found an equilibrium with a singular stiffness, expected one in which nothing moves freely");
  }
  if (stiffness.flexibility.rows() != model.nv() || stiffness.flexibility.cols() != model.nv()) {
    throw ArgumentError("frame_compliance: stiffness.flexibility: found size " +
                        std::to_string(stiffness.flexibility.rows()) + " x " +
                        std::to_string(stiffness.flexibility.cols()) +
                        ", expected nv x nv with nv = " + std::to_string(model.nv()) + " of '" + model.name() + "'");
  }
  const Matrix3 R = forward_kinematics<double>(model, data, equilibrium.q).pose(frame).rotation;
  Eigen::Matrix<double, 6, 6> world_frame = Eigen::Matrix<double, 6, 6>::Zero();  // turns a twist at the origin
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) world_frame(i, k) = world_frame(3 + i, 3 + k) = R(i, k);
  }
  const MatrixXd J = world_frame * frame_jacobian<double>(model, data, equilibrium.q, frame);
  return J * stiffness.flexibility * J.transpose();
}

}  // namespace cuttle
