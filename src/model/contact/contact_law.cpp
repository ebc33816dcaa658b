#include "model/contact/contact_law.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "model/contact/depth_intervals.h"
#include "model/pose_at.h"

namespace cuttle {
namespace {

/// How often derivatives are nested in a scalar: as many steps of Newton's method, from a root in values, make it
/// exact.
template <typename T>
inline constexpr int k_nesting = 0;
template <typename T, int N>
inline constexpr int k_nesting<Dual<T, N>> = 1 + k_nesting<T>;

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

}  // namespace

template <typename S>
FrameMotionT<S> ObstaclePlaceT<S>::at(double time) const {
  if (!moves()) return {pose_, {}, {}};
  const Pose moved = pose_at(motion_, time, {});
  Twist velocity;
  const auto rates = [&](const std::array<Signal, 3>& signals) {
    return Vector3{signals[0].derivative(time), signals[1].derivative(time), signals[2].derivative(time)};
  };
  if (motion_.position) velocity.linear = moved.rotation.transpose_times(rates(*motion_.position));
  if (motion_.rpy) {
    // w = r' e_x + p' (0, cr, -sr) + y' (-sp, sr cp, cr cp) in its own axes
    const auto& [roll, pitch, yaw] = *motion_.rpy;
    const double cr = std::cos(roll.at(time)), sr = std::sin(roll.at(time));
    const double cp = std::cos(pitch.at(time)), sp = std::sin(pitch.at(time));
    const Vector3 rate = rates(*motion_.rpy);
    velocity.angular = {rate.x - rate.z * sp, rate.y * cr + rate.z * sr * cp, -rate.y * sr + rate.z * cr * cp};
  }
  return {pose_ * moved.template cast<S>(), velocity.template cast<S>(), {}};
}

template <typename S>
ContactLawT<S>::ContactLawT(const ContactT<S>& contact, std::vector<FrameT<S>> frames, ContactPlanT<S> plan,
                            const std::vector<ObstacleT<S>>& obstacles)
    : own_(std::move(plan.sites)), dissipation_(contact.dissipation), friction_(contact.friction) {
  this->name_ = contact.name;
  this->frames_ = std::move(frames);
  this->pairs_ = std::move(plan.pairs);
  for (const auto& obstacle : obstacles) {
    places_.emplace_back(obstacle);
    inside_.push_back(obstacle.inside ? 1 : 0);
  }
  for (const auto& site : own_) {
    Site bound;
    bound.frame = {site.frames[0], site.frames[1]}, bound.frame_count = site.frame_count;
    bound.pair = plan.pair_of_site[this->sites_.size()];
    bound.state = this->state_count_, bound.state_count = friction_.state_count();
    this->state_count_ += bound.state_count;
    this->sites_.push_back(bound);
  }
}

/// A site beside the surface.
template <typename S>
template <typename T>
struct ContactLawT<S>::Seen {
  SiteCurveT<T> curve;
  PoseT<T> surface;        ///< in the world
  TwistT<T> obstacle;      ///< velocity of the obstacle, in its own axes
  PoseT<T> site_world[2];  ///< of the site's frames
};

template <typename S>
template <typename T>
auto ContactLawT<S>::seen(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const -> Seen<T> {
  const FrameMotionT<S> place = places_[static_cast<std::size_t>(site.obstacle)].at(time);
  const PoseT<T> obstacle = constants_of<T>(place.pose);
  const TwistT<T> obstacle_velocity = constants_of<T>(place.velocity);
  PoseT<T> surface = obstacle, world[2] = {motion[0].pose, motion[site.frame_count - 1].pose};
  TwistT<T> surface_velocity = obstacle_velocity,
            velocity[2] = {motion[0].velocity, motion[site.frame_count - 1].velocity};
  if (site.of_obstacle) {
    const PoseT<T> in_frame = constants_of<T>(site.surface_in_frame);
    surface = motion[0].pose * in_frame, surface_velocity = in_frame.act_inverse(motion[0].velocity);
    world[0] = obstacle, velocity[0] = obstacle_velocity;
  }
  PoseT<T> relative[2];
  TwistT<T> twists[2];
  for (int k = 0; k < site.frame_count; ++k) {
    relative[k] = surface.inverse() * world[k];
    const Matrix3T<T>& R = relative[k].rotation;
    twists[k] = {
        R * velocity[k].angular - surface_velocity.angular,
        R * velocity[k].linear - surface_velocity.linear - cross(surface_velocity.angular, relative[k].position)};
  }
  return {SiteCurveT<T>(site.frame_count, relative, twists, constants_of<T>(site.axis)),
          surface,
          obstacle_velocity,
          {world[0], world[1]}};
}

template <typename S>
template <typename T>
DistanceT<T> ContactLawT<S>::distance(const ContactSiteT<S>& site, const Vector3T<T>& x) const {
  DistanceT<T> d = site.surface->at(x);
  if (inside_[static_cast<std::size_t>(site.obstacle)] == 0) return d;
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
};

template <typename S>
template <typename T>
auto ContactLawT<S>::pressing(const ContactSiteT<S>& site, const SiteCurveT<T>& axis) const -> Pressing<T> {
  using V = typename ScalarTraits<S>::Precision;
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
  // intervals in values
  const CubicT<V> values = curve.template cast<V>();
  const V begin_radius = scalar_cast<V>(site.begin_radius),
          taper_value = scalar_cast<V>(site.end_radius) - begin_radius;
  const auto depth = [&](const V& t) {
    const DistanceT<S> d = distance<S>(site, constants_of<S>(values.at(t)));
    return DepthT<V>{begin_radius + t * taper_value - scalar_cast<V>(d.value),
                     taper_value - dot(d.gradient.template cast<V>(), values.slope(t))};
  };
  const V steepest = norm(values.end - values.begin) * V(1.5) + norm(values.begin_tangent) + norm(values.end_tangent) +
                     std::abs(taper_value);
  const DepthIntervalsT<V> found = depth_intervals<V>(depth, steepest, V(1e-9) * scalar_cast<V>(site.range));
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
      result.ends[result.end_count++] = {t, energy, force, slope, d.gradient};
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
  T center = zero, center_rate = zero, energy_rate = zero, force_rate = zero, slope = zero, slope_rate = zero;
  if (site.kind == Kind::line) {
    for (int i = 0; i < pressing.sample_count; ++i) {
      const auto& s = pressing.samples[i];
      center += s.weight * s.penalty.force * s.t;
    }
    center = center / pressing.force;
  }
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
    result.coupling = T(2.0) / share * (product - T(1.0)), result.coupling_rate = T(2.0) / share * product_rate;
  }

  const DistanceT<T> d = distance<T>(site, curve.at(center));
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
  if (site.of_obstacle) {
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

template <typename S>
template <typename T>
auto ContactLawT<S>::act(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion, const T* states) const
    -> Acting<T> {
  using Kind = typename ContactSiteT<S>::Kind;
  Acting<T> result;
  Seen<T> here = seen(site, time, motion);
  SiteCurveT<T>& axis = here.curve;
  const Pressing<T> pressed = pressing(site, axis);
  const TouchT<T> touching = touch(site, axis, pressed);
  BristleT<T> bristle;
  T bent2(0.0);  // |xi|^2
  if (!friction_.is_smooth()) {
    bristle = friction_.at(touching, states);
    for (int i = 0; i < 3; ++i) bent2 += states[i] * states[i];
  }
  for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  if (!pressed.touches) return result;

  const T stiffness(site.stiffness), zero(0.0), one(1.0), share(friction_.share());
  // change of the stored energy with the sums of H and h
  T by_energy = stiffness, by_force = zero;
  if (site.kind != Kind::point) {
    const T ratio = pressed.force / pressed.energy;
    by_energy = stiffness * (one - T(0.25) * share * bent2 * ratio * ratio);
    by_force = T(0.5) * share * stiffness * bent2 * ratio;
  }
  for (int i = 0; i < pressed.sample_count; ++i) {
    const auto& s = pressed.samples[i];
    const T depth_rate = -dot(s.normal, axis.rates().at(s.t));
    const T elastic = stiffness * s.weight * s.penalty.force;
    const T damped = one + T(dissipation_) * depth_rate;
    const T damping = elastic * (select(damped > zero, damped, zero) - one);
    T push = by_energy * s.weight * s.penalty.force + by_force * s.weight * s.penalty.slope;
    if (site.kind == Kind::point) {  // k_t' |xi|^2 / 2, k_t = 0.8 k h'
      const T more = T(0.5) * share * stiffness * T(0.5) * s.penalty.slope * bent2;
      push += select(s.depth > T(site.range), more / s.depth, zero);
    }
    axis.add(s.t, (push + damping) * s.normal);
    result.dissipated += damping * depth_rate;
  }
  for (int i = 0; i < pressed.end_count; ++i) {
    const auto& e = pressed.ends[i];
    const T push = -(by_energy * e.energy + by_force * e.force) / e.depth_slope;
    axis.add(e.t, push * e.normal);
  }
  result.stored = stiffness * pressed.energy + T(0.5) * touching.stiffness * bent2;

  if (!friction_.is_smooth()) {
    T center(0.0);
    if (site.kind == Kind::line) {
      for (int i = 0; i < pressed.sample_count; ++i) {
        const auto& s = pressed.samples[i];
        center += s.weight * s.penalty.force * s.t;
      }
      center = center / pressed.force;
    }
    const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
    axis.add(center, bristle.force, -cross(radius * touching.normal, bristle.force));
    result.dissipated += bristle.dissipated;
  }

  WrenchT<T> on_surface;  // at its origin, in its axes
  for (int k = 0; k < site.frame_count; ++k) {
    const WrenchT<T> w = axis.wrench(k);
    on_surface -= WrenchT<T>{w.torque + cross(axis.origin(k), w.force), w.force};
    result.wrench[k] = axis.in_frame(k, w);
  }
  if (site.of_obstacle) {
    result.given = -dot(result.wrench[0], here.obstacle);
    result.wrench[0] = constants_of<T>(site.surface_in_frame).act(on_surface);
  } else {
    result.given = -dot(on_surface, here.obstacle);
  }
  return result;
}

template <typename S>
bool ContactLawT<S>::may_act(int index, double time, const FrameMotionT<S>* motion, const S* states) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  for (int i = 0; i < friction_.state_count(); ++i) {
    if (any(states[i] < S(0.0)) || any(states[i] > S(0.0)) || states[i] != states[i]) return true;
  }
  const PoseT<S> obstacle = places_[static_cast<std::size_t>(site.obstacle)].at(time).pose;
  S reach(site.reach);
  Vector3T<S> x;
  if (site.of_obstacle) {
    const PoseT<S> surface = motion[0].pose * site.surface_in_frame;
    x = surface.inverse().act(obstacle.act(S(0.5) * (site.axis.begin + site.axis.end)));
  } else if (site.frame_count == 1) {
    x = obstacle.inverse().act(motion[0].pose.act(S(0.5) * (site.axis.begin + site.axis.end)));
  } else {
    const Vector3T<S>&a = motion[0].pose.position, &b = motion[1].pose.position;
    x = obstacle.inverse().act(S(0.5) * (a + b));
    reach += S(0.8) * norm(b - a);  // the cubic leaves its chord by at most 0.3 of it
  }
  const S d = distance<S>(site, x).value;
  return !(d > reach);
}

template <typename S>
void ContactLawT<S>::evaluate(int index, double time, const FrameMotionT<S>* motion, const S* states,
                              SiteActionT<S>& action) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  const Acting<S> acting = act<S>(site, time, motion, states);
  for (int k = 0; k < 2; ++k) action.wrench[static_cast<std::size_t>(k)] = acting.wrench[k];
  for (int i = 0; i < 4; ++i) action.rates[static_cast<std::size_t>(i)] = acting.rates[i];
  action.stored_energy = acting.stored, action.dissipated_power = acting.dissipated, action.given_power = acting.given;
}

template <typename S>
void ContactLawT<S>::solve_states(int index, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                                  S* states) const {
  using V = typename ScalarTraits<S>::Precision;
  using Along = Dual<V, 4>;
  const int n = friction_.state_count();
  if (n == 0) return;
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  const SiteCurveT<S> axis = seen(site, time, motion).curve;
  const TouchT<S> touching = touch(site, axis, pressing(site, axis));
  const TouchT<V> values = touching.template cast<V>();
  const TouchT<Along> constant = values.template constant<Along>();
  const FrictionLawT<V> friction = friction_.template cast<V>();

  using Vector = Eigen::Matrix<V, Eigen::Dynamic, 1, 0, 4, 1>;
  using Matrix = Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;
  Vector start(n);
  for (int i = 0; i < n; ++i) start[i] = scalar_cast<V>(offset[i]);
  // residual x - start - step rates(x), and its slope
  const auto residual = [&](const Vector& x, V step, Matrix* slope) {
    Along variables[4];
    for (int i = 0; i < n; ++i) variables[i] = Along::variable(x[i], i);
    const BristleT<Along> bristle = friction.at(constant, variables);
    Vector r(n);
    for (int i = 0; i < n; ++i) {
      r[i] = x[i] - start[i] - step * bristle.rates[i].value;
      if (slope == nullptr) continue;
      for (int j = 0; j < n; ++j) (*slope)(i, j) = V(i == j ? 1 : 0) - step * bristle.rates[i].derivative[j];
    }
    return r;
  };
  const V scale = (values.touches ? values.reach : V(0)) * V(1e-3);
  const auto size = [&](const Vector& r) {  // the coefficient is of the order of one
    V sum = r.template head<3>().squaredNorm();
    if (n == 4) sum += r[3] * r[3] * scale * scale;
    return std::sqrt(sum);
  };
  // Newton's method that never lets the residual grow, for the first `count` states; from x, which it leaves at the
  // root if it finds it
  const auto newton = [&](Vector& x, V step, int count) {
    Matrix slope(n, n);
    const auto part_of = [&](Vector r) {
      r.tail(n - count).setZero();
      return r;
    };
    Vector r = part_of(residual(x, step, &slope));
    V now = size(r);
    int nudges = 0;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const V enough = 8 * std::numeric_limits<V>::epsilon() * (size(x) + size(start) + V(1e-30));
      Vector change = Vector::Zero(n);
      change.head(count) = -slope.topLeftCorner(count, count).partialPivLu().solve(r.head(count));
      if (!change.allFinite()) return false;
      V part = 1;
      bool falls = false;
      for (int halving = 0; halving < 30 && !falls; ++halving, part /= 2) {
        const Vector next = x + part * change;
        const V then = size(part_of(residual(next, step, nullptr)));
        if (!(then < (1 - V(1e-4) * part) * now)) continue;
        x = next, falls = true;
      }
      if (!falls) {
        // at a corner of the law, whose slopes are those of its other side: a little way over it
        if (now <= V(1e3) * enough) return true;
        if (nudges == 3) return now <= V(1e5) * enough;
        const V nudge = V(nudges == 0 ? 1e-9 : (nudges == 1 ? 1e-6 : 1e-4)) * (size(x) + size(start));
        x += nudge / std::max(size(change), nudge) * change;
        ++nudges;
      }
      r = part_of(residual(x, step, &slope)), now = size(r);
      if (now <= enough) return true;
    }
    return false;
  };
  // the same by following the solution from a step of zero
  const auto follow = [&](Vector& x, V step, int count) {
    V done = 0, stride = V(1) / 8;
    for (int tries = 0; done < 1 && tries < 300; ++tries) {
      const V next = std::min(V(1), done + stride);
      Vector to = x;
      if (newton(to, next * step, count)) {
        x = to, done = next, stride *= 2;
      } else {
        stride /= 4;
      }
    }
    return done >= 1;
  };

