#include "cuttle/algorithms/inverse_kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/frame_targets.h"
#include "algorithms/sweep.h"
#include "algorithms/target_solver.h"
#include "algorithms/target_units.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/rod_strain.h"
#include "cuttle/elements/joint_limit.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr const char* k_kinematics_function = "inverse_kinematics";
constexpr double k_no_limit = std::numeric_limits<double>::infinity();
constexpr double k_nearly_closed = 1e-9;  // [m, rad]: loops that the steps close by the way
constexpr double k_near_rows = 0.1;       // rows from which the tangent of the last solution still serves
constexpr int k_steps_from_nearby = 12;   // then a whole search is worth more
constexpr double k_same_residual = 1e-6;  // relative: starts that end there found the same nearest configuration
constexpr int k_same_starts = 4;          // so many of them are believed
constexpr double k_start_distances[] = {0.1, 1.0, 2.0, 0.5, 3.0, 1.5, 2.5};  // of other starts [rad]

/// A deterministic number in [-1, 1) for each index: the fractional parts of multiples of the golden ratio.
double golden_part(int index) {
  const double x = 0.6180339887498949 * (index + 1);
  return 2.0 * (x - std::floor(x)) - 1.0;
}

void check_limits(const Model& model, const CoordinateLimits& limits) {
  const auto fail = [](const std::string& what, const std::string& found, const std::string& expected) {
    throw ArgumentError(std::string(k_kinematics_function) + ": options.limits" + what + ": found " + found +
                        ", expected " + expected);
  };
  if (limits.lower.size() == 0 && limits.upper.size() == 0) return;
  for (const VectorXd* its : {&limits.lower, &limits.upper}) {
    if (its->size() == model.nq()) continue;
    fail(its == &limits.lower ? ".lower" : ".upper", "size " + std::to_string(its->size()),
         std::to_string(model.nq()) + " (nq of '" + model.name() + "')");
  }
  for (const Edge& edge : model.topology().edges) {
    for (int i = edge.q; i < edge.q + edge.nq; ++i) {
      const std::string name = " of " + model.configuration_info()[i].name;
      const double low = limits.lower[i], high = limits.upper[i];
      if (!(low <= high)) fail(name, number_text(low) + " to " + number_text(high), "lower <= upper");
      if (edge.nq != edge.nv && (low > -k_no_limit || high < k_no_limit)) {
        fail(name, number_text(low) + " to " + number_text(high), "none on a joint that has a quaternion");
      }
    }
  }
}

}  // namespace

CoordinateLimits joint_limits(const Model& model) {
  CoordinateLimits limits{VectorXd::Constant(model.nq(), -k_no_limit), VectorXd::Constant(model.nq(), k_no_limit)};
  for (const BoundElementT<double>& element : model.elements()) {
    const JointLimit* its = joint_limit_parameters(*element.law);
    if (its == nullptr) continue;
    const auto column = model.element_transmissions().constant.col(element.first);
    for (const Edge& edge : model.topology().edges) {
      if (edge.nq != edge.nv) continue;
      for (int k = 0; k < edge.nv; ++k) {
        if (column[edge.v + k] == 0.0) continue;
        limits.lower[edge.q + k] = std::max(limits.lower[edge.q + k], its->lower);
        limits.upper[edge.q + k] = std::min(limits.upper[edge.q + k], its->upper);
      }
    }
  }
  return limits;
}

