#pragma once

#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"

// What a site of any kind does where it touches. Included by contact_law.cpp and contact_slopes.h alone.

namespace cuttle {

template <typename S>
template <typename T>
auto ContactLawT<S>::act_on(const ContactSiteT<S>& site, Seen<T>& here, const Pressing<T>& pressed,
                            const TouchT<T>& touching, const T* states) const -> Acting<T> {
  using Kind = typename ContactSiteT<S>::Kind;
  Acting<T> result;
  SiteCurveT<T>& axis = here.curve;
  BristleT<T> bristle;
  T bent2(0.0);  // |xi|^2
  if (!friction_.is_smooth()) {
    bristle = friction_.at(touching, states);
    for (int i = 0; i < 3; ++i) bent2 += states[i] * states[i];
  }
  for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  if (!pressed.touches) return result;

  const T stiffness(site.stiffness), zero(0.0), one(1.0), share(friction_.share());
  const BentLoadT<T> load =
      bent_load(friction_, site.kind == Kind::point, stiffness, pressed.force, pressed.energy, touching, bent2);
  for (int i = 0; i < pressed.sample_count; ++i) {
    const auto& s = pressed.samples[i];
    const HermiteT<T> at(s.t);
    const T depth_rate = -dot(s.normal, axis.rates().at(at));
    const T elastic = stiffness * s.weight * s.penalty.force;
    const T damped = one + T(dissipation_) * depth_rate;
    const T damping = elastic * (select(damped > zero, damped, zero) - one);
    T push = load.by_energy * s.weight * s.penalty.force + load.by_force * s.weight * s.penalty.slope;
    if (site.kind == Kind::point && !load.is_long) {  // k_t' |xi|^2 / 2, k_t = 0.8 k h'
      const T more = T(0.5) * share * stiffness * T(0.5) * s.penalty.slope * bent2;
      push += select(s.depth > T(site.range), more / s.depth, zero);
    }
    axis.add(at, (push + damping) * s.normal);
    result.dissipated += damping * depth_rate;
  }
  for (int i = 0; i < pressed.end_count; ++i) {
    const auto& e = pressed.ends[i];
    const T push = -(load.by_energy * e.energy + load.by_force * e.force) / e.depth_slope;
    axis.add(e.t, push * e.normal);
  }
  result.stored = stiffness * pressed.energy + touching.stiffness * load.bent_energy;

  if (!friction_.is_smooth()) {
    const T center = site.kind == Kind::line ? center_of_pressure(pressed) : T(0.0);
    const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
    axis.add(center, bristle.force, -cross(radius * touching.normal, bristle.force));
    result.dissipated += bristle.dissipated;
  }

  act_on_frames(site, here, result);
  return result;
}

/// What the forces on the curve are at the frames, and what the obstacle gives.
template <typename S>
template <typename T>
void ContactLawT<S>::act_on_frames(const ContactSiteT<S>& site, const Seen<T>& here, Acting<T>& result) const {
  const SiteCurveT<T>& axis = here.curve;
  WrenchT<T> on_surface;  // at its origin, in its axes
  for (int k = 0; k < axis.frame_count(); ++k) {
    const WrenchT<T> w = axis.wrench(k);
    on_surface -= WrenchT<T>{w.torque + cross(axis.origin(k), w.force), w.force};
    result.wrench[k] = axis.in_frame(k, w);
  }
  if (site.curve_frames == 0) {
    result.given = -dot(result.wrench[0], here.obstacle);
  } else if (!site.on_link) {
    result.given = -dot(on_surface, here.obstacle);
  }
  if (site.on_link) result.wrench[site.curve_frames] = constants_of<T>(site.surface_in_frame).act(on_surface);
}

}  // namespace cuttle
