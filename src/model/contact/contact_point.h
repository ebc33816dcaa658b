#pragma once

#include <type_traits>

#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"
#include "model/contact/jet.h"

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

template <typename S>
template <typename T>
auto ContactLawT<S>::seen_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const
    -> SeenPoint<T> {
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
  const auto see = [&](const PoseT<T>& surface, const FrameMotionT<T>& seen) {
    const TwistT<T>&V = seen.velocity, &surface_velocity = result.surface;
    const Matrix3T<T> R = surface.rotation.transpose() * seen.pose.rotation;
    PointMotionT<T>& point = result.motion;
    result.rotation = R;
    point.center = R * result.center + surface.rotation.transpose_times(seen.pose.position - surface.position);
    point.velocity = R * (V.linear + cross(V.angular, result.center)) - surface_velocity.linear -
                     cross(surface_velocity.angular, point.center);
    point.spin = R * V.angular - surface_velocity.angular;
  };
  const FrameMotionT<T>& carrier = site.curve_frames == 0 ? obstacle : motion[0];
  if (site.on_link) {
    const FrameMotionT<T>& frame = motion[site.curve_frames];
    const PoseT<T> in_frame = constants_of<T>(site.surface_in_frame);
    result.surface = in_frame.act_inverse(frame.velocity);
    see(frame.pose * in_frame, carrier);
  } else {
    result.surface = obstacle.velocity;
    see(obstacle.pose, carrier);
  }
  if (!friction_.is_isotropic()) {
    result.motion.forward = site.of_b ? -constants_of<T>(site.surface_in_frame.rotation.transpose_times(site.forward))
                                      : result.rotation * constants_of<T>(site.forward);
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
  result.depth_rate = rate;
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
    const T ratio = h.force / h.energy, two_over_share(S(2.0) / share);
    touch.stiffness = T(S(0.5) * share * site.stiffness) * h.force * ratio;
    touch.reach = two_over_share / ratio;
    // of k_t = s h^2 / (2 H): k_t' h / k_t^2 by d
    const T product = T(2.0) * h.slope / (h.force * ratio);
    touch.reach_rate = touch.reach * (ratio - h.slope / h.force) * rate;
    touch.coupling = two_over_share * (product - T(1.0));
    touch.coupling_rate =
        two_over_share * rate *
        (T(2.0) * (h.bend * h.energy + h.slope * h.force) / (h.force * h.force) - T(2.0) * product * h.slope / h.force);
  }
  touch.normal = n;
  touch.normal_rate = d.hessian * v;
  const Vector3T<T> arm = cross(radius * n, point.spin);
  touch.sliding = v + arm - (normal_speed + dot(n, arm)) * n;
  if (!friction_.is_isotropic()) touch.along = point.forward - dot(n, point.forward) * n;
  return result;
}

template <typename S>
template <typename T>
PointActionT<T> ContactLawT<S>::act_at_point(const ContactSiteT<S>& site, const DistanceT<T>& d,
                                             const PointMotionT<T>& point, const T* states) const {
  const PointTouch<T> pressed = touch_point(site, d, point);
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
  result.force = push * d.gradient + bristle.force;
  return result;
}

