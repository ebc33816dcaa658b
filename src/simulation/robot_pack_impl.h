#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "algorithms/equation_of_motion_impl.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/spatial/pack.h"
#include "simulation/robot_pack.h"
#include "simulation/runge_kutta_step.h"

// RobotPack for one scalar: double (one robot) or a pack of them. Included by one source for each.

namespace cuttle {

template <typename S>
class RobotPackT final : public RobotPack {
 public:
  using A = LaneAccess<S>;
  using Mask = MaskT<S>;

  /// @param robots  the models of the lanes, for their loads.
  RobotPackT(ModelT<S> model, const std::vector<const Model*>& robots) : model_(std::move(model)) {
    for (const Model* robot : robots) {
      loads_.push_back(robot->robot().loads);
      for (const auto& load : loads_.back()) wrenches_.push_back(load.law->timed());
    }
  }

  int state_count() const override { return state_layout(model_).without_works().size(); }

  struct WorkspaceOf final : Workspace {
    WorkspaceOf(const ModelT<S>& model, const TimedWrenches& wrenches, const StateLayout& layout)
        : equation(model, wrenches, layout),
          data(equation.data()),
          step(model, equation.layout().size()),
          q(model.nq()),
          v(model.nv()),
          x(model.nv()),
          auxiliary(equation.layout().size()),
          held(model.nu()),
          u(model.nu()),
          at_q(model.nq()) {}
    EquationOfMotionT<S> equation;
    DataT<S>& data;
    RungeKuttaStepT<S> step;
    VectorXT<S> q, v, x, auxiliary;
    std::optional<EquationOfMotion> contacts;  ///< null without them
    VectorXT<S> held, u, at_q;  ///< of an evaluation: inputs that are held, all of them, and the configuration
  };
  std::unique_ptr<Workspace> make_workspace(bool works) const override {
    const StateLayout layout = state_layout(model_);
    return std::make_unique<WorkspaceOf>(model_, wrenches_, works ? layout : layout.without_works());
  }

  LaneStatus inverse_dynamics(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsIn& a,
                              const RowsOut& tau) const override {
    WorkspaceOf& w = static_cast<WorkspaceOf&>(workspace);
    const Mask usable = load_state(w, q, v) & load(a, w.x);
    return evaluate(usable, tau, model_.nv(), [&] {
      const VectorXT<S>& result = cuttle::inverse_dynamics<S>(model_, w.data, w.q, w.v, w.x);
      return store(result.data(), model_.nv(), usable, tau);
    });
  }

  LaneStatus forward_dynamics(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsIn& tau,
                              const RowsOut& a) const override {
    WorkspaceOf& w = static_cast<WorkspaceOf&>(workspace);
    w.data.singular = {};
    const Mask usable = load_state(w, q, v) & load(tau, w.x);
    LaneStatus status = evaluate(usable, a, model_.nv(), [&] {
      const VectorXT<S>& result = cuttle::forward_dynamics<S>(model_, w.data, w.q, w.v, w.x);
      return store(result.data(), model_.nv(), usable, a);
    });
    if (any(w.data.singular)) mark(status, w.data.singular & usable, RobotStatus::singular_mass);
    return status;
  }

  LaneStatus mass_matrix(Workspace& workspace, const RowsIn& q, const RowsOut& mass) const override {
    WorkspaceOf& w = static_cast<WorkspaceOf&>(workspace);
    const Mask usable = load_configuration(w, q);
    const int size = model_.nv() * model_.nv();
    return evaluate(usable, mass, size, [&] {
      const MatrixXT<S>& M = cuttle::mass_matrix<S>(model_, w.data, w.q);  // symmetric: its storage order is any
      return store(M.data(), size, usable, mass);
    });
  }

  LaneStatus energies(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsOut& energy) const override {
    WorkspaceOf& w = static_cast<WorkspaceOf&>(workspace);
    const Mask usable = load_state(w, q, v);
    return evaluate(usable, energy, 3, [&] {
      const S three[3] = {kinetic_energy<S>(model_, w.data, w.q, w.v), gravity_energy<S>(model_, w.data, w.q),
                          elastic_energy<S>(model_, w.data, w.q)};
      return store(three, 3, usable, energy);
    });
  }