  // a first guess: the elastic step, cut back into the cone
  const auto guess = [&](Vector x, V step) {
    if (!values.touches) return x;
    const Vector3T<V> moved = Vector3T<V>{x[0], x[1], x[2]} + step * values.sliding;
    for (int i = 0; i < 3; ++i) x[i] = moved[i];
    if (n == 4) x[3] = V(0);
    V trial[4];
    for (int i = 0; i < n; ++i) trial[i] = x[i];
    const V used = friction.at(values, trial).used;
    if (used > V(0.99)) x.template head<3>() *= V(0.99) / used;
    return x;
  };
  const V whole = static_cast<V>(factor);
  Vector x = guess(start, whole);
  bool found = newton(x, whole, n);
  if (!found) {
    x = start;
    found = newton(x, whole, n) || (x = start, follow(x, whole, n));
  }
  if (!found && n == 4) {
    // the coefficient outside, by bisection: its equation changes sign, whatever bristle belongs to it
    const auto at_coefficient = [&](V value, Vector& to) {
      to = start, to[3] = value;
      to = guess(to, whole), to[3] = value;
      if (newton(to, whole, 3)) return true;
      to = start, to[3] = value;
      return follow(to, whole, 3);
    };
    V low = std::min(V(0), start[3]) - scalar_cast<V>(friction_.ratio()), high = std::max(V(0), start[3]);
    found = true;
    for (int i = 0; i < 200 && found; ++i) {
      const V middle = (low + high) / 2;
      if (!(middle > low && middle < high)) break;
      found = at_coefficient(middle, x);
      (found && residual(x, whole, nullptr)[3] < 0 ? low : high) = middle;
    }
  }
  if (!found) {  // down the residual itself, which friction lets shrink, and from there
    x = start;
    Matrix slope(n, n);
    for (int i = 0; i < 4000 && !found; ++i) {
      const Vector r = residual(x, whole, &slope);
      x -= V(0.5) / slope.norm() * r;
      if (i % 400 == 399) found = newton(x, whole, n);
    }
  }
  if (!found) {  // whoever takes the step sees that it has none
    for (int i = 0; i < n; ++i) states[i] = S(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int i = 0; i < n; ++i) states[i] = S(x[i]);
  if constexpr (k_nesting < S >> 0) {  // its derivatives: one more step
    Matrix slope(n, n);
    residual(x, whole, &slope);
    const Matrix inverse = slope.inverse();
    const BristleT<S> bristle = friction_.at(touching, states);
    S r[4];
    for (int i = 0; i < n; ++i) r[i] = states[i] - offset[i] - S(factor) * bristle.rates[i];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        // the value stays the root; rounding in r is no change of it
        S change = S(inverse(i, j)) * r[j];
        change.value = V(0);
        states[i] -= change;
      }
    }
  }
}

