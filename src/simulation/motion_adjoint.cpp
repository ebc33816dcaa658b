// Gradient of a scalar of a run by many numbers, by the adjoint method: backpropagation through time.
#include "cuttle/simulation/motion_adjoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "algorithms/differentiated_groups.h"
#include "algorithms/displacement.h"
#include "algorithms/velocity_closing.h"
#include "control/control_loop.h"
#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "simulation/adjoint_run.h"
#include "simulation/adjoint_samples.h"
#include "simulation/run_driver.h"
#include "simulation/run_parameter.h"
#include "simulation/schedule.h"
#include "simulation/timed_run.h"

namespace cuttle {
namespace {

[[noreturn]] void refuse_adjoint(const char* key, const std::string& found) {
  throw ArgumentError(
      fmt::format("{}: found {}, through which there is no way back yet, expected none: differentiate forward "
                  "(MotionDerivatives, `cuttle sensitivities` without --adjoint)",
                  key, found));
}

/// @throws ArgumentError for what has no adjoint.
void require_adjoint(const Model& model, const Scenario& scenario) {
  for (const NamedController& given : scenario.controllers) {
    const std::string name = "'" + given.name + "'";
    if (!given.controller->runs_in_copies()) refuse_adjoint("controllers", name + ", a program or a function");
    const std::unique_ptr<ControlLaw> law = given.controller->bind(model);
    if (!given.controller->acts_at_every_instant() && law->held_outputs() == nullptr) {
      refuse_adjoint("controllers",
                     name + ", whose samples do not follow the motion smoothly (a resolution, noise of orientations)");
    }
  }
  refuse_beside_motion(model, scenario);
}

/// An objective's gradient in a state that a run was in.
struct Seed {
  std::size_t records;  ///< of the run when it was there
  double time;
  VectorXd q, v, by_q, by_v;
  VectorXd sites, by_sites = VectorXd();  ///< states of the sites of contacts; empty: worth nothing
};

/// Between two jumps of the inputs.
struct Stretch {
  std::size_t first;  ///< record
  double begin, end;

  /// Where signals are read.
  double clamped(double time) const { return std::clamp(time, begin, std::max(begin, std::nextafter(end, begin))); }
};

/// The displacement along one of the configuration's coordinates.
VectorXd change_along(const Model& model, const VectorXd& q, int coordinate) {
  VectorXd change(model.nv());
  displacement(model, q, VectorXd::Unit(model.nq(), coordinate), change);
  return change;
}

/// What numbers of the robot are worth through the rest that a run begins in.
/// @param q, by_q  the rest, and the gradient by it along integrate(q, dq).
VectorXd worth_of_rest(const Model& model, const InitialStatics& statics, const VectorXd& q, const VectorXd& by_q,
                       const std::vector<std::string>& paths) {
  const StaticLoads loads = loads_before_start(model, statics);
  Data data(model);
  const EquilibriumTangent tangent(model, data, {.u = loads.u, .time = loads.state_loads_at},
                                   static_equilibrium(model, data, loads, q));
  VectorXd by_coordinates(q.size());
  for (int i = 0; i < q.size(); ++i) by_coordinates[i] = by_q.dot(change_along(model, q, i));
  VectorXd worth = VectorXd::Zero(static_cast<Eigen::Index>(paths.size()));
  differentiate_in_groups(model, paths, [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
    VariedRest rest(variable, model);
    tangent.vary({.u = loads.u.cast<ForwardDual>(), .time = loads.state_loads_at}, rest);
    for (std::size_t k = 0; k < count; ++k) {
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        worth[static_cast<Eigen::Index>(first + k)] += by_coordinates[i] * rest.q[i].derivative[k];
      }
    }
  });
  return worth;
}

/// What numbers of the robot, which change masses, are worth through velocities that close loops at the start.
/// @param by_v  what the initial velocities are worth.
VectorXd worth_of_closing(const Model& model, const VelocityClosing& closing, const VectorXd& q, const VectorXd& by_v,
                          const std::vector<std::string>& paths) {
  VectorXd worth(static_cast<Eigen::Index>(paths.size()));
  differentiate_in_groups(model, paths, [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
    const auto places = static_cast<Eigen::Index>(count);
    worth.segment(static_cast<Eigen::Index>(first), places) =
        closing.slopes(variable, q).leftCols(places).transpose() * by_v;
  });
  return worth;
}

/// A run forward and back.
class ForthAndBack final : private GuidedRun {
 public:
  /// @param numbers  of the robot and of controllers that are asked for, in this order.
  ForthAndBack(const Model& model, const Scenario& scenario, const std::vector<RunParameter>& numbers,
               const RunOptions& options)
      : model_(model),
        simulator_(model, scenario),
        setup_{.inputs = input_signals(model, scenario.inputs),
               .rows = held_rows(model, simulator_.initial_state().q),
               .controllers = scenario.controllers,
               .seed = scenario.seed,
               .motion = motion_of(model, scenario)},
        system_(model, setup_),
        scenario_(scenario),
        numbers_(system_, setup_, numbers, &scenario_),
        samples_(system_, numbers_),
        integrator_(scenario.integrator),
        run_(make_adjoint_run(system_, integrator_)),
        from_statics_(scenario.statics.has_value()),
        options_(options) {
    if (system_.constraint_count() > 0 && !from_statics_) {
      numbers_.require_closed_start(numbers, simulator_.initial_state());
    }
    if (from_statics_ && system_.layout().stiff() > 0) numbers_.refuse_of_robot("states in a rest that it begins in");
  }

