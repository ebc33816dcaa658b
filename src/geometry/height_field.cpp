#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuttle/geometry/shapes.h"
#include "geometry/cubic_shares.h"
#include "geometry/distance_parts.h"

namespace cuttle {
namespace {

/// Height with its derivatives along x and y.
template <typename T>
struct HeightT {
  T h, x, y, xx, xy, yy;
};

template <typename T, typename S>
HeightT<T> height_at(const HeightFieldT<S>& field, const T& x, const T& y) {
  const auto from_first = [](const T& at, const S& cell, int count) { return at + T(cell * S(0.5 * (count - 1))); };
  const CubicShares<T> a(from_first(x, field.cell_x(), field.columns()), T(field.cell_x()), field.columns());
  const CubicShares<T> b(from_first(y, field.cell_y(), field.rows()), T(field.cell_y()), field.rows());
  HeightT<T> result{};
  for (int j = 0; j < 4; ++j) {
    T value(0.0), slope(0.0), bend(0.0);
    for (int i = 0; i < 4; ++i) {
      const T h(field.heights()[static_cast<std::size_t>(b.first[j]) * static_cast<std::size_t>(field.columns()) +
                                static_cast<std::size_t>(a.first[i])]);
      value += a.value[i] * h, slope += a.slope[i] * h, bend += a.bend[i] * h;
    }
    result.h += b.value[j] * value, result.x += b.value[j] * slope, result.y += b.slope[j] * value;
    result.xx += b.value[j] * bend, result.xy += b.slope[j] * slope, result.yy += b.bend[j] * value;
  }
  return result;
}

/// Newton's step towards the point (u, v) of the surface that is nearest to x: half the square of the distance has the
/// gradient (f, g) and the Hessian (a, b, c) there.
template <typename T>
struct NearestStep {
  T f, g, a, b, c;
  NearestStep(const HeightT<T>& h, const Vector3T<T>& x, const T& u, const T& v) {
    const T up = h.h - x.z, one(1.0);
    f = u - x.x + up * h.x, g = v - x.y + up * h.y;
    a = one + h.x * h.x + up * h.xx, b = h.x * h.y + up * h.xy, c = one + h.y * h.y + up * h.yy;
  }
  T determinant() const { return a * c - b * b; }
};

}  // namespace

template <typename S>
HeightFieldT<S>::HeightFieldT(int columns, int rows, std::vector<S> heights, const S& cell_x, const S& cell_y)
    : columns_(columns), rows_(rows), heights_(std::move(heights)), cell_x_(cell_x), cell_y_(cell_y) {
  if (columns < 2 || rows < 2) {
    throw ModelError("grid", std::to_string(columns) + " x " + std::to_string(rows) + " heights", "at least 2 x 2");
  }
  if (heights_.size() != static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {
    throw ModelError("grid", std::to_string(heights_.size()) + " heights",
                     std::to_string(columns) + " x " + std::to_string(rows));
  }
  for (const S& h : heights_) {
    using std::isfinite;
    if (!isfinite(h)) throw ModelError("grid", number_text(h), "finite heights [m]");
  }
  check_size(cell_x, "cell_x");
  check_size(cell_y, "cell_y");
  // slopes of the cubics are below 1.5 times those between neighbors
  double along_x = 0.0, along_y = 0.0;
  const auto height = [&](int i, int j) {
    return scalar_cast<double>(
        heights_[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i)]);
  };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      if (i + 1 < columns) along_x = std::max(along_x, std::abs(height(i + 1, j) - height(i, j)));
      if (j + 1 < rows) along_y = std::max(along_y, std::abs(height(i, j + 1) - height(i, j)));
    }
  }
  along_x *= 1.5 / scalar_cast<double>(cell_x), along_y *= 1.5 / scalar_cast<double>(cell_y);
  shortening_ = 1.0 / std::sqrt(1.0 + 1.25 * 1.25 * (along_x * along_x + along_y * along_y));
}

template <typename S>
std::string HeightFieldT<S>::type_name() const {
  return "height_field";
}

template <typename S>
S HeightFieldT<S>::half_thickness() const {
  return S(std::numeric_limits<double>::infinity());
}

