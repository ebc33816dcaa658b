#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "bodies/volume/lvp/lvp_backbone.h"
#include "bodies/zero.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "spatial/number_text.h"

namespace cuttle {

/// How often T differentiates what it carries, and that without derivatives.
template <typename T>
struct DualLayers {
  using Value = T;
  static constexpr int k_order = 0;
  static const T& value(const T& a) { return a; }
};
template <typename T, int N>
struct DualLayers<Dual<T, N>> {
  using Value = typename DualLayers<T>::Value;
  static constexpr int k_order = DualLayers<T>::k_order + 1;
  static const Value& value(const Dual<T, N>& a) { return DualLayers<T>::value(a.value); }
};

/// How one direction of a primitive's own coordinates changes its profiles (of bend two, about x and y): value and
/// derivatives in x3, and its backbone.
template <typename T>
struct LvpOwn {
  T profile[2][4];
  TwistT<T> twist;
};
/// A direction in the argument y of a primitive and in its own coordinates. What is known to be zero when the code is
/// compiled costs nothing: the argument's first two components (no XY), the third one (no Z), the own coordinates.
template <typename T, bool XY, bool Z, bool Own>
struct LvpDirection {
  static constexpr bool k_z = Z, k_own = Own;
  const Vector3T<T>* at;      ///< null without XY and Z
  const LvpOwn<T>* own_part;  ///< null without Own

  auto x() const {
    return known<XY>([&] { return at->x; });
  }
  auto y() const {
    return known<XY>([&] { return at->y; });
  }
  auto z() const {
    return known<Z>([&] { return at->z; });
  }
  auto own(int profile, int order) const {
    return known<Own>([&] { return own_part->profile[profile][order]; });
  }
};
template <typename T>
using LvpOwnDirection = LvpDirection<T, false, false, true>;
template <typename T, bool Z>
using LvpArgumentDirection = LvpDirection<T, true, Z, false>;

/// All that a primitive makes of x3 and its coordinates.
template <typename T>
struct LvpSlice {
  T profile[2][4];           ///< m and its derivatives in x3
  T sine, cosine;            ///< of twist
  BackboneFrame<T> section;  ///< of bend's backbone
  LvpOwn<T> along_v;
};

/// One primitive at one point: h(y, q), its first derivative in a direction and its second in two. A primitive scales
/// (y1, y2) by phi(chi) of a scalar chi (stretch, bend, source), moves or turns it.
template <typename S, typename T, typename LvpPrimitiveT<S>::Type k_type>
class LvpMap {
  using Type = typename LvpPrimitiveT<S>::Type;
  static constexpr bool k_stretch = k_type == Type::stretch, k_bend = k_type == Type::bend;
  static constexpr bool k_scales = k_stretch || k_bend || k_type == Type::source;

 public:
  LvpMap(const LvpPrimitiveT<S>& primitive, const S& length, const LvpSlice<T>& slice, const Vector3T<T>& y)
      : primitive_(primitive), slice_(slice), y_(y), inverse_length_(S(1.0) / length) {
    if constexpr (k_stretch) set_stretch();
    if constexpr (k_bend) set_bend();
    if constexpr (k_type == Type::source) set_source();
  }

  /// Lanes in which h is defined here.
  MaskT<T> inside() const {
    if constexpr (k_bend) return chi_ > T(-inverse_root_three());
    if constexpr (k_scales) return chi_ > T(0.0);
    return T(0.0) < T(1.0);
  }
  /// Why it is not; for a scalar without lanes or derivatives.
  std::string fault() const {
    if constexpr (std::is_floating_point_v<T>) {
      if (k_stretch) return "stretch turns the body inside out (1 + e' = " + number_text(chi_) + ", valid above 0)";
      if (k_bend) return "bend folds the body onto itself (z = " + number_text(chi_) + ", valid above -0.577)";
      return "source closes the cavity (r^2 + c = " + number_text(chi_ * squared_radius_) + " m^2, valid above 0)";
    } else {
      return {};
    }
  }

  CUTTLE_INLINE Vector3T<T> value() const {
    const T& m = slice_.profile[0][0];
    if constexpr (k_stretch) return {phi_ * y_.x, phi_ * y_.y, y_.z + m};
    if constexpr (k_type == Type::shear) {
      return primitive_.axis == 0 ? Vector3T<T>{y_.x + m, y_.y, y_.z} : Vector3T<T>{y_.x, y_.y + m, y_.z};
    }
    if constexpr (k_type == Type::twist) return turned(y_.x, y_.y, y_.z);
    if constexpr (k_bend) return slice_.section.pose.act(b_);
    return {phi_ * y_.x, phi_ * y_.y, y_.z};
  }