  /// @return the objective's value.
  double go(const std::vector<double>& times, const ObjectiveTerm& term) {
    const double last = times.empty() ? 0.0 : times.back();
    watch([&](double time) { return time; }, 2.0 * last);
    const OutputTimes& outputs = simulator_.output_times();
    double value = 0.0;
    const auto look = [&] {
      const State& state = run_->state();
      Seed seed{run_->size(),
                state.time,
                state.q,
                state.v,
                VectorXd::Zero(model_.nv()),
                VectorXd::Zero(model_.nv()),
                system_.layout().sites_of(state.auxiliary)};
      value += term(state.time, seed.q, seed.v, seed.by_q, seed.by_v);
      if (seed.by_q.size() != model_.nv() || seed.by_v.size() != model_.nv()) {
        throw ArgumentError(fmt::format("term: found gradients of sizes {} and {}, expected {}", seed.by_q.size(),
                                        seed.by_v.size(), model_.nv()));
      }
      seeds_.push_back(std::move(seed));
    };
    RunDriver driver(*this);
    driver.plan(itinerary_of(system_, integrator_, outputs));
    driver.visit(outputs, times, look);
    watch([=](double time) { return 2.0 * last - time; }, 2.0 * last);
    return value;
  }

  /// @param use  takes gradients by inputs and numbers of the robot, and the times at which signals were read.
  void come_back(const AdjointRun::Use& use) {
    std::size_t left = stretches_.size(), entered = left;  // stretches before `left` are to be gone back along
    while (true) {
      for (; !seeds_.empty() && seeds_.back().records == run_->size(); seeds_.pop_back()) {
        const Seed& seed = seeds_.back();
        run_->add(seed.q, seed.v, seed.by_q, seed.by_v);
        if (numbers_.moves_driven()) {
          use(seed.time, numbers_.worth_of_driven(seed.time, seed.by_q, seed.by_v, VectorXd::Zero(model_.nv())));
        }
        if (seed.by_sites.size() == 0) continue;
        VectorXd by_states = VectorXd::Zero(system_.layout().without_works().size());
        by_states.tail(seed.by_sites.size()) = seed.by_sites;
        run_->add_states(by_states);
      }
      for (; left > 0 && stretches_[left - 1].first == run_->size(); --left) {
        if (const auto worth = samples_.go_back_over(left - 1)) {
          run_->add(worth->q, worth->v, worth->by_q, worth->by_v);
          run_->add_states(worth->by_states);
          const double begin = stretches_[left - 1].begin;
          VectorXd all = numbers_.worth_of_driven(begin, worth->by_q, worth->by_v, VectorXd::Zero(model_.nv()));
          all.head(model_.nu()) = worth->by_signals;
          use(begin, all);
        }
      }
      if (run_->size() == 0) return;
      const std::size_t in = left - 1;
      const Stretch& stretch = stretches_[in];
      if (in != entered) {
        numbers_.confine(stretch.begin, stretch.end);
        samples_.go_back_into(in);
      }
      entered = in;
      run_->go_back(numbers_, [&](double time, const VectorXd& worth) {
        samples_.add(worth.tail(system_.control().held_count()));
        use(stretch.clamped(time), worth);
      });
    }
  }

