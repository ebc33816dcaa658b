#include "model/contact/contact_law.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cuttle/geometry/patched_surface.h"
#include "model/contact/bristle_start.h"
#include "model/contact/bristle_step.h"
#include "model/contact/contact_action.h"
#include "model/contact/contact_facets.h"
#include "model/contact/contact_flat.h"
#include "model/contact/contact_pieces.h"
#include "model/contact/contact_point.h"
#include "model/contact/contact_slope_kernels.h"
#include "model/contact/contact_steps.h"
#include "model/contact/contact_touch.h"
#include "model/contact/piece_hull.h"
#include "model/pose_at.h"

namespace cuttle {

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
    : own_(std::move(plan.sites)),
      pieces_(std::move(plan.pieces)),
      facet_sites_(std::move(plan.facet_sites)),
      facet_passes_(std::move(plan.facets)),
      refused_(std::move(plan.refused)),
      dissipation_(contact.dissipation),
      friction_(contact.friction) {
  this->name_ = contact.name;
  this->frames_ = std::move(frames);
  this->pairs_ = std::move(plan.pairs);
  for (const auto& obstacle : obstacles) {
    places_.emplace_back(obstacle);
    inside_.push_back(obstacle.inside ? 1 : 0);
  }
  const auto add_site = [&](Site bound) {
    bound.state = this->state_count_, bound.state_count = friction_.state_count();
    this->state_count_ += bound.state_count;
    this->sites_.push_back(bound);
  };
  for (const auto& site : own_) {
    if (!is_pieces(site)) others_.push_back(static_cast<int>(this->sites_.size()));
    flats_.push_back(site.surface && site.surface->is_flat() ? 1 : 0);
    patched_.push_back(site.surface && is_patched(*site.surface) ? 1 : 0);
    planes_.push_back(flats_.back() != 0 ? surface_distance<S>(site, {}) : DistanceT<S>{});
    Site bound;
    std::copy(std::begin(site.frames), std::end(site.frames), bound.frame.begin());
    bound.frame_count = site.frame_count();
    bound.pair = plan.pair_of_site[this->sites_.size()];
    add_site(bound);
  }
  for (FacetPassT<S>& pass : facet_passes_) {
    for (int& site : pass.site) site += site < 0 ? 0 : static_cast<int>(own_.size());
  }
  for (const FacetSite& site : facet_sites_) {
    const auto& corners = facet_of(site).frames;
    Site bound;
    bound.frame = {point_of(site).frame, corners[1], corners[2], corners[0]}, bound.frame_count = k_facet_frames.all;
    bound.pair = site.pair;
    add_site(bound);
  }
}

template <typename S>
template <typename T>
auto ContactLawT<S>::act(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion, const T* states) const
    -> Acting<T> {
  if (is_pieces(site)) return act_pieces(site, motion, states);
  Seen<T> here = seen(site, time, motion);
  const Pressing<T> pressed = pressing(site, here.curve);
  const TouchT<T> touching = touch(site, here.curve, pressed);
  return act_on(site, here, pressed, touching, states);
}

template <typename S>
bool ContactLawT<S>::may_act(int index, double time, const FrameMotionT<S>* motion, const S* states) const {
  for (int i = 0; i < friction_.state_count(); ++i) {
    if (any(states[i] < S(0.0)) || any(states[i] > S(0.0)) || states[i] != states[i]) return true;
  }
  if (is_facet(index)) {
    const FacetValues at = facet_in_values(motion);
    return is_within(facet_site(index), at, FacetT<double>(at.corner, at.point));
  }
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_pieces(site)) {
    const auto hull = [](const PoseT<S>& begin, const PoseT<S>& end, const S& begin_radius, const S& end_radius) {
      return hull_of_piece(begin.template cast<double>(), end.template cast<double>(),
                           scalar_cast<double>(select(begin_radius < end_radius, end_radius, begin_radius)));
    };
    return hull(motion[0].pose, motion[1].pose, site.begin_radius, site.end_radius)
        .meets(hull(motion[3].pose, motion[2].pose, site.other_begin_radius, site.other_end_radius));
  }
  PoseT<S> obstacle;
  if (site.obstacle >= 0) obstacle = places_[static_cast<std::size_t>(site.obstacle)].at(time).pose;
  S reach(site.reach);
  Vector3T<S> x;  // in the world, then in the axes of the surface
  if (site.curve_frames < 2) {
    const PoseT<S>& carrier = site.curve_frames == 0 ? obstacle : motion[0].pose;
    x = carrier.act(S(0.5) * (site.axis.begin + site.axis.end));
  } else {
    const Vector3T<S>&a = motion[0].pose.position, &b = motion[1].pose.position;
    x = S(0.5) * (a + b);
    reach += S(k_cubic_reach) * norm(b - a);  // the cubic leaves its chord by at most 0.3 of it
  }
  const PoseT<S>& frame = site.on_link ? motion[site.curve_frames].pose : obstacle;
  const PoseT<S>& in_frame = site.surface_in_frame;  // of obstacles the identity
  const Vector3T<S> apart = x - frame.act(in_frame.position);
  const S far = reach + S(site.surface_radius);
  if (any(dot(apart, apart) > far * far)) return false;
  x = in_frame.inverse().act(frame.inverse().act(x));
  const S d = distance<S>(site, x).value;
  return !(d > reach);
}

