#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"
#include "model/contact/piece_border.h"
#include "model/contact/piece_intervals.h"

// A piece of a rod beside a piece of another one, or of the same one. At t of the first curve the depth is
//
//   d(t) = r_a(t) + r_b(u) - |a(t) - b(u)|,   (a(t) - b(u)) . b'(u) = 0,
//
// where u is the nearest point of the other curve. The other curve is a chain of pieces: each has the points between
// the planes across its ends, so that a point near the chain belongs to one piece, and u goes on from one to the next.
// At the ends of its rod a piece has what is beyond, too: u stays there. The energy is the integral of w H(d(t)) over
// the parts that the piece has and where d > 0. Beside a plane two pieces share what presses: the weight w falls from 1
// to 0 over a border that is a thousandth of both radii wide on each side, and those of both add up to 1. So what one
// loses the other one gains, also where the first curve lies in the plane. Beyond the plane, over that width, the piece
// goes on as its cubic does. Everything is in the axes of the other piece's begin. Included by contact_law.cpp alone.

namespace cuttle {

template <typename S>
template <typename T>
struct ContactLawT<S>::SeenPieces {
  SiteCurveT<T> a, b;
};

template <typename S>
template <typename T>
auto ContactLawT<S>::seen_pieces(const FrameMotionT<T>* motion) const -> SeenPieces<T> {
  const FrameMotionT<T>& axes = motion[3];
  const TwistT<T>& W = axes.velocity;
  PoseT<T> pose[4];
  TwistT<T> twist[4];
  for (int k = 0; k < 3; ++k) {
    pose[k] = axes.pose.inverse() * motion[k].pose;
    const Matrix3T<T>& R = pose[k].rotation;
    const TwistT<T>& V = motion[k].velocity;
    twist[k] = {R * V.angular - W.angular, R * V.linear - W.linear - cross(W.angular, pose[k].position)};
  }
  pose[3].rotation = Matrix3T<T>::identity();
  std::swap(pose[2], pose[3]), std::swap(twist[2], twist[3]);
  return {SiteCurveT<T>(2, pose, twist, {}), SiteCurveT<T>(2, pose + 2, twist + 2, {})};
}

/// The nearest parameter of a curve. @return whether it follows the point: else it is held at an end.
template <typename V>
bool foot_of(const CubicT<V>& curve, const Vector3T<V>& x, const FootRangeT<V>& range, V& u) {
  const auto left_at = [&](const V& end) { return dot(x - curve.at(end), curve.slope(end)); };
  const V at_begin = left_at(range.begin), at_end = left_at(range.end);
  u = range.begin;
  if (!(at_begin > 0)) return false;
  u = range.end;
  if (!(at_end < 0)) return false;
  V low = range.begin, high = range.end;
  u = low + (high - low) * (at_begin / (at_begin - at_end));
  for (int i = 0; i < 60; ++i) {
    const Vector3T<V> arm = x - curve.at(u), slope = curve.slope(u);
    const V left = dot(arm, slope), bend = dot(slope, slope) - dot(arm, curve.bend(u));
    (left > 0 ? low : high) = u;
    V next = u + left / bend;
    if (!(bend > 0) || !(next > low && next < high)) {
      if (std::abs(next - u) <= 4 * std::numeric_limits<V>::epsilon()) return true;
      next = low + (high - low) / 2;
    }
    const bool done = std::abs(next - u) <= 2 * std::numeric_limits<V>::epsilon();
    u = next;
    if (done) break;
  }
  return true;
}

/// A point of the first curve and the nearest one of the other.
template <typename S>
template <typename T>
struct ContactLawT<S>::Beside {
  T u, depth, depth_slope;        ///< along t
  T distance;                     ///< of the axes
  T taper{}, turning{};           ///< r_b' over, and, |b'|^2 - arm . b'': zero where u is held
  Vector3T<T> arm, normal, push;  ///< a - b; its direction; how the depth falls with a

