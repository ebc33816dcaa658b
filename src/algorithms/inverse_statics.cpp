#include "cuttle/algorithms/inverse_statics.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/contact_passage.h"
#include "algorithms/frame_targets.h"
#include "algorithms/static_problem.h"
#include "algorithms/sweep.h"
#include "algorithms/target_by_rests.h"
#include "algorithms/target_solver.h"
#include "algorithms/target_units.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr const char* k_statics_function = "inverse_statics";
constexpr double k_no_input_limit = std::numeric_limits<double>::infinity();
constexpr double k_longest_rest = 0.7;      // of a state to its equilibrium, in units of the coordinates
constexpr double k_input_scatter = 0.3;     // of other starts, in units
constexpr double k_push = 0.1;              // of what resists most, by inputs of other starts
constexpr double k_least_energy = 1e-3;     // of a coordinate beside the largest: forces below are no scale
constexpr double k_idle_force = 1e-12;      // of an input beside its largest
constexpr double k_held_at_start = 1e-9;    // what is left of the balance where inputs hold the start
constexpr double k_rest_tolerance = 1e-10;  // of the balance and of loops, as parts of units
constexpr double k_near_target = 0.1;       // rows from which the tangent of the last solution still serves
constexpr int k_steps_from_near = 12;       // then a whole search is worth more
constexpr double k_curvature_step = 1e-4;   // of differences of tangents, in units of the coordinates

void check_input_limits(const Model& model, const InverseStaticsOptions& options) {
  const auto fail = [](const std::string& what, const std::string& found, const std::string& expected) {
    throw ArgumentError(std::string(k_statics_function) + ": options." + what + ": found " + found + ", expected " +
                        expected);
  };
  for (const VectorXd* its : {&options.limits.lower, &options.limits.upper}) {
    if (its->size() == model.nu()) continue;
    fail(its == &options.limits.lower ? "limits.lower" : "limits.upper", "size " + std::to_string(its->size()),
         std::to_string(model.nu()) + " (nu of '" + model.name() + "')");
  }
  for (int i = 0; i < model.nu(); ++i) {
    const double low = options.limits.lower[i], high = options.limits.upper[i];
    if (!(low <= high)) {
      fail("limits of " + model.input_info()[i].name, number_text(low) + " to " + number_text(high), "lower <= upper");
    }
  }
  for (const int input : options.inputs) {
    if (input >= 0 && input < model.nu()) continue;
    fail("inputs", std::to_string(input), "numbers of inputs, 0 to " + std::to_string(model.nu() - 1));
  }
  if (!(options.tolerance > 0.0)) fail("tolerance", number_text(options.tolerance), "a number > 0 [rad]");
}

}  // namespace

InputLimits input_limits(const Model& model) {
  InputLimits limits{VectorXd::Constant(model.nu(), -k_no_input_limit),
                     VectorXd::Constant(model.nu(), k_no_input_limit)};
  for (const auto& tendon : model.tendons()) {
    if (tendon.slack != Slack::allow) limits.lower[tendon.input] = 0.0;
  }
  return limits;
}

struct InverseStatics::Work final : TargetProblem {
  /// What the steps change; at the solution an equilibrium.
  struct State {
    VectorXd u, q, lambda;
  };

  Work(const Model& its_model, std::vector<FrameTarget> targets, StaticLoads its_loads,
       InverseStaticsOptions its_options)
      : model(its_model),
        loads(std::move(its_loads)),
        options(std::move(its_options)),
        data(model),
        length(reach_of(model, data)),
        unit_q(units_of(model, data, length)),
        frames(model, k_statics_function, std::move(targets), length) {
    if (frames.targets().empty()) {
      throw ArgumentError(std::string(k_statics_function) + ": targets: found none, expected at least one");
    }
    check_static_loads(model, k_statics_function, loads);
    require_few_coordinates(model, k_statics_function);
    if (loads.u.size() == 0) loads.u.setZero(model.nu());
    if (options.limits.lower.size() == 0 && options.limits.upper.size() == 0) options.limits = input_limits(model);
    check_input_limits(model, options);
    free = options.inputs;
    if (free.empty()) {
      for (int i = 0; i < model.nu(); ++i) free.push_back(i);
    }
    if (free.empty()) {
      throw ArgumentError(std::string(k_statics_function) + ": found '" + model.name() +
                          "' without actuators, expected inputs that can hold a frame");
    }
    clamp(loads.u);
    // among the loads there is room for wrenches with which targets pull: `curvature`
    pulls.resize(frames.targets().size());
    for (std::size_t i = 0; i < pulls.size(); ++i) pulls[i].frame = frames.targets()[i].frame;
    external = loads.external;
    external.insert(external.end(), pulls.begin(), pulls.end());
  }