template <typename S>
void ContactLawT<S>::slopes(int index, double time, const FrameMotionT<S>* motion, const S* states,
                            SiteSlopesT<S>& slopes) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  slopes.by_pose.setZero(), slopes.by_velocity.setZero(), slopes.by_state.setZero();
  slopes.rate_by_pose.setZero(), slopes.rate_by_velocity.setZero(), slopes.rate_by_state.setZero();
  const int frames = site.frame_count, per = 6 * frames, n = friction_.state_count();
  const int total = 2 * per + n;
  for (int first = 0; first < total; first += 8) {
    const auto direction = [&](int variable) {
      return variable >= first && variable < first + 8 ? variable - first : -1;
    };
    const auto seeded = [&](const S& value, int variable) {
      const int k = direction(variable);
      return k < 0 ? D(value) : D::variable(value, k);
    };
    FrameMotionT<D> moved[2];
    for (int f = 0; f < frames; ++f) {
      Vector3T<D> turn, shift;
      for (int i = 0; i < 3; ++i) {
        turn[i] = seeded(S(0.0), 6 * f + i), shift[i] = seeded(S(0.0), 6 * f + 3 + i);
        moved[f].velocity.angular[i] = seeded(motion[f].velocity.angular[i], per + 6 * f + i);
        moved[f].velocity.linear[i] = seeded(motion[f].velocity.linear[i], per + 6 * f + 3 + i);
      }
      const PoseT<D> step{Matrix3T<D>::identity() + Matrix3T<D>::skew(turn), shift};  // exp(zeta) to first order
      moved[f].pose = constants_of<D>(motion[f].pose) * step;
    }
    D x[4];
    for (int i = 0; i < n; ++i) x[i] = seeded(states[i], 2 * per + i);
    const Acting<D> acting = act<D>(site, time, moved, x);
    for (int variable = first; variable < std::min(total, first + 8); ++variable) {
      const int k = variable - first;
      const auto put = [&](auto& of_wrench, auto& of_rates, int column) {
        for (int f = 0; f < frames; ++f) {
          for (int i = 0; i < 6; ++i) of_wrench(6 * f + i, column) = acting.wrench[f][i].derivative[k];
        }
        for (int i = 0; i < n; ++i) of_rates(i, column) = acting.rates[i].derivative[k];
      };
      if (variable < per) {
        put(slopes.by_pose, slopes.rate_by_pose, variable);
      } else if (variable < 2 * per) {
        put(slopes.by_velocity, slopes.rate_by_velocity, variable - per);
      } else {
        put(slopes.by_state, slopes.rate_by_state, variable - 2 * per);
      }
    }
  }
}

