#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "model/contact/friction_law.h"

namespace cuttle {

/// The bristle with which a site begins. Of all bristles that its cone holds it is the one nearest to a wanted one: so
/// the elastic energy is least, and one that is at the end of the cone flows the way it is pulled, also where
/// coefficients differ along and across. One that slides already pulls against that.
template <typename V>
class BristleStartT {
 public:
  BristleStartT(const FrictionLawT<V>& law, const TouchT<V>& touch) : law_(law), touch_(touch) {
    const V length2 = dot(touch.along, touch.along);
    if (!law.is_isotropic() && length2 > V(0)) axis_ = V(1) / std::sqrt(length2) * touch.along, along2_ = length2;
  }

  /// @param wanted  whose tangential part counts.   @param by_wanted  null, or how xi follows it: symmetric, never
  /// negative.
  /// @return whether the site slides: then xi holds against that, whatever is wanted.
  bool find(const Vector3T<V>& wanted, Vector3T<V>& xi, V& coefficient, Matrix3T<V>* by_wanted) const {
    xi = {}, coefficient = V(0);
    if (by_wanted != nullptr) *by_wanted = {};
    if (!touch_.touches) return false;
    const Vector3T<V>& v = touch_.sliding;
    if (used(V(k_sliding_time) * v, V(0)) > V(1)) {
      Vector3T<V> along_way = turned_to_cone(v);
      if (law_.state_count() > 3) coefficient = V(k_coefficient_time) * flow(along_way, V(0)).coefficient_rate;
      xi = V(1) / used(along_way, coefficient) * along_way;
      return true;
    }
    const Vector3T<V>& n = touch_.normal;
    const Vector3T<V> bent = wanted - dot(n, wanted) * n;
    if (!(used(bent, V(0)) > V(1))) {
      xi = bent;
      if (by_wanted != nullptr) *by_wanted = Matrix3T<V>::identity() - Matrix3T<V>::outer(n, n);
      return false;
    }
    const V pull = nearest_on_cone(bent, xi);
    if (by_wanted == nullptr) return false;
    // xi = (1 + pull D^2)^-1 wanted, where pull keeps xi on the cone
    const auto [d_along, d_across] = squares(xi);
    const Matrix3T<V> axes = Matrix3T<V>::outer(axis_, axis_),
                      across = Matrix3T<V>::identity() - Matrix3T<V>::outer(n, n) - axes;
    const Matrix3T<V> W = V(1) / (V(1) + pull * d_along) * axes + V(1) / (V(1) + pull * d_across) * across;
    const Vector3T<V> normal = d_along * (axes * xi) + d_across * (across * xi), moved = W * normal;
    *by_wanted = W - V(1) / dot(normal, moved) * Matrix3T<V>::outer(moved, moved);
    return false;
  }

 private:
  static constexpr int k_most_iterations = 60;
  static constexpr double k_sliding_time = 1e-3;  // s: who slides through a bristle in less, slides

  auto flow(const Vector3T<V>& xi, const V& coefficient) const {
    typename FrictionLawT<V>::template Products<V> p;
    p.aa = dot(xi, xi), p.ab = dot(xi, touch_.sliding), p.bb = dot(touch_.sliding, touch_.sliding);
    p.a_along = dot(xi, touch_.along), p.b_along = dot(touch_.sliding, touch_.along);
    return law_.flowing(touch_, p, coefficient);
  }
  /// Part of the cone that a bristle takes: for each direction proportional to its length.
  V used(const Vector3T<V>& xi, const V& coefficient) const { return flow(xi, coefficient).used; }
  /// D^2 along the axis, on the side of xi, and across.
  std::pair<V, V> squares(const Vector3T<V>& xi) const {
    const auto [across, excess] = law_.inverse_squares(dot(xi, touch_.along));
    return {across + excess * along2_, across};
  }
  /// D^-2 v: who slides so flows along v.
  Vector3T<V> turned_to_cone(const Vector3T<V>& v) const {
    const auto [d_along, d_across] = squares(v);
    const V part = dot(v, axis_);
    return V(1) / d_across * v + (V(1) / d_along - V(1) / d_across) * part * axis_;
  }
  /// The point of the cone that is nearest to x beyond it.   @return t of xi = (1 + t D^2)^-1 x.
  V nearest_on_cone(const Vector3T<V>& x, Vector3T<V>& xi) const {
    const auto [d_along, d_across] = squares(x);
    const V part = dot(x, axis_);
    const Vector3T<V> rest = x - part * axis_;
    const V along = d_along * part * part, across = d_across * dot(rest, rest);
    xi = x;
    V t(0);
    // the end of the cone depends on the direction: bristles add to the normal force
    for (int i = 0; i < k_most_iterations; ++i) {
      const auto [xi_along, xi_across] = squares(xi);
      const V xi_part = dot(xi, axis_), xi_rest = dot(xi, xi) - xi_part * xi_part;
      const V limit = std::sqrt(xi_along * xi_part * xi_part + xi_across * xi_rest) / used(xi, V(0));
      const V before = t;
      for (int k = 0; k < k_most_iterations; ++k) {  // Newton's method for 1 / |D xi|, which is nearly linear in t
        const V a = V(1) / (V(1) + t * d_along), b = V(1) / (V(1) + t * d_across);
        const V square = along * a * a + across * b * b, size = std::sqrt(square);
        const V slope = along * d_along * a * a * a + across * d_across * b * b * b;
        const V change = (V(1) / limit - V(1) / size) * square * size / slope;
        t += change;
        if (!(t > V(0))) t = V(0);
        if (std::abs(change) <= V(4) * std::numeric_limits<V>::epsilon() * t) break;
      }
      xi = part / (V(1) + t * d_along) * axis_ + V(1) / (V(1) + t * d_across) * rest;
      if (law_.is_isotropic() || std::abs(t - before) <= V(16) * std::numeric_limits<V>::epsilon() * t) break;
    }
    xi = V(1) / used(xi, V(0)) * xi;
    return t;
  }

  const FrictionLawT<V>& law_;
  const TouchT<V>& touch_;
  Vector3T<V> axis_;  ///< unit; zero where coefficients are the same all around
  V along2_{};
};

}  // namespace cuttle
