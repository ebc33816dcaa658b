#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/contact_passage.h"
#include "algorithms/input_search.h"
#include "algorithms/static_problem.h"
#include "algorithms/sweep.h"
#include "algorithms/target_solver.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

constexpr double k_unit_way = 0.3;                // that the unit of an input leads, in units of the coordinates
constexpr double k_step_aside = 1e-6;             // of differences of tangents, in the same units
constexpr int k_halvings_of_touching_rests = 40;  // of corrections where something touches

/// The least inputs by steps in the inputs alone: q and the multipliers of loops are functions of them, the rest that
/// Newton's method finds from the last one. With the tangent K of a rest, dq = K^-1 A du. The squares of the inputs
/// have then the second derivatives of the Lagrangian on these motions, with eta = -K^-T J^T mu for the balance of
/// forces.
class RestSearch final : public InputSearch, private TargetProblem {
 public:
  RestSearch(const Model& its_model, std::vector<FrameTarget> targets, StaticLoads its_loads,
             InverseStaticsOptions its_options)
      : InputSearch(its_model, std::move(targets), std::move(its_loads), std::move(its_options)) {
    if (!model.site_laws().empty()) passage.emplace(model, loads.state_loads_at.value_or(k_rest_time));
  }

 public:
  struct State {
    VectorXd u, q, lambda, rows;
  };

  int nv() const { return model.nv(); }
  int kept() const { return problem->kept(); }
  VectorXd unknowns(const State& state) const {
    VectorXd z = VectorXd::Zero(nv() + kept());
    z.tail(kept()) = state.lambda;
    return z;
  }
  VectorXd rows_at(const VectorXd& q) {
    VectorXd rows(frames.row_count());
    frames.rows(forward_kinematics<double>(model, data, q), rows);
    return rows;
  }

  // --- the problem of the solver

  bool look(const VectorXd& step, VectorXd& rows) override {
    if (options.heartbeat) options.heartbeat();
    trial = current;
    if (!step.isZero(0.0)) {
      for (int i = 0; i < free_count(); ++i) trial.u[input(i)] += step[i];
      clamp(trial.u);  // against rounding
      if (response.cols() == step.size()) {
        integrate<double>(model, current.q, VectorXd(response.topRows(nv()) * step), trial.q);
        normalize<double>(model, trial.q);
        trial.lambda += response.bottomRows(kept()) * step;
      }
      if (!rest(trial)) return false;
    }
    rows = trial.rows;
    return true;
  }
  double energy() override { return sum_of_squares(trial.u, scale); }
  void move() override {
    if (trial.q != current.q) response.resize(0, 0), tangent_serves = false;
    current = trial;
  }
  void slopes(MatrixXd& jacobian, VectorXd& gradient) override {
    respond();
    jacobian = by_q * response.topRows(nv());
    gradient = slopes_of_squares(current.u, scale);
  }
  void curvature(const VectorXd& multipliers, MatrixXd& second) override {
    second.setZero();
    for (int i = 0; i < free_count(); ++i) second(i, i) = 1.0 / (scale[i] * scale[i]);
    if (!tangent_serves) respond();
    VectorXd pulled = VectorXd::Zero(nv() + kept()), eta;
    pulled.head(nv()) = -by_q.transpose() * multipliers;
    tangent->solve_transposed(pulled, eta);
    const double size = eta.head(nv()).cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>();
    if (!(size > 0.0) || !std::isfinite(size)) return;
    const double h = k_step_aside / size;
    frames.wrenches(forward_kinematics<double>(model, data, current.q), multipliers, pulls);
    MatrixXd bent[2], forces[2];
    bool exists = true;
    for (int side = 0; side < 2 && exists; ++side) {
      const double part = side == 0 ? h : -h;
      State aside = current;
      integrate<double>(model, current.q, VectorXd(part * eta.head(nv())), aside.q);
      normalize<double>(model, aside.q);
      aside.lambda += part * eta.tail(kept());
      pull(-part);  // a load stands on the other side of the equation
      exists = weigh(aside);
      if (!exists) break;
      const BorderedTangent& there = problem->formed(unknowns(aside), {});
      bent[side].resize(response.rows(), response.cols());
      for (Eigen::Index k = 0; k < response.cols(); ++k) {
        VectorXd product;
        there.multiply(VectorXd(response.col(k)), product);
        bent[side].col(k) = product;
      }
      forces[side] = problem->input_forces()(Eigen::all, free);
    }
    pull(0.0);
    tangent_serves = false, newton->forget_tangent();  // it is one aside now
    if (!exists) return;
    MatrixXd sum = response.transpose() * (bent[0] - bent[1]) / (2.0 * h);
    sum += response.topRows(nv()).transpose() * (forces[1] - forces[0]) / h;
    const MatrixXd along = response.topRows(nv());
    frames.add_turning(forward_kinematics<double>(model, data, current.q), multipliers, sum, &along);
    second += 0.5 * (sum + sum.transpose());
  }
  void room(VectorXd& lower, VectorXd& upper) override { room_around(current.u, lower, upper); }

  // --- rests

