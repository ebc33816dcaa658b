#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/spatial/dual.h"

namespace cuttle::test {

/// Numbers of a ToyContact.
struct ToyContactNumbers {
  double stiffness = 2e5;     ///< k of the force k d^2
  double dissipation = 0.3;   ///< [s/m]
  double slip_length = 2e-3;  ///< at which bristles flow [m]
  double damping = 0.4;       ///< of bristles [N s/m]
  double radius = 0.05;
  Vector3 plane{0.0, 0.0, 0.0}, plane_velocity{0.0, 0.0, 0.0};  ///< its normal is z
  double share = 0.3;                                           ///< of the second frame: where the site is between two
};

/// Spheres against a plane that may move: a spring, the damper of Hunt and Crossley, and bristles of two states. A site
/// at one frame pushes at its surface, one at two frames at a place between them. Not the law of the library: what the
/// equation of motion does with laws is tested by it.
template <typename S>
class ToyContact final : public SiteLawT<S> {
 public:
  using Site = typename SiteLawT<S>::Site;

  ToyContact(ToyContactNumbers numbers, std::vector<FrameT<S>> frames, std::vector<Site> sites) : n_(numbers) {
    this->name_ = "toy";
    this->frames_ = std::move(frames), this->sites_ = std::move(sites);
    for (const Site& site : this->sites_) this->state_count_ += site.state_count;
  }