  /// Of the depth, where t stays.
  T depth_rate(const CubicT<T>& rates_a, const CubicT<T>& rates_b, const T& t) const {
    return taper * dot(arm, rates_b.slope(u)) - dot(push, rates_a.at(t) - rates_b.at(u));
  }
};

template <typename S>
template <typename T>
auto ContactLawT<S>::beside(const ContactSiteT<S>& site, const CubicT<T>& a, const CubicT<T>& b, const T& t,
                            const FootRangeT<Value>& range) const -> Beside<T> {
  Beside<T> result;
  const Vector3T<T> x = a.at(t);
  Value foot;
  bool follows = false;
  if constexpr (std::is_same_v<T, Value>) {
    follows = foot_of<Value>(b, x, range, foot);
  } else {
    follows = foot_of<Value>(b.template cast<Value>(), x.template cast<Value>(), range, foot);
  }
  T u{foot};
  Vector3T<T> slope = b.slope(u);
  result.arm = x - b.at(u);
  T turning(0.0);
  if (follows) {
    turning = dot(slope, slope) - dot(result.arm, b.bend(u));
    follows = turning > T(0.0);
    for (int step = 0; follows && step < k_nesting<T>; ++step) {
      T change = dot(result.arm, slope) / turning;
      u += change;
      slope = b.slope(u), result.arm = x - b.at(u), turning = dot(slope, slope) - dot(result.arm, b.bend(u));
    }
  }
  const LengthT<T> length(dot(result.arm, result.arm));
  result.u = u, result.distance = length.value;
  result.normal = (T(1.0) / length.given) * result.arm, result.push = result.normal;
  const T taper_a = number_as<T>(site.end_radius - site.begin_radius);
  const T taper_b = number_as<T>(site.other_end_radius - site.other_begin_radius);
  if (follows) {
    result.turning = turning, result.taper = taper_b / turning;
    result.push -= result.taper * slope;
  }
  result.depth = number_as<T>(site.begin_radius + site.other_begin_radius) + t * taper_a + u * taper_b - length.value;
  result.depth_slope = taper_a - dot(result.push, a.slope(t));
  return result;
}

/// Where two pieces press on each other.
template <typename S>
template <typename T>
struct ContactLawT<S>::PressedPieces {
  struct Sample {
    T t, weight;
    Beside<T> there;
    PenaltyT<T> penalty;
    int border;  ///< that it is in; -1: none
    T leaving;   ///< of the weight, along the way out
  };
  /// An end of a part that moves: how the sums change with it, and what t makes zero there.
  struct End {
    T t, energy, force;
    T value, slope;   ///< h and h' there, as the piece has them; of the begin of a part negative
    T along;          ///< how what is zero there changes with t
    int border;       ///< that is how far it is beyond this one, less a constant; -1: the depth
    Beside<T> there;  ///< of a root
  };
  PieceBordersT<T> borders;
  FootRangeT<Value> range;
  bool touches = false;
  Sample samples[5 * PieceIntervals::k_most];
  int sample_count = 0;
  End ends[2 * PieceIntervals::k_most];
  int end_count = 0;
  T force{}, energy{};  ///< sums of h and H

