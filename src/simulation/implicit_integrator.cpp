#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/robot_size.h"
#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/acceleration_guess.h"
#include "simulation/diagnosis.h"
#include "simulation/energy_projection.h"
#include "simulation/implicit_scheme.h"
#include "simulation/implicit_step.h"
#include "simulation/integrators.h"
#include "simulation/step_way.h"
#include "simulation/stiff_states.h"

namespace cuttle {
namespace {

constexpr int k_most_bisections = 12;  // of a step that does not converge
constexpr int k_most_doubts = 8;       // halvings of a step whose solution is not believed
// Energy from nowhere, of all that can have moved the robot in a step. The midpoint rule sums works in the middle: in
// steps longer than the vibrations it errs more at once, but not one way.
constexpr double k_believed = 0.2, k_believed_of_midpoint = 0.3;
// the same that is no reason to doubt: of gravity and springs, where a robot creeps, and by itself [J]
constexpr double k_small = 1e-3, k_nothing = 1e-9;
constexpr double k_smooth = 0.2;      // change of velocity by the change of acceleration, of the velocity
constexpr double k_same_step = 0.02;  // relative difference of the matrices of M whose steps share a tangent
constexpr double k_balanced = 1e-7;   // part of the forces that may be left, for a motion to go on
constexpr double k_late = 1e-7;  // rad, sizes of the robot: constraints that appear are open by less, or steps shrink
constexpr double k_singular = 1e-13;     // least pivot of a scaled mass matrix
constexpr double k_newton_rest = 1e-11;  // of x: what Newton's method may leave is no error of the step
// Of a step: the rounding of positions that shorter ones leave in an acceleration moves the next step by 1e-8 of them.
constexpr double k_short_way = 1e-4;
constexpr double k_short_step = 0.1;           // of the next step
constexpr double k_rounded_step = 2e-3;        // of it, of which rounding is too much: with loops sooner
constexpr double k_longest_drift = 1e-9;       // s: nothing of a robot vibrates as fast
constexpr double k_longest_first_step = 1e-3;  // s, of a robot at rest
constexpr double k_safety = 0.9, k_least_growth = 0.2, k_most_growth = 2.0, k_worth_growing = 1.2;

ImplicitSystem& implicit(System& system, const char* method) {
  auto* found = dynamic_cast<ImplicitSystem*>(&system);
  if (found == nullptr) {
    throw ArgumentError(fmt::format("integrator.type: '{}' needs a system whose residual is known", method));
  }
  return *found;
}

/// Implicit one-step methods, [B] III and IV: Newmark, HHT-alpha, generalized-alpha and the midpoint rule, with closed
/// loops as constraints (index 3). Fixed steps, or steps by the local error; a step that does not converge is taken in
/// halves. Work done on the way is summed by the trapezoidal rule (midpoint: by the midpoint rule).
class ImplicitIntegrator final : public Integrator {
 public:
  ImplicitIntegrator(System& system, const ImplicitScheme& scheme, const IntegratorOptions& options,
                     ImplicitFollower* follower)
      : Integrator(system),
        scheme_(scheme),
        options_(options),
        follower_(follower),
        system_(implicit(system, scheme_.name)),
        model_(system.model()),
        problem_(system_, statistics_),
        newton_(0, 0),
        guess_(model_.nv()),
        way_(model_) {
    problem_.keeps_inertia = !options.step;  // errors are judged by it
    const int nv = model_.nv(), n_auxiliary = system.auxiliary_count();
    if (!can_follow_tree()) require_few_coordinates(model_, scheme_.name);
    try {
      choose_tangents();
    } catch (const Error& error) {
      throw ArgumentError(
          fmt::format("integrator.type: '{}' needs derivatives of the dynamics: {}", scheme_.name, error.what()));
    }
    for (VectorXd* x : {&w_, &w_rate_, &A_, &x_, &next_w_, &next_w_rate_, &A_next_, &a_, &last_change_, &guessed_,
                        &position_error_, &velocity_error_})
      x->setZero(nv);
    for (VectorXd* x : {&auxiliary_rate_, &next_auxiliary_, &next_auxiliary_rate_}) x->setZero(n_auxiliary);
    follow_constraints();
    next_q_.setZero(model_.nq()), next_v_.setZero(nv);
  }