  /// What the run's states are worth, in the order of the times; come_back uses them up.
  std::vector<Seed>& seeds() { return seeds_; }
  const VectorXd& start() const { return simulator_.initial_state().q; }
  const AdjointRun& run() const { return *run_; }
  /// How bristles in balance, with which contacts begin, change what the start is worth: a search, of which this takes
  /// differences. @param vary  makes another start a step away, or other inputs.
  double by_balance(double step, const std::function<void(RobotSystem&, State&, double)>& vary) {
    return by_balance(
        step, [] { return 0; }, vary,
        [&](double) {
          return ControlledVariant{{std::shared_ptr<const Model>(), &model_}, setup_.controllers};
        });
  }
  /// The same for a number of the robot, of a controller or of the driven motion.
  double by_balance(const RunParameter& number) {
    VariantsAlong variants(model_, setup_.controllers, number);
    const double step = balance_step(number, size_of(number));
    if (number.of == RunParameter::Of::motion) {
      const auto unchanged = [&](double) { return variants.at(0.0); };
      return by_balance(
          step, [] { return 0; }, [](RobotSystem&, State&, double) {}, unchanged,
          [&](double change) { return motion_with(model_, scenario_, number, number.info.value + change); });
    }
    const auto side = [&] { return open_side([&](int to) { variants.at(to * step); }); };
    return by_balance(
        step, side, [](RobotSystem&, State&, double) {}, [&](double change) { return variants.at(change); });
  }
  /// What numbers of the robot and of controllers are worth through the states that these and elements begin with.
  VectorXd worth_of_start() const { return numbers_.worth_of_start(run_->by_states()); }
  /// Null: the velocities of the start needed none.
  const VelocityClosing* velocity_closing() const { return simulator_.velocity_closing(); }

 private:
  double by_balance(double step, const std::function<int()>& side,
                    const std::function<void(RobotSystem&, State&, double)>& vary,
                    const std::function<ControlledVariant(double)>& variant_at,
                    const std::function<std::shared_ptr<const PrescribedMotion>(double)>& motion_at = {}) {
    const Eigen::Index sites = system_.layout().sites;
    const VectorXd worth = run_->by_states().tail(std::min(sites, run_->by_states().size()));
    if (from_statics_ || !worth.any()) return 0.0;
    const auto balanced = [&](int steps) {
      const double change = steps * step;
      const ControlledVariant changed = variant_at(change);
      RobotSystem::Setup setup = setup_;
      setup.controllers = changed.controllers;
      if (motion_at) setup.motion = motion_at(change);
      RobotSystem system(*changed.model, std::move(setup));
      State state = simulator_.initial_state();
      vary(system, state, change);
      system.begin_in_balance(state);
      return VectorXd(system.layout().sites_of(state.auxiliary));
    };
    return worth.dot(slope_of_balance(balanced, step, side()));
  }

  double time() const override { return begun_ ? run_->state().time : 0.0; }
  void enter(double begin, double end) override {
    stretches_.push_back({run_->size(), begin, end});
    numbers_.confine(begin, end);
    samples_.enter(begin, begun_ ? run_->state() : simulator_.initial_state());
  }
  void restart() override {
    if (begun_) {
      run_->go_on();
    } else {
      run_->begin(simulator_.initial_state(), simulator_.output_times().back());
    }
    begun_ = true;
  }
  void advance(double target, double limit) override {
    run_->advance(target, limit);
    system_.require_closed_loops(target, run_->state().q);
  }

  template <typename Done>
  void watch(const Done& done, double whole) {
    system_.heartbeat = [this, done, whole](double time) {
      if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
        throw SimulationError(fmt::format("stopped by the user at t = {:.9g} s", time));
      }
      const auto now = std::chrono::steady_clock::now();
      if (!options_.progress || now - shown_ < std::chrono::milliseconds(100)) return;
      shown_ = now;
      options_.progress({done(time), whole, std::chrono::duration<double>(now - begin_).count()});
    };
  }

  const Model& model_;
  Simulator simulator_;
  RobotSystem::Setup setup_;
  RobotSystem system_;
  const Scenario& scenario_;
  AdjointNumbers numbers_;
  AdjointSamples samples_;
  IntegratorOptions integrator_;
  std::unique_ptr<AdjointRun> run_;
  bool from_statics_;
  const RunOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), shown_ = begin_;
  std::vector<Stretch> stretches_;
  std::vector<Seed> seeds_;
  bool begun_ = false;
};