struct InverseKinematics::Work final : TargetProblem {
  Work(const Model& its_model, std::vector<FrameTarget> targets, InverseKinematicsOptions its_options)
      : model(its_model),
        options(std::move(its_options)),
        data(model),
        strains(model),
        length(reach_of(model, data)),
        unit(units_of(model, data, length)),
        frames(model, k_kinematics_function, std::move(targets), length),
        q(model.neutral()),
        trial(q),
        start(q),
        best(q),
        nearest(q),
        step(model.nv()),
        multipliers(frames.row_count()),
        loop_multipliers(VectorXd::Zero(model.constraint_count())),
        target_jacobian(frames.row_count(), model.nv()),
        wrenches(frames.targets().size() + 2 * model.loops().size()) {
    if (frames.targets().empty()) {
      throw ArgumentError(std::string(k_kinematics_function) + ": targets: found none, expected at least one");
    }
    if (!(options.tolerance > 0.0)) {
      throw ArgumentError(std::string(k_kinematics_function) + ": options.tolerance: found " +
                          number_text(options.tolerance) + ", expected a number > 0 [rad]");
    }
    check_limits(model, options.limits);
    require_few_coordinates(model, k_kinematics_function);
    if (!model.loops().empty()) constraints.emplace(model);
    if (options.least_energy) {
      derivatives.emplace(model);
      zero.setZero(model.nv());
    }
    result.active_limits.reserve(static_cast<std::size_t>(model.nq()));
    result.q = q;
  }

  bool limited() const { return options.limits.lower.size() > 0; }
  void into_limits(VectorXd& configuration) const {
    if (limited()) configuration = configuration.cwiseMax(options.limits.lower).cwiseMin(options.limits.upper);
  }

  // --- the problem of the solver