  void restart(const State& state) override {
    const bool goes_on = state_.q.size() > 0 && state_.time == state.time && state_.q == state.q && state_.v == state.v;
    state_ = state;
    try {
      stiff_.begin(state_.time, state_.auxiliary.tail(stiff_count()));  // an input of theirs may jump
      if (follower_ != nullptr) follower_->restart(state_.time);
      if (projection_ && !goes_on) projection_->begin(state_);
      if (goes_on && still_balanced()) return;  // inputs and loads bend, but do not jump
      begin(goes_on ? MotionStart::goes_on : MotionStart::anew);
    } catch (const Error& error) {
      fail_at(state_, state_.time, error.what());
    }
    if (!goes_on) {
      step_ = 0.0;
      if (!options_.step && options_.error == StepError::displacement) size_ = robot_size(model_, state_.q);
    }
  }

  void advance(double target, double /*limit*/) override {
    if (!(target > state_.time)) return;
    try {
      if (same_instant(state_.time, target) || target - state_.time <= shortest_way()) {
        drift(target);
        return;
      }
      pass_over_short_step(target);
      if (options_.step) {
        advance_evenly(target);
      } else {
        advance_by_error(target);
      }
    } catch (const SimulationError&) {
      throw;
    } catch (const Error& error) {
      fail_at(state_, state_.time, error.what());
    }
  }

 private:
  bool can_follow_tree() const {
    return (follower_ == nullptr || follower_->follows_tree()) && tree_pays(model_) && system_.follows_tree();
  }
  /// Along the tree, or as matrices.
  void choose_tangents() {
    const bool follow = can_follow_tree();
    if (!follow) system_.prepare_derivatives();
    if (follow == problem_.follows_tree()) return;
    problem_.follow_tree(follow);
    make_newton();
  }

  void make_newton() {
    newton_ = NewtonSolver(problem_.unknowns(), model_.nv(), !problem_.follows_tree());
    if (problem_.follows_tree() && needs_sparse_tangent(model_)) newton_.set_good_contraction(k_sparse_contraction);
  }
  /// As many unknowns as the system has by now.
  void follow_constraints() {
    problem_.follow_constraints();
    make_newton();
    z_.setZero(problem_.unknowns()), lambda_.setZero(system_.constraint_count());
    if (scheme_.conserves_energy) projection_.emplace(system_);
  }

  /// In the state in which a step has ended: the run goes on under other constraints, with nothing of the past.
  void take_up_constraints() {
    if (follower_ != nullptr) {
      follower_->take_up_constraints(state_);
      follower_->restart(state_.time);
    } else {
      system_.take_up_constraints(state_);
    }
    follow_constraints();
    stiff_.begin(state_.time, state_.auxiliary.tail(stiff_count()));
    if (projection_) projection_->begin(state_);
    begin(MotionStart::anew);
  }

  /// Whether constraints that appear in next_* are open by more than an impulse is to close.
  bool opens_too_far() const { return appeared_ && *appeared_ > k_late; }

