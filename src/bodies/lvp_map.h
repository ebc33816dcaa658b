#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "bodies/lvp_backbone.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

/// How one direction of a primitive's own coordinates changes its profiles (of bend two, about x and y): value and
/// derivatives in x3, and its backbone.
template <typename T>
struct LvpOwn {
  T profile[2][4];
  TwistT<T> twist;
};
/// A direction in the argument y of a primitive and in its own coordinates.
template <typename T>
struct LvpDirection {
  Vector3T<T> y;
  const LvpOwn<T>* own;  ///< null: none
};

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
template <typename S, typename T>
class LvpMap {
 public:
  LvpMap(const LvpPrimitiveT<S>& primitive, const S& length, const LvpSlice<T>& slice, const Vector3T<T>& y)
      : primitive_(primitive), slice_(slice), y_(y), inverse_length_(S(1.0) / length) {
    switch (primitive_.type) {
      case Type::stretch:
        set_stretch();
        break;
      case Type::bend:
        set_bend();
        break;
      case Type::source:
        set_source();
        break;
      default:
        break;
    }
  }

  /// Lanes in which h is defined here.
  MaskT<T> inside() const {
    switch (primitive_.type) {
      case Type::stretch:
      case Type::source:
        return chi_ > T(0.0);
      case Type::bend:
        return chi_ > T(-inverse_root_three());
      default:
        return T(0.0) < T(1.0);
    }
  }
  /// Why it is not; for a scalar without lanes or derivatives.
  std::string fault() const {
    if constexpr (std::is_floating_point_v<T>) {
      if (primitive_.type == Type::stretch) {
        return "stretch turns the body inside out (1 + e' = " + number_text(chi_) + ", valid above 0)";
      }
      if (primitive_.type == Type::bend) {
        return "bend folds the body onto itself (z = " + number_text(chi_) + ", valid above -0.577)";
      }
      return "source closes the cavity (r^2 + c = " + number_text(chi_ * squared_radius_) + " m^2, valid above 0)";
    } else {
      return {};
    }
  }

  Vector3T<T> value() const {
    const T zero(0.0);
    const T& m = slice_.profile[0][0];
    switch (primitive_.type) {
      case Type::stretch:
        return {phi_ * y_.x, phi_ * y_.y, y_.z + m};
      case Type::shear:
        return primitive_.axis == 0 ? Vector3T<T>{y_.x + m, y_.y, y_.z} : Vector3T<T>{y_.x, y_.y + m, y_.z};
      case Type::twist:
        return turned(Vector3T<T>{y_.x, y_.y, y_.z});
      case Type::bend:
        return slice_.section.pose.act(Vector3T<T>{phi_ * y_.x, phi_ * y_.y, zero});
      case Type::source:
        break;
    }
    return {phi_ * y_.x, phi_ * y_.y, y_.z};
  }

  Vector3T<T> first(const LvpDirection<T>& d) const {
    switch (primitive_.type) {
      case Type::stretch: {
        const Vector3T<T> b = scaled_first(d);
        return {b.x, b.y, d.y.z + profile_first(0, 0, d)};
      }
      case Type::shear: {
        Vector3T<T> h = d.y;
        h[primitive_.axis] += profile_first(0, 0, d);
        return h;
      }
      case Type::twist: {
        const T rate = profile_first(0, 0, d);
        return turned(Vector3T<T>{d.y.x - rate * y_.y, d.y.y + rate * y_.x, d.y.z});
      }
      case Type::bend: {
        Vector3T<T> b = scaled_first(d) + d.y.z * slope_;
        if (d.own) b += cross(d.own->twist.angular, b_) + d.own->twist.linear;
        return slice_.section.pose.rotation * b;
      }
      case Type::source:
        break;
    }
    const Vector3T<T> b = scaled_first(d);
    return {b.x, b.y, d.y.z};
  }

  /// Own coordinates in both directions: both must be the rates v.
  Vector3T<T> second(const LvpDirection<T>& d, const LvpDirection<T>& e) const {
    const T zero(0.0);
    switch (primitive_.type) {
      case Type::stretch: {
        const Vector3T<T> b = scaled_second(d, e);
        return {b.x, b.y, profile_second(0, 0, d, e)};
      }
      case Type::shear: {
        Vector3T<T> h{zero, zero, zero};
        h[primitive_.axis] = profile_second(0, 0, d, e);
        return h;
      }
      case Type::twist: {
        const T rd = profile_first(0, 0, d), re = profile_first(0, 0, e), second = profile_second(0, 0, d, e);
        return turned(Vector3T<T>{-rd * e.y.y - re * d.y.y - rd * re * y_.x - second * y_.y,
                                  rd * e.y.x + re * d.y.x - rd * re * y_.y + second * y_.x, zero});
      }
      case Type::bend:
        return slice_.section.pose.rotation * (scaled_second(d, e) + carried(d, e));
      case Type::source:
        break;
    }
    return scaled_second(d, e);
  }

 private:
  using Type = typename LvpPrimitiveT<S>::Type;
  static T inverse_root_three() { return constant<T>(1.0L / std::sqrt(3.0L)); }

