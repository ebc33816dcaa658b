// Continuous adjoint of a run: the differential equation of the gradient, solved backwards in time (adjoint sensitivity
// analysis).
#include "simulation/adjoint_flow.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/integrators.h"
#include "simulation/linear_flow.h"
#include "simulation/node_curve.h"
#include "simulation/state_adjoint.h"
#include "simulation/turning_axes.h"

namespace cuttle {
namespace {

constexpr double k_beyond_use = 1e15;  // beside what is given at samples: stiff contacts alone make it 1e9

/// The continuous adjoint: with f = M^-T lambda_v, of M a + rest(q, v) = A u,
///
///     d lambda_q/dt = ad^T lambda_q + (d rest/dq)^T f,    d lambda_v/dt = -lambda_q + (d rest/dv)^T f
///
/// where ad is the bracket with the velocities of joints that turn in space, whose small changes are in child axes; and
/// likewise by the states of controllers and elements. The gradient by the inputs is the integral of A^T f,
/// that by a number of the robot that of -(d residual / d number)^T f.
///
/// The equation is linear. Its matrices are the polynomials through five tangents of the motion over a panel of time,
/// as long as these serve. Within a panel all costs linear algebra alone: steps end at the samples of the objective, at
/// which the gradient jumps, and what it does to numbers is gathered at the five places.
class AdjointFlow final : public AdjointRun {
 public:
  AdjointFlow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator, const IntegratorOptions& options)
      : system_(system),
        model_(system.model()),
        nq_(model_.nq()),
        nv_(model_.nv()),
        relative_tolerance_(options.relative_tolerance),
        integrator_(std::move(integrator)),
        states_(system),
        kept_(states_.count()),
        touches_(system.model()),
        flow_({nv_, nv_, states_.slow(), system.layout().elements, system.layout().sites}, relative_tolerance_) {
    require_few_coordinates(model_, "gradients back along a run of bdf or erk");
    system_.prepare_derivatives();
    lambda_.setZero(size_of_lambda());
    auxiliary_.setZero(system.auxiliary_count()), auxiliary_rate_ = auxiliary_;
    split_parts();
    integrator_->on_step = [this](double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) {
      if (stretches_.empty()) return;
      reach(time, q, v, auxiliary);
      see_touches(time, q, v, auxiliary);
    };
  }

  void begin(const State& start, double end) override {
    integrator_->expect_end(end);
    integrator_->restart(start);
    touches_.begin(start.time, start.q, start.v), seen_ = start.time;
    begin_stretch();
  }
  void go_on() override {
    see_touches(state().time, state().q, state().v, state().auxiliary);
    integrator_->restart(integrator_->state());
    begin_stretch();
  }
  void advance(double target, double limit) override {
    if (!(target > state().time)) return;
    integrator_->advance(target, limit);
    records_.push_back({stretches_.size() - 1, target, target == limit});
    if (target == limit) stretches_.back().bend = target;
    stretches_.back().end = node_of(target, state().q, state().v, state().auxiliary);
  }
  const State& state() const override { return integrator_->state(); }
  std::size_t size() const override { return records_.size(); }

  void add(const VectorXd& /*q*/, const VectorXd& /*v*/, const VectorXd& by_q, const VectorXd& by_v) override {
    VectorXd by = VectorXd::Zero(size_of_lambda());
    by.head(nv_) = by_q, by.segment(nv_, nv_) = by_v;
    add_jump(by);
  }
  void add_states(const VectorXd& by_states) override {
    VectorXd by = VectorXd::Zero(size_of_lambda());
    by.tail(kept_) = by_states;
    add_jump(by);
  }

