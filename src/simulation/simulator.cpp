#include "cuttle/simulation/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <optional>

#include "cuttle/algorithms/contact_overlap.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/algorithms/rod_strain.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/closed_start.h"
#include "simulation/diagnosis.h"
#include "simulation/energy_watch.h"
#include "simulation/held_statics.h"
#include "simulation/prescribed_motion.h"
#include "simulation/run_driver.h"
#include "simulation/sampler.h"
#include "simulation/schedule.h"
#include "simulation/stable_step.h"

namespace cuttle {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double k_tick_seconds = 0.1;     // between calls of progress and recorders
constexpr unsigned k_beats_per_look = 16;  // evaluations between looks at the clock

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Leaves the integrator from wherever it is when the user asks to stop. No Error: nothing is wrong.
struct Interruption {};

void require(bool good, const std::string& key, double found, const char* expected) {
  if (!good) throw ArgumentError(fmt::format("{}: found {:g}, expected {}", key, found, expected));
}

template <typename Values>
void set_coordinates(const std::string& key, const std::vector<double>& found, int first, int count,
                     const std::vector<CoordinateInfo>& info, Values& values) {
  if (found.empty()) return;
  if (found.size() != static_cast<std::size_t>(count)) {
    std::string names;
    for (int i = 0; i < count; ++i) names += (i > 0 ? ", " : "") + info[first + i].name;
    throw ArgumentError(fmt::format("{}: found {} number{}, expected {}{}", key, found.size(),
                                    found.size() == 1 ? "" : "s", count, count > 0 ? " (" + names + ")" : ""));
  }
  for (int i = 0; i < count; ++i) {
    if (!std::isfinite(found[i])) {
      throw ArgumentError(fmt::format("{}[{}]: found {}, expected a finite number", key, i, found[i]));
    }
    values[first + i] = found[i];
  }
}

/// To the equilibrium before time 0. Warns of one that the robot will not stay in.
/// @param motion  of coordinates that are driven, or null: they are held where it begins.
void settle(const Model& model, const InitialStatics& statics, const DrivenMotion* motion, State& state,
            std::vector<std::string>& warnings) {
  StaticLoads loads = loads_before_start(model, statics);
  if (!statics.friction) loads.friction = StaticLoads::Friction::none;
  Data data(model);
  try {
    const StaticEquilibrium found =
        motion ? held_equilibrium(model, *motion, loads, state.q) : static_equilibrium(model, data, loads, state.q);
    state.q = found.q;
    state_layout(model).elements_of(state.auxiliary) = found.element_states;
    if (found.site_states.size() > 0) state_layout(model).sites_of(state.auxiliary) = found.site_states;
    if (found.stability == Stability::unstable) {
      warnings.push_back(
          fmt::format("initial: the equilibrium of statics is unstable: the smallest disturbance grows by {:.3g} a "
                      "second, and rounding decides which way the robot goes",
                      std::exp(found.growth_rate)));
    }
  } catch (const StaticsError& error) {
    throw ArgumentError(std::string("initial: ") + error.what());
  }
}

using GivenMotion = std::shared_ptr<const PrescribedMotion>;

GivenMotion prescribed_motion(const Model& model, const Scenario& scenario) {
  refuse_loops_to_drive(model);
  if (scenario.motion.empty()) return nullptr;
  for (const NamedController& given : scenario.controllers) {
    if (!given.controller || !given.controller->solves_motion()) continue;
    throw ArgumentError(
        fmt::format("motion: found it beside controller '{}' of type {}, which takes all coordinates "
                    "to be free, expected none or another law",
                    given.name, given.controller->type_name()));
  }
  return std::make_shared<const PrescribedMotion>(model, scenario.motion, scenario.duration);
}

/// Driven coordinates begin where their motion does. @throws ArgumentError if the scenario says something else.
void begin_motion(const Model& model, const Scenario& scenario, const PrescribedMotion& motion, State& state) {
  constexpr double k_same = 1e-9;  // rad, m and their rates: as close as people write numbers
  const State given = state;
  motion.impose(0.0, state.q, state.v, nullptr);
  VectorXd off(model.nv());
  difference<double>(model, given.q, state.q, off);
  for (const int k : motion.coordinates()) {
    const auto said = scenario.initial.find(model.link_of_velocity(k));
    if (said == scenario.initial.end()) continue;
    const std::string& name = said->first;
    const InitialState& values = said->second;
    const auto check = [&](const char* key, bool there, double by) {
      if (!there || std::abs(by) <= k_same * (1.0 + std::abs(state.v[k]))) return;
      throw ArgumentError(
          fmt::format("initial.{}.{}: found a value that is {:g} away from where the motion of '{}' "
                      "begins (coordinate {}), expected that or none",
                      name, key, std::abs(by), name, model.velocity_info()[static_cast<std::size_t>(k)].name));
    };
    check("q", !values.q.empty(), off[k]);
    check("v", !values.v.empty(), given.v[k] - state.v[k]);
  }
}

State initial_state(const Model& model, const Scenario& scenario, const PrescribedMotion* motion,
                    std::vector<std::string>& warnings) {
  State state;
  state.q = model.neutral();
  state.v = VectorXd::Zero(model.nv());
  state.auxiliary = start_of_auxiliary(model);
  std::vector<std::string> known;
  for (const auto& link : model.links()) known.push_back(link.name);
  const bool floating = model.robot().floating_base;
  if (floating) known.push_back("base");
  for (const auto& [name, given] : scenario.initial) {
    int q = 0, nq = 7, v = 0, nv = 6;
    if (name != "base" || !floating) {
      const auto found = std::find_if(model.links().begin(), model.links().end(),
                                      [&name = name](const auto& link) { return link.name == name; });
      if (found == model.links().end()) {
        throw ArgumentError(fmt::format("initial.{}: found no such link{}", name, did_you_mean(name, known)));
      }
      q = found->q, nq = found->nq, v = found->v, nv = found->nv;
    }
    set_coordinates(fmt::format("initial.{}.q", name), given.q, q, nq, model.configuration_info(), state.q);
    set_coordinates(fmt::format("initial.{}.v", name), given.v, v, nv, model.velocity_info(), state.v);
  }
  check_configuration<double>(model, state.q, "initial");
  if (scenario.statics && !scenario.initial.empty()) {
    throw ArgumentError("initial: found states of links and statics, expected one of them");
  }
  if (motion != nullptr) begin_motion(model, scenario, *motion, state);
  if (scenario.statics) {
    settle(model, *scenario.statics, motion != nullptr ? &scenario.motion : nullptr, state, warnings);
  }
  return state;
}

/// A link that begins in the middle of an obstacle would be thrown out of it, on whichever side is nearer.
void refuse_overlaps(const Model& model, const State& state) {
  if (model.site_laws().empty()) return;
  Data data(model);
  for (const ContactOverlap& overlap : contact_overlaps(model, data, state.q)) {
    if (overlap.is_too_deep()) throw OverlapError(overlap.diagnostic());
  }
}

}  // namespace

