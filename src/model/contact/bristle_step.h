#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "model/contact/friction_law.h"
#include "model/contact/jet.h"

namespace cuttle {

/// The states of a bristle in an implicit step, x = start + step dx/dt, under a touch that is given.
///
/// Newton's method finds nearly all. Where it does not (the law has corners, and a coefficient that falls with sliding
/// may have several solutions), numbers in brackets do: for a coefficient r, a flow Phi and a way back B the equations
/// are linear in the bristle, whose use of the cone falls with both; so B and Phi are roots by bisection within the
/// bracket that their definitions give, and r is the root that is nearest to where it comes from.
template <typename V>
class BristleStepT {
 public:
  using Vector = Eigen::Matrix<V, Eigen::Dynamic, 1, 0, 4, 1>;
  using Matrix = Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;

  BristleStepT(const FrictionLawT<V>& law, const TouchT<V>& touch, const Vector& start, V step)
      : law_(law),
        touch_(touch),
        start_(start),
        step_(step),
        n_(law.state_count()),
        scale_((touch.touches ? touch.reach : V(0)) * V(1e-3)) {}

  /// @return whether they were found, in x.
  bool solve(Vector& x) const {
    if (along_trial(x)) return true;
    x = guess();
    if (newton(x)) return true;
    for (const V side : {V(1), V(-1)}) {  // of the cone, where forward and backward differ: that of the trial first
      x = bracketed(side);
      if (newton(x)) return true;
    }
    x = start_;
    return newton(x) || follow(x);
  }

  /// x - start - step dx/dt, and its slope.
  Vector residual(const Vector& x, Matrix* slope) const {
    Vector r(n_);
    if (slope == nullptr) {
      const BristleT<V> bristle = law_.at(touch_, x.data());
      for (int i = 0; i < n_; ++i) r[i] = x[i] - start_[i] - step_ * bristle.rates[i];
      return r;
    }
    Along variables[4];
    for (int i = 0; i < n_; ++i) variables[i] = Along::variable(x[i], i);
    const BristleT<Along> bristle = law_.at(touch_.template constant<Along>(), variables);
    for (int i = 0; i < n_; ++i) {
      r[i] = x[i] - start_[i] - step_ * bristle.rates[i].value;
      for (int j = 0; j < n_; ++j) (*slope)(i, j) = V(i == j ? 1 : 0) - step_ * bristle.rates[i].derivative[j];
    }
    return r;
  }

 private:
  static constexpr double k_rough = 1e-5;  // of roots in brackets: Newton's method goes on from there
  using Along = std::conditional_t<std::is_same_v<V, double>, Jet<4>, Dual<V, 4>>;
  using Matrix3 = Eigen::Matrix<V, 3, 3>;
  using Vector3E = Eigen::Matrix<V, 3, 1>;

  V size(const Vector& r) const {  // the coefficient is of the order of one
    V sum = r.template head<3>().squaredNorm();
    if (n_ == 4) sum += r[3] * r[3] * scale_ * scale_;
    return std::sqrt(sum);
  }

