#include "cuttle/algorithms/inverse_statics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/input_search.h"
#include "algorithms/static_problem.h"
#include "algorithms/target_units.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/loop_closure.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

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

InputSearch::InputSearch(const Model& its_model, std::vector<FrameTarget> targets, StaticLoads its_loads,
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
  pulls.resize(frames.targets().size());
  for (std::size_t i = 0; i < pulls.size(); ++i) pulls[i].frame = frames.targets()[i].frame;
  external = loads.external;
  external.insert(external.end(), pulls.begin(), pulls.end());
}

void InputSearch::pull(double part) {
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    ExternalWrench& its = external[external.size() - pulls.size() + i];
    its = pulls[i];
    its.wrench = part * pulls[i].wrench;
  }
}

void InputSearch::clamp(VectorXd& u) const {
  for (const int i : free) u[i] = std::clamp(u[i], options.limits.lower[i], options.limits.upper[i]);
}

double InputSearch::sum_of_squares(const VectorXd& u, const VectorXd& scale) const {
  double sum = 0.0;
  for (int i = 0; i < free_count(); ++i) {
    const double part = u[input(i)] / scale[i];
    sum += 0.5 * part * part;
  }
  return sum;
}

VectorXd InputSearch::slopes_of_squares(const VectorXd& u, const VectorXd& scale) const {
  VectorXd slopes(free_count());
  for (int i = 0; i < free_count(); ++i) slopes[i] = u[input(i)] / (scale[i] * scale[i]);
  return slopes;
}

VectorXd InputSearch::common_scales(const VectorXd& units) const {
  VectorXd scale = VectorXd::Zero(free_count());
  const auto& info = model.input_info();
  for (int i = 0; i < free_count(); ++i) {
    for (int j = 0; j < free_count(); ++j) {
      const bool alike = info[static_cast<std::size_t>(input(i))].unit == info[static_cast<std::size_t>(input(j))].unit;
      if (alike) scale[i] = std::max(scale[i], units[j]);
    }
  }
  return scale;
}

void InputSearch::room_around(const VectorXd& u, Eigen::Ref<VectorXd> lower, Eigen::Ref<VectorXd> upper) const {
  for (int i = 0; i < free_count(); ++i) {
    lower[i] = options.limits.lower[input(i)] - u[input(i)];
    upper[i] = options.limits.upper[input(i)] - u[input(i)];
  }
}

void InputSearch::begin_friction(const VectorXd& q0) {
  if (model.site_laws().empty() || (has_own_start && loads.start.size() > 0)) return;
  has_own_start = false;
  loads.start = q0;
  if (model.loops().empty()) return;
  ConstraintData constraints(model);
  close_loops(model, data, constraints, loads.start);
}

const InverseStaticsResult& InputSearch::described() {
  describe();
  frames.errors(forward_kinematics<double>(model, data, result.equilibrium.q), result.errors);
  result.residual = 0.0;
  for (const TargetError& error : result.errors) {
    result.residual = std::max({result.residual, error.position, error.angle});
  }
  result.active_limits.clear();
  for (const int i : free) {
    const double rounding = 1e-9 * std::max(std::abs(result.u[i]), 1e-12);
    if (result.u[i] - options.limits.lower[i] <= rounding || options.limits.upper[i] - result.u[i] <= rounding) {
      result.active_limits.push_back(i);
    }
  }
  return result;
}

const InverseStaticsResult& InputSearch::solve(VectorInT<double> q0) {
  check_configuration_argument(model, k_statics_function, "q0", q0);
  result.converged = result.least_inputs = false;
  begin_friction(q0);
  search_from(q0);
  return described();
}

const InverseStaticsResult& InputSearch::solve_from_last() {
  if (!has_solution()) {
    throw ArgumentError("InverseStatics::solve_from_last: found no equilibrium yet, expected a call of solve before");
  }
  result.converged = result.least_inputs = false;
  search_from_last();
  return described();
}

double scattered_start(int start, int number) {
  constexpr double k_scatter = 0.3;  // in units
  const double part = 0.6180339887498949 * (number + 1.0 + 7.0 * start);
  return k_scatter * start * (2.0 * (part - std::floor(part)) - 1.0);
}

struct InverseStatics::Work {
  std::unique_ptr<InputSearch> search;
};

InverseStatics::InverseStatics(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads,
                               InverseStaticsOptions options)
    : work_(std::make_unique<Work>()) {
  const auto make = needs_sparse_tangent(model) ? make_rest_search : make_balance_search;
  work_->search = make(model, std::move(targets), std::move(loads), std::move(options));
}
InverseStatics::InverseStatics(InverseStatics&&) noexcept = default;
InverseStatics& InverseStatics::operator=(InverseStatics&&) noexcept = default;
InverseStatics::~InverseStatics() = default;

void InverseStatics::set_goal(int target, const Pose& world_frame) {
  work_->search->targets().set_goal("InverseStatics::set_goal", target, world_frame);
}
void InverseStatics::set_direction(int target, const Vector3& world_direction) {
  work_->search->targets().set_direction("InverseStatics::set_direction", target, world_direction);
}

const InverseStaticsResult& InverseStatics::solve(VectorInT<double> q0) { return work_->search->solve(q0); }
const InverseStaticsResult& InverseStatics::solve_from_last() { return work_->search->solve_from_last(); }

InverseStaticsResult inverse_statics(const Model& model, const std::vector<FrameTarget>& targets,
                                     const StaticLoads& loads, VectorInT<double> q0,
                                     const InverseStaticsOptions& options) {
  return InverseStatics(model, targets, loads, options).solve(q0);
}

}  // namespace cuttle