  LaneStatus rollout(Workspace& workspace, const RolloutPlan& plan, RolloutRows& rows) const override {
    WorkspaceOf& w = static_cast<WorkspaceOf&>(workspace);
    w.step.reserve(plan.tableau->stages());
    w.equation.serve(model_, wrenches_);
    RowsIn q, v;
    for (int lane = 0; lane < A::k_width; ++lane) q[lane] = rows.q[lane], v[lane] = rows.v[lane];
    const Mask usable = load_state(w, q, v);
    LaneStatus status;
    status.fill(RobotStatus::good);
    mark(status, !usable, RobotStatus::bad_argument);
    rows.good_until.fill(0.0);
    const RobotStatus begun = any(usable) ? guarded([&] { begin_states(w, plan, rows); }) : RobotStatus::good;
    if (begun != RobotStatus::good) mark(status, usable, begun);
    Mask running = begun == RobotStatus::good ? usable : nothing();
    if constexpr (std::is_same_v<S, double>) {  // robots with contacts go one at a time
      w.contacts.reset();                       // of another robot
      if (!model_.site_laws().empty()) w.contacts.emplace(model_, w.equation.layout());
      if (running) refuse_gone_through(w, plan.start, running, status);
    }
    double time = 0.0;
    for (const RolloutPlan::Target& target : plan.targets) {
      if (target.time > time) {
        hold_inputs(w, plan, target, rows);
        const double count = step_count(target.time - time, plan.step);
        const double h = (target.time - time) / count, begin = time;
        for (double i = 0; i < count && any(running) && !plan.ended(); ++i) {
          const double next = i + 1 < count ? begin + (i + 1) * h : target.time;
          cross(w, plan, rows, target, time, h, next, running, status);
          time = next;
          for (int lane = 0; lane < A::k_width; ++lane) {
            if (A::holds(running, lane)) rows.good_until[lane] = time;
          }
        }
        time = target.time;
      }
      if (target.sample >= 0) {
        for (int lane = 0; lane < A::k_width; ++lane) {
          double* q_row = rows.q_samples[lane] + static_cast<std::ptrdiff_t>(target.sample) * model_.nq();
          double* v_row = rows.v_samples[lane] + static_cast<std::ptrdiff_t>(target.sample) * model_.nv();
          const bool good = A::holds(running, lane);
          for (int k = 0; k < model_.nq(); ++k) q_row[k] = good ? A::get(w.q[k], lane) : k_nan;
          for (int k = 0; k < model_.nv(); ++k) v_row[k] = good ? A::get(w.v[k], lane) : k_nan;
        }
        store_works(w, target.sample, running, rows);
      }
    }
    for (int lane = 0; lane < A::k_width; ++lane) {
      if (!A::holds(usable, lane)) continue;  // stays as it was given
      for (int k = 0; k < model_.nq(); ++k) rows.q[lane][k] = A::get(w.q[k], lane);
      for (int k = 0; k < model_.nv(); ++k) rows.v[lane][k] = A::get(w.v[k], lane);
      if (rows.states[lane] == nullptr) continue;
      const auto states = w.equation.layout().feeding_back_of(w.auxiliary);
      for (Eigen::Index k = 0; k < states.size(); ++k) rows.states[lane][k] = A::get(states[k], lane);
    }
    return status;
  }

 private:
  static constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
  static Mask nothing() { return S(1.0) < S(0.0); }
  /// Finite: x - x is 0 for every finite number and NaN otherwise.
  static Mask finite(const VectorXT<S>& x) {
    S sum(0.0);
    for (const S& value : x) sum += value - value;
    return sum == S(0.0);
  }
  /// Where the state of a stage is finite and not beyond all sense: a mass matrix that is not positive definite there
  /// is the robot's own and not what is left of a state that grew without bound.
  static Mask sensible(const WorkspaceOf& w) {
    Mask result = finite(w.step.q) & finite(w.step.v);
    for (const S& value : w.step.v) result = result & (value * value < S(1e16));
    return result;
  }
  static void mark(LaneStatus& status, const Mask& where, RobotStatus what) {
    for (int lane = 0; lane < A::k_width; ++lane) {
      if (A::holds(where, lane)) status[lane] = what;
    }
  }

  static Mask load(const RowsIn& rows, VectorXT<S>& x) {
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      for (int lane = 0; lane < A::k_width; ++lane) A::set(x[k], lane, rows[lane][k]);
    }
    return finite(x);
  }
  /// Where a configuration is usable: finite, quaternions of unit norm within the tolerance (then normalized).
  Mask load_configuration(WorkspaceOf& w, const RowsIn& q) const {
    Mask usable = load(q, w.q);
    if (model_.nq() == model_.nv()) return usable;
    for (const Edge& edge : model_.topology().edges) {
      if (edge.nq == edge.nv) continue;
      const JointT<S>& joint = *model_.topology().joints[edge.index].joint;
      const Mask unit = joint.constraint_violation(w.q.data() + edge.q) <= S(k_quaternion_tolerance);
      S neutral[7];
      joint.neutral(neutral);
      for (int k = 0; k < edge.nq; ++k) w.q[edge.q + k] = select(unit, w.q[edge.q + k], neutral[k]);
      usable = usable & unit;
    }
    normalize<S>(model_, w.q);
    return usable;
  }
  Mask load_state(WorkspaceOf& w, const RowsIn& q, const RowsIn& v) const {
    const Mask usable = load_configuration(w, q);
    return usable & load(v, w.v);
  }

