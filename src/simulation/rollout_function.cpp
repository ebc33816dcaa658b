// Runs as functions that are differentiated backwards: numbers into a scenario, outputs out of its motion.
#include "cuttle/simulation/rollout_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/simulation/motion_adjoint.h"
#include "model/signal_slope.h"
#include "simulation/central_slope.h"
#include "simulation/motion_outputs.h"
#include "simulation/run_parameter.h"

namespace cuttle {
namespace {

const std::string k_signal_prefix = "inputs.";

bool is_whole_signal(const std::string& by) { return by.starts_with(k_signal_prefix); }
bool is_initial_state(const std::string& by) { return by == "q" || by == "v"; }

Signal input_of(const Scenario& scenario, const std::string& name) {
  const auto given = scenario.inputs.find(name);
  return given != scenario.inputs.end() ? given->second : Signal();
}

void require_input(const Model& model, const std::string& by) {
  const std::string name = by.substr(k_signal_prefix.size());
  std::string known;
  for (const CoordinateInfo& info : model.input_info()) {
    if (info.name == name) return;
    known += (known.empty() ? "" : ", ") + info.name;
  }
  throw ArgumentError(
      fmt::format("by: found '{}', expected inputs.NAME of {}", by, known.empty() ? "a robot with inputs" : known));
}

/// The paths that one of `by` stands for.
std::vector<std::string> paths_of(const Model& model, const Scenario& scenario, const std::string& by) {
  std::vector<std::string> paths;
  if (is_whole_signal(by)) {
    require_input(model, by);
    const std::vector<SignalNumber> numbers =
        independent_numbers(input_of(scenario, by.substr(k_signal_prefix.size())));
    for (const SignalNumber& number : numbers) {
      paths.push_back(fmt::format("simulation.{}{}{}", by, number.key.empty() ? "" : ".", number.key));
    }
    if (paths.empty()) {
      throw ArgumentError(
          fmt::format("by: found '{}', a function of time without numbers, expected a signal of a file", by));
    }
    return paths;
  }
  if (!is_initial_state(by)) return {by};
  const auto add = [&](const std::string& part, int count) {
    for (int i = 0; i < count; ++i) paths.push_back(fmt::format("simulation.initial.{}.{}[{}]", part, by, i));
  };
  if (model.robot().floating_base) add("base", by == "q" ? 7 : 6);
  for (const auto& link : model.links()) add(link.name, by == "q" ? link.nq : link.nv);
  return paths;
}

}  // namespace

struct RolloutFunction::Parts {
  Parts(const Model& its_model, Scenario its_scenario, const std::vector<std::string>& of,
        std::vector<double> its_times, std::vector<std::string> its_by)
      : plain(its_model),
        scenario(std::move(its_scenario)),
        times(std::move(its_times)),
        by(std::move(its_by)),
        output_names(of),
        outputs(its_model, of) {
    if (outputs.follow_inputs()) {
      throw ArgumentError("of: found u, an argument of the function, expected outputs of the motion");
    }
    std::set<std::string> seen;
    for (const std::string& name : by) {
      const std::vector<std::string> own = paths_of(plain, scenario, name);
      sizes.push_back(static_cast<int>(own.size()));
      for (const std::string& path : own) {
        found.push_back(find_run_parameter(plain, scenario, path));
        infos.push_back(found.back().info);
        // twice, the last value would count and each would have the whole gradient
        if (!seen.insert(path.starts_with("robot.") ? path.substr(6) : path).second) {
          throw ArgumentError(
              fmt::format("by: found {} a second time, in '{}', expected each number once", path, name));
        }
        paths.push_back(path);
      }
    }
    require_order();
  }

  /// Initial coordinates come link by link, in the order of q and v.
  void require_order() const {
    for (std::size_t i = 0, first = 0; i < by.size(); first += static_cast<std::size_t>(sizes[i++])) {
      for (int k = 0; is_initial_state(by[i]) && k < sizes[i]; ++k) {
        if (found[first + static_cast<std::size_t>(k)].index == k) continue;
        throw ArgumentError(
            fmt::format("by: found '{}' of '{}', whose coordinates are not in the order of its links, "
                        "expected paths simulation.initial.LINK.{}[0]",
                        by[i], plain.name(), by[i]));
      }
    }
  }

