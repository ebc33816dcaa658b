#include "cuttle/algorithms/equilibrium_table.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "algorithms/equilibrium_family.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/model/spelling.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// Rows that one thread does one after the other, so that each finds a near one that is done. The number does not
/// depend on that of threads, lest the equilibria did.
constexpr std::size_t k_fewest_rows = 16, k_most_rows = 256, k_groups = 64;
constexpr std::size_t k_neighbors = 12;  // of the rows done before, among which the nearest is searched

/// Rows in an order in which neighbors are near each other: along a curve that fills the space of the columns, each
/// scaled to its own range (Morton's order). Rows of the same values stand together.
class SpaceOrder {
 public:
  explicit SpaceOrder(const MatrixXd& values) : scaled_(values) {
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const double low = values.col(c).minCoeff(), range = values.col(c).maxCoeff() - low;
      scaled_.col(c) = range > 0.0 ? VectorXd((values.col(c).array() - low) / range) : VectorXd::Zero(values.rows());
    }
    order_.resize(static_cast<std::size_t>(values.rows()));
    std::iota(order_.begin(), order_.end(), Eigen::Index{0});
    std::stable_sort(order_.begin(), order_.end(), [this](Eigen::Index a, Eigen::Index b) { return before(a, b); });
  }
  Eigen::Index operator[](std::size_t place) const { return order_[place]; }
  double distance(Eigen::Index a, Eigen::Index b) const { return (scaled_.row(a) - scaled_.row(b)).squaredNorm(); }

 private:
  std::uint32_t digit(Eigen::Index row, Eigen::Index column) const {
    return static_cast<std::uint32_t>(scaled_(row, column) * 65535.0);
  }
  /// The column whose digits differ first, from the highest bit on, decides; within one cell the values themselves.
  bool before(Eigen::Index a, Eigen::Index b) const {
    Eigen::Index decisive = -1;
    std::uint32_t most = 0;
    for (Eigen::Index c = 0; c < scaled_.cols(); ++c) {
      const std::uint32_t difference = std::bit_floor(digit(a, c) ^ digit(b, c));
      if (difference > most) most = difference, decisive = c;
    }
    if (decisive >= 0) return digit(a, decisive) < digit(b, decisive);
    for (Eigen::Index c = 0; c < scaled_.cols(); ++c) {
      if (scaled_(a, c) != scaled_(b, c)) return scaled_(a, c) < scaled_(b, c);
    }
    return false;
  }

  MatrixXd scaled_;
  std::vector<Eigen::Index> order_;
};

std::string without_robot(const std::string& path) { return path.starts_with("robot.") ? path.substr(6) : path; }

}  // namespace

EquilibriumTable::EquilibriumTable(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                   const std::vector<std::string>& columns)
    : model_(model), loads_(loads), q0_(q0) {
  check_configuration_argument(model, "EquilibriumTable", "q0", q0);
  if (!needs_sparse_tangent(model)) require_few_coordinates(model, "EquilibriumTable");
  check_static_loads(model, "EquilibriumTable", loads);
  if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  if (loads_.state_loads_at && loads_.external.size() < load_wrench_count(model)) {
    throw ArgumentError("EquilibriumTable: loads.external: found " + std::to_string(loads_.external.size()) +
                        " wrenches, expected those of the robot's own loads first, " +
                        std::to_string(load_wrench_count(model)));
  }
  for (const std::string& name : columns) {
    columns_.push_back(column_of(name));
    const auto same = [&](const Column& column) { return column.path == columns_.back().path; };
    if (std::count_if(columns_.begin(), columns_.end(), same) > 1) {
      throw ArgumentError("column '" + name + "': found it twice, expected each input and parameter once");
    }
    other_robots_ = other_robots_ || columns_.back().kind == Column::Kind::parameter;
  }
}

EquilibriumTable::Column EquilibriumTable::column_of(const std::string& name) const {
  Column column;
  column.path = name;
  for (int i = 0; i < model_.nu(); ++i) {
    if (model_.input_info()[static_cast<std::size_t>(i)].name != name) continue;
    column.input = i;
    return column;
  }
  column.path = without_robot(name);
  if (column.path.starts_with("loads[") && !loads_.state_loads_at) {
    throw ArgumentError("column '" + name + "': found a load, expected none: the robot's loads do not act");
  }
  if (find_component(column.path, column)) return column;
  column.kind = Column::Kind::parameter;
  try {
    model_.parameter(column.path);
  } catch (const ArgumentError&) {
    refuse(name);
  }
  return column;
}

bool EquilibriumTable::find_component(const std::string& path, Column& column) const {
  const auto found = find_load_component(model_, path);
  if (found) column.kind = Column::Kind::load, column.load = found->load, column.component = found->component;
  return found.has_value();
}

void EquilibriumTable::refuse(const std::string& name) const {
  std::vector<std::string> known;
  std::string inputs, loads;
  for (const CoordinateInfo& input : model_.input_info()) {
    inputs += (inputs.empty() ? "" : ", ") + input.name;
    known.push_back(input.name);
  }
  for_each_load_component(model_, [&](const std::string& path, LoadComponent at) {
    known.push_back(path);
    if (at.component == 3) loads += (loads.empty() ? "" : ", ") + path.substr(0, path.find('.')) + ".force[0..2]";
    if (at.component == 3) loads += ", " + path.substr(0, path.find('.')) + ".torque[0..2]";
  });
  for (const ParameterInfo& parameter : model_.parameters()) known.push_back(parameter.path);
  throw ArgumentError("column '" + name + "': found no input or parameter of this name, expected " +
                      (inputs.empty() ? "" : "an input (" + inputs + "), ") +
                      (loads.empty() ? "" : "a component of a load (" + loads + ") ") +
                      (inputs.empty() && loads.empty() ? "" : "or ") +
                      "a parameter of the robot (`cuttle parameters` lists them)" + did_you_mean(name, known));
}