  template <typename D>
  CUTTLE_INLINE Vector3T<T> first(const D& d) const {
    if constexpr (k_type == Type::shear) {
      const auto change = profile_first(0, 0, d);
      if (primitive_.axis == 0) return {as<T>(d.x() + change), as<T>(d.y()), as<T>(d.z())};
      return {as<T>(d.x()), as<T>(d.y() + change), as<T>(d.z())};
    } else if constexpr (k_type == Type::twist) {
      const auto rate = profile_first(0, 0, d);
      return turned(as<T>(d.x() - rate * y_.y), as<T>(d.y() + rate * y_.x), as<T>(d.z()));
    } else if constexpr (k_bend) {
      Vector3T<T> b = first_in_section(d);
      if constexpr (D::k_own) b += cross(d.own_part->twist.angular, b_) + d.own_part->twist.linear;
      return slice_.section.pose.rotation * b;
    } else {
      const auto change = phi1_ * chi_first(d);
      const auto along = [&] {
        if constexpr (k_stretch) return d.z() + profile_first(0, 0, d);
        if constexpr (!k_stretch) return d.z();
      }();
      return {as<T>(change * y_.x + phi_ * d.x()), as<T>(change * y_.y + phi_ * d.y()), as<T>(along)};
    }
  }

  /// Own coordinates in both directions: both must be the rates v.
  template <typename D, typename E>
  CUTTLE_INLINE Vector3T<T> second(const D& d, const E& e) const {
    const T zero(0.0);
    if constexpr (k_type == Type::shear) {
      const T change = as<T>(profile_second(0, 0, d, e));
      return primitive_.axis == 0 ? Vector3T<T>{change, zero, zero} : Vector3T<T>{zero, change, zero};
    } else if constexpr (k_type == Type::twist) {
      const auto rd = profile_first(0, 0, d);
      const auto re = profile_first(0, 0, e);
      const auto change = profile_second(0, 0, d, e);
      const auto square = rd * re;
      return turned(as<T>(-(rd * e.y()) - re * d.y() - square * y_.x - change * y_.y),
                    as<T>(rd * e.x() + re * d.x() - square * y_.y + change * y_.x), zero);
    } else if constexpr (k_bend) {
      return slice_.section.pose.rotation * (scaled_second(d, e) + carried(d, e));
    } else {
      Vector3T<T> h = scaled_second(d, e);
      if constexpr (k_stretch) h.z = as<T>(profile_second(0, 0, d, e));
      return h;
    }
  }

  /// Of bend: the derivatives of its value for e without own coordinates, in the axes of the section and without what
  /// turns the section as a whole. Needs no backbone.
  template <typename E>
  CUTTLE_INLINE Vector3T<T> first_in_section(const E& e) const {
    Vector3T<T> b = scaled_first(e);
    if constexpr (E::k_z) b += e.z() * slope_;
    return b;
  }
  template <typename D, typename E>
  CUTTLE_INLINE Vector3T<T> second_in_section(const D& d, const E& e) const {
    Vector3T<T> b = scaled_second(d, e);
    if constexpr (E::k_z) {
      const Vector3T<T> b_d = scaled_first(d);
      const auto kx_d = curvature_first(0, d), ky_d = curvature_first(1, d);
      const T kx = curvature(0, 0), ky = curvature(1, 0);
      // kappa_d x b + kappa x b_d, where neither has a component across the section
      b.z += e.z() * as<T>(kx_d * b_.y - ky_d * b_.x + kx * b_d.y - ky * b_d.x);
    }
    return b;
  }

 private:
  static T inverse_root_three() { return constant<T>(1.0L / std::sqrt(3.0L)); }

  /// The `order`-th derivative in x3 of profile `c`, differentiated once and twice.
  template <typename D>
  CUTTLE_INLINE auto profile_first(int c, int order, const D& d) const {
    return slice_.profile[c][order + 1] * d.z() + d.own(c, order);
  }
  template <typename D, typename E>
  CUTTLE_INLINE auto profile_second(int c, int order, const D& d, const E& e) const {
    return slice_.profile[c][order + 2] * (d.z() * e.z()) + d.own(c, order + 1) * e.z() + e.own(c, order + 1) * d.z();
  }