  bool may_act(int site, double time, const FrameMotionT<S>* motion, const S* x) const override {
    return depth(place<S>(site, motion), time) > S(0.0) || x[0] != S(0.0) || x[1] != S(0.0);
  }
  void evaluate(int site, double time, const FrameMotionT<S>* motion, const S* states,
                SiteActionT<S>& action) const override {
    act<S>(site, time, motion, states, action);
  }
  void solve_states(int site, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                    S* states) const override {
    const Place<S> p = place<S>(site, motion);
    const Vector3T<S> v = sliding(p);
    const bool touches = depth(p, time) > S(0.0);
    const S flow = S(1.0) + S(factor) * (touches ? speed(v) / S(n_.slip_length) : S(1.0 / k_decay));
    states[0] = (offset[0] + (touches ? S(factor) * v.x : S(0.0))) / flow;
    states[1] = (offset[1] + (touches ? S(factor) * v.y : S(0.0))) / flow;
  }
  void slopes(int site, double time, const FrameMotionT<S>* motion, const S* states,
              SiteSlopesT<S>& slopes) const override {
    for (auto* matrix : {&slopes.by_pose, &slopes.by_velocity}) matrix->setZero();
    slopes.by_state.setZero(), slopes.rate_by_pose.setZero(), slopes.rate_by_velocity.setZero();
    slopes.rate_by_state.setZero();
    const int count = this->sites_[site].frame_count;
    for (int frame = 0; frame < count; ++frame) {
      for (const bool of_pose : {true, false}) {
        std::array<FrameMotionT<D>, 2> moved = cast(motion, count);
        D x[2] = {D(states[0]), D(states[1])};
        of_pose ? move_pose(moved[frame]) : move_velocity(moved[frame]);
        SiteActionT<D> action;
        act<D>(site, time, moved.data(), x, action);
        for (int i = 0; i < 6 * count; ++i) {
          for (int j = 0; j < 6; ++j) {
            (of_pose ? slopes.by_pose : slopes.by_velocity)(i, 6 * frame + j) =
                action.wrench[i / 6][i % 6].derivative[j];
          }
        }
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 6; ++j) {
            (of_pose ? slopes.rate_by_pose : slopes.rate_by_velocity)(i, 6 * frame + j) = action.rates[i].derivative[j];
          }
        }
      }
    }
    const std::array<FrameMotionT<D>, 2> constant = cast(motion, count);
    D x[2] = {D::variable(states[0], 0), D::variable(states[1], 1)};
    SiteActionT<D> action;
    act<D>(site, time, constant.data(), x, action);
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 6 * count; ++i) slopes.by_state(i, j) = action.wrench[i / 6][i % 6].derivative[j];
      for (int i = 0; i < 2; ++i) slopes.rate_by_state(i, j) = action.rates[i].derivative[j];
    }
  }

  void rest_states(int site, double, const PoseT<S>* start, const FrameMotionT<S>* motion, S* states) const override {
    rest<S>(site, start, motion, states);
  }
  void rest_state_slopes(int site, double, const PoseT<S>* start, const FrameMotionT<S>* motion,
                         typename SiteSlopesT<S>::StatesByPose& by_pose) const override {
    by_pose.setZero();
    const int count = this->sites_[site].frame_count;
    PoseT<D> from[2];
    for (int k = 0; k < count; ++k) from[k] = cast(FrameMotionT<S>{start[k], {}, {}}).pose;
    for (int frame = 0; frame < count; ++frame) {
      std::array<FrameMotionT<D>, 2> moved = cast(motion, count);
      move_pose(moved[frame]);
      D x[2];
      rest<D>(site, from, moved.data(), x);
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 6; ++j) by_pose(i, 6 * frame + j) = x[i].derivative[j];
      }
    }
  }

  bool begin(int /*site*/, double, const FrameMotionT<S>*, const S* wanted, S* states,
             typename SiteSlopesT<S>::StateByState* by_wanted) const override {
    using std::sqrt;
    const S length = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]), limit(n_.slip_length);
    const bool held = !(length > limit);
    const S cut = held ? S(1.0) : limit / length;
    for (int i = 0; i < 2; ++i) states[i] = cut * wanted[i];
    if (by_wanted == nullptr) return false;
    by_wanted->setZero();
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const S along = held ? S(0.0) : wanted[i] * wanted[j] / (length * length);
        (*by_wanted)(i, j) = cut * (S(i == j ? 1.0 : 0.0) - along);
      }
    }
    return false;
  }

  SiteObservation observe(int site, double time, const FrameMotionT<S>* motion, const S* /*states*/) const override {
    SiteObservation seen;
    if constexpr (std::is_same_v<S, double>) {
      seen.gap = -depth(place<S>(site, motion), time);
      seen.normal = {0.0, 0.0, 1.0};
    }
    return seen;
  }
  double longest_step(int site, double time, const FrameMotionT<S>* motion) const override {
    if constexpr (std::is_same_v<S, double>) {
      const Place<S> p = place<S>(site, motion);
      const double closing = n_.plane_velocity.z - p.velocity.z, gap = std::max(-depth(p, time), 0.0);
      if (closing > 0.0) return 0.5 * (gap + n_.radius) / closing;
    }
    return std::numeric_limits<double>::infinity();
  }
  double deepest(int) const override { return n_.radius; }

 private:
  static constexpr double k_decay = 0.01;  // of bristles out of contact [s]
  using D = Dual<S, 8>;
  template <typename T>
  struct Place {
    Vector3T<T> position, velocity;  ///< of the center, world axes
    Vector3T<T> surface_velocity;
  };

  template <typename T>
  static Vector3T<T> cast_vector(const Vector3& x) {
    return {T(x.x), T(x.y), T(x.z)};
  }
  template <typename T>
  Place<T> place(int site, const FrameMotionT<T>* motion) const {
    const auto center = [&](int k) {
      return std::pair(motion[k].pose.position, motion[k].pose.rotation * motion[k].velocity.linear);
    };
    const auto [x0, v0] = center(0);
    if (this->sites_[site].frame_count == 1) {
      const Vector3T<T> spin = motion[0].pose.rotation * motion[0].velocity.angular;
      return {x0, v0, v0 + cross(spin, arm<T>())};
    }
    const auto [x1, v1] = center(1);
    const T s(n_.share), rest(1.0 - n_.share);
    const Vector3T<T> v = rest * v0 + s * v1;
    return {rest * x0 + s * x1, v, v};
  }
  template <typename T>
  Vector3T<T> arm() const {
    return {T(0.0), T(0.0), T(-n_.radius)};
  }
  template <typename T>
  T depth(const Place<T>& p, double time) const {
    return T(n_.radius + n_.plane.z + time * n_.plane_velocity.z) - p.position.z;
  }
  template <typename T>
  Vector3T<T> sliding(const Place<T>& p) const {
    const Vector3T<T> v = p.surface_velocity - cast_vector<T>(n_.plane_velocity);
    return {v.x, v.y, T(0.0)};
  }
  template <typename T>
  static T speed(const Vector3T<T>& v) {
    using std::sqrt;
    return sqrt(v.x * v.x + v.y * v.y + T(1e-6));
  }

  template <typename T>
  void act(int site, double time, const FrameMotionT<T>* motion, const T* x, SiteActionT<T>& action) const {
    action = {};
    const Place<T> p = place<T>(site, motion);
    const Vector3T<T> slide = sliding(p);
    const T d = depth(p, time), d_rate = T(n_.plane_velocity.z) - p.velocity.z;
    const T flow = speed(slide) / T(n_.slip_length);
    action.rates[0] = slide.x - flow * x[0], action.rates[1] = slide.y - flow * x[1];
    const auto touches = d > T(0.0);
    const T s = select(touches, d, T(0.0)), k(n_.stiffness), h = s * s, kt = T(1.6) * k * s;
    const T kt_slope = select(touches, T(1.6) * k, T(0.0));
    for (int i = 0; i < 2; ++i) action.rates[i] = select(touches, action.rates[i], x[i] / T(-k_decay));
    const T square = x[0] * x[0] + x[1] * x[1];
    const T pull =
        T(-1.0) + select(T(1.0) + T(n_.dissipation) * d_rate > T(0.0), T(1.0) + T(n_.dissipation) * d_rate, T(0.0));
    const T normal = k * h + T(0.5) * kt_slope * square + k * h * pull;
    const T c = select(touches, T(n_.damping), T(0.0)) * d;
    const Vector3T<T> friction{-(kt * x[0] + c * slide.x), -(kt * x[1] + c * slide.y), T(0.0)};
    action.stored_energy = select(touches, T(1.0 / 3.0) * k * s * h + T(0.5) * kt * square, T(0.0));
    action.dissipated_power = k * h * pull * d_rate + c * (slide.x * slide.x + slide.y * slide.y) +
                              kt * (x[0] * (slide.x - action.rates[0]) + x[1] * (slide.y - action.rates[1]));
    const Vector3T<T> force = friction + Vector3T<T>{T(0.0), T(0.0), normal};
    action.given_power = dot(force, cast_vector<T>(n_.plane_velocity));
    const auto put = [&](int frame, const Vector3T<T>& torque, const T& share) {
      const auto& R = motion[frame].pose.rotation;
      action.wrench[frame] = {R.transpose_times(torque), R.transpose_times(share * force)};
    };
    if (this->sites_[site].frame_count == 1) {
      put(0, cross(arm<T>(), friction), T(1.0));
    } else {
      put(0, {}, T(1.0 - n_.share)), put(1, {}, T(n_.share));
    }
  }

  template <typename T>
  void rest(int site, const PoseT<T>* start, const FrameMotionT<T>* motion, T* states) const {
    FrameMotionT<T> before[2];
    for (int k = 0; k < this->sites_[site].frame_count; ++k) before[k].pose = start[k];
    Vector3T<T> way = place<T>(site, motion).position - place<T>(site, before).position;
    if (this->sites_[site].frame_count == 1) {
      // rolling: the surface that is below now was elsewhere on the sphere
      const Matrix3T<T> turned = motion[0].pose.rotation * start[0].rotation.transpose();
      way += arm<T>() - turned.transpose_times(arm<T>());
    }
    using std::sqrt;
    const T limit(n_.slip_length);
    const T cut = T(1.0) / sqrt(T(1.0) + (way.x * way.x + way.y * way.y) / (limit * limit));
    states[0] = cut * way.x, states[1] = cut * way.y;
  }

  static Vector3T<D> constants(const Vector3T<S>& x) { return {D(x.x), D(x.y), D(x.z)}; }
  static FrameMotionT<D> cast(const FrameMotionT<S>& m) {
    const Matrix3T<S>& R = m.pose.rotation;
    return {{{constants(R.row0), constants(R.row1), constants(R.row2)}, constants(m.pose.position)},
            {constants(m.velocity.angular), constants(m.velocity.linear)},
            {}};
  }
  static std::array<FrameMotionT<D>, 2> cast(const FrameMotionT<S>* motion, int count) {
    std::array<FrameMotionT<D>, 2> all;
    for (int k = 0; k < count; ++k) all[k] = cast(motion[k]);
    return all;
  }
  static void move_pose(FrameMotionT<D>& motion) {
    TwistT<D> step;
    for (int i = 0; i < 6; ++i) step[i] = D::variable(S(0.0), i);
    motion.pose = motion.pose * PoseT<D>{Matrix3T<D>::identity() + Matrix3T<D>::skew(step.angular), step.linear};
  }
  static void move_velocity(FrameMotionT<D>& motion) {
    for (int i = 0; i < 6; ++i) motion.velocity[i] = D::variable(motion.velocity[i].value, i);
  }

  ToyContactNumbers n_;
};

