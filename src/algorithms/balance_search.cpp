#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "algorithms/contact_passage.h"
#include "algorithms/input_search.h"
#include "algorithms/static_problem.h"
#include "algorithms/sweep.h"
#include "algorithms/target_by_rests.h"
#include "algorithms/target_solver.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "model/check_argument.h"

namespace cuttle {
namespace {

constexpr double k_push = 0.1;              // of what resists most, by inputs of other starts
constexpr double k_least_energy = 1e-3;     // of a coordinate beside the largest: forces below are no scale
constexpr double k_idle_force = 1e-12;      // of an input beside its largest
constexpr double k_held_at_start = 1e-9;    // what is left of the balance where inputs hold the start
constexpr double k_rest_tolerance = 1e-10;  // of the balance and of loops, as parts of units
constexpr double k_curvature_step = 1e-4;   // of differences of tangents, in units of the coordinates

class BalanceSearch final : public InputSearch, private TargetProblem {
 public:
  BalanceSearch(const Model& its_model, std::vector<FrameTarget> targets, StaticLoads its_loads,
                InverseStaticsOptions its_options)
      : InputSearch(its_model, std::move(targets), std::move(its_loads), std::move(its_options)) {
    require_few_coordinates(model, k_statics_function);
  }

 public:
  /// What the steps change; at the solution an equilibrium.
  struct State {
    VectorXd u, q, lambda;
  };

  int nv() const { return model.nv(); }
  int kept() const { return problem->kept(); }
  int row_count() const { return frames.row_count() + nv() + kept(); }

  // --- the problem of the solver. A step is (dq, dlambda, du of the free inputs); rows are those of the targets, then,
  // as hard ones, what is left of the balance of forces and of the loops.