  void set_stretch() {
    using std::sqrt;
    chi_ = T(1.0) + slice_.profile[0][1];
    const T inverse = T(1.0) / chi_;
    phi_ = sqrt(inverse);
    phi1_ = T(-0.5) * phi_ * inverse;
    phi2_ = T(-1.5) * phi1_ * inverse;
  }
  void set_source() {
    using std::sqrt;
    const T& c = slice_.profile[0][0];
    const T r2 = y_.x * y_.x + y_.y * y_.y;
    off_axis_ = r2 > T(0.0);  // points of the axis stay
    squared_radius_ = select(off_axis_, r2, T(1.0));
    inflow_ = select(off_axis_, c, T(0.0));
    chi_ = T(1.0) + inflow_ / squared_radius_;
    phi_ = sqrt(chi_);
    phi1_ = T(0.5) / phi_;
    phi2_ = T(-0.5) * phi1_ / chi_;
  }
  /// rho^2 + (2/3) z rho^3 = 1: u = 1/rho solves u^3 - u = 2 z / 3, w = u - 1/sqrt(3) solves w^2 (w + sqrt(3)) = (2/3)
  /// d with d = z + 1/sqrt(3). Newton's method comes from above in steps that never overshoot.
  void set_bend() {
    using std::sqrt;
    const T kx = curvature(0, 0), ky = curvature(1, 0);
    chi_ = kx * y_.y - ky * y_.x;
    const T root = constant<T>(std::sqrt(3.0L));
    const T target = constant<T>(2.0L / 3.0L) * (chi_ + inverse_root_three());
    using Layers = DualLayers<T>;
    using Value = typename Layers::Value;
    const auto step = [](const auto& w_now, const auto& goal, const auto& root_three) {
      using U = std::decay_t<decltype(w_now)>;
      return w_now - (w_now * w_now * (w_now + root_three) - goal) / (w_now * (U(3.0) * w_now + U(2.0) * root_three));
    };
    const Value bare = Layers::value(target), bare_root = constant<Value>(std::sqrt(3.0L));
    Value bare_w = sqrt(bare * constant<Value>(1.0L / std::sqrt(3.0L)));
    for (int i = 0; i < 8; ++i) bare_w = step(bare_w, bare, bare_root);
    // from a root for the value, each step doubles the order up to which derivatives are exact
    T w(bare_w);
    for (int order = 0; order < Layers::k_order; order = 2 * order + 1) w = step(w, target, root);
    const T u = w + inverse_root_three();
    const T slope = T(3.0) * u * u - T(1.0);
    const T u1 = constant<T>(2.0L / 3.0L) / slope, u2 = T(-6.0) * u * u1 * u1 / slope;
    phi_ = T(1.0) / u;
    phi1_ = -u1 * phi_ * phi_;
    phi2_ = (T(2.0) * u1 * u1 * phi_ - u2) * phi_ * phi_;
    b_ = {phi_ * y_.x, phi_ * y_.y, T(0.0)};
    slope_ = {ky * b_.z, -kx * b_.z, kx * b_.y - ky * b_.x + T(1.0)};
  }
  T curvature(int c, int order) const { return T(inverse_length_) * slice_.profile[c][order]; }
  template <typename D>
  CUTTLE_INLINE auto curvature_first(int c, const D& d) const {
    return T(inverse_length_) * profile_first(c, 0, d);
  }

  template <typename D>
  CUTTLE_INLINE auto chi_first(const D& d) const {
    if constexpr (k_stretch) {
      return profile_first(0, 1, d);
    } else if constexpr (k_bend) {
      return curvature_first(0, d) * y_.y - curvature_first(1, d) * y_.x + curvature(0, 0) * d.y() -
             curvature(1, 0) * d.x();
    } else {
      const T inverse = T(1.0) / squared_radius_;
      return (inflow_first(d) - inflow_ * inverse * radius_first(d)) * inverse;
    }
  }
  template <typename D, typename E>
  CUTTLE_INLINE auto chi_second(const D& d, const E& e) const {
    if constexpr (k_stretch) {
      return profile_second(0, 1, d, e);
    } else if constexpr (k_bend) {
      return T(inverse_length_) * (profile_second(0, 0, d, e) * y_.y - profile_second(1, 0, d, e) * y_.x) +
             (curvature_first(0, d) * e.y() - curvature_first(1, d) * e.x()) +
             (curvature_first(0, e) * d.y() - curvature_first(1, e) * d.x());
    } else {
      const T inverse = T(1.0) / squared_radius_;
      const auto rd = radius_first(d) * inverse;
      const auto re = radius_first(e) * inverse;
      const auto rde = (d.x() * e.x() + d.y() * e.y()) * (T(2.0) * inverse);
      return (only_off_axis(profile_second(0, 0, d, e)) - inflow_first(d) * re - inflow_first(e) * rd +
              ((rd * re) * T(2.0) - rde) * inflow_) *
             inverse;
    }
  }
  template <typename Value>
  CUTTLE_INLINE auto only_off_axis(const Value& value) const {
    if constexpr (std::is_same_v<Value, Zero>) {
      return Zero{};
    } else {
      return select(off_axis_, value, T(0.0));
    }
  }
  template <typename D>
  CUTTLE_INLINE auto inflow_first(const D& d) const {
    return only_off_axis(profile_first(0, 0, d));
  }
  template <typename D>
  CUTTLE_INLINE auto radius_first(const D& d) const {
    return (y_.x * d.x() + y_.y * d.y()) * T(2.0);
  }