/// Numbers of input signals, so that those that move an input at a time are found without a look at all of them.
class InputNumbers {
 public:
  InputNumbers(int inputs, const std::vector<RunParameter>& parameters) : of_(static_cast<std::size_t>(inputs)) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const RunParameter& p = parameters[k];
      if (p.of == RunParameter::Of::input) of_[static_cast<std::size_t>(p.index)].push_back({p.slope, k});
    }
    for (std::vector<Number>& numbers : of_) {
      std::sort(numbers.begin(), numbers.end(),
                [](const Number& a, const Number& b) { return a.slope.begin < b.slope.begin; });
      double last = -std::numeric_limits<double>::infinity();
      for (Number& number : numbers) number.last_end = last = std::max(last, number.slope.end);
    }
  }

  /// @param use  takes a number's place among the parameters, and d input / d number at that time.
  template <typename Use>
  void each(int input, double time, const Use& use) const {
    const std::vector<Number>& numbers = of_[static_cast<std::size_t>(input)];
    auto number = std::upper_bound(numbers.begin(), numbers.end(), time,
                                   [](double t, const Number& n) { return t < n.slope.begin; });
    while (number != numbers.begin() && (--number)->last_end >= time) {
      if (number->slope.end >= time) use(number->parameter, number->slope.at_time.at(time));
    }
  }

 private:
  struct Number {
    SignalSlope slope;
    std::size_t parameter;
    double last_end = 0.0;  ///< of the intervals of this one and of those before it
  };
  std::vector<std::vector<Number>> of_;  ///< each input's, by the beginnings of their intervals
};

void require_times(const std::vector<double>& times, double duration) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= (i > 0 ? times[i - 1] : 0.0) && times[i] <= duration) continue;
    throw ArgumentError(
        fmt::format("times[{}]: found {:g}, expected ascending times of the run, 0 to {:g} s", i, times[i], duration));
  }
}

}  // namespace

struct MotionAdjoint::Parts {
  Parts(const Model& its_model, const Scenario& its_scenario, std::vector<double> its_times,
        const std::vector<std::string>& by, const RunOptions& its_options)
      : model(its_model), scenario(its_scenario), times(std::move(its_times)), options(its_options) {
    require_adjoint(model, scenario);
    require_times(times, scenario.duration);
    for (const std::string& path : by) {
      parameters.push_back(find_run_parameter(model, scenario, path));
      refuse_driven_number(scenario.motion, parameters.back());
      require_same_states(model, parameters.back());
      infos.push_back(parameters.back().info);
      if (parameters.back().of == RunParameter::Of::robot) robot_paths.push_back(infos.back().path);
    }
    for (const auto of : {RunParameter::Of::robot, RunParameter::Of::controller, RunParameter::Of::motion}) {
      std::copy_if(parameters.begin(), parameters.end(), std::back_inserter(acting),
                   [of](const RunParameter& p) { return p.of == of; });
    }
  }

  /// @return the sum of the terms.
  double go(const ObjectiveTerm& term) {
    motion = std::make_unique<ForthAndBack>(model, scenario, acting, options);
    return motion->go(times, term);
  }