  /// Results of the robots that are right; NaN for the others. @return where all results are finite.
  static Mask store(const S* x, int count, const Mask& right, const RowsOut& rows) {
    const S nan(k_nan);
    S sum(0.0);
    for (int k = 0; k < count; ++k) {
      const S value = select(right, x[k], nan);
      sum += value - value;
      for (int lane = 0; lane < A::k_width; ++lane) rows[lane][k] = A::get(value, lane);
    }
    return sum == S(0.0);
  }

  /// Runs `compute`, which stores the results and returns where they are finite; what one robot throws becomes its
  /// status.
  template <typename Compute>
  static LaneStatus evaluate(const Mask& usable, const RowsOut& rows, int count, const Compute& compute) {
    LaneStatus status;
    status.fill(RobotStatus::good);
    RobotStatus problem = RobotStatus::bad_argument;
    if (any(usable)) {
      Mask sound = nothing();
      problem = guarded([&] { sound = compute(); });
      if (problem == RobotStatus::good) {
        if (all(sound)) return status;
        mark(status, !sound, RobotStatus::not_finite);
        mark(status, !usable, RobotStatus::bad_argument);
        return status;
      }
    }
    status.fill(problem);
    for (int lane = 0; lane < A::k_width; ++lane) {
      std::fill(rows[lane], rows[lane] + count, k_nan);
    }
    return status;
  }
  /// Only a single robot throws.
  template <typename Compute>
  static RobotStatus guarded(const Compute& compute) {
    try {
      compute();
      return RobotStatus::good;
    } catch (const SingularMassError&) {
      return RobotStatus::singular_mass;
    } catch (const ConfigurationError&) {
      return RobotStatus::undefined;
    } catch (const OverflowError&) {
      return RobotStatus::not_finite;
    } catch (const ArgumentError&) {  // within a roll-out: the state is no longer finite
      return RobotStatus::not_finite;
    }
  }

  /// States with which the lanes begin: those given, or as a run begins.
  void begin_states(WorkspaceOf& w, const RolloutPlan& plan, const RolloutRows& rows) const {
    const StateLayout& layout = w.equation.layout();
    w.auxiliary.setZero();
    layout.elements_of(w.auxiliary) = model_.element_start();
    auto states = layout.feeding_back_of(w.auxiliary);
    bool are_given = false;
    for (int lane = 0; lane < A::k_width; ++lane) {
      const double* const given = rows.states_begin[lane];
      if (given == nullptr || states.size() == 0 || std::isnan(given[0])) continue;
      are_given = true;
      for (Eigen::Index k = 0; k < states.size(); ++k) A::set(states[k], lane, given[k]);
    }
    if constexpr (std::is_same_v<S, double>) {  // robots with contacts go one at a time
      if (are_given || model_.site_laws().empty() || plan.targets.empty()) return;
      const RolloutPlan::Target& first =
          plan.targets[plan.targets.front().time > 0.0 || plan.targets.size() < 2 ? 0 : 1];
      hold_inputs(w, plan, first, rows);
      read_inputs(w, plan, rows, first.signal_begin);
      w.at_q = w.q;
      normalize<S>(model_, w.at_q);
      const VectorXd before = w.auxiliary;
      EquationOfMotion(model_, layout).begin_in_balance({first.signal_begin, w.at_q, w.v, w.u, before}, w.auxiliary);
    }
  }

  /// What every robot holds beside the signals on the way to the target.
  void hold_inputs(WorkspaceOf& w, const RolloutPlan& plan, const RolloutPlan::Target& target,
                   const RolloutRows& rows) const {
    w.held.setZero();
    if (plan.held_count == 0) return;
    for (int k = 0; k < model_.nu(); ++k) {
      for (int lane = 0; lane < A::k_width; ++lane) {
        A::set(w.held[k], lane, rows.held[lane][target.held * model_.nu() + k]);
      }
    }
  }