  int nv() const { return model.nv(); }
  int kept() const { return problem->kept(); }
  int free_count() const { return static_cast<int>(free.size()); }
  int row_count() const { return frames.row_count() + nv() + kept(); }
  void clamp(VectorXd& u) const {
    for (const int i : free) u[i] = std::clamp(u[i], options.limits.lower[i], options.limits.upper[i]);
  }
  double room_to(const VectorXd& limits, int i) const { return limits[i] - current.u[i]; }

  // --- the problem of the solver. A step is (dq, dlambda, du of the free inputs); rows are those of the targets, then,
  // as hard ones, what is left of the balance of forces and of the loops.

  bool look(const VectorXd& step, VectorXd& rows) override {
    if (options.heartbeat) options.heartbeat();
    trial = current;
    integrate<double>(model, current.q, VectorXd(step.head(nv())), trial.q);
    normalize<double>(model, trial.q);
    trial.lambda += step.segment(nv(), kept());
    for (int i = 0; i < free_count(); ++i) trial.u[free[static_cast<std::size_t>(i)]] += step[nv() + kept() + i];
    clamp(trial.u);  // against rounding
    if (!weigh(trial)) return false;
    rows.tail(nv() + kept()) = left.cwiseQuotient(row_unit);
    frames.rows(forward_kinematics<double>(model, data, trial.q), rows);
    return true;
  }
  double energy() override {
    double sum = 0.0;
    for (int i = 0; i < free_count(); ++i) {
      const double part = trial.u[free[static_cast<std::size_t>(i)]] / scale[i];
      sum += 0.5 * part * part;
    }
    return sum;
  }
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
    for (int i = 0; i < free_count(); ++i) {
      gradient[nv() + kept() + i] = current.u[free[static_cast<std::size_t>(i)]] / (scale[i] * scale[i]);
    }
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
      for (std::size_t i = 0; i < pulls.size(); ++i) {  // a load stands on the other side of the equation
        ExternalWrench& pull = external[external.size() - pulls.size() + i];
        pull = pulls[i];
        pull.wrench = -part * pulls[i].wrench;
      }
      exists = weigh(aside);
      if (!exists) break;
      stiffness[side] = problem->stiffness(aside.lambda);
      forces[side] = problem->input_forces()(Eigen::all, free);
      G[side] = problem->jacobian();
    }
    for (std::size_t i = external.size() - pulls.size(); i < external.size(); ++i) external[i].wrench = {};
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
    for (int i = 0; i < free_count(); ++i) {
      lower[nv() + kept() + i] = room_to(options.limits.lower, free[static_cast<std::size_t>(i)]);
      upper[nv() + kept() + i] = room_to(options.limits.upper, free[static_cast<std::size_t>(i)]);
    }
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
    for (int i = 0; i < free_count(); ++i) held.u[free[static_cast<std::size_t>(i)]] += change[i];
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
    // inputs of one unit have one scale
    scale.setZero(free_count());
    const auto& info = model.input_info();
    for (int i = 0; i < free_count(); ++i) {
      for (int j = 0; j < free_count(); ++j) {
        const bool alike = info[free[static_cast<std::size_t>(i)]].unit == info[free[static_cast<std::size_t>(j)]].unit;
        if (alike) scale[i] = std::max(scale[i], unit[first + j]);
      }
    }
    VectorXd tolerance(row_count());
    tolerance << frames.tolerances(options.tolerance), VectorXd::Constant(nv() + kept(), k_rest_tolerance);
    solver.emplace(unit, frames.row_count(), nv() + kept(), tolerance);
  }

  // --- the search

  /// Friction counts from q0 with closed loops, unless the loads say another place.
  void begin_friction(const VectorXd& q0) {
    if (model.site_laws().empty() || (has_own_start && loads.start.size() > 0)) return;
    has_own_start = false;
    loads.start = q0;
    if (model.loops().empty()) return;
    ConstraintData constraints(model);
    close_loops(model, data, constraints, loads.start);
  }
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
    const auto amount = [i](int k) {
      const double part = 0.6180339887498949 * (k + 1.0 + 7.0 * i);
      return k_input_scatter * i * (2.0 * (part - std::floor(part)) - 1.0);
    };
    const bool elsewhere = is_held_at_q0 && i % 2 == 0;
    const VectorXd& sizes = is_held_at_q0 ? strong : scale;
    if (elsewhere) {
      for (int k = 0; k < nv(); ++k) turn[k] = amount(k) * unit_q[k];
      integrate<double>(model, q0, turn, q);
      normalize<double>(model, q);
    } else {
      for (int k = 0; k < free_count(); ++k) u[free[static_cast<std::size_t>(k)]] += amount(k) * sizes[k];
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
  const InverseStaticsResult& describe() {
    weigh(current);
    const std::string opened = problem->describe(current.lambda, result.equilibrium);
    if (!opened.empty()) throw StaticsError(std::string(k_statics_function) + ": " + opened);
    frames.errors(forward_kinematics<double>(model, data, current.q), result.errors);
    result.residual = 0.0;
    for (const TargetError& error : result.errors) {
      result.residual = std::max({result.residual, error.position, error.angle});
    }
    result.u = current.u;
    result.iterations = solver->iterations();
    result.active_limits.clear();
    for (const int i : free) {
      const double rounding = 1e-9 * std::max(std::abs(current.u[i]), 1e-12);
      if (current.u[i] - options.limits.lower[i] <= rounding || options.limits.upper[i] - current.u[i] <= rounding) {
        result.active_limits.push_back(i);
      }
    }
    return result;
  }

  const Model& model;
  StaticLoads loads;
  InverseStaticsOptions options;
  Data data;
  double length;
  VectorXd unit_q;
  FrameTargets frames;
  std::vector<int> free;  ///< inputs that may change
  std::vector<ExternalWrench> external, pulls;
  VectorXd unit;      ///< of each unknown: q, lambda, free inputs
  VectorXd row_unit;  ///< of balance and loops
  VectorXd scale;     ///< of each free input, for their squares
  VectorXd strong;    ///< of each free input: it does as much as what resists most
  double largest_energy = 1.0;
  bool starts_held = false;
  bool has_own_start = true;  ///< loads.start is the caller's
  std::optional<StaticProblem> problem;
  std::optional<TargetSolver> solver;
  State current, trial, nearly_held;
  VectorXd unknowns, left;
  MatrixXd by_q;
  InverseStaticsResult result;
};

