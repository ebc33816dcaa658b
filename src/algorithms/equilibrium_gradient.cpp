#include "cuttle/algorithms/equilibrium_gradient.h"

#include <Eigen/LU>
#include <algorithm>

#include "algorithms/acting_force.h"
#include "algorithms/static_problem.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"

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

/// Slopes of an element's state rates by its states, for Newton's step to rest.
struct StateSlopes {
  const BoundElementT<double>* element;
  Eigen::FullPivLU<MatrixXd> by_state;
};

using SlopesByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

VectorXT<Gradient> acting_force(const RestLoadsT<Gradient>& loads, const VectorXT<Gradient>& u,
                                const GradientMotion& motion, const std::function<void()>& set_efforts,
                                VariedRest& at) {
  const ModelT<Gradient>& model = at.model;
  VectorXT<Gradient> force = at.zero;
  if (model.nu() > 0) force += actuation_force<Gradient>(model, at.data, motion.q, u);
  if (!model.elements().empty()) {
    element_motion<Gradient>(model, at.data, motion.q, motion.v, at.elements);
    set_efforts();
    for (Eigen::Index i = 0; i < force.size(); ++i) {
      for (Eigen::Index k = 0; k < at.elements.efforts.size(); ++k) {
        force[i] += at.elements.matrix(i, k) * at.elements.efforts[k];
      }
    }
  }
  rest_wrenches(model, loads, at.wrenches);
  if (!at.wrenches.empty()) force += external_force<Gradient>(model, at.data, motion.q, at.wrenches);
  if (loads.time && !at.state_wrenches.empty()) {
    state_load_wrenches<Gradient>(model, at.data, *loads.time, motion.q, motion.v, motion.a, VectorXT<Gradient>(),
                                  at.state_wrenches);
    force += external_force<Gradient>(model, at.data, motion.q, at.state_wrenches);
  }
  if (at.sites) {
    at.sites->rest(forward_kinematics<Gradient>(model, at.data, motion.q, motion.v), loads.time.value_or(k_rest_time),
                   at.site_start.empty() ? nullptr : &at.site_start);
    at.wrenches.clear();
    at.sites->append_wrenches(at.wrenches);
    if (!at.wrenches.empty()) force += external_force<Gradient>(model, at.data, motion.q, at.wrenches);
  }
  return force;
}

StaticLoads static_loads(const Model& model, const RestLoads& loads) {
  StaticLoads result;
  result.u = loads.u.size() == 0 ? VectorXd(VectorXd::Zero(model.nu())) : loads.u;
  apply_slack<double>(model, result.u);
  rest_wrenches(model, loads, result.external);
  result.state_loads_at = loads.time;
  return result;
}

VariedRest::VariedRest(const ModelT<Gradient>& varied)
    : model(varied),
      data(varied),
      elements(varied),
      zero(VectorXT<Gradient>::Zero(varied.nv())),
      displacement(VectorXT<Gradient>::Zero(varied.nv())) {
  q.setZero(varied.nq());
  y.setZero(varied.nu());
  if (!varied.loops().empty()) constraints.emplace(varied);
  state_wrenches.resize(state_load_count(varied));
  if (!varied.site_laws().empty()) sites.emplace(varied);
}

struct EquilibriumTangent::Factors {
  StaticEquilibrium equilibrium;
  Eigen::FullPivLU<MatrixXd> tangent;  ///< of forces, then kept rows of loops
  std::vector<int> kept;               ///< rows of the loops
  std::vector<StateSlopes> states;

  /// States at rest with derivatives: Newton's step from the states at rest is exact in the first derivatives.
  void rest_states(const VectorXT<Gradient>& u, VariedRest& at) const {
    at.elements.states = equilibrium.element_states.cast<Gradient>();
    element_efforts<Gradient>(at.model, k_rest_time, u, at.elements);
    for (const StateSlopes& state : states) {
      const int m = state.element->state_count, first = state.element->state;
      MatrixXd rates(m, k_gradient_width);
      for (int i = 0; i < m; ++i) {
        for (int k = 0; k < k_gradient_width; ++k) rates(i, k) = at.elements.state_rates[first + i].derivative[k];
      }
      const MatrixXd change = state.by_state.solve(rates);
      for (int i = 0; i < m; ++i) {
        for (int k = 0; k < k_gradient_width; ++k) at.elements.states[first + i].derivative[k] = -change(i, k);
      }
    }
    element_efforts<Gradient>(at.model, k_rest_time, u, at.elements);
  }