/// A distance where its point moves: `by_point` derivatives of the Hessian along the axes; null: zero.
template <int N>
DistanceT<Jet<N>> along_jets(const DistanceT<double>& d, const SymmetricMatrix3T<double>* by_point,
                             const Vector3T<Jet<N>>& x) {
  DistanceT<Jet<N>> result;
  const auto combine = [&](double value, double a, double b, double c) {
    Jet<N> r(value);
    for (int i = 0; i < N; ++i) {
      r.derivative[i] = a * x.x.derivative[i] + b * x.y.derivative[i] + c * x.z.derivative[i];
    }
    return r;
  };
  const Vector3T<double>& g = d.gradient;
  const SymmetricMatrix3T<double>& H = d.hessian;
  result.value = combine(d.value, g.x, g.y, g.z);
  if (by_point == nullptr) {
    result.gradient = {Jet<N>(g.x), Jet<N>(g.y), Jet<N>(g.z)};
    return result;
  }
  result.gradient = {combine(g.x, H.xx, H.xy, H.xz), combine(g.y, H.xy, H.yy, H.yz), combine(g.z, H.xz, H.yz, H.zz)};
  const auto of_hessian = [&](auto entry) {
    return combine(entry(H), entry(by_point[0]), entry(by_point[1]), entry(by_point[2]));
  };
  using Symmetric = SymmetricMatrix3T<double>;
  result.hessian = {
      of_hessian([](const Symmetric& m) { return m.xx; }), of_hessian([](const Symmetric& m) { return m.yy; }),
      of_hessian([](const Symmetric& m) { return m.zz; }), of_hessian([](const Symmetric& m) { return m.xy; }),
      of_hessian([](const Symmetric& m) { return m.xz; }), of_hessian([](const Symmetric& m) { return m.yz; })};
  return result;
}

/// Derivatives of the Hessian of a distance along the axes.
template <typename D>
void hessian_slopes(const DistanceT<D>& d, SymmetricMatrix3T<double>* by_point) {
  for (int i = 0; i < 3; ++i) {
    const auto& H = d.hessian;
    by_point[i] = {H.xx.derivative[i], H.yy.derivative[i], H.zz.derivative[i],
                   H.xy.derivative[i], H.xz.derivative[i], H.yz.derivative[i]};
  }
}

