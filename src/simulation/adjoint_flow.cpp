// Continuous adjoint of a run: the differential equation of the gradient, solved backwards in time (adjoint sensitivity
// analysis).
#include "simulation/adjoint_flow.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/integrators.h"
#include "simulation/linear_flow.h"
#include "simulation/state_adjoint.h"

namespace cuttle {
namespace {

/// Where a run was, and how fast it moved: y = (q, v, states of controllers and elements).
struct Node {
  double time;
  VectorXd y, rate;  ///< rate: empty until somebody asks
};

/// A motion between its nodes: the polynomial through two, or of degree five through the third beside them.
class NodeCurve {
 public:
  /// @param find_rate  gives a node its rate.
  template <typename FindRate>
  void at(std::vector<Node>& nodes, double time, VectorXd& y, const FindRate& find_rate) {
    auto after = std::upper_bound(nodes.begin(), nodes.end(), time, [](double t, const Node& n) { return t < n.time; });
    const std::size_t last = nodes.size() - 1;
    const std::size_t i =
        std::min(after == nodes.begin() ? 0 : static_cast<std::size_t>(after - nodes.begin()) - 1, last - 1);
    const double length = nodes[i + 1].time - nodes[i].time;
    // a much shorter interval beside this one would magnify the rounding of its ends
    const auto serves = [&](double other) { return other > 0.4 * length; };
    std::size_t first = i, count = 2;
    if (i + 2 <= last && serves(nodes[i + 2].time - nodes[i + 1].time)) {
      count = 3;
    } else if (i > 0 && serves(nodes[i].time - nodes[i - 1].time)) {
      first = i - 1, count = 3;
    }
    for (std::size_t k = first; k < first + count; ++k) {
      if (nodes[k].rate.size() == 0) find_rate(nodes[k]);
    }
    if (first != first_ || count != count_ || &nodes[first] != of_) divide(nodes, first, count);
    const std::size_t terms = 2 * count;
    y = differences_[terms - 1];
    for (std::size_t k = terms - 1; k-- > 0;) y = y * (time - places_[k]) + differences_[k];
  }
  /// The nodes have changed.
  void forget() { of_ = nullptr; }

 private:
  /// Newton's divided differences, each node twice.
  void divide(const std::vector<Node>& nodes, std::size_t first, std::size_t count) {
    of_ = &nodes[first], first_ = first, count_ = count;
    const std::size_t terms = 2 * count;
    for (std::size_t k = 0; k < terms; ++k) {
      places_[k] = nodes[first + k / 2].time, differences_[k] = nodes[first + k / 2].y;
    }
    for (std::size_t level = 1; level < terms; ++level) {
      for (std::size_t k = terms - 1; k >= level; --k) {
        if (level == 1 && k % 2 == 1) {
          differences_[k] = nodes[first + k / 2].rate;
        } else {
          differences_[k] = (differences_[k] - differences_[k - 1]) / (places_[k] - places_[k - level]);
        }
      }
    }
  }

  const Node* of_ = nullptr;
  std::size_t first_ = 0, count_ = 0;
  std::array<double, 6> places_{};
  std::array<VectorXd, 6> differences_;
};

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
        controllers_(system.layout().controllers),
        kept_(controllers_ + system.layout().stiff()),
        relative_tolerance_(options.relative_tolerance),
        integrator_(std::move(integrator)),
        states_(system),
        flow_({nv_, nv_, controllers_, kept_ - controllers_}, relative_tolerance_) {
    if (system_.layout().sites > 0) {
      throw ArgumentError(
          fmt::format("integrator: found a method with error control for '{}', which touches with friction, expected a "
                      "fixed step or an implicit one, as generalized_alpha: others have no adjoint",
                      model_.name()));
    }
    require_few_coordinates(model_, "gradients back along a run of bdf or erk");
    system_.prepare_derivatives();
    lambda_.setZero(size_of_lambda());
    auxiliary_.setZero(system.auxiliary_count()), auxiliary_rate_ = auxiliary_;
    split_parts();
    integrator_->on_step = [this](double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) {
      if (!stretches_.empty()) reach(time, q, v, auxiliary);
    };
  }

  void begin(const State& start, double end) override {
    integrator_->expect_end(end);
    integrator_->restart(start);
    begin_stretch();
  }
  void go_on() override {
    integrator_->restart(integrator_->state());
    begin_stretch();
  }
  void advance(double target, double limit) override {
    if (!(target > state().time)) return;
    integrator_->advance(target, limit);
    records_.push_back({stretches_.size() - 1, target});
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
    by.segment(2 * nv_, controllers_) = by_states;
    add_jump(by);
  }
  void add_stiff(const VectorXd& by_states) override {
    VectorXd by = VectorXd::Zero(size_of_lambda());
    by.tail(kept_ - controllers_) = by_states;
    add_jump(by);
  }