  bool look(const VectorXd& step, VectorXd& rows) override {
    if (options.heartbeat) options.heartbeat();
    trial = current;
    integrate<double>(model, current.q, VectorXd(step.head(nv())), trial.q);
    normalize<double>(model, trial.q);
    trial.lambda += step.segment(nv(), kept());
    for (int i = 0; i < free_count(); ++i) trial.u[input(i)] += step[nv() + kept() + i];
    clamp(trial.u);  // against rounding
    if (!weigh(trial)) return false;
    rows.tail(nv() + kept()) = left.cwiseQuotient(row_unit);
    frames.rows(forward_kinematics<double>(model, data, trial.q), rows);
    return true;
  }
  double energy() override { return sum_of_squares(trial.u, scale); }
  void move() override { current = trial; }
  void slopes(MatrixXd& jacobian, VectorXd& gradient) override {
    weigh(current);
    jacobian.setZero();
    auto balance = jacobian.middleRows(frames.row_count(), nv());
    balance.leftCols(nv()) = problem->stiffness(current.lambda);
    balance.rightCols(free_count()) = -problem->input_forces()(Eigen::all, free);
    const MatrixXd& G = problem->jacobian();
    balance.middleCols(nv(), kept()) = G.transpose();
    jacobian.bottomLeftCorner(kept(), nv()) = G;
    for (int i = 0; i < nv() + kept(); ++i) jacobian.row(frames.row_count() + i) /= row_unit[i];
    sweep::outward<MotionLevel::pose, false, true, double>(model, data, current.q.data(), nullptr, nullptr, {});
    sweep::world_poses(model, data);
    by_q.resize(frames.row_count(), nv());
    frames.jacobian(model, data, by_q);
    jacobian.topLeftCorner(frames.row_count(), nv()) = by_q;
    gradient.setZero();
    gradient.tail(free_count()) = slopes_of_squares(current.u, scale);
  }
  /// Forces are gradients: what mu . (balance) has as second derivatives is how the tangent changes along mu. So all of
  /// them come from two tangents, at q +- h mu, with multipliers of loops and pulls of targets that grow alike. Of
  /// loads that follow the body, and of rotations, this is symmetric as the solver wants it, and near.
  void curvature(const VectorXd& multipliers, MatrixXd& result_matrix) override {
    result_matrix.setZero();
    for (int i = 0; i < free_count(); ++i) {
      result_matrix(nv() + kept() + i, nv() + kept() + i) = 1.0 / (scale[i] * scale[i]);
    }
    const VectorXd of_frames = multipliers.head(frames.row_count());
    const VectorXd along = multipliers.tail(nv() + kept()).cwiseQuotient(row_unit);
    const double size = std::max(
        {along.head(nv()).cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>(),
         kept() > 0 ? along.tail(kept()).cwiseQuotient(unit.segment(nv(), kept())).lpNorm<Eigen::Infinity>() : 0.0,
         of_frames.lpNorm<Eigen::Infinity>() / largest_energy});
    if (!(size > 0.0)) return;
    const double h = k_curvature_step / size;
    frames.wrenches(forward_kinematics<double>(model, data, current.q), of_frames, pulls);
    MatrixXd stiffness[2], forces[2], G[2];
    bool exists = true;
    for (int side = 0; side < 2 && exists; ++side) {
      const double part = side == 0 ? h : -h;
      State aside = current;
      integrate<double>(model, current.q, VectorXd(part * along.head(nv())), aside.q);
      normalize<double>(model, aside.q);
      aside.lambda += part * along.tail(kept());
      pull(-part);  // a load stands on the other side of the equation
      exists = weigh(aside);
      if (!exists) break;
      stiffness[side] = problem->stiffness(aside.lambda);
      forces[side] = problem->input_forces()(Eigen::all, free);
      G[side] = problem->jacobian();
    }
    pull(0.0);
    if (!exists) return;
    MatrixXd by_qq = (stiffness[0] - stiffness[1]) / (2.0 * h);
    frames.add_turning(forward_kinematics<double>(model, data, current.q), of_frames, by_qq);
    result_matrix.topLeftCorner(nv(), nv()) = 0.5 * (by_qq + by_qq.transpose());
    result_matrix.block(0, nv(), nv(), kept()) = (G[0] - G[1]).transpose() / (2.0 * h);
    result_matrix.block(0, nv() + kept(), nv(), free_count()) = (forces[1] - forces[0]) / (2.0 * h);
    result_matrix.bottomLeftCorner(kept() + free_count(), nv()) =
        result_matrix.topRightCorner(nv(), kept() + free_count()).transpose();
  }
  void room(VectorXd& lower, VectorXd& upper) override {
    lower.setConstant(-k_no_input_limit), upper.setConstant(k_no_input_limit);
    room_around(current.u, lower.tail(free_count()), upper.tail(free_count()));
  }

  // --- equilibria

