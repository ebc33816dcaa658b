// A robot as a function: rates, steps, and their slopes.
#include "cuttle/simulation/robot_dynamics.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/contact_overlap.h"
#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/forward_slopes.h"
#include "simulation/implicit_scheme.h"
#include "simulation/integrators.h"
#include "simulation/motion_outputs.h"
#include "simulation/timed_run.h"
#include "simulation/turning_axes.h"

namespace cuttle {
namespace {

/// As a run begins without a scenario. Links that are deep in what they touch there are no error: a function has no
/// start.
State neutral_state(const Model& model) {
  try {
    return Simulator(model, {}).initial_state();
  } catch (const OverlapError&) {
    Robot robot = model.robot();
    robot.contacts.clear();
    State state = Simulator(Model(robot), {}).initial_state();
    state.auxiliary = start_of_auxiliary(model);
    return state;
  }
}

}  // namespace

struct RobotDynamics::Parts {
  Parts(const Model& its_model, const IntegratorOptions& integrator)
      : model(its_model),
        options(integrator),
        length(integrator_step(integrator)),
        system(model, {.rows = held_rows(model, neutral_state(model).q)}),
        data(model),
        nq(model.nq()),
        nv(model.nv()),
        works(system.layout().works),
        states(system.auxiliary_count() - works) {
    const State initial = neutral_state(model);
    at = initial;
    at.auxiliary = system.with_controllers(initial.auxiliary);
    start.resize(nq + nv + states), result = start, a.resize(nv), state_rates.resize(system.auxiliary_count());
    gather(at, start);
    const auto add = [this](const auto& law) {
      const std::vector<double> times = law.discontinuities();
      jumps.insert(jumps.end(), times.begin(), times.end());
    };
    for (const Load& given : model.robot().loads) add(*given.law);
    for (const auto& element : model.elements()) add(*element.law);
    std::sort(jumps.begin(), jumps.end());
    if (!length) return;
    for (auto& one : integrators) one = make_integrator(system, options);
    scheme = find_implicit_scheme(model, options);
    tableau = find_tableau(model, options);
  }

  void gather(const State& state, VectorXd& x) const {
    x.head(nq) = state.q, x.segment(nq, nv) = state.v, x.tail(states) = state.auxiliary.tail(states);
  }

  /// Takes the arguments into `at` and the system.
  void take(double time, VectorInT<double> x, VectorInT<double> u) {
    const auto require = [this](const char* name, VectorInT<double> found, Eigen::Index size, const char* what) {
      if (found.size() != size) {
        throw ArgumentError(
            fmt::format("{}: found size {}, expected {} ({} of '{}')", name, found.size(), size, what, model.name()));
      }
      if (!found.allFinite()) {
        Eigen::Index i = 0;
        while (std::isfinite(found[i])) ++i;
        throw ArgumentError(fmt::format("{}[{}]: found {}, expected a finite number", name, i, found[i]));
      }
    };
    require("x", x, nq + nv + states, "q, v and states");
    require("u", u, model.nu(), "inputs");
    if (!std::isfinite(time)) throw ArgumentError(fmt::format("time: found {}, expected a finite number [s]", time));
    at.time = time;
    at.q = x.head(nq), at.v = x.segment(nq, nv);
    at.auxiliary.head(works).setZero(), at.auxiliary.tail(states) = x.tail(states);
    system.held_inputs() = u;
  }

  void require_rates() const {
    if (system.constraint_count() == 0) return;
    throw ArgumentError(
        fmt::format("rate: found closed loops of '{}', expected a robot without, or a step of an "
                    "implicit integrator",
                    model.name()));
  }

  /// Whether q, v and the inputs of actuators are not all that moves the robot. Its slopes then come from arithmetic
  /// with derivatives, not from those of the equation of motion.
  bool is_stateful() const {
    return states > 0 || std::any_of(model.elements().begin(), model.elements().end(),
                                     [](const auto& element) { return element.law->input_count() > 0; });
  }

  ForwardSlopes& forward() {
    if (!forward_slopes) forward_slopes.emplace(system);
    return *forward_slopes;
  }

  void require_step() const {
    if (length) return;
    throw ArgumentError("step: found no length, expected an integrator with a fixed `step` [s]");
  }

  /// Of two integrators the one that does not stand just there, where it would go on with its past.
  Integrator& fresh_integrator() {
    for (auto& one : integrators) {
      const State& state = one->state();
      if (state.q.size() == 0 || state.time != at.time || state.q != at.q || state.v != at.v) return *one;
    }
    integrators[0] = make_integrator(system, options);
    return *integrators[0];
  }

