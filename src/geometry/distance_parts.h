#pragma once

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "cuttle/geometry/signed_distance.h"
#include "spatial/number_text.h"

// What distances to several shapes are put together from. Everything is by `select`: where a formula has no value, a
// regular one stands in that nobody takes.

namespace cuttle {

template <typename T>
Vector3T<T> select(bool mask, const Vector3T<T>& a, const Vector3T<T>& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
template <typename T>
SymmetricMatrix3T<T> select(bool mask, const SymmetricMatrix3T<T>& a, const SymmetricMatrix3T<T>& b) {
  return {select(mask, a.xx, b.xx), select(mask, a.yy, b.yy), select(mask, a.zz, b.zz),
          select(mask, a.xy, b.xy), select(mask, a.xz, b.xz), select(mask, a.yz, b.yz)};
}
template <typename T>
DistanceT<T> select(bool mask, const DistanceT<T>& a, const DistanceT<T>& b) {
  return {select(mask, a.value, b.value), select(mask, a.gradient, b.gradient), select(mask, a.hessian, b.hessian)};
}

/// Squares of lengths below are zero: their inverse would be beyond all numbers.
inline constexpr double k_no_length = 1e-200;

/// sqrt of a square, 0 without derivative where that is none; `given` is 1 then.
template <typename T>
struct LengthT {
  bool none;
  T value, given;
  explicit LengthT(const T& square) : none(!(square > T(k_no_length))) {
    using std::sqrt;
    given = select(none, T(1.0), sqrt(select(none, T(1.0), square)));
    value = select(none, T(0.0), given);
  }
};

/// Distance to the origin less `radius`: at the origin the direction is `otherwise`.
template <typename T>
DistanceT<T> distance_to_point(const Vector3T<T>& x, const T& radius, const Vector3T<T>& otherwise) {
  const LengthT<T> length(dot(x, x));
  const T inverse = T(1.0) / length.given;
  const Vector3T<T> g = select(length.none, otherwise, inverse * x);
  const T bend = select(length.none, T(0.0), inverse);
  return {length.value - radius, g,
          SymmetricMatrix3T<T>::diagonal(bend, bend, bend) - SymmetricMatrix3T<T>::outer(bend, g)};
}

/// The plane through the z axis and a point: what is symmetric about the axis is a matter of rho and z.
template <typename T>
struct MeridianT {
  LengthT<T> length;
  const T &rho, &z;
  T cosine, sine;  ///< of the direction of rho

  explicit MeridianT(const Vector3T<T>& x)
      : length(x.x * x.x + x.y * x.y),
        rho(length.value),
        z(x.z),
        cosine(select(length.none, T(1.0), x.x / length.given)),
        sine(select(length.none, T(0.0), x.y / length.given)) {}
  MeridianT(const MeridianT&) = delete;
  MeridianT& operator=(const MeridianT&) = delete;

  Vector3T<T> vector(const T& along_rho, const T& along_z) const {
    return {along_rho * cosine, along_rho * sine, along_z};
  }
  /// A straight line in that plane, of normal (n_rho, n_z): part of a cone, cylinder or plane.
  DistanceT<T> line(const T& value, const T& n_rho, const T& n_z) const {
    const T turn = select(length.none, T(0.0), n_rho / length.given);  // about the axis
    return {value, vector(n_rho, n_z), SymmetricMatrix3T<T>::outer(turn, {-sine, cosine, T(0.0)})};
  }
  /// A point in that plane, seen from (a, b) away: a circle about the axis.
  DistanceT<T> point(const T& a, const T& b) const {
    const LengthT<T> distance(a * a + b * b);
    const T inverse = select(distance.none, T(0.0), T(1.0) / distance.given);
    const T g_rho = select(distance.none, T(1.0), a * inverse), g_z = b * inverse;
    const T turn = select(length.none, T(0.0), g_rho / length.given);
    return {distance.value, vector(g_rho, g_z),
            SymmetricMatrix3T<T>::outer(inverse, vector(-g_z, g_rho)) +
                SymmetricMatrix3T<T>::outer(turn, {-sine, cosine, T(0.0)})};
  }
};

/// @throws ModelError unless a size is a number > 0.
template <typename S>
void check_size(const S& size, const char* key) {
  using std::isfinite;
  if (!isfinite(size) || !any(size > S(0.0))) throw ModelError(key, number_text(size), "a number > 0 [m]");
}

/// Arcs of a circle of `radius` about the z axis at the height z, with points within `thickness` of it. The cubics miss
/// the circle by 4e-6 of its radius.
template <typename S>
void add_circle(std::vector<TouchPartT<S>>& parts, const S& radius, const S& z, const S& thickness) {
  using std::cos;
  using std::sin;
  using std::tan;
  constexpr int k_arcs = 8;
  const S turn = constant<S>(2.0L * 3.14159265358979323846264338327950288L / k_arcs);
  const S speed = S(4.0) * tan(S(0.25) * turn) * radius;
  const auto at = [&](int k) { return Vector3T<S>{radius * cos(S(k) * turn), radius * sin(S(k) * turn), z}; };
  const auto tangent = [&](int k) { return Vector3T<S>{-speed * sin(S(k) * turn), speed * cos(S(k) * turn), S(0.0)}; };
  for (int k = 0; k < k_arcs; ++k) {
    parts.push_back({true, at(k), at(k + 1), tangent(k), tangent(k + 1), thickness, thickness});
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): names of templates
#define CUTTLE_SHAPE_DISTANCE(Shape, S)                                  \
  template class Shape<S>;                                               \
  template DistanceT<S> Shape<S>::distance<S>(const Vector3T<S>&) const; \
  template DistanceT<Dual<S, 8>> Shape<S>::distance<Dual<S, 8>>(const Vector3T<Dual<S, 8>>&) const;
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace cuttle