  /// Whether the acceleration and multipliers of the last step's end satisfy the equations that hold from now on. A
  /// new start would then only cost the methods their order, where signals have knots at every step.
  bool still_balanced() {
    if (scheme_.midpoint || last_step_ <= 0.0) return false;  // its forces are those of the middle
    VectorXd left(model_.nv()), rest(model_.nv()), driven_a = a_;
    system_.impose(state_.time, state_.q, state_.v, &driven_a);
    if (driven_a != a_) return false;
    system_.residual(state_.time, state_.q, state_.v, VectorXd::Zero(model_.nv()), {state_.auxiliary}, rest,
                     auxiliary_rate_);
    residual_at_end(left);
    for (const int k : system_.driven()) left[k] = rest[k] = 0.0;
    const auto largest = [](const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
    return largest(left) <= k_balanced * (largest(rest) + largest(rest - left));
  }

  /// The equations of motion at state_ and a_, with the multipliers, and what driven coordinates do in auxiliary_rate_.
  void residual_at_end(VectorXd& left) {
    system_.residual(state_.time, state_.q, state_.v, a_, {state_.auxiliary}, left, auxiliary_rate_);
    if (lambda_.size() > 0) left += system_.constraint_jacobian(state_.q).transpose() * lambda_;
    if (system_.driven().empty()) return;
    VectorXd effort = VectorXd::Zero(model_.nv());
    for (const int k : system_.driven()) effort[k] = left[k];
    system_.book_efforts(effort, state_.v, auxiliary_rate_);
  }

  /// The acceleration at a state that begins: from the equations of motion, with those of the constraints
  /// differentiated twice. If the motion goes on, the algorithmic acceleration A jumps with the motion's own, so that
  /// this does not cost the method its order.
  void begin(MotionStart start) {
    const int nv = model_.nv(), m = system_.constraint_count();
    VectorXd rest = VectorXd::Zero(nv + m);
    a_.setZero();
    system_.impose(state_.time, state_.q, state_.v, &a_);
    const VectorXd given = a_;
    system_.residual(state_.time, state_.q, state_.v, a_, {state_.auxiliary}, rest.head(nv), auxiliary_rate_);
    if (m > 0) {
      system_.constraint_bias(state_.q, state_.v, rest.tail(m));
      rest.tail(m) += system_.constraint_jacobian(state_.q) * given;
    }
    for (const int k : system_.driven()) rest[k] = 0.0;
    if (problem_.follows_tree() &&
        problem_.solve_masses(state_.time, state_.q, state_.v, a_, state_.auxiliary, -rest, solution_)) {
      a_ = given + solution_.head(nv);
      lambda_ = solution_.tail(m);
      if (follower_ != nullptr) follower_->begin(start, problem_.masses(), a_, lambda_);
    } else {
      solve_for_accelerations(start, rest, given);
    }
    system_.spread_multipliers(lambda_, state_.multipliers);
    next_w_rate_ = w_rate_;
    problem_.coordinates().rates_of(state_.q, state_.v, a_, w_, w_rate_);
    if (start == MotionStart::anew || scheme_.midpoint) {
      A_ = w_rate_;
    } else if (start == MotionStart::goes_on) {
      A_ += w_rate_ - next_w_rate_;
    } else {
      A_ = A_before_ + (w_rate_ - w_rate_before_);
    }
    for (const int k : system_.driven()) A_[k] = w_rate_[k];
    VectorXd left(nv);
    residual_at_end(left);
    last_step_ = 0.0;
    newton_.forget_tangent();
    guess_.forget();
    guess_.learn(state_.time, A_);
    known_ = state_.time;
  }

  /// a_ and lambda_ by a matrix of masses and constraints. @param rest  of these equations at a = given.
  void solve_for_accelerations(MotionStart start, const VectorXd& rest, const VectorXd& given) {
    const int nv = model_.nv(), m = system_.constraint_count();
    const DerivativeData& d =
        system_.residual_derivatives(state_.time, state_.q, state_.v, a_, {state_.auxiliary}, VectorXd::Zero(m));
    MatrixXd matrix = MatrixXd::Zero(nv + m, nv + m);
    matrix.topLeftCorner(nv, nv) = d.by_a;
    if (m > 0) {
      const MatrixXd& G = system_.constraint_jacobian(state_.q);
      matrix.bottomLeftCorner(m, nv) = G, matrix.topRightCorner(nv, m) = G.transpose();
    }
    for (const int k : system_.driven()) {
      matrix.row(k).setZero(), matrix.col(k).setZero();
      matrix(k, k) = 1.0;
    }
    const MatrixXd unscaled = matrix;
    const VectorXd solution = -solved(matrix, rest);
    a_ = given + solution.head(nv);
    lambda_ = solution.tail(m);
    if (follower_ != nullptr) follower_->begin(start, FactoredMatrix(unscaled), a_, lambda_);
  }

  /// Of a matrix of masses and constraints, each coordinate and row in its own unit. @throws SingularMassError naming
  /// the coordinate that moves most without any.
  VectorXd solved(MatrixXd& matrix, const VectorXd& rest) const {
    const int nv = model_.nv();
    VectorXd scale(rest.size());
    for (int i = 0; i < nv; ++i) scale[i] = matrix(i, i) > 0.0 ? 1.0 / std::sqrt(matrix(i, i)) : 1.0;
    for (Eigen::Index i = nv; i < rest.size(); ++i) {
      const double size = matrix.row(i).head(nv).cwiseProduct(scale.head(nv).transpose()).norm();
      scale[i] = size > 0.0 ? 1.0 / size : 1.0;
    }
    matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
    Eigen::FullPivLU<MatrixXd> lu(matrix);
    lu.setThreshold(k_singular);
    if (lu.isInvertible()) return scale.cwiseProduct(VectorXd(lu.solve(scale.cwiseProduct(rest))));
    Eigen::Index worst = 0;
    lu.kernel().col(0).head(nv).cwiseAbs().maxCoeff(&worst);
    throw SingularMassError(fmt::format("{}: the mass matrix is singular: {} moves no mass, or loops hold it twice",
                                        scheme_.name, velocity_label(model_, static_cast<int>(worst))));
  }

  double usual_step() const { return options_.step.value_or(step_ > 0.0 ? step_ : first_step(k_longest_first_step)); }

  /// The acceleration of a step is a difference of positions over the square of its length: of a way that is as short
  /// beside the steps that come, rounding would make all of it. Longer ways are stepped over, however near targets lie
  /// beside the steps that were asked for: what is stiff needs that. @return the longest such way.
  double shortest_way() const {
    if (follower_ != nullptr) return 0.0;  // which knows steps alone
    return std::min(k_short_way * usual_step(), k_longest_drift);
  }

  /// Before a step that is far longer than the last one. There accelerations have much of rounding, of which those from
  /// the equations of motion have none; and A has followed by a part alone what signals did meanwhile.
  void pass_over_short_step(double target) {
    if (!(last_step_ > 0.0)) return;
    const double part = scheme_.midpoint ? k_rounded_step : k_short_step;
    if (last_step_ <= part * std::min(usual_step(), target - state_.time)) begin(MotionStart::after_short_step);
  }

  /// A way that is too short for a step, with the acceleration of its begin but for rounding of time.
  void drift(double target) {
    if (state_.time > known_ && !same_instant(known_, target)) begin(MotionStart::goes_on);
    const double h = target - state_.time;
    state_.time = target;
    if (follower_ == nullptr) {
      x_ = h * state_.v + (0.5 * h * h) * a_;
      integrate<double>(model_, state_.q, x_, next_q_);
      state_.q = next_q_;
      state_.v += h * a_;
      state_.auxiliary += h * auxiliary_rate_;
    } else {
      follower_->drift(target);
    }
    system_.impose(target, state_.q, state_.v);
    if (follower_ == nullptr) problem_.coordinates().rates_of(state_.q, state_.v, a_, w_, w_rate_);
  }

  void advance_evenly(double target) {
    const double start = state_.time;
    // a millionth of a step is rounding, not a reason for another step
    const double count = std::max(1.0, std::ceil((target - start) / *options_.step - 1e-6));
    const double h = (target - start) / count;
    for (double i = 0; i < count; ++i) cross(i + 1 < count ? start + (i + 1) * h : target, h, 0);
  }

  /// From state_ to `end`, in halves if Newton's method does not get there at once.
  void cross(double end, double h, int depth) {
    double longest = system_.longest_step(state_.time, state_.q, state_.v);
    if (h <= longest && try_step(h)) {
      longest = way_.longest_along(system_, state_, next_q_, h);
      if (h <= longest && (depth >= k_most_doubts || believable(h))) {
        accept(end, h);
        return;
      }
    }
    const bool blind = h > longest;
    if (blind && depth == k_most_bisections) {
      fail_at(state_, state_.time,
              fmt::format("{}: a link would pass an obstacle unseen: reduce the step below {:.3g} s", scheme_.name,
                          longest));
    }
    if (!blind) ++statistics_.failures;
    if (depth == k_most_bisections) give_up(h);
    const double middle = state_.time + 0.5 * h;
    newton_.forget_tangent();
    cross(middle, 0.5 * h, depth + 1);
    cross(end, end - state_.time, depth + 1);
    newton_.forget_tangent();
  }

  void advance_by_error(double target) {
    const double most = options_.max_step.value_or(std::numeric_limits<double>::infinity());
    const double interval = target - state_.time;
    while (state_.time < target) {
      const double left = target - state_.time;
      if (step_ <= 0.0) step_ = first_step(left);
      const double unseen = system_.longest_step(state_.time, state_.q, state_.v);
      if (unseen < shortest_step(state_.time, interval)) {
        fail_at(
            state_, state_.time,
            fmt::format("{}: a link would pass an obstacle unseen in any step above {:.3g} s", scheme_.name, unseen));
      }
      double h = std::min({step_, most, left, unseen});
      if (h > 0.5 * left && h < left) h = 0.5 * left;  // two equal steps rather than a long and a tiny one
      const bool converged = try_step(h) && !opens_too_far() && h <= way_.longest_along(system_, state_, next_q_, h);
      const double error = converged ? error_of(h) : 0.0;
      if (converged && error <= 1.0) {
        accept(h == left ? target : state_.time + h, h);
        const double factor = error > 0.0 ? k_safety * std::cbrt(1.0 / error) : k_most_growth;
        // a step cut short by an output says nothing against the one before, and one that stays keeps its tangent
        const bool stays = factor >= 1.0 && factor < k_worth_growing;
        const double grown = stays ? h : h * std::clamp(factor, k_least_growth, k_most_growth);
        step_ = h < step_ && factor >= 1.0 ? std::max(step_, grown) : grown;
        continue;
      }
      ++statistics_.failures;
      step_ = h * (converged ? std::clamp(k_safety * std::cbrt(1.0 / error), k_least_growth, 0.8) : 0.5);
      if (step_ < shortest_step(state_.time, interval)) give_up(h);
      newton_.forget_tangent();
    }
  }

  /// So short that the step is a thousandth of the tolerance off, judged by the acceleration.
  double first_step(double left) const {
    const double scale = options_.absolute_tolerance + options_.relative_tolerance;
    const double a = w_rate_.size() > 0 ? w_rate_.cwiseAbs().maxCoeff() : 0.0;
    return std::min(left, a > 0.0 ? std::sqrt(scale / a) : left);
  }

  /// Local error of x and of h w beside the tolerances, root mean square: of a step that try_step has made. By
  /// displacement both are lengths: fast vibrations of rich bases have velocities, but move next to nothing.
  double error_of(double h) {
    if (x_.size() == 0) return 0.0;
    const double c = scheme_.midpoint ? 1.0 / 12.0 : std::abs(scheme_.beta - 1.0 / 6.0);
    position_error_ = (c * h * h) * (next_w_rate_ - w_rate_);
    velocity_error_.setZero();
    if (last_step_ > 0.0) velocity_error_ = (h / 12.0) * (next_w_rate_ - w_rate_ - (h / last_step_) * last_change_);
    filter(position_error_), filter(velocity_error_);
    if (size_) {
      const double farthest = std::max(moves(position_error_), h * moves(velocity_error_));
      return farthest / (options_.absolute_tolerance + options_.relative_tolerance * size_->length);
    }
    double sum = 0.0;
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      const double position = position_error_[i], velocity = velocity_error_[i];
      const double weight_x = options_.absolute_tolerance + options_.relative_tolerance * std::abs(x_[i]);
      const double weight_w =
          options_.absolute_tolerance + options_.relative_tolerance * std::abs(next_w_[i]) + k_newton_rest / h;
      const double e = std::max(std::abs(position) / (weight_x + h * weight_w), std::abs(velocity) / weight_w);
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(x_.size()));
  }