  /// Samples lie within stretches, which are gone back along as a whole when their first record is left.
  void go_back(AdjointNumbers& numbers, const Use& use) override {
    const Record record = records_.back();
    records_.pop_back();
    if (!records_.empty() && records_.back().stretch == record.stretch) return;
    Stretch& stretch = stretches_[record.stretch];
    std::vector<Node>& nodes = stretch.nodes;
    while (nodes.size() > 1 && !(nodes.back().time < stretch.end.time)) nodes.pop_back();
    if (nodes.size() > 1 && same_instant(nodes.back().time, stretch.end.time)) nodes.pop_back();
    nodes.push_back(std::move(stretch.end));
    nodes_ = &nodes;
    curve_.forget(), tangents_.clear();
    if (!same_instant(nodes.front().time, nodes.back().time)) {
      go_back_along(nodes.back().time, nodes.front().time, numbers, use);
    } else {
      for (const Jump& jump : jumps_) lambda_ += jump.by;
    }
    jumps_.clear();
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
  };
  struct Stretch {
    std::vector<Node> nodes;
    Node end;
  };
  struct Jump {
    double time;
    VectorXd by;
  };
  /// The linearized motion at a time.
  struct Tangent {
    VectorXd q, v, a, auxiliary;
    Eigen::PartialPivLU<MatrixXd> mass;  ///< transposed
    MatrixXd rate;                       ///< d lambda/dt = rate lambda
    MatrixXd worth;                      ///< of signals and what is held, a row each: worth lambda
  };
  static constexpr int k_places = 5;  ///< of a panel, equally far apart

  Eigen::Index size_of_lambda() const { return 2 * nv_ + kept_; }