void EquilibriumTable::set_loads(const Model& model, const Eigen::Ref<const Eigen::RowVectorXd>& values,
                                 StaticLoads& loads) const {
  loads = loads_;
  if (other_robots_) renew_own_loads(model, loads);  // frames and loads of the row's own robot
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const double value = values[static_cast<Eigen::Index>(c)];
    if (column.kind == Column::Kind::input) loads.u[column.input] = value;
    if (column.kind == Column::Kind::load) {
      set_load_component(model, {column.load, column.component}, value, loads.external);
    }
  }
  apply_slack<double>(model, loads.u);
}

/// What one thread does rows with.
struct EquilibriumTable::Worker {
  const EquilibriumTable& table;
  const MatrixXd& values;
  const SpaceOrder& order;
  const Options& options;
  std::vector<TableEquilibrium>& rows;
  Data data;
  StaticLoads loads = {};

  /// Rows from one place of the order to another. @return how many are done.
  void work(std::size_t first, std::size_t end, std::atomic<std::size_t>& done) {
    for (std::size_t place = first; place < end; ++place) {
      if (options.stop != nullptr && *options.stop) return;
      const Eigen::Index row = order[place];
      TableEquilibrium& result = rows[static_cast<std::size_t>(row)];
      try {
        solve(row, neighbor_of(first, place), result);
      } catch (const Error& error) {
        result.trouble = error.what();
      }
      ++done;
    }
  }

  /// The nearest of the rows that are found already; null: none.
  const StaticEquilibrium* neighbor_of(std::size_t first, std::size_t place) const {
    const StaticEquilibrium* nearest = nullptr;
    if (options.from_rest) return nearest;
    double least = std::numeric_limits<double>::infinity();
    std::size_t seen = 0;
    for (std::size_t before = place; before > first && seen < k_neighbors; --before) {
      const TableEquilibrium& other = rows[static_cast<std::size_t>(order[before - 1])];
      if (!other.found) continue;
      ++seen;
      const double distance = order.distance(order[place], order[before - 1]);
      if (distance < least) least = distance, nearest = &*other.found;
    }
    return nearest;
  }

  void solve(Eigen::Index row, const StaticEquilibrium* neighbor, TableEquilibrium& result) {
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      if (std::isfinite(values(row, c))) continue;
      throw ArgumentError("column '" + table.columns_[static_cast<std::size_t>(c)].path + "': found " +
                          number_text(values(row, c)) + ", expected a finite number");
    }
    if (!table.other_robots_) {
      table.set_loads(table.model_, values.row(row), loads);
      return solve(row, table.model_, data, neighbor, result);
    }
    std::vector<ParameterChange> changes;
    for (std::size_t c = 0; c < table.columns_.size(); ++c) {
      const Column& column = table.columns_[c];
      if (column.kind == Column::Kind::parameter) {
        changes.push_back({column.path, values(row, static_cast<Eigen::Index>(c))});
      }
    }
    const Model robot = table.model_.with(changes);
    table.set_loads(robot, values.row(row), loads);
    Data its_data(robot);
    solve(row, robot, its_data, neighbor, result);
  }

  void solve(Eigen::Index row, const Model& model, Data& its_data, const StaticEquilibrium* neighbor,
             TableEquilibrium& result) {
    const StaticLoads acting = with_friction_from(model, its_data, loads, table.q0_);
    if (neighbor != nullptr) {
      auto near = equilibrium_near(model, its_data, acting, neighbor->q);
      if (near && near->stability != Stability::unstable) result.found = std::move(near);
    }
    if (!result.found) result.found = static_equilibrium(model, its_data, acting, table.q0_, {}, options.heartbeat);
    if (options.found) options.found(static_cast<std::size_t>(row), {model, its_data, loads}, *result.found);
  }
};

std::vector<TableEquilibrium> EquilibriumTable::solve(const MatrixXd& values, const Options& options) const {
  if (values.cols() != static_cast<Eigen::Index>(columns_.size())) {
    throw ArgumentError("EquilibriumTable: values: found " + std::to_string(values.cols()) + " columns, expected " +
                        std::to_string(columns_.size()));
  }
  const auto count = static_cast<std::size_t>(values.rows());
  std::vector<TableEquilibrium> rows(count);
  if (count == 0) return rows;
  const SpaceOrder order(values);
  const std::size_t size = std::clamp(count / k_groups, k_fewest_rows, k_most_rows);
  const std::size_t groups = (count + size - 1) / size;
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t working = 0;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      Worker worker{*this, values, order, options, rows, Data(model_)};
      for (std::size_t group = next++; group < groups; group = next++) {
        worker.work(group * size, std::min(count, (group + 1) * size), done);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception(), next = groups;
    }
    const std::lock_guard lock(mutex);
    --working;
    ended.notify_all();
  };
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min(groups, options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores);
  std::vector<std::thread> pool;
  working = threads;
  pool.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(run);
  {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; })) {
      if (!options.progress) continue;
      lock.unlock();
      options.progress(done);
      lock.lock();
    }
  }
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
  return rows;
}

}  // namespace cuttle