  /// From the terms of the motion, which is used up, to derivatives.
  MotionGradient come_back() {
    MotionGradient gradient;
    gradient.parameters = infos;
    gradient.by.setZero(static_cast<Eigen::Index>(parameters.size()));
    const InputNumbers numbers(model.nu(), parameters);
    VectorXd of_acting = VectorXd::Zero(static_cast<Eigen::Index>(acting.size()));
    auto of_robot = of_acting.head(static_cast<Eigen::Index>(robot_paths.size()));
    motion->come_back([&](double time, const VectorXd& worth) {
      of_acting += worth.segment(model.nu(), of_acting.size());
      for (int input = 0; input < model.nu(); ++input) {
        const double by_input = worth[input];
        if (by_input == 0.0) continue;
        numbers.each(input, time, [&](std::size_t parameter, double slope) {
          gradient.by[static_cast<Eigen::Index>(parameter)] += by_input * slope;
        });
      }
    });
    gradient.by_q = motion->run().by_q(), gradient.by_v = motion->run().by_v();
    for (int k = 0; k < model.nv(); ++k) {
      gradient.by_q[k] += motion->by_balance(k_balance_position, [&](RobotSystem&, State& state, double step) {
        const VectorXd q = state.q;
        integrate<double>(model, q, step * VectorXd::Unit(model.nv(), k), state.q);
      });
      gradient.by_v[k] +=
          motion->by_balance(k_balance_velocity, [&](RobotSystem&, State& state, double step) { state.v[k] += step; });
    }
    of_acting += motion->worth_of_start();
    if (scenario.statics && of_robot.size() > 0)
      of_robot += worth_of_rest(model, *scenario.statics, motion->start(), gradient.by_q, robot_paths);
    if (const VelocityClosing* closing = motion->velocity_closing(); closing != nullptr && of_robot.size() > 0)
      of_robot += worth_of_closing(model, *closing, motion->start(), motion->run().by_v(), robot_paths);
    const auto count_of = [&](RunParameter::Of of) {
      return std::count_if(acting.begin(), acting.end(), [of](const RunParameter& p) { return p.of == of; });
    };
    Eigen::Index next_of_robot = 0, next_of_controllers = of_robot.size(),
                 next_of_motion = next_of_controllers + count_of(RunParameter::Of::controller);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const RunParameter& p = parameters[k];
      double& found = gradient.by[static_cast<Eigen::Index>(k)];
      if (p.of == RunParameter::Of::robot) found = of_robot[next_of_robot++] + motion->by_balance(p);
      if (p.of == RunParameter::Of::controller) found = of_acting[next_of_controllers++] + motion->by_balance(p);
      if (p.of == RunParameter::Of::motion) found = of_acting[next_of_motion++] + motion->by_balance(p);
      if (p.of == RunParameter::Of::input && p.slope.at_time.at(0.0) != 0.0) {
        found += motion->by_balance(balance_step(p, size_of(p)), [&](RobotSystem& system, State&, double step) {
          system.held_inputs()[p.index] += step * p.slope.at_time.at(0.0);
        });
      }
      if (p.of == RunParameter::Of::velocity) found = gradient.by_v[p.index];
      if (p.of == RunParameter::Of::configuration) {
        found = gradient.by_q.dot(change_along(model, motion->start(), p.index));
      }
    }
    motion.reset();
    return gradient;
  }

  const Model& model;
  Scenario scenario;
  std::vector<double> times;
  RunOptions options;
  std::vector<RunParameter> parameters;
  std::vector<ParameterInfo> infos;
  std::vector<std::string> robot_paths;
  std::vector<RunParameter> acting;      ///< of the robot, then of controllers, then of the driven motion
  std::unique_ptr<ForthAndBack> motion;  ///< null: not run yet, or gone back along
};

MotionAdjoint::MotionAdjoint(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                             const std::vector<std::string>& by, const RunOptions& options)
    : parts_(std::make_unique<Parts>(model, scenario, times, by, options)) {
  const auto count = static_cast<Eigen::Index>(times.size());
  q_.resize(model.nq(), count), v_.resize(model.nv(), count), sites_.resize(state_layout(model).sites, count);
  run();
  for (Eigen::Index k = 0; k < count; ++k) {
    const Seed& seed = parts_->motion->seeds()[static_cast<std::size_t>(k)];
    q_.col(k) = seed.q, v_.col(k) = seed.v, sites_.col(k) = seed.sites;
  }
}
MotionAdjoint::~MotionAdjoint() = default;

void MotionAdjoint::run() {
  parts_->go([](double, const VectorXd&, const VectorXd&, VectorXd&, VectorXd&) { return 0.0; });
}

MotionGradient MotionAdjoint::back(const MatrixXd& by_q, const MatrixXd& by_v) {
  return back(by_q, by_v, MatrixXd::Zero(sites_.rows(), sites_.cols()));
}

MotionGradient MotionAdjoint::back(const MatrixXd& by_q, const MatrixXd& by_v, const MatrixXd& by_sites) {
  const auto require = [this](const char* name, const MatrixXd& found, Eigen::Index rows, const char* what) {
    if (found.rows() == rows && found.cols() == v_.cols()) return;
    throw ArgumentError(fmt::format("{}: found {} x {}, expected {} x {} ({} of '{}', times)", name, found.rows(),
                                    found.cols(), rows, v_.cols(), what, parts_->model.name()));
  };
  require("by_q", by_q, v_.rows(), "nv"), require("by_v", by_v, v_.rows(), "nv");
  require("by_sites", by_sites, sites_.rows(), "states of contacts");
  if (!parts_->motion) run();
  std::vector<Seed>& seeds = parts_->motion->seeds();
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    seeds[k].by_q = by_q.col(column), seeds[k].by_v = by_v.col(column), seeds[k].by_sites = by_sites.col(column);
  }
  return parts_->come_back();
}

MotionGradient motion_adjoint(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                              const ObjectiveTerm& term, const std::vector<std::string>& by,
                              const RunOptions& options) {
  MotionAdjoint::Parts parts(model, scenario, times, by, options);
  const double value = parts.go(term);
  MotionGradient gradient = parts.come_back();
  gradient.value = value;
  return gradient;
}

}  // namespace cuttle