OutputTimes::OutputTimes(double duration, double step) : duration_(duration), step_(step) {
  // a billionth of a step is rounding, not a reason for another output
  const double whole = std::floor(duration / step + 1e-9);
  require(whole <= k_most, "simulation.output_step", step, "a step [s] that makes at most 1e9 outputs in the duration");
  // a duration that is nothing beside the step still has its end
  size_ = std::max<std::int64_t>(2, static_cast<std::int64_t>(whole) + (duration - whole * step > 1e-9 * step ? 2 : 1));
}

std::optional<double> OutputTimes::near(double time, double tolerance) const {
  const auto k = static_cast<std::int64_t>(std::llround(time / step_));
  for (const std::int64_t candidate : {k, size_ - 1}) {
    if (candidate < 0 || candidate >= size_) continue;
    const double output = (*this)[candidate];
    if (std::abs(output - time) <= tolerance) return output;
  }
  return std::nullopt;
}

const char* run_status_name(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return "complete";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

struct Simulator::Plan {
  const Model& model;
  Scenario scenario;
  State initial;
  std::vector<Signal> inputs;
  OutputTimes outputs;
  ConstraintRows rows;
  std::vector<std::string> warnings;  // of the initial state
  GivenMotion motion;                 // null: nothing is driven
  std::shared_ptr<const VelocityClosing> closing = {};
};

namespace {

/// One run: the system, the integrator, and what is recorded.
class Run {
 public:
  Run(const Model& model, const Scenario& scenario, const std::vector<Signal>& inputs, const State& initial,
      const OutputTimes& outputs, const ConstraintRows& rows, const std::vector<std::string>& warnings,
      const GivenMotion& motion, const std::vector<Recorder*>& recorders, const RunOptions& options)
      : model_(model),
        scenario_(scenario),
        state_(initial),
        outputs_(outputs),
        recorders_(recorders),
        options_(options),
        sampler_(model),
        system_(model, {.inputs = inputs,
                        .rows = rows,
                        .controllers = scenario.controllers,
                        .seed = scenario.seed,
                        .motion = motion}),
        integrator_(make_integrator(system_, scenario.integrator)),
        watch_(system_.balances_power()),
        strains_(model),
        run_(system_, *integrator_, state_),
        driver_(run_),
        start_(Clock::now()),
        last_tick_(start_) {
    integrator_->expect_end(outputs.back());
    system_.heartbeat = [this](double time) { beat(time); };
    integrator_->on_energies = [this](const EnergyBalance& energies) { outcome_.exchange.add(energies); };
    outcome_.integrator = integrator_type(model, scenario.integrator);
    outcome_.warnings = warnings;
  }

  Outcome operator()() {
    std::size_t begun = 0;
    std::exception_ptr error;
    try {
      for (Recorder* recorder : recorders_) {
        recorder->begin(model_, scenario_);
        ++begun;
      }
      go();
      outcome_.status = RunStatus::complete;
      outcome_.message.clear();
    } catch (const Interruption&) {
      outcome_.status = RunStatus::interrupted;
      outcome_.message = fmt::format("stopped by the user at t = {:.9g} s", integrator_->state().time);
    } catch (const std::bad_alloc&) {
      outcome_.status = RunStatus::failed;
      outcome_.message =
          fmt::format("t = {:.9g} s: found no memory left{}", integrator_->state().time,
                      recording_ ? " for the rows of the run, expected a longer simulation.output_step or a shorter "
                                   "simulation.duration"
                                 : "");
      error = std::make_exception_ptr(SimulationError(outcome_.message));
    } catch (const std::exception& e) {
      outcome_.status = RunStatus::failed;
      outcome_.message = e.what();
      error = std::current_exception();
    }
    outcome_.time = cut_ || run_.in_doubt() ? sample_.time : integrator_->state().time;
    outcome_.statistics = integrator_->statistics();
    outcome_.wall_seconds = seconds_since(start_);
    outcome_.last = sample_;
    outcome_.redundant_rows = system_.rows().dropped_names(model_);
    outcome_.warnings.insert(outcome_.warnings.end(), system_.taken_up().begin(), system_.taken_up().end());
    if (const auto* steps = dynamic_cast<const StepWarnings*>(integrator_.get())) {
      const std::vector<std::string> of_steps = steps->warnings();
      outcome_.warnings.insert(outcome_.warnings.end(), of_steps.begin(), of_steps.end());
    }
    const std::vector<std::string> soft = sampler_.too_soft();
    outcome_.warnings.insert(outcome_.warnings.end(), soft.begin(), soft.end());
    if (judge_energy(scenario_, outcome_) && scenario_.strict && outcome_.status == RunStatus::complete) {
      outcome_.status = RunStatus::failed;
      outcome_.message = outcome_.warnings.back();
      error = std::make_exception_ptr(SimulationError(outcome_.message));
    }
    for (std::size_t i = 0; i < begun; ++i) {
      try {
        recorders_[i]->finish(outcome_);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    return outcome_;
  }

 private:
  void go() {
    driver_.plan(itinerary_of(system_, scenario_.integrator, outputs_));
    driver_.begin();
    record(state_);
    for (std::int64_t k = 1; k < outputs_.size(); ++k) {
      driver_.reach(outputs_[k]);
      record(state_);
      beat(outputs_[k]);
    }
  }

  /// A state with the driven coordinates where they are to be: a method of a program may know nothing of them.
  const State& driven(const State& state) {
    if (system_.driven().empty()) return state;
    driven_ = state;
    system_.impose(driven_.time, driven_.q, driven_.v);
    return driven_;
  }

  void record(const State& reached) {
    const State& state = driven(reached);
    const Sample& sample = sampler_.take(state, system_);
    const std::string problem = watch_.problem(sample);
    if (!problem.empty()) cut(state, problem + fastest(state));
    sample_ = sample;
    warn_of_strains(state);
    if (state.time == 0.0) outcome_.energy_terms = sampler_.energy_terms(state, system_);
    account_.add(sample_, outcome_);
    recording_ = true;
    for (Recorder* recorder : recorders_) recorder->record(sample_);
    recording_ = false;
  }

  /// Once: later rows follow from the first that makes no sense.
  void warn_of_strains(const State& state) {
    if (strained_) return;
    const std::string trouble = strains_.beyond_sense(state.q);
    if (trouble.empty()) return;
    strained_ = true;
    outcome_.warnings.push_back(fmt::format("t = {:.9g} s: {}", state.time, trouble));
  }

  /// Ends the run with the sample before.
  [[noreturn]] void cut(const State& state, const std::string& problem) {
    if (state.time == 0.0) throw SimulationError("t = 0 s: " + problem);
    cut_ = true;
    State last;
    last.time = sample_.time, last.q = sample_.q, last.v = sample_.v;
    fail_at(last, state.time, fmt::format("{}; rows from t = {:.9g} s on are dropped", problem, state.time));
  }
  std::string fastest(const State& state) const {
    Eigen::Index index = 0;
    if (!(state.v.size() > 0 && state.v.cwiseAbs().maxCoeff(&index) > 0.0)) return "";
    return "; largest is the velocity of " + velocity_label(model_, static_cast<int>(index));
  }

  void beat(double time) {
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) throw Interruption();
    const bool last = time >= outputs_.back();
    if (!last && ++beats_ % k_beats_per_look != 0) return;
    const auto now = Clock::now();
    if (!last && std::chrono::duration<double>(now - last_tick_).count() < k_tick_seconds) return;
    last_tick_ = now;
    for (Recorder* recorder : recorders_) recorder->tick(integrator_->statistics());
    if (options_.progress) options_.progress({time, outputs_.back(), seconds_since(start_)});
  }

  const Model& model_;
  const Scenario& scenario_;
  State state_;
  const OutputTimes& outputs_;
  const std::vector<Recorder*>& recorders_;
  const RunOptions& options_;
  Sampler sampler_;
  RobotSystem system_;
  std::unique_ptr<Integrator> integrator_;
  EnergyWatch watch_;
  RodStrains strains_;
  RobotRun run_;
  RunDriver driver_;
  Clock::time_point start_, last_tick_;
  unsigned beats_ = 0;
  State driven_;
  Sample sample_;
  Outcome outcome_;
  EnergyAccount account_;
  bool recording_ = false;  // rows of the recorders
  bool strained_ = false;   // a rod was, beyond sense
  bool cut_ = false;        // the last state that the integrator reached makes no sense
};

}  // namespace

Simulator::Simulator(const Model& model, const Scenario& scenario) {
  require(scenario.duration > 0.0 && std::isfinite(scenario.duration), "simulation.duration", scenario.duration,
          "a number > 0 [s]");
  require(scenario.output_step > 0.0 && std::isfinite(scenario.output_step), "simulation.output_step",
          scenario.output_step, "a number > 0 [s]");
  require(scenario.energy_error_limit > 0.0 && std::isfinite(scenario.energy_error_limit),
          "simulation.energy_error_limit", scenario.energy_error_limit, "a number > 0");
  const double step = integrator_step(scenario.integrator).value_or(scenario.duration);
  require(!(scenario.duration / step > Scenario::k_most_steps), "simulation.integrator.step", step,
          "a step [s] that makes at most 1e12 steps in the duration");
  std::vector<std::string> warnings;
  GivenMotion motion = prescribed_motion(model, scenario);
  State initial = cuttle::initial_state(model, scenario, motion.get(), warnings);
  auto plan = std::make_unique<Plan>(Plan{model,
                                          scenario,
                                          std::move(initial),
                                          input_signals(model, scenario.inputs),
                                          OutputTimes(scenario.duration, scenario.output_step),
                                          {},
                                          std::move(warnings),
                                          std::move(motion)});
  // both refuse what does not fit
  RobotSystem system(
      model,
      {.inputs = plan->inputs, .controllers = scenario.controllers, .seed = scenario.seed, .motion = plan->motion});
  make_integrator(system, scenario.integrator);
  plan->rows = close_start(model, scenario, plan->motion.get(), plan->initial, plan->closing);
  refuse_overlaps(model, plan->initial);
  plan->initial.auxiliary = system.with_controllers(plan->initial.auxiliary);
  if (!model.site_laws().empty() && !scenario.statics) {
    RobotSystem(model, {.inputs = plan->inputs,
                        .rows = plan->rows,
                        .controllers = scenario.controllers,
                        .seed = scenario.seed,
                        .motion = plan->motion})
        .begin_in_balance(plan->initial);
  }
  plan_ = std::move(plan);
}

Simulator::~Simulator() = default;

const State& Simulator::initial_state() const { return plan_->initial; }
const VelocityClosing* Simulator::velocity_closing() const { return plan_->closing.get(); }
const OutputTimes& Simulator::output_times() const { return plan_->outputs; }

Outcome Simulator::run(const std::vector<Recorder*>& recorders, const RunOptions& options) const {
  for (std::size_t i = 0; i < recorders.size(); ++i) {
    if (recorders[i] != nullptr) continue;
    throw ArgumentError("Simulator::run: recorders[" + std::to_string(i) + "]: found null, expected a recorder");
  }
  return Run(plan_->model, plan_->scenario, plan_->inputs, plan_->initial, plan_->outputs, plan_->rows, plan_->warnings,
             plan_->motion, recorders, options)();
}

}  // namespace cuttle