  /// Without a turning normal, static coefficient and preferred direction the bristle lies along its elastic step: one
  /// number sigma <= 1 is unknown, sigma (1 + step by_bristle(sigma)) = 1. @return whether it is so, and was found.
  bool along_trial(Vector& x) const {
    const Vector3T<V>&n = touch_.normal, &turn = touch_.normal_rate, &v = touch_.sliding;
    if (!touch_.touches || n_ != 3 || !law_.is_isotropic() || dot(turn, turn) > V(0)) return false;
    if constexpr (std::is_same_v<V, double>) {
      const Vector3T<V> from{start_[0], start_[1], start_[2]};
      const V out = dot(n, from), along = out / (1 + step_ / k_bristle_decay);
      const Vector3T<V> trial = from - out * n + step_ * v;
      const V aa = dot(trial, trial), ab = dot(trial, v), bb = dot(v, v);
      const auto set = [&](V sigma) {
        x.resize(n_);
        for (int i = 0; i < 3; ++i) x[i] = sigma * trial[i] + along * n[i];
        return true;
      };
      const V used = law_.flowing(touch_, {aa, ab, bb, V(0), V(0)}, V(0)).used;
      if (!(used > V(k_flow_begin))) return used == used && set(V(1));
      const TouchT<Jet<1>> touch = touch_.template constant<Jet<1>>();
      V low = 0, high = 1, sigma = std::min(V(1), V(0.99) / used);
      for (int i = 0; i < 60; ++i) {
        const Jet<1> s = Jet<1>::variable(sigma, 0);
        const auto flow = law_.flowing(touch, {s * s * Jet<1>(aa), s * Jet<1>(ab), Jet<1>(bb), 0.0, 0.0}, Jet<1>(0.0));
        const Jet<1> left = s * (Jet<1>(1.0) + Jet<1>(step_) * flow.by_bristle) - Jet<1>(1.0);
        if (!(left.value < 0)) high = sigma;
        if (!(left.value > 0)) low = sigma;
        V next = sigma - left.value / left.derivative[0];
        if (std::abs(next - sigma) <= 4 * std::numeric_limits<V>::epsilon() * sigma) return set(next);
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        if (!(next > low && next < high)) return false;
        sigma = next;
      }
    }
    return false;
  }

  /// The elastic step, cut back into the cone.
  Vector guess() const {
    Vector x = start_;
    if (!touch_.touches) return x;
    for (int i = 0; i < 3; ++i) x[i] += step_ * touch_.sliding[i];
    const V used = law_.at(touch_, x.data()).used;
    if (used > V(0.99)) x.template head<3>() *= V(0.99) / used;
    return x;
  }

  /// Newton's method that never lets the residual grow.
  bool newton(Vector& x) const {
    Matrix slope(n_, n_);
    Vector r = residual(x, &slope);
    V now = size(r);
    int nudges = 0;
    for (int iteration = 0; iteration < 40; ++iteration) {
      const V enough = 8 * std::numeric_limits<V>::epsilon() * (size(x) + size(start_) + V(1e-30));
      Vector change(n_);
      if (n_ == 3) {  // of known size
        change = -Matrix3(slope.template topLeftCorner<3, 3>()).partialPivLu().solve(Vector3E(r.template head<3>()));
      } else {
        change = -slope.partialPivLu().solve(r);
      }
      if (!change.allFinite()) return false;
      if (size(change) <= enough) {  // where slopes are large, the residual of what is rounded is not small
        x += change;
        return true;
      }
      V part = 1;
      bool falls = false;
      for (int halving = 0; halving < 30 && !falls; ++halving, part /= 2) {
        const Vector next = x + part * change;
        const V then = size(residual(next, nullptr));
        if (!(then < (1 - V(1e-4) * part) * now)) continue;
        x = next, falls = true;
      }
      if (!falls) {
        // at a corner of the law, whose slopes are those of its other side: a little way over it
        if (now <= V(1e3) * enough) return true;
        if (nudges == 3) return now <= V(1e5) * enough;
        const V nudge = V(nudges == 0 ? 1e-9 : (nudges == 1 ? 1e-6 : 1e-4)) * (size(x) + size(start_));
        x += nudge / std::max(size(change), nudge) * change;
        ++nudges;
      }
      r = residual(x, &slope), now = size(r);
      if (now <= enough) return true;
    }
    return false;
  }

  /// Along the solutions of shorter steps.
  bool follow(Vector& x) const {
    x = start_;
    V done = 0, stride = V(1) / 8;
    for (int tries = 0; done < 1 && tries < 300; ++tries) {
      const V next = std::min(V(1), done + stride);
      Vector to = x;
      if (BristleStepT(law_, touch_, start_, next * step_).newton(to)) {
        x = to, done = next, stride *= 2;
      } else {
        stride /= 4;
      }
    }
    return done >= 1;
  }

