#include "cuttle/simulation/batch.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "simulation/integrators.h"
#include "simulation/robot_lanes.h"
#include "simulation/robot_pack.h"
#include "simulation/rollout_failures.h"
#include "simulation/schedule.h"
#include "simulation/worker_threads.h"
#include "spatial/memory.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

void add_jumps(const Signal& signal, std::vector<double>& times) {
  const std::vector<double> own = signal.discontinuities();
  times.insert(times.end(), own.begin(), own.end());
}

void require_shape(const char* function, const char* name, const RowsRef& x, Eigen::Index rows, Eigen::Index columns) {
  if (x.rows() == rows && x.cols() == columns) return;
  throw ArgumentError(std::string("Batch::") + function + ": " + name + ": found " + std::to_string(x.rows()) + " x " +
                      std::to_string(x.cols()) + ", expected " + std::to_string(rows) + " x " +
                      std::to_string(columns) + " (robots x values)");
}

void require(bool good, const std::string& what) {
  if (!good) throw ArgumentError("Batch::rollout: " + what);
}

/// Steps of all groups times coordinates, up to which a roll-out is over at once: in some milliseconds, of the most
/// costly bodies in a second. The thread that makes room for a heartbeat takes 0.03 ms.
constexpr double k_short_work = 3000.0;

}  // namespace

struct Batch::Impl {
  Impl(const std::vector<const Model*>& robots, int robot_count, int threads)
      : nominal(*robots.front()), count(robot_count), worker_threads("Batch", threads) {
    if (robot_count < 1) throw ArgumentError("Batch: found " + std::to_string(robot_count) + " robots, expected >= 1");
    if (!nominal.loops().empty()) {
      throw ArgumentError("Batch: found the closed loop '" + nominal.loops().front().name + "' of '" + nominal.name() +
                          "', expected robots without loops");
    }
    require_memory(8.0 * robot_count * (nominal.nq() + nominal.nv()),
                   "Batch: states of " + std::to_string(robot_count) + " robots");
    for (std::size_t i = 1; i < robots.size(); ++i) {
      const std::string difference = difference_of(*robots[0], *robots[i]);
      if (difference.empty()) continue;
      throw ArgumentError("Batch: robot " + std::to_string(i) + ": " + difference + ", not as robot 0");
    }
    if (!make_packs(robots, vector_robot_pack())) make_packs(robots, single_robot_pack());
    status.assign(count, RobotStatus::good);
  }

  /// Robots that share a pack: those of one arrangement.
  /// @return false if some joint or body exists for one robot at a time only.
  bool make_packs(const std::vector<const Model*>& robots, const RobotPackMaker& maker) {
    packs.clear(), groups.clear(), load_jumps.clear();
    width = maker.width;
    if (robots.size() == 1) {  // all robots are equal
      load_jumps.push_back(arrangement_of(*robots[0]).load_jumps);
      packs.push_back(maker.make(std::vector<const Model*>(width, robots[0])));
      std::vector<int> all(count);
      std::iota(all.begin(), all.end(), 0);
      for (int first = 0; first < count; first += width) add_group(all, first);
      return packs[0] != nullptr;
    }
    std::map<Arrangement, std::vector<int>> alike;
    for (int i = 0; i < count; ++i) alike[arrangement_of(*robots[i])].push_back(i);
    for (const auto& [arrangement, members] : alike) {
      load_jumps.push_back(arrangement.load_jumps);
      for (std::size_t first = 0; first < members.size(); first += width) {
        add_group(members, static_cast<int>(first));
        std::vector<const Model*> lanes;
        lanes.reserve(width);
        for (int lane = 0; lane < width; ++lane) lanes.push_back(robots[groups.back().robots[lane]]);
        packs.push_back(maker.make(lanes));
        if (!packs.back()) return false;
      }
    }
    return true;
  }
  void add_group(const std::vector<int>& members, int first) {
    Group group{std::min(width, static_cast<int>(members.size()) - first), static_cast<int>(load_jumps.size()) - 1, {}};
    for (int lane = 0; lane < width; ++lane) group.robots[lane] = members[first + std::min(lane, group.count - 1)];
    groups.push_back(group);
  }

