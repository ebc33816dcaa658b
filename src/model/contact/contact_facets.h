#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "model/contact/contact_law.h"
#include "model/contact/contact_touch.h"
#include "model/contact/facet.h"
#include "model/contact/facet_rim.h"
#include "model/contact/piece_hull.h"

// The point of a facet of one deforming volume beside a facet of another one, or of the same one. The depth d is that
// below the facet's plane; alpha the share that this facet has of a small disc about the point (facet.h). The site
// stores
//
//   E = alpha (k H(d) + k_t(d) |xi|^2 / 2),
//
// a function of four points: the point and the corners. Forces are its gradient, so they and their moments add up to
// nothing. Friction acts at the point and at the material below it, which moves with the foot and turns with the
// normal. Everything is in the axes of the frame of the facet's first corner. Included by contact_law.cpp alone.
//
// Or the point is one of a rod's axis: then the depth is its radius less the distance to the facet (facet_rim.h), and
// friction acts at the surface of the rod.

namespace cuttle {

/// The four points of a site. The frames are those of the point, of corners 1 and 2, and of corner 0.
template <typename S>
template <typename T>
struct ContactLawT<S>::SeenFacet {
  std::array<Vector3T<T>, 3> corner, velocity;
  Vector3T<T> point, point_velocity;
  Vector3T<T> spin;                          ///< of the point's frame, of a rod
  Matrix3T<T> rotation[k_most_site_frames];  ///< of the frames
  FacetT<T> facet;
};

template <typename S>
template <typename T>
auto ContactLawT<S>::seen_facet(const FacetSite& site, const FrameMotionT<T>* motion) const -> SeenFacet<T> {
  const FrameMotionT<T>& axes = motion[3];
  const TwistT<T>& W = axes.velocity;
  Matrix3T<T> rotation[k_most_site_frames];
  Vector3T<T> x[3], v[3];
  for (int k = 0; k < 3; ++k) {
    rotation[k] = axes.pose.rotation.transpose() * motion[k].pose.rotation;
    x[k] = axes.pose.rotation.transpose_times(motion[k].pose.position - axes.pose.position);
    v[k] = rotation[k] * motion[k].velocity.linear - W.linear - cross(W.angular, x[k]);
  }
  const std::array<Vector3T<T>, 3> corner{Vector3T<T>{}, x[1], x[2]}, velocity{Vector3T<T>{}, v[1], v[2]};
  return {corner,
          velocity,
          x[0],
          v[0],
          is_round(site) ? rotation[0] * motion[0].velocity.angular - W.angular : Vector3T<T>{},
          {rotation[0], rotation[1], rotation[2], Matrix3T<T>::identity()},
          FacetT<T>(corner, x[0])};
}

/// Where a point presses on a facet.
template <typename S>
template <typename T>
struct ContactLawT<S>::PressedFacet {
  FacetShareT<T> part;
  PenaltyT<T> penalty;
  T depth_rate{};
  TouchT<T> touch;
  FacetRimT<T> rim;
  // where friction acts
  T below{};        ///< of the facet's plane
  T weight[3]{};    ///< of the corners
  Vector3T<T> arm;  ///< of a rod: from its axis
};

template <typename S>
bool ContactLawT<S>::is_within(const FacetSite& site, const FacetValues& at, const FacetT<double>& facet) const {
  const auto& of = facet_of(site);
  const double disc = point_of(site).disc, radius = scalar_cast<double>(point_of(site).radius);
  if (!(facet.depth > -radius && facet.depth < k_facet_cut * of.half)) return false;
  for (std::size_t e = 0; e < 3; ++e) {
    const FacetCut& cut = of.cuts.cuts[e];
    const double narrow = is_round(site) && cut.narrow > 1.0 ? point_of(site).sharp_narrow : cut.narrow;
    if (!(narrow * (facet.within[e] - cut.inset * facet.depth) > -disc)) return false;
  }
  return radius - rim_in_values(site, at, facet).distance > 0.0 || !is_round(site);
}

/// Without edges its distance is that of the plane.
template <typename S>
FacetRimT<double> ContactLawT<S>::rim_in_values(const FacetSite& site, const FacetValues& at,
                                                const FacetT<double>& facet) const {
  FacetRimT<double> rim;
  if (is_round(site)) {
    rim = FacetRimT<double>::of(facet, at.corner, at.point, facet_of(site).cuts, point_of(site).width_at_edges());
  }
  if (rim.count == 0) rim.distance = -facet.depth, rim.normal = facet.normal;
  return rim;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::pressed_facet(const FacetSite& site, const SeenFacet<T>& here) const -> PressedFacet<T> {
  const auto& point = point_of(site);
  const auto& of = facet_of(site);
  const FacetT<T>& facet = here.facet;
  PressedFacet<T> result;
  TouchT<T>& touch = result.touch;
  const T radius(point.radius);
  T depth_here = facet.depth;
  FacetRimT<T>& rim = result.rim;
  if (is_round(site)) {
    rim = FacetRimT<T>::of(facet, here.corner, here.point, of.cuts, point.width_at_edges());
    depth_here = radius + (rim.count > 0 ? -rim.distance : facet.depth);
  }
  if (!(scalar_cast<double>(depth_here) > 1e-9 * scalar_cast<double>(point.range)) ||
      !(scalar_cast<double>(facet.depth) < k_facet_cut * of.half)) {
    return result;
  }
  result.part = facet_share(facet, here.corner, here.point, of.cuts, point.disc, point.sharp_narrow);
  if (!(result.part.share > T(k_least_share))) return result;
  touch.touches = true;
  result.penalty = linear_penalty(depth_here, T(point.range));
  const Vector3T<T> normal_rate = facet.normal_rate(here.velocity);
  const Vector3T<T> apart = here.point_velocity - facet.at_foot(here.velocity);
  result.depth_rate = -dot(facet.normal, apart);
  touch.normal = facet.normal, touch.normal_rate = normal_rate;
  result.below = depth_here;
  std::copy(std::begin(facet.weight), std::end(facet.weight), std::begin(result.weight));
  if (is_round(site)) {
    if (rim.count > 0) {
      const auto rates = rim.rates(facet, here.corner, here.point, here.velocity, here.point_velocity);
      result.depth_rate = -rates.distance;
      touch.normal = rim.normal, touch.normal_rate = rates.normal;
      result.below = facet.depth + radius * dot(facet.normal, rim.normal);
      for (std::size_t k = 0; k < 3; ++k) result.weight[k] -= radius * dot(facet.slope[k], rim.normal);
    }
    result.arm = -(radius * touch.normal);
  }
  if (friction_.is_smooth()) return result;
  const S& share = friction_.share();
  touch.normal_force = T(point.stiffness) * result.part.share * result.penalty.force;
  set_area_touch(touch, result.penalty, T(S(0.5) * share * point.stiffness) * result.part.share, T(S(2.0) / share),
                 result.depth_rate);
  if (is_round(site)) {
    touch.sliding = apart + result.below * normal_rate + cross(here.spin, result.arm);
    for (std::size_t k = 0; k < 3; ++k) touch.sliding += (facet.weight[k] - result.weight[k]) * here.velocity[k];
    touch.sliding -= dot(touch.normal, touch.sliding) * touch.normal;
  } else {
    touch.sliding = apart + result.depth_rate * facet.normal + result.below * normal_rate;
  }
  if (!friction_.is_isotropic()) {  // the z axis of a material frame of side a, or of the section of a rod
    const Vector3T<T> z = site.of_b ? Vector3T<T>{T(0.0), T(0.0), T(-1.0)} : here.rotation[0].column(2);
    touch.along = z - dot(touch.normal, z) * touch.normal;
  }
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_on_facet(const FacetSite& site, const SeenFacet<T>& here, const PressedFacet<T>& pressed,
                                  const T* states) const -> Acting<T> {
  const TouchT<T>& touch = pressed.touch;
  Acting<T> result;
  BristleT<T> bristle;
  T bent2(0.0);  // |xi|^2
  if (!friction_.is_smooth()) {
    bristle = friction_.at(touch, states);
    for (int i = 0; i < 3; ++i) bent2 += states[i] * states[i];
  }
  for (int i = 0; i < friction_.state_count(); ++i) result.rates[i] = bristle.rates[i];
  if (!touch.touches) return result;
  const FacetT<T>& facet = here.facet;
  const Vector3T<T>& n = facet.normal;
  const FacetRimT<T>& rim = pressed.rim;
  const PenaltyT<T>& h = pressed.penalty;
  const T zero(0.0), one(1.0), stiffness = T(point_of(site).stiffness) * pressed.part.share;
  const BentLoadT<T> load = bent_load(friction_, false, stiffness, h.force, h.energy, touch, bent2);
  const T damped = one + T(dissipation_) * pressed.depth_rate;
  const T damping = stiffness * h.force * (select(damped > zero, damped, zero) - one);
  const T push = load.by_energy * h.force + load.by_force * h.slope + damping;
  result.stored = stiffness * h.energy + touch.stiffness * load.bent_energy;
  result.dissipated = damping * pressed.depth_rate + bristle.dissipated;

  const Vector3T<T>& f = bristle.force;
  Vector3T<T> on_point = push * (rim.count > 0 ? rim.by_point : n) + f, on_corner[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const T turning = pressed.below * dot(f, facet.slope[k]);
    if (rim.count > 0) {
      on_corner[k] = push * rim.by_corners[k] - turning * n - pressed.weight[k] * f;
    } else {
      on_corner[k] = -(facet.weight[k] * push + turning) * n - facet.weight[k] * f;
    }
  }
  if (!pressed.part.all) {
    const T by_share = result.stored / pressed.part.share;
    on_point -= by_share * pressed.part.by_point;
    for (std::size_t k = 0; k < 3; ++k) on_corner[k] -= by_share * pressed.part.by_corners[k];
  }
  const Vector3T<T> forces[] = {on_point, on_corner[1], on_corner[2], on_corner[0]};
  for (int k = 0; k < k_most_site_frames; ++k) result.wrench[k].force = here.rotation[k].transpose_times(forces[k]);
  if (is_round(site)) result.wrench[0].torque = here.rotation[0].transpose_times(cross(pressed.arm, f));
  return result;
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act_facet(const FacetSite& site, const FrameMotionT<T>* motion, const T* states) const
    -> Acting<T> {
  const SeenFacet<T> here = seen_facet(site, motion);
  return act_on_facet(site, here, pressed_facet(site, here), states);
}

template <typename S>
template <typename T>
void ContactLawT<S>::rest_facet(const FacetSite& site, const PoseT<T>* start, const FrameMotionT<T>* motion,
                                T* states) const {
  const SeenFacet<T> here = seen_facet(site, motion);
  const PressedFacet<T> pressed = pressed_facet(site, here);
  FrameMotionT<T> before[k_most_site_frames];
  for (int k = 0; k < k_most_site_frames; ++k) before[k].pose = start[k];
  const SeenFacet<T> then = seen_facet(site, before);
  if (is_round(site)) {  // the rod's surface and the material at the same place now, and where these were
    Vector3T<T> material = -(pressed.below * then.facet.normal);
    for (std::size_t k = 0; k < 3; ++k) material += pressed.weight[k] * then.corner[k];
    const Vector3T<T> arm = then.rotation[0] * here.rotation[0].transpose_times(pressed.arm);
    return friction_.rest(pressed.touch, material - then.point - arm, states);
  }
  const auto apart = [&](const SeenFacet<T>& at) { return at.point - here.facet.at_foot(at.corner); };
  friction_.rest(pressed.touch, apart(here) - apart(then), states);
}

template <typename S>
auto ContactLawT<S>::facet_in_values(const FrameMotionT<S>* motion) -> FacetValues {
  FacetValues result;
  const auto position = [&](int k) { return motion[k].pose.position.template cast<double>(); };
  result.point = position(0), result.corner = {position(3), position(1), position(2)};
  return result;
}

template <typename S>
double ContactLawT<S>::gap_of_facet(const FacetSite& site, const FrameMotionT<S>* motion) const {
  const FacetValues at = facet_in_values(motion);
  const FacetT<double> facet(at.corner, at.point);
  const double radius = scalar_cast<double>(point_of(site).radius);
  const auto& point = point_of(site);
  if (is_within(site, at, facet) &&
      facet_share(facet, at.corner, at.point, facet_of(site).cuts, point.disc, point.sharp_narrow).share >
          k_least_share) {
    return rim_in_values(site, at, facet).distance - radius;
  }
  const double far = facet_passes_[static_cast<std::size_t>(site.pass)].far;
  if (facet.depth > 0.0) return far;
  std::array<double, 3> weights;
  return std::min(far, std::max(0.0, distance_to_facet(at.corner, at.point, weights) - radius));
}

template <typename S>
SiteObservation ContactLawT<S>::observe_facet(const FacetSite& site, const FrameMotionT<S>* motion,
                                              const S* states) const {
  SiteObservation result;
  result.gap = gap_of_facet(site, motion);
  const FacetValues at = facet_in_values(motion);
  const S sign(site.of_b ? -1.0 : 1.0);
  const Vector3 outward = rim_in_values(site, at, FacetT<double>(at.corner, at.point)).normal;
  result.position = at.point - scalar_cast<double>(point_of(site).radius) * outward;
  result.normal = (site.of_b ? -1.0 : 1.0) * outward;
  if (!(result.gap < 0.0)) return result;
  const SeenFacet<S> here = seen_facet(site, motion);
  const Matrix3T<S>& axes = motion[3].pose.rotation;
  const PressedFacet<S> pressed = pressed_facet(site, here);
  if (!pressed.touch.touches) return result;
  const Acting<S> acting = act_on_facet(site, here, pressed, states);
  observe_forces(point_of(site).weight, pressed.touch, states, sign * (here.rotation[0] * acting.wrench[0].force), sign,
                 axes, result);
  result.torque = (site.of_b ? -1.0 : 1.0) * torque_on(motion, acting, 0, 1);
  return result;
}

/// Until the point is half as deep below the facet as may be.
template <typename S>
double ContactLawT<S>::longest_step_of_facet(const FacetSite& site, const FrameMotionT<S>* motion) const {
  constexpr double k_never = std::numeric_limits<double>::infinity();
  const FacetValues at = facet_in_values(motion);
  const FacetT<double> facet(at.corner, at.point);
  const double half = half_of(site);
  if (facet.depth > half) return k_never;
  std::array<double, 3> weights;
  distance_to_facet(at.corner, at.point, weights);
  const Vector3 velocity[] = {velocity_in_world(motion[3]), velocity_in_world(motion[1]), velocity_in_world(motion[2])};
  Vector3 apart = velocity_in_world(motion[0]);
  for (std::size_t k = 0; k < 3; ++k) apart -= weights[k] * velocity[k];
  const double closing = -dot(facet.normal, apart);
  return closing > 0.0 ? 0.5 * (std::max(0.0, -facet.depth) + half) / closing : k_never;
}

template <typename S>
void ContactLawT<S>::facet_slopes(const FacetSite& site, const FrameMotionT<S>* motion, const S* states,
                                  SiteSlopesT<S>& slopes) const {
  if (!pressed_facet(site, seen_facet(site, motion)).touch.touches) {
    for (int i = 0; i < friction_.state_count(); ++i) {
      slopes.rate_by_state(i, i) = S(-1.0 / (i < 3 ? k_bristle_decay : k_coefficient_time));
    }
    return;
  }
  using Seed = std::conditional_t<std::is_same_v<S, double>, Jet<20>, D>;
  seeded_slopes<Seed>(k_facet_frames, motion, states, slopes,
                      [&](const FrameMotionT<Seed>* moved, const Seed* x) { return act_facet<Seed>(site, moved, x); });
}

/// Boxes around the facets with what is below them that a point may be in.
template <typename S>
template <typename Visit>
void ContactLawT<S>::for_each_near_facet(const FacetPassT<S>& pass, const FrameMotionT<S>* frames, double* memory,
                                         const Visit& visit) const {
  const auto position = [&](int frame) { return frames[frame].pose.position.template cast<double>(); };
  double beside = 0.0;
  for (const auto& point : pass.points)
    beside = std::max(beside, point.disc + k_round_reach * scalar_cast<double>(point.radius));
  const PieceBoxes tree(memory, pass.facets.size(), [&](std::size_t k) {
    const auto& facet = pass.facets[k];
    const Vector3 x[] = {position(facet.frames[0]), position(facet.frames[1]), position(facet.frames[2])};
    const Vector3 twice = cross(x[1] - x[0], x[2] - x[0]);
    const Vector3 below = (-k_facet_cut * facet.half / norm(twice)) * twice;
    PieceBox box = box_of_points(x, 3);
    const Vector3 y[] = {x[0] + below, x[1] + below, x[2] + below};
    box.add(box_of_points(y, 3)), box.grow(beside);
    return box;
  });
  for (std::size_t i = 0; i < pass.points.size(); ++i) {
    const Vector3 x = position(pass.points[i].frame);
    tree.for_each_met(box_of_points(&x, 1), 0, [&](std::size_t k) {
      const int site = pass.site[i * pass.facets.size() + k];
      if (site >= 0) visit(site);
    });
  }
}

/// Those that two steps may bring together, and the step that was looked at.
template <typename S>
template <typename Visit>
double ContactLawT<S>::for_each_facet_in_reach(const FacetPassT<S>& pass, const FrameMotionT<S>* frames,
                                               const Visit& visit) const {
  Vector3 mean;
  for (const auto& point : pass.points) mean += velocity_in_world(frames[point.frame]);
  mean = 1.0 / static_cast<double>(pass.points.size()) * mean;
  const auto speed = [&](int frame) { return norm(velocity_in_world(frames[frame]) - mean); };
  const auto speed_of = [&](const auto& facet) {
    return std::max(speed(facet.frames[0]), std::max(speed(facet.frames[1]), speed(facet.frames[2])));
  };
  double fastest = 0.0, half = 0.0, radius = 0.0;
  for (const auto& point : pass.points) {
    fastest = std::max(fastest, speed(point.frame)), half = std::max(half, point.half);
    radius = std::max(radius, k_round_reach * scalar_cast<double>(point.radius));
  }
  for (const auto& facet : pass.facets) fastest = std::max(fastest, speed_of(facet));
  if (!(fastest > 0.0)) return std::numeric_limits<double>::infinity();
  const double step = std::max(k_least_seen_step, k_seen_way * half / fastest);
  const auto position = [&](int frame) { return frames[frame].pose.position.template cast<double>(); };
  std::vector<double> memory(PieceBoxes::room(pass.facets.size()));
  const PieceBoxes tree(memory.data(), pass.facets.size(), [&](std::size_t k) {
    const auto& facet = pass.facets[k];
    const Vector3 x[] = {position(facet.frames[0]), position(facet.frames[1]), position(facet.frames[2])};
    PieceBox box = box_of_points(x, 3);
    box.grow(2.0 * step * speed_of(facet) + facet.half + radius);
    return box;
  });
  for (std::size_t i = 0; i < pass.points.size(); ++i) {
    const Vector3 x = position(pass.points[i].frame);
    PieceBox box = box_of_points(&x, 1);
    box.grow(2.0 * step * speed(pass.points[i].frame));
    tree.for_each_met(box, 0, [&](std::size_t k) {
      const int site = pass.site[i * pass.facets.size() + k];
      if (site >= 0) visit(site);
    });
  }
  return step;
}

}  // namespace cuttle
