#include "cuttle/algorithms/statics.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "algorithms/contact_passage.h"
#include "algorithms/equilibrium_family.h"
#include "algorithms/settling.h"
#include "cuttle/algorithms/held_equilibrium.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_first_load_step = 0.25, k_shortest_load_step = 1.0 / 4096.0;
/// The same of robots that touch: what needs shorter ones settles otherwise, and sooner.
constexpr double k_shortest_touching_step = 1.0 / 512.0;
/// Longer ways [rad or m] within one load step could end on another branch of equilibria than the load leads to.
constexpr double k_longest_way = 0.5;
/// Of the coordinates: with more modes than that, matrices cost less than a basis of vectors.
constexpr double k_part_of_modes = 0.1;

/// What touches an obstacle is to stop within a penetration that is tiny beside the way that free links would go.
constexpr int k_most_halvings_of_contacts = 40;

/// Coordinates that no force answers to, in the state in which `problem` last began; empty if there are none.
std::string what_moves_freely(const Model& model, StaticProblem& problem, const VectorXd& lambda) {
  constexpr double k_no_force = 1e-13;  // beside the largest singular value of the tangent
  constexpr double k_takes_part = 0.5;
  const int nv = model.nv(), n = nv + problem.kept();
  VectorXd z = VectorXd::Zero(n), left(n);
  z.tail(problem.kept()) = lambda;
  MatrixXd tangent = MatrixXd::Zero(n, n);
  std::string trouble;
  if (nv == 0 || !problem.equations(z, left, trouble)) return "";
  problem.tangent(z, tangent);
  if (!tangent.allFinite()) return "";
  const Eigen::JacobiSVD<MatrixXd> svd(tangent, Eigen::ComputeFullV);
  if (svd.singularValues()[n - 1] > k_no_force * svd.singularValues()[0]) return "";
  const VectorXd motion = svd.matrixV().col(n - 1).head(nv).cwiseAbs();
  if (!(motion.maxCoeff() > 0.0)) return "";
  std::string text;
  for (int i = 0; i < nv; ++i) {
    if (!(motion[i] > k_takes_part * motion.maxCoeff())) continue;
    text += (text.empty() ? "nothing holds " : ", ") + model.velocity_info()[static_cast<std::size_t>(i)].name +
            " (link '" + model.link_of_velocity(i) + "')";
  }
  return text;
}

/// @throws StaticsError if closing loops has moved what is held.
void check_held(const char* function, const Model& model, const VectorXd& given, const VectorXd& closed,
                std::span<const char> held) {
  VectorXd moved(model.nv());
  difference<double>(model, given, closed, moved);
  for (int i = 0; i < model.nv(); ++i) {
    if (held[static_cast<std::size_t>(i)] == 0 || std::abs(moved[i]) <= 1e-9) continue;
    throw StaticsError(std::string(function) + ": found " + model.velocity_info()[static_cast<std::size_t>(i)].name +
                       " (link '" + model.link_of_velocity(i) + "') held where the loops of '" + model.name() +
                       "' cannot be closed, expected a place where they can, as " + number_text(moved[i]) + " further");
  }
}

/// The configuration near q in which all loops are closed. @throws SimulationError
VectorXd with_closed_loops(const Model& model, Data& data, VectorXd q) {
  if (model.loops().empty()) return q;
  ConstraintData constraints(model);
  close_loops(model, data, constraints, q);
  return q;
}

/// What guards the way of a robot that touches obstacles; nothing for others.
std::optional<ContactPassage> passage_of(const Model& model, const StaticLoads& loads) {
  if (model.site_laws().empty()) return std::nullopt;
  return std::make_optional<ContactPassage>(model, loads.state_loads_at.value_or(k_rest_time));
}