  /// Samples lie within stretches, which are gone back along as a whole when their first record is left.
  void go_back(AdjointNumbers& numbers, const Use& use) override {
    const Record record = records_.back();
    records_.pop_back();
    if (record.may_bend) bends_.push_back(record.target);
    if (!records_.empty() && records_.back().stretch == record.stretch) return;
    Stretch& stretch = stretches_[record.stretch];
    std::vector<RunNode>& nodes = stretch.nodes;
    while (nodes.size() > 1 && !(nodes.back().time < stretch.end.time)) nodes.pop_back();
    if (nodes.size() > 1 && same_instant(nodes.back().time, stretch.end.time)) nodes.pop_back();
    nodes.push_back(std::move(stretch.end));
    nodes_ = &nodes;
    if (!same_instant(nodes.front().time, nodes.back().time)) {
      std::sort(jumps_.begin(), jumps_.end(), [](const Jump& a, const Jump& b) { return a.time > b.time; });
      std::size_t last = nodes.size() - 1;
      for (; !stretch.touches.empty(); stretch.touches.pop_back()) {
        const Touches& touches = stretch.touches.back();
        const std::size_t at = node_at(touches.at.time, last);
        if (at > last) continue;  // beyond the last sample
        go_back_along(at, last, {}, numbers, use);
        back_over_touch_downs(touches, numbers, use);
        // where a site touches down its states are infinitely fast: nothing is worth anything to them there
        const std::size_t apart = node_at(touches.apart, at);
        go_back_along(apart, at, states_of(touches.downs), numbers, use);
        last = apart;
      }
      go_back_along(0, last, {}, numbers, use);
    }
    for (; jump_ < jumps_.size(); ++jump_) lambda_ += jumps_[jump_].by;
    jumps_.clear(), jump_ = 0;
    bends_.clear();
    nodes.clear(), nodes.shrink_to_fit();
    split_parts();
  }
  const VectorXd& by_q() const override { return by_q_; }
  const VectorXd& by_v() const override { return by_v_; }
  const VectorXd& by_states() const override { return by_states_; }

 private:
  struct Record {
    std::size_t stretch;
    double target;
    bool may_bend;  ///< the run was not to step over the target
  };
  /// Sites that have touched down, at a node some time after it.
  struct Touches {
    RunNode at;
    double apart;  ///< a node before it
    std::vector<TouchDown> downs;
  };
  struct Stretch {
    std::vector<RunNode> nodes;
    std::vector<Touches> touches;
    RunNode end;
    double bend = -1.0;  ///< the last time over which the run was not to step
  };
  struct Jump {
    double time;
    VectorXd by;
  };
  /// Where the way back along a panel began.
  struct Walk {
    VectorXd lambda;
    std::size_t jump;
    LinearFlow flow;
  };
  /// The linearized motion at a time.
  struct Tangent {
    VectorXd q, v, a, auxiliary;
    Eigen::PartialPivLU<MatrixXd> mass;  ///< transposed
    MatrixXd rate;                       ///< d lambda/dt = rate lambda
    MatrixXd worth;                      ///< of signals and what is held, a row each: worth lambda
  };
  static constexpr int k_places = 5;  ///< of a panel, equally far apart
  /// Time after a touch-down from which the run knows the states of a site: before, errors that it may make are as
  /// large. What the law follows with times of its own it does within 1e-4 s.
  static constexpr double k_settled = 1e-7;
  static constexpr double k_shortest_part = 0.125;  ///< of a step of the run
  /// Error of a panel, beside the tolerance, for what lambda is behind it. It may be zero before it in the stiffest
  /// parts, as those of bristles, which then tell nothing of how well polynomials serve.
  static constexpr double k_most_behind = 4.0;

  Eigen::Index size_of_lambda() const { return 2 * nv_ + kept_; }

  void begin_stretch() {
    stretches_.emplace_back();
    reach(state().time, state().q, state().v, state().auxiliary);
  }
  RunNode node_of(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) const {
    RunNode node{time, VectorXd(nq_ + nv_ + kept_), {}, same_instant(stretches_.back().bend, time)};
    node.y << q, v, system_.layout().feeding_back_of(auxiliary);
    return node;
  }
  void reach(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) {
    std::vector<RunNode>& nodes = stretches_.back().nodes;
    if (!nodes.empty() && !(time > nodes.back().time)) return;
    nodes.push_back(node_of(time, q, v, auxiliary));
  }
  void see_touches(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) {
    if (!touches_.watches() || !(time > seen_)) return;
    VectorXd normal = q;
    normalize<double>(model_, normal);
    if (!settles_) apart_ = seen_;
    const auto& found = settles_ ? touches_.see_again(time, normal, v, time - apart_) : touches_.see(time, normal, v);
    seen_ = time;
    settles_ = std::any_of(found.begin(), found.end(), [](const TouchDown& d) { return d.lasted < k_settled; });
    if (settles_ || found.empty()) return;
    const VectorXd states = system_.layout().sites_of(auxiliary);
    stretches_.back().touches.push_back({node_of(time, q, v, auxiliary), apart_, touches_.with_states(states)});
  }

