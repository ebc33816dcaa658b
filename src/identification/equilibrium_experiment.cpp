#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "algorithms/equilibrium_family.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/mode_gradient.h"
#include "cuttle/error.h"
#include "cuttle/identification/experiment.h"
#include "cuttle/simulation/rest_sample.h"
#include "identification/measured_columns.h"

namespace cuttle {
namespace {

/// A column that says what acts in a row: an input, or a component of a load.
struct InputColumn {
  std::string column, name;  // of the file, of the robot
  int input = -1;            // -1: a component of a load
  LoadComponentT<double> load = {};
  std::vector<double> values;  // in SI, a row each
};

/// The component of a load that a name stands for: loads[0].force[2].
std::optional<LoadComponentT<double>> load_component(const Model& model, const std::string& name) {
  std::size_t load = 0;
  for (std::size_t i = 0; i < model.robot().loads.size(); ++i) {
    if (model.robot().loads[i].law->timed() == nullptr) continue;
    for (int k = 0; k < 6; ++k) {
      if (name == fmt::format("loads[{}].{}[{}]", i, k < 3 ? "torque" : "force", k % 3)) {
        return LoadComponentT<double>{load, k, 0.0};
      }
    }
    ++load;
  }
  return std::nullopt;
}

class EquilibriumExperiment final : public Experiment {
 public:
  EquilibriumExperiment(const Model& model, const MeasuredTable& table, const EquilibriumExperimentOptions& options)
      : threads_(options.threads), time_(options.time) {
    set_label(table.file);
    row_count_ = table.row_count;
    starts_.resize(row_count_);
    read_columns(model, table, options.map);
    find_rows_alike();
    if (inputs_.empty() && mode_count_ == 0) {
      throw ArgumentError(label_ +
                          ": found no column of an input, expected at least one, or --map COLUMN=INPUT, or a measured "
                          "frequency");
    }
    if (channels_.empty()) {
      throw ArgumentError(label_ +
                          ": found no column of a measured quantity, expected at least one, as --map "
                          "COLUMN=FRAME.x");
    }
    if (!options.group.empty()) {
      groups_ = row_groups(table, options.group);
    } else {
      for (std::size_t row = 0; row < row_count_; ++row) groups_.push_back(fmt::format("{}: row {}", label_, row));
    }
  }

  std::vector<VectorXd> memory() const override { return starts_; }
  void set_memory(const std::vector<VectorXd>& memory) override { starts_ = memory; }
  bool predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted, MatrixXd* jacobian,
               std::string& trouble) override;
  std::vector<UnpredictedRows> predict_rows(const FreedRobot& robot, const std::vector<char>& left_out,
                                            VectorXd& predicted) override;
  std::vector<Sample> samples(const FreedRobot& robot, const std::vector<std::size_t>& rows) override;

 private:
  struct Worker;

  /// @param all  goes on after a row that cannot be.
  /// @return rows that cannot, in their order; not all without `all`.
  std::vector<UnpredictedRows> solve_rows(const FreedRobot& robot, const std::vector<char>& left_out, bool all,
                                          VectorXd& predicted, MatrixXd* jacobian);

  /// What is left out, and rows in which nothing was measured.
  std::vector<char> without_interest(const std::vector<char>& left_out) const {
    std::vector<char> out(row_count_, 1);
    for (const MeasuredPoint& point : points_) out[point.row] = left_out.empty() ? 0 : left_out[point.row];
    return out;
  }
  bool interrupted() const { return stop_ != nullptr && *stop_; }

  void read_columns(const Model& model, const MeasuredTable& table, const std::vector<ColumnMap>& given) {
    const auto acts = [&](const std::string& quantity, bool) {
      const auto& inputs = model.input_info();
      return load_component(model, quantity) ||
             std::any_of(inputs.begin(), inputs.end(), [&](const auto& info) { return info.name == quantity; });
    };
    MeasuredColumns columns = read_measured_columns(model, table, given, acts);
    channels_ = std::move(columns.channels), points_ = std::move(columns.points);
    quantities_ = std::move(columns.quantities);
    for (const auto& quantity : quantities_) mode_count_ = std::max(mode_count_, quantity->mode_count());
    for (MeasuredColumns::Input& given_input : columns.inputs) {
      InputColumn column{given_input.column, given_input.quantity, -1, {}, std::move(given_input.values)};
      for (int i = 0; i < model.nu(); ++i) {
        if (model.input_info()[static_cast<std::size_t>(i)].name == column.name) column.input = i;
      }
      if (column.input < 0) column.load = load_component(model, column.name).value();
      scaled_columns_.push_back(column.column);
      inputs_.push_back(std::move(column));
    }
    for (const MeasuredChannel& channel : channels_) scaled_columns_.push_back(channel.column);
  }

