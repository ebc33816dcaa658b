#pragma once

#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"

// Sites that touch at a point, or at a point that stands for an area: one distance, no intervals. The law is written
// for the few numbers it has there; `act` in contact_law.cpp is the same law for all kinds, by quadrature. Included by
// contact_law.cpp alone.

namespace cuttle {

/// A point of a site as it moves beside its surface, in the axes of the surface.
template <typename T>
struct PointMotionT {
  Vector3T<T> center, velocity;  ///< relative to the surface
  Vector3T<T> spin;              ///< likewise, of the site's frame
  Vector3T<T> forward;           ///< of the site, for anisotropic friction
};

/// What the site does at its center, in the same axes.
template <typename T>
struct PointActionT {
  Vector3T<T> force, moment;
  T rates[4]{};
  T stored{}, dissipated{};
};

/// The same with what the site's frame needs.
template <typename S>
template <typename T>
struct ContactLawT<S>::SeenPoint {
  PointMotionT<T> motion;
  Matrix3T<T> rotation;  ///< of the site's frame, in the axes of the surface
  Vector3T<T> center;    ///< in the site's frame
  TwistT<T> surface;     ///< velocity of the surface, in its axes
  TwistT<T> obstacle;    ///< of the obstacle, in its own
};

/// A point of a frame beside an obstacle that does not move: as below, without what is zero.
template <typename S>
auto ContactLawT<S>::seen_beside(const ContactSiteT<S>& site, const ObstaclePlaceT<S>& still,
                                 const FrameMotionT<S>& carrier) const -> SeenPoint<S> {
  SeenPoint<S> result;
  result.center = site.axis.begin;
  const PoseT<S>& ground = still.pose();
  const TwistT<S>& V = carrier.velocity;
  Vector3T<S> apart = carrier.pose.position - ground.position;
  Matrix3T<S>& R = result.rotation;
  if (still.is_turned()) {
    R = ground.rotation.transpose() * carrier.pose.rotation, apart = ground.rotation.transpose_times(apart);
  } else {
    R = carrier.pose.rotation;
  }
  PointMotionT<S>& point = result.motion;
  point.center = R * result.center + apart;
  point.velocity = R * (V.linear + cross(V.angular, result.center));
  point.spin = R * V.angular;
  if (!friction_.is_isotropic()) {
    point.forward = site.of_b ? -site.surface_in_frame.rotation.transpose_times(site.forward) : R * site.forward;
  }
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::seen_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const
    -> SeenPoint<T> {
  if constexpr (std::is_same_v<T, S>) {
    if (site.obstacle >= 0 && site.curve_frames == 1 && !site.on_link) {
      const ObstaclePlaceT<S>& place = places_[static_cast<std::size_t>(site.obstacle)];
      if (!place.moves()) return seen_beside(site, place, motion[0]);
    }
  }
  FrameMotionT<T> obstacle;
  if (site.obstacle >= 0) {
    const ObstaclePlaceT<S>& place = places_[static_cast<std::size_t>(site.obstacle)];
    if (place.moves()) {
      const FrameMotionT<S> now = place.at(time);
      obstacle.pose = constants_of<T>(now.pose), obstacle.velocity = constants_of<T>(now.velocity);
    } else {
      obstacle.pose = constants_of<T>(place.pose());
    }
  }
  SeenPoint<T> result;
  result.obstacle = obstacle.velocity, result.center = constants_of<T>(site.axis.begin);
  PoseT<T> surface = obstacle.pose;
  result.surface = obstacle.velocity;
  if (site.on_link) {
    const FrameMotionT<T>& frame = motion[site.curve_frames];
    const PoseT<T> in_frame = constants_of<T>(site.surface_in_frame);
    surface = frame.pose * in_frame, result.surface = in_frame.act_inverse(frame.velocity);
  }
  const FrameMotionT<T>& carrier = site.curve_frames == 0 ? obstacle : motion[0];
  const TwistT<T>& V = carrier.velocity;
  const Matrix3T<T> R = surface.rotation.transpose() * carrier.pose.rotation;
  PointMotionT<T>& point = result.motion;
  result.rotation = R;
  point.center = R * result.center + surface.rotation.transpose_times(carrier.pose.position - surface.position);
  point.velocity = R * (V.linear + cross(V.angular, result.center)) - result.surface.linear -
                   cross(result.surface.angular, point.center);
  point.spin = R * V.angular - result.surface.angular;
  if (!friction_.is_isotropic()) {
    point.forward = site.of_b ? -constants_of<T>(site.surface_in_frame.rotation.transpose_times(site.forward))
                              : R * constants_of<T>(site.forward);
  }
  return result;
}

/// Depth and touch of a point.
template <typename S>
template <typename T>
struct ContactLawT<S>::PointTouch {
  T depth, depth_rate;
  PenaltyT<T> penalty;
  TouchT<T> touch;
};

template <typename S>
template <typename T>
auto ContactLawT<S>::touch_point(const ContactSiteT<S>& site, const DistanceT<T>& d, const PointMotionT<T>& point) const
    -> PointTouch<T> {
  const bool is_point = site.kind == ContactSiteT<S>::Kind::point;
  const T range(site.range), radius(site.begin_radius), zero(0.0);
  PointTouch<T> result;
  result.depth = radius - d.value;
  TouchT<T>& touch = result.touch;
  touch.touches = result.depth > zero && scalar_cast<double>(result.depth) > 1e-9 * scalar_cast<double>(site.range);
  if (!touch.touches) return result;
  result.penalty = is_point ? hertz_penalty(result.depth, range) : linear_penalty(result.depth, range);
  const PenaltyT<T>& h = result.penalty;
  const Vector3T<T>&n = d.gradient, &v = point.velocity;
  const T normal_speed = dot(n, v), rate = -normal_speed;
  result.depth_rate = rate, touch.normal = n;
  if (friction_.is_smooth()) return result;
  const S& share = friction_.share();
  touch.normal_force = T(site.stiffness) * h.force;
  if (is_point) {
    touch.stiffness = T(share * site.stiffness) * h.slope;
    const S of_depth = S(1.0) / (S(1.5) * share);  // l = h / (s h') = d / (1.5 s)
    touch.reach = T(of_depth) * select(result.depth > range, result.depth, range);
    touch.reach_rate = select(result.depth > range, T(of_depth) * rate, zero);
    touch.coupling = T(S(1.0) / (S(3.0) * share));  // h h'' / h'^2 = 1/3
  } else {
    set_area_touch(touch, h, T(S(0.5) * share * site.stiffness), T(S(2.0) / share), rate);
  }
  touch.normal_rate = d.hessian * v;
  const Vector3T<T> arm = cross(radius * n, point.spin);
  touch.sliding = v + arm - (normal_speed + dot(n, arm)) * n;
  if (!friction_.is_isotropic()) touch.along = point.forward - dot(n, point.forward) * n;
  return result;
}

template <typename S>
template <typename T>
PointActionT<T> ContactLawT<S>::act_at_point(const ContactSiteT<S>& site, const PointTouch<T>& pressed,
                                             const T* states) const {
  const TouchT<T>& touch = pressed.touch;
  PointActionT<T> result;
  BristleT<T> bristle;
  if (!friction_.is_smooth()) {
    bristle = friction_.at(touch, states);
    for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  }
  if (!touch.touches) return result;
  const bool is_point = site.kind == ContactSiteT<S>::Kind::point;
  const PenaltyT<T>& h = pressed.penalty;
  const T stiffness(site.stiffness), one(1.0), zero(0.0);
  const T elastic = stiffness * h.force, damped = one + T(dissipation_) * pressed.depth_rate;
  const T damping = elastic * (select(damped > zero, damped, zero) - one);
  T push = elastic + damping;
  result.stored = stiffness * h.energy;
  result.dissipated = damping * pressed.depth_rate;
  if (!friction_.is_smooth()) {
    const T bent2 = states[0] * states[0] + states[1] * states[1] + states[2] * states[2];
    const T most = T(friction_.longest()) * touch.reach;
    if (bent2 > most * most) {  // see act
      const LengthT<T> length(bent2);
      const S& longest = friction_.longest();
      const S of_energy = S(is_point ? 5.0 / 6.0 : 1.0) * longest * longest / friction_.share();
      push += T(site.stiffness * longest) * length.value * h.slope - T(of_energy) * elastic;
      result.stored += touch.stiffness * most * (length.value - T(0.5) * most);
    } else {
      if (is_point) {  // k_t' |xi|^2 / 2
        if (pressed.depth > T(site.range)) push += T(0.25) * touch.stiffness * bent2 / pressed.depth;
      } else {
        const T ratio = h.force / h.energy;
        push += T(S(0.5) * friction_.share() * site.stiffness) * bent2 * ratio * (h.slope - T(0.5) * h.force * ratio);
      }
      result.stored += T(0.5) * touch.stiffness * bent2;
    }
    result.moment = cross(bristle.force, T(site.begin_radius) * touch.normal);
    result.dissipated += bristle.dissipated;
  }
  result.force = push * touch.normal + bristle.force;
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion,
                               const T* states) const -> Acting<T> {
  const SeenPoint<T> here = seen_point(site, time, motion);
  return act_seen(site, here, touch_point(site, distance<T>(site, here.motion.center), here.motion), states);
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_seen(const ContactSiteT<S>& site, const SeenPoint<T>& here, const PointTouch<T>& touched,
                              const T* states) const -> Acting<T> {
  const PointActionT<T> at = act_at_point(site, touched, states);
  Acting<T> result;
  for (int i = 0; i < 4; ++i) result.rates[i] = at.rates[i];
  result.stored = at.stored, result.dissipated = at.dissipated;
  if (!touched.touch.touches) return result;
  const Vector3T<T> force = here.rotation.transpose_times(at.force);
  const WrenchT<T> own{here.rotation.transpose_times(at.moment) + cross(here.center, force), force};
  if (site.curve_frames == 0) {
    result.given = -dot(own, here.obstacle);
  } else {
    result.wrench[0] = own;
  }
  if (!site.on_link && !places_[static_cast<std::size_t>(site.obstacle)].moves()) return result;
  const WrenchT<T> on_surface{-(cross(here.motion.center, at.force) + at.moment), -at.force};
  if (site.on_link) {
    result.wrench[site.curve_frames] = constants_of<T>(site.surface_in_frame).act(on_surface);
  } else {
    result.given = -dot(on_surface, here.obstacle);
  }
  return result;
}

}  // namespace cuttle
