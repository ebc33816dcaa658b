#pragma once

#include <type_traits>

#include "model/contact/contact_action.h"
#include "model/contact/contact_flat.h"
#include "model/contact/contact_law.h"
#include "model/contact/contact_point.h"
#include "model/contact/contact_touch.h"
#include "model/contact/flat_pair.h"
#include "model/contact/jet.h"

// Derivatives of what a site does, of doubles: directions are few and in place. For other scalars there is the way
// through `act` with Dual numbers, which is the reference of these (contact_law.cpp). Included by
// contact_slopes_isa.cpp alone, which is compiled for each instruction set.

namespace cuttle {

template <int N>
Vector3T<Jet<N>> jets(const Vector3T<double>& v) {
  return {Jet<N>(v.x), Jet<N>(v.y), Jet<N>(v.z)};
}
template <int N>
void put(Vector3T<Jet<N>>& to, int direction, const Vector3T<double>& by) {
  for (int i = 0; i < 3; ++i) to[i].derivative[direction] = by[i];
}
template <int N>
Vector3T<double> derivative(const Vector3T<Jet<N>>& v, int direction) {
  return {v.x.derivative[direction], v.y.derivative[direction], v.z.derivative[direction]};
}

// Sixteen directions: a motion and a velocity of the frame that moves, six each, and the states.
template <typename S>
template <int k_lanes>
void ContactLawT<S>::point_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                                  const S* states, SiteSlopesT<S>& slopes) const {
  if constexpr (std::is_same_v<S, double>) {
    using J = Jet<16>;
    const SeenPoint<double> here = seen_point(site, time, motion);
    const PointMotionT<double>& at = here.motion;
    PointMotionT<J> point{jets<16>(at.center), jets<16>(at.velocity), jets<16>(at.spin), jets<16>(at.forward)};
    const Vector3& spin = here.surface.angular;
    const bool surface_moves = site.curve_frames == 0;
    // velocity of the point in the world, in the axes of the site's frame or, where the surface moves, of that
    const Twist& V = motion[0].velocity;
    const Vector3 speed = surface_moves ? at.velocity + here.surface.linear + cross(spin, at.center)
                                        : V.linear + cross(V.angular, here.center);
    for (int k = 0; k < 6; ++k) {
      Twist twist;
      twist[k] = 1.0;
      Vector3 by_pose, by_velocity, by_spin;
      if (surface_moves) {
        const Twist own = site.surface_in_frame.act_inverse(twist);
        by_pose = -(own.linear + cross(own.angular, at.center)), by_spin = -own.angular;
        by_velocity = -cross(own.angular, speed);
        put(point.spin, k, -cross(own.angular, at.spin + spin));
      } else {
        by_pose = here.rotation * (twist.linear + cross(twist.angular, here.center));
        by_velocity = here.rotation * cross(twist.angular, speed), by_spin = here.rotation * twist.angular;
        put(point.spin, k, here.rotation * cross(twist.angular, V.angular));
        if (!friction_.is_isotropic() && !site.of_b) {
          put(point.forward, k, here.rotation * cross(twist.angular, site.forward));
        }
      }
      put(point.center, k, by_pose), put(point.velocity, k, by_velocity - cross(spin, by_pose));
      put(point.velocity, 6 + k, by_pose), put(point.spin, 6 + k, by_spin);
    }
    const int n = friction_.state_count();
    J x[4];
    for (int i = 0; i < n; ++i) x[i] = J::variable(states[i], 12 + i);
    const PointTouch<J> touched = touch_point(site, distance_and_bend(site, point.center), point);
    const PointActionT<J> acting = act_at_point(site, touched, x);

    const auto plain = [](const Vector3T<J>& v) { return Vector3{v.x.value, v.y.value, v.z.value}; };
    const Vector3 force = plain(acting.force);
    const Vector3 own_force = here.rotation.transpose_times(force),
                  own_moment = here.rotation.transpose_times(plain(acting.moment));
    for (int k = 0; k < 12 + n; ++k) {
      const auto set = [&](int frame, const Wrench& w) {
        double* to = k < 6    ? &slopes.by_pose(0, k)
                     : k < 12 ? &slopes.by_velocity(0, k - 6)
                              : &slopes.by_state(0, k - 12);
        for (int i = 0; i < 6; ++i) to[6 * frame + i] = w[i];
      };
      const Vector3 by_force = derivative(acting.force, k), by_moment = derivative(acting.moment, k);
      if (!surface_moves) {
        Vector3 f = here.rotation.transpose_times(by_force), m = here.rotation.transpose_times(by_moment);
        if (k < 3) {  // the frame turns below them
          Vector3 axis;
          axis[k] = 1.0;
          f += cross(own_force, axis), m += cross(own_moment, axis);
        }
        set(0, {m + cross(here.center, f), f});
      }
      if (site.on_link) {
        const Vector3 torque = cross(derivative(point.center, k), force) + cross(at.center, by_force) + by_moment;
        set(site.curve_frames, site.surface_in_frame.act(Wrench{-torque, -by_force}));
      }
      double* rates = k < 6    ? &slopes.rate_by_pose(0, k)
                      : k < 12 ? &slopes.rate_by_velocity(0, k - 6)
                               : &slopes.rate_by_state(0, k - 12);
      for (int i = 0; i < n; ++i) rates[i] = acting.rates[i].derivative[k];
    }
  }
}