  bool look(const VectorXd& displacement, VectorXd& rows) override {
    if (options.heartbeat) options.heartbeat();
    integrate<double>(model, q, displacement, trial);
    normalize<double>(model, trial);
    into_limits(trial);  // against rounding
    if (!exists(trial)) return false;
    try {
      place(trial);
    } catch (const ConfigurationError&) {
      return false;
    } catch (const OverflowError&) {
      return false;
    }
    frames.rows(data.kinematics, rows);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      rows[frames.row_count() + static_cast<int>(i)] = row_weight[static_cast<int>(i)] * constraints->residual[kept[i]];
    }
    return true;
  }
  double energy() override {
    if (!options.least_energy) return 0.0;
    try {
      return elastic_energy<double>(model, data, trial);
    } catch (const Error&) {
      return k_no_limit;
    }
  }
  void move() override { q.swap(trial); }
  void slopes(MatrixXd& jacobian, VectorXd& gradient) override {
    if (options.least_energy) gradient = elastic_force<double>(model, data, q);
    if (constraints) {
      const MatrixXd& G = constraint_jacobian<double>(model, data, *constraints, q);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const int row = static_cast<int>(i);
        jacobian.row(frames.row_count() + row) = row_weight[row] * G.row(kept[i]);
      }
    } else {
      sweep::outward<MotionLevel::pose, false, true, double>(model, data, q.data(), nullptr, nullptr, {});
      sweep::world_poses(model, data);
    }
    frames.jacobian(model, data, target_jacobian);
    jacobian.topRows(frames.row_count()) = target_jacobian;
  }
  void curvature(const VectorXd& all, MatrixXd& result_matrix) override {
    multipliers = all.head(frames.row_count());
    place(q);
    const std::size_t count = frames.targets().size();
    const std::span<ExternalWrench> pulls(wrenches);
    frames.wrenches(data.kinematics, multipliers, pulls.first(count));
    if (constraints) {
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const int row = static_cast<int>(i);
        loop_multipliers[kept[i]] = row_weight[row] * all[frames.row_count() + row];
      }
      constraint_wrenches<double>(model, data, *constraints, q, loop_multipliers, pulls.subspan(count));
    }
    // what targets and loops pull is a load on the other side of the equation
    for (ExternalWrench& pull : wrenches) pull.wrench = -1.0 * pull.wrench;
    inverse_dynamics_derivatives(model, data, *derivatives, q, zero, zero, {nullptr, wrenches, 0.0});
    MatrixXd& K = derivatives->by_q;
    if (constraints) K += constraint_wrench_derivative<double>(model, data, *constraints, q, loop_multipliers);
    frames.add_turning(data.kinematics, multipliers, K);
    // second derivatives along the exponential map: symmetric but for rotations, of which that is the mean
    for (int i = 0; i < model.nv(); ++i) {
      for (int j = 0; j < model.nv(); ++j) result_matrix(i, j) = 0.5 * (K(i, j) + K(j, i));
    }
  }
  void room(VectorXd& lower, VectorXd& upper) override {
    lower.setConstant(-k_no_limit), upper.setConstant(k_no_limit);
    if (!limited()) return;
    for (const Edge& edge : model.topology().edges) {
      if (edge.nq != edge.nv) continue;
      for (int k = 0; k < edge.nv; ++k) {
        lower[edge.v + k] = options.limits.lower[edge.q + k] - q[edge.q + k];
        upper[edge.v + k] = options.limits.upper[edge.q + k] - q[edge.q + k];
      }
    }
  }

  // --- the search

  /// Whether the robot can have that shape: rods have a length, and no volume folds onto itself, of which the sweep
  /// over its ports would not know.
  bool exists(const VectorXd& configuration) {
    if (!strains.runs_forward(configuration)) return false;
    if (!options.least_energy) return true;
    try {
      elastic_energy<double>(model, data, configuration);
    } catch (const ConfigurationError&) {
      return false;
    } catch (const OverflowError&) {
      return false;
    }
    return true;
  }
  /// Poses of all frames at a configuration, and residuals of the loops.
  void place(const VectorXd& configuration) {
    if (constraints) {
      constraint_residual<double>(model, data, *constraints, configuration);
    } else {
      forward_kinematics<double>(model, data, configuration);
    }
  }
  /// Closes loops, and makes the solver once it is known which of their rows are independent.
  void prepare(VectorXd& configuration) {
    into_limits(configuration);
    if (constraints) {
      const VectorXd& open = constraint_residual<double>(model, data, *constraints, configuration);
      if (open.size() > 0 && !(open.lpNorm<Eigen::Infinity>() <= k_nearly_closed)) {
        close_loops(model, data, *constraints, configuration);
        into_limits(configuration);
      }
    }
    if (solver) return;
    if (constraints) kept = select_constraint_rows(model, data, *constraints, configuration).kept;
    const int hard = static_cast<int>(kept.size());
    row_weight.resize(hard);
    for (int i = 0; i < hard; ++i) {
      const bool is_length = model.constraint_info()[kept[static_cast<std::size_t>(i)]].unit == "m";
      row_weight[i] = is_length ? 1.0 / length : 1.0;
    }
    VectorXd tolerance(frames.row_count() + hard);
    tolerance << frames.tolerances(options.tolerance), VectorXd::Constant(hard, 1e-10);
    solver.emplace(unit, frames.row_count(), hard, tolerance);
    start_rows.setZero(frames.row_count() + hard);
    if (options.least_energy) {
      inverse_dynamics_derivatives(model, data, *derivatives, configuration, zero, zero, {nullptr, {}, 0.0});
      elastic = derivatives->by_q.size() > 0 && derivatives->by_q.cwiseAbs().maxCoeff() > 0.0;
    }
  }
  /// From `start`, near to the last solution.
  bool search_nearby() {
    if (!elastic || !solver->remembers()) return false;
    q = start, step.setZero();
    if (!look(step, start_rows) || !(start_rows.lpNorm<Eigen::Infinity>() <= k_near_rows)) return false;
    if (solver->settle(*this, k_steps_from_nearby) && solver->reached()) {
      result.least_energy = true;
      return true;
    }
    return false;
  }
  /// From q. @return whether all targets are reached.
  bool search() {
    solver->forget();
    if (!solver->reach(*this, elastic, options.most_iterations)) return false;
    if (!elastic) return true;
    best = q;
    result.least_energy = solver->settle(*this, options.most_iterations);
    if (result.least_energy && solver->reached()) return true;
    result.least_energy = false;
    solver->forget();
    if (solver->reach(*this, elastic, options.most_iterations)) return true;
    q = best;
    return true;
  }
  void search_from_many_starts() {
    double least = k_no_limit;
    int same = 0;
    nearest = start;
    for (int i = 0; i < std::max(1, options.most_starts) && same < k_same_starts; ++i) {
      q = start;
      if (i > 0) {
        const double amount =
            k_start_distances[std::min<std::size_t>(static_cast<std::size_t>(i) - 1, std::size(k_start_distances) - 1)];
        for (int k = 0; k < model.nv(); ++k) step[k] = amount * unit[k] * golden_part(k + 7 * i);
        integrate<double>(model, start, step, q);
        normalize<double>(model, q);
        try {
          prepare(q);
        } catch (const Error&) {
          continue;
        }
      }
      ++result.starts;
      if (search()) {
        result.converged = true;
        return;
      }
      const double misfit = solver->rows().head(frames.row_count()).norm();
      if (!std::isfinite(misfit)) continue;
      same = std::abs(misfit - least) <= k_same_residual * least ? same + 1 : (misfit < least ? 1 : same);
      if (misfit < least) least = misfit, nearest = q;
    }
    q = nearest;
    if (constraints) close_loops(model, data, *constraints, q);
    solver->forget();
  }
  void describe() {
    place(q);
    frames.errors(data.kinematics, result.errors);
    result.residual = 0.0;
    for (const TargetError& error : result.errors) {
      result.residual = std::max({result.residual, error.position, error.angle});
    }
    result.q = q;
    result.iterations = solver->iterations();
    result.active_limits.clear();
    for (int i = 0; limited() && i < model.nq(); ++i) {
      const double rounding = 1e-9 * std::max(1.0, std::abs(q[i]));
      if (q[i] - options.limits.lower[i] <= rounding || options.limits.upper[i] - q[i] <= rounding) {
        result.active_limits.push_back(i);
      }
    }
    result.elastic_energy = elastic_energy<double>(model, data, q);
  }

  const Model& model;
  InverseKinematicsOptions options;
  Data data;
  RodStrains strains;
  double length;
  VectorXd unit;
  FrameTargets frames;
  std::optional<ConstraintData> constraints;
  std::optional<DerivativeData> derivatives;
  std::optional<TargetSolver> solver;
  std::vector<int> kept;  ///< rows of the loops
  VectorXd row_weight;    ///< of each, to angles
  bool elastic = false;   ///< there is an energy to lower
  VectorXd q, trial, start, best, nearest, step, zero, start_rows, multipliers, loop_multipliers;
  MatrixXd target_jacobian;
  std::vector<ExternalWrench> wrenches;  ///< of targets, then of loops
  InverseKinematicsResult result;
};

