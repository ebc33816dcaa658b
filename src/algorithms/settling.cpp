#include "algorithms/settling.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "algorithms/contact_passage.h"
#include "algorithms/static_problem.h"
#include "cuttle/algorithms/inverse_dynamics.h"

namespace cuttle {
namespace {

constexpr int k_most_settling_steps = 600, k_most_refused = 60;
constexpr double k_settling_turn = 0.4;  // of a frame that touches, in one step [rad]
constexpr double k_settling_way = 0.5;   // of a coordinate that turns or moves, in one step [rad or m]
constexpr double k_first_way = 1e-3;     // of the first step, about [rad or m]
constexpr double k_nearly_there = 1e-3;  // way of a step without drag that ends the search [rad or m]
constexpr double k_at_rest = 1e-10;      // way of a step beside which nothing moves [rad or m]
constexpr double k_aside = 1e-3;         // way from an unstable equilibrium [rad or m]
constexpr double k_little_work = 1e-9;   // of forces along a step, beside both sizes
constexpr double k_little_force = 1e-9;  // that is left where something moves freely, beside those at the start

class Settling {
 public:
  Settling(const Model& model, Data& data, const StaticLoads& loads, std::span<const char> held, const VectorXd& start)
      : model_(model),
        problem_(model, data, loads, start, Stepping::imbalance),
        passage_(model, loads.state_loads_at.value_or(k_rest_time)),
        newton_(model.nv() + problem_.kept(), model.nv(), !problem_.follows_tree()),
        q_(start),
        z_(VectorXd::Zero(model.nv() + problem_.kept())),
        left_(z_.size()) {
    if (needs_sparse_tangent(model)) {
      problem_.require_tree();
      newton_.set_good_contraction(k_sparse_contraction);
    }
    problem_.hold(held);
    newton_.set_most_halvings(40);
    problem_.drag_on_inertia(start);
  }

  std::optional<StaticEquilibrium> operator()(const std::function<void()>& heartbeat, std::string& why) {
    const int nv = model_.nv();
    double drag = first_drag();
    const double first = drag, forces = std::max(force_left(), 1e-300);
    if (!std::isfinite(drag)) {
      why = trouble_;
      return std::nullopt;
    }
    int refused = 0;
    for (int step = 0; step < k_most_settling_steps; ++step) {
      if (heartbeat) heartbeat();
      why = try_step(drag);
      if (!why.empty()) {
        drag = std::max(4.0 * drag, 1e-12 * first);
        if (++refused > k_most_refused) return std::nullopt;
        continue;
      }
      refused = std::max(0, refused - 1);
      q_ = problem_.q(), lambda_ = z_.tail(problem_.kept());
      const double way = nv > 0 ? z_.head(nv).cwiseAbs().maxCoeff() : 0.0;
      const bool easy = newton_.iterations().size() <= 12;
      drag *= easy ? 0.2 : 0.5;
      if (way > k_nearly_there && drag > 1e-9 * first) continue;
      if (auto found = finish(); found) return found;
      if (way <= k_at_rest && force_left() <= k_little_force * forces) return describe();  // it moves freely
    }
    why = "the robot does not come to rest";
    return std::nullopt;
  }

  const VectorXd& holding_force() const { return problem_.holding_force(); }
  int iterations() const { return iterations_; }

 private:
  /// A drag with which the robot would move by a little.
  double first_drag() {
    problem_.begin(q_, 1.0);
    z_.setZero();
    lambda_ = z_.tail(problem_.kept());
    if (!problem_.equations(z_, left_, trouble_)) return std::numeric_limits<double>::infinity();
    const int nv = model_.nv();
    if (nv == 0) return 1.0;
    const VectorXd way = problem_.dragged_way(left_.head(nv));
    return std::max(way.cwiseAbs().maxCoeff(), 1e-12) / k_first_way;
  }

  /// Of the forces that nothing balances at q_.
  double force_left() {
    problem_.begin(q_, 1.0);
    problem_.drag(0.0);
    VectorXd z = VectorXd::Zero(z_.size());
    z.tail(problem_.kept()) = lambda_;
    if (model_.nv() == 0 || !problem_.equations(z, left_, trouble_)) return 0.0;
    return left_.head(model_.nv()).cwiseAbs().maxCoeff();
  }

