#pragma once

#include <cmath>
#include <type_traits>

#include "model/contact/contact_law.h"
#include "model/contact/depth_intervals.h"
#include "model/contact/jet.h"

// Where a site of a contact is beside its surface, where it presses there, and what friction needs of that. Included by
// contact_law.cpp alone.

namespace cuttle {

/// How often derivatives are nested in a scalar: as many steps of Newton's method, from a root in values, make it
/// exact.
template <typename T>
inline constexpr int k_nesting = 0;
template <typename T, int N>
inline constexpr int k_nesting<Dual<T, N>> = 1 + k_nesting<T>;
template <int N>
inline constexpr int k_nesting<Jet<N>> = 1;

/// A distance where its point moves. `by_point`: derivatives of the Hessian along the axes; null: not asked for.
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
  result.gradient = {combine(g.x, H.xx, H.xy, H.xz), combine(g.y, H.xy, H.yy, H.yz), combine(g.z, H.xz, H.yz, H.zz)};
  if (by_point == nullptr) return result;
  const auto of_hessian = [&](double SymmetricMatrix3T<double>::*entry) {
    return combine(H.*entry, by_point[0].*entry, by_point[1].*entry, by_point[2].*entry);
  };
  using Symmetric = SymmetricMatrix3T<double>;
  result.hessian = {of_hessian(&Symmetric::xx), of_hessian(&Symmetric::yy), of_hessian(&Symmetric::zz),
                    of_hessian(&Symmetric::xy), of_hessian(&Symmetric::xz), of_hessian(&Symmetric::yz)};
  return result;
}

/// With its Hessian's derivatives.
template <typename S>
template <typename T>
DistanceT<T> ContactLawT<S>::distance_and_bend(const ContactSiteT<S>& site, const Vector3T<T>& x) const {
  if constexpr (k_is_jet<T>) {
    const Vector3T<double> at{x.x.value, x.y.value, x.z.value};
    const DistanceT<double> d = distance<double>(site, at);
    if (flats_[static_cast<std::size_t>(&site - own_.data())] != 0) return along_jets(d, nullptr, x);
    Vector3T<D> variable;
    for (int i = 0; i < 3; ++i) variable[i] = D::variable(at[i], i);
    const SymmetricMatrix3T<D> H = distance<D>(site, variable).hessian;
    SymmetricMatrix3T<double> by_point[3];
    for (int i = 0; i < 3; ++i) {
      by_point[i] = {H.xx.derivative[i], H.yy.derivative[i], H.zz.derivative[i],
                     H.xy.derivative[i], H.xz.derivative[i], H.yz.derivative[i]};
    }
    return along_jets(d, by_point, x);
  } else {
    return distance(site, x);
  }
}

/// Gauss-Legendre quadrature on [0, 1].
template <typename V>
struct FivePoints {
  V at[5], weight[5];
  FivePoints() {
    const V root = std::sqrt(V(10) / 7), near = std::sqrt(5 - 2 * root) / 3, far = std::sqrt(5 + 2 * root) / 3;
    const V more = 13 * std::sqrt(V(70)), x[5] = {-far, -near, 0, near, far};
    const V w[5] = {(322 - more) / 900, (322 + more) / 900, V(128) / 225, (322 + more) / 900, (322 - more) / 900};
    for (int i = 0; i < 5; ++i) at[i] = (1 + x[i]) / 2, weight[i] = w[i] / 2;
  }
};

template <typename T, typename S>
Vector3T<T> constants_of(const Vector3T<S>& v) {
  return {T(v.x), T(v.y), T(v.z)};
}
template <typename T, typename S>
PoseT<T> constants_of(const PoseT<S>& pose) {
  if constexpr (std::is_same_v<T, S>) {
    return pose;
  } else {
    const Matrix3T<S>& R = pose.rotation;
    return {{constants_of<T>(R.row0), constants_of<T>(R.row1), constants_of<T>(R.row2)},
            constants_of<T>(pose.position)};
  }
}
template <typename T, typename S>
TwistT<T> constants_of(const TwistT<S>& twist) {
  return {constants_of<T>(twist.angular), constants_of<T>(twist.linear)};
}
template <typename T, typename S>
CubicT<T> constants_of(const CubicT<S>& curve) {
  if constexpr (std::is_same_v<T, S>) {
    return curve;
  } else {
    return curve.template constant<T>();
  }
}