  /// How far a displacement of the coordinates moves the robot's mass, root mean square [m].
  double moves(const VectorXd& displacement) {
    problem_.times_inertia(displacement, solution_);
    return std::sqrt(std::max(displacement.dot(solution_), 0.0) / size_->mass);
  }

  /// Leaves what a step can follow, and of vibrations faster than the step what they displace: the estimates above are
  /// of derivatives, in which the smallest of these outweigh everything (as Radau methods do, Hairer and Wanner IV.8).
  void filter(VectorXd& error) {
    const int nv = model_.nv();
    filtered_.setZero(nv + lambda_.size());
    problem_.times_inertia(error, solution_);
    filtered_.head(nv) = solution_;
    newton_.apply_inverse(filtered_, solution_);
    error = solution_.head(nv);
  }

  /// Where in a step of length h the equation of motion is taken.
  double within(double h) const { return scheme_.midpoint ? 0.5 * h : h; }

  /// A step of length h from state_ into next_*. @return whether it converged.
  bool try_step(double h) {
    const int nv = model_.nv();
    StepMap& map = problem_.map;
    map.set(scheme_, h, w_, w_rate_, A_);
    if (std::abs(map.second - problem_.tangent_second()) > k_same_step * map.second) newton_.forget_tangent();
    guess_.predict(state_.time + within(h), guessed_);
    if (!solve(h)) {
      if (guess_.is_zero()) return false;
      newton_.forget_tangent();
      guessed_.setZero();  // ballistic, [B] IV: no algorithmic acceleration at the end
      if (!solve(h)) return false;
    }
    x_ = z_.head(nv);
    for (const int k : system_.driven()) x_[k] = h * w_[k];
    next_auxiliary_rate_ = problem_.auxiliary_rate();
    if (scheme_.midpoint) {
      problem_.coordinates().configuration_at(state_.q, x_, next_q_);
      next_w_ = (2.0 / h) * x_ - w_;
      next_w_rate_ = problem_.w_rate();
      VectorXd& trash = A_next_;
      problem_.coordinates().motion_at(state_.q, x_, next_w_, next_w_rate_, next_q_, next_v_, trash);
      follow_drive(h);
      advance_auxiliary(h, h * next_auxiliary_rate_);
      if (projection_ && projection_->project(next_q_, next_auxiliary_, next_v_, state_.time + h)) {
        problem_.coordinates().rates_of(next_q_, next_v_, next_w_rate_, next_w_, trash);
      }
    } else {
      next_q_ = problem_.q(), next_v_ = problem_.v();
      next_w_ = problem_.w(), next_w_rate_ = problem_.w_rate();
      StepMap::next_acceleration(scheme_, h, x_, w_, A_, A_next_);
      follow_drive(h);
      advance_auxiliary(h, (0.5 * h) * (auxiliary_rate_ + next_auxiliary_rate_));
    }
    require_finite(model_, next_q_, next_v_);
    appeared_ = system_.appeared_constraints(next_q_);
    return true;
  }