  /// A root of a function that is <= 0 at `low` and >= 0 at `high`, by false position kept off the ends and halving.
  template <typename Function>
  static V root(const Function& f, V low, V high) {
    V f_low = f(low), f_high = f(high);
    if (!(f_low < 0)) return low;
    if (!(f_high > 0)) return high;
    for (int i = 0; i < 100; ++i) {
      const V width = high - low;
      V middle = i % 3 == 2 ? low + width / 2 : low + width * (f_low / (f_low - f_high));
      middle = std::min(std::max(middle, low + V(1e-3) * width), high - V(1e-3) * width);
      if (!(middle > low && middle < high)) break;
      const V value = f(middle);
      if (value == 0) return middle;
      (value < 0 ? low : high) = middle;
      (value < 0 ? f_low : f_high) = value;
      if (width <= k_rough * std::max(std::abs(low), std::abs(high))) break;
    }
    return low + (high - low) / 2;
  }

  /// The bristle with a flow and a way back, both in 1/s: its equations are linear then.
  Vector bristle(V flow, V back, V coefficient, V side) const {
    const auto eigen = [](const Vector3T<V>& v) { return Vector3E(v.x, v.y, v.z); };
    const Vector3E n = eigen(touch_.normal), turn = eigen(touch_.normal_rate), along = eigen(touch_.along);
    const Vector3E trial = start_.template head<3>() + step_ * eigen(touch_.sliding);
    const Matrix3 tangential = Matrix3::Identity() - n * n.transpose();
    const auto [across, more] = law_.inverse_squares(side * trial.dot(tangential * along));
    const Matrix3 squares = across * tangential + more * along * along.transpose() * tangential;
    const Matrix3 rate = -flow * squares - back * tangential + turn * n.transpose() -
                         n * (turn.transpose() * tangential) - V(1.0 / k_bristle_decay) * n * n.transpose();
    const Matrix3 equations = Matrix3::Identity() - step_ * rate;
    Vector x(n_);
    x.template head<3>() = equations.partialPivLu().solve(trial);
    if (n_ == 4) x[3] = coefficient;
    return x;
  }

  /// With a way back that belongs to the flow.
  Vector with_flow(V flow, V coefficient, V side) const {
    const auto at = [&](V back) { return law_.at(touch_, bristle(flow, back, coefficient, side).data()); };
    const V most = at(V(0)).back;
    if (!(most > 0)) return bristle(flow, V(0), coefficient, side);
    return bristle(flow, root([&](V back) { return back - at(back).back; }, V(0), most), coefficient, side);
  }

  /// With a flow that belongs to the coefficient.
  Vector with_coefficient(V coefficient, V side) const {
    const auto left = [&](V flow) { return flow - law_.at(touch_, with_flow(flow, coefficient, side).data()).flow; };
    const V first = -left(V(0));
    if (!(first > 0)) return with_flow(V(0), coefficient, side);
    V most = first;
    for (int i = 0; i < 200 && !(left(most) >= 0); ++i) most *= 4;
    return with_flow(root(left, V(0), most), coefficient, side);
  }

  Vector bracketed(V side) const {
    if (!touch_.touches) return start_;
    if (n_ < 4) return with_coefficient(V(0), side);
    const auto left = [&](V coefficient) { return residual(with_coefficient(coefficient, side), nullptr)[3]; };
    // from where it comes, as far as it can go: the first change of sign
    const V from = start_[3], sign = left(from) > 0 ? V(-1) : V(1);
    const V end = sign < 0 ? std::min(from, V(0)) - law_.ratio() : std::max(from, V(0));
    constexpr int k_parts = 24;
    V near = from;
    for (int i = 1; i <= k_parts; ++i) {
      const V far = from + (end - from) * V(i) / k_parts;
      if (sign * left(far) >= 0) {
        return with_coefficient(sign > 0 ? root(left, near, far) : root(left, far, near), side);
      }
      near = far;
    }
    return with_coefficient(near, side);
  }

  const FrictionLawT<V>& law_;
  const TouchT<V>& touch_;
  Vector start_;
  V step_;
  int n_;
  V scale_;  ///< of a coefficient beside lengths
};

}  // namespace cuttle