template <typename S>
template <typename T>
void ContactLawT<S>::rest(const ContactSiteT<S>& site, double time, const PoseT<T>* start,
                          const FrameMotionT<T>* motion, T* states) const {
  const SiteCurveT<T> axis = seen(site, time, motion).curve;
  const Pressing<T> pressed = pressing(site, axis);
  const TouchT<T> touching = touch(site, axis, pressed);
  if (!touching.touches) {
    for (int i = 0; i < friction_.state_count(); ++i) states[i] = T(0.0);
    return;
  }
  FrameMotionT<T> before[2];
  for (int k = 0; k < site.frame_count; ++k) before[k].pose = start[k];
  const SiteCurveT<T> then = seen(site, time, before).curve;
  T center(0.0);
  if (site.kind == ContactSiteT<S>::Kind::line) {
    for (int i = 0; i < pressed.sample_count; ++i) {
      const auto& s = pressed.samples[i];
      center += s.weight * s.penalty.force * s.t;
    }
    center = center / pressed.force;
  }
  const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
  const Vector3T<T> arm = -(radius * touching.normal);
  const Vector3T<T> moved =
      axis.curve().at(center) + arm - then.curve().at(center) - axis.turned_back(center, arm, then.frames());
  friction_.rest(touching, moved, states);
}