// Sixteen directions: a motion and a velocity of the frame that moves, six each, and the states.
template <typename S>
void ContactLawT<S>::point_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                                  const S* states, SiteSlopesT<S>& slopes) const {
  if constexpr (std::is_same_v<S, double>) {
    using J = Jet<16>;
    const SeenPoint<double> here = seen_point(site, time, motion);
    const PointMotionT<double>& at = here.motion;
    const auto jets = [](const Vector3& v) { return Vector3T<J>{J(v.x), J(v.y), J(v.z)}; };
    PointMotionT<J> point{jets(at.center), jets(at.velocity), jets(at.spin), jets(at.forward)};
    const auto put = [](Vector3T<J>& to, int direction, const Vector3& by) {
      for (int i = 0; i < 3; ++i) to[i].derivative[direction] = by[i];
    };
    const bool of_surface = site.curve_frames == 0;  // what moves, where the curve rides on an obstacle
    Twist twists[6];  // of what moves, in the axes of the site's frame; or of the surface in its own
    for (int k = 0; k < 6; ++k) {
      twists[k][k] = 1.0;
      if (of_surface) twists[k] = site.surface_in_frame.act_inverse(twists[k]);
    }
    const Vector3& spin = here.surface.angular;
    // velocity of the point in the world, as the site's frame has it
    const Twist& V = motion[0].velocity;
    const Vector3 speed = of_surface ? at.velocity + here.surface.linear + cross(spin, at.center)
                                     : V.linear + cross(V.angular, here.center);
    for (int k = 0; k < 6; ++k) {
      const Vector3 &turn = twists[k].angular, &shift = twists[k].linear;
      Vector3 by_pose, turned, spun, forward, by_velocity, by_spin;
      if (of_surface) {
        by_pose = -(shift + cross(turn, at.center));
        turned = -cross(turn, speed), spun = -cross(turn, at.spin + spin);
        by_velocity = by_pose, by_spin = -turn;
      } else {
        by_pose = here.rotation * (shift + cross(turn, here.center));
        turned = here.rotation * cross(turn, speed), spun = here.rotation * cross(turn, V.angular);
        if (!site.of_b) forward = here.rotation * cross(turn, site.forward);
        by_velocity = by_pose, by_spin = here.rotation * turn;
      }
      put(point.center, k, by_pose), put(point.velocity, k, turned - cross(spin, by_pose)), put(point.spin, k, spun);
      if (!friction_.is_isotropic()) put(point.forward, k, forward);
      put(point.velocity, 6 + k, by_velocity), put(point.spin, 6 + k, by_spin);
    }
    const int n = friction_.state_count();
    J x[4];
    for (int i = 0; i < n; ++i) x[i] = J::variable(states[i], 12 + i);

    const DistanceT<double> value = distance<double>(site, at.center);
    SymmetricMatrix3 by_point[3];
    const bool is_flat = flats_[static_cast<std::size_t>(&site - own_.data())] != 0;
    if (!is_flat && value.value < site.begin_radius) {
      Vector3T<D> variable;
      for (int i = 0; i < 3; ++i) variable[i] = D::variable(at.center[i], i);
      hessian_slopes(distance<D>(site, variable), by_point);
    }
    const PointActionT<J> acting =
        act_at_point(site, along_jets<16>(value, is_flat ? nullptr : by_point, point.center), point, x);

    const auto part = [](const Vector3T<J>& v, int k) {
      return Vector3{v.x.derivative[k], v.y.derivative[k], v.z.derivative[k]};
    };
    const auto plain = [](const Vector3T<J>& v) { return Vector3{v.x.value, v.y.value, v.z.value}; };
    const Vector3 force = plain(acting.force);
    const Vector3 own_force = here.rotation.transpose_times(force),
                  own_moment = here.rotation.transpose_times(plain(acting.moment));
    const auto put_wrench = [&](const Wrench& w, int row, int k) {
      for (int i = row; i < row + 6; ++i) {
        (k < 6    ? slopes.by_pose(i, k)
         : k < 12 ? slopes.by_velocity(i, k - 6)
                  : slopes.by_state(i, k - 12)) = w[i - row];
      }
    };
    for (int k = 0; k < 12 + n; ++k) {
      Wrench w;
      const Vector3 by_force = part(acting.force, k), by_moment = part(acting.moment, k);
      if (site.on_link) {
        const Vector3 torque = cross(part(point.center, k), force) + cross(at.center, by_force) + by_moment;
        w = site.surface_in_frame.act(Wrench{-torque, -by_force});
        put_wrench(w, 6 * site.curve_frames, k);
      }
      if (!of_surface) {
        Vector3 f = here.rotation.transpose_times(by_force), m = here.rotation.transpose_times(by_moment);
        if (k < 3) f += cross(own_force, twists[k].angular), m += cross(own_moment, twists[k].angular);
        w = {m + cross(here.center, f), f};
        put_wrench(w, 0, k);
      }
      for (int i = 0; i < n; ++i) {
        (k < 6    ? slopes.rate_by_pose(i, k)
         : k < 12 ? slopes.rate_by_velocity(i, k - 6)
                  : slopes.rate_by_state(i, k - 12)) = acting.rates[i].derivative[k];
      }
    }
  }
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion,
                               const T* states) const -> Acting<T> {
  const SeenPoint<T> here = seen_point(site, time, motion);
  const Vector3T<T>& center = here.motion.center;
  const PointActionT<T> at = act_at_point(site, distance<T>(site, center), here.motion, states);
  Acting<T> result;
  for (int i = 0; i < 4; ++i) result.rates[i] = at.rates[i];
  result.stored = at.stored, result.dissipated = at.dissipated;
  const WrenchT<T> on_surface{-(cross(center, at.force) + at.moment), -at.force};
  const Vector3T<T> force = here.rotation.transpose_times(at.force);
  const WrenchT<T> own{here.rotation.transpose_times(at.moment) + cross(here.center, force), force};
  if (site.curve_frames == 0) {
    result.given = -dot(own, here.obstacle);
  } else {
    result.wrench[0] = own;
    if (!site.on_link && places_[static_cast<std::size_t>(site.obstacle)].moves()) {
      result.given = -dot(on_surface, here.obstacle);
    }
  }
  if (site.on_link) result.wrench[site.curve_frames] = constants_of<T>(site.surface_in_frame).act(on_surface);
  return result;
}

}  // namespace cuttle