template <typename S>
void ContactLawT<S>::still(int index, double time, FrameMotionT<S>* motion) const {
  SiteLawT<S>::still(index, time, motion);
  const int of_site = is_facet(index) ? -1 : own_[static_cast<std::size_t>(index)].obstacle;
  if (of_site < 0) return;
  const ObstaclePlaceT<S>& place = places_[static_cast<std::size_t>(of_site)];
  if (!place.moves()) return;
  const FrameMotionT<S> obstacle = place.at(time);
  for (int k = 0; k < this->sites_[static_cast<std::size_t>(index)].frame_count; ++k) {
    motion[k].velocity = (obstacle.pose.inverse() * motion[k].pose).act_inverse(obstacle.velocity);
  }
}

template <typename S>
void ContactLawT<S>::evaluate(int index, double time, const FrameMotionT<S>* motion, const S* states,
                              SiteActionT<S>& action) const {
  if (is_facet(index)) return store(act_facet(facet_site(index), motion, states), action);
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if constexpr (std::is_same_v<S, double>) {
    if (is_flat_line(site)) {
      FlatTouch at = touch_flat_line(site, time, motion);
      return store(act_on_flat_line(site, at, states), action);
    }
  }
  const Acting<S> acting =
      is_one_point(site) ? act_point<S>(site, time, motion, states) : act<S>(site, time, motion, states);
  store(acting, action);
}

template <typename S>
void ContactLawT<S>::store(const Acting<S>& acting, SiteActionT<S>& action) {
  std::copy(std::begin(acting.wrench), std::end(acting.wrench), action.wrench.begin());
  for (int i = 0; i < 4; ++i) action.rates[static_cast<std::size_t>(i)] = acting.rates[i];
  action.stored_energy = acting.stored, action.dissipated_power = acting.dissipated, action.given_power = acting.given;
}

template <typename S>
void ContactLawT<S>::solve(int index, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                           S* states, SiteActionT<S>& action) const {
  if (is_facet(index)) {
    const FacetSite& facet = facet_site(index);
    const SeenFacet<S> here = seen_facet(facet, motion);
    const PressedFacet<S> pressed = pressed_facet(facet, here);
    solve_bristle(pressed.touch, offset, factor, states);
    store(act_on_facet(facet, here, pressed, states), action);
    return;
  }
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_one_point(site)) {
    const SeenPoint<S> here = seen_point(site, time, motion);
    const PointTouch<S> touched = touch_point(site, distance<S>(site, here.motion.center), here.motion);
    solve_bristle(touched.touch, offset, factor, states);
    store(act_seen(site, here, touched, states), action);
    return;
  }
  if (is_pieces(site)) {
    SeenPieces<S> here = seen_pieces(motion);
    const PressedPieces<S> pressed = pressed_pieces(site, here);
    const TouchT<S> touched = touch_pieces(site, here, pressed);
    solve_bristle(touched, offset, factor, states);
    store(act_on_pieces(site, here, pressed, touched, states), action);
    return;
  }
  if constexpr (std::is_same_v<S, double>) {
    if (is_flat_line(site)) {
      FlatTouch at = touch_flat_line(site, time, motion);
      solve_bristle(at.touch, offset, factor, states);
      store(act_on_flat_line(site, at, states), action);
      return;
    }
  }
  Seen<S> here = seen(site, time, motion);
  const Pressing<S> pressed = pressing(site, here.curve);
  const TouchT<S> touched = touch(site, here.curve, pressed);
  solve_bristle(touched, offset, factor, states);
  store(act_on(site, here, pressed, touched, states), action);
}