  bool weigh(const State& state) {
    problem->set_inputs(state.u);
    problem->set_external(external);
    problem->begin(state.q, 1.0);
    std::string trouble;
    left.resize(nv() + kept());
    return problem->equations(unknowns(state), left, trouble) && left.allFinite();
  }
  /// Moves a state, of which q and lambda are guesses, into the equilibrium under its inputs, if there is one nearby
  /// that the current one leads to.
  bool rest(State& state) {
    if (!weigh(state)) return false;
    VectorXd z = unknowns(state);
    const long before = newton->tangents();
    const bool converged = newton->solve(*problem, z);
    tangent_serves = tangent_serves && newton->tangents() == before;
    if (!converged) {
      newton->forget_tangent();
      return false;
    }
    state.q = problem->q(), state.lambda = z.tail(kept());
    VectorXd way(nv());
    difference<double>(model, current.q, state.q, way);
    if (!(way.cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>() <= k_longest_rest)) return false;
    if (passage && !(passage->at(state.q).empty() && passage->between(current.q, state.q).empty())) return false;
    state.rows = rows_at(state.q);
    return true;
  }
  /// How the current rest follows the inputs, with its tangent.
  void respond() {
    weigh(current);
    BorderedTangent& formed = problem->formed(unknowns(current), {});
    formed.factor();
    tangent = &formed, tangent_serves = true;
    MatrixXd forces = MatrixXd::Zero(nv() + kept(), free_count());
    forces.topRows(nv()) = problem->input_forces()(Eigen::all, free);
    response = formed.solve_columns(forces);
    sweep::outward<MotionLevel::pose, false, true, double>(model, data, current.q.data(), nullptr, nullptr, {});
    sweep::world_poses(model, data);
    by_q.resize(frames.row_count(), nv());
    frames.jacobian(model, data, by_q);
  }
  /// A rest to start from, and the problem and units around it. @throws StaticsError.
  void begin(const VectorXd& q0, const VectorXd& u) {
    StaticLoads acting = loads;
    acting.u = u;
    const StaticEquilibrium found = static_equilibrium(model, data, acting, q0, {}, options.heartbeat);
    acting.external = external;
    problem.emplace(model, data, acting, found.q, Stepping::imbalance);
    problem->require_tree();
    newton.emplace(nv() + kept(), nv(), false);
    newton->set_good_contraction(k_sparse_contraction);
    if (passage) newton->set_most_halvings(k_halvings_of_touching_rests);
    current = {u, found.q, problem->kept_of(found.multipliers), rows_at(found.q)};
    respond();
    if (solver) return;
    VectorXd unit(free_count());
    double least = k_no_input_limit;
    for (int i = 0; i < free_count(); ++i) {
      const VectorXd way = response.col(i).head(nv());
      const double moved =
          std::max(way.cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>(), (by_q * way).lpNorm<Eigen::Infinity>());
      unit[i] = moved > 0.0 ? k_unit_way / moved : k_no_input_limit;
      least = std::min(least, unit[i]);
    }
    for (double& its : unit) {
      if (!std::isfinite(its)) its = std::isfinite(least) ? least : 1.0;
    }
    scale = common_scales(unit);
    solver.emplace(unit, frames.row_count(), 0, frames.tolerances(options.tolerance));
  }

  // --- the search

  bool search() {
    solver->forget();
    if (!solver->reach(*this, false, options.most_iterations)) return false;
    const State reached = current;
    result.least_inputs = solver->settle(*this, options.most_iterations) && solver->reached();
    if (!result.least_inputs) return_to(reached);
    return true;
  }
  void return_to(const State& state) {
    current = state;
    response.resize(0, 0), tangent_serves = false;
    solver->forget();
  }
  bool search_nearby() {
    if (!solver->remembers() || current.rows.lpNorm<Eigen::Infinity>() > k_near_target) return false;
    const State before = current;
    result.least_inputs = solver->settle(*this, k_steps_from_near) && solver->reached();
    if (!result.least_inputs) return_to(before);
    return result.least_inputs;
  }
  void search_from(const VectorXd& q0) override {
    std::optional<State> nearest;
    std::string trouble;
    for (int i = 0; i < std::max(1, options.most_starts); ++i) {
      VectorXd u = loads.u;
      if (i > 0) {
        if (!solver) break;  // nobody knows how much other inputs are
        for (int k = 0; k < free_count(); ++k) u[input(k)] += scattered_start(i, k) * scale[k];
        clamp(u);
      }
      try {
        begin(q0, u);
      } catch (const StaticsError& error) {
        if (trouble.empty()) trouble = error.what();
        continue;
      }
      if (i == 0) solver->count_anew();
      result.converged = search();
      if (result.converged) return;
      if (!nearest || current.rows.norm() < nearest->rows.norm()) nearest = current;
    }
    if (!nearest) throw StaticsError(std::string(k_statics_function) + ": " + trouble);
    return_to(*nearest);
  }
  void search_from_last() override {
    solver->count_anew();
    current.rows = rows_at(current.q);
    result.converged = search_nearby() || search();
  }
  bool has_solution() const override { return solver.has_value(); }
  void describe() override {
    weigh(current);
    const std::string opened = problem->describe(current.lambda, result.equilibrium);
    if (!opened.empty()) throw StaticsError(std::string(k_statics_function) + ": " + opened);
    newton->forget_tangent();
    result.u = current.u;
    result.iterations = solver->iterations();
  }

  std::optional<ContactPassage> passage;
  std::optional<StaticProblem> problem;
  std::optional<NewtonSolver> newton;
  std::optional<TargetSolver> solver;
  const BorderedTangent* tangent = nullptr;  ///< of the problem, as `respond` or Newton's method has factored it last
  bool tangent_serves = false;               ///< it is that of the current rest
  State current, trial;
  VectorXd scale;     ///< of each free input, for their squares
  VectorXd left;      ///< of the balance
  MatrixXd response;  ///< of q and lambda to the free inputs; empty: not known at the current rest
  MatrixXd by_q;      ///< of the rows
};

}  // namespace

std::unique_ptr<InputSearch> make_rest_search(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads,
                                              InverseStaticsOptions options) {
  return std::make_unique<RestSearch>(model, std::move(targets), std::move(loads), std::move(options));
}

}  // namespace cuttle