namespace detail {
// A model's list of laws, for tests that bring laws of their own: what explicit instantiation may name though it is
// private.
template <auto member, typename Tag>
struct Door {
  friend auto member_of(Tag) { return member; }
};
struct SiteLawsTag {
  friend auto member_of(SiteLawsTag);
};
struct ForwardSiteLawsTag {
  friend auto member_of(ForwardSiteLawsTag);
};
template <typename S>
using SiteLawsTagOf = std::conditional_t<std::is_same_v<S, double>, SiteLawsTag, ForwardSiteLawsTag>;
}  // namespace detail
}  // namespace cuttle::test

namespace cuttle {
template struct test::detail::Door<&ModelT<double>::site_laws_, test::detail::SiteLawsTag>;
template struct test::detail::Door<&ModelT<ForwardDual>::site_laws_, test::detail::ForwardSiteLawsTag>;
}  // namespace cuttle

namespace cuttle::test {

template <typename S>
void add_site_law(ModelT<S>& model, std::shared_ptr<const SiteLawT<S>> law) {
  (model.*member_of(detail::SiteLawsTagOf<S>{})).push_back(std::move(law));
}

/// Sites at the tips of some links of a model: one site at each, and one between the first two.
template <typename S>
void add_toy_contact(ModelT<S>& model, const ToyContactNumbers& numbers, const std::vector<int>& links,
                     bool between = true) {
  std::vector<FrameT<S>> frames;
  std::vector<typename SiteLawT<S>::Site> sites;
  for (const int link : links) {
    const int index = static_cast<int>(frames.size());
    frames.push_back(model.links()[link].tip);
    sites.push_back({{index, 0}, 1, 2 * static_cast<int>(sites.size()), 2});
  }
  if (between) {
    const int last = static_cast<int>(links.size()) - 1;
    sites.push_back({{0, last}, 2, 2 * static_cast<int>(sites.size()), 2});
  }
  add_site_law<S>(model, std::make_shared<const ToyContact<S>>(numbers, std::move(frames), std::move(sites)));
}

}  // namespace cuttle::test