template <typename S>
void ContactLawT<S>::solve_states(int index, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                                  S* states) const {
  solve_bristle(touch_at(index, time, motion), offset, factor, states);
}

template <typename S>
TouchT<S> ContactLawT<S>::touch_at(int index, double time, const FrameMotionT<S>* motion) const {
  if (is_facet(index)) return pressed_facet(facet_site(index), seen_facet(facet_site(index), motion)).touch;
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_one_point(site)) {
    const SeenPoint<S> here = seen_point(site, time, motion);
    return touch_point(site, distance<S>(site, here.motion.center), here.motion).touch;
  }
  if (is_pieces(site)) {
    const SeenPieces<S> here = seen_pieces(motion);
    return touch_pieces(site, here, pressed_pieces(site, here));
  }
  if constexpr (std::is_same_v<S, double>) {
    if (is_flat_line(site)) return touch_flat_line(site, time, motion).touch;
  }
  const Seen<S> here = seen(site, time, motion);
  return touch(site, here.curve, pressing(site, here.curve));
}

template <typename S>
void ContactLawT<S>::solve_bristle(const TouchT<S>& touched, const S* offset, double factor, S* states) const {
  using V = Value;
  const int n = friction_.state_count();
  if (n == 0) return;
  const TouchT<V> values = touched.template cast<V>();
  const FrictionLawT<V> friction = friction_.template cast<V>();
  using Step = BristleStepT<V>;
  typename Step::Vector start(n), x(n);
  for (int i = 0; i < n; ++i) start[i] = scalar_cast<V>(offset[i]);
  const Step step(friction, values, start, static_cast<V>(factor));
  if (!step.solve(x)) {  // whoever takes the step sees that it has none
    for (int i = 0; i < n; ++i) states[i] = S(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int i = 0; i < n; ++i) states[i] = S(x[i]);
  if constexpr (k_nesting < S >> 0) {  // its derivatives: one more step
    typename Step::Matrix slope(n, n);
    step.residual(x, &slope);
    const typename Step::Matrix inverse = slope.inverse();
    const BristleT<S> bristle = friction_.at(touched, states);
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
  slopes.by_pose.setZero(), slopes.by_velocity.setZero(), slopes.by_state.setZero();
  slopes.rate_by_pose.setZero(), slopes.rate_by_velocity.setZero(), slopes.rate_by_state.setZero();
  if (is_facet(index)) {
    facet_slopes(facet_site(index), motion, states, slopes);
    complete_columns(k_facet_frames, motion, slopes);
    return;
  }
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_pieces(site)) {
    piece_slopes(site, motion, states, slopes);
  } else if constexpr (std::is_same_v<S, double>) {
    static const ContactSlopeKernel k_kernel = contact_slope_kernel();
    k_kernel(*this, index, time, motion, states, slopes);
  } else {
    dual_slopes(site, time, motion, states, slopes);
  }
  complete_columns(varied_frames(site), motion, slopes);
}

template <typename S>
void ContactLawT<S>::dual_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                                 const S* states, SiteSlopesT<S>& slopes) const {
  seeded_slopes<D>(varied_frames(site), motion, states, slopes,
                   [&](const FrameMotionT<D>* moved, const D* x) { return act<D>(site, time, moved, x); });
}