/// Where a line presses, along its axis: mean of the samples by their forces.
template <typename P>
auto center_of_pressure(const P& pressed) {
  std::remove_cvref_t<decltype(pressed.force)> center(0.0);
  for (int i = 0; i < pressed.sample_count; ++i) {
    const auto& s = pressed.samples[i];
    center += s.weight * s.penalty.force * s.t;
  }
  return center / pressed.force;
}

/// What to divide by the slope of the depth where a part ends. With exact sums there would be nothing: their energy is
/// zero there. Where two parts grow together the slope is zero too, and what a sum misses would be without limit.
template <typename T>
T bounded_slope(const T& slope, const T& range) {
  return slope + T(1e-5) * range * range / slope;
}

/// The slope of the stored energy over the sum of h: 1, but for what quadrature misses. Where the nearest point of what
/// is touched jumps, as over a corner of a grid, it may be anything; a cone has a size.
template <typename T>
T bounded_whole(const T& whole) {
  return select(whole > T(0.1), whole, T(0.1));
}

/// Change of the stored energy with the sums of H and h, and what a bristle stores over k_t.
template <typename T>
struct BentLoadT {
  T by_energy, by_force, bent_energy;
  bool is_long;
};
/// Beyond its longest L = w l a bristle stores k_t L (|xi| - L / 2), where k_t L = w f_e, and L f_e / 2 is as H.
/// @param bent2  |xi|^2.
template <typename S, typename T>
BentLoadT<T> bent_load(const FrictionLawT<S>& friction, bool of_point, const T& stiffness, const T& force,
                       const T& energy, const TouchT<T>& touching, const T& bent2) {
  const T zero(0.0), one(1.0), share(friction.share());
  const T longest = T(friction.longest()), most = longest * touching.reach;
  const LengthT<T> length(bent2);
  BentLoadT<T> load{stiffness, zero, zero, !friction.is_smooth() && length.value > most};
  if (load.is_long) {
    const T of_energy(of_point ? 5.0 / 6.0 : 1.0);
    load.by_energy = stiffness * (one - of_energy * longest * longest / share);
    load.by_force = stiffness * longest * length.value;
  } else if (!of_point) {
    const T ratio = force / energy;
    load.by_energy = stiffness * (one - T(0.25) * share * bent2 * ratio * ratio);
    load.by_force = T(0.5) * share * stiffness * bent2 * ratio;
  }
  load.bent_energy = load.is_long ? most * (length.value - T(0.5) * most) : T(0.5) * bent2;
  return load;
}

/// What friction needs of an area that is pressed, but for its velocities. @param half_bent  half of the stiffness of
/// bristles where h is linear.   @param two_over_share  2 / share of that.   @param rate  of the depth.
template <typename T>
void set_area_touch(TouchT<T>& touch, const PenaltyT<T>& h, const T& half_bent, const T& two_over_share,
                    const T& rate) {
  const T ratio = h.force / h.energy;
  touch.stiffness = half_bent * h.force * ratio;
  touch.reach = two_over_share / ratio;
  // of k_t = s h^2 / (2 H): k_t' h / k_t^2 by d
  const T product = T(2.0) * h.slope / (h.force * ratio);
  touch.reach_rate = touch.reach * (ratio - h.slope / h.force) * rate;
  touch.coupling = two_over_share * (product - T(1.0));
  touch.coupling_rate =
      two_over_share * rate *
      (T(2.0) * (h.bend * h.energy + h.slope * h.force) / (h.force * h.force) - T(2.0) * product * h.slope / h.force);
}