// Where a site presses depends on poses alone. So there are two sweeps: twelve directions of poses through all of it,
// sixteen of velocities and states through what comes after.
template <typename S>
template <int k_lanes>
void ContactLawT<S>::line_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                                 const S* states, SiteSlopesT<S>& slopes) const {
  if constexpr (std::is_same_v<S, double>) {
    const Relative<double> r = relative(site, time, motion);
    const bool surface_moves = site.curve_frames == 0;
    const int varied = varied_frames(site).varied, n = friction_.state_count();
    const Vector3& spin = r.surface_velocity.angular;
    const SiteCurveT<double> axis(r.count, r.pose, r.twist, site.axis);
    const bool is_flat = is_flat_line(site);
    const FlatSite flat = flat_site(site);
    const DistanceT<double>& plane = planes_[static_cast<std::size_t>(&site - own_.data())];
    const DepthIntervalsT<double> found =
        is_flat ? flat_intervals(flat, FlatLineT<double>::of(plane, axis.curve(), axis.rates()))
                : intervals(site, axis.curve());
    const bool touches_flat = is_flat && found.count > 0;  // else it has a bristle that decays
    const FlatSlopes core = touches_flat ? flat_slopes(site, axis, found, states) : FlatSlopes{};
    if (touches_flat && r.count == 2) return flat_pair_slopes(site, r, axis, core, slopes);
    // of the forces of a line over a plane the derivatives along those of its axis and, from `first_state`, the states
    const auto act_flat = [&]<int N>(SiteCurveT<Jet<N>> curve, int first_input, int first_state) {
      using T = Jet<N>;
      const Vector3& normal = plane.gradient;
      const auto line = FlatLineT<T>::of(plane, curve.curve(), curve.rates());
      T by[FlatSlopes::k_inputs];
      for (int i = 0; i < 4; ++i) by[i] = line.above[i], by[4 + i] = line.rate[i];
      const auto chain = [&](const FlatSlopes::Number& y) {
        return FlatSlopes::along(y, by, first_input, first_state);
      };
      T center(core.center.value);
      for (int m = first_input; m < 4; ++m) {
        for (int i = 0; i < N; ++i) center.derivative[i] += core.center.derivative[m] * by[m].derivative[i];
      }
      Vector3T<T> friction;
      Acting<T> result;
      if (n > 0) {
        const Vector3T<T> slides = sliding_over_plane(flat, normal, curve, center);
        for (int i = 0; i < 3; ++i) by[8 + i] = slides[i];
        for (int i = 0; i < 3; ++i) friction[i] = chain(core.friction[i]);
        for (int i = 0; i < n; ++i) result.rates[i] = chain(core.rates[i]);
      }
      const T forces[4] = {chain(core.forces[0]), chain(core.forces[1]), chain(core.forces[2]), chain(core.forces[3])};
      add_flat_forces(flat, normal, forces, center, friction, curve);
      const Seen<T> here{curve, {}, {}};
      act_on_frames(site, here, result);
      return result;
    };
    const auto run = [&](auto curve, const auto& pressed, const auto* x, const auto& take) {
      using T = std::remove_cv_t<std::remove_reference_t<decltype(*x)>>;
      Seen<T> here{curve, {}, {}};
      const TouchT<T> touched = touch(site, curve, pressed);
      const Acting<T> acting = act_on(site, here, pressed, touched, x);
      take(acting);
    };
    const auto store = [&](const auto& acting, int direction, auto&& of_wrench, auto&& of_rates, int column) {
      for (int f = 0; f < site.frame_count(); ++f) {
        for (int i = 0; i < 6; ++i) of_wrench(6 * f + i, column) = acting.wrench[f][i].derivative[direction];
      }
      for (int i = 0; i < n; ++i) of_rates(i, column) = acting.rates[i].derivative[direction];
    };
    /// The relative motion of a frame, and a direction of it.
    const auto constant = [&]<int N>(PoseT<Jet<N>>& pose, TwistT<Jet<N>>& twist, int k) {
      for (int i = 0; i < 3; ++i) pose.rotation.row(i) = jets<N>(r.pose[k].rotation.row(i));
      pose.position = jets<N>(r.pose[k].position);
      twist = {jets<N>(r.twist[k].angular), jets<N>(r.twist[k].linear)};
    };
    const auto put_rotation = [&](auto& rotation, int direction, const Matrix3& by) {
      for (int i = 0; i < 3; ++i) put(rotation.row(i), direction, by.row(i));
    };
    {
      using J = Jet<12>;
      PoseT<J> pose[2];
      TwistT<J> twist[2];
      for (int k = 0; k < r.count; ++k) {
        constant(pose[k], twist[k], k);
        const Matrix3& R = r.pose[k].rotation;
        const Vector3& p = r.pose[k].position;
        for (int j = 0; j < 6; ++j) {
          Twist by;
          by[j] = 1.0;
          const int direction = 6 * k + j;
          if (surface_moves) {
            by = site.surface_in_frame.act_inverse(by);
            const Vector3 shift = -(by.linear + cross(by.angular, p));
            const Vector3 speed = r.twist[k].linear + r.surface_velocity.linear + cross(spin, p);
            put_rotation(pose[k].rotation, direction, Matrix3::skew(-by.angular) * R);
            put(pose[k].position, direction, shift);
            put(twist[k].angular, direction, -cross(by.angular, r.twist[k].angular + spin));
            put(twist[k].linear, direction, -cross(by.angular, speed) - cross(spin, shift));
          } else {
            const Twist& V = motion[k].velocity;
            const Vector3 shift = R * by.linear;
            put_rotation(pose[k].rotation, direction, R * Matrix3::skew(by.angular));
            put(pose[k].position, direction, shift);
            put(twist[k].angular, direction, R * cross(by.angular, V.angular));
            put(twist[k].linear, direction, R * cross(by.angular, V.linear) - cross(spin, shift));
          }
        }
      }
      const SiteCurveT<J> curve(r.count, pose, twist, constants_of<J>(site.axis));
      const J x[4] = {n > 0 ? states[0] : 0.0, n > 1 ? states[1] : 0.0, n > 2 ? states[2] : 0.0,
                      n > 3 ? states[3] : 0.0};
      const auto take = [&](const auto& acting) {
        for (int c = 0; c < 6 * varied; ++c) store(acting, c, slopes.by_pose, slopes.rate_by_pose, c);
      };
      if (touches_flat) {
        take(act_flat(curve, 0, -1));
      } else {
        run(curve, pressing(site, curve, found), x, take);
      }
    }
    using J = Jet<16>;
    PoseT<J> pose[2];
    TwistT<J> twist[2];
    for (int k = 0; k < r.count; ++k) {
      constant(pose[k], twist[k], k);
      for (int j = 0; j < 6; ++j) {
        Twist by;
        by[j] = 1.0;
        if (surface_moves) {
          by = site.surface_in_frame.act_inverse(by);
          by = {-by.angular, -(by.linear + cross(by.angular, r.pose[k].position))};
        } else {
          by = {r.pose[k].rotation * by.angular, r.pose[k].rotation * by.linear};
        }
        put(twist[k].angular, 6 * k + j, by.angular), put(twist[k].linear, 6 * k + j, by.linear);
      }
    }
    J x[4];
    for (int i = 0; i < n; ++i) x[i] = J::variable(states[i], 12 + i);
    const SiteCurveT<J> curve(r.count, pose, twist, constants_of<J>(site.axis));
    const auto take = [&](const auto& acting) {
      for (int c = 0; c < 6 * varied; ++c) store(acting, c, slopes.by_velocity, slopes.rate_by_velocity, c);
      for (int i = 0; i < n; ++i) store(acting, 12 + i, slopes.by_state, slopes.rate_by_state, i);
    };
    if (touches_flat) {
      take(act_flat(curve, 4, 12));  // places stay
    } else {
      run(curve, pressing(site, axis, found).template constant<J>(), x, take);
    }
  }
}

template <typename S>
template <int k_lanes>
void ContactLawT<S>::jet_slopes(int index, double time, const FrameMotionT<S>* motion, const S* states,
                                SiteSlopesT<S>& slopes) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_one_point(site)) {
    point_slopes<k_lanes>(site, time, motion, states, slopes);
  } else {
    line_slopes<k_lanes>(site, time, motion, states, slopes);
  }
}

}  // namespace cuttle
