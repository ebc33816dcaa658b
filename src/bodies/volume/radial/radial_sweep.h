#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "bodies/volume/kinematics_kernels_impl.h"
#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/spatial/exponential.h"

namespace cuttle {

/// f of a backbone g(s) = exp(s xi) of constant strain whose sections swell: g (m (x1, x2, 0)), m = 1 + dR / R_0.
/// What depends on s alone is made again only where s changes.
template <typename S, typename T>
class RadialSweep {
  using P = RestT<S, T>;
  /// A bump at a point: its value over R_0 and the slope of that in x.
  struct Bump {
    P value;
    Vector3T<P> slope;
  };

 public:
  static int coordinate_count(const RadialParametersT<S>& parameters) {
    return static_cast<int>(parameters.strain.size() + parameters.bumps.size());
  }
  RadialSweep(const RadialParametersT<S>& parameters, const T* q, const T* v, ScratchPieces& pieces)
      : parameters_(parameters), q_(q), v_(v), strains_(parameters.strain.size()) {
    twists_ = pieces.take<TwistT<T>>(strains_);
    bumps_ = pieces.take<Bump>(parameters.bumps.size());
    if (q == nullptr) return;
    inverse_length_ = S(1.0) / parameters.length;
    xi_.linear.z = T(1.0);
    for (std::size_t j = 0; j < strains_; ++j) {
      component(xi_, j) += T(inverse_length_) * q[j];
      if (v) component(xi_rate_, j) = T(inverse_length_) * v[j];
    }
  }

  MaskT<T> carry(const Vector3T<P>& x, const CarriedPoint<T>& point) {
    if (!begun_ || !identical(last_, x.z)) place_section(x.z, point.slopes != nullptr);
    begun_ = true, last_ = x.z;
    const std::size_t bumps = parameters_.bumps.size();
    const Vector3T<T> y = widened({x.x, x.y, P(0.0)});
    T m(1.0);
    Vector3T<T> m_slope = zero();
    for (std::size_t k = 0; k < bumps; ++k) {
      bumps_[k] = bump(x, parameters_.bumps[k]);
      m += q_[strains_ + k] * T(bumps_[k].value);
      m_slope += q_[strains_ + k] * widened(bumps_[k].slope);
    }
    const Matrix3T<T>& R = section_.rotation;
    const Vector3T<T> b = m * y;
    *point.value = section_.position + R * b;
    const std::size_t wanted = std::min(point.slope_count, strains_ + bumps), strains = std::min(strains_, wanted);
    if (point.slopes) {
      for (std::size_t j = 0; j < strains; ++j) point.slopes[j] = R * carried(twists_[j], b);
      for (std::size_t k = 0; strains_ + k < wanted; ++k) point.slopes[strains_ + k] = R * (T(bumps_[k].value) * y);
    }
    if (point.curvature) {
      T m_rate(0.0);
      for (std::size_t k = 0; k < bumps; ++k) m_rate += v_[strains_ + k] * T(bumps_[k].value);
      const Vector3T<T> b_rate = m_rate * y;
      *point.curvature = R * (cross(rate_.angular, carried(rate_, b) + b_rate) + carried(rate_change_, b) +
                              cross(rate_.angular, b_rate));
    }
    if (!point.F) return T(0.0) < T(1.0);
    // R^T F e_c, c = 1, 2, 3: what moves in the section, and for x3 the section with it
    Vector3T<T> columns[3];
    for (int c = 0; c < 3; ++c) columns[c] = m_slope[c] * y;
    columns[0].x += m, columns[1].y += m;
    columns[2] += carried(xi_, b);
    *point.F = Matrix3T<T>::from_columns(R * columns[0], R * columns[1], R * columns[2]);
    if (!point.F_slopes) return T(0.0) < T(1.0);
    for (std::size_t j = 0; j < strains; ++j) {
      TwistT<T> xi_slope = still();
      component(xi_slope, j) = T(inverse_length_);
      Vector3T<T> change[3];
      for (int c = 0; c < 3; ++c) change[c] = cross(twists_[j].angular, columns[c]);
      change[2] += carried(xi_slope, b);
      point.F_slopes[j] = Matrix3T<T>::from_columns(R * change[0], R * change[1], R * change[2]);
    }
    for (std::size_t k = 0; strains_ + k < wanted; ++k) {
      const T value(bumps_[k].value);
      const Vector3T<T> slope = widened(bumps_[k].slope);
      Vector3T<T> change[3];
      for (int c = 0; c < 3; ++c) change[c] = slope[c] * y;
      change[0].x += value, change[1].y += value;
      change[2] += cross(xi_.angular, value * y);
      point.F_slopes[strains_ + k] = Matrix3T<T>::from_columns(R * change[0], R * change[1], R * change[2]);
    }
    return T(0.0) < T(1.0);
  }
  std::string fault() const { return {}; }

