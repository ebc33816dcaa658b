#include "cuttle/algorithms/statics.h"

#include <algorithm>
#include <string>

#include "algorithms/equilibrium_family.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_first_load_step = 0.25, k_shortest_load_step = 1.0 / 4096.0;
/// Longer ways [rad or m] within one load step could end on another branch of equilibria than the load leads to.
constexpr double k_longest_way = 0.5;

/// From `result.q` with closed loops to the equilibrium. @return why not, and how far it came; empty if it did.
std::string follow(const Model& model, StaticProblem& problem, double first_step,
                   const std::function<void(double)>& progress, const std::function<void()>& heartbeat,
                   StaticEquilibrium& result, VectorXd& lambda) {
  const int nv = model.nv();
  NewtonSolver newton(nv + problem.kept(), nv);
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
    return "beyond " + number_text(100.0 * done) + " % of the load: " + newton.trouble() + where;
  }
  return "";
}

}  // namespace

StaticEquilibrium static_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                     const std::function<void(double)>& progress,
                                     const std::function<void()>& heartbeat) {
  check_workspace(model, "static_equilibrium", "data", data);
  check_configuration_argument(model, "static_equilibrium", "q0", q0);
  require_few_coordinates(model, "static_equilibrium");
  check_static_loads(model, "static_equilibrium", loads);
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
    std::string why = follow(model, problem, k_first_load_step, progress, heartbeat, result, lambda);
    if (why.empty()) {
      const std::string opened = problem.describe(lambda, result);
      if (!opened.empty()) why = "with closed loops: " + opened;
    }
    if (!why.empty()) {
      if (trouble.empty()) trouble = why;
      continue;
    }
    if (result.stability != Stability::unstable) return result;
    if (auto better = better_equilibrium(model, loads, start, result, heartbeat)) {
      better->load_steps = result.load_steps, better->iterations = result.iterations;
      better->by_path = true;
      return *better;
    }
    return result;
  }
  throw StaticsError("static_equilibrium: found none " + trouble);
}

std::optional<StaticEquilibrium> equilibrium_near(const Model& model, Data& data, const StaticLoads& loads,
                                                  const VectorXd& q) {
  StaticEquilibrium result;
  result.q = q;
  if (!model.loops().empty()) {
    ConstraintData constraints(model);
    close_loops(model, data, constraints, result.q);
  }
  StaticProblem problem(model, data, loads, result.q, Stepping::imbalance);
  VectorXd lambda;
  if (!follow(model, problem, 1.0, {}, {}, result, lambda).empty()) return std::nullopt;
  if (!problem.describe(lambda, result).empty()) return std::nullopt;
  return result;
}

LinearizedMotion linearized_motion(const Model& model, Data& data, const StaticLoads& loads,
                                   const StaticEquilibrium& equilibrium) {
  check_workspace(model, "linearized_motion", "data", data);
  check_configuration_argument(model, "linearized_motion", "equilibrium.q", equilibrium.q);
  require_few_coordinates(model, "linearized_motion");
  check_static_loads(model, "linearized_motion", loads);
  StaticProblem problem(model, data, loads_of(loads, equilibrium), equilibrium.q, Stepping::imbalance);
  problem.begin(equilibrium.q, 1.0);
  return problem.linearized(problem.kept_of(equilibrium.multipliers));
}

std::vector<ExternalWrench> loads_at(const Model& model, double time) {
  std::vector<ExternalWrench> loads(load_wrench_count(model));
  load_wrenches<double>(model, time, loads);
  return loads;
}

}  // namespace cuttle