InverseStatics::InverseStatics(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads,
                               InverseStaticsOptions options)
    : work_(std::make_unique<Work>(model, std::move(targets), std::move(loads), std::move(options))) {}
InverseStatics::InverseStatics(InverseStatics&&) noexcept = default;
InverseStatics& InverseStatics::operator=(InverseStatics&&) noexcept = default;
InverseStatics::~InverseStatics() = default;

void InverseStatics::set_goal(int target, const Pose& world_frame) {
  work_->frames.set_goal("InverseStatics::set_goal", target, world_frame);
}
void InverseStatics::set_direction(int target, const Vector3& world_direction) {
  work_->frames.set_direction("InverseStatics::set_direction", target, world_direction);
}

const InverseStaticsResult& InverseStatics::solve(VectorInT<double> q0) {
  Work& work = *work_;
  check_configuration_argument(work.model, k_statics_function, "q0", q0);
  work.result.converged = work.result.least_inputs = false;
  work.begin_friction(q0);
  work.search_from_many_starts(q0);
  return work.describe();
}

const InverseStaticsResult& InverseStatics::solve_from_last() {
  Work& work = *work_;
  if (!work.solver) {
    throw ArgumentError("InverseStatics::solve_from_last: found no equilibrium yet, expected a call of solve before");
  }
  work.result.converged = work.result.least_inputs = false;
  work.solver->count_anew();
  const auto last = work.current;
  work.result.converged = work.search_nearby() || work.search();
  if (!work.result.converged) {
    if (!(work.misfit_at_rest() < k_no_input_limit)) work.current = last;
    work.solver->forget();
  }
  return work.describe();
}

InverseStaticsResult inverse_statics(const Model& model, const std::vector<FrameTarget>& targets,
                                     const StaticLoads& loads, VectorInT<double> q0,
                                     const InverseStaticsOptions& options) {
  return InverseStatics(model, targets, loads, options).solve(q0);
}

}  // namespace cuttle
