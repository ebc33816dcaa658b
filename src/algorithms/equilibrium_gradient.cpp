#include "cuttle/algorithms/equilibrium_gradient.h"

#include <Eigen/LU>
#include <algorithm>

#include "algorithms/static_problem.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

/// The robot's own loads at their time, with the components that have other values.
template <typename S>
void rest_wrenches(const ModelT<S>& model, const RestLoadsT<S>& loads, std::vector<ExternalWrenchT<S>>& wrenches) {
  wrenches.clear();
  if (!loads.time) return;
  wrenches.resize(load_wrench_count(model));
  load_wrenches<S>(model, *loads.time, wrenches);
  for (const LoadComponentT<S>& component : loads.components) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < component.load; ++i) first += model.loads()[i].weights.size();
    const std::vector<S>& weights = model.loads()[component.load].weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      wrenches[first + i].wrench[component.component] = weights[i] * component.value;
    }
  }
}

}  // namespace

StaticLoads static_loads(const Model& model, const RestLoads& loads) {
  StaticLoads result;
  result.u = loads.u.size() == 0 ? VectorXd(VectorXd::Zero(model.nu())) : loads.u;
  apply_slack<double>(model, result.u);
  rest_wrenches(model, loads, result.external);
  result.state_loads_at = loads.time;
  return result;
}

VariedRest::VariedRest(const ModelT<ForwardDual>& varied, const Model& plain)
    : model(varied),
      equation(std::make_unique<EquationOfMotionT<ForwardDual>>(varied, timed_wrenches(varied),
                                                                state_layout(varied).without_works(),
                                                                EquationOfMotionT<ForwardDual>::StateLoads(), &plain)),
      data(equation->data()),
      elements(equation->element_data()),
      zero(VectorXT<ForwardDual>::Zero(varied.nv())),
      displacement(VectorXT<ForwardDual>::Zero(varied.nv())) {
  q.setZero(varied.nq());
  y.setZero(varied.nu());
  if (!varied.loops().empty()) constraints.emplace(varied);
}

void VariedRest::take(const RestLoadsT<ForwardDual>& loads) {
  u = loads.u;
  if (u.size() == 0) u.setZero(model.nu());
  clip_slack<ForwardDual>(model, u);
  rest_wrenches(model, loads, wrenches);
}

EquationOfMotionT<ForwardDual>::Rest VariedRest::rest(std::optional<double> time) const {
  return {.q = q,
          .v = zero,
          .a = zero,
          .u = u,
          .states = elements.states,
          .loads = wrenches,
          .time = time,
          .site_start = site_start.empty() ? nullptr : &site_start};
}

struct EquilibriumTangent::Factors {
  StaticEquilibrium equilibrium;
  Eigen::FullPivLU<MatrixXd> tangent;  ///< of forces, then kept rows of loops
  std::vector<int> kept;               ///< rows of the loops
};

EquilibriumTangent::EquilibriumTangent(const Model& model, Data& data, const RestLoads& loads,
                                       const StaticEquilibrium& equilibrium)
    : factors_(std::make_unique<Factors>()) {
  factors_->equilibrium = equilibrium;
  const StaticLoads acting = static_loads(model, loads);
  StaticProblem problem(model, data, loads_of(acting, equilibrium), equilibrium.q, Stepping::imbalance);
  problem.begin(equilibrium.q, 1.0);
  const int nv = model.nv(), kept = problem.kept();
  MatrixXd tangent = MatrixXd::Zero(nv + kept, nv + kept);
  if (kept > 0) {
    factors_->kept = problem.kept_rows();
    tangent.topRightCorner(nv, kept) = problem.jacobian().transpose();
    tangent.bottomLeftCorner(kept, nv) = problem.jacobian();
  }
  tangent.topLeftCorner(nv, nv) = problem.stiffness(problem.kept_of(equilibrium.multipliers));
  factors_->tangent.compute(tangent);
  if (nv > 0 && !factors_->tangent.isInvertible()) {
    throw StaticsError("'" + model.name() +
                       "': found an equilibrium with a singular stiffness, expected one that follows from the robot's "
                       "parameters");
  }
}

EquilibriumTangent::~EquilibriumTangent() = default;
EquilibriumTangent::EquilibriumTangent(EquilibriumTangent&&) noexcept = default;

void EquilibriumTangent::vary(const RestLoadsT<ForwardDual>& loads, VariedRest& result) const {
  const ModelT<ForwardDual>& model = result.model;
  const int nv = model.nv();
  result.take(loads);
  const VectorXT<ForwardDual> at = factors_->equilibrium.q.cast<ForwardDual>();
  result.q = at;
  result.elements.states = factors_->equilibrium.element_states.cast<ForwardDual>();
  result.site_start.clear();
  if (const VectorXd& start = factors_->equilibrium.start; start.size() > 0) {
    const VectorXT<ForwardDual> from = start.cast<ForwardDual>();
    const KinematicsT<ForwardDual>& kinematics = forward_kinematics<ForwardDual>(model, result.data, from);
    result.site_start = result.equation->sites()->frame_poses(kinematics);
  }
  VectorXT<ForwardDual> force = elastic_force<ForwardDual>(model, result.data, at);
  force += gravity_force<ForwardDual>(model, result.data, at);
  force -= result.equation->resting_force(result.rest(loads.time));
  const auto kept = static_cast<Eigen::Index>(factors_->kept.size());
  MatrixXd right = MatrixXd::Zero(nv + kept, k_forward_width);
  if (kept > 0) {
    const auto& residual = constraint_residual<ForwardDual>(model, result.data, *result.constraints, at);
    for (Eigen::Index i = 0; i < kept; ++i) {
      for (int k = 0; k < k_forward_width; ++k) {
        right(nv + i, k) = -residual[factors_->kept[static_cast<std::size_t>(i)]].derivative[k];
      }
    }
    const MatrixXT<ForwardDual>& G = constraint_jacobian<ForwardDual>(model, result.data, *result.constraints, at);
    const VectorXd& lambda = factors_->equilibrium.multipliers;
    for (Eigen::Index row = 0; row < lambda.size(); ++row) {
      for (int i = 0; i < nv; ++i) force[i] += G(row, i) * lambda[row];
    }
  }
  for (int i = 0; i < nv; ++i) {
    for (int k = 0; k < k_forward_width; ++k) right(i, k) = -force[i].derivative[k];
  }
  const MatrixXd change = factors_->tangent.solve(right);
  for (int i = 0; i < nv; ++i) {
    result.displacement[i] = ForwardDual(0.0);
    for (int k = 0; k < k_forward_width; ++k) result.displacement[i].derivative[k] = change(i, k);
  }
  integrate<ForwardDual>(model, at, result.displacement, result.q);
  if (model.nu() > 0) result.y = actuation_coordinates<ForwardDual>(model, result.data, result.q);
  if (!model.elements().empty()) {
    result.equation->resting_force(result.rest(loads.time));
    element_outputs<ForwardDual>(model, k_rest_time, result.u, result.elements);
  }
  forward_kinematics<ForwardDual>(model, result.data, result.q);
}

}  // namespace cuttle