  /// What borders push with, on a: what the next piece takes back. @param stiffness  of h.
  Vector3T<T> passed_on(const T& stiffness) const {
    Vector3T<T> sum;
    for (int i = 0; i < sample_count; ++i) {
      if (samples[i].border < 0) continue;
      sum -= (stiffness * samples[i].leaving * samples[i].penalty.energy) * borders.all[samples[i].border].out;
    }
    for (int i = 0; i < end_count; ++i) {
      if (ends[i].border >= 0) sum += (stiffness * ends[i].energy / ends[i].along) * borders.all[ends[i].border].out;
    }
    return sum;
  }
};

template <typename S>
template <typename T>
auto ContactLawT<S>::pressed_pieces(const ContactSiteT<S>& site, const SeenPieces<T>& here) const -> PressedPieces<T> {
  using V = Value;
  using Kind = typename PieceIntervals::Kind;
  using PieceEnd = typename PieceIntervals::End;
  PressedPieces<T> result;
  const CubicT<T>&a = here.a.curve(), &b = here.b.curve();
  const PieceIntervals found = piece_intervals(site, a.template cast<V>(), b.template cast<V>());
  if (found.count == 0) return result;
  result.borders = piece_borders<T>(site, b);
  result.range = result.borders.template foot_range<V>();
  static const FivePoints<V> k_points;
  const T range(site.range);
  const auto share_at = [&](int border, const T& t) {
    if (border < 0) return typename PieceBorderT<T>::Share{T(1.0), T(0.0)};
    const PieceBorderT<T>& its = result.borders.all[border];
    return its.share(its.beyond(a.at(t)));
  };
  for (int i = 0; i < found.count; ++i) {
    const auto& interval = found.intervals[i];
    const auto refined = [&](const V& value, const PieceEnd& at) {  // in the caller's scalar
      T t{value};
      if (at.kind == Kind::fixed) return t;
      for (int step = 0; step < k_nesting<T>; ++step) {
        T left, along;
        if (at.kind == Kind::root) {
          const Beside<T> there = beside<T>(site, a, b, t, result.range);
          left = there.depth, along = there.depth_slope;
        } else {
          const PieceBorderT<T>& border = result.borders.all[at.border];
          left = border.beyond(a.at(t)) - T(double(at.side)) * border.half_width;
          along = dot(a.slope(t), border.out);
        }
        const bool regular = along > T(0.0) || along < T(0.0);
        t -= select(regular, left / select(regular, along, T(1.0)), T(0.0));
      }
      return t;
    };
    const T begin = refined(interval.begin, interval.begins), end = refined(interval.end, interval.ends);
    const T length = end - begin;
    T energy_by_begin(0.0), energy_by_end(0.0), force_by_begin(0.0), force_by_end(0.0);
    for (int k = 0; k < 5; ++k) {
      const T part(k_points.at[k]), weight(k_points.weight[k]);
      auto& sample = result.samples[result.sample_count++];
      sample.t = begin + part * length, sample.border = interval.border;
      const auto share = share_at(interval.border, sample.t);
      sample.weight = weight * length * share.value, sample.leaving = weight * length * share.slope;
      sample.there = beside<T>(site, a, b, sample.t, result.range);
      sample.penalty = linear_penalty(sample.there.depth, range);
      const PenaltyT<T>& h = sample.penalty;
      result.energy += sample.weight * h.energy;
      result.force += sample.weight * h.force;
      // along t
      T share_along(0.0);
      if (interval.border >= 0) {
        share_along = length * share.slope * dot(a.slope(sample.t), result.borders.all[interval.border].out);
      }
      const T along = length * sample.there.depth_slope * share.value;
      const T energy = share.value * h.energy, force = share.value * h.force;
      const T energy_along = along * h.force + share_along * h.energy;
      const T force_along = along * h.slope + share_along * h.force;
      energy_by_begin += weight * ((T(1.0) - part) * energy_along - energy);
      energy_by_end += weight * (part * energy_along + energy);
      force_by_begin += weight * ((T(1.0) - part) * force_along - force);
      force_by_end += weight * (part * force_along + force);
    }
    const auto add_end = [&](const PieceEnd& at, const T& t, const T& energy, const T& force, const T& sign) {
      if (at.kind == Kind::fixed) return;
      auto& moving = result.ends[result.end_count];
      moving.t = t, moving.energy = energy, moving.force = force, moving.border = at.border;
      if (at.kind == Kind::border) {
        moving.along = dot(a.slope(t), result.borders.all[at.border].out);
        const T whole(at.side < 0 ? 1.0 : 0.0);  // that it has there
        const PenaltyT<T> penalty = linear_penalty(beside<T>(site, a, b, t, result.range).depth, range);
        moving.value = sign * whole * penalty.force, moving.slope = sign * whole * penalty.slope;
      } else {
        moving.there = beside<T>(site, a, b, t, result.range);
        moving.along = moving.there.depth_slope;
        moving.value = moving.slope = T(0.0);
      }
      if (!(moving.along > T(0.0)) && !(moving.along < T(0.0))) return;
      if (at.kind == Kind::root) moving.along = bounded_slope(moving.along, range);
      ++result.end_count;
    };
    add_end(interval.begins, begin, energy_by_begin, force_by_begin, T(-1.0));
    add_end(interval.ends, end, energy_by_end, force_by_end, T(1.0));
  }
  result.touches = result.energy > T(0.0) && result.force > T(0.0);
  return result;
}

template <typename S>
template <typename T>
TouchT<T> ContactLawT<S>::touch_pieces(const ContactSiteT<S>& site, const SeenPieces<T>& here,
                                       const PressedPieces<T>& pressed) const {
  TouchT<T> result;
  if (!pressed.touches) return result;
  result.touches = true;
  const CubicT<T>&a = here.a.curve(), &b = here.b.curve(), &rates_a = here.a.rates(), &rates_b = here.b.rates();
  const T zero(0.0), share(friction_.share());
  // center of pressure, and how the sums move
  const T center = center_of_pressure(pressed);
  T center_rate = zero, energy_rate = zero, force_rate = zero, slope = zero, slope_rate = zero;
  for (int i = 0; i < pressed.sample_count; ++i) {
    const auto& s = pressed.samples[i];
    const T depth_rate = s.there.depth_rate(rates_a, rates_b, s.t);
    slope += s.weight * s.penalty.slope;
    slope_rate += s.weight * s.penalty.bend * depth_rate;
    energy_rate += s.weight * s.penalty.force * depth_rate;
    force_rate += s.weight * s.penalty.slope * depth_rate;
    center_rate += s.weight * s.penalty.slope * depth_rate * (s.t - center);
    if (s.border < 0) continue;
    const T weight_rate = s.leaving * pressed.borders.all[s.border].rate(rates_a, rates_b, s.t, a.at(s.t));
    energy_rate += weight_rate * s.penalty.energy, force_rate += weight_rate * s.penalty.force;
    slope_rate += weight_rate * s.penalty.slope, center_rate += weight_rate * s.penalty.force * (s.t - center);
  }
  // the stored energy's slope along the normal, which the sums miss a little
  T energy_slope = pressed.force, force_slope = slope;
  for (int i = 0; i < pressed.end_count; ++i) {
    const auto& e = pressed.ends[i];
    if (e.border >= 0) {
      const T rate = -pressed.borders.all[e.border].rate(rates_a, rates_b, e.t, a.at(e.t)) / e.along;
      energy_rate += e.energy * rate, force_rate += e.force * rate, slope_rate += e.slope * rate;
      center_rate += e.value * rate * (e.t - center);
    } else {
      energy_slope -= e.energy / e.along, force_slope -= e.force / e.along;
    }
  }
  center_rate = center_rate / pressed.force;

  const T ratio = pressed.force / pressed.energy, force2 = pressed.force * pressed.force;
  const T product = T(2.0) * slope * pressed.energy / force2;
  const T product_rate = T(2.0) * (slope_rate * pressed.energy + slope * energy_rate) / force2 -
                         T(2.0) * product * force_rate / pressed.force;
  const T whole = bounded_whole<T>(energy_slope / pressed.force), bent = T(2.0) * force_slope * pressed.energy / force2;
  result.stiffness = T(0.5) * share * T(site.stiffness) * pressed.force * ratio;
  result.normal_force = T(site.stiffness) * pressed.force * whole;
  result.reach = whole * T(2.0) / (share * ratio);
  result.reach_rate = result.reach * (energy_rate / pressed.energy - force_rate / pressed.force);
  result.coupling = T(2.0) / share * whole * (bent - whole);
  result.coupling_rate = T(2.0) / share * product_rate;

  const Beside<T> there = beside<T>(site, a, b, center, pressed.range);
  const Vector3T<T>& n = there.normal;
  const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
  const Vector3T<T> arm_a = -(radius * n), arm_b = there.arm + arm_a;
  const Vector3T<T> slides =
      rates_a.at(center) + cross(here.a.spin(center), arm_a) - rates_b.at(there.u) - cross(here.b.spin(there.u), arm_b);
  result.normal = n;
  result.sliding = slides - dot(n, slides) * n;
  const Vector3T<T> slope_b = b.slope(there.u);
  Vector3T<T> moves = rates_a.at(center) + center_rate * a.slope(center) - rates_b.at(there.u);
  if (there.turning > zero) {
    const T foot_rate = (dot(moves, slope_b) + dot(there.arm, rates_b.slope(there.u))) / there.turning;
    moves -= foot_rate * slope_b;
  }
  const LengthT<T> length(there.distance * there.distance);
  result.normal_rate = (T(1.0) / length.given) * (moves - dot(n, moves) * n);
  const Vector3T<T> tangent = a.slope(center);
  const Vector3T<T> along = (T(1.0) / LengthT<T>(dot(tangent, tangent)).given) * tangent;
  result.along = along - dot(n, along) * n;
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_on_pieces(const ContactSiteT<S>& site, SeenPieces<T>& here, const PressedPieces<T>& pressed,
                                   const TouchT<T>& touching, const T* states) const -> Acting<T> {
  Acting<T> result;
  BristleT<T> bristle;
  T bent2(0.0);  // |xi|^2
  if (!friction_.is_smooth()) {
    bristle = friction_.at(touching, states);
    for (int i = 0; i < 3; ++i) bent2 += states[i] * states[i];
  }
  for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  if (!pressed.touches) return result;
  SiteCurveT<T>&a = here.a, &b = here.b;
  const T zero(0.0), one(1.0), stiffness(site.stiffness);
  const BentLoadT<T> load = bent_load(friction_, false, stiffness, pressed.force, pressed.energy, touching, bent2);
  // What presses goes over to the next piece, but not the bristle: what that stores is lost (and comes with what
  // enters, where a bristle is bent). A force in its place would have no limit where the first rod lies in the plane.
  for (int i = 0; i < pressed.sample_count; ++i) {
    const auto& s = pressed.samples[i];
    const T depth_rate = s.there.depth_rate(a.rates(), b.rates(), s.t);
    const T damped = one + T(dissipation_) * depth_rate;
    const T damping = stiffness * s.weight * s.penalty.force * (select(damped > zero, damped, zero) - one);
    const T push = s.weight * (load.by_energy * s.penalty.force + load.by_force * s.penalty.slope) + damping;
    a.add(s.t, push * s.there.push), b.add(s.there.u, -(push * s.there.push));
    if (s.there.turning > zero) b.add_to_slope(s.there.u, -(push * s.there.taper * s.there.arm));
    result.dissipated += damping * depth_rate;
    if (s.border >= 0) {
      const PieceBorderT<T>& border = pressed.borders.all[s.border];
      const T energy = s.leaving * s.penalty.energy;
      border.push(a, b, s.t, -(stiffness * energy));
      result.dissipated -= border.rate(a.rates(), b.rates(), s.t, a.curve().at(s.t)) *
                           ((load.by_energy - stiffness) * energy + load.by_force * s.leaving * s.penalty.force);
    }
  }
  for (int i = 0; i < pressed.end_count; ++i) {
    const auto& e = pressed.ends[i];
    if (e.border >= 0) {
      const PieceBorderT<T>& border = pressed.borders.all[e.border];
      border.push(a, b, e.t, stiffness * e.energy / e.along);
      result.dissipated += border.rate(a.rates(), b.rates(), e.t, a.curve().at(e.t)) / e.along *
                           ((load.by_energy - stiffness) * e.energy + load.by_force * e.force);
    } else {
      const T push = (load.by_energy * e.energy + load.by_force * e.force) / e.along;
      a.add(e.t, -(push * e.there.push)), b.add(e.there.u, push * e.there.push);
      if (e.there.turning > zero) b.add_to_slope(e.there.u, push * e.there.taper * e.there.arm);
    }
  }
  result.stored = stiffness * pressed.energy + touching.stiffness * load.bent_energy;
  if (!friction_.is_smooth()) {
    const T center = center_of_pressure(pressed);
    const Beside<T> there = beside<T>(site, a.curve(), b.curve(), center, pressed.range);
    const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
    const Vector3T<T> arm_a = -(radius * there.normal), arm_b = there.arm + arm_a;
    a.add(center, bristle.force, cross(arm_a, bristle.force));
    b.add(there.u, -bristle.force, -cross(arm_b, bristle.force));
    result.dissipated += bristle.dissipated;
  }
  for (int k = 0; k < 2; ++k) {
    result.wrench[k] = a.in_frame(k, a.wrench(k));
    result.wrench[3 - k] = b.in_frame(k, b.wrench(k));
  }
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_pieces(const ContactSiteT<S>& site, const FrameMotionT<T>* motion, const T* states) const
    -> Acting<T> {
  SeenPieces<T> here = seen_pieces(motion);
  const PressedPieces<T> pressed = pressed_pieces(site, here);
  return act_on_pieces(site, here, pressed, touch_pieces(site, here, pressed), states);
}

template <typename S>
template <typename T>
void ContactLawT<S>::rest_pieces(const ContactSiteT<S>& site, const PoseT<T>* start, const FrameMotionT<T>* motion,
                                 T* states) const {
  const SeenPieces<T> here = seen_pieces(motion);
  const PressedPieces<T> pressed = pressed_pieces(site, here);
  const TouchT<T> touching = touch_pieces(site, here, pressed);
  if (!touching.touches) {
    for (int i = 0; i < friction_.state_count(); ++i) states[i] = T(0.0);
    return;
  }
  FrameMotionT<T> before[k_most_site_frames];
  for (int k = 0; k < k_most_site_frames; ++k) before[k].pose = start[k];
  const SeenPieces<T> then = seen_pieces(before);
  const T center = center_of_pressure(pressed);
  const Beside<T> there = beside<T>(site, here.a.curve(), here.b.curve(), center, pressed.range);
  const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
  const Vector3T<T> arm_a = -(radius * there.normal), arm_b = there.arm + arm_a;
  const auto way = [](const SiteCurveT<T>& now, const SiteCurveT<T>& first, const T& t, const Vector3T<T>& arm) {
    return now.curve().at(t) + arm - first.curve().at(t) - now.turned_back(t, arm, first.frames());
  };
  friction_.rest(touching, way(here.a, then.a, center, arm_a) - way(here.b, then.b, there.u, arm_b), states);
}

template <typename S>
SiteObservation ContactLawT<S>::observe_pieces(const ContactSiteT<S>& site, const FrameMotionT<S>* motion,
                                               const S* states) const {
  SeenPieces<S> here = seen_pieces(motion);
  const CubicT<S>&a = here.a.curve(), &b = here.b.curve();
  const Nearest nearest_points = nearest(site, a.template cast<Value>(), b.template cast<Value>());
  SiteObservation result;
  result.gap = -static_cast<double>(nearest_points.there.depth);
  const PressedPieces<S> pressed = pressed_pieces(site, here);
  const TouchT<S> touching = touch_pieces(site, here, pressed);
  const S at = touching.touches ? center_of_pressure(pressed) : S(nearest_points.t);
  const Beside<S> there = beside<S>(site, a, b, at, pressed.range);
  const S radius = site.begin_radius + at * (site.end_radius - site.begin_radius);
  const PoseT<S>& axes = motion[3].pose;
  result.position = axes.act(a.at(at) - radius * there.normal).template cast<double>();
  result.normal = (axes.rotation * there.normal).template cast<double>();
  if (!touching.touches) return result;
  const Acting<S> acting = act_on_pieces(site, here, pressed, touching, states);
  Vector3T<S> total;  // on a
  for (int k = 0; k < 2; ++k) total += axes.rotation.transpose_times(motion[k].pose.rotation * acting.wrench[k].force);
  total -= pressed.passed_on(S(site.stiffness));
  observe_forces(site.weight, touching, states, total, S(1.0), axes.rotation, result);
  result.torque = torque_on(motion, acting, 0, 2);
  return result;
}

template <typename S>
double ContactLawT<S>::longest_step_of_pieces(const ContactSiteT<S>& site, const FrameMotionT<S>* motion) const {
  const SeenPieces<S> here = seen_pieces(motion);
  double longest = std::numeric_limits<double>::infinity();
  constexpr int k_points = 5;
  for (int i = 0; i < k_points; ++i) {
    const S t(static_cast<double>(i) / (k_points - 1));
    const Beside<S> there = beside<S>(site, here.a.curve(), here.b.curve(), t, {});
    const double closing = -scalar_cast<double>(dot(there.normal, here.a.rates().at(t) - here.b.rates().at(there.u)));
    if (!(closing > 0.0)) continue;
    const double radius = scalar_cast<double>(site.begin_radius + t * (site.end_radius - site.begin_radius));
    const double above = std::max(0.0, -scalar_cast<double>(there.depth));
    longest = std::min(longest, 0.5 * (above + radius + site.thickness) / closing);
  }
  return longest;
}

template <typename S>
void ContactLawT<S>::piece_slopes(const ContactSiteT<S>& site, const FrameMotionT<S>* motion, const S* states,
                                  SiteSlopesT<S>& slopes) const {
  const SeenPieces<S> here = seen_pieces(motion);
  if (piece_intervals(site, here.a.curve().template cast<Value>(), here.b.curve().template cast<Value>()).count == 0) {
    for (int i = 0; i < friction_.state_count(); ++i) {
      slopes.rate_by_state(i, i) = S(-1.0 / (i < 3 ? k_bristle_decay : k_coefficient_time));
    }
    return;
  }
  using Seed = std::conditional_t<std::is_same_v<S, double>, Jet<20>, D>;
  seeded_slopes<Seed>(varied_frames(site), motion, states, slopes,
                      [&](const FrameMotionT<Seed>* moved, const Seed* x) { return act_pieces<Seed>(site, moved, x); });
}

}  // namespace cuttle