  /// Forces of the robot at q, whose value is zero in an equilibrium.
  VectorXT<Gradient> forces(const RestLoadsT<Gradient>& loads, const VectorXT<Gradient>& u, VariedRest& at) const {
    VectorXT<Gradient> force = elastic_force<Gradient>(at.model, at.data, at.q);
    force += gravity_force<Gradient>(at.model, at.data, at.q);
    force -= acting_force(
        loads, u, {at.q, at.zero, at.zero}, [&] { rest_states(u, at); }, at);
    return force;
  }
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
  if (equilibrium.element_states.size() == 0) return;
  ElementData elements(model);
  elements.states = equilibrium.element_states;
  element_motion<double>(model, data, equilibrium.q, VectorXd::Zero(nv), elements);
  std::vector<double> slopes(static_cast<std::size_t>(element_scratch_size(model)));
  for (const auto& element : model.elements()) {
    const int m = element.state_count, n = element.law->transmission_count();
    if (m == 0) continue;
    element.law->derivatives(arguments_of<double>(element, k_rest_time, acting.u.data(), elements), slopes.data());
    const Eigen::Map<const SlopesByRows> all(slopes.data(), n + m, 2 * n + m + element.law->input_count());
    factors_->states.push_back({&element, Eigen::FullPivLU<MatrixXd>(all.block(n, 2 * n, m, m))});
  }
}

EquilibriumTangent::~EquilibriumTangent() = default;
EquilibriumTangent::EquilibriumTangent(EquilibriumTangent&&) noexcept = default;

void EquilibriumTangent::vary(const RestLoadsT<Gradient>& loads, VariedRest& result) const {
  const ModelT<Gradient>& model = result.model;
  const int nv = model.nv();
  VectorXT<Gradient> u = loads.u;
  if (u.size() == 0) u.setZero(model.nu());
  clip_slack<Gradient>(model, u);
  const VectorXT<Gradient> at = factors_->equilibrium.q.cast<Gradient>();
  result.q = at;
  if (result.sites) {
    result.site_start.clear();
    const VectorXd& start = factors_->equilibrium.start;
    if (start.size() > 0) {
      const VectorXT<Gradient> from = start.cast<Gradient>();
      result.site_start = result.sites->frame_poses(forward_kinematics<Gradient>(model, result.data, from));
    }
  }
  VectorXT<Gradient> force = factors_->forces(loads, u, result);
  const auto kept = static_cast<Eigen::Index>(factors_->kept.size());
  MatrixXd right = MatrixXd::Zero(nv + kept, k_gradient_width);
  if (kept > 0) {
    const auto& residual = constraint_residual<Gradient>(model, result.data, *result.constraints, at);
    for (Eigen::Index i = 0; i < kept; ++i) {
      for (int k = 0; k < k_gradient_width; ++k) {
        right(nv + i, k) = -residual[factors_->kept[static_cast<std::size_t>(i)]].derivative[k];
      }
    }
    const MatrixXT<Gradient>& G = constraint_jacobian<Gradient>(model, result.data, *result.constraints, at);
    const VectorXd& lambda = factors_->equilibrium.multipliers;
    for (Eigen::Index row = 0; row < lambda.size(); ++row) {
      for (int i = 0; i < nv; ++i) force[i] += G(row, i) * lambda[row];
    }
  }
  for (int i = 0; i < nv; ++i) {
    for (int k = 0; k < k_gradient_width; ++k) right(i, k) = -force[i].derivative[k];
  }
  const MatrixXd change = factors_->tangent.solve(right);
  for (int i = 0; i < nv; ++i) {
    result.displacement[i] = Gradient(0.0);
    for (int k = 0; k < k_gradient_width; ++k) result.displacement[i].derivative[k] = change(i, k);
  }
  integrate<Gradient>(model, at, result.displacement, result.q);
  if (model.nu() > 0) result.y = actuation_coordinates<Gradient>(model, result.data, result.q);
  if (!model.elements().empty()) {
    element_motion<Gradient>(model, result.data, result.q, result.zero, result.elements);
    factors_->rest_states(u, result);
    element_outputs<Gradient>(model, k_rest_time, u, result.elements);
  }
  forward_kinematics<Gradient>(model, result.data, result.q);
}

}  // namespace cuttle