  /// Loads, between their jumps, are those of a stretch that begins at a time: what jumps at its end acts later.
  /// @return where the stretch ends: at the end of the step, or where they jump within it.
  double enter(double from, double end) {
    if (jumps.empty()) return end;
    const auto next =
        std::find_if(jumps.begin(), jumps.end(), [from](double jump) { return !same_instant(from, jump); });
    const double begin = next == jumps.begin() ? from : std::max(from, *std::prev(next));
    const double until = next == jumps.end() ? std::numeric_limits<double>::infinity() : *next;
    system.enter(begin, until, at);
    stretch = {begin, until};
    return same_instant(until, end) ? end : until;
  }
  /// Loads are those of the instant.
  void enter_instant() {
    constexpr double ever = std::numeric_limits<double>::infinity();
    if (!jumps.empty()) system.enter(-ever, ever, at);
  }

  const State& take_step() {
    const double end = at.time + *length;
    double to = enter(at.time, end);
    while (to < end) {
      at = take_part(to);
      to = enter(to, end);
    }
    return take_part(end);
  }

  /// From `at` to a time, up to which loads neither jump nor bend.
  const State& take_part(double to) {
    Integrator& integrator = fresh_integrator();
    at.multipliers.setZero(at.multipliers.size());
    integrator.restart(at);
    integrator.advance(to, to);
    return integrator.state();
  }

  /// By the inputs that act, of forces at q: columns of tendons that are slack are zero.
  MatrixXd actuation(const VectorXd& q) {
    MatrixXd by_u = actuation_matrix<double>(model, data, q);
    for (const auto& tendon : model.tendons()) {
      if (tendon.slack == Slack::clip && system.held_inputs()[tendon.input] < 0.0) by_u.col(tendon.input).setZero();
    }
    return by_u;
  }

  /// The acceleration at a motion, and its slopes by q, v and u, side by side.
  void differentiate_acceleration(double time, const VectorXd& q, const VectorXd& v, VectorXd& its_a,
                                  MatrixXd& by_q_v_u) {
    system.rates(time, q, v, at.auxiliary, its_a, state_rates);
    if (!its_a.allFinite()) throw SimulationError(fmt::format("t = {:.9g} s: the acceleration is not finite", time));
    const DerivativeData& d = system.residual_derivatives(time, q, v, its_a, {at.auxiliary}, VectorXd());
    by_q_v_u.resize(nv, 2 * nv + model.nu());
    by_q_v_u.leftCols(nv) = -d.by_q, by_q_v_u.middleCols(nv, nv) = -d.by_v;
    factors.compute(d.by_a);
    by_q_v_u.rightCols(model.nu()) = actuation(q);
    by_q_v_u = factors.solve(by_q_v_u).eval();
  }

  /// A and B of the rates of q and v.
  void differentiate_rate() {
    if (!prepared) system.prepare_derivatives();
    prepared = true;
    MatrixXd by;
    differentiate_acceleration(at.time, at.q, at.v, a, by);
    slopes.A.setZero(2 * nv, 2 * nv), slopes.B.setZero(2 * nv, model.nu());
    slopes.A.topRightCorner(nv, nv).setIdentity();
    slopes.A.bottomRows(nv) = by.leftCols(2 * nv), slopes.B.bottomRows(nv) = by.rightCols(model.nu());
  }

