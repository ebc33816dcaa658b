#pragma once

#include "model/contact/contact_flat.h"
#include "model/contact/contact_law.h"

// Derivatives of what a piece of a rod does over a plane, by the motion of its two frames: formulas in place, all
// directions beside each other. Included by contact_slopes.h alone.

namespace cuttle {

/// Numbers in all directions: twelve of poses, twelve of velocities, the states.
struct FlatRow {
  static constexpr int k_velocities = 12, k_states = 24, k_size = 32;
  double by[k_size] = {};

  CUTTLE_INLINE void add(double factor, const FlatRow& row) {
    for (int i = 0; i < k_size; ++i) by[i] += factor * row.by[i];
  }
};
struct FlatRows3 {
  FlatRow row[3];

  void put(int direction, const Vector3& v) {
    for (int i = 0; i < 3; ++i) row[i].by[direction] = v[i];
  }
  CUTTLE_INLINE void add(double factor, const FlatRows3& v) {
    for (int i = 0; i < 3; ++i) row[i].add(factor, v.row[i]);
  }
  CUTTLE_INLINE void add(const Vector3& v, const FlatRow& by) {
    for (int i = 0; i < 3; ++i) row[i].add(v[i], by);
  }
  /// factor a x rows.
  CUTTLE_INLINE void add_cross(double factor, const Vector3& a, const FlatRows3& rows) {
    const double x = factor * a.x, y = factor * a.y, z = factor * a.z;
    const auto &p = rows.row[0].by, &q = rows.row[1].by, &r = rows.row[2].by;
    for (int i = 0; i < FlatRow::k_size; ++i) {
      const double u = p[i], v = q[i], w = r[i];
      row[0].by[i] += y * w - z * v;
      row[1].by[i] += z * u - x * w;
      row[2].by[i] += x * v - y * u;
    }
  }
};

/// The piece's cubic between two frames as the surface sees them (SiteCurveT), and what its vectors do in all
/// directions.
struct FlatPair {
  double chord, chord_rate;
  Vector3 direction, z[2];
  FlatRow chord_by;
  FlatRows3 direction_by, z_by[2];
  FlatRow above[4];    ///< of the four vectors along the normal
  FlatRows3 rates[4];  ///< of the four rates
  FlatRows3 spin[2];   ///< of the angular velocities
};

/// @param pose, twist  of the frames in the axes of the surface, relative to it.   @param spin  of the surface.
inline void vary_flat_pair(const Vector3& n, const Pose* pose, const Twist* twist, const Twist& surface, FlatPair& p) {
  const Vector3 apart = pose[1].position - pose[0].position, &spin = surface.angular;
  const Vector3 speed = twist[1].linear - twist[0].linear;
  p.chord = norm(apart), p.direction = (1.0 / p.chord) * apart, p.chord_rate = dot(p.direction, speed);
  Vector3 turning[2];  // w x z
  for (int k = 0; k < 2; ++k) p.z[k] = pose[k].rotation.column(2), turning[k] = cross(twist[k].angular, p.z[k]);
  const double upright[2] = {dot(n, p.z[0]), dot(n, p.z[1])};
  for (int k = 0; k < 2; ++k) {
    const double sign = k == 0 ? -1.0 : 1.0;
    const Vector3 &w = twist[k].angular, whole = w + spin;
    const Vector3 own = twist[k].linear + surface.linear + cross(spin, pose[k].position);
    for (int j = 0; j < 3; ++j) {
      const Vector3 e = pose[k].rotation.column(j);
      {  // the pose turns
        const int i = 6 * k + j;
        const Vector3 by_z = cross(e, p.z[k]), by_spin = cross(e, whole), by_speed = cross(e, own);
        const double rate = sign * dot(p.direction, by_speed);
        p.z_by[k].put(i, by_z), p.spin[k].put(i, by_spin);
        p.above[2 + k].by[i] = p.chord * dot(n, by_z);
        p.rates[k].put(i, by_speed);
        p.rates[3 - k].put(i, rate * p.z[1 - k]);
        p.rates[2 + k].put(i,
                           rate * p.z[k] + p.chord_rate * by_z + p.chord * (cross(by_spin, p.z[k]) + cross(w, by_z)));
      }
      {  // it shifts
        const int i = 6 * k + 3 + j;
        const double longer = sign * dot(p.direction, e);
        const Vector3 by_direction = (1.0 / p.chord) * (sign * e - longer * p.direction), by_speed = -cross(spin, e);
        const double rate = dot(by_direction, speed) + sign * dot(p.direction, by_speed);
        p.chord_by.by[i] = longer, p.direction_by.put(i, by_direction);
        p.above[k].by[i] = dot(n, e);
        p.rates[k].put(i, by_speed);
        for (int l = 0; l < 2; ++l) {
          p.above[2 + l].by[i] = longer * upright[l];
          p.rates[2 + l].put(i, rate * p.z[l] + longer * turning[l]);
        }
      }
      const int i = FlatRow::k_velocities + 6 * k + j;
      p.spin[k].put(i, e), p.rates[2 + k].put(i, p.chord * cross(e, p.z[k]));
      const double rate = sign * dot(p.direction, e);
      p.rates[k].put(i + 3, e);
      for (int l = 0; l < 2; ++l) p.rates[2 + l].put(i + 3, rate * p.z[l]);
    }
  }
}

template <typename S>
template <typename T>
void ContactLawT<S>::flat_pair_slopes(const ContactSiteT<S>& site, const Relative<T>& r, const SiteCurveT<T>& axis,
                                      const FlatSlopes& core, SiteSlopesT<S>& slopes) const {
  const Vector3& n = planes_[static_cast<std::size_t>(&site - own_.data())].gradient;
  const FlatSite flat = flat_site(site);
  const int states = friction_.state_count();
  FlatPair p;
  vary_flat_pair(n, r.pose, r.twist, r.surface_velocity, p);

  // what the law asks for, then what it answers
  FlatRow center;
  for (int i = 0; i < 4; ++i) center.add(core.center.derivative[i], p.above[i]);
  const double t = core.center.value, radius = flat.begin_radius + t * flat.taper;
  const HermiteT<double> h(t), h_slope = HermiteT<double>::slope(t);
  const double shares[] = {h.begin, h.end, h.begin_slope, h.end_slope},
               slopes_of_shares[] = {h_slope.begin, h_slope.end, h_slope.begin_slope, h_slope.end_slope};
  const auto answer = [&](const FlatSlopes::Number& y, const FlatRow* slides, const FlatRow* rises) {
    FlatRow row;
    for (int i = 0; i < 4; ++i) row.add(y.derivative[i], p.above[i]), row.add(y.derivative[4 + i], rises[i]);
    for (int i = 0; states > 0 && i < 3; ++i) row.add(y.derivative[8 + i], slides[i]);
    for (int i = 0; i < FlatSlopes::k_states; ++i)
      row.by[FlatRow::k_states + i] += y.derivative[FlatSlopes::k_inputs + i];
    return row;
  };
  FlatRow rises[4];
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) rises[i].add(n[k], p.rates[i].row[k]);
  }
  FlatRows3 slides;
  Vector3 friction;
  FlatRows3 friction_by;
  if (states > 0) {
    for (int i = 0; i < 4; ++i) slides.add(shares[i], p.rates[i]);
    slides.add_cross(radius * (1.0 - t), n, p.spin[0]), slides.add_cross(radius * t, n, p.spin[1]);
    const Vector3 arm =
        cross(axis.spin(t), flat.taper * n) + cross(r.twist[1].angular - r.twist[0].angular, radius * n);
    slides.add(axis.rates().slope(t) - arm, center);
    for (int k = 0; k < 3; ++k) {
      friction[k] = core.friction[k].value;
      friction_by.row[k] = answer(core.friction[k], slides.row, rises);
    }
    for (int k = 0; k < states; ++k) {
      const FlatRow row = answer(core.rates[k], slides.row, rises);
      for (int c = 0; c < 12; ++c) {
        slopes.rate_by_pose(k, c) = row.by[c], slopes.rate_by_velocity(k, c) = row.by[FlatRow::k_velocities + c];
      }
      for (int c = 0; c < states; ++c) slopes.rate_by_state(k, c) = row.by[FlatRow::k_states + c];
    }
  }

  // forces on the four vectors, and the torque on the sections
  Vector3 force[4];
  FlatRows3 force_by[4];
  for (int i = 0; i < 4; ++i) {
    force[i] = core.forces[i].value * n + shares[i] * friction;
    force_by[i].add(n, answer(core.forces[i], slides.row, rises));
    if (states == 0) continue;
    force_by[i].add(shares[i], friction_by), force_by[i].add(slopes_of_shares[i] * friction, center);
  }
  const Vector3 n_friction = cross(n, friction), torque = -radius * n_friction;
  FlatRows3 torque_by;
  torque_by.add_cross(-radius, n, friction_by), torque_by.add(-flat.taper * n_friction, center);

  // at the frames
  const double stretch = dot(p.z[0], force[2]) + dot(p.z[1], force[3]);
  FlatRow stretch_by;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 3; ++i) {
      stretch_by.add(p.z[k][i], force_by[2 + k].row[i]), stretch_by.add(force[2 + k][i], p.z_by[k].row[i]);
    }
  }
  FlatRows3 on_surface[2];  // torque and force, where it rides on the robot
  for (int k = 0; k < 2; ++k) {
    const double share = k == 0 ? 1.0 - t : t, sign = k == 0 ? -1.0 : 1.0;
    const Vector3& f = force[2 + k];
    const Vector3 turns = cross(p.z[k], f), total = force[k] + (sign * stretch) * p.direction;
    const Vector3 moment = share * torque + p.chord * turns;
    FlatRows3 total_by = force_by[k], moment_by;
    total_by.add(sign * p.direction, stretch_by), total_by.add(sign * stretch, p.direction_by);
    moment_by.add(share, torque_by), moment_by.add(sign * torque, center);
    moment_by.add(turns, p.chord_by);
    moment_by.add_cross(p.chord, p.z[k], force_by[2 + k]), moment_by.add_cross(-p.chord, f, p.z_by[k]);
    if (site.on_link) {
      const Vector3& place = r.pose[k].position;
      on_surface[0].add(-1.0, moment_by), on_surface[0].add_cross(-1.0, place, total_by),
          on_surface[1].add(-1.0, total_by);
      for (int j = 0; j < 3; ++j) {
        const Vector3 shifted = cross(r.pose[k].rotation.column(j), total);
        for (int i = 0; i < 3; ++i) on_surface[0].row[i].by[6 * k + 3 + j] -= shifted[i];
      }
    }
    const auto store = [&](const Vector3& value, const FlatRows3& by, int first_row) {
      const Matrix3& R = r.pose[k].rotation;
      FlatRows3 own;
      for (int i = 0; i < 3; ++i) {
        const Vector3 column = R.column(i);
        for (int j = 0; j < 3; ++j) own.row[i].add(column[j], by.row[j]);
      }
      const Vector3 w = R.transpose_times(value);
      for (int j = 0; j < 3; ++j) {  // the frame turns below it
        Vector3 turn;
        turn[j] = 1.0;
        const Vector3 change = cross(w, turn);
        for (int i = 0; i < 3; ++i) own.row[i].by[6 * k + j] += change[i];
      }
      store_flat(own, 6 * k + first_row, states, slopes);
    };
    store(moment, moment_by, 0), store(total, total_by, 3);
  }
  if (!site.on_link) return;
  const PoseT<double> in_frame = constants_of<double>(site.surface_in_frame);
  FlatRows3 moment, total;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      moment.row[i].add(in_frame.rotation.row(i)[j], on_surface[0].row[j]);
      total.row[i].add(in_frame.rotation.row(i)[j], on_surface[1].row[j]);
    }
  }
  moment.add_cross(1.0, in_frame.position, total);
  store_flat(moment, 12, states, slopes), store_flat(total, 15, states, slopes);
}

template <typename S>
template <typename Rows>
void ContactLawT<S>::store_flat(const Rows& rows, int first, int states, SiteSlopesT<S>& slopes) {
  for (int c = 0; c < 12; ++c) {
    for (int i = 0; i < 3; ++i) {
      slopes.by_pose(first + i, c) = rows.row[i].by[c];
      slopes.by_velocity(first + i, c) = rows.row[i].by[FlatRow::k_velocities + c];
    }
  }
  for (int c = 0; c < states; ++c) {
    for (int i = 0; i < 3; ++i) slopes.by_state(first + i, c) = rows.row[i].by[FlatRow::k_states + c];
  }
}

}  // namespace cuttle