  void store_works(const WorkspaceOf& w, int sample, const Mask& running, const RolloutRows& rows) const {
    if (rows.work_samples[0] == nullptr) return;
    constexpr int count = StateLayout::k_work_count;
    for (int lane = 0; lane < A::k_width; ++lane) {
      double* const row = rows.work_samples[lane] + static_cast<std::ptrdiff_t>(sample) * count;
      const bool good = A::holds(running, lane);
      for (int k = 0; k < count; ++k) row[k] = good ? A::get(w.auxiliary[k], lane) : k_nan;
    }
  }

  /// What is held and signals at a time. @return the lanes in which a tendon that cannot push is told to.
  Mask read_inputs(WorkspaceOf& w, const RolloutPlan& plan, const RolloutRows& rows, double time) const {
    if (model_.nu() == 0) return nothing();
    w.u = w.held;
    if (rows.inputs[0] != nullptr) {
      for (Eigen::Index i = 0; i < w.u.size(); ++i) {
        S own(0.0);
        for (int lane = 0; lane < A::k_width; ++lane) {
          A::set(own, lane, (*rows.inputs[lane])[static_cast<std::size_t>(i)].at(time));
        }
        w.u[i] += own;
      }
      return clip_slack<S>(model_, w.u);
    }
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
      w.u[static_cast<Eigen::Index>(i)] += S(plan.inputs[i].at(time));
    }
    return clip_slack<S>(model_, w.u);
  }

  static void refuse_gone_through(WorkspaceOf& w, double time, Mask& running, LaneStatus& status) {
    if (!w.contacts || w.contacts->trouble_at(time, w.q, w.v).empty()) return;
    status[0] = RobotStatus::gone_through, running = nothing();
  }
  /// One step of those that run, in parts where contacts would pass each other unseen.
  void cross(WorkspaceOf& w, const RolloutPlan& plan, const RolloutRows& rows, const RolloutPlan::Target& target,
             double time, double h, double next, Mask& running, LaneStatus& status) const {
    if constexpr (std::is_same_v<S, double>) {
      if (w.contacts) {
        const auto longest = [&] { return w.contacts->longest_step(plan.start + time, w.q, w.v); };
        try {
          for_safe_parts(time, h, next, longest, [&](double part, double end) {
            if (running) step(w, plan, rows, target, time, part, running, status);
            time = end;
            if (running) refuse_gone_through(w, plan.start + time, running, status);
          });
        } catch (const SimulationError&) {  // in any step that is worth taking
          if (running) status[0] = RobotStatus::gone_through, running = nothing();
        }
        return;
      }
    }
    step(w, plan, rows, target, time, h, running, status);
  }

  /// One step of those that run. A robot that fails stays where it was.
  void step(WorkspaceOf& w, const RolloutPlan& plan, const RolloutRows& rows, const RolloutPlan::Target& target,
            double time, double h, Mask& running, LaneStatus& status) const {
    Mask singular = nothing(), slack = nothing();
    const RobotStatus thrown = guarded([&] {
      w.step.run(model_, *plan.tableau, time, h, w.q, w.v, w.auxiliary,
                 [&](double after, VectorXT<S>& a, VectorXT<S>& auxiliary_rate) {
                   const double at = std::clamp(plan.start + after, target.signal_begin, target.signal_end);
                   w.at_q = w.step.q;
                   normalize<S>(model_, w.at_q);
                   slack = slack | read_inputs(w, plan, rows, at);
                   w.equation.rates({at, w.at_q, w.step.v, w.u, w.step.auxiliary}, a, auxiliary_rate);
                   if (any(w.data.singular)) singular = singular | (w.data.singular & sensible(w));
                 });
    });
    if (thrown != RobotStatus::good) {
      const bool grown = thrown == RobotStatus::singular_mass && !any(sensible(w));
      mark(status, running, grown ? RobotStatus::not_finite : thrown);
      running = nothing();
      return;
    }
    const Mask sound = finite(w.step.q) & finite(w.step.v);
    mark(status, running & !sound, RobotStatus::not_finite);
    mark(status, running & singular, RobotStatus::singular_mass);
    mark(status, running & slack, RobotStatus::bad_argument);
    running = running & sound & !singular & !slack;
    const auto keep = [&running](const VectorXT<S>& next, VectorXT<S>& state) {
      for (Eigen::Index k = 0; k < state.size(); ++k) state[k] = select(running, next[k], state[k]);
    };
    keep(w.step.q, w.q), keep(w.step.v, w.v), keep(w.step.auxiliary, w.auxiliary);
  }

  ModelT<S> model_;
  std::vector<std::vector<Load>> loads_;  // of each lane's robot: keep the laws
  TimedWrenches wrenches_;
};

}  // namespace cuttle
