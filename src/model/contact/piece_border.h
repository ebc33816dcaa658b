#pragma once

#include <type_traits>

#include "model/contact/friction_law.h"
#include "model/contact/site_curve.h"

namespace cuttle {

/// A number of a site in the scalar of its curves: their values alone, or one that has S inside.
template <typename T, typename S>
T number_as(const S& given) {
  if constexpr (std::is_constructible_v<T, S>) {
    return T(given);
  } else {
    return scalar_cast<T>(given);
  }
}

inline constexpr double k_border = 1e-3;  // half of the width of a border: of both radii

/// The plane across an end of the other piece, where another piece of its rod goes on.
template <typename T>
struct PieceBorderT {
  T u;                ///< 0 or 1
  Vector3T<T> point;  ///< of the axis
  Vector3T<T> out;    ///< unit normal, away from the piece
  T lean;             ///< how it turns with b': 1 / |b'|, negative at the begin
  T half_width;

  PieceBorderT() = default;
  PieceBorderT(bool at_end, const CubicT<T>& b, const T& both_radii)
      : u(at_end ? 1.0 : 0.0), point(at_end ? b.end : b.begin), half_width(T(k_border) * both_radii) {
    const Vector3T<T>& slope = at_end ? b.end_tangent : b.begin_tangent;
    lean = T(at_end ? 1.0 : -1.0) / LengthT<T>(dot(slope, slope)).given;
    out = lean * slope;
  }
  /// How far a point is beyond.
  T beyond(const Vector3T<T>& x) const { return dot(x - point, out); }
  /// Of that, where t stays.
  T rate(const CubicT<T>& rates_a, const CubicT<T>& rates_b, const T& t, const Vector3T<T>& x) const {
    const Vector3T<T> arm = x - point;
    return dot(rates_a.at(t) - rates_b.at(u), out) + lean * dot(arm - dot(arm, out) * out, rates_b.slope(u));
  }
  /// What pushes the point out, and the plane back.
  void push(SiteCurveT<T>& a, SiteCurveT<T>& b, const T& t, const T& force) const {
    const Vector3T<T> arm = a.curve().at(t) - point;
    a.add(t, force * out), b.add(u, -(force * out));
    b.add_to_slope(u, (force * lean) * (arm - dot(arm, out) * out));
  }
  /// The part of the piece, and how it falls.
  struct Share {
    T value, slope;
  };
  Share share(const T& beyond) const {
    const T z = T(0.5) * (T(1.0) - beyond / half_width);
    return {z * z * (T(3.0) - T(2.0) * z), T(-3.0) * z * (T(1.0) - z) / half_width};
  }
};

/// Parameters of a piece at which feet may be.
template <typename V>
struct FootRangeT {
  V begin = 0, end = 1;
};

/// Those that a piece has.
template <typename T>
struct PieceBordersT {
  PieceBorderT<T> all[2];
  int count = 0;

  /// With what is beyond the planes, and some more.
  template <typename V>
  FootRangeT<V> foot_range() const {
    FootRangeT<V> range;
    for (int i = 0; i < count; ++i) {
      const V beyond = V(1.5) * scalar_cast<V>(all[i].half_width) * scalar_cast<V>(all[i].lean);
      (beyond > 0 ? range.end : range.begin) += beyond;
    }
    return range;
  }
};

}  // namespace cuttle