  /// Driven coordinates of next_*: the method has their places, but no history of its own for them.
  void follow_drive(double h) {
    if (system_.driven().empty()) return;
    system_.impose(state_.time + h, next_q_, next_v_);
    problem_.coordinates().rates_of(problem_.q(), problem_.v(), problem_.a(), driven_w_, driven_w_rate_);
    for (const int k : system_.driven()) next_w_rate_[k] = driven_w_rate_[k];
    problem_.coordinates().rates_of(next_q_, next_v_, next_w_rate_, driven_w_, driven_w_rate_);
    for (const int k : system_.driven()) {
      next_w_[k] = driven_w_[k];
      if (!scheme_.midpoint) A_next_[k] = next_w_rate_[k];
    }
  }

  int stiff_count() const { return system_.stiff_auxiliary_count(); }
  /// Auxiliary states in front of these: works, and states of controllers.
  Eigen::Index even_count() const { return state_.auxiliary.size() - stiff_count(); }

  /// next_auxiliary_, in which solve() has left the offset of the stiff states.
  template <typename Change>
  void advance_auxiliary(double h, const Change& change) {
    const double time = state_.time + within(h);
    stiff_found_ = next_auxiliary_.tail(stiff_count()) + stiff_.factor(time) * next_auxiliary_rate_.tail(stiff_count());
    next_auxiliary_.head(even_count()) = state_.auxiliary.head(even_count()) + change.head(even_count());
    if (stiff_count() > 0) next_auxiliary_.tail(stiff_count()) = stiff_.at(state_.time + h, time, stiff_found_);
  }

