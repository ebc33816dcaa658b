#include "cuttle/simulation/robot_rollouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/contact_overlap.h"
#include "cuttle/error.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/diagnosis.h"
#include "simulation/run_parameter.h"
#include "simulation/schedule.h"
#include "simulation/timed_run.h"
#include "simulation/worker_threads.h"
#include "spatial/memory.h"

namespace cuttle {
namespace {

const std::string k_held = "held_inputs[", k_inputs = "simulation.inputs.";

[[noreturn]] void refuse(const std::string& what) { throw ArgumentError("roll-outs: " + what); }

/// What an input is: a signal, and what is held beside it.
class HeldInput final : public SignalFunction {
 public:
  HeldInput(Signal signal, Signal held) : signal_(std::move(signal)), held_(std::move(held)) {}
  double at(double time) const override { return signal_.at(time) + held_.at(time); }
  double derivative(double time, int order) const override {
    return signal_.derivative(time, order) + held_.derivative(time, order);
  }
  std::vector<double> discontinuities() const override {
    std::vector<double> times = signal_.discontinuities();
    const std::vector<double> others = held_.discontinuities();
    times.insert(times.end(), others.begin(), others.end());
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  Signal signal_, held_;
};

/// Whether an error is about where a robot begins, which is its own: the scenario is that of all.
bool is_of_start(const ArgumentError& error) { return std::string_view(error.what()).starts_with("initial"); }

/// What all robots have in common.
struct Rollouts {
  const Model& model;
  const RolloutRobots& robots;
  const RolloutOptions& options;
  std::vector<double> times;
  int intervals = 0;

  /// @param row  numbers of each robot at each sample.
  Rollouts(const Model& its_model, const RolloutRobots& its_robots, const RolloutOptions& its_options, double row)
      : model(its_model), robots(its_robots), options(its_options) {
    if (options.tableau) refuse("tableau: found a method of a program, expected rk4 or tsit5");
    require_no_clock();
    const auto require = [](const char* what, const RowMatrixXd& x, Eigen::Index rows, Eigen::Index columns) {
      if (x.rows() == rows && x.cols() == columns) return;
      refuse(fmt::format("{}: found {} x {}, expected {} x {}", what, x.rows(), x.cols(), rows, columns));
    };
    const Eigen::Index count = robots.q.rows();
    require("q", robots.q, count, model.nq());
    require("v", robots.v, count, model.nv());
    if (!robots.paths.empty()) require("values", robots.values, count, static_cast<Eigen::Index>(robots.paths.size()));
    if (options.held_inputs.size() > 0) {
      if (model.nu() == 0 || options.held_inputs.cols() % model.nu() != 0) {
        refuse(fmt::format("held_inputs: found {} columns, expected a multiple of the {} inputs",
                           options.held_inputs.cols(), model.nu()));
      }
      require("held_inputs", options.held_inputs, count, options.held_inputs.cols());
      if (!options.held_inputs.allFinite()) refuse("held_inputs: found a number that is not finite");
      intervals = static_cast<int>(options.held_inputs.cols()) / model.nu();
    }
    const double step = options.output_step > 0.0 ? options.output_step : options.duration;
    const OutputTimes outputs(options.duration, step);
    require_memory(8.0 * static_cast<double>(outputs.size()) * static_cast<double>(count) * row,
                   fmt::format("roll-outs: output_step: {} samples of {} robots", outputs.size(), count));
    for (std::int64_t k = options.output_step > 0.0 ? 0 : outputs.size() - 1; k < outputs.size(); ++k) {
      times.push_back(outputs[k]);
    }
  }

  /// A value an interval.
  Signal held(std::vector<double> values) const {
    if (values.size() == 1) return values[0];
    return Signal::steps(interval_begins(options.duration, intervals), std::move(values));
  }

  Scenario scenario(Eigen::Index robot) const {
    Scenario found;
    found.duration = options.duration;
    found.output_step = options.output_step > 0.0 ? options.output_step : options.duration;
    found.integrator.type = options.method, found.integrator.step = options.step;
    found.controllers = robots.controllers, found.seed = robots.seed + static_cast<long>(robot);
    const auto part = [robot](const RowMatrixXd& x, int first, int count) {
      const VectorXd values = x.row(robot).segment(first, count);
      return std::vector<double>(values.begin(), values.end());
    };
    found.motion = robots.motion;
    if (model.robot().floating_base && robots.motion.base.empty())
      found.initial["base"] = {part(robots.q, 0, 7), part(robots.v, 0, 6)};
    for (const auto& link : model.links()) {
      if (link.nv > 0 && !robots.motion.joints.contains(link.name))
        found.initial[link.name] = {part(robots.q, link.q, link.nq), part(robots.v, link.v, link.nv)};
    }
    found.inputs = options.inputs;
    for (int i = 0; i < model.nu(); ++i) {
      Signal& signal = found.inputs[model.input_info()[static_cast<std::size_t>(i)].name];
      signal = signal.later(options.start);
      if (intervals == 0) continue;
      std::vector<double> values;
      values.reserve(static_cast<std::size_t>(intervals));
      for (int k = 0; k < intervals; ++k) values.push_back(options.held_inputs(robot, k * model.nu() + i));
      signal = Signal::function(std::make_shared<HeldInput>(signal, held(std::move(values))));
    }
    return found;
  }

