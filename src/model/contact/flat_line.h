#pragma once

#include <algorithm>
#include <cmath>

#include "model/contact/contact_touch.h"
#include "model/contact/depth_intervals.h"
#include "model/contact/friction_law.h"
#include "model/contact/jet.h"
#include "model/contact/site_curve.h"

// Lines over a plane, with friction that is the same in all directions: the depth is one cubic, by the heights of the
// line's four vectors, so all sums are of numbers and not of vectors. Of doubles alone; `pressing` and `touch` are the
// same law over any surface. Included by contact_law.cpp and contact_slopes.h.

namespace cuttle {

/// Numbers of a site.
struct FlatSite {
  double begin_radius, taper, range, stiffness, dissipation;
};

/// Along the normal of the plane: the four vectors of the line, and their rates.
template <typename T>
struct FlatLineT {
  T above[4], rate[4];

  /// @param plane  the distance of the origin of the surface's axes.
  static FlatLineT of(const DistanceT<double>& plane, const CubicT<T>& curve, const CubicT<T>& rates) {
    const Vector3& n = plane.gradient;
    const auto along = [&](const Vector3T<T>& v) { return n.x * v.x + n.y * v.y + n.z * v.z; };
    return {{plane.value + along(curve.begin), plane.value + along(curve.end), along(curve.begin_tangent),
             along(curve.end_tangent)},
            {along(rates.begin), along(rates.end), along(rates.begin_tangent), along(rates.end_tangent)}};
  }
  template <typename U>
  static auto by(const T* four, const HermiteT<U>& h) {
    return h.begin * four[0] + h.end * four[1] + h.begin_slope * four[2] + h.end_slope * four[3];
  }
};

/// Where it is below the plane.
inline DepthIntervalsT<double> flat_intervals(const FlatSite& site, const FlatLineT<double>& line) {
  const double least = 1e-9 * site.range, *a = line.above;
  // the depth is within the hull of these
  const double hull[] = {site.begin_radius - a[0], site.begin_radius + (site.taper - a[2]) / 3.0 - a[0],
                         site.begin_radius + site.taper + (a[3] - site.taper) / 3.0 - a[1],
                         site.begin_radius + site.taper - a[1]};
  const auto [low, high] = std::minmax({hull[0], hull[1], hull[2], hull[3]});
  DepthIntervalsT<double> found;
  if (!(high > least)) return found;
  if (low > least) {
    found.intervals[0] = {0.0, 1.0, false, false}, found.count = 1;
    return found;
  }
  const auto depth = [&](double t) {
    return DepthT<double>{site.begin_radius + t * site.taper - FlatLineT<double>::by(a, HermiteT<double>(t)),
                          site.taper - FlatLineT<double>::by(a, HermiteT<double>::slope(t))};
  };
  const double steepest = 1.5 * std::abs(a[1] - a[0]) + std::abs(a[2]) + std::abs(a[3]) + std::abs(site.taper);
  return depth_intervals<double>(depth, steepest, least);
}

/// How it presses, without stiffness.
template <typename T>
struct FlatPressedT {
  bool touches = false;
  T force{}, energy{}, slope{};                   ///< sums of h, H and h'
  T force_rate{}, energy_rate{}, slope_rate{};    ///< and how they change
  T center{};                                     ///< of pressure, along the line
  T by_energy[4]{}, by_force[4]{}, damping[4]{};  ///< derivatives of -H and -h by the heights; what damps, at these
  T dissipated{};
};

template <typename T>
FlatPressedT<T> press_flat(const FlatSite& site, const FlatLineT<T>& line, const DepthIntervalsT<double>& found) {
  static const FivePoints<double> k_points;
  const double range = site.range;
  FlatPressedT<T> p;
  const auto share = [](T* to, const auto& h, const T& amount) {
    to[0] += h.begin * amount, to[1] += h.end * amount, to[2] += h.begin_slope * amount, to[3] += h.end_slope * amount;
  };
  const auto depth_at = [&](const auto& t, const auto& h) {
    return site.begin_radius + t * site.taper - FlatLineT<T>::by(line.above, h);
  };
  // ends that stay are plain numbers, and so are the shares of the samples between them
  const auto add_part = [&]<typename U>(const U& begin, const U& end, bool begins_at_root, bool ends_at_root) {
    const U length = end - begin;
    T energy_by_begin(0.0), energy_by_end(0.0), force_by_begin(0.0), force_by_end(0.0);
    for (int k = 0; k < 5; ++k) {
      const double part = k_points.at[k], weight = k_points.weight[k];
      const U t = begin + part * length, w = weight * length;
      const HermiteT<U> h(t);
      const T d = depth_at(t, h), rate = -1.0 * FlatLineT<T>::by(line.rate, h);
      T force(0.0), slope(0.0), energy(0.0);
      if (d > T(range)) {
        force = d - 0.5 * range, slope = T(1.0), energy = 0.5 * force * force + range * range / 24.0;
      } else if (d > T(0.0)) {
        slope = (1.0 / range) * d, force = 0.5 * d * slope, energy = (1.0 / 3.0) * d * force;
        p.slope_rate += (1.0 / range) * (w * rate);
      }
      const T of_force = w * force, of_slope = w * slope, sinks = of_force * rate;
      p.energy += w * energy, p.force += of_force, p.slope += of_slope, p.center += of_force * t;
      p.energy_rate += sinks, p.force_rate += of_slope * rate;
      share(p.by_energy, h, of_force), share(p.by_force, h, of_slope);
      if (site.dissipation > 0.0) {
        const T damps = site.dissipation * rate > T(-1.0) ? site.dissipation * sinks : -1.0 * of_force;
        share(p.damping, h, damps), p.dissipated += damps * rate;
      }
      if (!begins_at_root && !ends_at_root) continue;
      const T along = length * (site.taper - FlatLineT<T>::by(line.above, HermiteT<U>::slope(t)));
      const T energy_along = along * force, force_along = along * slope;
      energy_by_begin += weight * ((1.0 - part) * energy_along - energy);
      energy_by_end += weight * (part * energy_along + energy);
      force_by_begin += weight * ((1.0 - part) * force_along - force);
      force_by_end += weight * (part * force_along + force);
    }
    const auto add_end = [&](const U& t, const T& energy, const T& force) {
      const T slope = site.taper - FlatLineT<T>::by(line.above, HermiteT<U>::slope(t));
      if (!(slope > T(0.0)) && !(slope < T(0.0))) return;
      const T inverse = T(-1.0) / (slope + (1e-5 * range * range) / slope);
      const HermiteT<U> h(t);
      share(p.by_energy, h, energy * inverse), share(p.by_force, h, force * inverse);
    };
    if (begins_at_root) add_end(begin, energy_by_begin, force_by_begin);
    if (ends_at_root) add_end(end, energy_by_end, force_by_end);
  };
  for (int i = 0; i < found.count; ++i) {
    const auto& interval = found.intervals[static_cast<std::size_t>(i)];
    if (!interval.begins_at_root && !interval.ends_at_root) {
      add_part(interval.begin, interval.end, false, false);
      continue;
    }
    const auto refined = [&](double value, bool is_root) {
      T t(value);
      if (!is_root) return t;
      for (int step = 0; step < k_nesting<T>; ++step) {
        const T slope = site.taper - FlatLineT<T>::by(line.above, HermiteT<T>::slope(t));
        if (slope > T(0.0) || slope < T(0.0)) t -= depth_at(t, HermiteT<T>(t)) / slope;
      }
      return t;
    };
    add_part(refined(interval.begin, interval.begins_at_root), refined(interval.end, interval.ends_at_root),
             interval.begins_at_root, interval.ends_at_root);
  }
  p.touches = p.energy > T(0.0) && p.force > T(0.0);
  if (p.touches) p.center = p.center / p.force;
  return p;
}

/// What friction needs of that, but for what slides: `normal`, `along` and `sliding` are left.
template <typename T>
TouchT<T> touch_flat(const FlatSite& site, double share, const FlatPressedT<T>& p) {
  TouchT<T> touch;
  touch.touches = p.touches;
  if (!p.touches) return touch;
  const T inverse = T(1.0) / p.force, by_energy = T(1.0) / p.energy, ratio = p.force * by_energy;
  const T whole = bounded_whole<T>((p.by_energy[0] + p.by_energy[1]) * inverse);
  const T squeeze = 2.0 * (p.energy * inverse * inverse);
  const T product = squeeze * p.slope;
  touch.normal_force = site.stiffness * (p.force * whole);
  touch.stiffness = (0.5 * share * site.stiffness) * (p.force * ratio);
  touch.reach = (2.0 / share) * (p.energy * inverse * whole);
  touch.reach_rate = touch.reach * (p.energy_rate * by_energy - p.force_rate * inverse);
  touch.coupling = (2.0 / share) * (whole * (squeeze * (p.by_force[0] + p.by_force[1]) - whole));
  touch.coupling_rate =
      (2.0 / share) * (2.0 * ((p.slope_rate * p.energy + p.slope * p.energy_rate) * inverse * inverse) -
                       2.0 * (product * p.force_rate * inverse));
  return touch;
}

/// The velocity of the surface point under the center of pressure, before what is along the normal is taken away.
template <typename T>
Vector3T<T> sliding_over_plane(const FlatSite& site, const Vector3& n, const SiteCurveT<T>& axis, const T& center) {
  const T radius = site.begin_radius + center * site.taper;
  const Vector3T<T> w = axis.spin(center), v = axis.rates().at(center);
  return v - radius * Vector3T<T>{w.y * n.z - w.z * n.y, w.z * n.x - w.x * n.z, w.x * n.y - w.y * n.x};
}

/// The four numbers along the normal that the line's forces are, friction aside. @param load  see bent_load.
template <typename T, typename P>
void flat_forces(const FlatSite& site, const P& p, const BentLoadT<T>& load, T* forces) {
  for (int i = 0; i < 4; ++i) {
    forces[i] = load.by_energy * p.by_energy[i] + load.by_force * p.by_force[i] + site.stiffness * p.damping[i];
  }
}

/// The forces on the line: those along the normal, and a bristle's at the center of pressure.
template <typename T>
void add_flat_forces(const FlatSite& site, const Vector3& n, const T* forces, const T& center,
                     const Vector3T<T>& friction, SiteCurveT<T>& axis) {
  const auto normal = [&](const T& f) { return Vector3T<T>{n.x * f, n.y * f, n.z * f}; };
  axis.add(CubicT<T>{normal(forces[0]), normal(forces[1]), normal(forces[2]), normal(forces[3])});
  const T radius = site.begin_radius + center * site.taper;
  const Vector3T<T>& f = friction;
  const Vector3T<T> n_f{n.y * f.z - n.z * f.y, n.z * f.x - n.x * f.z, n.x * f.y - n.y * f.x};
  axis.add(center, friction, -(radius * n_f));
}

}  // namespace cuttle