  /// From guessed_ to the unknowns of a step of length h. @return whether Newton's method converged.
  bool solve(double h) {
    const double beta = scheme_.midpoint ? 0.5 : scheme_.beta;
    z_.head(model_.nv()) = h * w_ + (h * h) * ((0.5 - beta) * A_ + beta * guessed_);
    for (const int k : system_.driven()) z_[k] = 0.0;
    z_.tail(lambda_.size()) = lambda_ / problem_.map.second;
    // auxiliary states by the trapezoidal rule, as the works; midpoint: those of the middle. They are solved for with
    // the motion
    const double time = state_.time + within(h);
    next_auxiliary_.resize(state_.auxiliary.size());
    next_auxiliary_.head(even_count()) = state_.auxiliary.head(even_count());
    if (!scheme_.midpoint) next_auxiliary_.head(even_count()) += (0.5 * h) * auxiliary_rate_.head(even_count());
    if (stiff_count() > 0) next_auxiliary_.tail(stiff_count()) = stiff_.offset(time);
    problem_.begin(time, state_.time + h, state_.q, next_auxiliary_, 0.5 * h, stiff_.factor(time));
    // derivatives by differences of runs, and those of a follower, see what Newton's method leaves
    trouble_.clear();
    if (!newton_.solve(problem_, z_)) return false;
    if (system_.touching() !=
        problem_.tangent_touching()) {  // made when it touched elsewhere: no measure of what is left
      newton_.forget_tangent();
      if (!newton_.solve(problem_, z_)) return false;
    }
    if (follower_ != nullptr && !newton_.polish(problem_, z_)) return false;
    trouble_ = system_.trouble();
    return trouble_.empty();
  }

