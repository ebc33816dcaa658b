#pragma once

// What holds of any site of a contact between two deforming bodies, at four frames of its own, without a robot.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cuttle/spatial/exponential.h"
#include "model/contact/contact_law.h"

namespace cuttle::test {

using LongDouble = long double;

template <typename F>
auto sixth_order(const F& f, LongDouble h) {
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

/// @param kind  0: as the default; 1: sticks more; 2: by direction; 3: none.
inline ContactFrictionT<LongDouble> friction_of(int kind) {
  ContactFrictionT<LongDouble> friction;
  if (kind == 1) friction.static_ratio = LongDouble(1.4);
  if (kind == 2) {
    friction.forward = LongDouble(0.2), friction.backward = LongDouble(0.9), friction.sideways = LongDouble(1.5);
  }
  if (kind == 3) friction.forward = friction.backward = friction.sideways = LongDouble(0.0);
  return friction;
}

/// A site of a law, where its frames are, how they move, and its states: 4, of which the law may use fewer.
template <typename T>
struct SiteAt {
  const ContactLawT<T>& law;
  int site;
  std::vector<FrameMotionT<T>> motion;
  std::vector<T> states;

  int state_count() const { return law.sites()[static_cast<std::size_t>(site)].state_count; }
  SiteActionT<T> action() const {
    SiteActionT<T> found;
    law.evaluate(site, 0.0, motion.data(), states.data(), found);
    return found;
  }
  SiteSlopesT<T> slopes() const {
    SiteSlopesT<T> found;
    law.slopes(site, 0.0, motion.data(), states.data(), found);
    return found;
  }
};

/// Along the motion: what is stored changes by the power of the wrenches less what is lost.
/// @return what is lost, beside all of these.
inline LongDouble expect_balance(const SiteAt<LongDouble>& at, LongDouble tolerance) {
  const SiteActionT<LongDouble> action = at.action();
  const LongDouble rate = sixth_order(
      [&](LongDouble h) {
        SiteAt<LongDouble> moved = at;
        for (auto& m : moved.motion) m.pose = m.pose * exponential(h * m.velocity);
        for (std::size_t i = 0; i < static_cast<std::size_t>(at.state_count()); ++i) {
          moved.states[i] += h * action.rates[i];
        }
        return moved.action().stored_energy;
      },
      LongDouble(1e-8));
  LongDouble power = 0;
  for (std::size_t k = 0; k < 4; ++k) power += dot(action.wrench[k], at.motion[k].velocity);
  const LongDouble size = std::abs(rate) + std::abs(power) + std::abs(action.dissipated_power);
  EXPECT_LT(std::abs(rate + power + action.dissipated_power), tolerance * size)
      << "stored " << rate << " power " << power << " lost " << action.dissipated_power;
  EXPECT_GE(action.dissipated_power, -1e-6L * size);
  return size > 0 ? action.dissipated_power / size : LongDouble(0);
}

/// Wrenches add up to nothing, within this many roundings of forces, and of torques.
inline void expect_no_resultant(const SiteAt<LongDouble>& at, LongDouble forces, LongDouble torques) {
  constexpr LongDouble k_eps = std::numeric_limits<LongDouble>::epsilon();
  const SiteActionT<LongDouble> action = at.action();
  WrenchT<LongDouble> sum;
  LongDouble size = 0, far = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const PoseT<LongDouble>& pose = at.motion[k].pose;
    const Vector3T<LongDouble> force = pose.rotation * action.wrench[k].force;
    sum += WrenchT<LongDouble>{pose.rotation * action.wrench[k].torque + cross(pose.position, force), force};
    size += norm(force), far = std::max(far, norm(pose.position));
  }
  EXPECT_LE(norm(sum.force), forces * k_eps * size);
  EXPECT_LE(norm(sum.torque), torques * k_eps * size * far);
}

/// Largest entries of differences, and of what they are beside.
struct Closeness {
  double error = 0.0, size = 0.0;
  template <typename A, typename B>
  void add(const A& found, const B& expected) {
    size = std::hypot(size, static_cast<double>(expected));
    error = std::hypot(error, static_cast<double>(found) - static_cast<double>(expected));
  }
};
template <typename A, typename B>
Closeness closeness_of_wrenches(const SiteActionT<A>& found, const SiteActionT<B>& expected) {
  Closeness result;
  for (std::size_t k = 0; k < 4; ++k) {
    for (int i = 0; i < 6; ++i) result.add(found.wrench[k][i], expected.wrench[k][i]);
  }
  return result;
}

/// A motion that all frames share changes nothing in their own axes.
inline void expect_no_motion_of_all(const SiteAt<double>& at) {
  const SiteActionT<double> action = at.action();
  const PoseT<double> shift = exponential(TwistT<double>{{0.3, -1.1, 0.4}, {0.2, 0.1, -0.3}});
  const TwistT<double> spin{{1.0, -2.0, 0.5}, {0.3, 0.2, 0.1}};
  SiteAt<double> moved = at;
  for (auto& m : moved.motion) {
    m.velocity += m.pose.act_inverse(spin);
    m.pose = shift * m.pose;
  }
  const SiteActionT<double> other = moved.action();
  const Closeness wrenches = closeness_of_wrenches(other, action);
  Closeness rates;
  for (std::size_t k = 0; k < 4; ++k) rates.add(other.rates[k], action.rates[k]);
  EXPECT_LE(wrenches.error, 1e-8 * wrenches.size);
  EXPECT_LE(rates.error, 1e-8 * rates.size + 1e-12);
}

/// Slopes by poses, velocities and states against differences of the values.
inline void expect_slopes(const SiteAt<LongDouble>& at) {
  using Numbers = Eigen::Matrix<LongDouble, 28, 1>;
  const SiteSlopesT<LongDouble> slopes = at.slopes();
  const int n = at.state_count();
  const auto values = [&](int variable, LongDouble h) {
    SiteAt<LongDouble> moved = at;
    const auto f = static_cast<std::size_t>(variable % 24 / 6);
    if (variable < 24) {
      TwistT<LongDouble> step;
      step[variable % 6] = h;
      moved.motion[f].pose = moved.motion[f].pose * exponential(step);
    } else if (variable < 48) {
      moved.motion[f].velocity[variable % 6] += h;
    } else {
      moved.states[static_cast<std::size_t>(variable) - 48] += h;
    }
    const SiteActionT<LongDouble> action = moved.action();
    Numbers numbers = Numbers::Zero();
    for (int k = 0; k < 24; ++k) numbers[k] = action.wrench[static_cast<std::size_t>(k / 6)][k % 6];
    for (int i = 0; i < n; ++i) numbers[24 + i] = action.rates[static_cast<std::size_t>(i)];
    return numbers;
  };
  const LongDouble whole[] = {slopes.by_pose.norm() + slopes.by_velocity.norm(),
                              slopes.rate_by_pose.norm() + slopes.rate_by_velocity.norm()};
  for (int variable = 0; variable < 48 + n; ++variable) {
    const LongDouble h = variable < 24 ? 1e-8L : (variable < 48 ? 1e-7L : 1e-9L);
    const Numbers numeric = sixth_order([&](LongDouble step) { return values(variable, step); }, h);
    Numbers exact = Numbers::Zero();
    if (variable < 24) {
      exact << slopes.by_pose.col(variable), slopes.rate_by_pose.col(variable);
    } else if (variable < 48) {
      exact << slopes.by_velocity.col(variable - 24), slopes.rate_by_velocity.col(variable - 24);
    } else {
      exact << slopes.by_state.col(variable - 48), slopes.rate_by_state.col(variable - 48);
    }
    for (const auto& [first, count] : {std::pair(0, 24), std::pair(24, 4)}) {
      const LongDouble error = (numeric - exact).segment(first, count).norm();
      const LongDouble scale = exact.segment(first, count).norm();
      const LongDouble rounding = values(variable, 0).segment(first, count).norm() * 1e-18L / h;
      EXPECT_LT(error, 1e-6L * scale + 100 * rounding + 1e-9L * whole[first == 0 ? 0 : 1])
          << "variable " << variable << (first == 0 ? " wrench" : " rates");
    }
  }
}

/// Slopes in double beside those in long double, each beside its own size.
inline void expect_close(const SiteSlopesT<double>& found, const SiteSlopesT<LongDouble>& wanted, double tolerance) {
  const auto compare = [&](const auto& ours, const auto& theirs, const char* what) {
    EXPECT_LE((ours - theirs.template cast<double>()).norm(), tolerance * static_cast<double>(theirs.norm())) << what;
  };
  compare(found.by_pose, wanted.by_pose, "by pose");
  compare(found.by_velocity, wanted.by_velocity, "by velocity");
  compare(found.by_state, wanted.by_state, "by state");
  compare(found.rate_by_pose, wanted.rate_by_pose, "rates by pose");
  compare(found.rate_by_velocity, wanted.rate_by_velocity, "rates by velocity");
  compare(found.rate_by_state, wanted.rate_by_state, "rates by state");
}

/// The same site in double and in long double: wrenches, and slopes a hundred times looser.
inline void expect_close(const SiteAt<double>& at, const SiteAt<LongDouble>& exact, double tolerance) {
  const Closeness wrenches = closeness_of_wrenches(at.action(), exact.action());
  EXPECT_LE(wrenches.error, tolerance * wrenches.size);
  expect_close(at.slopes(), exact.slopes(), 100 * tolerance);
}

}  // namespace cuttle::test
