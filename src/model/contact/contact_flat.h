#pragma once

#include "model/contact/contact_action.h"
#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"
#include "model/contact/flat_line.h"

// What a line over a plane does (flat_line.h). Included by contact_law.cpp and contact_slopes.h alone.

namespace cuttle {

/// A line beside its plane, and how it presses.
template <typename S>
struct ContactLawT<S>::FlatTouch {
  Seen<double> here;
  FlatPressedT<double> pressed;
  TouchT<double> touch;
};

template <typename S>
FlatSite ContactLawT<S>::flat_site(const ContactSiteT<S>& site) const {
  return {scalar_cast<double>(site.begin_radius), scalar_cast<double>(site.end_radius - site.begin_radius),
          scalar_cast<double>(site.range), scalar_cast<double>(site.stiffness), scalar_cast<double>(dissipation_)};
}

template <typename S>
template <typename T>
auto ContactLawT<S>::touch_flat_line(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const
    -> FlatTouch {
  FlatTouch result{seen(site, time, motion), {}, {}};
  const SiteCurveT<double>& axis = result.here.curve;
  const DistanceT<double>& plane = planes_[static_cast<std::size_t>(&site - own_.data())];
  const FlatSite flat = flat_site(site);
  const auto line = FlatLineT<double>::of(plane, axis.curve(), axis.rates());
  result.pressed = press_flat(flat, line, flat_intervals(flat, line));
  if (!result.pressed.touches) return result;
  TouchT<double>& touch = result.touch;
  if (friction_.is_smooth()) {
    touch.touches = true;
    return result;
  }
  const Vector3& n = plane.gradient;
  touch = touch_flat(flat, friction_.share(), result.pressed);
  const Vector3 slides = sliding_over_plane(flat, n, axis, result.pressed.center);
  touch.normal = n, touch.sliding = slides - dot(n, slides) * n;
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_on_flat_line(const ContactSiteT<S>& site, FlatTouch& at, const T* states) const -> Acting<T> {
  Acting<double> result;
  BristleT<double> bristle;
  double bent2 = 0.0;
  if (!friction_.is_smooth()) {
    bristle = friction_.at(at.touch, states);
    for (int i = 0; i < 3; ++i) bent2 += states[i] * states[i];
  }
  for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  const FlatPressedT<double>& p = at.pressed;
  if (!p.touches) return result;
  const FlatSite flat = flat_site(site);
  const BentLoadT<double> load = bent_load(friction_, false, flat.stiffness, p.force, p.energy, at.touch, bent2);
  double forces[4];
  flat_forces(flat, p, load, forces);
  const Vector3& n = planes_[static_cast<std::size_t>(&site - own_.data())].gradient;
  add_flat_forces(flat, n, forces, p.center, bristle.force, at.here.curve);
  result.stored = flat.stiffness * p.energy + at.touch.stiffness * load.bent_energy;
  result.dissipated = flat.stiffness * p.dissipated + bristle.dissipated;
  act_on_frames(site, at.here, result);
  return result;
}

/// Forces of a line over a plane and the rates of its states, with their derivatives: by the heights of the line and
/// their rates, the velocity that slides, and the states.
struct FlatSlopes {
  static constexpr int k_inputs = 11, k_states = 4;
  using Number = Jet<16>;
  Number forces[4], friction[3], rates[4], center;

  /// By other directions. @param by  of the inputs.   @param states  the first direction of the states; -1: none.
  template <int N>
  static CUTTLE_INLINE Jet<N> along(const Number& y, const Jet<N>* by, int first_input, int states) {
    Jet<N> r(y.value);
    for (int m = first_input; m < k_inputs; ++m) {
      for (int i = 0; i < N; ++i) r.derivative[i] += y.derivative[m] * by[m].derivative[i];
    }
    for (int i = 0; states >= 0 && i < k_states; ++i) r.derivative[states + i] += y.derivative[k_inputs + i];
    return r;
  }
};

template <typename S>
template <typename T>
FlatSlopes ContactLawT<S>::flat_slopes(const ContactSiteT<S>& site, const SiteCurveT<T>& axis,
                                       const DepthIntervalsT<double>& found, const T* states) const {
  using P = Jet<8>;
  using J = FlatSlopes::Number;
  FlatSlopes result;
  const DistanceT<double>& plane = planes_[static_cast<std::size_t>(&site - own_.data())];
  const Vector3& n = plane.gradient;
  const FlatSite flat = flat_site(site);
  const auto values = FlatLineT<double>::of(plane, axis.curve(), axis.rates());
  FlatLineT<P> line;
  for (int i = 0; i < 4; ++i) {
    line.above[i] = P::variable(values.above[i], i), line.rate[i] = P::variable(values.rate[i], 4 + i);
  }
  const auto wide = [](const P& x) {
    J r(x.value);
    for (int i = 0; i < 8; ++i) r.derivative[i] = x.derivative[i];
    return r;
  };
  const FlatPressedT<P> pressed = press_flat(flat, line, found);
  result.center = wide(pressed.center);
  TouchT<J> touch;
  touch.touches = pressed.touches;
  BristleT<J> bristle;
  J bent2(0.0);
  const int count = friction_.state_count();
  if (count > 0) {
    const TouchT<P> narrow = touch_flat(flat, friction_.share(), pressed);
    touch.normal_force = wide(narrow.normal_force), touch.stiffness = wide(narrow.stiffness);
    touch.reach = wide(narrow.reach), touch.reach_rate = wide(narrow.reach_rate);
    touch.coupling = wide(narrow.coupling), touch.coupling_rate = wide(narrow.coupling_rate);
    const Vector3 slides = sliding_over_plane(flat, n, axis, pressed.center.value);
    const Vector3T<J> s{J::variable(slides.x, 8), J::variable(slides.y, 9), J::variable(slides.z, 10)};
    const J out = n.x * s.x + n.y * s.y + n.z * s.z;
    touch.normal = {J(n.x), J(n.y), J(n.z)};
    touch.sliding = {s.x - n.x * out, s.y - n.y * out, s.z - n.z * out};
    J x[4];
    for (int i = 0; i < count; ++i) x[i] = J::variable(states[i], FlatSlopes::k_inputs + i);
    bristle = friction_.at(touch, x);
    for (int i = 0; i < 3; ++i) bent2 += x[i] * x[i];
  }
  for (int i = 0; i < count; ++i) result.rates[i] = bristle.rates[i];
  for (int i = 0; i < 3; ++i) result.friction[i] = bristle.force[i];
  const BentLoadT<J> load =
      bent_load(friction_, false, J(flat.stiffness), wide(pressed.force), wide(pressed.energy), touch, bent2);
  struct {
    J by_energy[4], by_force[4], damping[4];
  } sums;
  for (int i = 0; i < 4; ++i) {
    sums.by_energy[i] = wide(pressed.by_energy[i]), sums.by_force[i] = wide(pressed.by_force[i]);
    sums.damping[i] = wide(pressed.damping[i]);
  }
  flat_forces(flat, sums, load, result.forces);
  return result;
}

}  // namespace cuttle