  /// The `order`-th derivative in x3 of profile `c`, differentiated once and twice.
  T profile_first(int c, int order, const LvpDirection<T>& d) const {
    const T change = slice_.profile[c][order + 1] * d.y.z;
    return d.own ? change + d.own->profile[c][order] : change;
  }
  T profile_second(int c, int order, const LvpDirection<T>& d, const LvpDirection<T>& e) const {
    T change = slice_.profile[c][order + 2] * d.y.z * e.y.z;
    if (d.own) change += d.own->profile[c][order + 1] * e.y.z;
    if (e.own) change += e.own->profile[c][order + 1] * d.y.z;
    return change;
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
    T w = sqrt(target * inverse_root_three());
    for (int i = 0; i < 8; ++i) w = w - (w * w * (w + root) - target) / (w * (T(3.0) * w + T(2.0) * root));
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
  T curvature_first(int c, const LvpDirection<T>& d) const { return T(inverse_length_) * profile_first(c, 0, d); }

  T chi_first(const LvpDirection<T>& d) const {
    switch (primitive_.type) {
      case Type::stretch:
        return profile_first(0, 1, d);
      case Type::bend:
        return curvature_first(0, d) * y_.y - curvature_first(1, d) * y_.x + curvature(0, 0) * d.y.y -
               curvature(1, 0) * d.y.x;
      default:
        break;
    }
    return (inflow_first(d) - inflow_ * radius_first(d) / squared_radius_) / squared_radius_;
  }
  T chi_second(const LvpDirection<T>& d, const LvpDirection<T>& e) const {
    switch (primitive_.type) {
      case Type::stretch:
        return profile_second(0, 1, d, e);
      case Type::bend:
        return T(inverse_length_) * (profile_second(0, 0, d, e) * y_.y - profile_second(1, 0, d, e) * y_.x) +
               curvature_first(0, d) * e.y.y - curvature_first(1, d) * e.y.x + curvature_first(0, e) * d.y.y -
               curvature_first(1, e) * d.y.x;
      default:
        break;
    }
    const T inverse = T(1.0) / squared_radius_;
    const T rd = radius_first(d) * inverse, re = radius_first(e) * inverse;
    const T rde = T(2.0) * (d.y.x * e.y.x + d.y.y * e.y.y) * inverse;
    const T second = select(off_axis_, profile_second(0, 0, d, e), T(0.0));
    return (second - inflow_first(d) * re - inflow_first(e) * rd + inflow_ * (T(2.0) * rd * re - rde)) * inverse;
  }
  T inflow_first(const LvpDirection<T>& d) const { return select(off_axis_, profile_first(0, 0, d), T(0.0)); }
  T radius_first(const LvpDirection<T>& d) const { return T(2.0) * (y_.x * d.y.x + y_.y * d.y.y); }

  /// Derivatives of phi(chi) (y1, y2, 0).
  Vector3T<T> scaled_first(const LvpDirection<T>& d) const {
    const T change = phi1_ * chi_first(d);
    return {change * y_.x + phi_ * d.y.x, change * y_.y + phi_ * d.y.y, T(0.0)};
  }
  Vector3T<T> scaled_second(const LvpDirection<T>& d, const LvpDirection<T>& e) const {
    const T cd = chi_first(d), ce = chi_first(e);
    const T change = phi2_ * cd * ce + phi1_ * chi_second(d, e);
    const T fd = phi1_ * cd, fe = phi1_ * ce;
    return {change * y_.x + fd * e.y.x + fe * d.y.x, change * y_.y + fd * e.y.y + fe * d.y.y, T(0.0)};
  }

  /// What turning and moving the backbone adds to the second derivative of g (b; 1), in section axes: with X_d the body
  /// twist of direction d, X_d x b_e + X_e x b_d and g^-1 (d2g/dd de) of b = X_d^ X_e^ + (dX_e/dd)^, d before x3.
  Vector3T<T> carried(const LvpDirection<T>& d, const LvpDirection<T>& e) const {
    const Vector3T<T> kappa{curvature(0, 0), curvature(1, 0), T(0.0)};
    const Vector3T<T> kappa_slope{curvature(0, 1), curvature(1, 1), T(0.0)};
    Vector3T<T> sum = (d.y.z * e.y.z) * (cross(kappa, slope_) + cross(kappa_slope, b_));
    const auto turning = [&](const LvpDirection<T>& a) {
      Vector3T<T> w = a.y.z * kappa;
      if (a.own) w += a.own->twist.angular;
      return w;
    };
    sum += cross(turning(d), scaled_first(e)) + cross(turning(e), scaled_first(d));
    const auto mixed = [&](const LvpDirection<T>& own, const T& z) {
      if (!own.own) return;
      const T kx = T(inverse_length_) * own.own->profile[0][0], ky = T(inverse_length_) * own.own->profile[1][0];
      sum += z * (cross(own.own->twist.angular, slope_) + cross(Vector3T<T>{kx, ky, T(0.0)}, b_));
    };
    mixed(d, e.y.z), mixed(e, d.y.z);
    if (d.own && e.own) {
      const TwistT<T>& X = d.own->twist;
      const TwistT<T>& Y = e.own->twist;
      sum += cross(X.angular, cross(Y.angular, b_) + Y.linear) + cross(slice_.section.bias.angular, b_) +
             slice_.section.bias.linear;
    }
    return sum;
  }

  Vector3T<T> turned(const Vector3T<T>& a) const {
    return {slice_.cosine * a.x - slice_.sine * a.y, slice_.sine * a.x + slice_.cosine * a.y, a.z};
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