  void add_jump(const VectorXd& by) {
    if (!by.any()) return;
    if (!records_.empty()) {
      jumps_.push_back({records_.back().target, by});
      return;
    }
    lambda_ += by;
    split_parts();
  }
  void split_parts() {
    drop_driven_parts(lambda_);
    by_q_ = lambda_.head(nv_), by_v_ = lambda_.segment(nv_, nv_), by_states_ = lambda_.tail(kept_);
  }
  void drop_driven_parts(VectorXd& lambda) const {
    for (const int k : system_.driven()) lambda[k] = lambda[nv_ + k] = 0.0;
  }

  void split(const VectorXd& y) {
    q_ = y.head(nq_), v_ = y.segment(nq_, nv_), a_.resize(nv_);
    system_.layout().feeding_back_of(auxiliary_) = y.tail(kept_);
    normalize<double>(model_, q_);
  }
  void find_rate(RunNode& node) {
    split(node.y);
    node.rate.resize(node.y.size());
    system_.rates(node.time, q_, v_, auxiliary_, a_, auxiliary_rate_);
    configuration_rate<double>(model_, q_, v_, node.rate.head(nq_));
    node.rate.segment(nq_, nv_) = a_;
    node.rate.tail(kept_) = system_.layout().feeding_back_of(auxiliary_rate_);
  }

  const Tangent& tangent_at(double time, AdjointNumbers& numbers) {
    const auto [place, is_new] = tangents_.try_emplace(time);
    Tangent& tangent = place->second;
    if (!is_new) return tangent;
    VectorXd y;
    curve_.at(*nodes_, time, y, [this](RunNode& node) { find_rate(node); });
    split(y);
    system_.rates(time, q_, v_, auxiliary_, a_, auxiliary_rate_);
    system_.impose(time, q_, v_, &a_);
    tangent.q = q_, tangent.v = v_, tangent.a = a_, tangent.auxiliary = auxiliary_;
    const VectorXd no_rows;
    if (numbers.count() > 0) {
      AdjointInstant at{time, tangent.q, tangent.v, tangent.a, no_rows, no_rows};
      at.auxiliary = &tangent.auxiliary;
      tangent.worth = numbers.by_signals_and_held(at);
    }
    StateAdjoint::StateSlopes of_states;
    if (kept_ > 0) {
      of_states = states_.state_slopes({time, tangent.q, tangent.v, tangent.a, tangent.auxiliary, 0.0, 0.0});
    }
    const DerivativeData& d = system_.residual_derivatives(time, q_, v_, a_, {auxiliary_}, no_rows);
    MatrixXd mass = d.by_a;
    pin_driven(system_.driven(), mass);
    tangent.mass.compute(mass.transpose());
    MatrixXd unit = MatrixXd::Identity(nv_, nv_);
    for (const int k : system_.driven()) unit(k, k) = 0.0;
    const MatrixXd force = tangent.mass.solve(unit);
    MatrixXd& rate = tangent.rate;
    rate.setZero(size_of_lambda(), size_of_lambda());
    rate.block(0, nv_, nv_, nv_).noalias() = d.by_q.transpose() * force;
    rate.block(nv_, nv_, nv_, nv_).noalias() = d.by_v.transpose() * force;
    rate.block(nv_, 0, nv_, nv_).diagonal().setConstant(-1.0);
    if (kept_ > 0) {
      rate.block(2 * nv_, nv_, kept_, nv_).noalias() = -of_states.forces.transpose() * force;
      rate.block(0, 2 * nv_, nv_, kept_) = -of_states.by_q.transpose();
      rate.block(nv_, 2 * nv_, nv_, kept_) = -of_states.by_v.transpose();
      rate.bottomRightCorner(kept_, kept_) = -of_states.by_state.transpose();
    }
    for_turning_axes(model_, v_, [&rate](int row, int column, double number) { rate(column, row) -= number; });
    for (const int k : system_.driven()) {
      for (const int row : {k, nv_ + k}) rate.row(row).setZero(), rate.col(row).setZero();
    }
    for (const int state : hidden_) rate.row(state).setZero(), rate.col(state).setZero();
    if (numbers.count() == 0) return tangent;
    MatrixXd worth = MatrixXd::Zero(tangent.worth.cols(), size_of_lambda());
    worth.middleCols(nv_, nv_).noalias() = tangent.worth.topRows(nv_).transpose() * force;
    worth.rightCols(kept_) = tangent.worth.bottomRows(kept_).transpose();
    tangent.worth = worth;
    return tangent;
  }