  void differentiate_explicit_step(double h) {
    const auto n = static_cast<std::size_t>(tableau->stages());
    const Eigen::Index columns = 2 * nv + model.nu();
    std::vector<VectorXd> rate_of_q(n), rate_of_v(n);
    std::vector<MatrixXd> q_slope(n), v_slope(n);  // of these rates, by q, v and u of the start
    VectorXd q, v, stage_a(nv);
    MatrixXd dq, dv, by;
    const auto sum = [&](const std::vector<double>& weights) {
      q = at.q, v = at.v;
      dq.setZero(nv, columns), dv.setZero(nv, columns);
      dq.leftCols(nv).setIdentity(), dv.middleCols(nv, nv).setIdentity();
      for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0.0) continue;
        const double w = h * weights[j];
        q += w * rate_of_q[j], v += w * rate_of_v[j];
        dq += w * q_slope[j], dv += w * v_slope[j];
      }
    };
    for (std::size_t i = 0; i < n; ++i) {
      sum(tableau->a[i]);
      differentiate_acceleration(at.time + tableau->c[i] * h, q, v, stage_a, by);
      rate_of_q[i] = v, rate_of_v[i] = stage_a;
      q_slope[i] = dv;
      v_slope[i].noalias() = by.leftCols(nv) * dq;
      v_slope[i].noalias() += by.middleCols(nv, nv) * dv;
      v_slope[i].rightCols(model.nu()) += by.rightCols(model.nu());
    }
    sum(tableau->b);
    slopes.A << dq.leftCols(2 * nv), dv.leftCols(2 * nv);
    slopes.B << dq.rightCols(model.nu()), dv.rightCols(model.nu());
  }

  /// r(x; start, u) = 0 gives the displacement x of a step, and with it the end.
  /// @return whether that is where the step leads: where Newton's method did not get there it was halved.
  bool differentiate_implicit_step(double h, const VectorXd& q_end, const VectorXd& v_end) {
    const Eigen::Index nu = model.nu(), columns = 2 * nv + nu;
    VectorXd start_a(nv);
    MatrixXd start_by;
    if (scheme->midpoint) {
      start_a.setZero(), start_by.setZero(nv, columns);
    } else {
      differentiate_acceleration(at.time, at.q, at.v, start_a, start_by);
    }
    StepMap map;
    map.set(*scheme, h, at.v, start_a, start_a);
    // offsets are linear in v and a of the start
    StepMap of_v, of_a;
    const VectorXd one = VectorXd::Ones(1), none = VectorXd::Zero(1);
    of_v.set(*scheme, h, one, none, none), of_a.set(*scheme, h, none, one, one);
    const auto offset = [&](double by_v, double by_a) {
      MatrixXd slope = by_a * start_by;
      slope.middleCols(nv, nv).diagonal().array() += by_v;
      return slope;
    };
    const MatrixXd rate_slope = offset(of_v.rate_offset[0], of_a.rate_offset[0]);
    const MatrixXd second_slope = offset(of_v.second_offset[0], of_a.second_offset[0]);

    const VectorXd x = q_end - at.q;
    const VectorXd v_of_x = scheme->midpoint ? VectorXd(2.0 / h * x - at.v) : VectorXd(map.rate * x + map.rate_offset);
    constexpr double k_of_step = 1e-9;  // of displacements that are divided by the step; halves are off by h^2 or more
    const double size = map.rate * (q_end.cwiseAbs() + at.q.cwiseAbs()).maxCoeff() + v_end.cwiseAbs().maxCoeff();
    if ((v_of_x - v_end).cwiseAbs().maxCoeff() > k_of_step * size) return false;
    const VectorXd q = at.q + map.scale * x, v = map.rate * x + map.rate_offset,
                   step_a = map.second * x + map.second_offset;
    const double time = at.time + (scheme->midpoint ? 0.5 * h : h);
    const DerivativeData& d = system.residual_derivatives(time, q, v, step_a, {at.auxiliary}, VectorXd());
    MatrixXd tangent = map.scale * d.by_q + map.rate * d.by_v + map.second * d.by_a;
    MatrixXd right = -(d.by_v * rate_slope) - d.by_a * second_slope;
    right.leftCols(nv) -= d.by_q;
    right.rightCols(nu) += actuation(q);
    factors.compute(tangent);
    const MatrixXd dx = factors.solve(right);

    MatrixXd dq = dx, dv = (scheme->midpoint ? 2.0 / h : map.rate) * dx;
    dq.leftCols(nv).diagonal().array() += 1.0;
    if (scheme->midpoint) {
      dv.middleCols(nv, nv).diagonal().array() -= 1.0;
    } else {
      dv += rate_slope;
    }
    slopes.A << dq.leftCols(2 * nv), dv.leftCols(2 * nv);
    slopes.B << dq.rightCols(nu), dv.rightCols(nu);
    return true;
  }

  /// @param next  where the step leads; null: not known.
  void differentiate_step(const VectorXd* next) {
    const double end = at.time + *length;
    double to = enter(at.time, end);
    if (to >= end) return differentiate_part(end, next);
    // loads jump or bend within the step, which is taken in parts: the chain of theirs
    MatrixXd A = MatrixXd::Identity(2 * nv + states, 2 * nv + states);
    MatrixXd B = MatrixXd::Zero(2 * nv + states, model.nu());
    while (true) {
      differentiate_part(to, nullptr);
      A = slopes.A * A, B = (slopes.A * B + slopes.B).eval();
      if (to >= end) break;
      at = take_part(to);
      to = enter(at.time, end);
    }
    slopes.A = A, slopes.B = B;
  }

  /// The same of the part of a step from `at` to a time, within which loads neither jump nor bend.
  void differentiate_part(double to, const VectorXd* next) {
    const double h = to - at.time;
    const auto follow_directions = [&] {
      slopes.C.resize(0, 2 * nv + states), slopes.D.resize(0, model.nu());
      forward().of_step(at, h, stretch, options, slopes);
    };
    const bool is_plain = !is_stateful() && nq == nv && system.constraint_count() == 0;
    if (!is_plain || (tableau == nullptr && (!scheme || scheme->conserves_energy))) return follow_directions();
    if (!prepared) system.prepare_derivatives();
    prepared = true;
    slopes.A.resize(2 * nv, 2 * nv), slopes.B.resize(2 * nv, model.nu());
    slopes.C.resize(0, 2 * nv), slopes.D.resize(0, model.nu());
    if (tableau != nullptr) return differentiate_explicit_step(h);
    VectorXd end(nq + nv + states);
    if (next != nullptr) {
      end = *next;
    } else {
      gather(take_part(to), end);
    }
    if (!differentiate_implicit_step(h, end.head(nq), end.segment(nq, nv))) follow_directions();
  }

  const Model& model;
  IntegratorOptions options;
  std::optional<double> length;
  RobotSystem system;
  std::vector<double> jumps;  ///< of loads and elements
  ForwardSlopes::Stretch stretch;
  Data data;
  int nq, nv, works, states;
  std::unique_ptr<Integrator> integrators[2];
  std::optional<ImplicitScheme> scheme;
  const RungeKuttaTableau* tableau = nullptr;
  State at;
  VectorXd start, result, a, state_rates;
  Eigen::PartialPivLU<MatrixXd> factors;
  std::vector<std::string> output_names;
  std::optional<MotionOutputs> outputs;  ///< those of output_names
  std::optional<ForwardSlopes> forward_slopes;
  DynamicsSlopes slopes;
  bool prepared = false;
};