template <typename S>
void ContactLawT<S>::rest_states(int index, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                                 S* states) const {
  rest<S>(own_[static_cast<std::size_t>(index)], time, start, motion, states);
}

template <typename S>
void ContactLawT<S>::rest_state_slopes(int index, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                                       typename SiteSlopesT<S>::template Matrix<4, 12>& by_pose) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  by_pose.setZero();
  const int frames = site.frame_count;
  for (int f = 0; f < frames; ++f) {
    FrameMotionT<D> moved[2];
    PoseT<D> before[2];
    for (int g = 0; g < frames; ++g) {
      before[g] = constants_of<D>(start[g]);
      moved[g].pose = constants_of<D>(motion[g].pose);
      moved[g].velocity = constants_of<D>(motion[g].velocity);
    }
    Vector3T<D> turn, shift;
    for (int i = 0; i < 3; ++i) turn[i] = D::variable(S(0.0), i), shift[i] = D::variable(S(0.0), 3 + i);
    moved[f].pose = moved[f].pose * PoseT<D>{Matrix3T<D>::identity() + Matrix3T<D>::skew(turn), shift};
    D x[4];
    rest<D>(site, time, before, moved, x);
    for (int i = 0; i < friction_.state_count(); ++i) {
      for (int j = 0; j < 6; ++j) by_pose(i, 6 * f + j) = x[i].derivative[j];
    }
  }
}