  /// From the last of some nodes to the first, panel by panel. @param hidden  states that are left out meanwhile.
  void go_back_along(std::size_t first, std::size_t last, std::vector<int> hidden, AdjointNumbers& numbers,
                     const Use& use) {
    const double from = (*nodes_)[last].time, to = (*nodes_)[first].time;
    hidden_ = std::move(hidden);
    tangents_.clear(), curve_.confine(first, last);
    double end = from;
    if (!lambda_.any()) end = jump_ == jumps_.size() ? to : std::clamp(jumps_[jump_].time, to, from);
    add_jumps(end);
    flow_.begin(sizes_of_states(first, last));
    for (double length = first_length(end); end > to;) {
      // as long as the run's own steps at least, and then one of them
      const double limit = numbers.given_count() > 0 ? std::max(bend_before(end), to) : to;
      const double step_begin = std::max(before(end), limit);
      length = std::clamp(length, end - step_begin, end - limit);
      const bool is_step = !(length > end - step_begin);
      std::array<const Tangent*, k_places> at{};
      LinearPanel panel;
      panel.is_of_second_order = nq_ == nv_ && kept_ == 0;
      for (int k = 0; k < k_places; ++k) {
        panel.times[k] = end - k * length / (k_places - 1);
        if (k + 1 == k_places && is_step) panel.times[k] = step_begin;
        if (k + 1 == k_places && !(length < end - limit)) panel.times[k] = limit;
        at[k] = &tangent_at(panel.times[k], numbers);
        panel.rates[k] = &at[k]->rate;
      }
      if (system_.heartbeat) system_.heartbeat(end);
      VectorXd test = lambda_;
      for (std::size_t k = jump_; k < jumps_.size() && jumps_[k].time > panel.times.back(); ++k) {
        test += jumps_[k].by.cwiseAbs();
      }
      double error = flow_.error_of(panel, test);
      const double begin = panel.times.back();
      // friction has kinks within a step, which no polynomial follows
      bool serves = error <= 1.0 || (is_step && system_.layout().sites == 0);
      if (serves) {
        const Walk start{lambda_, jump_, flow_};
        error = std::max(error, go_back_over(panel, at, numbers));
        serves = error <= k_most_behind;
        if (!serves) lambda_ = start.lambda, jump_ = start.jump, flow_ = start.flow, found_.clear();
      }
      if (!serves && !is_step) {
        length *= 0.5;
        continue;
      }
      if (!serves) along_parts(end, begin, [&](double t, double next) { go_back_exactly(t, next, numbers, use); });
      for (const auto& [time, worth] : found_) use(time, worth);
      found_.clear();
      end = begin;
      require_use(end);
      tangents_.erase(tangents_.upper_bound(end), tangents_.end());
      length *= std::clamp(0.8 * std::pow(std::max(error, 1e-12), -0.2), 0.5, 2.0);
    }
    add_jumps(to);
  }