/// From `result.q` with closed loops to the equilibrium. @return why not, and how far it came; empty if it did.
std::string follow(const Model& model, StaticProblem& problem, std::optional<ContactPassage>& passage,
                   double first_step, const std::function<void(double)>& progress,
                   const std::function<void()>& heartbeat, StaticEquilibrium& result, VectorXd& lambda) {
  const int nv = model.nv();
  NewtonSolver newton(nv + problem.kept(), nv, !problem.follows_tree());
  if (problem.is_sparse()) newton.set_good_contraction(k_sparse_contraction);
  if (!model.site_laws().empty()) newton.set_most_halvings(k_most_halvings_of_contacts);
  const double shortest = passage ? k_shortest_touching_step : k_shortest_load_step;
  double done = 0.0, step = first_step;
  VectorXd z = VectorXd::Zero(nv + problem.kept());
  lambda = z.tail(problem.kept());
  while (done < 1.0) {
    const double target = std::min(1.0, done + step);
    problem.begin(result.q, target);
    z.head(nv).setZero(), z.tail(problem.kept()) = lambda;
    const bool converged = newton.solve(problem, z);
    result.iterations += static_cast<int>(newton.iterations().size());
    if (heartbeat) heartbeat();
    const double way = nv > 0 ? z.head(nv).cwiseAbs().maxCoeff() : 0.0;
    const std::string through = converged && passage ? passage->between(result.q, problem.q()) : "";
    if (converged && through.empty() && (way <= k_longest_way || step <= 2.0 * shortest)) {
      result.q = problem.q(), lambda = z.tail(problem.kept());
      done = target;
      if (way < 0.5 * k_longest_way) step *= 2.0;
      ++result.load_steps;
      if (progress) progress(done);
      continue;
    }
    newton.forget_tangent();
    step *= 0.5;
    if (step >= shortest) continue;
    std::string where;
    if (!newton.iterations().empty()) {
      const auto& last = newton.iterations().back();
      where = "; the largest force out of balance is " + number_text(last.residual) + " on " +
              model.velocity_info()[last.worst].name + " (link '" + model.link_of_velocity(last.worst) + "')";
    }
    problem.begin(result.q, target);
    const std::string loose = problem.is_sparse() ? "" : what_moves_freely(model, problem, lambda);
    const std::string begins =
        done > 0.0
            ? fmt::format("gravity, inputs and loads, which grow together, reached {} % of their values: beyond, ",
                          number_text(100.0 * done))
            : "not even a small part of gravity, inputs and loads is balanced: ";
    if (!through.empty()) return fmt::format("{}{}", begins, through);
    if (loose.empty()) return fmt::format("{}{}{}", begins, newton.trouble(), where);
    return fmt::format("{}{}{}; a spring, an input or holding the coordinate would help", begins, loose, where);
  }
  return "";
}

/// To an equilibrium through where no force answers to a coordinate, as a motor within the gap of an element `play`:
/// the robot creeps, dragged back to where each step begins (implicit Euler steps of D dq/dt = imbalance), until
/// Newton's method finds the rest. Nothing, if it does not get anywhere.
std::optional<StaticEquilibrium> creep(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& start,
                                       const std::function<void()>& heartbeat) {
  constexpr int k_most_steps = 200;
  constexpr double k_way = 0.02;  // of one step [rad or m]
  StaticProblem problem(model, data, loads, start, Stepping::imbalance);
  const int nv = model.nv();
  NewtonSolver newton(nv + problem.kept(), nv, !problem.follows_tree());
  VectorXd q = start, z = VectorXd::Zero(nv + problem.kept()), lambda = z.tail(problem.kept()), left(z.size());
  std::string trouble;
  problem.begin(q, 1.0);
  if (!problem.equations(z, left, trouble) || what_moves_freely(model, problem, lambda).empty()) return std::nullopt;
  problem.begin(q, 1.0);
  double drag = left.head(nv).cwiseAbs().maxCoeff() / k_way;
  for (int step = 0; step < k_most_steps && drag > 0.0 && std::isfinite(drag); ++step) {
    problem.begin(q, 1.0);
    problem.drag(drag);
    z.head(nv).setZero(), z.tail(problem.kept()) = lambda;
    const bool converged = newton.solve(problem, z);
    if (heartbeat) heartbeat();
    const double way = z.head(nv).cwiseAbs().maxCoeff();
    if (!converged || way > 5.0 * k_way) {
      newton.forget_tangent();
      drag *= 4.0;
      continue;
    }
    q = problem.q(), lambda = z.tail(problem.kept());
    if (way < k_way) drag *= 0.5;
    problem.begin(q, 1.0);
    problem.drag(0.0);
    if (!what_moves_freely(model, problem, lambda).empty()) continue;
    if (auto found = equilibrium_near(model, data, loads, q)) return found;
  }
  return std::nullopt;
}

