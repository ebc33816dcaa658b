#include "cuttle/identification/motion_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/sensitivities.h"
#include "identification/measured_columns.h"
#include "simulation/run_parameter.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"
#include "simulation/timed_run.h"

namespace cuttle {
namespace {

const std::string k_shift = "time.shift", k_of_scenario = "simulation.";

/// Times and columns of a recording, as the map says.
struct RecordedTimes {
  ColumnMap time{"time", "time"};
  std::vector<ColumnMap> others;

  explicit RecordedTimes(const std::vector<ColumnMap>& maps) {
    for (const ColumnMap& map : maps) {
      if (map.quantity == "time") {
        time = map;
      } else {
        others.push_back(map);
      }
    }
  }
};

Signal signal_between(BetweenSamples between, const std::vector<double>& times, const std::vector<double>& values) {
  return between == BetweenSamples::spline ? Signal::spline(times, values)
                                           : Signal::table(times, values, between == BetweenSamples::hold);
}

class MotionExperiment final : public Experiment {
 public:
  MotionExperiment(const Model& model, const Scenario& scenario, const MeasuredTable& table,
                   const MotionExperimentOptions& options)
      : model_(model), scenario_(scenario), between_(options.between) {
    set_label(table.file);
    row_count_ = table.row_count;
    const RecordedTimes clock(options.map);
    read_times(table, clock);
    MeasuredColumns columns =
        read_measured_columns(model, table, clock.others,
                              [&](const std::string& quantity, bool mapped) { return mapped && is_input(quantity); });
    channels_ = std::move(columns.channels), points_ = std::move(columns.points);
    quantities_ = std::move(columns.quantities), recorded_ = std::move(columns.inputs);
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
      if (quantities_[i]->mode_count() == 0) continue;
      throw ArgumentError(
          fmt::format("{}: column '{}': found a frequency in a recording of a motion, expected it in a "
                      "table of a robot at rest, after a robot file",
                      table.place(channels_[i].column), channels_[i].column));
    }
    if (channels_.empty()) {
      throw ArgumentError(
          fmt::format("{}: found no column of a measured quantity, expected at least one, as --map "
                      "COLUMN=FRAME.x",
                      label_));
    }
    for (const MeasuredColumns::Input& input : recorded_) scaled_columns_.push_back(input.column);
    for (const MeasuredChannel& channel : channels_) scaled_columns_.push_back(channel.column);
    for (const MeasuredColumns::Input& input : recorded_) require_rising_times(table, clock, input.column);
    group_rows(table, options);
    if (run_tolerance() < options.least_relative_tolerance) set_run_tolerance(options.least_relative_tolerance);
    scenario_.output_step = scenario_.duration;  // nobody looks at its outputs
    try {
      const MotionDerivatives refuses(model_, driven(scenario_, {}), {});
    } catch (ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", label_, error.what()));
    }
  }

  double precision() const override {
    constexpr double k_least = 1e-8;  // what is far below the noise is not worth another run
    if (integrator_step(scenario_.integrator)) return k_least;
    return std::max(k_least, 0.1 * scenario_.integrator.relative_tolerance);
  }

  double run_tolerance() const override {
    return integrator_step(scenario_.integrator) ? 0.0 : scenario_.integrator.relative_tolerance;
  }
  void set_run_tolerance(double relative) override {
    IntegratorOptions& integrator = scenario_.integrator;
    integrator.absolute_tolerance *= relative / integrator.relative_tolerance;
    integrator.relative_tolerance = relative;
  }

  std::optional<SetUpConstant> constant(const std::string& name) const override {
    const std::string own = own_constant(name, this->name());
    if (own == k_shift) return SetUpConstant{0.0, "s"};
    if (!own.starts_with(k_of_scenario)) return Experiment::constant(name);
    const ScenarioNumber number = find_scenario_number(model_, scenario_, own);
    for (const MeasuredColumns::Input& input : recorded_) {
      if (number.of != RunParameter::Of::input || number.part != input.quantity) continue;
      throw ArgumentError(fmt::format("{}: found an input that column '{}' of {} drives, expected {}.scale or {}.bias",
                                      own, input.column, label_, input.column, input.column));
    }
    return SetUpConstant{number.value, number.unit};
  }

  bool predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted, MatrixXd* jacobian,
               std::string& trouble) override;
  std::vector<UnpredictedRows> predict_rows(const FreedRobot& robot, const std::vector<char>& left_out,
                                            VectorXd& predicted) override;
  std::vector<Sample> samples(const FreedRobot& robot, const std::vector<std::size_t>& rows) override;