  /// Adds to lambda what is given at samples from a time on.
  void add_jumps(double time) {
    for (; jump_ < jumps_.size() && jumps_[jump_].time >= time; ++jump_) {
      lambda_ += jumps_[jump_].by;
      given_ = std::max(given_, jumps_[jump_].by.cwiseAbs().maxCoeff());
    }
    drop_driven_parts(lambda_);
  }
  /// Calls go(from, to) from one time to an earlier one between samples and bends.
  template <typename Go>
  void along_parts(double from, double to, const Go& go) {
    for (double time = from; time > to;) {
      double next = jump_ < jumps_.size() ? std::max(to, std::min(jumps_[jump_].time, time)) : to;
      const auto bend = std::upper_bound(bends_.rbegin(), bends_.rend(), next);  // weights of knots bend too
      if (bend != bends_.rend() && *bend < time) next = *std::prev(std::lower_bound(bend, bends_.rend(), time));
      if (next < time) go(time, next);
      time = next;
      add_jumps(time);
    }
  }
  /// Along a panel by its polynomials; what numbers are worth goes to found_. @return how far the polynomials are off
  /// for what lambda has become, beside the tolerance.
  double go_back_over(const LinearPanel& panel, const std::array<const Tangent*, k_places>& at,
                      AdjointNumbers& numbers) {
    std::array<VectorXd, k_places> gathered;
    for (VectorXd& part : gathered) part.setZero(size_of_lambda());
    double error = 0.0;
    const auto see = [&](double time, double weight, const VectorXd& lambda, const std::array<double, 5>& shares) {
      if (kept_ > 0) error = std::max(error, flow_.error_of(panel, lambda));
      if (numbers.count() == 0) return;
      VectorXd worth = VectorXd::Zero(numbers.count());
      for (int k = 0; k < k_places; ++k) {
        gathered[k] += weight * shares[k] * lambda;
        add_acting(weight * shares[k] * (at[k]->worth * lambda), numbers, worth);
      }
      found_.emplace_back(time, std::move(worth));
    };
    bool arrives = true;
    along_parts(panel.times.front(), panel.times.back(),
                [&](double from, double to) { arrives = arrives && flow_.go(panel, from, to, lambda_, see); });
    error = std::max(error, arrives ? flow_.error_of(panel, lambda_) : std::numeric_limits<double>::infinity());
    if (error > k_most_behind) return error;
    for (int k = 0; numbers.given_count() > 0 && k < k_places; ++k) {
      VectorXd worth = VectorXd::Zero(numbers.count());
      add_given(panel.times[k], *at[k], gathered[k], numbers, worth);
      found_.emplace_back(panel.times[k], std::move(worth));
    }
    return error;
  }

  void require_use(double time) const {
    if (!(given_ > 0.0) || lambda_.cwiseAbs().maxCoeff() <= k_beyond_use * given_) return;
    std::string text =
        fmt::format("t = {:.9g} s: the gradient grows beyond all use on its way back from the end", time);
    if (system_.layout().sites > 0) {
      text += ": the steps are too long for the bristles of friction; take smaller tolerances, or generalized_alpha";
    }
    throw SimulationError(text);
  }

  /// The node at a time; behind `last` if it is later.
  std::size_t node_at(double time, std::size_t last) const {
    std::size_t at = last;
    if (time > (*nodes_)[last].time && !same_instant(time, (*nodes_)[last].time)) return last + 1;
    while (at > 0 && !((*nodes_)[at - 1].time < time)) --at;
    return at;
  }
  /// Those of sites, in lambda.
  std::vector<int> states_of(const std::vector<TouchDown>& downs) const {
    std::vector<int> states;
    for (const TouchDown& down : downs) {
      const SitePlace& place = states_.site_places()[static_cast<std::size_t>(down.place)];
      const int first = static_cast<int>(size_of_lambda()) - system_.layout().sites + place.state;
      for (int k = 0; k < place.state_count; ++k) states.push_back(first + k);
    }
    return states;
  }
  /// The node before a time, or the first.
  double before(double time) const {
    const auto at =
        std::lower_bound(nodes_->begin(), nodes_->end(), time, [](const RunNode& n, double t) { return n.time < t; });
    return at == nodes_->begin() ? at->time : std::prev(at)->time;
  }

  /// The last bend of inputs before a time: what numbers are worth follows inputs and accelerations, and bends there.
  double bend_before(double time) const {
    const auto after = std::lower_bound(bends_.rbegin(), bends_.rend(), time);
    return after == bends_.rbegin() ? nodes_->front().time : *std::prev(after);
  }

  /// Before a touch-down the states of its site are worth nothing; after it they have grown for as long as it touches.
  void back_over_touch_downs(const Touches& touches, AdjointNumbers& numbers, const Use& use) {
    split(touches.at.y);
    system_.impose(touches.at.time, q_, v_);
    const VectorXd none = VectorXd::Zero(nv_);
    const StateAdjoint::Instant instant{touches.at.time, q_, v_, none, auxiliary_, 0.0, 0.0};
    const auto worth =
        take_worth_of_touches(states_.site_places(), touches.downs, lambda_.tail(system_.layout().sites));
    VectorXd by_q, by_v;
    states_.touches_to_motion(instant, worth, by_q, by_v);
    lambda_.head(nv_) += by_q, lambda_.segment(nv_, nv_) += by_v;
    drop_driven_parts(lambda_);
    use(touches.at.time, numbers.worth_of_touches(instant, worth));
  }