 private:
  static Vector3T<T> zero() { return {T(0.0), T(0.0), T(0.0)}; }
  static TwistT<T> still() { return {zero(), zero()}; }
  static Vector3T<T> widened(const Vector3T<P>& a) { return {T(a.x), T(a.y), T(a.z)}; }
  /// Velocity of b in a section that moves with the twist X, section axes.
  static Vector3T<T> carried(const TwistT<T>& X, const Vector3T<T>& b) { return cross(X.angular, b) + X.linear; }
  T& component(TwistT<T>& strain, std::size_t j) const {
    switch (parameters_.strain[j]) {
      case RadialStrain::kappa_x:
        return strain.angular.x;
      case RadialStrain::kappa_y:
        return strain.angular.y;
      case RadialStrain::sigma_z:
        break;
    }
    return strain.linear.z;
  }

  /// g(s), its twist in each coordinate of the strain, and along v with its change.
  void place_section(const P& s, bool with_slopes) {
    const T along(s);
    const TwistT<T> omega = along * xi_;
    const auto c = stumpff<7>(dot(omega.angular, omega.angular));
    section_ = exponential(omega, c);
    if (!with_slopes) return;
    const TangentMapT<T> tangent = right_tangent(omega, c);
    for (std::size_t j = 0; j < strains_; ++j) {
      TwistT<T> slope = still();
      component(slope, j) = along * T(inverse_length_);
      twists_[j] = tangent * slope;
    }
    if (v_) exponential_rates(omega, along * xi_rate_, still(), c, rate_, rate_change_);
  }

  /// exp(-1 / (limit - a^2)) and its slope in a, both 0 where the exponent is below -600 (exp: 1e-261) and beyond.
  static P well(const P& limit, const P& a, P& slope) {
    using std::exp;
    const P depth = limit - a * a;
    const auto inside = depth > P(1.0 / 600.0);
    const P inverse = P(1.0) / select(inside, depth, P(1.0));
    const P value = select(inside, exp(-inverse), P(0.0));
    slope = P(-2.0) * a * inverse * inverse * value;
    return value;
  }
  Bump bump(const Vector3T<P>& x, const S& angle) const {
    using std::atan2;
    using std::cos;
    using std::sin;
    const P inverse_length(inverse_length_);
    const P c(cos(angle)), s(sin(angle));
    const P r2 = x.x * x.x + x.y * x.y;
    const auto off_axis = r2 > P(0.0);
    const P along = select(off_axis, c * x.x + s * x.y, P(1.0)), across = c * x.y - s * x.x;
    P z_slope, phi_slope;
    const P z_part = well(P(0.25), x.z * inverse_length - P(0.5), z_slope);
    const P phi_part = well(constant<P>(std::numbers::pi_v<long double> * std::numbers::pi_v<long double> / 4),
                            atan2(across, along), phi_slope);
    const P inverse_radius = select(off_axis, P(S(1.0) / parameters_.radius), P(0.0));
    const P around = inverse_radius * z_part * phi_slope / select(off_axis, r2, P(1.0));
    return {inverse_radius * z_part * phi_part,
            {-x.y * around, x.x * around, inverse_radius * inverse_length * z_slope * phi_part}};
  }

  const RadialParametersT<S>& parameters_;
  const T *q_, *v_;
  std::size_t strains_;
  S inverse_length_{};
  TwistT<T> xi_ = still(), xi_rate_ = still();
  PoseT<T> section_;
  TwistT<T>* twists_;  ///< one a coordinate of the strain
  TwistT<T> rate_ = still(), rate_change_ = still();
  Bump* bumps_;
  bool begun_ = false;
  P last_;  ///< s of the last point
};

}  // namespace cuttle
