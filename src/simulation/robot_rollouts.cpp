#include "cuttle/simulation/robot_rollouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <optional>

#include "algorithms/gradient_numbers.h"
#include "cuttle/error.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/timed_run.h"
#include "simulation/worker_threads.h"

namespace cuttle {
namespace {

const std::string k_held = "held_inputs[";

[[noreturn]] void refuse(const std::string& what) { throw ArgumentError("roll-outs: " + what); }

/// What an input is: a signal, and values that are held over equal intervals.
class HeldInput final : public SignalFunction {
 public:
  HeldInput(Signal signal, std::vector<double> values, double interval)
      : signal_(std::move(signal)), values_(std::move(values)), interval_(interval) {}
  double at(double time) const override {
    const auto last = static_cast<double>(values_.size() - 1);
    return signal_.at(time) + values_[static_cast<std::size_t>(std::clamp(time / interval_, 0.0, last))];
  }
  std::vector<double> discontinuities() const override {
    std::vector<double> times = signal_.discontinuities();
    for (std::size_t k = 1; k < values_.size(); ++k) times.push_back(static_cast<double>(k) * interval_);
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  Signal signal_;
  std::vector<double> values_;
  double interval_;
};

/// One during interval k, zero else.
Signal pulse(int k, int count, double interval) {
  std::vector<double> times, values{k == 0 ? 1.0 : 0.0};
  if (k > 0) times.push_back(k * interval), values.push_back(1.0);
  if (k + 1 < count) times.push_back((k + 1) * interval), values.push_back(0.0);
  return times.empty() ? Signal(1.0) : Signal::steps(times, values);
}

/// What all robots have in common.
struct Rollouts {
  const Model& model;
  const RolloutRobots& robots;
  const RolloutOptions& options;
  std::vector<double> times;
  int intervals = 0;

  Rollouts(const Model& its_model, const RolloutRobots& its_robots, const RolloutOptions& its_options)
      : model(its_model), robots(its_robots), options(its_options) {
    if (options.tableau) refuse("tableau: found a method of a program, expected rk4 or tsit5");
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
      intervals = static_cast<int>(options.held_inputs.cols()) / model.nu();
    }
    const double step = options.output_step > 0.0 ? options.output_step : options.duration;
    const OutputTimes outputs(options.duration, step);
    for (std::int64_t k = options.output_step > 0.0 ? 0 : outputs.size() - 1; k < outputs.size(); ++k) {
      times.push_back(outputs[k]);
    }
  }

  double interval() const { return options.duration / intervals; }

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
    if (model.robot().floating_base) found.initial["base"] = {part(robots.q, 0, 7), part(robots.v, 0, 6)};
    for (const auto& link : model.links()) {
      if (link.nv > 0) found.initial[link.name] = {part(robots.q, link.q, link.nq), part(robots.v, link.v, link.nv)};
    }
    found.inputs = options.inputs;
    for (int i = 0; i < model.nu(); ++i) {
      Signal& signal = found.inputs[model.input_info()[static_cast<std::size_t>(i)].name];
      signal = signal.later(options.start);
      if (intervals == 0) continue;
      std::vector<double> held;
      held.reserve(static_cast<std::size_t>(intervals));
      for (int k = 0; k < intervals; ++k) held.push_back(options.held_inputs(robot, k * model.nu() + i));
      signal = Signal::function(std::make_shared<HeldInput>(signal, std::move(held), interval()));
    }
    return found;
  }

  /// Those of `by` that are held inputs.
  std::vector<InputNumber> held_numbers(Eigen::Index robot, const std::vector<std::string>& by) const {
    std::vector<InputNumber> numbers;
    for (const std::string& path : by) {
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
      numbers.push_back({path, name, value, pulse(k, intervals, interval())});
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
      } catch (const SimulationError& error) {
        failures[robot] = error.what();
      }
    };
    workers.for_each(count, run_one, options.heartbeat);
  }