  /// Calls run(pack, workspace, row, arrangement) for every group of robots; row(lane) is the robot of a lane, the last
  /// one again in lanes that have none.
  template <typename Run>
  void for_each_group(const Run& run, const std::function<void()>& heartbeat = {}) {
    std::fill(status.begin(), status.end(), RobotStatus::undefined);  // until a group is done
    worker_threads.for_each(
        groups.size(), [&](std::size_t index) { run_group(index, run); }, heartbeat);
  }
  template <typename Run>
  void run_group(std::size_t index, const Run& run) {
    const Group& group = groups[index];
    const RobotPack& pack = packs.size() == 1 ? *packs[0] : *packs[index];
    auto& mine = workspaces.local();
    mine.resize(load_jumps.size());
    auto& workspace = mine[group.arrangement];
    if (!workspace) workspace = pack.make_workspace(false);
    const LaneStatus lanes = run(
        pack, *workspace, [&group](int lane) { return group.robots[lane]; }, group.arrangement);
    for (int lane = 0; lane < group.count; ++lane) status[group.robots[lane]] = lanes[lane];
  }
  template <typename Row>
  RowsIn rows_in(const RowsRef& x, const Row& row) const {
    RowsIn rows{};
    for (int lane = 0; lane < width; ++lane)
      rows[lane] = x.data() + static_cast<std::ptrdiff_t>(row(lane)) * x.outerStride();
    return rows;
  }
  template <typename Row>
  RowsOut rows_out(RowMatrixXd& x, const Row& row) const {
    RowsOut rows{};
    for (int lane = 0; lane < width; ++lane) rows[lane] = x.data() + static_cast<std::ptrdiff_t>(row(lane)) * x.cols();
    return rows;
  }

  /// One plan an arrangement, and the times of the samples.
  std::vector<RolloutPlan> plans(const RolloutOptions& options, std::vector<double>& times) const;

  /// Robots that are computed together; lanes from `count` on repeat the last one.
  struct Group {
    int count;
    int arrangement;
    std::array<int, k_widest_pack> robots;
  };

  Model nominal;
  int count, width = 1;
  std::vector<std::unique_ptr<RobotPack>> packs;  // one a group, or one for all
  std::vector<Group> groups;
  WorkerThreads worker_threads;
  tbb::enumerable_thread_specific<std::vector<std::unique_ptr<RobotPack::Workspace>>> workspaces;  // by arrangement
  std::vector<std::vector<double>> load_jumps;                                                     // by arrangement
  std::vector<RobotStatus> status;
  RowMatrixXd result;
};

namespace {

/// The tableau of a roll-out; the library's own methods have one where their steps are fixed.
const RungeKuttaTableau* tableau_of(const RolloutOptions& options) {
  if (options.tableau) {
    options.tableau->check();
    return &*options.tableau;
  }
  std::string known;
  for (const LibraryMethod& method : library_methods()) {
    if (method.tableau == nullptr) continue;
    if (options.method == method.type) return method.tableau;
    known += std::string(known.empty() ? "" : ", ") + method.type;
  }
  throw ArgumentError("Batch::rollout: method: found '" + options.method + "', expected one of: " + known +
                      "; or a tableau of your own");
}

}  // namespace