 private:
  struct Look;

  bool is_input(const std::string& name) const {
    const auto& inputs = model_.input_info();
    return std::any_of(inputs.begin(), inputs.end(), [&](const auto& info) { return info.name == name; });
  }

  void read_times(const MeasuredTable& table, const RecordedTimes& clock) {
    const std::string& name = clock.time.column;
    const NumberColumn* const column = table.number(name);
    if (const std::string stray = table.stray_text(name); !stray.empty()) throw ArgumentError(stray);
    if (column == nullptr) {
      throw ArgumentError(
          fmt::format("{}: {}: found no column of numbers of this name, expected the times of a motion; "
                      "--map COLUMN=time names another",
                      table.place(name), name));
    }
    table.require_si(name, clock.time.factor);
    const double rounding = 1e-9 * scenario_.duration + 4e-16 * std::abs(clock.time.offset);
    for (std::size_t row = 0; row < row_count_; ++row) {
      const double time = clock.time.in_si(column->values[row]);
      const auto refuse = [&](const std::string& expected) {
        throw ArgumentError(
            fmt::format("{}: {}: found {:.9g} s, expected {}", table.place(name, row), name, time, expected));
      };
      if (!std::isfinite(time)) refuse("a time");
      if (row > 0 && time < times_.back() - rounding) {
        refuse(fmt::format("times that do not fall: the row before is at {:.9g} s", times_.back()));
      }
      if (time < -rounding || time > scenario_.duration + rounding) {
        refuse(
            fmt::format("a time of the run, 0 to {:g} s (simulation.duration); --map {}=time-SECONDS is for a clock "
                        "that does not begin with it",
                        scenario_.duration, name));
      }
      times_.push_back(std::clamp(time, row > 0 ? times_.back() : 0.0, scenario_.duration));
    }
  }

  /// Signals need times that rise.
  void require_rising_times(const MeasuredTable& table, const RecordedTimes& clock, const std::string& column) const {
    for (std::size_t row = 1; row < row_count_; ++row) {
      if (times_[row] > times_[row - 1]) continue;
      throw ArgumentError(
          fmt::format("{}: {}: found {:.9g} s twice, expected times that rise, as column '{}' drives an "
                      "input",
                      table.place(clock.time.column, row), clock.time.column, times_[row], column));
    }
  }

  void group_rows(const MeasuredTable& table, const MotionExperimentOptions& options) {
    if (!options.group.empty()) {
      groups_ = row_groups(table, options.group);
      return;
    }
    const double begin = times_.front(), span = times_.back() - begin;
    for (const double time : times_) {
      const int stretch = span > 0.0 ? static_cast<int>((time - begin) / span * options.stretches) : 0;
      groups_.push_back(options.stretches == 1
                            ? label_
                            : fmt::format("{}: stretch {:06}", label_, std::min(stretch, options.stretches - 1)));
    }
  }

  /// The scenario with recorded inputs, each scaled and shifted. @param constants  values of scale and bias, by column.
  Scenario driven(Scenario scenario, const std::map<std::string, std::pair<double, double>>& constants) const {
    for (const MeasuredColumns::Input& input : recorded_) {
      const auto found = constants.find(input.column);
      const auto [scale, bias] = found == constants.end() ? std::pair(1.0, 0.0) : found->second;
      std::vector<double> values = input.values;
      for (double& value : values) value = scale * value + bias;
      scenario.inputs[input.quantity] = signal_between(between_, times_, values);
    }
    return scenario;
  }

  const Model& model_;
  Scenario scenario_;
  BetweenSamples between_;
  std::vector<std::shared_ptr<const MeasuredQuantity>> quantities_;  // of the channels
  std::vector<MeasuredColumns::Input> recorded_;
};

/// One look at the robot with some values of what is free.
struct MotionExperiment::Look {
  MotionExperiment& experiment;
  const FreedRobot& robot;
  Scenario scenario;
  std::vector<std::size_t> rows;              // that are of interest
  std::vector<double> times;                  // of the run, a row each
  std::vector<char> held;                     // of the rows: it is before the start
  std::vector<std::vector<std::size_t>> own;  // points of the rows
  std::vector<SensorConstants> constants;     // of the channels
  int shift = -1;
  // what the run is differentiated by, and the free parameter that each belongs to
  std::vector<std::string> by;
  std::vector<Eigen::Index> owners;
  std::vector<InputNumber> numbers;