/// @param holding_force  with `held`: gets what holds these coordinates.
StaticEquilibrium find_equilibrium(const char* function, const Model& model, Data& data, const StaticLoads& loads,
                                   VectorInT<double> q0, const std::function<void(double)>& progress,
                                   const std::function<void()>& heartbeat, std::span<const char> held,
                                   VectorXd& holding_force) {
  check_workspace(model, function, "data", data);
  check_configuration_argument(model, function, "q0", q0);
  const bool sparse = needs_sparse_tangent(model);
  if (!sparse) require_few_coordinates(model, function);
  check_static_loads(model, function, loads);
  VectorXd start = q0;
  if (!model.loops().empty()) {
    ConstraintData constraints(model);
    close_loops(model, data, constraints, start, held);
    if (!held.empty()) check_held(function, model, q0, start, held);
  }
  StaticEquilibrium result;
  StaticLoads acting = loads;
  std::optional<ContactPassage> passage = passage_of(model, loads);
  if (passage && acting.start.size() == 0) acting.start = start;
  if (passage) {
    const std::string deep = passage->between_sides(start);
    if (!deep.empty()) {
      throw StaticsError(std::string(function) + ": found no equilibrium: where the search begins, " + deep +
                         ": expected a start on one side");
    }
  }
  std::string trouble;
  const auto come_to_rest = [&](const VectorXd& from) -> std::optional<StaticEquilibrium> {
    std::string why;
    auto found = settle(model, data, acting, held, from, heartbeat, why, holding_force);
    if (found) why = passage->at(found->q);
    if (!found || !why.empty()) {
      if (trouble.find(why) == std::string::npos) trouble += "; released from there: " + why;
      return std::nullopt;
    }
    found->all_at_once = true, found->load_steps = result.load_steps, found->iterations += result.iterations;
    return found;
  };
  const auto better = [&](const StaticEquilibrium& unstable) {
    if (sparse) return unstable;  // what lies beside it is found by matrices
    auto found = passage ? settle_beside(model, data, acting, unstable, heartbeat)
                         : better_equilibrium(model, loads, start, unstable, heartbeat);
    if (found && passage && !passage->at(found->q).empty()) found.reset();
    if (!found) return unstable;
    found->load_steps = unstable.load_steps, found->iterations = unstable.iterations;
    found->by_path = true;
    return *found;
  };
  for (const Stepping stepping : {Stepping::loads, Stepping::imbalance}) {
    StaticProblem problem(model, data, acting, start, stepping);
    if (sparse) problem.require_tree();
    problem.hold(held);
    VectorXd lambda;
    result.q = start, result.load_steps = 0;
    result.all_at_once = stepping == Stepping::imbalance;
    std::string why = follow(model, problem, passage, k_first_load_step, progress, heartbeat, result, lambda);
    if (why.empty()) {
      const std::string opened = problem.describe(lambda, result);
      if (!opened.empty()) why = "the loops cannot stay closed: " + opened;
    }
    if (why.empty() && passage) why = passage->at(result.q);
    if (why.empty()) {
      holding_force = problem.holding_force();
      return result.stability == Stability::unstable && held.empty() ? better(result) : result;
    }
    if (trouble.empty()) trouble = why;
    if (!passage || stepping != Stepping::loads) continue;
    auto found = come_to_rest(result.q);
    if (!found && result.load_steps > 0) found = come_to_rest(start);
    if (found) return found->stability == Stability::unstable && held.empty() ? better(*found) : *found;
  }
  if (held.empty() && !passage && !sparse && !model.elements().empty()) {  // springs act beyond gaps too
    if (auto found = creep(model, data, loads, start, heartbeat)) {
      found->all_at_once = true;
      return *found;
    }
  }
  throw StaticsError(std::string(function) + ": found no equilibrium: " + trouble);
}

}  // namespace

StaticEquilibrium static_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                     const std::function<void(double)>& progress,
                                     const std::function<void()>& heartbeat) {
  VectorXd none;
  return find_equilibrium("static_equilibrium", model, data, loads, q0, progress, heartbeat, {}, none);
}

HeldEquilibrium held_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                 std::span<const char> held) {
  if (static_cast<int>(held.size()) != model.nv()) {
    throw ArgumentError("held_equilibrium: held: found size " + std::to_string(held.size()) + ", expected " +
                        std::to_string(model.nv()) + " (nv of '" + model.name() + "')");
  }
  HeldEquilibrium result;
  result.equilibrium = find_equilibrium("held_equilibrium", model, data, loads, q0, {}, {}, held, result.holding_force);
  return result;
}

StaticLoads with_friction_from(const Model& model, Data& data, StaticLoads loads, VectorInT<double> q0) {
  if (model.site_laws().empty() || loads.start.size() > 0) return loads;
  loads.start = with_closed_loops(model, data, q0);
  return loads;
}

std::optional<StaticEquilibrium> equilibrium_near(const Model& model, Data& data, const StaticLoads& loads,
                                                  const VectorXd& q) {
  StaticEquilibrium result;
  result.q = with_closed_loops(model, data, q);
  StaticProblem problem(model, data, loads, result.q, Stepping::imbalance);
  if (needs_sparse_tangent(model)) problem.require_tree();
  VectorXd lambda;
  auto passage = passage_of(model, loads);
  if (!follow(model, problem, passage, 1.0, {}, {}, result, lambda).empty()) return std::nullopt;
  if (!problem.describe(lambda, result).empty()) return std::nullopt;
  if (passage && !passage->at(result.q).empty()) return std::nullopt;
  return result;
}