template <typename S>
SiteObservation ContactLawT<S>::observe(int index, double time, const FrameMotionT<S>* motion, const S* states) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  const Seen<S> here = seen(site, time, motion);
  const Pressing<S> pressed = pressing(site, here.curve);
  const TouchT<S> touching = touch(site, here.curve, pressed);
  SiteObservation result;
  result.gap = -pressed.deepest;
  const CubicT<S>& curve = here.curve.curve();
  S center = site.kind == ContactSiteT<S>::Kind::line ? S(0.5) : S(0.0);
  if (touching.touches && site.kind == ContactSiteT<S>::Kind::line) {
    center = S(0.0);
    for (int i = 0; i < pressed.sample_count; ++i) {
      const auto& s = pressed.samples[i];
      center += s.weight * s.penalty.force * s.t;
    }
    center = center / pressed.force;
  }
  const DistanceT<S> d = distance<S>(site, curve.at(center));
  const S radius = site.begin_radius + center * (site.end_radius - site.begin_radius);
  const S sign(site.of_obstacle ? -1.0 : 1.0);
  const auto to_world = [&](const Vector3T<S>& x) { return (here.surface.rotation * x).template cast<double>(); };
  result.position = here.surface.act(curve.at(center) - radius * d.gradient).template cast<double>();
  result.normal = to_world(sign * d.gradient);
  if (!touching.touches) return result;
  const Acting<S> acting = act<S>(site, time, motion, states);
  // what is not friction is normal: the resultant of both is known
  WrenchT<S> total;  // on the robot, in the axes of the surface
  for (int k = 0; k < site.frame_count; ++k) {
    const Matrix3T<S>& R = site.of_obstacle ? motion[0].pose.rotation : motion[k].pose.rotation;
    total.force += here.surface.rotation.transpose_times(R * acting.wrench[k].force);
  }
  BristleT<S> bristle;
  if (!friction_.is_smooth()) bristle = friction_.at(touching, states);
  const Vector3T<S> friction = sign * bristle.force;
  result.friction = to_world(friction);
  result.normal_force = scalar_cast<double>(norm(total.force - friction));
  result.slip = scalar_cast<double>(norm(touching.sliding));
  result.pressure = result.normal_force / scalar_cast<double>(site.weight);
  result.touch = friction_.is_smooth() || scalar_cast<double>(bristle.used) > 0.5 * (1.0 + k_flow_begin)
                     ? SiteObservation::Touch::slips
                     : SiteObservation::Touch::sticks;
  return result;
}