std::vector<RolloutPlan> Batch::Impl::plans(const RolloutOptions& o, std::vector<double>& times) const {
  RolloutPlan common;
  common.tableau = tableau_of(o);
  const auto positive = [](const char* name, double x) {
    require(x > 0.0 && std::isfinite(x),
            std::string(name) + ": found " + number_text(x) + ", expected a number > 0 [s]");
  };
  positive("step", o.step);
  positive("duration", o.duration);
  require(o.duration / o.step <= Scenario::k_most_steps,
          "step: found " + number_text(o.step) + ", expected a step [s] that makes at most 1e12 steps in the duration");
  if (o.output_step != 0.0) positive("output_step", o.output_step);
  require(std::isfinite(o.start), "start: found " + number_text(o.start) + ", expected a finite number [s]");

  common.step = o.step, common.start = o.start;
  common.stop = &worker_threads.stop();
  if (!o.inputs.empty()) common.inputs = input_signals(nominal, o.inputs);
  std::vector<double> input_jumps;
  for (const Signal& signal : common.inputs) add_jumps(signal, input_jumps);
  std::vector<double> held;  // begins of the intervals after the first, since the start
  if (o.held_inputs.size() > 0) {
    const int nu = nominal.nu();
    require(o.held_inputs.rows() == count && nu > 0 && o.held_inputs.cols() % nu == 0,
            "held_inputs: found " + std::to_string(o.held_inputs.rows()) + " x " +
                std::to_string(o.held_inputs.cols()) + ", expected " + std::to_string(count) + " x (intervals x " +
                std::to_string(nu) + " inputs)");
    require(o.held_inputs.allFinite(), "held_inputs: found a number that is not finite");
    common.held_count = static_cast<int>(o.held_inputs.cols() / nu);
    held = interval_begins(o.duration, common.held_count);
  }
  const OutputTimes outputs(o.duration, o.output_step > 0.0 ? o.output_step : o.duration);
  const bool samples = o.output_step > 0.0;
  const auto rows = static_cast<double>(outputs.size());
  require_memory(
      rows * (8.0 * count * (nominal.nq() + nominal.nv()) + sizeof(RolloutPlan::Target)),
      "Batch::rollout: output_step: " + number_text(rows) + " samples of " + std::to_string(count) + " robots");
  for (std::int64_t k = 0; samples && k < outputs.size(); ++k) times.push_back(o.start + outputs[k]);

  std::vector<RolloutPlan> plans;
  for (const std::vector<double>& of_loads : load_jumps) {
    // by the time since the start, and by the clock, at which signals are read: there a jump must not be rounded
    Jumps jumps;
    for (const double time : input_jumps) jumps.emplace(time - o.start, time);
    for (const double time : of_loads) jumps.emplace(time - o.start, time);
    for (const double time : held) jumps.emplace(time, o.start + time);
    plans.push_back(common);
    add_targets(jumps, held, outputs, samples, plans.back());
  }
  return plans;
}

namespace {

std::vector<const Model*> pointers(const std::vector<Model>& models) {
  if (models.empty()) throw ArgumentError("Batch: found no robots, expected at least one");
  std::vector<const Model*> result;
  result.reserve(models.size());
  for (const Model& model : models) result.push_back(&model);
  return result;
}

std::vector<Model> with_parameters(const Model& model, const std::vector<std::string>& paths, const RowsRef& values) {
  if (values.cols() != static_cast<Eigen::Index>(paths.size())) {
    throw ArgumentError("Batch: values: found " + std::to_string(values.cols()) + " columns, expected " +
                        std::to_string(paths.size()) + " (one a path)");
  }
  std::vector<Model> models;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    std::vector<ParameterChange> changes;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      changes.push_back({paths[k], values(i, static_cast<Eigen::Index>(k))});
    }
    try {
      models.push_back(model.with(changes));
    } catch (ModelError& error) {
      error.place_in({}, "Batch: robot " + std::to_string(i));
      throw;
    }
  }
  return models;
}

}  // namespace

Batch::Batch(const Model& model, int count, int threads)
    : impl_(std::make_unique<Impl>(std::vector<const Model*>{&model}, count, threads)) {}
Batch::Batch(const Model& model, const std::vector<std::string>& paths, const RowsRef& values, int threads)
    : Batch(with_parameters(model, paths, values), threads) {}
Batch::Batch(const std::vector<Model>& models, int threads)
    : impl_(std::make_unique<Impl>(pointers(models), static_cast<int>(models.size()), threads)) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::size() const { return impl_->count; }
int Batch::width() const { return impl_->width; }
int Batch::nq() const { return impl_->nominal.nq(); }
int Batch::nv() const { return impl_->nominal.nv(); }
int Batch::nu() const { return impl_->nominal.nu(); }
int Batch::state_count() const {
  int most = 0;
  for (const auto& pack : impl_->packs) most = std::max(most, pack->state_count());
  return most;
}
const std::vector<RobotStatus>& Batch::status() const { return impl_->status; }
bool Batch::all_good() const {
  return std::all_of(impl_->status.begin(), impl_->status.end(),
                     [](RobotStatus status) { return status == RobotStatus::good; });
}

const RowMatrixXd& Batch::inverse_dynamics(const RowsRef& q, const RowsRef& v, const RowsRef& a) {
  require_shape("inverse_dynamics", "q", q, size(), nq());
  require_shape("inverse_dynamics", "v", v, size(), nv());
  require_shape("inverse_dynamics", "a", a, size(), nv());
  Impl& m = *impl_;
  m.result.resize(size(), nv());
  m.for_each_group([&](const RobotPack& pack, RobotPack::Workspace& workspace, const auto& row, int) {
    return pack.inverse_dynamics(workspace, m.rows_in(q, row), m.rows_in(v, row), m.rows_in(a, row),
                                 m.rows_out(m.result, row));
  });
  return m.result;
}