  /// From q_, into z_ and the problem. @return why not.
  std::string try_step(double drag) {
    const int nv = model_.nv();
    problem_.begin(q_, 1.0);
    problem_.drag(drag);
    newton_.forget_tangent();  // one of more drag would take any step for converged
    z_.head(nv).setZero(), z_.tail(problem_.kept()) = lambda_;
    if (!problem_.equations(z_, left_, trouble_)) return trouble_;
    const VectorXd before = left_.head(nv);
    const bool converged = newton_.solve(problem_, z_);
    iterations_ += static_cast<int>(newton_.iterations().size());
    if (!converged) return newton_.trouble();
    // where small motions grow, a solution lies on the other side: back at what the robot falls from
    const double work = -before.dot(z_.head(nv));
    if (work < -k_little_work * before.norm() * z_.head(nv).norm()) return "forces would have to pull it back";
    if (nv > 0 && passage_.turn(q_, problem_.q()) > k_settling_turn) return "it moves too far in one step";
    return passage_.between(q_, problem_.q());
  }

  std::optional<StaticEquilibrium> finish() {
    if (!try_step(0.0).empty()) return std::nullopt;
    if (model_.nv() > 0 && z_.head(model_.nv()).cwiseAbs().maxCoeff() > k_nearly_there) return std::nullopt;
    lambda_ = z_.tail(problem_.kept());
    return described();
  }

  std::optional<StaticEquilibrium> describe() {
    problem_.begin(q_, 1.0);
    problem_.drag(0.0);
    z_.head(model_.nv()).setZero(), z_.tail(problem_.kept()) = lambda_;
    if (!problem_.equations(z_, left_, trouble_)) return std::nullopt;
    return described();
  }

  std::optional<StaticEquilibrium> described() {
    StaticEquilibrium result;
    if (!problem_.describe(lambda_, result).empty()) return std::nullopt;
    result.iterations = iterations_;
    return result;
  }

  const Model& model_;
  StaticProblem problem_;
  ContactPassage passage_;
  NewtonSolver newton_;
  VectorXd q_, z_, lambda_, left_;
  std::string trouble_;
  int iterations_ = 0;
};

}  // namespace

std::optional<StaticEquilibrium> settle(const Model& model, Data& data, const StaticLoads& loads,
                                        std::span<const char> held, const VectorXd& start,
                                        const std::function<void()>& heartbeat, std::string& why,
                                        VectorXd& holding_force) {
  Settling settling(model, data, loads, held, start);
  auto found = settling(heartbeat, why);
  if (found) holding_force = settling.holding_force();
  return found;
}

std::optional<StaticEquilibrium> settle_beside(const Model& model, Data& data, const StaticLoads& loads,
                                               const StaticEquilibrium& unstable,
                                               const std::function<void()>& heartbeat) {
  const StaticLoads acting = loads_of(loads, unstable);
  StaticProblem problem(model, data, acting, unstable.q, Stepping::imbalance);
  problem.begin(unstable.q, 1.0);
  const LinearizedMotion motion = problem.linearized(problem.kept_of(unstable.multipliers));
  if (motion.motions.cols() == 0) return std::nullopt;
  const MatrixXd stiffness = 0.5 * (motion.stiffness + motion.stiffness.transpose());
  const VectorXd softest = motion.motions * Eigen::SelfAdjointEigenSolver<MatrixXd>(stiffness).eigenvectors().col(0);
  const double size = softest.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) return std::nullopt;
  for (const double side : {1.0, -1.0}) {
    VectorXd q = unstable.q;
    const VectorXd aside = side * k_aside / size * softest;
    integrate<double>(model, unstable.q, aside, q);
    if (!model.loops().empty()) {
      ConstraintData constraints(model);
      close_loops(model, data, constraints, q);
    }
    std::string why;
    VectorXd none;
    auto found = settle(model, data, acting, {}, q, heartbeat, why, none);
    if (found && found->stability != Stability::unstable) return found;
  }
  return std::nullopt;
}

}  // namespace cuttle