StaticEquilibrium unloaded_equilibrium(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& q0,
                                       const std::function<void()>& heartbeat) {
  constexpr int k_most_steps = 2000;
  constexpr double k_way = 0.05;                             // of one step [rad or m]
  constexpr double k_still = 1e-13;                          // the same
  constexpr double k_least_drag = 1e-4, k_most_drag = 1e20;  // [1/s^2]: the least is far below squares of frequencies
  StaticEquilibrium result;
  result.q = with_closed_loops(model, data, q0);
  StaticProblem problem(model, data, loads, result.q, Stepping::unloaded);
  if (needs_sparse_tangent(model)) problem.require_tree();
  const int nv = model.nv();
  NewtonSolver newton(nv + problem.kept(), nv, !problem.follows_tree());
  auto passage = passage_of(model, loads);
  VectorXd z = VectorXd::Zero(nv + problem.kept()), lambda = z.tail(problem.kept()), left = z;
  std::string trouble;
  const auto fail = [&](const std::string& why) {
    return StaticsError(
        "follow_equilibria: found no equilibrium without gravity, inputs and loads, where paths of these begin: " +
        why);
  };
  // downhill, dragged back to where each step begins: also where nothing holds a part of the robot
  problem.begin(result.q, 1.0);
  if (!problem.equations(z, left, trouble)) throw fail(trouble);
  problem.drag_on_inertia(result.q);
  double drag = nv > 0 ? problem.dragged_way(left.head(nv)).cwiseAbs().maxCoeff() / k_way : 0.0;
  double way = k_way;
  for (int step = 0; nv > 0 && (way > k_still || drag > k_least_drag); ++step) {
    drag = std::max(drag, k_least_drag);
    if (step == k_most_steps || !(drag < k_most_drag))
      throw fail(trouble.empty() ? "it does not come to rest" : trouble);
    problem.begin(result.q, 1.0);
    problem.drag(drag);
    z.head(nv).setZero(), z.tail(problem.kept()) = lambda;
    const bool converged = newton.solve(problem, z);
    if (heartbeat) heartbeat();
    trouble = converged && passage ? passage->between(result.q, problem.q()) : newton.trouble();
    way = z.head(nv).cwiseAbs().maxCoeff();
    if (!converged || !trouble.empty() || way > 2.0 * k_way) {
      newton.forget_tangent();
      drag *= 4.0, way = k_way;
      continue;
    }
    result.q = problem.q(), lambda = z.tail(problem.kept());
    if (way < k_way) drag *= 0.25;
  }
  problem.begin(result.q, 1.0);
  problem.drag(0.0);
  z.head(nv).setZero(), z.tail(problem.kept()) = lambda;
  if (!problem.equations(z, left, trouble)) throw fail(trouble);
  const std::string opened = problem.describe(lambda, result);
  if (!opened.empty()) throw fail(opened);
  return result;
}

namespace {

/// The problem of this equilibrium, at it. @throws ArgumentError for a function.
StaticProblem problem_at(const Model& model, Data& data, const StaticLoads& loads, const StaticEquilibrium& equilibrium,
                         const char* function) {
  check_workspace(model, function, "data", data);
  check_configuration_argument(model, function, "equilibrium.q", equilibrium.q);
  check_static_loads(model, function, loads);
  return {model, data, loads_of(loads, equilibrium), equilibrium.q, Stepping::imbalance};
}

}  // namespace

LinearizedMotion linearized_motion(const Model& model, Data& data, const StaticLoads& loads,
                                   const StaticEquilibrium& equilibrium) {
  require_few_coordinates(model, "linearized_motion");
  StaticProblem problem = problem_at(model, data, loads, equilibrium, "linearized_motion");
  problem.begin(equilibrium.q, 1.0);
  return problem.linearized(problem.kept_of(equilibrium.multipliers));
}

std::vector<Mode> lowest_modes(const Model& model, Data& data, const StaticLoads& loads,
                               const StaticEquilibrium& equilibrium, int count) {
  if (count < 1) fail_argument("lowest_modes", {"count"}, std::to_string(count), "at least 1");
  StaticProblem problem = problem_at(model, data, loads, equilibrium, "lowest_modes");
  if (needs_sparse_tangent(model)) problem.require_tree();
  problem.begin(equilibrium.q, 1.0);
  const VectorXd lambda = problem.kept_of(equilibrium.multipliers);
  if (problem.has_tree_modes() && count < k_part_of_modes * model.nv()) return problem.modes_along_tree(lambda, count);
  require_few_coordinates(model, "lowest_modes");
  std::vector<Mode> all = modes(problem.linearized(lambda));
  if (static_cast<int>(all.size()) > count) all.resize(static_cast<std::size_t>(count));
  return all;
}

std::vector<ExternalWrench> loads_at(const Model& model, double time) {
  std::vector<ExternalWrench> loads(load_wrench_count(model));
  load_wrenches<double>(model, time, loads);
  return loads;
}

}  // namespace cuttle