const RowMatrixXd& Batch::forward_dynamics(const RowsRef& q, const RowsRef& v, const RowsRef& tau) {
  require_shape("forward_dynamics", "q", q, size(), nq());
  require_shape("forward_dynamics", "v", v, size(), nv());
  require_shape("forward_dynamics", "tau", tau, size(), nv());
  Impl& m = *impl_;
  m.result.resize(size(), nv());
  m.for_each_group([&](const RobotPack& pack, RobotPack::Workspace& workspace, const auto& row, int) {
    return pack.forward_dynamics(workspace, m.rows_in(q, row), m.rows_in(v, row), m.rows_in(tau, row),
                                 m.rows_out(m.result, row));
  });
  return m.result;
}

const RowMatrixXd& Batch::mass_matrix(const RowsRef& q) {
  require_shape("mass_matrix", "q", q, size(), nq());
  Impl& m = *impl_;
  m.result.resize(size(), nv() * nv());
  m.for_each_group([&](const RobotPack& pack, RobotPack::Workspace& workspace, const auto& row, int) {
    return pack.mass_matrix(workspace, m.rows_in(q, row), m.rows_out(m.result, row));
  });
  return m.result;
}

const RowMatrixXd& Batch::energies(const RowsRef& q, const RowsRef& v) {
  require_shape("energies", "q", q, size(), nq());
  require_shape("energies", "v", v, size(), nv());
  Impl& m = *impl_;
  m.result.resize(size(), 3);
  m.for_each_group([&](const RobotPack& pack, RobotPack::Workspace& workspace, const auto& row, int) {
    return pack.energies(workspace, m.rows_in(q, row), m.rows_in(v, row), m.rows_out(m.result, row));
  });
  return m.result;
}

Rollout Batch::rollout(const RowsRef& q, const RowsRef& v, const RolloutOptions& options) {
  require_shape("rollout", "q", q, size(), nq());
  require_shape("rollout", "v", v, size(), nv());
  Impl& m = *impl_;
  Rollout result;
  const std::vector<RolloutPlan> plans = m.plans(options, result.times);
  const auto samples = static_cast<Eigen::Index>(result.times.size());
  result.q = q, result.v = v;
  result.states.setZero(size(), state_count());
  if (options.states.size() > 0) require_shape("rollout", "states", options.states, size(), state_count());
  result.q_samples.resize(size(), samples * nq()), result.v_samples.resize(size(), samples * nv());
  result.failure_time.assign(size(), options.start + options.duration);
  const double steps = std::ceil(options.duration / options.step) * static_cast<double>(m.groups.size());
  const bool is_short = steps * nv() <= k_short_work;
  m.for_each_group(
      [&](const RobotPack& pack, RobotPack::Workspace& workspace, const auto& row, int arrangement) {
        const RolloutPlan& plan = plans[arrangement];
        RolloutRows rows;
        rows.q = m.rows_out(result.q, row), rows.v = m.rows_out(result.v, row);
        if (plan.held_count > 0) rows.held = m.rows_in(options.held_inputs, row);
        if (options.states.size() > 0) rows.states_begin = m.rows_in(options.states, row);
        if (state_count() > 0) rows.states = m.rows_out(result.states, row);
        rows.q_samples = m.rows_out(result.q_samples, row), rows.v_samples = m.rows_out(result.v_samples, row);
        const LaneStatus status = pack.rollout(workspace, plan, rows);
        for (int lane = 0; lane < m.width; ++lane) {
          if (status[lane] != RobotStatus::good) result.failure_time[row(lane)] = options.start + rows.good_until[lane];
        }
        return status;
      },
      is_short ? std::function<void()>() : options.heartbeat);
  result.last_q = result.q, result.last_v = result.v;
  result.failures.resize(static_cast<std::size_t>(size()));
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < size(); ++i) {
    if (m.status[i] == RobotStatus::good) continue;
    result.failures[i] = rollout_failure(m.nominal, m.status[i], result.failure_time[i], q.row(i), v.row(i));
    result.q.row(i).setConstant(unknown), result.v.row(i).setConstant(unknown);
    result.states.row(i).setConstant(unknown);
  }
  const std::string failed = options.raise_on_failure ? failures_text(result.failures) : "";
  if (!failed.empty()) throw SimulationError("Batch::rollout: " + failed);
  return result;
}

}  // namespace cuttle