template <typename S>
template <typename T>
DistanceT<T> HeightFieldT<S>::distance(const Vector3T<T>& x) const {
  using V = typename ScalarTraits<S>::Precision;
  using std::abs;
  using std::sqrt;
  // the nearest point, in values, from the one below
  const Vector3T<V> at = x.template cast<V>();
  V u = at.x, v = at.y;
  const auto square = [&](V p, V q) {
    const V up = scalar_cast<V>(height_at(*this, S(p), S(q)).h) - at.z;
    return (p - at.x) * (p - at.x) + (q - at.y) * (q - at.y) + up * up;
  };
  const auto height = [&](V p, V q) {
    const HeightT<S> h = height_at(*this, S(p), S(q));
    return HeightT<V>{scalar_cast<V>(h.h),  scalar_cast<V>(h.x),  scalar_cast<V>(h.y),
                      scalar_cast<V>(h.xx), scalar_cast<V>(h.xy), scalar_cast<V>(h.yy)};
  };
  const auto slope_of = [](const NearestStep<V>& step) { return abs(step.f) + abs(step.g); };
  constexpr V k_epsilon = std::numeric_limits<V>::epsilon();
  V now = square(u, v);
  for (int i = 0; i < 60; ++i) {
    const HeightT<V> h = height(u, v);
    const NearestStep<V> step(h, at, u, v);
    const V size = abs(u - at.x) + abs(v - at.y) + abs(h.h - at.z), slope = slope_of(step);
    if (slope <= 8 * k_epsilon * size) break;
    V du, dv;
    if (step.determinant() > V(1e-3) * step.a * step.c && step.a > 0) {
      du = -(step.c * step.f - step.b * step.g) / step.determinant();
      dv = -(step.a * step.g - step.b * step.f) / step.determinant();
    } else {  // towards smaller distances by the first derivatives
      const V scale = 1 / (1 + h.x * h.x + h.y * h.y);
      du = -scale * step.f, dv = -scale * step.g;
    }
    // near the end the distance tells nothing any more, its slope does; either of both would go round in a circle
    const bool near = abs(du) + abs(dv) < V(1e-5) * size;
    V part = 1;
    bool falls = false;
    for (int halving = 0; halving < 20 && !falls; ++halving, part /= 2) {
      const V p = u + part * du, q = v + part * dv, then = square(p, q);
      falls = near ? slope_of(NearestStep<V>(height(p, q), at, p, q)) < slope : then < now;
      if (falls) u = p, v = q, now = then;
    }
    if (!falls) break;  // as near as numbers tell
  }
  const HeightT<V> h_there = height(u, v);
  const NearestStep<V> there(h_there, at, u, v);
  // differences of numbers as large as these, times slopes, have their rounding
  const V numbers = abs(u) + abs(v) + abs(h_there.h) + abs(at.x) + abs(at.y) + abs(at.z);
  const bool found = there.determinant() > 0 && there.a > 0 &&
                     slope_of(there) <= V(1e3) * k_epsilon * numbers * (1 + abs(h_there.x) + abs(h_there.y));

  // the same in the caller's scalar
  T p(u), q(v);
  if (!found) p = x.x, q = x.y;
  HeightT<T> h = height_at(*this, p, q);
  for (int i = 0; found && i < k_depth<T>; ++i) {
    const NearestStep<T> step(h, x, p, q);
    const T inverse = T(1.0) / step.determinant();
    p -= inverse * (step.c * step.f - step.b * step.g), q -= inverse * (step.a * step.g - step.b * step.f);
    h = height_at(*this, p, q);
  }
  const T length = sqrt(T(1.0) + h.x * h.x + h.y * h.y), one(1.0);
  const Vector3T<T> n = (one / length) * Vector3T<T>{-h.x, -h.y, one};
  DistanceT<T> result{dot(n, x - Vector3T<T>{p, q, h.h}), n, {}};
  if (!found) {
    result.value = T(shortening_) * (x.z - h.h);
    return result;
  }
  // n(u(x), v(x)): du/dx from the step's equations
  const NearestStep<T> step(h, x, p, q);
  const T inverse = one / step.determinant();
  const Vector3T<T> along_u{one, T(0.0), h.x}, along_v{T(0.0), one, h.y};
  const Vector3T<T> du = inverse * (step.c * along_u - step.b * along_v);
  const Vector3T<T> dv = inverse * (step.a * along_v - step.b * along_u);
  const auto turned = [&](const T& by_x, const T& by_y) {  // derivative of n with that of the slopes
    const Vector3T<T> bent{-by_x, -by_y, T(0.0)};
    return (one / length) * (bent - dot(n, bent) * n);
  };
  const Vector3T<T> n_u = turned(h.xx, h.xy), n_v = turned(h.xy, h.yy);
  const Matrix3T<T> H = Matrix3T<T>::outer(n_u, du) + Matrix3T<T>::outer(n_v, dv);
  const Matrix3T<T> both = T(0.5) * (H + H.transpose());
  result.hessian = SymmetricMatrix3T<T>::from_upper(both);
  return result;
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(HeightFieldT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