  /// @param all  rows in which nothing was measured are of interest too.
  Look(MotionExperiment& of, const FreedRobot& freed, const std::vector<char>& left_out, bool all = false)
      : experiment(of), robot(freed), shift(free_constant(freed.parameters(), of.name(), k_shift)) {
    for (const MeasuredChannel& channel : of.channels_) {
      constants.emplace_back(freed.parameters(), of.name(), channel.column);
    }
    for (std::size_t i = 0; i < freed.parameters().size(); ++i) {
      for (const std::string& path : freed.parameters()[i].paths) add_direction(path, static_cast<int>(i));
    }
    set_scenario();
    std::vector<std::vector<std::size_t>> points(of.row_count_);
    for (std::size_t i = 0; i < of.points_.size(); ++i) points[of.points_[i].row].push_back(i);
    for (std::size_t row = 0; row < of.row_count_; ++row) {
      if ((!left_out.empty() && left_out[row] != 0) || (!all && points[row].empty())) continue;
      const double time = of.times_[row] - (shift >= 0 ? value_of(shift) : 0.0);
      rows.push_back(row), own.push_back(std::move(points[row]));
      held.push_back(time < 0.0 ? 1 : 0), times.push_back(std::max(0.0, time));
    }
    if (!held.empty() && held.front() != 0) require_rest();
    if (!times.empty()) scenario.duration = std::max(scenario.duration, times.back());
    scenario.output_step = scenario.duration;
  }

  double value_of(int parameter) const { return robot.values()[parameter]; }

  void add_direction(const std::string& path, int owner) { by.push_back(path), owners.push_back(owner); }

