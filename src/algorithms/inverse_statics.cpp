#include "cuttle/algorithms/inverse_statics.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/frame_targets.h"
#include "algorithms/static_problem.h"
#include "algorithms/sweep.h"
#include "algorithms/target_solver.h"
#include "algorithms/target_units.h"
#include "cuttle/algorithms/kinematics.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr const char* k_statics_function = "inverse_statics";
constexpr double k_no_input_limit = std::numeric_limits<double>::infinity();
constexpr double k_longest_follow = 0.7;  // of an equilibrium that follows its inputs, in units of the coordinates
constexpr double k_idle_motion = 1e-9;    // units of motion [1 / unit of the input]: less moves nothing
constexpr double k_input_scatter = 0.3;   // of other starts, in units of motion

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
  /// An equilibrium under inputs.
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
    for (const int i : free) loads.u[i] = std::clamp(loads.u[i], options.limits.lower[i], options.limits.upper[i]);
  }

  // --- the problem of the solver: steps change the free inputs

  bool look(const VectorXd& step, VectorXd& rows) override {
    trial = current;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const int k = free[i];
      trial.u[k] =
          std::clamp(current.u[k] + step[static_cast<int>(i)], options.limits.lower[k], options.limits.upper[k]);
    }
    if (trial.u != current.u) {
      VectorXd way = VectorXd::Zero(model.nv());
      if (sensitivity.size() > 0) {
        way = sensitivity.topRows(model.nv()) * step;
        trial.lambda += sensitivity.bottomRows(problem->kept()) * step;
      }
      if (way.cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>() > k_longest_follow) return false;
      integrate<double>(model, current.q, way, trial.q);
      normalize<double>(model, trial.q);
      if (!balance(trial)) return false;
    }
    frames.rows(forward_kinematics<double>(model, data, trial.q), rows);
    return true;
  }
  double energy() override {
    double sum = 0.0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const double part = trial.u[free[i]] / scale[static_cast<int>(i)];
      sum += 0.5 * part * part;
    }
    return sum;
  }
  void move() override { current = trial; }
  void slopes(MatrixXd& jacobian, VectorXd& gradient) override {
    find_sensitivity();
    sweep::outward<MotionLevel::pose, false, true, double>(model, data, current.q.data(), nullptr, nullptr, {});
    sweep::world_poses(model, data);
    MatrixXd by_q(frames.row_count(), model.nv());
    frames.jacobian(model, data, by_q);
    jacobian.noalias() = by_q * sensitivity.topRows(model.nv());
    for (std::size_t i = 0; i < free.size(); ++i) {
      const double s = scale[static_cast<int>(i)];
      gradient[static_cast<int>(i)] = current.u[free[i]] / (s * s);
    }
  }
  /// Of the inputs alone: that of the rows q(u) would need third derivatives of energies.
  void curvature(const VectorXd& /*multipliers*/, MatrixXd& result_matrix) override {
    result_matrix.setZero();
    result_matrix.diagonal() = scale.array().square().inverse();
  }
  void room(VectorXd& lower, VectorXd& upper) override {
    for (std::size_t i = 0; i < free.size(); ++i) {
      lower[static_cast<int>(i)] = options.limits.lower[free[i]] - current.u[free[i]];
      upper[static_cast<int>(i)] = options.limits.upper[free[i]] - current.u[free[i]];
    }
  }

  // --- equilibria

  /// Moves the configuration of a state into the equilibrium under its inputs, if there is one nearby.
  bool balance(State& state) {
    problem->set_inputs(state.u);
    problem->begin(state.q, 1.0);
    VectorXd z = VectorXd::Zero(model.nv() + problem->kept());
    z.tail(problem->kept()) = state.lambda;
    newton->forget_tangent();
    if (!newton->solve(*problem, z)) return false;
    if (z.head(model.nv()).cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>() > k_longest_follow) return false;
    state.q = problem->q(), state.lambda = z.tail(problem->kept());
    return true;
  }
  /// dq/du and dlambda/du: [K G^T; G 0] (dq; dlambda) = (A; 0) du.
  void find_sensitivity() {
    problem->set_inputs(current.u);
    problem->begin(current.q, 1.0);
    const int nv = model.nv(), kept = problem->kept();
    VectorXd z = VectorXd::Zero(nv + kept), left(nv + kept);
    z.tail(kept) = current.lambda;
    std::string trouble;
    problem->equations(z, left, trouble);
    MatrixXd tangent = MatrixXd::Zero(nv + kept, nv + kept);
    problem->tangent(z, tangent);
    MatrixXd right = MatrixXd::Zero(nv + kept, static_cast<Eigen::Index>(free.size()));
    right.topRows(nv) = problem->input_forces()(Eigen::all, free);
    sensitivity = Eigen::PartialPivLU<MatrixXd>(tangent).solve(right);
  }
  /// An equilibrium to start from, under the inputs of the loads.
  void begin(const VectorXd& q0, const VectorXd& u) {
    StaticLoads first = loads;
    first.u = u;
    const StaticEquilibrium found = static_equilibrium(model, data, first, q0);
    problem.emplace(model, data, first, found.q, Stepping::imbalance);
    newton.emplace(model.nv() + problem->kept(), model.nv());
    current = {u, found.q, problem->kept_of(found.multipliers)};
    sensitivity.resize(0, 0);
    find_sensitivity();
    if (!solver) make_solver();
  }
  /// Units of the inputs: what moves some coordinate by about a radian. Inputs of one unit have one scale.
  void make_solver() {
    const int n = static_cast<int>(free.size());
    VectorXd unit(n);
    double least_motion = k_no_input_limit;
    for (int i = 0; i < n; ++i) {
      const double motion = sensitivity.col(i).head(model.nv()).cwiseQuotient(unit_q).lpNorm<Eigen::Infinity>();
      unit[i] = motion > k_idle_motion && std::isfinite(motion) ? 1.0 / motion : 0.0;
      if (unit[i] > 0.0) least_motion = std::min(least_motion, unit[i]);
    }
    scale.resize(n);
    for (int i = 0; i < n; ++i) {
      if (unit[i] == 0.0) unit[i] = std::isfinite(least_motion) ? least_motion : 1.0;
    }
    for (int i = 0; i < n; ++i) {
      scale[i] = 0.0;
      for (int j = 0; j < n; ++j) {
        if (model.input_info()[free[i]].unit == model.input_info()[free[j]].unit)
          scale[i] = std::max(scale[i], unit[j]);
      }
    }
    solver.emplace(unit, frames.row_count(), 0, frames.tolerances(options.tolerance));
  }

  bool search() {
    solver->forget();
    if (!solver->reach(*this, false, options.most_iterations)) return false;
    const State reached = current;
    result.least_inputs = solver->settle(*this, options.most_iterations) && solver->reached();
    if (!result.least_inputs) current = reached;
    return true;
  }
  void search_from_many_starts(const VectorXd& q0) {
    double least = k_no_input_limit;
    State nearest;
    for (int i = 0; i < std::max(1, options.most_starts); ++i) {
      if (i > 0) {
        VectorXd u = loads.u;
        for (std::size_t k = 0; k < free.size(); ++k) {
          const double part = 0.6180339887498949 * (static_cast<double>(k) + 1.0 + 7.0 * i);
          const double amount = k_input_scatter * i * (2.0 * (part - std::floor(part)) - 1.0);
          u[free[k]] = std::clamp(u[free[k]] + amount * scale[static_cast<int>(k)], options.limits.lower[free[k]],
                                  options.limits.upper[free[k]]);
        }
        try {
          begin(q0, u);
        } catch (const Error&) {
          continue;
        }
      }
      if (search()) {
        result.converged = true;
        return;
      }
      const double misfit = solver->rows().norm();
      if (misfit < least) least = misfit, nearest = current;
    }
    if (least < k_no_input_limit) current = nearest;
  }
  const InverseStaticsResult& describe() {
    balance(current);
    problem->describe(current.lambda, result.equilibrium);
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
  VectorXd scale;         ///< of each, for their squares
  std::optional<StaticProblem> problem;
  std::optional<NewtonSolver> newton;
  std::optional<TargetSolver> solver;
  State current, trial;
  MatrixXd sensitivity;  ///< (dq; dlambda) by the free inputs at the current state
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
  work.begin(q0, work.loads.u);
  work.solver->count_anew();
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
  work.result.converged = work.search();
  return work.describe();
}

InverseStaticsResult inverse_statics(const Model& model, const std::vector<FrameTarget>& targets,
                                     const StaticLoads& loads, VectorInT<double> q0,
                                     const InverseStaticsOptions& options) {
  return InverseStatics(model, targets, loads, options).solve(q0);
}

}  // namespace cuttle
