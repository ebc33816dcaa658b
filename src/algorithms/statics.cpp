#include "cuttle/algorithms/statics.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/element_slopes.h"
#include "algorithms/newton_solver.h"
#include "algorithms/step_coordinates.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/state_loads.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_first_load_step = 0.25, k_shortest_load_step = 1.0 / 4096.0;
/// Longer ways [rad or m] within one load step could end on another branch of equilibria than the load leads to.
constexpr double k_longest_way = 0.5;

/// How forces grow from none to all of them.
enum class Stepping {
  loads,      ///< gravity, inputs and loads grow, and what elasticity does at the start fades
  imbalance,  ///< all act at once, and what would hold the robot at the start fades
};

/// The equations of equilibrium with a part of the forces, in the displacement from the last equilibrium and the
/// multipliers of the loops.
class StaticProblem final : public NewtonProblem {
 public:
  /// @param q0  with closed loops.
  StaticProblem(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& q0, Stepping stepping)
      : model_(model),
        data_(data),
        loads_(loads),
        scaled_(loads),
        stepping_(stepping),
        derivatives_(model),
        elements_(model),
        element_slopes_(model),
        coordinates_(model),
        zero_(VectorXd::Zero(model.nv())),
        q_(q0),
        all_(VectorXd::Zero(model.constraint_count())) {
    if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
    if (loads_.state_loads_at) {
      state_wrenches_.resize(state_load_count(model));
      state_slopes_.resize(state_wrenches_.size());
    }
    scaled_.u = loads_.u;
    if (!model.loops().empty()) {
      constraints_.emplace(model);
      rows_ = select_constraint_rows(model, data, *constraints_, q0);
    }
    jacobian_.resize(kept(), model.nv());
    held_ = stepping == Stepping::loads ? elastic_force<double>(model, data, q0) : balance(q0);
    if (stepping == Stepping::loads && !model.elements().empty()) {
      const VectorXd u = std::exchange(scaled_.u, VectorXd::Zero(model.nu()));
      rest_elements(q0);
      held_.noalias() -= elements_.matrix * elements_.efforts;
      scaled_.u = u;
    }
  }

  int kept() const { return static_cast<int>(rows_.kept.size()); }
  /// Displacements count from q.
  void begin(const VectorXd& q, double part) {
    from_ = q, part_ = part;
    if (stepping_ == Stepping::imbalance) return;
    scaled_.u = part * loads_.u;
    for (std::size_t i = 0; i < loads_.external.size(); ++i) {
      scaled_.external[i].wrench = part * loads_.external[i].wrench;
    }
  }