  void find_rows_alike() {
    std::map<std::vector<double>, std::size_t> first;
    for (std::size_t row = 0; row < row_count_; ++row) {
      std::vector<double> inputs;
      for (const InputColumn& column : inputs_) inputs.push_back(column.values[row]);
      first_alike_.push_back(first.emplace(std::move(inputs), row).first->second);
    }
  }

  /// What acts in a row. @param value_of  of a free parameter.
  template <typename S, typename ValueOf>
  RestLoadsT<S> loads_of(const FreedRobot& robot, std::size_t row, int nu, const ValueOf& value_of) const {
    RestLoadsT<S> loads;
    loads.u.setZero(nu);
    loads.time = time_;
    for (const InputColumn& column : inputs_) {
      const S value =
          SensorConstants(robot.parameters(), name(), column.column).apply<S>(S(column.values[row]), value_of);
      if (column.input >= 0) {
        loads.u[column.input] = value;
      } else {
        loads.components.push_back({column.load.load, column.load.component, value});
      }
    }
    return loads;
  }

  /// Equilibria to start from, of rows that have none yet: neighbors help each other.
  void find_starts(const FreedRobot& robot, const std::vector<char>& left_out) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < row_count_; ++row) {
      if (starts_[row].size() == 0 && left_out[row] == 0) rows.push_back(row);
    }
    if (rows.empty()) return;
    std::vector<std::string> names;
    for (const InputColumn& column : inputs_) names.push_back(column.name);
    MatrixXd values(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(names.size()));
    const auto value_of = [&](int i) { return robot.values()[i]; };
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < inputs_.size(); ++c) {
        values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
            SensorConstants(robot.parameters(), name(), inputs_[c].column)
                .apply<double>(inputs_[c].values[rows[r]], value_of);
      }
    }
    const Model& model = robot.model();
    RestLoads none;
    none.time = time_;
    const EquilibriumTable table(model, static_loads(model, none), model.neutral(), names);
    EquilibriumTable::Options options;
    options.threads = threads_, options.stop = stop_;
    const auto found = table.solve(values, options);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (found[r].found) starts_[rows[r]] = found[r].found->q;
    }
  }

  std::vector<InputColumn> inputs_;
  std::vector<std::shared_ptr<const MeasuredQuantity>> quantities_;  // of the channels
  std::size_t mode_count_ = 0;                                       // that the quantities look at
  std::vector<VectorXd> starts_;                                     // where each row was before; empty: nowhere yet
  int threads_;
  double time_;
};

/// What one thread does rows with.
struct EquilibriumExperiment::Worker {
  EquilibriumExperiment& experiment;
  const FreedRobot& robot;
  Data data;
  ElementData elements;
  std::vector<VariedRest> varied;             // of the passes
  std::vector<std::vector<std::size_t>> own;  // points by row

  Worker(EquilibriumExperiment& of, const FreedRobot& freed, bool derivatives)
      : experiment(of), robot(freed), data(freed.model()), elements(freed.model()), own(of.row_count_) {
    if (derivatives) {
      varied.reserve(freed.passes().size());
      for (const FreedRobot::Pass& pass : freed.passes()) varied.emplace_back(pass.model, freed.model());
    }
    for (std::size_t i = 0; i < of.points_.size(); ++i) own[of.points_[i].row].push_back(i);
  }