  /// Puts numbers where they belong: into `at`, and those of the robot into a model.
  void place(VectorInT<double> numbers) {
    if (numbers.size() != static_cast<Eigen::Index>(paths.size())) {
      throw ArgumentError(fmt::format("numbers: found size {}, expected {}", numbers.size(), paths.size()));
    }
    at = scenario;
    std::vector<ParameterChange> changes;
    std::size_t first = 0;
    for (std::size_t i = 0; i < by.size(); ++i) {
      const auto size = static_cast<std::size_t>(sizes[i]);
      if (is_whole_signal(by[i])) {
        const std::string name = by[i].substr(k_signal_prefix.size());
        const auto own = numbers.segment(static_cast<Eigen::Index>(first), sizes[i]);
        at.inputs[name] = signal_with(input_of(scenario, name), std::vector<double>(own.begin(), own.end()));
      } else {
        for (std::size_t k = first; k < first + size; ++k) {
          const double value = numbers[static_cast<Eigen::Index>(k)];
          if (found[k].of == RunParameter::Of::robot) {
            changes.push_back({found[k].info.path, value});
          } else {
            set_scenario_number(plain, at, find_scenario_number(plain, at, paths[k]), value);
          }
        }
      }
      first += size;
    }
    std::vector<double> robot_numbers;
    robot_numbers.reserve(changes.size());
    for (const ParameterChange& change : changes) robot_numbers.push_back(change.value);
    if (changes.empty() || (changed && robot_numbers == placed)) return;
    varied.reset(), changed_outputs.reset(), placed.clear();
    changed.emplace(plain.with(changes));
    changed_outputs.emplace(*changed, output_names);
    placed = std::move(robot_numbers);
  }

  /// Of numbers of the robot on which the outputs themselves depend.
  void add_worth_of_outputs(const MatrixXd& by_outputs, VectorXd& sum) {
    if (!varied) varied.emplace(*changed, output_names, robot_paths());
    VectorXd worth = VectorXd::Zero(static_cast<Eigen::Index>(robot_paths().size()));
    for (Eigen::Index k = 0; k < by_outputs.rows(); ++k) {
      if (by_outputs.row(k).isZero(0.0)) continue;
      const VectorXd q = motion->q().col(k), v = motion->v().col(k), sites = motion->sites().col(k);
      const VectorXd no_inputs = VectorXd::Zero(plain.nu());
      worth += varied->slopes({q, v, no_inputs, sites, times[static_cast<std::size_t>(k)]}).transpose() *
               by_outputs.row(k).transpose();
    }
    Eigen::Index next = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k].of == RunParameter::Of::robot) sum[static_cast<Eigen::Index>(k)] += worth[next++];
    }
  }

  /// Of changes by which numbers change as much as they are large (HessianOptions).
  VectorXd sizes_of(VectorInT<double> numbers) const {
    VectorXd result(numbers.size());
    Eigen::Index first = 0;
    for (std::size_t i = 0; i < by.size(); ++i) {
      auto own = result.segment(first, sizes[i]);
      own.setConstant(sizes[i] > 0 ? numbers.segment(first, sizes[i]).cwiseAbs().maxCoeff() : 0.0);
      first += sizes[i];
    }
    return (result.array() > 0.0).select(result, 1.0);
  }

  const Model& plain;
  Scenario scenario, at;
  std::vector<double> times;
  std::vector<std::string> by, output_names, paths;
  std::vector<int> sizes;
  std::vector<RunParameter> found;
  std::vector<ParameterInfo> infos;
  MotionOutputs outputs;
  std::optional<Model> changed;  ///< if numbers of the robot are among them
  std::optional<MotionOutputs> changed_outputs;
  std::optional<VariedOutputs> varied;  ///< by numbers of the robot, of the changed one; made when a way back asks
  std::vector<double> placed;           ///< numbers of the changed robot
  std::unique_ptr<MotionAdjoint> motion;
  MatrixXd values;

  std::vector<std::string> robot_paths() const {
    std::vector<std::string> of_robot;
    for (const RunParameter& number : found) {
      if (number.of == RunParameter::Of::robot) of_robot.push_back(number.info.path);
    }
    return of_robot;
  }
  const Model& model() const { return changed ? *changed : plain; }
  MotionOutputs& outputs_now() { return changed_outputs ? *changed_outputs : outputs; }
};

RolloutFunction::RolloutFunction(const Model& model, Scenario scenario, const std::vector<std::string>& of,
                                 std::vector<double> times, const std::vector<std::string>& by)
    : parts_(std::make_unique<Parts>(model, std::move(scenario), of, std::move(times), by)) {}
RolloutFunction::~RolloutFunction() = default;

const std::vector<CoordinateInfo>& RolloutFunction::outputs() const { return parts_->outputs.columns(); }
const std::vector<int>& RolloutFunction::output_sizes() const { return parts_->outputs.sizes(); }
const std::vector<ParameterInfo>& RolloutFunction::parameters() const { return parts_->infos; }
const std::vector<int>& RolloutFunction::sizes() const { return parts_->sizes; }
const std::vector<double>& RolloutFunction::times() const { return parts_->times; }

const MatrixXd& RolloutFunction::run(VectorInT<double> numbers, const RunOptions& options) {
  Parts& parts = *parts_;
  parts.motion.reset();  // before the model that it is of
  parts.place(numbers);
  parts.motion = std::make_unique<MotionAdjoint>(parts.model(), parts.at, parts.times, parts.paths, options);
  MotionOutputs& outputs = parts.outputs_now();
  const VectorXd no_inputs = VectorXd::Zero(parts.plain.nu());
  parts.values.resize(static_cast<Eigen::Index>(parts.times.size()),
                      static_cast<Eigen::Index>(outputs.columns().size()));
  for (Eigen::Index k = 0; k < parts.values.rows(); ++k) {
    const VectorXd q = parts.motion->q().col(k), v = parts.motion->v().col(k), sites = parts.motion->sites().col(k);
    parts.values.row(k) =
        outputs.values({q, v, no_inputs, sites, parts.times[static_cast<std::size_t>(k)]}).transpose();
  }
  return parts.values;
}