  /// Those of `by` that inputs depend on. The scenario's own inputs are sums, whose numbers nobody can name.
  std::vector<InputNumber> input_numbers(Eigen::Index robot, const std::vector<std::string>& by) const {
    Scenario given;
    given.inputs = options.inputs;
    std::vector<InputNumber> numbers;
    for (const std::string& path : by) {
      if (path.starts_with(k_inputs)) {
        const RunParameter found = find_run_parameter(model, given, path);
        const std::string& name = model.input_info()[static_cast<std::size_t>(found.index)].name;
        numbers.push_back({path, name, found.info.value, found.slope.at_time.later(options.start)});
      }
      if (!path.starts_with(k_held)) continue;
      int k = -1;
      const std::size_t end = path.find("].");
      if (end != std::string::npos) {
        const auto read = std::from_chars(path.data() + k_held.size(), path.data() + end, k);
        if (read.ec != std::errc() || read.ptr != path.data() + end) k = -1;
      }
      if (k < 0 || k >= intervals) {
        refuse(fmt::format("by: found '{}', expected held_inputs[0] .. held_inputs[{}], and a name behind a point",
                           path, intervals - 1));
      }
      const std::string name = path.substr(end + 2);
      double value = 0.0;
      for (int i = 0; i < model.nu(); ++i) {
        if (model.input_info()[static_cast<std::size_t>(i)].name == name) {
          value = options.held_inputs(robot, k * model.nu() + i);
        }
      }
      std::vector<double> pulse(static_cast<std::size_t>(intervals), 0.0);
      pulse[static_cast<std::size_t>(k)] = 1.0;
      numbers.push_back({path, name, value, held(std::move(pulse))});
    }
    return numbers;
  }

  /// Calls run(robot, its model, stop) for all of them, on all cores.
  template <typename Run>
  void for_each(int threads, std::vector<std::string>& failures, const Run& run) const {
    const auto count = static_cast<std::size_t>(robots.q.rows());
    failures.resize(count);
    WorkerThreads workers("roll-outs", threads);
    const auto run_one = [&](std::size_t robot) {
      const auto own = model_of(static_cast<Eigen::Index>(robot));
      try {
        run(static_cast<Eigen::Index>(robot), own ? *own : model, workers.stop());
      } catch (const ArgumentError& error) {
        if (!is_of_start(error)) throw;
        failures[robot] = error.what();
      } catch (const OverlapError& error) {  // of where it begins, too
        failures[robot] = error.what();
      } catch (const ModelError&) {
        throw;
      } catch (const Error& error) {  // of the motion: a state that grew beyond all numbers, a shape that is none
        failures[robot] = error.what();
      }
    };
    workers.for_each(count, run_one, options.heartbeat);
  }

  void raise(const std::vector<std::string>& failures) const {
    const std::string text = options.raise_on_failure ? failures_text(failures) : "";
    if (!text.empty()) throw SimulationError("roll-outs: " + text);
  }