/// A site beside the surface.
template <typename S>
template <typename T>
struct ContactLawT<S>::Seen {
  SiteCurveT<T> curve;
  PoseT<T> surface;    ///< in the world
  TwistT<T> obstacle;  ///< velocity of the obstacle, in its own axes
};

/// Frames of a curve as the surface sees them.
template <typename S>
template <typename T>
struct ContactLawT<S>::Relative {
  int count = 1;
  PoseT<T> pose[2];
  TwistT<T> twist[2];          ///< at their origins, in the axes of the surface
  PoseT<T> surface;            ///< in the world
  TwistT<T> surface_velocity;  ///< in its own axes
  TwistT<T> obstacle;          ///< velocity of the obstacle, in its own axes
};

template <typename S>
template <typename T>
auto ContactLawT<S>::relative(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const
    -> Relative<T> {
  FrameMotionT<T> obstacle;
  if (site.obstacle >= 0) {
    const FrameMotionT<S> place = places_[static_cast<std::size_t>(site.obstacle)].at(time);
    obstacle.pose = constants_of<T>(place.pose), obstacle.velocity = constants_of<T>(place.velocity);
  }
  PoseT<T> surface = obstacle.pose;
  TwistT<T> surface_velocity = obstacle.velocity;
  if (site.on_link) {
    const FrameMotionT<T>& frame = motion[site.curve_frames];
    const PoseT<T> in_frame = constants_of<T>(site.surface_in_frame);
    surface = frame.pose * in_frame, surface_velocity = in_frame.act_inverse(frame.velocity);
  }
  const FrameMotionT<T>* carrier = site.curve_frames == 0 ? &obstacle : motion;
  Relative<T> result;
  result.count = site.curve_frames == 0 ? 1 : site.curve_frames;
  result.surface = surface, result.surface_velocity = surface_velocity, result.obstacle = obstacle.velocity;
  for (int k = 0; k < result.count; ++k) {
    result.pose[k] = surface.inverse() * carrier[k].pose;
    const Matrix3T<T>& R = result.pose[k].rotation;
    const TwistT<T>& V = carrier[k].velocity;
    result.twist[k] = {
        R * V.angular - surface_velocity.angular,
        R * V.linear - surface_velocity.linear - cross(surface_velocity.angular, result.pose[k].position)};
  }
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::seen(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const -> Seen<T> {
  const Relative<T> r = relative(site, time, motion);
  return {SiteCurveT<T>(r.count, r.pose, r.twist, constants_of<T>(site.axis)), r.surface, r.obstacle};
}

template <typename S>
template <typename T>
DistanceT<T> ContactLawT<S>::distance(const ContactSiteT<S>& site, const Vector3T<T>& x) const {
  const auto index = static_cast<std::size_t>(&site - own_.data());
  if constexpr (k_is_jet<T>) {  // along the directions; the Hessian as it is
    return along_jets(distance<double>(site, {x.x.value, x.y.value, x.z.value}), nullptr, x);
  } else if (flats_[index] != 0) {  // no call for a plane
    const DistanceT<S>& plane = planes_[index];
    const Vector3T<T> normal = constants_of<T>(plane.gradient);
    return {T(plane.value) + dot(normal, x), normal, {}};
  } else {
    return surface_distance(site, x);
  }
}

template <typename S>
template <typename T>
DistanceT<T> ContactLawT<S>::surface_distance(const ContactSiteT<S>& site, const Vector3T<T>& x) const {
  DistanceT<T> d = site.surface->at(x);
  if (!is_inside(site)) return d;
  return {-d.value, -d.gradient, SymmetricMatrix3T<T>{} - d.hessian};
}

/// Where a site presses: at some points of its axis, each with its share.
template <typename S>
template <typename T>
struct ContactLawT<S>::Pressing {
  struct Sample {
    T t, weight, depth;
    Vector3T<T> normal;
    PenaltyT<T> penalty;
  };
  /// An end of an interval that moves with the surface: how the sums change with it, and the depth along the axis.
  struct End {
    T t, energy, force, depth_slope;
    Vector3T<T> normal;
  };
  bool touches = false;
  Sample samples[5 * DepthIntervalsT<double>::k_most];
  int sample_count = 0;
  End ends[2 * DepthIntervalsT<double>::k_most];
  int end_count = 0;
  T force{}, energy{};  ///< sums of h and H
  double deepest = 0.0;

  /// For a scalar that has T inside.
  template <typename U>
  Pressing<U> constant() const {
    const auto vector = [](const Vector3T<T>& v) { return Vector3T<U>{U(v.x), U(v.y), U(v.z)}; };
    Pressing<U> result;
    result.touches = touches, result.sample_count = sample_count, result.end_count = end_count;
    result.force = U(force), result.energy = U(energy), result.deepest = deepest;
    for (int i = 0; i < sample_count; ++i) {
      const Sample& s = samples[i];
      result.samples[i] = {U(s.t),
                           U(s.weight),
                           U(s.depth),
                           vector(s.normal),
                           {U(s.penalty.force), U(s.penalty.slope), U(s.penalty.energy), U(s.penalty.bend)}};
    }
    for (int i = 0; i < end_count; ++i) {
      const End& e = ends[i];
      result.ends[i] = {U(e.t), U(e.energy), U(e.force), U(e.depth_slope), vector(e.normal)};
    }
    return result;
  }
};

template <typename S>
auto ContactLawT<S>::intervals(const ContactSiteT<S>& site, const CubicT<Value>& curve) const
    -> DepthIntervalsT<Value> {
  using V = Value;
  if (site.kind != ContactSiteT<S>::Kind::line) return {};
  const V begin_radius = scalar_cast<V>(site.begin_radius), taper = scalar_cast<V>(site.end_radius) - begin_radius;
  const auto depth = [&](const V& t) {
    const DistanceT<S> d = distance<S>(site, constants_of<S>(curve.at(t)));
    return DepthT<V>{begin_radius + t * taper - scalar_cast<V>(d.value),
                     taper - dot(d.gradient.template cast<V>(), curve.slope(t))};
  };
  const V steepest =
      norm(curve.end - curve.begin) * V(1.5) + norm(curve.begin_tangent) + norm(curve.end_tangent) + std::abs(taper);
  DepthIntervalsT<V> found = depth_intervals<V>(depth, steepest, V(1e-9) * scalar_cast<V>(site.range));
  // Where two parts grow together their ends run, and with them what the sums miss. Over patches that is much.
  if (patched_[static_cast<std::size_t>(&site - own_.data())] != 0) {
    for (int quarter = 1; quarter < 4; ++quarter) found.cut_at(V(quarter) / 4);
  }
  return found;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::pressing(const ContactSiteT<S>& site, const SiteCurveT<T>& axis) const -> Pressing<T> {
  return pressing(site, axis, intervals(site, axis.curve().template cast<Value>()));
}

template <typename S>
template <typename T>
auto ContactLawT<S>::pressing(const ContactSiteT<S>& site, const SiteCurveT<T>& axis,
                              const DepthIntervalsT<Value>& found) const -> Pressing<T> {
  using V = Value;
  Pressing<T> result;
  const CubicT<T>& curve = axis.curve();
  const T range(site.range);
  if (site.kind != ContactSiteT<S>::Kind::line) {
    const DistanceT<T> d = distance<T>(site, curve.begin);
    auto& sample = result.samples[0];
    sample.t = T(0.0), sample.weight = T(1.0), sample.depth = T(site.begin_radius) - d.value;
    sample.normal = d.gradient;
    sample.penalty = site.kind == ContactSiteT<S>::Kind::point ? hertz_penalty(sample.depth, range)
                                                               : linear_penalty(sample.depth, range);
    result.deepest = scalar_cast<double>(sample.depth);
    result.sample_count = 1;
    result.touches = sample.depth > T(0.0) && result.deepest > 1e-9 * scalar_cast<double>(range);
    result.force = sample.penalty.force, result.energy = sample.penalty.energy;
    return result;
  }

  const auto radius = [&](const T& t) { return T(site.begin_radius) + t * T(site.end_radius - site.begin_radius); };
  const T taper(site.end_radius - site.begin_radius);
  result.deepest = static_cast<double>(found.deepest);
  result.touches = found.count > 0;

  static const FivePoints<V> k_points;
  for (int i = 0; i < found.count; ++i) {
    const auto& interval = found.intervals[static_cast<std::size_t>(i)];
    // the roots in the caller's scalar
    const auto refined = [&](const V& value, bool is_root) {
      T t{value};
      if (!is_root) return t;
      for (int step = 0; step < k_nesting<T>; ++step) {
        const DistanceT<T> d = distance<T>(site, curve.at(t));
        const T slope = taper - dot(d.gradient, curve.slope(t));
        const bool regular = slope > T(0.0) || slope < T(0.0);
        t -= select(regular, (radius(t) - d.value) / select(regular, slope, T(1.0)), T(0.0));
      }
      return t;
    };
    const T begin = refined(interval.begin, interval.begins_at_root),
            end = refined(interval.end, interval.ends_at_root);
    const T length = end - begin;
    T energy_by_begin(0.0), energy_by_end(0.0), force_by_begin(0.0), force_by_end(0.0);
    for (int k = 0; k < 5; ++k) {
      const T part(k_points.at[k]), weight(k_points.weight[k]);
      auto& sample = result.samples[result.sample_count++];
      sample.t = begin + part * length, sample.weight = weight * length;
      const DistanceT<T> d = distance<T>(site, curve.at(sample.t));
      sample.depth = radius(sample.t) - d.value, sample.normal = d.gradient;
      sample.penalty = linear_penalty(sample.depth, range);
      result.energy += sample.weight * sample.penalty.energy;
      result.force += sample.weight * sample.penalty.force;
      const T along = length * (taper - dot(d.gradient, curve.slope(sample.t)));
      const T energy_along = along * sample.penalty.force, force_along = along * sample.penalty.slope;
      energy_by_begin += weight * ((T(1.0) - part) * energy_along - sample.penalty.energy);
      energy_by_end += weight * (part * energy_along + sample.penalty.energy);
      force_by_begin += weight * ((T(1.0) - part) * force_along - sample.penalty.force);
      force_by_end += weight * (part * force_along + sample.penalty.force);
    }
    const auto add_end = [&](const T& t, const T& energy, const T& force) {
      const DistanceT<T> d = distance<T>(site, curve.at(t));
      const T slope = taper - dot(d.gradient, curve.slope(t));
      if (!(slope > T(0.0)) && !(slope < T(0.0))) return;
      result.ends[result.end_count++] = {t, energy, force, bounded_slope(slope, range), d.gradient};
    };
    if (interval.begins_at_root) add_end(begin, energy_by_begin, force_by_begin);
    if (interval.ends_at_root) add_end(end, energy_by_end, force_by_end);
  }
  result.touches = result.touches && result.energy > T(0.0) && result.force > T(0.0);
  return result;
}

template <typename S>
template <typename T>
TouchT<T> ContactLawT<S>::touch(const ContactSiteT<S>& site, const SiteCurveT<T>& axis,
                                const Pressing<T>& pressing) const {
  using Kind = typename ContactSiteT<S>::Kind;
  TouchT<T> result;
  if (!pressing.touches) return result;
  result.touches = true;
  const T stiffness(site.stiffness), zero(0.0), share(friction_.share());
  const CubicT<T>&curve = axis.curve(), &rates = axis.rates();

  // centre of pressure, and how the sums move
  const T center = site.kind == Kind::line ? center_of_pressure(pressing) : zero;
  T center_rate = zero, energy_rate = zero, force_rate = zero, slope = zero, slope_rate = zero;
  for (int i = 0; i < pressing.sample_count; ++i) {
    const auto& s = pressing.samples[i];
    const T depth_rate = -dot(s.normal, rates.at(s.t));
    slope += s.weight * s.penalty.slope;
    slope_rate += s.weight * s.penalty.bend * depth_rate;
    energy_rate += s.weight * s.penalty.force * depth_rate;
    force_rate += s.weight * s.penalty.slope * depth_rate;
    center_rate += s.weight * s.penalty.slope * depth_rate * (s.t - center);
  }
  center_rate = center_rate / pressing.force;

  result.normal_force = stiffness * pressing.force;
  if (site.kind == Kind::point) {
    const auto& s = pressing.samples[0];
    result.stiffness = share * stiffness * s.penalty.slope;
    result.reach = pressing.force / (share * s.penalty.slope);
    // l = d / 1.2, where the depth is not below the least one
    const T depth_rate = -dot(s.normal, rates.at(s.t));
    result.reach_rate = select(s.depth > T(site.range), depth_rate / (T(1.5) * share), zero);
    result.coupling = T(1.0) / (T(3.0) * share);  // h h'' / h'^2 = 1/3
  } else {
    const T ratio = pressing.force / pressing.energy;
    result.stiffness = T(0.5) * share * stiffness * pressing.force * ratio;
    result.reach = T(2.0) / (share * ratio);
    result.reach_rate = result.reach * (energy_rate / pressing.energy - force_rate / pressing.force);
    // of k_t = share F^2 / (2 E), with F' = G and E' = F
    const T product = T(2.0) * slope * pressing.energy / (pressing.force * pressing.force);
    const T product_rate =
        T(2.0) * (slope_rate * pressing.energy + slope * energy_rate) / (pressing.force * pressing.force) -
        T(2.0) * product * force_rate / pressing.force;
    result.coupling_rate = T(2.0) / share * product_rate;
    // The conservative normal force is the slope of the stored energy along the normal, which sums of h and h' by
    // quadrature miss a little; the cone is of the force that acts.
    T energy_slope = pressing.force, force_slope = slope;
    for (int i = 0; i < pressing.end_count; ++i) {
      energy_slope -= pressing.ends[i].energy / pressing.ends[i].depth_slope;
      force_slope -= pressing.ends[i].force / pressing.ends[i].depth_slope;
    }
    const T whole = bounded_whole<T>(energy_slope / pressing.force);
    const T bent = T(2.0) * force_slope * pressing.energy / (pressing.force * pressing.force);
    result.normal_force *= whole, result.reach *= whole, result.reach_rate *= whole;
    result.coupling = T(2.0) / share * whole * (bent - whole);
  }

  const DistanceT<T> d = distance_and_bend<T>(site, curve.at(center));
  const Vector3T<T>& n = d.gradient;
  const Vector3T<T> v = rates.at(center);
  const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
  result.normal = n;
  const Vector3T<T> slides = v - cross(axis.spin(center), radius * n);
  result.sliding = slides - dot(n, slides) * n;
  Vector3T<T> moves = v;
  if (site.kind == Kind::line) moves += center_rate * curve.slope(center);
  result.normal_rate = d.hessian * moves;

  const bool by_axis = !any(dot(site.forward, site.forward) > S(0.0));
  Vector3T<T> along;
  if (site.of_b) {
    along = -constants_of<T>(site.surface_in_frame.rotation.transpose_times(site.forward));
  } else if (by_axis) {
    const Vector3T<T> tangent = curve.slope(center);
    along = (T(1.0) / LengthT<T>(dot(tangent, tangent)).given) * tangent;
  } else {
    along = axis.turned(constants_of<T>(site.forward));
  }
  result.along = along - dot(n, along) * n;
  return result;
}

}  // namespace cuttle