/// Directions of the poses, velocities and states one after the other, as many at a time as the scalar has.
template <typename S>
template <typename Seed, typename Act>
void ContactLawT<S>::seeded_slopes(const VariedFrames& of_site, const FrameMotionT<S>* motion, const S* states,
                                   SiteSlopesT<S>& slopes, const Act& act_moved) const {
  constexpr int k_at_once = sizeof(Seed) / sizeof(S) - 1;
  const int all = of_site.all, frames = of_site.varied, per = 6 * frames, n = friction_.state_count();
  const int total = 2 * per + n;
  for (int first = 0; first < total; first += k_at_once) {
    const auto direction = [&](int variable) {
      return variable >= first && variable < first + k_at_once ? variable - first : -1;
    };
    const auto seeded = [&](const S& value, int variable) {
      const int k = direction(variable);
      return k < 0 ? Seed(value) : Seed::variable(value, k);
    };
    FrameMotionT<Seed> moved[k_most_site_frames];
    for (int f = frames; f < all; ++f) {
      moved[f].pose = constants_of<Seed>(motion[f].pose), moved[f].velocity = constants_of<Seed>(motion[f].velocity);
    }
    for (int f = 0; f < frames; ++f) {
      Vector3T<Seed> turn, shift;
      for (int i = 0; i < 3; ++i) {
        turn[i] = seeded(S(0.0), 6 * f + i), shift[i] = seeded(S(0.0), 6 * f + 3 + i);
        moved[f].velocity.angular[i] = seeded(motion[f].velocity.angular[i], per + 6 * f + i);
        moved[f].velocity.linear[i] = seeded(motion[f].velocity.linear[i], per + 6 * f + 3 + i);
      }
      const PoseT<Seed> step{Matrix3T<Seed>::identity() + Matrix3T<Seed>::skew(turn),
                             shift};  // exp(zeta) to first order
      moved[f].pose = constants_of<Seed>(motion[f].pose) * step;
    }
    Seed x[4];
    for (int i = 0; i < n; ++i) x[i] = seeded(states[i], 2 * per + i);
    const Acting<Seed> acting = act_moved(moved, x);
    for (int variable = first; variable < std::min(total, first + k_at_once); ++variable) {
      const int k = variable - first;
      const auto put = [&](auto& of_wrench, auto& of_rates, int column) {
        for (int f = 0; f < all; ++f) {
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
void ContactLawT<S>::complete_columns(const VariedFrames& frames, const FrameMotionT<S>* motion,
                                      SiteSlopesT<S>& slopes) {
  complete_columns(frames, motion, slopes.by_pose), complete_columns(frames, motion, slopes.rate_by_pose);
  complete_columns(frames, motion, slopes.by_velocity), complete_columns(frames, motion, slopes.rate_by_velocity);
}

template <typename S>
template <typename Columns>
void ContactLawT<S>::complete_columns(const VariedFrames& frames, const FrameMotionT<S>* motion, Columns& columns) {
  if (!frames.completes) return;
  auto of_surface = columns.template middleCols<6>(6 * frames.varied);
  for (int f = 0; f < frames.varied; ++f) {
    // the twist of frame f that moves with each of the surface's frame
    const PoseT<S> relative = motion[f].pose.inverse() * motion[frames.varied].pose;
    for (int j = 0; j < 6; ++j) {
      TwistT<S> twist;
      twist[j] = S(1.0);
      twist = relative.act(twist);
      for (int i = 0; i < 6; ++i) of_surface.col(j) -= twist[i] * columns.col(6 * f + i);
    }
  }
}

template <typename S>
template <typename T>
void ContactLawT<S>::rest(const ContactSiteT<S>& site, double time, const PoseT<T>* start,
                          const FrameMotionT<T>* motion, T* states) const {
  if (is_pieces(site)) return rest_pieces(site, start, motion, states);
  const SiteCurveT<T> axis = seen(site, time, motion).curve;
  const Pressing<T> pressed = pressing(site, axis);
  const TouchT<T> touching = touch(site, axis, pressed);
  if (!touching.touches) {
    for (int i = 0; i < friction_.state_count(); ++i) states[i] = T(0.0);
    return;
  }
  FrameMotionT<T> before[k_most_site_frames];
  for (int k = 0; k < site.frame_count(); ++k) before[k].pose = start[k];
  const SiteCurveT<T> then = seen(site, time, before).curve;
  const T center = site.kind == ContactSiteT<S>::Kind::line ? center_of_pressure(pressed) : T(0.0);
  const T radius = T(site.begin_radius) + center * T(site.end_radius - site.begin_radius);
  const Vector3T<T> arm = -(radius * touching.normal);
  const Vector3T<T> moved =
      axis.curve().at(center) + arm - then.curve().at(center) - axis.turned_back(center, arm, then.frames());
  friction_.rest(touching, moved, states);
}

template <typename S>
void ContactLawT<S>::rest_states(int index, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                                 S* states) const {
  if (is_facet(index)) return rest_facet<S>(facet_site(index), start, motion, states);
  rest<S>(own_[static_cast<std::size_t>(index)], time, start, motion, states);
}

template <typename S>
void ContactLawT<S>::rest_state_slopes(int index, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                                       typename SiteSlopesT<S>::StatesByPose& by_pose) const {
  by_pose.setZero();
  const VariedFrames frames = varied_frames(index);
  for (int f = 0; f < frames.varied; ++f) {
    FrameMotionT<D> moved[k_most_site_frames];
    PoseT<D> before[k_most_site_frames];
    for (int g = 0; g < frames.all; ++g) {
      before[g] = constants_of<D>(start[g]);
      moved[g].pose = constants_of<D>(motion[g].pose);
      moved[g].velocity = constants_of<D>(motion[g].velocity);
    }
    Vector3T<D> turn, shift;
    for (int i = 0; i < 3; ++i) turn[i] = D::variable(S(0.0), i), shift[i] = D::variable(S(0.0), 3 + i);
    moved[f].pose = moved[f].pose * PoseT<D>{Matrix3T<D>::identity() + Matrix3T<D>::skew(turn), shift};
    D x[4];
    if (is_facet(index)) {
      rest_facet<D>(facet_site(index), before, moved, x);
    } else {
      rest<D>(own_[static_cast<std::size_t>(index)], time, before, moved, x);
    }
    for (int i = 0; i < friction_.state_count(); ++i) {
      for (int j = 0; j < 6; ++j) by_pose(i, 6 * f + j) = x[i].derivative[j];
    }
  }
  complete_columns(frames, motion, by_pose);
}

template <typename S>
bool ContactLawT<S>::begin(int index, double time, const FrameMotionT<S>* motion, const S* wanted, S* states,
                           typename SiteSlopesT<S>::StateByState* by_wanted) const {
  std::fill_n(states, friction_.state_count(), S(0.0));
  if (by_wanted != nullptr) by_wanted->setZero();
  if (friction_.is_smooth()) return false;
  const auto touched = touch_at(index, time, motion).template cast<Value>();
  const FrictionLawT<Value> friction = friction_.template cast<Value>();
  const Vector3T<Value> way = Vector3T<S>{wanted[0], wanted[1], wanted[2]}.template cast<Value>();
  Vector3T<Value> xi;
  Value coefficient;
  Matrix3T<Value> slope;
  const bool slides = BristleStartT<Value>(friction, touched).find(way, xi, coefficient, by_wanted ? &slope : nullptr);
  for (int i = 0; i < 3; ++i) states[i] = S(xi[i]);
  if (friction_.state_count() > 3) states[3] = S(coefficient);
  for (int i = 0; by_wanted != nullptr && i < 3; ++i) {
    for (int j = 0; j < 3; ++j) (*by_wanted)(i, j) = S(slope(i, j));
  }
  return slides;
}

template <typename S>
SiteObservation ContactLawT<S>::observe(int index, double time, const FrameMotionT<S>* motion, const S* states) const {
  if (is_facet(index)) return observe_facet(facet_site(index), motion, states);
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_pieces(site)) return observe_pieces(site, motion, states);
  Seen<S> here = seen(site, time, motion);
  const Pressing<S> pressed = pressing(site, here.curve);
  const TouchT<S> touching = touch(site, here.curve, pressed);
  SiteObservation result;
  result.gap = -pressed.deepest;
  const CubicT<S>& curve = here.curve.curve();
  S center = site.kind == ContactSiteT<S>::Kind::line ? S(0.5) : S(0.0);
  if (touching.touches && site.kind == ContactSiteT<S>::Kind::line) center = center_of_pressure(pressed);
  const DistanceT<S> d = distance<S>(site, curve.at(center));
  const S radius = site.begin_radius + center * (site.end_radius - site.begin_radius);
  const S sign(site.of_b ? -1.0 : 1.0);
  result.position = here.surface.act(curve.at(center) - radius * d.gradient).template cast<double>();
  result.normal = (here.surface.rotation * (sign * d.gradient)).template cast<double>();
  if (!touching.touches) return result;
  const Acting<S> acting = act_on(site, here, pressed, touching, states);
  Vector3T<S> total;  // on side a, in the axes of the surface
  const int first = site.of_b ? site.curve_frames : 0, end = site.of_b ? site.frame_count() : site.curve_frames;
  for (int k = first; k < end; ++k) {
    total += here.surface.rotation.transpose_times(motion[k].pose.rotation * acting.wrench[k].force);
  }
  observe_forces(site.weight, touching, states, total, sign, here.surface.rotation, result);
  result.torque = torque_on(motion, acting, first, end);
  return result;
}

template <typename S>
Vector3 ContactLawT<S>::torque_on(const FrameMotionT<S>* motion, const Acting<S>& acting, int first, int end) {
  Vector3 torque;
  for (int k = first; k < end; ++k) {
    const PoseT<S>& pose = motion[k].pose;
    const Vector3T<S> force = pose.rotation * acting.wrench[k].force;
    torque += (pose.rotation * acting.wrench[k].torque + cross(pose.position, force)).template cast<double>();
  }
  return torque;
}

/// What is not friction is normal: the resultant of both is known.
template <typename S>
void ContactLawT<S>::observe_forces(const S& weight, const TouchT<S>& touching, const S* states,
                                    const Vector3T<S>& total, const S& sign, const Matrix3T<S>& axes,
                                    SiteObservation& result) const {
  BristleT<S> bristle;
  if (!friction_.is_smooth()) bristle = friction_.at(touching, states);
  const Vector3T<S> friction = sign * bristle.force;
  result.friction = (axes * friction).template cast<double>();
  // a piece or a line presses along many normals: that of the whole is the direction of their sum
  const Vector3 pressing = (axes * (total - friction)).template cast<double>();
  result.normal_force = norm(pressing);
  if (result.normal_force > 0.0) result.normal = (1.0 / result.normal_force) * pressing;
  result.slip = scalar_cast<double>(norm(touching.sliding));
  result.pressure = result.normal_force / scalar_cast<double>(weight);
  result.touch = friction_.is_smooth() || scalar_cast<double>(bristle.used) > 0.5 * (1.0 + k_flow_begin)
                     ? SiteObservation::Touch::slips
                     : SiteObservation::Touch::sticks;
}

template <typename S>
double ContactLawT<S>::gap(int index, double time, const FrameMotionT<S>* motion) const {
  if (is_facet(index)) return gap_of_facet(facet_site(index), motion);
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_one_point(site)) {
    return scalar_cast<double>(distance<S>(site, seen_point(site, time, motion).motion.center).value -
                               site.begin_radius);
  }
  if (is_pieces(site)) {
    const SeenPieces<S> here = seen_pieces(motion);
    return -static_cast<double>(
        nearest(site, here.a.curve().template cast<Value>(), here.b.curve().template cast<Value>()).there.depth);
  }
  const SiteCurveT<S> axis = seen(site, time, motion).curve;
  if (site.kind != ContactSiteT<S>::Kind::line) return -pressing(site, axis).deepest;
  return -static_cast<double>(intervals(site, axis.curve().template cast<Value>()).deepest);
}

template <typename S>
double ContactLawT<S>::way_seen(const ContactSiteT<S>& site, const S& t, const DistanceT<S>& d) const {
  const double wall =
      is_inside(site) ? std::numeric_limits<double>::infinity() : scalar_cast<double>(site.surface->half_thickness());
  const double radius = scalar_cast<double>(site.begin_radius + t * (site.end_radius - site.begin_radius));
  const double above = std::max(0.0, scalar_cast<double>(d.value) - radius);
  return 0.5 * (above + radius + std::min(wall, site.thickness));
}

template <typename S>
double ContactLawT<S>::longest_step(int index, double time, const FrameMotionT<S>* motion) const {
  if (is_facet(index)) return longest_step_of_facet(facet_site(index), motion);
  const ContactSiteT<S>& site = own_[static_cast<std::size_t>(index)];
  if (is_pieces(site)) return longest_step_of_pieces(site, motion);
  const auto until = [&](const S& t, const Vector3T<S>& x, const Vector3T<S>& v) {
    const DistanceT<S> d = distance<S>(site, x);
    const double closing = -scalar_cast<double>(dot(d.gradient, v));
    return closing > 0.0 ? way_seen(site, t, d) / closing : std::numeric_limits<double>::infinity();
  };
  if (is_one_point(site)) {
    const PointMotionT<S> point = seen_point(site, time, motion).motion;
    return until(S(0.0), point.center, point.velocity);
  }
  const SiteCurveT<S> axis = seen(site, time, motion).curve;
  double step = std::numeric_limits<double>::infinity();
  const int points = site.kind == ContactSiteT<S>::Kind::line ? 5 : 1;
  for (int i = 0; i < points; ++i) {
    const S t(points == 1 ? 0.0 : static_cast<double>(i) / (points - 1));
    step = std::min(step, until(t, axis.curve().at(t), axis.rates().at(t)));
  }
  return step;
}

template <typename S>
void ContactLawT<S>::prepare(NearSites& near) const {
  if (!refused_.empty()) throw ArgumentError(refused_);
  near.sites = others_;
  near.sites.reserve(this->sites_.size());
  std::size_t boxes = 0;
  for (const PieceSites& rods : pieces_) {
    const std::size_t count = rods.radius_b.size();
    boxes = std::max(boxes, PieceBoxes::room(count) + PieceHulls::room(count));
  }
  for (const FacetPassT<S>& pass : facet_passes_) boxes = std::max(boxes, PieceBoxes::room(pass.facets.size()));
  near.memory.resize(boxes);
}

template <typename S>
void ContactLawT<S>::find_near(const FrameMotionT<S>* frames, NearSites& near) const {
  if (pieces_.empty() && facet_passes_.empty()) return;
  near.sites = others_;
  const auto hull = [&](const std::vector<int>& of, const std::vector<double>& radius, std::size_t i) {
    return hull_of_piece(frames[of[i]].pose.template cast<double>(), frames[of[i + 1]].pose.template cast<double>(),
                         radius[i]);
  };
  for (const PieceSites& rods : pieces_) {
    const std::size_t count = rods.radius_b.size();
    const PieceHulls hulls(near.memory.data(), count, [&](std::size_t i) { return hull(rods.b, rods.radius_b, i); });
    const PieceBoxes tree(near.memory.data() + PieceHulls::room(count), count,
                          [&](std::size_t i) { return hulls.at(i).box(); });
    const bool itself = rods.a == rods.b;
    for (std::size_t i = 0; i < rods.radius_a.size(); ++i) {
      const auto first = static_cast<std::size_t>(rods.first_b[i]);
      const PieceHull piece = itself ? hulls.at(i) : hull(rods.a, rods.radius_a, i);
      tree.for_each_met(piece.box(), first, [&](std::size_t k) {
        if (piece.is_clear_of(hulls.at(k), 0.0)) return;
        near.sites.push_back(rods.first_site[i] + static_cast<int>(k - first));
      });
    }
  }
  for (const FacetPassT<S>& pass : facet_passes_) {
    for_each_near_facet(pass, frames, near.memory.data(), [&](int site) { near.sites.push_back(site); });
  }
}

template <typename S>
double ContactLawT<S>::deepest(int index) const {
  if (is_facet(index)) return half_of(facet_site(index));
  return own_[static_cast<std::size_t>(index)].thickness;
}

template <typename S>
bool ContactLawT<S>::is_endless(int index) const {
  return !is_facet(index) && own_[static_cast<std::size_t>(index)].endless;
}

#define CUTTLE_INSTANTIATE(S)       \
  template class ObstaclePlaceT<S>; \
  template class ContactLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