  /// Its numbers, and recorded inputs with their constants.
  void set_scenario() {
    scenario = experiment.scenario_;
    const std::string name = experiment.name();
    const std::vector<FreeParameter>& parameters = robot.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string path = own_constant(parameters[i].name, name);
      const int index = static_cast<int>(i);
      if (!path.starts_with(k_of_scenario) || free_constant(parameters, name, path) != index) continue;
      std::optional<ScenarioNumber> number;
      try {
        number = find_scenario_number(robot.model(), scenario, path);
      } catch (const ArgumentError&) {
        continue;  // of another scenario: this one has no such number
      }
      set_scenario_number(robot.model(), scenario, *number, value_of(index));
      add_direction(path, index);
    }
    std::map<std::string, std::pair<double, double>> values;
    for (const MeasuredColumns::Input& input : experiment.recorded_) {
      const SensorConstants free(parameters, name, input.column);
      values[input.column] = {free.scale >= 0 ? value_of(free.scale) : 1.0, free.bias >= 0 ? value_of(free.bias) : 0.0};
      const auto add = [&](int parameter, const Signal& slope) {
        if (parameter < 0) return;
        const std::string& path = parameters[static_cast<std::size_t>(parameter)].name;
        numbers.push_back({path, input.quantity, value_of(parameter), slope});
        add_direction(path, parameter);
      };
      add(free.scale, signal_between(experiment.between_, experiment.times_, input.values));
      add(free.bias, Signal(1.0));
    }
    scenario = experiment.driven(std::move(scenario), values);
  }

  /// Before the start it can only be where it begins.
  void require_rest() const {
    for (const auto& [part, state] : scenario.initial) {
      if (std::all_of(state.v.begin(), state.v.end(), [](double v) { return v == 0.0; })) continue;
      throw ArgumentError(
          fmt::format("{}: found times before the start, where '{}' is moving, expected a run that "
                      "begins at rest or a shift below {:g} s",
                      k_shift, part, experiment.times_[rows.front()]));
    }
  }

  RunOptions run_options() const { return {{}, experiment.stop_}; }

  /// What the robot shows at an instant.
  template <typename S>
  ObservedStateT<S> observe(const ModelT<S>& model, DataT<S>& data, ElementDataT<S>& elements, double time,
                            const VectorXT<S>& q, const VectorXT<S>& v, const VectorXT<S>& u, const VectorXT<S>& states,
                            VectorXT<S>& y) const {
    if (model.nu() > 0) y = actuation_coordinates<S>(model, data, q);
    if (!model.elements().empty()) {
      element_motion<S>(model, data, q, v, elements);
      elements.states = states;
      element_efforts<S>(model, time, u, elements);
      element_outputs<S>(model, time, u, elements);
    }
    return {model, forward_kinematics<S>(model, data, q), q, y, elements};
  }

  const MeasuredQuantity& quantity_of(std::size_t point) const {
    return *experiment.quantities_[experiment.points_[point].channel];
  }
  const SensorConstants& constants_of(std::size_t point) const { return constants[experiment.points_[point].channel]; }
  void put(std::size_t point, double quantity, VectorXd& quantities) const {
    quantities[static_cast<Eigen::Index>(point)] = quantity;
  }
  double scale_of(std::size_t point) const {
    const int scale = constants_of(point).scale;
    return scale >= 0 ? value_of(scale) : 1.0;
  }

  void predict(VectorXd& predicted) const {
    run(predicted);
    apply_constants(predicted, nullptr);
  }

  void differentiate(VectorXd& predicted, MatrixXd& jacobian) const {
    if (shift >= 0 || by.empty()) run_with_rates(predicted, jacobian);
    if (!by.empty()) run_with_derivatives(predicted, jacobian);
    apply_constants(predicted, &jacobian);
  }

  /// Makes of quantities what sensors measure.
  void apply_constants(VectorXd& predicted, MatrixXd* jacobian) const {
    for (const std::vector<std::size_t>& points : own) {
      for (const std::size_t point : points) {
        const SensorConstants& free = constants_of(point);
        const auto row = static_cast<Eigen::Index>(point);
        if (jacobian != nullptr && free.bias >= 0) (*jacobian)(row, free.bias) += 1.0;
        if (jacobian != nullptr && free.scale >= 0) (*jacobian)(row, free.scale) += predicted[row];
        predicted[row] = free.apply<double>(predicted[row], [&](int i) { return value_of(i); });
      }
    }
  }

  void run(VectorXd& quantities) const {
    Data data(robot.model());
    ElementData elements(robot.model());
    VectorXd y;
    std::size_t at = 0;
    run_to_times(
        robot.model(), scenario, times,
        [&](const TimedState& now) {
          const State& state = now.state;
          const VectorXd states = now.system.layout().elements_of(state.auxiliary);
          const auto seen =
              observe<double>(robot.model(), data, elements, state.time, state.q, state.v, now.u, states, y);
          for (const std::size_t point : own[at]) put(point, quantity_of(point).value(seen, rows[at]), quantities);
          ++at;
        },
        experiment.stop_);
  }

  void run_with_derivatives(VectorXd& quantities, MatrixXd& jacobian) const {
    const MotionDerivatives motions(robot.model(), scenario, by, numbers);
    std::optional<ElementDataT<ForwardDual>> elements;
    VectorXT<ForwardDual> y;
    std::size_t at = 0;
    motions.run(
        times,
        [&](const DifferentiatedMotion& now) {
          if (at == 0) elements.emplace(now.model);
          const auto seen = observe<ForwardDual>(now.model, now.data, *elements, now.time, now.q, now.v, now.u,
                                                 now.element_states, y);
          for (const std::size_t point : own[at]) {
            const ForwardDual value = quantity_of(point).value(seen, rows[at]);
            put(point, value.value, quantities);
            for (std::size_t k = 0; k < now.paths.size(); ++k) {
              jacobian(static_cast<Eigen::Index>(point), owners[now.paths[k]]) += scale_of(point) * value.derivative[k];
            }
          }
          at = (at + 1) % times.size();
        },
        run_options());
  }

  /// By the shift of time: minus the rates of what is measured, from the run's velocities, and where forces of elements
  /// are measured from its accelerations.
  void run_with_rates(VectorXd& quantities, MatrixXd& jacobian) const {
    const Model& plain = robot.model();
    const ModelT<ForwardDual> model = cuttle::differentiate(plain, {});
    DataT<ForwardDual> data(model);
    ElementDataT<ForwardDual> elements(model);
    VectorXT<ForwardDual> y;
    std::size_t at = 0;
    if (!plain.elements().empty() && (!plain.loops().empty() || !scenario.controllers.empty())) {
      throw ArgumentError(
          fmt::format("{}: found a robot with elements and closed loops or controllers, whose forces have no rates "
                      "here, expected no free shift",
                      k_shift));
    }
    VectorXd a = VectorXd::Zero(plain.nv()), rates, q_rate(plain.nq());
    const std::vector<Signal> inputs = input_signals(plain, scenario.inputs);
    run_to_times(
        plain, scenario, times,
        [&](const TimedState& now) {
          const State& state = now.state;
          const StateLayout layout = now.system.layout();
          rates.setZero(layout.size());
          if (!plain.elements().empty()) {
            now.system.rates(state.time, state.q, state.v, state.auxiliary, a, rates);
          }
          configuration_rate<double>(plain, state.q, state.v, q_rate);
          const auto in_time = [](const VectorXd& x, const VectorXd& rate) {
            VectorXT<ForwardDual> result = x.cast<ForwardDual>();
            for (Eigen::Index i = 0; i < x.size(); ++i) result[i].derivative[0] = rate[i];
            return result;
          };
          VectorXd u_rate = VectorXd::Zero(now.u.size());
          for (Eigen::Index i = 0; i < u_rate.size() && !plain.elements().empty(); ++i) {
            const Signal& input = inputs[static_cast<std::size_t>(i)];
            if (now.u[i] == input.at(state.time)) u_rate[i] = input.derivative(state.time);  // else it is clipped
          }
          const VectorXT<ForwardDual> q = in_time(state.q, q_rate), v = in_time(state.v, a), u = in_time(now.u, u_rate);
          const VectorXT<ForwardDual> states = in_time(layout.elements_of(state.auxiliary), layout.elements_of(rates));
          const auto seen = observe<ForwardDual>(model, data, elements, state.time, q, v, u, states, y);
          for (const std::size_t point : own[at]) {
            const ForwardDual value = quantity_of(point).value(seen, rows[at]);
            put(point, value.value, quantities);
            if (shift >= 0 && held[at] == 0) {
              jacobian(static_cast<Eigen::Index>(point), shift) -= scale_of(point) * value.derivative[0];
            }
          }
          ++at;
        },
        experiment.stop_);
  }
};