  /// With the tangents at all stages, in a step of the run.
  void go_back_exactly(double from, double to, AdjointNumbers& numbers, const Use& use) {
    const auto rate_at = [&](double time) -> const MatrixXd& { return tangent_at(time, numbers).rate; };
    flow_.go(rate_at, from, to, k_shortest_part * (from - to), lambda_,
             [&](double time, double weight, const VectorXd& lambda, const auto&) {
               if (numbers.count() == 0) return;
               const Tangent& tangent = tangent_at(time, numbers);
               VectorXd worth = VectorXd::Zero(numbers.count());
               add_acting(weight * (tangent.worth * lambda), numbers, worth);
               if (numbers.given_count() > 0) add_given(time, tangent, weight * lambda, numbers, worth);
               use(time, worth);
             });
  }

  /// Adds what signals and what is held are worth.
  void add_acting(const VectorXd& worth, const AdjointNumbers& numbers, VectorXd& all) const {
    const Eigen::Index nu = model_.nu(), held = all.size() - nu - numbers.given_count();
    all.head(nu) += worth.head(nu), all.tail(held) += worth.tail(held);
  }
  /// Adds what given numbers are worth to this much of lambda.
  void add_given(double time, const Tangent& tangent, const VectorXd& lambda, AdjointNumbers& numbers,
                 VectorXd& all) const {
    const VectorXd force = tangent.mass.solve(lambda.segment(nv_, nv_)), by_rate = lambda.tail(kept_), no_rows;
    AdjointInstant instant{time, tangent.q, tangent.v, tangent.a, force, no_rows};
    if (kept_ > 0) instant.auxiliary = &tangent.auxiliary, instant.by_state_rate = &by_rate;
    all.segment(model_.nu(), numbers.given_count()) += numbers.worth_of_given(instant);
  }

  /// What the parts of lambda are gradients by, along some nodes.
  LinearFlow::Sizes sizes_of_states(std::size_t first, std::size_t last) const {
    LinearFlow::Sizes sizes{};
    for (std::size_t i = first; i <= last; ++i) {
      Eigen::Index begin = 0;
      const StateLayout& layout = system_.layout();
      const std::array<int, 4> counts{nq_, nv_, states_.slow(), layout.elements};
      for (std::size_t part = 0; part < counts.size(); begin += counts[part++]) {
        if (counts[part] == 0) continue;
        sizes[part] = std::max(sizes[part], (*nodes_)[i].y.segment(begin, counts[part]).cwiseAbs().maxCoeff());
      }
    }
    return sizes;
  }

  /// Some steps of the run before a time.
  double first_length(double time) const {
    constexpr std::ptrdiff_t k_steps = 12;
    const auto after =
        std::lower_bound(nodes_->begin(), nodes_->end(), time, [](const RunNode& n, double t) { return n.time < t; });
    const double length = time - std::prev(after, std::min(k_steps, after - nodes_->begin()))->time;
    return length > 0.0 ? length : time - nodes_->front().time;
  }

  RobotSystem& system_;
  const Model& model_;
  int nq_, nv_;
  double relative_tolerance_;
  std::unique_ptr<SundialsIntegrator> integrator_;
  StateAdjoint states_;
  int kept_;  ///< states that feed back
  TouchWatch touches_;
  double seen_ = 0.0, apart_ = 0.0;  ///< up to when touches were watched, and before which nothing new had touched
  bool settles_ = false;             ///< what has touched down since is not settled yet
  LinearFlow flow_;
  std::vector<Stretch> stretches_;
  std::vector<Record> records_;
  std::vector<Jump> jumps_;    ///< of the stretch that is gone back along, from its end when that is done
  std::size_t jump_ = 0;       ///< of them the next
  std::vector<double> bends_;  ///< of that stretch, from its end
  std::vector<RunNode>* nodes_ = nullptr;
  std::vector<int> hidden_;  ///< states in lambda that are left out
  NodeCurve curve_;
  std::map<double, Tangent> tangents_;
  VectorXd lambda_, by_q_, by_v_, by_states_;
  std::vector<std::pair<double, VectorXd>> found_;  ///< along a panel: times, and what numbers are worth there
  double given_ = 0.0;                              ///< the largest number of a jump
  VectorXd q_, v_, a_, auxiliary_, auxiliary_rate_;
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_flow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator,
                                              const IntegratorOptions& options) {
  return std::make_unique<AdjointFlow>(system, std::move(integrator), options);
}

}  // namespace cuttle
