#pragma once

#include <cmath>
#include <vector>

#include "cuttle/spatial/exponential.h"

namespace cuttle {

/// Polynomial with coefficients `c` in t = s/L at s, and its first three derivatives in s.
template <typename S, typename T>
void polynomial_jet(const std::vector<S>& c, const T& t, const S& inverse_length, T (&jet)[4]) {
  for (T& value : jet) value = T(0.0);
  for (std::size_t i = c.size(); i-- > 0;) {
    jet[3] = jet[3] * t + T(3.0) * jet[2];
    jet[2] = jet[2] * t + T(2.0) * jet[1];
    jet[1] = jet[1] * t + jet[0];
    jet[0] = jet[0] * t + T(c[i]);
  }
  T scale(inverse_length);
  for (int d = 1; d < 4; ++d) {
    jet[d] = jet[d] * scale;
    scale = scale * T(inverse_length);
  }
}
template <typename S, typename T>
T polynomial(const std::vector<S>& c, const T& t) {
  T value(0.0);
  for (std::size_t i = c.size(); i-- > 0;) value = value * t + T(c[i]);
  return value;
}

/// A twist with its first derivative in a direction: what a product rule needs.
template <typename T>
struct TwistSlope {
  TwistT<T> value, first;

  TwistSlope operator+(const TwistSlope& b) const { return {value + b.value, first + b.first}; }
  TwistSlope operator-(const TwistSlope& b) const { return {value - b.value, first - b.first}; }
  friend TwistSlope operator*(const T& s, const TwistSlope& a) { return {s * a.value, s * a.first}; }
};
template <typename T>
TwistSlope<T> bracket(const TwistSlope<T>& a, const TwistSlope<T>& b) {
  return {bracket(a.value, b.value), bracket(a.first, b.value) + bracket(a.value, b.first)};
}
/// The same with the second derivative.
template <typename T>
struct TwistJet {
  TwistT<T> value, first, second;

  TwistJet operator+(const TwistJet& b) const { return {value + b.value, first + b.first, second + b.second}; }
  TwistJet operator-(const TwistJet& b) const { return {value - b.value, first - b.first, second - b.second}; }
  friend TwistJet operator*(const T& s, const TwistJet& a) { return {s * a.value, s * a.first, s * a.second}; }
};
template <typename T>
TwistJet<T> bracket(const TwistJet<T>& a, const TwistJet<T>& b) {
  return {bracket(a.value, b.value), bracket(a.first, b.value) + bracket(a.value, b.first),
          bracket(a.second, b.value) + T(2.0) * bracket(a.first, b.first) + bracket(a.value, b.second)};
}

/// Sixth-order Magnus step of g' = g hat(xi) from the strain at the three Gauss points of a step of length h (Blanes,
/// Casas and Ros 2000, with the bracket's sign turned round for the product on the right).
template <typename T, typename Element>
Element magnus_increment(const T& h, const Element (&xi)[3]) {
  using std::sqrt;
  const T root = constant<T>(std::sqrt(15.0L) / 3.0L);
  const T third = constant<T>(1.0L / 3.0L);
  const Element a1 = h * xi[1];
  const Element a2 = (root * h) * (xi[2] - xi[0]);
  const Element a3 = (T(10.0) * third * h) * (xi[2] - T(2.0) * xi[1] + xi[0]);
  const Element c1 = bracket(a2, a1);
  const Element c2 = constant<T>(-1.0L / 60.0L) * bracket(T(2.0) * a3 + c1, a1);
  const Element left = T(-20.0) * a1 - a3 + c1;
  return a1 + constant<T>(1.0L / 12.0L) * a3 + constant<T>(1.0L / 240.0L) * bracket(a2 + c2, left);
}

/// Steps of the backbone from 0 to where it is asked for; one for constant curvature, where it is exact.
inline constexpr int k_backbone_steps = 64;

/// A backbone of curvature (m_x(s), m_y(s))/L, r' = R e3, from (0, 1) to s.
///
/// Derivatives in q are those of the discrete pose; derivatives in s follow from g' = g hat(xi): they differ from those
/// of the discrete pose by the error of the steps, far below rounding until the curvature turns by radians.
template <typename S, typename T>
class Backbone {
 public:
  using Modes = std::vector<std::vector<S>>;
  PoseT<T> pose;
  TwistT<T> bias;  ///< derivative of the twist along v, along v; only if v is given