  /// What is left of the balance of forces and of the loops in a state, in `left`; `problem` is there then.
  bool weigh(const State& state) {
    problem->set_inputs(state.u);
    problem->set_external(external);
    problem->begin(state.q, 1.0);
    unknowns.setZero(nv() + kept());
    unknowns.tail(kept()) = state.lambda;
    std::string trouble;
    return problem->equations(unknowns, left, trouble) && left.allFinite();
  }
  /// Moves a state into the equilibrium under its inputs, if there is one nearby.
  bool rest(State& state) {
    if (!weigh(state)) return false;
    NewtonSolver newton(nv() + kept(), nv());
    VectorXd z = unknowns;
    if (!newton.solve(*problem, z)) return false;
    if (z.head(nv()).cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>() > k_longest_rest) return false;
    state.q = problem->q(), state.lambda = z.tail(kept());
    return true;
  }
  /// The problem and units of the solver around a configuration with closed loops.
  void prepare(const VectorXd& q, const VectorXd& u, const VectorXd& multipliers) {
    StaticLoads acting = loads;
    acting.u = u, acting.external = external;
    problem.emplace(model, data, acting, q, Stepping::imbalance);
    left.resize(nv() + kept());
    current = {u, q, multipliers.size() > 0 ? problem->kept_of(multipliers) : VectorXd::Zero(kept())};
    if (!solver || unit.size() != nv() + kept() + free_count()) make_solver();
  }
  /// Inputs and multipliers within the limits that hold the robot where it is, or come nearest to it.
  /// @return whether they hold it.
  bool hold() {
    State held = current;
    if (!weigh(held)) return false;
    problem->stiffness(held.lambda);
    MatrixXd forces(nv(), free_count() + kept());
    forces << -problem->input_forces()(Eigen::all, free), problem->jacobian().transpose();
    for (int i = 0; i < nv(); ++i) forces.row(i) /= row_unit[i];
    VectorXd weights(free_count() + kept());
    weights << unit.tail(free_count()), unit.segment(nv(), kept());
    forces = forces * weights.asDiagonal();
    const VectorXd change = weights.cwiseProduct(
        forces.completeOrthogonalDecomposition().solve(VectorXd(-left.head(nv()).cwiseQuotient(row_unit.head(nv())))));
    for (int i = 0; i < free_count(); ++i) held.u[input(i)] += change[i];
    held.lambda += change.tail(kept());
    clamp(held.u);
    if (!weigh(held)) return false;
    nearly_held = held;
    return left.cwiseQuotient(row_unit).lpNorm<Eigen::Infinity>() <= k_held_at_start;
  }
  /// A state to start from: q0 where inputs can hold the robot there, if it may be held, else the equilibrium that the
  /// inputs u lead to, or, if they lead to none, q0 out of balance.
  void begin(const VectorXd& q0, const VectorXd& u, bool may_be_held = true) {
    VectorXd q = q0;
    if (!model.loops().empty()) {
      ConstraintData constraints(model);
      close_loops(model, data, constraints, q);
    }
    prepare(q, u, {});
    starts_held = may_be_held && hold();
    if (starts_held) {
      current = nearly_held;
      return;
    }
    StaticLoads acting = loads;
    acting.u = u;
    try {
      const StaticEquilibrium found = static_equilibrium(model, data, acting, q, {}, options.heartbeat);
      prepare(found.q, u, found.multipliers);
    } catch (const StaticsError&) {
      prepare(q, u, {});
    }
  }
  /// Units of unknowns and rows. A coordinate's energy is what its unit costs against the tangent and against what acts
  /// on it; the unit of an input is the least that does as much on some coordinate.
  void make_solver() {
    weigh(current);
    const MatrixXd K = problem->stiffness(current.lambda);
    const MatrixXd A = problem->input_forces()(Eigen::all, free);
    const MatrixXd G = problem->jacobian();
    VectorXd its_energy(nv());
    VectorXd acting = elastic_force<double>(model, data, current.q).cwiseAbs();
    acting += gravity_force<double>(model, data, current.q).cwiseAbs();
    for (int i = 0; i < nv(); ++i) {
      its_energy[i] = unit_q[i] * (acting[i] + K.row(i).transpose().cwiseProduct(unit_q).lpNorm<Eigen::Infinity>());
    }
    largest_energy = nv() > 0 ? its_energy.maxCoeff() : 0.0;
    if (!(largest_energy > 0.0)) largest_energy = 1.0;
    its_energy = its_energy.cwiseMax(k_least_energy * largest_energy);
    const auto unit_of_force = [&](const auto& column) {
      const VectorXd work = column.cwiseProduct(unit_q).cwiseAbs();
      double least = k_no_input_limit;
      for (int i = 0; i < nv(); ++i) {
        if (work[i] > k_idle_force * work.maxCoeff()) least = std::min(least, its_energy[i] / work[i]);
      }
      return least;  // infinite: it moves nothing
    };
    row_unit.resize(nv() + kept());
    row_unit.head(nv()) = its_energy.cwiseQuotient(unit_q);
    unit.resize(nv() + kept() + free_count());
    unit.head(nv()) = unit_q;
    const std::vector<int> rows = problem->kept_rows();
    for (int i = 0; i < kept(); ++i) {
      const double its = unit_of_force(VectorXd(G.row(i).transpose()));
      unit[nv() + i] = std::isfinite(its) ? its : 1.0;
      row_unit[nv() + i] = model.constraint_info()[rows[static_cast<std::size_t>(i)]].unit == "m" ? length : 1.0;
    }
    const int first = nv() + kept();
    double least = k_no_input_limit;
    for (int i = 0; i < free_count(); ++i) {
      unit[first + i] = unit_of_force(VectorXd(A.col(i)));
      least = std::min(least, unit[first + i]);
    }
    for (int i = 0; i < free_count(); ++i) {
      if (!std::isfinite(unit[first + i])) unit[first + i] = std::isfinite(least) ? least : 1.0;
    }
    strong.resize(free_count());
    for (int i = 0; i < free_count(); ++i) {
      const double work = A.col(i).cwiseProduct(unit_q).lpNorm<Eigen::Infinity>();
      strong[i] = work > 0.0 ? k_push * largest_energy / work : 0.0;
    }
    scale = common_scales(unit.tail(free_count()));
    VectorXd tolerance(row_count());
    tolerance << frames.tolerances(options.tolerance), VectorXd::Constant(nv() + kept(), k_rest_tolerance);
    solver.emplace(unit, frames.row_count(), nv() + kept(), tolerance);
  }