 private:
  /// The run of each robot begins at 0. Inputs are moved there, loads and elements of the model are not.
  void require_no_clock() const {
    if (options.start == 0.0) return;
    if (!robots.controllers.empty()) {
      refuse(fmt::format("start: found {:g} s and controllers, whose references begin with the run, expected 0 s",
                         options.start));
    }
    if (!robots.motion.empty()) {
      refuse(
          fmt::format("start: found {:g} s and driven motion, which begins with the run, expected 0 s", options.start));
    }
    bool constant = true;
    for (const Load& load : model.robot().loads) {
      for (const Signal& signal : load.law->signals()) constant = constant && signal.is_constant();
    }
    for (const auto& element : model.elements()) constant = constant && element.law->discontinuities().empty();
    if (constant) return;
    refuse(fmt::format("start: found {:g} s and loads or elements that change in time, expected 0 s", options.start));
  }
  /// Nothing: that of all.
  std::optional<Model> model_of(Eigen::Index robot) const {
    if (robots.paths.empty()) return std::nullopt;
    std::vector<ParameterChange> changes;
    for (std::size_t i = 0; i < robots.paths.size(); ++i) {
      changes.push_back({robots.paths[i], robots.values(robot, static_cast<Eigen::Index>(i))});
    }
    return at_place({}, fmt::format("roll-outs: robot {}", robot), [&] { return model.with(changes); });
  }
};

}  // namespace

ControlledRollout controlled_rollout(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                     int threads) {
  const Eigen::Index count = robots.q.rows(), nq = model.nq(), nv = model.nv(), nu = model.nu();
  const Rollouts rollouts(model, robots, options, static_cast<double>(nq + nv + nu));
  const auto samples = static_cast<Eigen::Index>(rollouts.times.size());
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  ControlledRollout found;
  Rollout& rollout = found.rollout;
  rollout.q.setConstant(count, nq, unknown), rollout.v.setConstant(count, nv, unknown);
  rollout.last_q = robots.q, rollout.last_v = robots.v;
  rollout.q_samples.setConstant(count, samples * nq, unknown);
  rollout.v_samples.setConstant(count, samples * nv, unknown);
  found.u_samples.setConstant(count, samples * nu, unknown);
  rollout.failure_time.assign(static_cast<std::size_t>(count), options.start);
  for (const double time : rollouts.times) rollout.times.push_back(options.start + time);
  const auto run = [&](Eigen::Index robot, const Model& own, const std::atomic<bool>& stop) {
    Eigen::Index at = 0;
    const auto look = [&](const TimedState& now) {
      require_finite(own, now.state.q, now.state.v);
      rollout.q_samples.row(robot).segment(at * nq, nq) = now.state.q;
      rollout.v_samples.row(robot).segment(at * nv, nv) = now.state.v;
      found.u_samples.row(robot).segment(at * nu, nu) = now.u;
      ++at;
    };
    State end;
    const auto keep_end = [&] {
      if (end.q.size() == 0) return;  // it did not begin
      rollout.last_q.row(robot) = end.q, rollout.last_v.row(robot) = end.v;
      rollout.failure_time[static_cast<std::size_t>(robot)] = options.start + end.time;
    };
    try {
      run_to_times(own, rollouts.scenario(robot), rollouts.times, look, &stop, &end);
    } catch (const Error&) {
      keep_end();
      throw;
    }
    keep_end();
    rollout.q.row(robot) = end.q, rollout.v.row(robot) = end.v;
  };
  rollouts.for_each(threads, rollout.failures, run);
  rollouts.raise(rollout.failures);
  return found;
}

RolloutDerivatives rollout_derivatives(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                       const std::vector<std::string>& by, int threads) {
  const int states = model.nq() + model.nv();
  const Rollouts rollouts(model, robots, options, states * (1.0 + static_cast<double>(by.size())));
  const auto count = static_cast<std::size_t>(robots.q.rows());
  const std::size_t samples = rollouts.times.size();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  RolloutDerivatives found;
  for (const double time : rollouts.times) found.times.push_back(options.start + time);
  found.values.assign(count, std::vector<VectorXd>(samples, VectorXd::Constant(states, unknown)));
  const MatrixXd no_slopes = MatrixXd::Constant(states, static_cast<Eigen::Index>(by.size()), unknown);
  found.derivatives.assign(count, std::vector<MatrixXd>(samples, no_slopes));
  const auto run = [&](Eigen::Index robot, const Model& own, const std::atomic<bool>& stop) {
    const MotionDerivatives motions(own, rollouts.scenario(robot), by, rollouts.input_numbers(robot, by));
    std::vector<VectorXd>& values = found.values[static_cast<std::size_t>(robot)];
    std::vector<MatrixXd>& derivatives = found.derivatives[static_cast<std::size_t>(robot)];
    std::vector<double> times = rollouts.times;
    std::size_t at = 0;  // the next one of `times`
    const auto visit = [&](const DifferentiatedMotion& motion) {
      VectorXT<ForwardDual> state(states);
      state << motion.q, motion.v;
      const MatrixXd slopes = derivatives_of(state);
      require_finite(own, values_of(motion.q), values_of(motion.v));
      if (!slopes.allFinite()) {
        throw SimulationError(fmt::format("t = {:.9g} s: a derivative is beyond all numbers", motion.time));
      }
      values[at] = values_of(state);
      for (std::size_t k = 0; k < motion.paths.size(); ++k) {
        derivatives[at].col(static_cast<Eigen::Index>(motion.paths[k])) = slopes.col(static_cast<Eigen::Index>(k));
      }
      at = (at + 1) % times.size();
    };
    RunOptions run_options;
    run_options.stop = &stop;
    try {
      motions.run(times, visit, run_options);
    } catch (const Error&) {
      // until there all numbers are to have their derivatives, not only the first eight
      for (std::size_t k = at; k < samples; ++k) values[k].setConstant(unknown), derivatives[k] = no_slopes;
      times.resize(at), at = 0;
      if (!times.empty() && by.size() > k_forward_width) motions.run(times, visit, run_options);
      throw;
    }
  };
  rollouts.for_each(threads, found.failures, run);
  rollouts.raise(found.failures);
  return found;
}

}  // namespace cuttle