  /// Whether the accelerations changed so little in the step that its energy is surely that of the motion.
  bool smooth(double h) const {
    return h * (next_w_rate_ - w_rate_).norm() <= k_smooth * std::max(w_.norm(), next_w_.norm());
  }

  /// Whether next_* has closed loops, and little energy from nowhere beside what there was to move: what moved before,
  /// and what gravity, springs and loads gave. A long step of a robot that moves wildly has other solutions, far away,
  /// and one such step after the other would wind it up.
  bool believable(double h) {
    if (opens_too_far()) return false;
    const bool unsure = newton_.strained(), is_smooth = smooth(h);
    if (!unsure && is_smooth) return true;
    const auto before = system_.energy_balance_at(state_.time, state_.q, state_.v, state_.auxiliary);
    const auto after = system_.energy_balance_at(state_.time + h, next_q_, next_v_, next_auxiliary_);
    if (!before || !after) return true;
    const double fallen = (before->energy - before->kinetic) - (after->energy - after->kinetic);
    const double work = after->work - before->work;
    const double given = before->kinetic + std::max(fallen, 0.0) + std::abs(work);
    const double from_nowhere = std::abs(after->energy - before->energy - work);
    if (unsure && from_nowhere > given) return false;
    const double stored = std::abs(before->energy - before->kinetic);
    const double believed = scheme_.midpoint ? k_believed_of_midpoint : k_believed;
    return is_smooth || from_nowhere <= believed * given + k_small * stored + k_nothing;
  }