RobotDynamics::RobotDynamics(const Model& model, const IntegratorOptions& integrator)
    : parts_(std::make_unique<Parts>(model, integrator)) {}
RobotDynamics::~RobotDynamics() = default;

int RobotDynamics::state_size() const { return parts_->nq + parts_->nv + parts_->states; }
int RobotDynamics::tangent_size() const { return 2 * parts_->nv + parts_->states; }
int RobotDynamics::input_size() const { return parts_->model.nu(); }
std::optional<double> RobotDynamics::length() const { return parts_->length; }
const VectorXd& RobotDynamics::start() const { return parts_->start; }

const VectorXd& RobotDynamics::rate(double time, VectorInT<double> x, VectorInT<double> u) {
  Parts& p = *parts_;
  p.require_rates();
  p.take(time, x, u);
  p.enter_instant();
  p.system.rates(time, p.at.q, p.at.v, p.at.auxiliary, p.a, p.state_rates);
  if (!p.a.allFinite()) throw SimulationError(fmt::format("t = {:.9g} s: the acceleration is not finite", time));
  configuration_rate<double>(p.model, p.at.q, p.at.v, p.result.head(p.nq));
  p.result.segment(p.nq, p.nv) = p.a, p.result.tail(p.states) = p.state_rates.tail(p.states);
  return p.result;
}

const VectorXd& RobotDynamics::step(VectorInT<double> x, VectorInT<double> u, double time) {
  Parts& p = *parts_;
  p.require_step();
  p.take(time, x, u);
  p.gather(p.take_step(), p.result);
  return p.result;
}

const DynamicsSlopes& RobotDynamics::linearise(double time, VectorInT<double> x, VectorInT<double> u,
                                               const std::vector<std::string>& of) {
  Parts& p = *parts_;
  p.require_rates();
  p.take(time, x, u);
  p.enter_instant();
  if (p.is_stateful()) {
    p.forward().of_rates(p.at, p.slopes);
  } else {
    p.differentiate_rate();
  }
  for_turning_axes(p.model, p.at.v, [&p](int row, int column, double number) { p.slopes.A(row, column) += number; });
  const Eigen::Index n = tangent_size(), nu = p.model.nu();
  p.slopes.C.resize(0, n), p.slopes.D.resize(0, nu);
  if (of.empty()) return p.slopes;
  if (!p.outputs || p.output_names != of) {
    p.outputs.emplace(p.model, of);
    p.output_names = of;
  }
  const VectorXd sites = p.system.layout().sites_of(p.at.auxiliary);
  p.outputs->slopes({p.at.q, p.at.v, p.system.held_inputs(), sites, time});
  p.slopes.C.setZero(p.outputs->by_q().rows(), n);
  p.slopes.C.leftCols(p.nv) = p.outputs->by_q(), p.slopes.C.middleCols(p.nv, p.nv) = p.outputs->by_v();
  p.slopes.C.rightCols(sites.size()) = p.outputs->by_sites();
  p.slopes.D = p.outputs->by_u();
  return p.slopes;
}

const DynamicsSlopes& RobotDynamics::linearise_step(VectorInT<double> x, VectorInT<double> u, double time) {
  parts_->require_step();
  parts_->take(time, x, u);
  parts_->differentiate_step(nullptr);
  return parts_->slopes;
}

const DynamicsSlopes& RobotDynamics::linearise_step(VectorInT<double> x, VectorInT<double> u, VectorInT<double> x_next,
                                                    double time) {
  parts_->require_step();
  if (x_next.size() != state_size()) {
    throw ArgumentError(fmt::format("x_next: found size {}, expected {}", x_next.size(), state_size()));
  }
  parts_->take(time, x, u);
  const VectorXd next = x_next;
  parts_->differentiate_step(&next);
  return parts_->slopes;
}

}  // namespace cuttle