  bool equations(const VectorXd& z, VectorXd& result, std::string& trouble) override {
    const int nv = model_.nv();
    try {
      coordinates_.configuration_at(from_, z, q_);
      result.head(nv) = balance(q_) - (1.0 - part_) * held_;
      if (kept() > 0) {
        result.head(nv) += jacobian().transpose() * z.tail(kept());
        for (int i = 0; i < kept(); ++i)
          result[nv + i] = constraints_->residual[rows_.kept[static_cast<std::size_t>(i)]];
      }
    } catch (const Error& error) {
      trouble = error.what();
      return false;
    }
    return true;
  }
  void tangent(const VectorXd& z, MatrixXd& result) override {
    const int nv = model_.nv();
    coordinates_.chain(z, q_, 1.0, stiffness(z.tail(kept())), result.topLeftCorner(nv, nv));
    if (kept() == 0) return;
    result.topRightCorner(nv, kept()) = jacobian().transpose();
    coordinates_.chain(z, q_, 1.0, jacobian_, result.bottomLeftCorner(kept(), nv));
    result.bottomRightCorner(kept(), kept()).setZero();
  }
  /// d(forces)/dq at the last q, with those of the loops.
  const MatrixXd& stiffness(const VectorXd& lambda) {
    if (kept() > 0) {
      // what the loops push is a load on the other side of the equation
      reactions_.resize(2 * model_.loops().size());
      constraint_wrenches<double>(model_, data_, *constraints_, q_, multipliers(lambda), reactions_);
      for (ExternalWrench& reaction : reactions_) reaction.wrench = -1.0 * reaction.wrench;
    }
    acting_ = scaled_.external;
    acting_.insert(acting_.end(), reactions_.begin(), reactions_.end());
    if (!state_wrenches_.empty()) {
      rest_state_loads(q_);
      acting_.insert(acting_.end(), state_wrenches_.begin(), state_wrenches_.end());
    }
    inverse_dynamics_derivatives(model_, data_, derivatives_, q_, zero_, zero_, {&scaled_.u, acting_, gravity_part()});
    if (!state_wrenches_.empty()) subtract_state_load_slopes();
    if (!model_.elements().empty()) {
      rest_elements(q_);
      subtract_element_slopes(model_, derivatives_, 0.0, q_, zero_, scaled_.u, {StateCoupling::Kind::rest}, elements_,
                              element_slopes_);
    }
    if (kept() > 0) {
      derivatives_.by_q += constraint_wrench_derivative<double>(model_, data_, *constraints_, q_, multipliers(lambda));
    }
    return derivatives_.by_q;
  }
  /// G of the kept rows at the last q.
  const MatrixXd& jacobian() {
    if (kept() == 0) return jacobian_;
    const MatrixXd& all = constraint_jacobian<double>(model_, data_, *constraints_, q_);
    for (int i = 0; i < kept(); ++i) jacobian_.row(i) = all.row(rows_.kept[static_cast<std::size_t>(i)]);
    return jacobian_;
  }
  /// Of all rows.
  const VectorXd& multipliers(const VectorXd& lambda) {
    for (int i = 0; i < kept(); ++i) all_[rows_.kept[static_cast<std::size_t>(i)]] = lambda[i];
    return all_;
  }
  const VectorXd& q() const { return q_; }
  /// Forces without those of the loops and without what holds the robot at the start.
  VectorXd balance(const VectorXd& q) {
    VectorXd force = elastic_force<double>(model_, data_, q);
    force += gravity_part() * gravity_force<double>(model_, data_, q);
    if (model_.nu() > 0) force -= actuation_force<double>(model_, data_, q, scaled_.u);
    if (!model_.elements().empty()) {
      rest_elements(q);
      force.noalias() -= elements_.matrix * elements_.efforts;
    }
    if (!scaled_.external.empty()) force -= external_force<double>(model_, data_, q, scaled_.external);
    if (!state_wrenches_.empty()) {
      rest_state_loads(q);
      force -= external_force<double>(model_, data_, q, state_wrenches_);
    }
    return force;
  }

  /// Elements as they are after the last `balance`.
  const ElementData& elements() const { return elements_; }

 private:
  const Model& model_;
  Data& data_;
  /// Efforts of elements whose states are at rest.
  void rest_elements(const VectorXd& q) {
    element_motion<double>(model_, data_, q, zero_, elements_);
    solve_element_states(model_, 0.0, scaled_.u, elements_.states, {StateCoupling::Kind::rest}, elements_);
    element_efforts<double>(model_, 0.0, scaled_.u, elements_);
  }
  /// Wrenches of loads that depend on the motion, of a robot at rest; they grow like gravity.
  void rest_state_loads(const VectorXd& q) {
    state_load_wrenches<double>(model_, data_, *loads_.state_loads_at, q, zero_, zero_, VectorXd(), state_wrenches_);
    for (ExternalWrench& external : state_wrenches_) external.wrench = gravity_part() * external.wrench;
  }
  /// How they change with the pose of their frames, beside turning with these.
  void subtract_state_load_slopes() {
    state_load_derivatives<double>(model_, forward_kinematics<double>(model_, data_, q_, zero_, zero_),
                                   *loads_.state_loads_at, VectorXd(), state_slopes_);
    FrameDerivatives frame(model_);
    for (std::size_t i = 0; i < state_slopes_.size(); ++i) {
      frame_derivatives(model_, derivatives_, state_wrenches_[i].frame, frame);
      derivatives_.by_q -= gravity_part() * frame.jacobian.transpose() * state_slopes_[i].by_pose * frame.jacobian;
    }
  }
  double gravity_part() const { return stepping_ == Stepping::loads ? part_ : 1.0; }

  StaticLoads loads_, scaled_;  // all of them, and the part that acts
  Stepping stepping_;
  DerivativeData derivatives_;
  ElementData elements_;
  ElementSlopes element_slopes_;
  StepCoordinates coordinates_;
  std::optional<ConstraintData> constraints_;
  ConstraintRows rows_;
  std::vector<ExternalWrench> reactions_, state_wrenches_, acting_;
  std::vector<StateLoadDerivativeT<double>> state_slopes_;
  VectorXd zero_, q_, from_, held_, all_;
  MatrixXd jacobian_;
  double part_ = 1.0;
};

