// Continuous adjoint of a run: the differential equation of the gradient, solved backwards in time (adjoint sensitivity
// analysis).
#include "simulation/adjoint_flow.h"

#include <fmt/format.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "simulation/bdf_memory.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

/// Where a run was, and how fast it moved: y = (q, v).
struct Node {
  double time;
  VectorXd y, rate;
};

/// A motion between its nodes: the polynomial through two, or of degree five through the third beside them.
class NodeCurve {
 public:
  void at(const std::vector<Node>& nodes, double time, VectorXd& y) {
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
/// where ad is the bracket with the velocities of joints that turn in space, whose small changes are in child axes. The
/// gradient by the inputs is the integral of A^T f, that by a number of the robot that of -(d residual / d number)^T f.
class AdjointFlow final : public AdjointRun {
 public:
  AdjointFlow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator, const IntegratorOptions& options)
      : system_(system),
        model_(system.model()),
        nv_(model_.nv()),
        relative_tolerance_(options.relative_tolerance),
        integrator_(std::move(integrator)),
        context_(new_sundials_context()),
        lambda_(N_VNew_Serial(2 * nv_, context_.get())),
        matrix_(SUNDenseMatrix(2 * nv_, 2 * nv_, context_.get())),
        solver_(block_solver(2 * nv_, 1, matrix_.get(), context_.get())),
        memory_(make_bdf_memory({.context = context_.get(),
                                 .y = lambda_.get(),
                                 .matrix = matrix_.get(),
                                 .solver = solver_.get(),
                                 .right_side = right_side,
                                 .jacobian = jacobian,
                                 .linear_system = nullptr,
                                 .error_weights = error_weights,
                                 .user = this})) {
    if (system_.layout().stiff() > 0) {
      throw ArgumentError(
          fmt::format("integrator: found a method with error control for '{}', whose elements or contacts have states, "
                      "expected a fixed step or an implicit one, as generalized_alpha: others have no adjoint",
                      model_.name()));
    }
    if (system_.layout().controllers > 0) {
      throw ArgumentError(
          "controllers: found one that keeps states under a method with error control, expected a fixed step or an "
          "implicit one, as generalized_alpha: others have no way back through them");
    }
    system_.prepare_derivatives();
    by_q_.setZero(nv_), by_v_.setZero(nv_), rate_.setZero(2 * nv_);
    auxiliary_ = start_of_auxiliary(model_), auxiliary_rate_ = auxiliary_;
    integrator_->on_step = [this](double time, const VectorXd& q, const VectorXd& v) { reach(time, q, v); };
  }

  void begin(const State& start, double end) override {
    integrator_->expect_end(end);
    integrator_->restart(start);
  }
  void go_on() override { integrator_->restart(integrator_->state()); }
  void advance(double target, double limit) override {
    if (!(target > state().time)) return;
    records_.emplace_back();
    reach(state().time, state().q, state().v);
    integrator_->advance(target, limit);
    while (records_.back().back().time >= target) records_.back().pop_back();
    reach(target, state().q, state().v);
  }
  const State& state() const override { return integrator_->state(); }
  std::size_t size() const override { return records_.size(); }

  void add(const VectorXd& /*q*/, const VectorXd& /*v*/, const VectorXd& by_q, const VectorXd& by_v) override {
    by_q_ += by_q, by_v_ += by_v;
  }

  void add_states(const VectorXd& /*by_states*/) override {}  // it has none

  void go_back(AdjointNumbers& numbers, const Use& use) override {
    std::vector<Node>& nodes = records_.back();
    const bool moved = !same_instant(nodes.front().time, nodes.back().time);
    if (moved && (by_q_.any() || by_v_.any())) {
      for (Node& node : nodes) find_rate(node);
      curve_.forget(), tangent_time_ = std::nullopt;
      go_back_along(nodes.back().time, nodes.front().time, numbers, use);
    }
    records_.pop_back();
  }
  const VectorXd& by_q() const override { return by_q_; }
  const VectorXd& by_v() const override { return by_v_; }
  const VectorXd& by_states() const override { return no_states_; }

 private:
  using Segment = Eigen::Map<VectorXd>;
  Segment lambda() const { return {N_VGetArrayPointer(lambda_.get()), 2 * nv_}; }
  static AdjointFlow& self(void* data) { return *static_cast<AdjointFlow*>(data); }
  static void check(int flag, const char* call) { SundialsIntegrator::check(flag, call); }

  void reach(double time, const VectorXd& q, const VectorXd& v) {
    std::vector<Node>& nodes = records_.back();
    if (!nodes.empty() && !(time > nodes.back().time)) return;
    nodes.push_back({time, VectorXd(q.size() + nv_), {}});
    nodes.back().y << q, v;
  }

  void find_rate(Node& node) {
    split(node.y);
    node.rate.resize(node.y.size());
    system_.rates(node.time, q_, v_, auxiliary_, a_, auxiliary_rate_);
    configuration_rate<double>(model_, q_, v_, node.rate.head(q_.size()));
    node.rate.tail(nv_) = a_;
  }
  void split(const VectorXd& y) {
    q_ = y.head(model_.nq()), v_ = y.tail(nv_), a_.resize(nv_);
    normalize<double>(model_, q_);
  }

  /// The linearized motion at a time of the last record, kept until the next.
  void find_tangent(double time) {
    if (tangent_time_ == time) return;
    curve_.at(records_.back(), time, y_);
    split(y_);
    system_.rates(time, q_, v_, auxiliary_, a_, auxiliary_rate_);
    system_.impose(time, q_, v_, &a_);
    tangent_ = &system_.residual_derivatives(time, q_, v_, a_, {auxiliary_}, VectorXd());
    MatrixXd mass = tangent_->by_a;
    pin_driven(system_.driven(), mass);
    mass_.compute(mass.transpose());
    tangent_time_ = time;
  }

  /// d lambda/dt, of several: 2 nv rows. After find_tangent.
  template <typename Lambda, typename Rate>
  void adjoint_rate(const Lambda& lambda, Rate&& rate) {
    MatrixXd by_v = lambda.bottomRows(nv_);
    for (const int k : system_.driven()) by_v.row(k).setZero();
    force_ = mass_.solve(by_v);
    rate.topRows(nv_).noalias() = tangent_->by_q.transpose() * force_;
    rate.bottomRows(nv_).noalias() = tangent_->by_v.transpose() * force_;
    rate.bottomRows(nv_) -= lambda.topRows(nv_);
    for (const Edge& edge : model_.topology().edges) {
      if (edge.nq == edge.nv) continue;
      Twist velocity;
      for (int i = 0; i < edge.nv; ++i) velocity[i] = v_[edge.v + i];
      for (Eigen::Index k = 0; k < lambda.cols(); ++k) {
        Wrench by_change;
        for (int i = 0; i < edge.nv; ++i) by_change[i] = lambda(edge.v + i, k);
        const Wrench bracket = gyroscopic_wrench(velocity, by_change);
        for (int i = 0; i < edge.nv; ++i) rate(edge.v + i, k) -= bracket[i];
      }
    }
    for (const int k : system_.driven()) rate.row(k).setZero(), rate.row(nv_ + k).setZero();
  }

  static int right_side(double t, N_Vector lambda, N_Vector rate, void* data) {
    AdjointFlow& flow = self(data);
    return flow.carrier_.guarded([&] {
      flow.find_tangent(t);
      flow.adjoint_rate(Segment(N_VGetArrayPointer(lambda), 2 * flow.nv_),
                        Segment(N_VGetArrayPointer(rate), 2 * flow.nv_));
      return 0;
    });
  }
  static int jacobian(double t, N_Vector, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector, N_Vector) {
    AdjointFlow& flow = self(data);
    return flow.carrier_.guarded([&] {
      const Eigen::Index n = 2 * flow.nv_;
      flow.find_tangent(t);
      flow.adjoint_rate(MatrixXd(MatrixXd::Identity(n, n)), Eigen::Map<MatrixXd>(SUNDenseMatrix_Data(matrix), n, n));
      return 0;
    });
  }
  /// Relative to the largest of the gradient by configurations, and of that by velocities: it has any unit.
  static int error_weights(N_Vector lambda, N_Vector weights, void* data) {
    const AdjointFlow& flow = self(data);
    for (const Eigen::Index first : {0, flow.nv_}) {
      const Segment part(N_VGetArrayPointer(lambda) + first, flow.nv_);
      const double size = std::max(part.cwiseAbs().maxCoeff(), first == 0 ? flow.least_by_q_ : flow.least_by_v_);
      Segment(N_VGetArrayPointer(weights) + first, flow.nv_) =
          (flow.relative_tolerance_ * (part.cwiseAbs().array() + size)).inverse();
    }
    return 0;
  }

  void go_back_along(double from, double to, AdjointNumbers& numbers, const Use& use) {
    void* const memory = memory_.get();
    drop_driven(system_.driven(), by_q_), drop_driven(system_.driven(), by_v_);
    lambda() << by_q_, by_v_;
    // a part that begins at zero gets its size from how it grows
    find_tangent(from);
    adjoint_rate(lambda(), Segment(rate_.data(), 2 * nv_));
    const auto least = [&](const VectorXd& rate) {
      return std::max(k_growth * (from - to) * rate.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
    };
    least_by_q_ = least(rate_.head(nv_)), least_by_v_ = least(rate_.tail(nv_));
    check(CVodeReInit(memory, from, lambda_.get()), "CVodeReInit");
    check(CVodeSetStopTime(memory, to), "CVodeSetStopTime");
    worths_.clear();
    see_worth(from, numbers);
    for (double time = from; time > to;) {
      const double before = time;
      const int flag = CVode(memory, to, lambda_.get(), &time, CV_ONE_STEP);
      if (flag < 0) {
        carrier_.rethrow();
        throw SimulationError(
            fmt::format("the gradient cannot be followed back from t = {:.9g} s (CVODE {})", before, flag));
      }
      if (system_.heartbeat) system_.heartbeat(time);
      see_worth(time, numbers);
    }
    by_q_ = lambda().head(nv_), by_v_ = lambda().tail(nv_);
    use_worths(use);
  }

  /// What the numbers are worth at the end of a step, for which CVODE has just asked for the tangent.
  void see_worth(double time, AdjointNumbers& numbers) {
    if (numbers.count() == 0) return;
    find_tangent(time);
    const VectorXd force = mass_.solve(lambda().tail(nv_)), no_rows;
    worths_.emplace_back(time, numbers.worth({time, q_, v_, a_, force, no_rows}));
  }

  /// The integral of that over each step, by Gauss' formula with three points; between the ends of steps it is the
  /// polynomial through six of them, three to either side: of the order of the steps and one more.
  void use_worths(const Use& use) const {
    static const double k_place = std::sqrt(0.6);
    const std::size_t count = std::min<std::size_t>(worths_.size(), 6);
    for (std::size_t step = 1; step < worths_.size(); ++step) {
      const std::size_t first = std::min(step < 3 ? 0 : step - 3, worths_.size() - count);
      const double from = worths_[step - 1].first, to = worths_[step].first, half = 0.5 * (from - to);
      for (const auto& [place, weight] : {std::pair{0.0, 8.0 / 9.0}, {-k_place, 5.0 / 9.0}, {k_place, 5.0 / 9.0}}) {
        const double time = 0.5 * (from + to) + half * place;
        VectorXd worth = VectorXd::Zero(worths_.front().second.size());
        for (std::size_t i = first; i < first + count; ++i) {
          double part = half * weight;
          for (std::size_t k = first; k < first + count; ++k) {
            if (k != i) part *= (time - worths_[k].first) / (worths_[i].first - worths_[k].first);
          }
          worth += part * worths_[i].second;
        }
        use(time, worth);
      }
    }
  }

  static constexpr double k_growth = 1e-3;  ///< of what it would grow by until the end

  RobotSystem& system_;
  const Model& model_;
  int nv_;
  double relative_tolerance_;
  std::unique_ptr<SundialsIntegrator> integrator_;
  std::vector<std::vector<Node>> records_;
  NodeCurve curve_;
  VectorXd by_q_, by_v_, no_states_;
  double least_by_q_ = 0.0, least_by_v_ = 0.0;  ///< sizes of the two

  SundialsContext context_;
  SundialsVector lambda_;
  SundialsMatrix matrix_;
  SundialsLinearSolver solver_;
  CvodeMemory memory_;
  ExceptionCarrier carrier_;
  std::vector<std::pair<double, VectorXd>> worths_;  ///< of numbers, at the ends of steps back

  std::optional<double> tangent_time_;
  const DerivativeData* tangent_ = nullptr;
  Eigen::PartialPivLU<MatrixXd> mass_;
  MatrixXd force_;
  VectorXd y_, q_, v_, a_, auxiliary_, auxiliary_rate_, rate_;
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_flow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator,
                                              const IntegratorOptions& options) {
  return std::make_unique<AdjointFlow>(system, std::move(integrator), options);
}

}  // namespace cuttle