  /// Derivatives of phi(chi) (y1, y2, 0).
  template <typename D>
  CUTTLE_INLINE Vector3T<T> scaled_first(const D& d) const {
    const auto change = phi1_ * chi_first(d);
    return {as<T>(change * y_.x + phi_ * d.x()), as<T>(change * y_.y + phi_ * d.y()), T(0.0)};
  }
  template <typename D, typename E>
  CUTTLE_INLINE Vector3T<T> scaled_second(const D& d, const E& e) const {
    const auto cd = chi_first(d);
    const auto ce = chi_first(e);
    const auto change = phi2_ * (cd * ce) + phi1_ * chi_second(d, e);
    const auto fd = phi1_ * cd;
    const auto fe = phi1_ * ce;
    return {as<T>(change * y_.x + fd * e.x() + fe * d.x()), as<T>(change * y_.y + fd * e.y() + fe * d.y()), T(0.0)};
  }

  /// What turning and moving the backbone adds to the second derivative of g (b; 1), in section axes: with X_d the body
  /// twist of direction d, X_d x b_e + X_e x b_d and g^-1 (d2g/dd de) of b = X_d^ X_e^ + (dX_e/dd)^, d before x3.
  template <typename D, typename E>
  CUTTLE_INLINE Vector3T<T> carried(const D& d, const E& e) const {
    const Vector3T<T> kappa{curvature(0, 0), curvature(1, 0), T(0.0)};
    Vector3T<T> sum{T(0.0), T(0.0), T(0.0)};
    if constexpr (D::k_z && E::k_z) {
      const Vector3T<T> kappa_slope{curvature(0, 1), curvature(1, 1), T(0.0)};
      sum += (d.z() * e.z()) * (cross(kappa, slope_) + cross(kappa_slope, b_));
    }
    const auto add_turned = [&](const auto& turning, const auto& other) {
      using A = std::decay_t<decltype(turning)>;
      if constexpr (A::k_z || A::k_own) {
        Vector3T<T> w{T(0.0), T(0.0), T(0.0)};
        if constexpr (A::k_z) w += turning.z() * kappa;
        if constexpr (A::k_own) w += turning.own_part->twist.angular;
        sum += cross(w, scaled_first(other));
      }
    };
    add_turned(d, e), add_turned(e, d);
    const auto add_mixed = [&](const auto& own, const auto& along) {
      if constexpr (std::decay_t<decltype(own)>::k_own && std::decay_t<decltype(along)>::k_z) {
        const T kx = T(inverse_length_) * own.own(0, 0), ky = T(inverse_length_) * own.own(1, 0);
        sum += along.z() * (cross(own.own_part->twist.angular, slope_) + cross(Vector3T<T>{kx, ky, T(0.0)}, b_));
      }
    };
    add_mixed(d, e), add_mixed(e, d);
    if constexpr (D::k_own && E::k_own) {
      const TwistT<T>& X = d.own_part->twist;
      const TwistT<T>& Y = e.own_part->twist;
      const TwistT<T>& bias = slice_.section.bias;
      sum += cross(X.angular, cross(Y.angular, b_) + Y.linear) + cross(bias.angular, b_) + bias.linear;
    }
    return sum;
  }

  CUTTLE_INLINE Vector3T<T> turned(const T& x, const T& y, const T& z) const {
    return {slice_.cosine * x - slice_.sine * y, slice_.sine * x + slice_.cosine * y, z};
  }

  const LvpPrimitiveT<S>& primitive_;
  const LvpSlice<T>& slice_;
  const Vector3T<T> y_;
  const S inverse_length_;
  T chi_{}, phi_{}, phi1_{}, phi2_{};  ///< scale of (y1, y2) and its derivatives in chi
  Vector3T<T> b_{}, slope_{};          ///< of bend: phi (y1, y2, 0), and kappa x b + e3
  T squared_radius_{}, inflow_{};      ///< of source
  MaskT<T> off_axis_{};                ///< of source
};

}  // namespace cuttle