  // --- the search

  /// From the solution of targets nearby.
  bool search_nearby() {
    if (!solver->remembers()) return false;
    const State before = current;
    VectorXd rows(row_count());
    if (look(VectorXd::Zero(unit.size()), rows) && rows.lpNorm<Eigen::Infinity>() <= k_near_target &&
        solver->settle(*this, k_steps_from_near) && solver->reached()) {
      result.least_inputs = true;
      return true;
    }
    current = before;
    return false;
  }
  bool search() {
    solver->forget();
    if (!solver->reach(*this, false, options.most_iterations)) return false;
    const State reached = current;
    result.least_inputs = solver->settle(*this, options.most_iterations) && solver->reached();
    if (!result.least_inputs) current = reached;
    return true;
  }
  /// Whether nothing lies between the equilibrium that the inputs lead to from q0 and the one that was found.
  bool is_on_its_side(const VectorXd& q0) {
    if (model.site_laws().empty()) return true;
    ContactPassage passage(model, loads.state_loads_at.value_or(k_rest_time));
    StaticLoads acting = loads;
    acting.u = current.u;
    const State kept_state = current;
    try {
      const StaticEquilibrium led = static_equilibrium(model, data, acting, q0, {}, options.heartbeat);
      return passage.at(kept_state.q).empty() && passage.between(led.q, kept_state.q).empty();
    } catch (const StaticsError&) {
      return false;
    }
  }
  /// Of a robot that touches.
  bool search_by_rests(const VectorXd& q0) {
    if (model.site_laws().empty()) return false;
    StaticLoads acting = loads;
    VectorXd tolerance = frames.tolerances(options.tolerance);
    const auto found = target_by_rests(model, data, frames, acting, q0, free, options.limits,
                                       VectorXd(unit.tail(free_count())), tolerance, options.heartbeat);
    if (!found) return false;
    prepare(found->q, acting.u, found->multipliers);
    solver->forget();
    return true;
  }
  /// How far the frames of the current state are from their targets once it rests; infinite if it cannot.
  double misfit_at_rest() {
    if (!rest(current)) return k_no_input_limit;
    VectorXd rows(row_count());
    frames.rows(forward_kinematics<double>(model, data, current.q), rows);
    return rows.head(frames.row_count()).norm();
  }
  /// Another start: the equilibrium of other inputs - q0 may be singular, as a closed chain that is stretched - or, if
  /// inputs can hold the robot anywhere, another configuration.
  void begin_elsewhere(const VectorXd& q0, int i, bool is_held_at_q0) {
    VectorXd u = loads.u, q = q0, turn(nv());
    const bool elsewhere = is_held_at_q0 && i % 2 == 0;
    const VectorXd& sizes = is_held_at_q0 ? strong : scale;
    if (elsewhere) {
      for (int k = 0; k < nv(); ++k) turn[k] = scattered_start(i, k) * unit_q[k];
      integrate<double>(model, q0, turn, q);
      normalize<double>(model, q);
    } else {
      for (int k = 0; k < free_count(); ++k) u[input(k)] += scattered_start(i, k) * sizes[k];
      clamp(u);
    }
    begin(q, u, elsewhere);
  }
  /// A start where the frames are at their targets, the robot bent as little as that takes, with the inputs that come
  /// nearest to holding it there. Its balance is for the search to find: at rest it would fall back to where other
  /// starts begin. @return false: no such place is known.
  bool begin_at_targets(const VectorXd& q0) {
    InverseKinematicsOptions how;
    how.heartbeat = options.heartbeat;
    const InverseKinematicsResult found = inverse_kinematics(model, frames.targets(), q0, how);
    if (!found.converged) return false;
    prepare(found.q, loads.u, {});
    nearly_held = current;
    hold();
    current = nearly_held;
    starts_held = false;
    return true;
  }
  /// @throws StaticsError if none of them leads to any equilibrium.
  void search_from_many_starts(const VectorXd& q0) {
    double least = k_no_input_limit;
    State nearest;
    bool is_held_at_q0 = false;
    const int starts = std::max(1, options.most_starts);
    for (int i = 0; i < starts + (starts > 1 ? 1 : 0); ++i) {
      if (i == 0) {
        begin(q0, loads.u);
        is_held_at_q0 = starts_held;
        solver->count_anew();
      } else {
        try {
          if (i < starts) {
            begin_elsewhere(q0, i, is_held_at_q0);
          } else if (!begin_at_targets(q0)) {
            continue;
          }
        } catch (const Error&) {
          continue;
        }
      }
      if (search() && is_on_its_side(q0)) {
        result.converged = true;
        return;
      }
      if (i == 0 && search_by_rests(q0)) {
        result.converged = true, result.least_inputs = false;
        return;
      }
      const double misfit = misfit_at_rest();
      if (misfit < least) least = misfit, nearest = current;
    }
    if (!(least < k_no_input_limit)) {
      throw StaticsError(std::string(k_statics_function) + ": found no equilibrium of '" + model.name() +
                         "' near to where the search ended, from " + std::to_string(options.most_starts) + " starts");
    }
    current = nearest;
    solver->forget();
  }
  void search_from(const VectorXd& q0) override { search_from_many_starts(q0); }
  void search_from_last() override {
    solver->count_anew();
    const State last = current;
    result.converged = search_nearby() || search();
    if (result.converged) return;
    if (!(misfit_at_rest() < k_no_input_limit)) current = last;
    solver->forget();
  }
  bool has_solution() const override { return solver.has_value(); }
  void describe() override {
    weigh(current);
    const std::string opened = problem->describe(current.lambda, result.equilibrium);
    if (!opened.empty()) throw StaticsError(std::string(k_statics_function) + ": " + opened);
    result.u = current.u;
    result.iterations = solver->iterations();
  }

  VectorXd unit;      ///< of each unknown: q, lambda, free inputs
  VectorXd row_unit;  ///< of balance and loops
  VectorXd scale;     ///< of each free input, for their squares
  VectorXd strong;    ///< of each free input: it does as much as what resists most
  double largest_energy = 1.0;
  bool starts_held = false;
  std::optional<StaticProblem> problem;
  std::optional<TargetSolver> solver;
  State current, trial, nearly_held;
  VectorXd unknowns, left;
  MatrixXd by_q;
};

}  // namespace

std::unique_ptr<InputSearch> make_balance_search(const Model& model, std::vector<FrameTarget> targets,
                                                 StaticLoads loads, InverseStaticsOptions options) {
  return std::make_unique<BalanceSearch>(model, std::move(targets), std::move(loads), std::move(options));
}

}  // namespace cuttle