VectorXd RolloutFunction::back(const MatrixXd& by_outputs) {
  Parts& parts = *parts_;
  if (!parts.motion) throw ArgumentError("back: found no run, expected one of `run` before");
  if (by_outputs.rows() != parts.values.rows() || by_outputs.cols() != parts.values.cols()) {
    throw ArgumentError(fmt::format("by_outputs: found {} x {}, expected {} x {} (times, outputs)", by_outputs.rows(),
                                    by_outputs.cols(), parts.values.rows(), parts.values.cols()));
  }
  if (!by_outputs.allFinite()) throw ArgumentError("by_outputs: found one that is not finite, expected finite numbers");
  MotionOutputs& outputs = parts.outputs_now();
  const VectorXd no_inputs = VectorXd::Zero(parts.plain.nu());
  MatrixXd by_q = MatrixXd::Zero(parts.plain.nv(), by_outputs.rows()), by_v = by_q;
  MatrixXd by_sites = MatrixXd::Zero(parts.motion->sites().rows(), by_outputs.rows());
  for (Eigen::Index k = 0; k < by_outputs.rows(); ++k) {
    if (by_outputs.row(k).isZero(0.0)) continue;
    const VectorXd q = parts.motion->q().col(k), v = parts.motion->v().col(k), sites = parts.motion->sites().col(k);
    outputs.slopes({q, v, no_inputs, sites, parts.times[static_cast<std::size_t>(k)]});
    by_q.col(k) = outputs.by_q().transpose() * by_outputs.row(k).transpose();
    by_v.col(k) = outputs.by_v().transpose() * by_outputs.row(k).transpose();
    by_sites.col(k) = outputs.by_sites().transpose() * by_outputs.row(k).transpose();
  }
  VectorXd by = parts.motion->back(by_q, by_v, by_sites).by;
  if (parts.changed) parts.add_worth_of_outputs(by_outputs, by);
  return by;
}

HessianProduct RolloutFunction::hvp(VectorInT<double> numbers, VectorInT<double> direction, const WorthOfOutputs& worth,
                                    const HessianOptions& options, const RunOptions& run_options) {
  Parts& parts = *parts_;
  const auto count = static_cast<Eigen::Index>(parts.paths.size());
  for (const auto& [name, given] : {std::pair("numbers", numbers), std::pair("direction", direction)}) {
    if (given.size() != count)
      throw ArgumentError(fmt::format("{}: found size {}, expected {}", name, given.size(), count));
    if (!given.allFinite())
      throw ArgumentError(fmt::format("{}: found one that is not finite, expected finite numbers", name));
  }
  if (!(options.tolerance > 0.0)) {
    throw ArgumentError(fmt::format("tolerance: found {:g}, expected a number > 0", options.tolerance));
  }
  if (!(options.step >= 0.0 && std::isfinite(options.step))) {
    throw ArgumentError(
        fmt::format("step: found {:g}, expected a number > 0, or 0 for one that is chosen", options.step));
  }
  const VectorXd sizes = parts.sizes_of(numbers);
  const double length = count > 0 ? direction.cwiseQuotient(sizes).cwiseAbs().maxCoeff() : 0.0;
  if (length == 0.0) return {VectorXd::Zero(count), 0.0, 0};
  double gradient_size = 0.0;
  const auto gradient = [&](double step) {
    const VectorXd moved = numbers + step * direction;
    const MatrixXd& outputs = run(moved, run_options);
    VectorXd found = back(worth(outputs));
    gradient_size = std::max(gradient_size, found.cwiseProduct(sizes).cwiseAbs().maxCoeff());
    return found;
  };
  const auto measure = [&](const VectorXd& error, const VectorXd& product) {
    const double size = product.cwiseProduct(sizes).cwiseAbs().maxCoeff();
    const double scale = std::max(size, 1e-3 * length * gradient_size);
    return scale > 0.0 ? error.cwiseProduct(sizes).cwiseAbs().maxCoeff() / scale : 0.0;
  };
  constexpr double k_step = 1.0 / 256;
  const double step = options.step > 0.0 ? options.step : k_step / length;
  CentralSlope found = central_slope(gradient, step, options.tolerance, measure);
  if (!(found.error <= options.tolerance)) {
    throw SimulationError(fmt::format(
        "hvp: found a product with the Hessian whose error is {:.2g} of it after {} gradients, expected {:g}: "
        "the gradient has a kink within steps of {:.2g} along the direction, or noise; `step` may help",
        found.error, found.evaluations, options.tolerance, step));
  }
  return {std::move(found.slope), found.error, found.evaluations};
}

}  // namespace cuttle
