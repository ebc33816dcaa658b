#include "cuttle/algorithms/equilibrium_gradient.h"

#include <algorithm>
#include <cmath>

#include "algorithms/rest_tangent.h"
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

void require_solution(const Model& model, const RestTangent& tangent) {
  if (!tangent.is_singular()) return;
  throw StaticsError("'" + model.name() +
                     "': found an equilibrium with a singular stiffness, expected one that follows from the robot's "
                     "parameters");
}

/// Friction counts from a start whose loops were closed: where they have to be closed anew, nobody knows how it moves.
void require_unmoved_loops(VariedRest& varied, const VectorXT<ForwardDual>& start) {
  constexpr double k_unmoved = 1e-9;  // [m, rad] for a change of the number by 1
  const ModelT<ForwardDual>& model = varied.model;
  if (model.loops().empty()) return;
  const auto& residual = constraint_residual<ForwardDual>(model, varied.data, *varied.constraints, start);
  for (Eigen::Index i = 0; i < residual.size(); ++i) {
    for (int k = 0; k < k_forward_width; ++k) {
      if (std::abs(residual[i].derivative[k]) <= k_unmoved) continue;
      throw ArgumentError("derivatives of an equilibrium: found a number that moves the closed loops of '" +
                          model.name() +
                          "', while friction of its contacts counts from a start with closed loops, "
                          "expected statics with `friction: none`, or a number of what acts");
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
  Factors(const Model& model, Data& data, const StaticLoads& loads, const StaticEquilibrium& its_equilibrium)
      : equilibrium(its_equilibrium), tangent(model, data, loads, its_equilibrium) {}
  StaticEquilibrium equilibrium;
  RestTangent tangent;
};

EquilibriumTangent::EquilibriumTangent(const Model& model, Data& data, const RestLoads& loads,
                                       const StaticEquilibrium& equilibrium)
    : factors_(std::make_unique<Factors>(model, data, static_loads(model, loads), equilibrium)) {
  require_solution(model, factors_->tangent);
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
    if (factors_->equilibrium.site_states.any()) require_unmoved_loops(result, from);
    const KinematicsT<ForwardDual>& kinematics = forward_kinematics<ForwardDual>(model, result.data, from);
    result.site_start = result.equation->sites()->frame_poses(kinematics);
  }
  VectorXT<ForwardDual> force = elastic_force<ForwardDual>(model, result.data, at);
  force += gravity_force<ForwardDual>(model, result.data, at);
  force -= result.equation->resting_force(result.rest(loads.time));
  const std::vector<int>& kept_rows = factors_->tangent.kept_rows();
  const auto kept = static_cast<Eigen::Index>(kept_rows.size());
  MatrixXd right = MatrixXd::Zero(nv + kept, k_forward_width);
  if (kept > 0) {
    const auto& residual = constraint_residual<ForwardDual>(model, result.data, *result.constraints, at);
    for (Eigen::Index i = 0; i < kept; ++i) {
      for (int k = 0; k < k_forward_width; ++k) {
        right(nv + i, k) = -residual[kept_rows[static_cast<std::size_t>(i)]].derivative[k];
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

MatrixXd equilibrium_by_inputs(const Model& model, Data& data, const RestLoads& loads,
                               const StaticEquilibrium& equilibrium) {
  const StaticLoads acting = static_loads(model, loads);
  RestTangent tangent(model, data, acting, equilibrium);
  require_solution(model, tangent);
  MatrixXd forces = MatrixXd::Zero(tangent.size(), model.nu());
  forces.topRows(model.nv()) = tangent.input_forces();
  for (int i = 0; i < model.nu(); ++i) {
    if (loads.u.size() > 0 && acting.u[i] != loads.u[i]) forces.col(i).setZero();
  }
  return tangent.solve(forces).topRows(model.nv());
}

}  // namespace cuttle