bool MotionExperiment::predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted,
                               MatrixXd* jacobian, std::string& trouble) {
  predicted.resize(static_cast<Eigen::Index>(points_.size()));
  if (jacobian != nullptr) jacobian->setZero(predicted.size(), robot.values().size());
  try {
    Look look(*this, robot, left_out);
    if (look.times.empty()) return true;
    if (jacobian == nullptr) {
      look.predict(predicted);
    } else {
      look.differentiate(predicted, *jacobian);
    }
    return true;
  } catch (const Error& error) {
    trouble = fmt::format("{}: {}", label_, error.what());
    return false;
  }
}

/// A run that fails has shown what came before.
std::vector<UnpredictedRows> MotionExperiment::predict_rows(const FreedRobot& robot, const std::vector<char>& left_out,
                                                            VectorXd& predicted) {
  predicted.setConstant(static_cast<Eigen::Index>(points_.size()), std::numeric_limits<double>::quiet_NaN());
  std::string why;
  try {
    const Look look(*this, robot, left_out);
    if (look.times.empty()) return {};
    try {
      look.run(predicted);
    } catch (const Error& error) {
      why = error.what();
    }
    look.apply_constants(predicted, nullptr);
  } catch (const Error& error) {
    why = error.what();
  }
  if (why.empty()) return {};
  UnpredictedRows missing{row_count_, 0, why};
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t row = points_[i].row;
    if (!left_out.empty() && left_out[row] != 0) continue;
    if (std::isfinite(predicted[static_cast<Eigen::Index>(i)])) continue;
    missing.first = std::min(missing.first, row), missing.last = std::max(missing.last, row);
  }
  if (missing.first == row_count_) return {};  // it failed after the last row
  return {missing};
}

std::vector<Sample> MotionExperiment::samples(const FreedRobot& robot, const std::vector<std::size_t>& rows) {
  std::vector<char> left_out(row_count_, 1);
  for (const std::size_t row : rows) left_out[row] = 0;
  const Look look(*this, robot, left_out, true);
  Sampler sampler(robot.model());
  std::vector<Sample> found;
  run_to_times(
      robot.model(), look.scenario, look.times,
      [&](const TimedState& at) {
        found.push_back(sampler.take(at.state, at.system));
        found.back().time = times_[look.rows[found.size() - 1]];
      },
      stop_);
  return found;
}

}  // namespace

BetweenSamples between_samples_of_name(const std::string& name) {
  if (name == "spline") return BetweenSamples::spline;
  if (name == "linear") return BetweenSamples::linear;
  if (name == "hold") return BetweenSamples::hold;
  throw ArgumentError("--between: found '" + name + "', expected spline, linear or hold");
}

std::unique_ptr<Experiment> make_motion_experiment(const Model& model, const Scenario& scenario,
                                                   const MeasuredTable& table, const MotionExperimentOptions& options) {
  return std::make_unique<MotionExperiment>(model, scenario, table, options);
}

}  // namespace cuttle