 private:
  /// Nothing: that of all.
  std::optional<Model> model_of(Eigen::Index robot) const {
    if (robots.paths.empty()) return std::nullopt;
    std::vector<ParameterChange> changes;
    for (std::size_t i = 0; i < robots.paths.size(); ++i) {
      changes.push_back({robots.paths[i], robots.values(robot, static_cast<Eigen::Index>(i))});
    }
    return model.with(changes);
  }
};

}  // namespace

ControlledRollout controlled_rollout(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                     int threads) {
  const Rollouts rollouts(model, robots, options);
  const Eigen::Index count = robots.q.rows(), nq = model.nq(), nv = model.nv(), nu = model.nu();
  const auto samples = static_cast<Eigen::Index>(rollouts.times.size());
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  ControlledRollout found;
  Rollout& rollout = found.rollout;
  rollout.q = robots.q, rollout.v = robots.v;
  rollout.q_samples.setConstant(count, samples * nq, unknown);
  rollout.v_samples.setConstant(count, samples * nv, unknown);
  found.u_samples.setConstant(count, samples * nu, unknown);
  rollout.failure_time.assign(static_cast<std::size_t>(count), options.start);
  for (const double time : rollouts.times) rollout.times.push_back(options.start + time);
  rollouts.for_each(threads, found.failures, [&](Eigen::Index robot, const Model& own, const std::atomic<bool>& stop) {
    Eigen::Index at = 0;
    const auto look = [&](const TimedState& now) {
      rollout.q.row(robot) = now.state.q, rollout.v.row(robot) = now.state.v;
      rollout.q_samples.row(robot).segment(at * nq, nq) = now.state.q;
      rollout.v_samples.row(robot).segment(at * nv, nv) = now.state.v;
      found.u_samples.row(robot).segment(at * nu, nu) = now.u;
      rollout.failure_time[static_cast<std::size_t>(robot)] = options.start + now.state.time;
      ++at;
    };
    run_to_times(own, rollouts.scenario(robot), rollouts.times, look, &stop);
  });
  return found;
}

RolloutDerivatives rollout_derivatives(const Model& model, const RolloutRobots& robots, const RolloutOptions& options,
                                       const std::vector<std::string>& by, int threads) {
  const Rollouts rollouts(model, robots, options);
  const auto count = static_cast<std::size_t>(robots.q.rows());
  const std::size_t samples = rollouts.times.size();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const int states = model.nq() + model.nv();
  RolloutDerivatives found;
  for (const double time : rollouts.times) found.times.push_back(options.start + time);
  found.values.assign(count, std::vector<VectorXd>(samples, VectorXd::Constant(states, unknown)));
  const MatrixXd no_slopes = MatrixXd::Constant(states, static_cast<Eigen::Index>(by.size()), unknown);
  found.derivatives.assign(count, std::vector<MatrixXd>(samples, no_slopes));
  rollouts.for_each(threads, found.failures, [&](Eigen::Index robot, const Model& own, const std::atomic<bool>& stop) {
    const MotionDerivatives motions(own, rollouts.scenario(robot), by, rollouts.held_numbers(robot, by));
    std::vector<VectorXd> values(samples);
    std::vector<MatrixXd> derivatives(samples, no_slopes);
    std::size_t at = 0;
    const auto visit = [&](const DifferentiatedMotion& motion) {
      VectorXT<Gradient> state(states);
      state << motion.q, motion.v;
      values[at] = values_of(state);
      const MatrixXd slopes = derivatives_of(state);
      for (std::size_t k = 0; k < motion.paths.size(); ++k) {
        derivatives[at].col(static_cast<Eigen::Index>(motion.paths[k])) = slopes.col(static_cast<Eigen::Index>(k));
      }
      at = (at + 1) % samples;
    };
    RunOptions run_options;
    run_options.stop = &stop;
    motions.run(rollouts.times, visit, run_options);
    found.values[static_cast<std::size_t>(robot)] = std::move(values);
    found.derivatives[static_cast<std::size_t>(robot)] = std::move(derivatives);
  });
  return found;
}

}  // namespace cuttle