  /// Of a follower's step at its solution. Forces of contacts are too stiff for any but the solution's own.
  const TangentSolver* tangent_there() const { return model_.site_laws().empty() ? newton_.polished() : nullptr; }

  void accept(double time, double h) {
    if (follower_ != nullptr) follower_->accept(time, h, problem_, z_, {w_, w_rate_, A_}, tangent_there());
    last_change_ = next_w_rate_ - w_rate_;
    last_step_ = h;
    guess_.learn(state_.time + within(h), scheme_.midpoint ? next_w_rate_ : A_next_);
    if (stiff_count() > 0) stiff_.accept(state_.time + within(h), stiff_found_);
    state_.time = known_ = time, state_.q = next_q_, state_.v = next_v_, state_.auxiliary = next_auxiliary_;
    lambda_ = problem_.map.second * z_.tail(lambda_.size());
    system_.spread_multipliers(lambda_, state_.multipliers);
    w_rate_before_.swap(w_rate_), A_before_.swap(A_);
    w_ = next_w_, w_rate_ = next_w_rate_, a_ = problem_.a();
    A_ = scheme_.midpoint ? next_w_rate_ : A_next_;
    auxiliary_rate_ = next_auxiliary_rate_;
    ++statistics_.steps;
    tell_energies();
    if (appeared_) take_up_constraints();
  }

  [[noreturn]] void give_up(double h) {
    std::string table;
    for (const auto& i : newton_.iterations()) {
      table += fmt::format("\n  residual {:.3e} ({}), correction {:.3e}, part taken {:g}",
                           problem_.map.second * i.residual, velocity_label(model_, i.worst), i.correction, i.damping);
    }
    const std::string why = !trouble_.empty()           ? trouble_
                            : newton_.trouble().empty() ? "the error stays above the tolerances"
                                                        : newton_.trouble();
    fail_at(state_, state_.time,
            fmt::format("{}: no step, however short (last {:.3e} s): {}{}", scheme_.name, h, why, table));
  }

  ImplicitScheme scheme_;
  IntegratorOptions options_;
  ImplicitFollower* follower_;
  ImplicitSystem& system_;
  const Model& model_;
  ImplicitStep problem_;
  NewtonSolver newton_;
  AccelerationGuess guess_;
  StiffStatesT<double> stiff_;
  std::optional<EnergyProjection> projection_;
  std::optional<RobotSize> size_;   // where errors are judged by displacement
  std::optional<double> appeared_;  // constraints in next_*: how far they are open [rad, sizes of the robot]
  VectorXd stiff_found_;
  double step_ = 0.0, last_step_ = 0.0;
  double known_ = 0.0;  // when the acceleration was
  VectorXd position_error_, velocity_error_, filtered_, solution_;
  VectorXd w_rate_before_, A_before_;  // where the last step began
  VectorXd w_, w_rate_, A_, a_, x_, z_, lambda_, auxiliary_rate_, last_change_;
  VectorXd next_q_, next_v_, next_w_, next_w_rate_, A_next_, next_auxiliary_, next_auxiliary_rate_, guessed_;
  VectorXd driven_w_, driven_w_rate_;
  StepWay way_;
  std::string trouble_;  // of the last solution: a link that has gone through an obstacle
};

}  // namespace

std::unique_ptr<Integrator> make_implicit(System& system, const ImplicitScheme& scheme,
                                          const IntegratorOptions& options, ImplicitFollower* follower) {
  return std::make_unique<ImplicitIntegrator>(system, scheme, options, follower);
}

}  // namespace cuttle