  /// @param J  body twist per coordinate, x_modes then y_modes; overwritten. Null: not asked for.
  /// @param v  null: no bias; needs J.
  Backbone(const Modes& x_modes, const Modes& y_modes, const S& inverse_length, const T& s, const T* q, const T* v,
           TwistT<T>* J)
      : modes_{&x_modes, &y_modes}, inverse_length_(inverse_length), q_(q), v_(v) {
    const std::size_t n = x_modes.size() + y_modes.size();
    for (std::size_t j = 0; J && j < n; ++j) J[j] = zero();
    bias = zero();
    bool constant_curvature = true;
    for (const Modes* modes : modes_) {
      for (const std::vector<S>& mode : *modes) constant_curvature = constant_curvature && mode.size() <= 1;
    }
    const int steps = constant_curvature ? 1 : k_backbone_steps;
    const T h = constant<T>(1.0L / steps) * s;
    for (int k = 0; k < steps; ++k) step(T(double(k)) * h, h, J);
  }

 private:
  static TwistT<T> zero() { return {{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(0.0)}}; }

  void step(const T& start, const T& h, TwistT<T>* J) {
    T t[3];
    for (int i = 0; i < 3; ++i) {
      const T fraction = constant<T>(0.5L + (i - 1) * std::sqrt(0.15L));
      t[i] = T(inverse_length_) * (start + fraction * h);
    }
    TwistJet<T> xi[3];
    for (int i = 0; i < 3; ++i) {
      xi[i] = {{{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(1.0)}}, zero(), zero()};
      std::size_t j = 0;
      for (int component = 0; component < 2; ++component) {
        for (const std::vector<S>& mode : *modes_[component]) {
          const T phi = T(inverse_length_) * polynomial(mode, t[i]);
          xi[i].value.angular[component] += q_[j] * phi;
          if (v_) xi[i].first.angular[component] += v_[j] * phi;
          ++j;
        }
      }
    }
    const TwistJet<T> omega = magnus_increment(h, xi);
    const auto c = stumpff<7>(dot(omega.value.angular, omega.value.angular));
    const PoseT<T> increment = exponential(omega.value, c);
    pose = pose * increment;
    if (v_) {
      TwistT<T> carried = zero();
      std::size_t j = 0;
      for (const Modes* modes : modes_) {
        for (std::size_t k = 0; k < modes->size(); ++k, ++j) carried += v_[j] * J[j];
      }
      carried = increment.act_inverse(carried);
      TwistT<T> rate, second;
      exponential_rates(omega.value, omega.first, omega.second, c, rate, second);
      bias = increment.act_inverse(bias) + bracket(carried, rate) + second;
    }
    if (!J) return;
    const TangentMapT<T> tangent = right_tangent(omega.value, c);
    std::size_t j = 0;
    for (int component = 0; component < 2; ++component) {
      for (const std::vector<S>& mode : *modes_[component]) {
        TwistSlope<T> along_mode[3];
        for (int i = 0; i < 3; ++i) {
          along_mode[i] = {xi[i].value, zero()};
          along_mode[i].first.angular[component] = T(inverse_length_) * polynomial(mode, t[i]);
        }
        J[j] = increment.act_inverse(J[j]) + tangent * magnus_increment(h, along_mode).first;
        ++j;
      }
    }
  }

  const Modes* modes_[2];
  S inverse_length_;
  const T *q_, *v_;
};

}  // namespace cuttle
