#include "simulation/touch_downs.h"

#include <Eigen/LU>
#include <algorithm>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/spatial/exponential.h"

namespace cuttle {
namespace {

constexpr double k_just = 1e-3;    // of a step: a touch is looked at not later after it began
constexpr double k_longest = 2.0;  // of a step: one that seems to have lasted longer grazes, and is no event
constexpr int k_most_cuts = 20;

/// What a site does with these states where it has been some time before.
/// @param since  that time, along the motion as it is now [s].
template <typename S>
SiteActionT<S> action_before(const SitesT<S>& sites, const SitePlace& place, double time, double since,
                             const Eigen::Vector4d& states) {
  FrameMotionT<S> motion[k_most_site_frames];
  std::copy_n(sites.motion(place), place.frame_count, motion);
  for (int k = 0; k < place.frame_count && since > 0.0; ++k) {
    motion[k].pose = motion[k].pose * exponential<S>(S(-since) * motion[k].velocity);
  }
  const S x[4] = {S(states[0]), S(states[1]), S(states[2]), S(states[3])};
  SiteActionT<S> action;
  sites.law(place).evaluate(place.site, time - since, motion, x, action);
  return action;
}

/// What a site stores, and with which power: by the balance of its law, as the motion goes on.
struct Stored {
  double energy, power;
};
Stored stored_before(const Sites& sites, const SitePlace& place, double time, double since) {
  const SiteActionT<double> action = action_before(sites, place, time, since, Eigen::Vector4d::Zero());
  double power = action.given_power - action.dissipated_power;
  const FrameMotionT<double>* motion = sites.motion(place);
  for (int k = 0; k < place.frame_count; ++k) {
    for (int r = 0; r < 6; ++r) power -= action.wrench[k][r] * motion[k].velocity[r];
  }
  return {action.stored_energy, power};
}

}  // namespace

TouchWatch::TouchWatch(const Model& model) : model_(model) {
  const auto& laws = model.site_laws();
  if (std::none_of(laws.begin(), laws.end(), [](const auto& law) { return law->state_count() > 0; })) return;
  data_.emplace(model), sites_.emplace(model);
  no_states_.setZero(sites_->state_count());
  touch_.assign(sites_->places().size(), 0), touched_ = touch_;
}

void TouchWatch::begin(double time, const VectorXd& q, const VectorXd& v) {
  if (watches()) look(time, q, v);
}

void TouchWatch::look(double time, const VectorXd& q, const VectorXd& v) {
  time_ = time;
  sites_->take(forward_kinematics<double>(model_, *data_, q, v), time, no_states_);
  std::fill(touch_.begin(), touch_.end(), 0);
  for (const int i : sites_->active()) {
    const SitePlace& place = sites_->places()[static_cast<std::size_t>(i)];
    if (place.state_count == 0) continue;
    touch_[static_cast<std::size_t>(i)] = stored_before(*sites_, place, time, 0.0).energy > 0.0 ? 1 : 0;
  }
}

const std::vector<TouchDown>& TouchWatch::see(double time, const VectorXd& q, const VectorXd& v) {
  touched_.swap(touch_);
  return see_again(time, q, v, time - time_);
}

const std::vector<TouchDown>& TouchWatch::see_again(double time, const VectorXd& q, const VectorXd& v, double length) {
  found_.clear();
  if (!watches()) return found_;
  look(time, q, v);
  for (const int i : sites_->active()) {
    const auto place = static_cast<std::size_t>(i);
    if (touch_[place] != 0 && touched_[place] == 0) add(i, length);
  }
  return found_;
}

const std::vector<TouchDown>& TouchWatch::with_states(VectorInT<double> states) {
  for (TouchDown& touch : found_) {
    const SitePlace& place = sites_->places()[static_cast<std::size_t>(touch.place)];
    const TouchDown of_law = touch;
    touch.states.head(place.state_count) = states.segment(place.state, place.state_count);
    const Eigen::Matrix4d slopes = solve(touch);
    // Shifted by dt all is r dt: what in t dr comes from the motion alone is taken out. Near a touch the law of a
    // bristle knows no length, r(s xi, s d) = r(xi, d); the coefficient stands behind it.
    Eigen::Vector4d bristle = touch.states;
    bristle[3] = 0.0;
    touch.rates += slopes * (bristle - touch.lasted * touch.rates);
    // a bristle that keeps its part of an opening cone whatever it is: no x belongs to it
    if (!touch.solved.allFinite()) touch = of_law;
  }
  return found_;
}

void TouchWatch::add(int index, double length) {
  const SitePlace& place = sites_->places()[static_cast<std::size_t>(index)];
  // back to where it began: E grows at least in proportion to the time since, mostly with its square or faster
  TouchDown touch{index};
  Stored at = stored_before(*sites_, place, time_, 0.0);
  for (int i = 0; i < k_most_cuts && at.power > 0.0 && at.energy > k_just * length * at.power; ++i) {
    double back = 2.0 * at.energy / at.power;
    Stored before = stored_before(*sites_, place, time_, touch.since + back);
    while (!(before.energy > 0.0) && back > 0.25 * k_just * length) {
      back *= 0.5;
      before = stored_before(*sites_, place, time_, touch.since + back);
    }
    if (!(before.energy > 0.0)) break;
    touch.since += back, at = before;
  }
  if (!(at.power > 0.0)) return;
  touch.power = at.power, touch.lasted = touch.since + at.energy / at.power;
  if (!(touch.lasted <= k_longest * length)) return;

  const double none[4] = {};
  sites_->law(place).solve_states(place.site, time_, sites_->motion(place), none, touch.lasted, touch.states.data());
  solve(touch);
  if (touch.solved.allFinite()) found_.push_back(touch);
}

Eigen::Matrix4d TouchWatch::solve(TouchDown& touch) const {
  const SitePlace& place = sites_->places()[static_cast<std::size_t>(touch.place)];
  const int n = place.state_count;
  SiteSlopesT<double> slopes;
  sites_->law(place).slopes(place.site, time_, sites_->motion(place), touch.states.data(), slopes);
  const auto rates = action_before(*sites_, place, time_, 0.0, touch.states).rates;
  std::copy_n(rates.begin(), n, touch.rates.data());
  Eigen::Matrix4d by_states = Eigen::Matrix4d::Zero();
  by_states.topLeftCorner(n, n) = slopes.rate_by_state.topLeftCorner(n, n);
  touch.solved = (Eigen::Matrix4d::Identity() - touch.lasted * by_states).inverse();
  return by_states;
}

std::array<ForwardDual, 4> begun_states(const SitesT<ForwardDual>& sites, const TouchDown& touch, double time) {
  const SitePlace& place = sites.places()[static_cast<std::size_t>(touch.place)];
  const ForwardDual lasted = ForwardDual(1.0 / touch.power) *
                             action_before(sites, place, time, touch.since, Eigen::Vector4d::Zero()).stored_energy;
  const auto rates = action_before(sites, place, time, 0.0, touch.states).rates;
  std::array<ForwardDual, 4> begun;
  for (int r = 0; r < place.state_count; ++r) {
    for (int c = 0; c < place.state_count; ++c) {
      begun[static_cast<std::size_t>(r)] +=
          ForwardDual(touch.solved(r, c)) *
          (ForwardDual(touch.rates[c]) * lasted + ForwardDual(touch.lasted) * rates[static_cast<std::size_t>(c)]);
    }
  }
  return begun;
}

std::vector<WorthOfTouch> take_worth_of_touches(const std::vector<SitePlace>& places,
                                                const std::vector<TouchDown>& touches, Eigen::Ref<VectorXd> by_states) {
  std::vector<WorthOfTouch> all;
  for (const TouchDown& touch : touches) {
    const SitePlace& place = places[static_cast<std::size_t>(touch.place)];
    auto of_site = by_states.segment(place.state, place.state_count);
    all.push_back({touch});
    all.back().by_states.head(place.state_count) = of_site;
    of_site.setZero();
  }
  return all;
}

}  // namespace cuttle