InverseKinematics::InverseKinematics(const Model& model, std::vector<FrameTarget> targets,
                                     InverseKinematicsOptions options)
    : work_(std::make_unique<Work>(model, std::move(targets), std::move(options))) {}
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;
InverseKinematics::~InverseKinematics() = default;

const std::vector<FrameTarget>& InverseKinematics::targets() const { return work_->frames.targets(); }
void InverseKinematics::set_goal(int target, const Pose& world_frame) {
  work_->frames.set_goal("InverseKinematics::set_goal", target, world_frame);
}
void InverseKinematics::set_direction(int target, const Vector3& world_direction) {
  work_->frames.set_direction("InverseKinematics::set_direction", target, world_direction);
}

const InverseKinematicsResult& InverseKinematics::solve(VectorInT<double> q0) {
  Work& work = *work_;
  check_configuration_argument(work.model, k_kinematics_function, "q0", q0);
  work.result.converged = work.result.least_energy = false;
  work.result.starts = 0;
  work.start = q0;
  normalize<double>(work.model, work.start);
  work.prepare(work.start);
  work.solver->count_anew();
  if (work.search_nearby()) {
    work.result.converged = true, work.result.starts = 1;
  } else {
    work.search_from_many_starts();
  }
  work.describe();
  return work.result;
}

InverseKinematicsResult inverse_kinematics(const Model& model, const std::vector<FrameTarget>& targets,
                                           VectorInT<double> q0, const InverseKinematicsOptions& options) {
  return InverseKinematics(model, targets, options).solve(q0);
}

}  // namespace cuttle