template <typename S>
double ContactLawT<S>::longest_step(int index, double time, const FrameMotionT<S>* motion) const {
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  const SiteCurveT<S> axis = seen(site, time, motion).curve;
  const bool inside = inside_[static_cast<std::size_t>(site.obstacle)] != 0;
  const double wall =
      inside ? std::numeric_limits<double>::infinity() : scalar_cast<double>(site.surface->half_thickness());
  double step = std::numeric_limits<double>::infinity();
  const int points = site.kind == ContactSiteT<S>::Kind::line ? 5 : 1;
  for (int i = 0; i < points; ++i) {
    const S t(points == 1 ? 0.0 : static_cast<double>(i) / (points - 1));
    const DistanceT<S> d = distance<S>(site, axis.curve().at(t));
    const double closing = -scalar_cast<double>(dot(d.gradient, axis.rates().at(t)));
    if (!(closing > 0.0)) continue;
    const double radius = scalar_cast<double>(site.begin_radius + t * (site.end_radius - site.begin_radius));
    const double above = std::max(0.0, scalar_cast<double>(d.value) - radius);
    // its axis may go to the middle of the wall
    const double room = above + radius + std::min(wall, site.thickness);
    step = std::min(step, 0.5 * room / closing);
  }
  return step;
}

template <typename S>
double ContactLawT<S>::deepest(int index) const {
  return own_[static_cast<std::size_t>(index)].thickness;
}

#define CUTTLE_INSTANTIATE(S)       \
  template class ObstaclePlaceT<S>; \
  template class ContactLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