  /// @return why not; empty if it could.
  std::string solve(std::size_t row, VectorXd& predicted, MatrixXd* jacobian) {
    try {
      const RestLoads acting = loads(row);
      const StaticEquilibrium found = equilibrium(row, acting);
      if (varied.empty()) {
        observe(row, acting, found, predicted);
      } else {
        differentiate_row(row, acting, found, predicted, *jacobian);
      }
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  RestLoads loads(std::size_t row) const {
    const auto value_of = [&](int i) { return robot.values()[i]; };
    return experiment.loads_of<double>(robot, row, robot.model().nu(), value_of);
  }

  /// From where the row was before; where that leads to nothing stable, from rest.
  StaticEquilibrium equilibrium(std::size_t row, const RestLoads& loads) {
    const Model& model = robot.model();
    const StaticLoads acting = with_friction_from(model, data, static_loads(model, loads), model.neutral());
    VectorXd& start = experiment.starts_[row];
    std::optional<StaticEquilibrium> found;
    if (start.size() > 0) found = equilibrium_near(model, data, acting, start);
    if (!found || found->stability == Stability::unstable) {
      found = static_equilibrium(model, data, acting, model.neutral());
    }
    start = found->q;
    return *found;
  }

  void observe(std::size_t row, const RestLoads& acting, const StaticEquilibrium& found, VectorXd& predicted) {
    const Model& model = robot.model();
    const StaticLoads loads = static_loads(model, acting);
    const VectorXd& u = loads.u;
    std::vector<ModeNumbersT<double>> modes;
    if (experiment.mode_count_ > 0) {
      modes = mode_numbers(lowest_modes(model, data, loads, found, static_cast<int>(experiment.mode_count_)));
    }
    const VectorXd y = model.nu() > 0 ? actuation_coordinates<double>(model, data, found.q) : VectorXd();
    if (!model.elements().empty()) {
      element_motion<double>(model, data, found.q, VectorXd::Zero(model.nv()), elements);
      elements.states = found.element_states;
      element_efforts<double>(model, 0.0, u, elements);
      element_outputs<double>(model, 0.0, u, elements);
    }
    const ObservedStateT<double> state{model, forward_kinematics<double>(model, data, found.q), found.q, y, elements,
                                       &modes};
    const auto value_of = [&](int i) { return robot.values()[i]; };
    for (const std::size_t i : own[row]) {
      predicted[static_cast<Eigen::Index>(i)] =
          constants_of(i).apply<double>(quantity_of(i).value(state, row), value_of);
    }
  }

  /// Modes as numbers. @throws StaticsError if there are fewer than quantities look at.
  std::vector<ModeNumbersT<double>> mode_numbers(const std::vector<Mode>& modes) const {
    std::vector<ModeNumbersT<double>> numbers;
    numbers.reserve(modes.size());
    for (const Mode& mode : modes) numbers.push_back({mode.frequency(), mode.damping_ratio()});
    if (numbers.size() >= experiment.mode_count_) return numbers;
    throw StaticsError(fmt::format("'{}': found {} modes, expected modes[{}]", robot.model().name(), numbers.size(),
                                   experiment.mode_count_ - 1));
  }

  void differentiate_row(std::size_t row, const RestLoads& acting, const StaticEquilibrium& found, VectorXd& predicted,
                         MatrixXd& jacobian) {
    const EquilibriumTangent tangent(robot.model(), data, acting, found);
    std::optional<ModeTangent> mode_tangent;
    if (experiment.mode_count_ > 0) {
      mode_tangent.emplace(robot.model(), data, acting, found, static_cast<int>(experiment.mode_count_));
    }
    std::vector<ModeNumbersT<ForwardDual>> modes;
    for (std::size_t p = 0; p < varied.size(); ++p) {
      const FreedRobot::Pass& pass = robot.passes()[p];
      VariedRest& at = varied[p];
      const auto value_of = [&](int i) {
        ForwardDual value(robot.values()[i]);
        for (std::size_t k = 0; k < pass.parameters.size(); ++k) {
          if (pass.parameters[k] == static_cast<std::size_t>(i)) value.derivative[k] = 1.0;
        }
        return value;
      };
      const RestLoadsT<ForwardDual> varied_loads =
          experiment.loads_of<ForwardDual>(robot, row, pass.model.nu(), value_of);
      tangent.vary(varied_loads, at);
      if (mode_tangent) {
        modes = mode_tangent->vary(varied_loads, experiment.mode_count_, at);
        tangent.vary(varied_loads, at);  // whose memory the modes have used
      }
      const ObservedStateT<ForwardDual> state{pass.model, at.data.kinematics, at.q, at.y, at.elements, &modes};
      for (const std::size_t i : own[row]) {
        const auto point = static_cast<Eigen::Index>(i);
        const ForwardDual value = constants_of(i).apply<ForwardDual>(quantity_of(i).value(state, row), value_of);
        predicted[point] = value.value;
        for (std::size_t k = 0; k < pass.parameters.size(); ++k) {
          jacobian(point, static_cast<Eigen::Index>(pass.parameters[k])) += value.derivative[k];
        }
      }
    }
  }

  const MeasuredQuantity& quantity_of(std::size_t point) const {
    return *experiment.quantities_[experiment.points_[point].channel];
  }
  SensorConstants constants_of(std::size_t point) const {
    return {robot.parameters(), experiment.name(), experiment.channels_[experiment.points_[point].channel].column};
  }
};

bool EquilibriumExperiment::predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted,
                                    MatrixXd* jacobian, std::string& trouble) {
  predicted.resize(static_cast<Eigen::Index>(points_.size()));
  if (jacobian != nullptr) {
    jacobian->setZero(static_cast<Eigen::Index>(points_.size()), static_cast<Eigen::Index>(robot.values().size()));
  }
  const std::vector<UnpredictedRows> missing = solve_rows(robot, left_out, false, predicted, jacobian);
  if (!missing.empty()) {
    trouble = fmt::format("{}: row {}: {}", label_, missing.front().first, missing.front().why);
    return false;
  }
  if (interrupted()) trouble = label_ + ": interrupted";
  return !interrupted();
}

std::vector<UnpredictedRows> EquilibriumExperiment::predict_rows(const FreedRobot& robot,
                                                                 const std::vector<char>& left_out,
                                                                 VectorXd& predicted) {
  predicted.setConstant(static_cast<Eigen::Index>(points_.size()), std::numeric_limits<double>::quiet_NaN());
  return solve_rows(robot, left_out, true, predicted, nullptr);
}

std::vector<UnpredictedRows> EquilibriumExperiment::solve_rows(const FreedRobot& robot,
                                                               const std::vector<char>& left_out, bool all,
                                                               VectorXd& predicted, MatrixXd* jacobian) {
  const std::vector<char> out = without_interest(left_out);
  find_starts(robot, out);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::vector<UnpredictedRows> missing;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      Worker worker(*this, robot, jacobian != nullptr);
      for (std::size_t row = next++; row < row_count_ && !interrupted(); row = next++) {
        if (out[row] != 0) continue;
        std::string why = worker.solve(row, predicted, jacobian);
        if (why.empty()) continue;
        const std::lock_guard lock(mutex);
        missing.push_back({row, row, std::move(why)});
        if (!all) next = row_count_;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception(), next = row_count_;
    }
  };
  const auto cores = static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::size_t count = std::min(row_count_, threads_ > 0 ? static_cast<std::size_t>(threads_) : cores);
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < count; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
  std::sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return missing;
}

std::vector<Sample> EquilibriumExperiment::samples(const FreedRobot& robot, const std::vector<std::size_t>& rows) {
  std::vector<char> left_out(row_count_, 1);
  for (const std::size_t row : rows) left_out[row] = 0;
  find_starts(robot, left_out);
  Worker worker(*this, robot, false);
  std::vector<Sample> found;
  for (const std::size_t row : rows) {
    const RestLoads loads = worker.loads(row);
    const StaticEquilibrium equilibrium = worker.equilibrium(row, loads);
    const VectorXd u = static_loads(robot.model(), loads).u;
    found.push_back(rest_sample(robot.model(), worker.data, u, equilibrium, time_));
  }
  return found;
}

}  // namespace

std::unique_ptr<Experiment> make_equilibrium_experiment(const Model& model, const MeasuredTable& table,
                                                        const EquilibriumExperimentOptions& options) {
  return std::make_unique<EquilibriumExperiment>(model, table, options);
}

}  // namespace cuttle