/// Smallest eigenvalue of the symmetric part of K on the motions with G dq = 0.
double smallest_stiffness(const MatrixXd& K, const MatrixXd& G) {
  MatrixXd allowed = 0.5 * (K + K.transpose());
  if (G.rows() > 0) {
    const Eigen::HouseholderQR<MatrixXd> qr(G.transpose());
    const MatrixXd Q = qr.householderQ();
    const MatrixXd motions = Q.rightCols(G.cols() - G.rows());
    allowed = motions.transpose() * allowed * motions;
  }
  if (allowed.size() == 0) return std::numeric_limits<double>::infinity();
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(allowed, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

/// From `result.q` with closed loops to the equilibrium. @return why not, and how far it came; empty if it did.
std::string follow(const Model& model, StaticProblem& problem, const std::function<void(double)>& progress,
                   StaticEquilibrium& result, VectorXd& lambda) {
  const int nv = model.nv();
  NewtonSolver newton(nv + problem.kept(), nv);
  double done = 0.0, step = k_first_load_step;
  VectorXd z = VectorXd::Zero(nv + problem.kept());
  lambda = z.tail(problem.kept());
  while (done < 1.0) {
    const double target = std::min(1.0, done + step);
    problem.begin(result.q, target);
    z.head(nv).setZero(), z.tail(problem.kept()) = lambda;
    const bool converged = newton.solve(problem, z);
    result.iterations += static_cast<int>(newton.iterations().size());
    const double way = nv > 0 ? z.head(nv).cwiseAbs().maxCoeff() : 0.0;
    if (converged && (way <= k_longest_way || step <= 2.0 * k_shortest_load_step)) {
      result.q = problem.q(), lambda = z.tail(problem.kept());
      done = target;
      if (way < 0.5 * k_longest_way) step *= 2.0;
      ++result.load_steps;
      if (progress) progress(done);
      continue;
    }
    newton.forget_tangent();
    step *= 0.5;
    if (step >= k_shortest_load_step) continue;
    std::string where;
    if (!newton.iterations().empty()) {
      const auto& last = newton.iterations().back();
      where = "; largest force left " + number_text(last.residual) + " on " + model.velocity_info()[last.worst].name +
              " (link '" + model.link_of_velocity(last.worst) + "')";
    }
    return number_text(100.0 * done) + " % of the load: " + newton.trouble() + where;
  }
  return "";
}

}  // namespace

StaticEquilibrium static_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                     const std::function<void(double)>& progress) {
  check_workspace(model, "static_equilibrium", "data", data);
  check_configuration_argument(model, "static_equilibrium", "q0", q0);
  require_few_coordinates(model, "static_equilibrium");
  if (loads.u.size() != 0 && loads.u.size() != model.nu()) {
    throw ArgumentError("static_equilibrium: loads.u: found size " + std::to_string(loads.u.size()) + ", expected " +
                        std::to_string(model.nu()) + " (nu of '" + model.name() + "')");
  }
  for (const auto& load : model.state_loads()) {
    if (!loads.state_loads_at || load->integral_count() == 0) continue;
    throw ArgumentError("static_equilibrium: found a load on '" + model.name() +
                        "' whose push depends on how it has moved (a drone), expected none of these in statics");
  }
  VectorXd start = q0;
  if (!model.loops().empty()) {
    ConstraintData constraints(model);
    close_loops(model, data, constraints, start);
  }
  StaticEquilibrium result;
  std::string trouble;
  for (const Stepping stepping : {Stepping::loads, Stepping::imbalance}) {
    StaticProblem problem(model, data, loads, start, stepping);
    VectorXd lambda;
    result.q = start, result.load_steps = 0;
    result.all_at_once = stepping == Stepping::imbalance;
    const std::string why = follow(model, problem, progress, result, lambda);
    if (!why.empty()) {
      if (trouble.empty()) trouble = why;
      continue;
    }
    result.multipliers = problem.multipliers(lambda);
    result.element_states = problem.elements().states;
    VectorXd left = problem.balance(result.q);
    if (problem.kept() > 0) left += problem.jacobian().transpose() * lambda;
    result.residual = left.size() > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
    result.smallest_stiffness = smallest_stiffness(problem.stiffness(lambda), problem.jacobian());
    return result;
  }
  throw StaticsError("static_equilibrium: found none beyond " + trouble);
}

std::vector<ExternalWrench> loads_at(const Model& model, double time) {
  std::vector<ExternalWrench> loads(load_wrench_count(model));
  load_wrenches<double>(model, time, loads);
  return loads;
}

}  // namespace cuttle