  void begin_stretch() {
    stretches_.emplace_back();
    reach(state().time, state().q, state().v, state().auxiliary);
  }
  Node node_of(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) const {
    Node node{time, VectorXd(nq_ + nv_ + kept_), {}};
    node.y << q, v, system_.layout().feeding_back_of(auxiliary);
    return node;
  }
  void reach(double time, const VectorXd& q, const VectorXd& v, VectorInT<double> auxiliary) {
    std::vector<Node>& nodes = stretches_.back().nodes;
    if (!nodes.empty() && !(time > nodes.back().time)) return;
    nodes.push_back(node_of(time, q, v, auxiliary));
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
  void find_rate(Node& node) {
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
    curve_.at(*nodes_, time, y, [this](Node& node) { find_rate(node); });
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
    add_brackets(rate);
    for (const int k : system_.driven()) {
      for (const int row : {k, nv_ + k}) rate.row(row).setZero(), rate.col(row).setZero();
    }
    if (numbers.count() == 0) return tangent;
    MatrixXd worth = MatrixXd::Zero(tangent.worth.cols(), size_of_lambda());
    worth.middleCols(nv_, nv_).noalias() = tangent.worth.topRows(nv_).transpose() * force;
    worth.rightCols(kept_) = tangent.worth.bottomRows(kept_).transpose();
    tangent.worth = worth;
    return tangent;
  }

  /// With the velocities of joints that turn in space, whose small changes are in child axes.
  void add_brackets(MatrixXd& rate) const {
    for (const Edge& edge : model_.topology().edges) {
      if (edge.nq == edge.nv) continue;
      Twist velocity;
      for (int i = 0; i < edge.nv; ++i) velocity[i] = v_[edge.v + i];
      for (int k = 0; k < edge.nv; ++k) {
        Wrench unit;
        unit[k] = 1.0;
        const Wrench bracket = gyroscopic_wrench(velocity, unit);
        for (int i = 0; i < edge.nv; ++i) rate(edge.v + i, edge.v + k) -= bracket[i];
      }
    }
  }

  /// From `from` to `to`, panel by panel.
  void go_back_along(double from, double to, AdjointNumbers& numbers, const Use& use) {
    std::sort(jumps_.begin(), jumps_.end(), [](const Jump& a, const Jump& b) { return a.time > b.time; });
    std::size_t jump = 0;
    const auto add_jumps = [&](double time) {
      for (; jump < jumps_.size() && jumps_[jump].time >= time; ++jump) lambda_ += jumps_[jump].by;
      drop_driven_parts(lambda_);
    };
    double end = from;
    if (!lambda_.any()) end = jumps_.empty() ? to : std::clamp(jumps_.front().time, to, from);
    add_jumps(end);
    flow_.begin();
    for (double length = first_length(end); end > to;) {
      length = std::min(length, end - to);
      std::array<const Tangent*, k_places> at{};
      LinearPanel panel;
      panel.is_of_second_order = nq_ == nv_ && kept_ == 0;
      for (int k = 0; k < k_places; ++k) {
        panel.times[k] = k + 1 < k_places || length < end - to ? end - k * length / (k_places - 1) : to;
        at[k] = &tangent_at(panel.times[k], numbers);
        panel.rates[k] = &at[k]->rate;
      }
      if (system_.heartbeat) system_.heartbeat(end);
      VectorXd test = lambda_;
      for (std::size_t k = jump; k < jumps_.size() && jumps_[k].time > panel.times.back(); ++k) {
        test += jumps_[k].by.cwiseAbs();
      }
      const double error = flow_.error_of(panel, test);
      if (error > 1.0 && length > spacing_at(end - 0.5 * length)) {
        length *= 0.5;
        continue;
      }
      const double begin = panel.times.back();
      std::array<VectorXd, k_places> gathered;
      for (VectorXd& part : gathered) part.setZero(size_of_lambda());
      const auto see = [&](double time, double weight, const VectorXd& lambda, const std::array<double, 5>& shares) {
        if (numbers.count() == 0) return;
        VectorXd found = VectorXd::Zero(numbers.count());
        const Eigen::Index nu = model_.nu(), held = found.size() - nu - numbers.given_count();
        for (int k = 0; k < k_places; ++k) {
          gathered[k] += weight * shares[k] * lambda;
          const VectorXd part = at[k]->worth * lambda;
          found.head(nu) += weight * shares[k] * part.head(nu);
          found.tail(held) += weight * shares[k] * part.tail(held);
        }
        use(time, found);
      };
      for (double time = end; time > begin;) {
        const double next = jump < jumps_.size() ? std::max(begin, std::min(jumps_[jump].time, time)) : begin;
        if (next < time) flow_.go(panel, time, next, lambda_, see);
        time = next;
        add_jumps(time);
      }
      if (numbers.given_count() > 0) use_gathered(panel, at, gathered, numbers, use);
      end = begin;
      tangents_.erase(tangents_.upper_bound(end), tangents_.end());
      length *= std::clamp(0.8 * std::pow(std::max(error, 1e-12), -0.2), 0.5, 2.0);
    }
    add_jumps(to);
    for (; jump < jumps_.size(); ++jump) lambda_ += jumps_[jump].by;
  }

  /// What given numbers are worth: integrals of linear functions of lambda, gathered at the places of a panel.
  void use_gathered(const LinearPanel& panel, const std::array<const Tangent*, k_places>& at,
                    const std::array<VectorXd, k_places>& gathered, AdjointNumbers& numbers, const Use& use) {
    const VectorXd no_rows;
    for (int k = 0; k < k_places; ++k) {
      const VectorXd force = at[k]->mass.solve(gathered[k].segment(nv_, nv_)), by_rate = gathered[k].tail(kept_);
      AdjointInstant instant{panel.times[k], at[k]->q, at[k]->v, at[k]->a, force, no_rows};
      if (kept_ > 0) instant.auxiliary = &at[k]->auxiliary, instant.by_state_rate = &by_rate;
      VectorXd worth = VectorXd::Zero(numbers.count());
      worth.segment(model_.nu(), numbers.given_count()) = numbers.worth_of_given(instant);
      use(panel.times[k], worth);
    }
  }

  /// Some steps of the run before a time.
  double first_length(double time) const {
    constexpr std::ptrdiff_t k_steps = 12;
    const auto after =
        std::lower_bound(nodes_->begin(), nodes_->end(), time, [](const Node& n, double t) { return n.time < t; });
    const double length = time - std::prev(after, std::min(k_steps, after - nodes_->begin()))->time;
    return length > 0.0 ? length : time - nodes_->front().time;
  }

  /// Of the run's own steps at a time: panels need not be shorter.
  double spacing_at(double time) const {
    const auto after =
        std::upper_bound(nodes_->begin(), nodes_->end(), time, [](double t, const Node& n) { return t < n.time; });
    if (after == nodes_->begin() || after == nodes_->end()) return 0.0;
    return after->time - std::prev(after)->time;
  }

  RobotSystem& system_;
  const Model& model_;
  int nq_, nv_, controllers_;
  int kept_;  ///< states that feed back: of controllers, then of elements
  double relative_tolerance_;
  std::unique_ptr<SundialsIntegrator> integrator_;
  StateAdjoint states_;
  LinearFlow flow_;
  std::vector<Stretch> stretches_;
  std::vector<Record> records_;
  std::vector<Jump> jumps_;  ///< of the stretch that is gone back along
  std::vector<Node>* nodes_ = nullptr;
  NodeCurve curve_;
  std::map<double, Tangent> tangents_;
  VectorXd lambda_, by_q_, by_v_, by_states_;
  VectorXd q_, v_, a_, auxiliary_, auxiliary_rate_;
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_flow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator,
                                              const IntegratorOptions& options) {
  return std::make_unique<AdjointFlow>(system, std::move(integrator), options);
}

}  // namespace cuttle
