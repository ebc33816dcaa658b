#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/scalar.h"

namespace CUTTLE_API cuttle {

/// Three components in the axes of some frame: a position, an axis, a force. Plain loops over plain memory; Eigen's
/// vectorized 3-vectors measured 1.7 times slower in the sweeps.
template <typename S>
struct Vector3T {
  S x{}, y{}, z{};

  bool operator==(const Vector3T&) const = default;

  CUTTLE_INLINE S& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  CUTTLE_INLINE const S& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }

  CUTTLE_INLINE Vector3T& operator+=(const Vector3T& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  CUTTLE_INLINE Vector3T& operator-=(const Vector3T& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }

  template <typename T>
  Vector3T<T> cast() const {
    return {scalar_cast<T>(x), scalar_cast<T>(y), scalar_cast<T>(z)};
  }
};
using Vector3 = Vector3T<double>;

template <typename S>
CUTTLE_INLINE Vector3T<S> operator+(const Vector3T<S>& a, const Vector3T<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename S>
CUTTLE_INLINE Vector3T<S> operator-(const Vector3T<S>& a, const Vector3T<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename S>
CUTTLE_INLINE Vector3T<S> operator-(const Vector3T<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <typename S>
CUTTLE_INLINE Vector3T<S> operator*(const S& s, const Vector3T<S>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <typename S>
CUTTLE_INLINE S dot(const Vector3T<S>& a, const Vector3T<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename S>
CUTTLE_INLINE Vector3T<S> cross(const Vector3T<S>& a, const Vector3T<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename S>
CUTTLE_INLINE S norm(const Vector3T<S>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// 3 x 3 matrix by rows; a rotation when a name says so.
template <typename S>
struct Matrix3T {
  Vector3T<S> row0, row1, row2;

  bool operator==(const Matrix3T&) const = default;
  static CUTTLE_INLINE Matrix3T identity() {
    return {{S(1.0), S(0.0), S(0.0)}, {S(0.0), S(1.0), S(0.0)}, {S(0.0), S(0.0), S(1.0)}};
  }
  static CUTTLE_INLINE Matrix3T from_columns(const Vector3T<S>& a, const Vector3T<S>& b, const Vector3T<S>& c) {
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
  }
  /// The matrix of b -> a x b.
  static CUTTLE_INLINE Matrix3T skew(const Vector3T<S>& a) {
    const S zero(0.0);
    return {{zero, -a.z, a.y}, {a.z, zero, -a.x}, {-a.y, a.x, zero}};
  }
  /// a b^T.
  static CUTTLE_INLINE Matrix3T outer(const Vector3T<S>& a, const Vector3T<S>& b) {
    return {a.x * b, a.y * b, a.z * b};
  }

  CUTTLE_INLINE Vector3T<S>& row(int i) { return i == 0 ? row0 : (i == 1 ? row1 : row2); }
  CUTTLE_INLINE const Vector3T<S>& row(int i) const { return i == 0 ? row0 : (i == 1 ? row1 : row2); }
  CUTTLE_INLINE S& operator()(int i, int j) { return row(i)[j]; }
  CUTTLE_INLINE const S& operator()(int i, int j) const { return row(i)[j]; }
  CUTTLE_INLINE Vector3T<S> column(int j) const { return {row0[j], row1[j], row2[j]}; }

  CUTTLE_INLINE Matrix3T transpose() const { return from_columns(row0, row1, row2); }
  /// A^T b without forming A^T.
  CUTTLE_INLINE Vector3T<S> transpose_times(const Vector3T<S>& b) const {
    return {row0.x * b.x + row1.x * b.y + row2.x * b.z, row0.y * b.x + row1.y * b.y + row2.y * b.z,
            row0.z * b.x + row1.z * b.y + row2.z * b.z};
  }
  CUTTLE_INLINE Matrix3T& operator+=(const Matrix3T& b) {
    row0 += b.row0, row1 += b.row1, row2 += b.row2;
    return *this;
  }

  template <typename T>
  Matrix3T<T> cast() const {
    return {row0.template cast<T>(), row1.template cast<T>(), row2.template cast<T>()};
  }
};
using Matrix3 = Matrix3T<double>;

template <typename S>
CUTTLE_INLINE Matrix3T<S> operator+(const Matrix3T<S>& a, const Matrix3T<S>& b) {
  return {a.row0 + b.row0, a.row1 + b.row1, a.row2 + b.row2};
}
template <typename S>
CUTTLE_INLINE Matrix3T<S> operator-(const Matrix3T<S>& a, const Matrix3T<S>& b) {
  return {a.row0 - b.row0, a.row1 - b.row1, a.row2 - b.row2};
}
template <typename S>
CUTTLE_INLINE Matrix3T<S> operator*(const S& s, const Matrix3T<S>& a) {
  return {s * a.row0, s * a.row1, s * a.row2};
}
template <typename S>
CUTTLE_INLINE Vector3T<S> operator*(const Matrix3T<S>& a, const Vector3T<S>& b) {
  return {dot(a.row0, b), dot(a.row1, b), dot(a.row2, b)};
}
template <typename S>
CUTTLE_INLINE Matrix3T<S> operator*(const Matrix3T<S>& a, const Matrix3T<S>& b) {
  return {b.transpose_times(a.row0), b.transpose_times(a.row1), b.transpose_times(a.row2)};
}

/// Symmetric 3 x 3 matrix, six numbers.
template <typename S>
struct SymmetricMatrix3T {
  S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  static CUTTLE_INLINE SymmetricMatrix3T diagonal(const S& a, const S& b, const S& c) {
    return {a, b, c, S(0.0), S(0.0), S(0.0)};
  }
  /// s a a^T.
  static CUTTLE_INLINE SymmetricMatrix3T outer(const S& s, const Vector3T<S>& a) {
    const Vector3T<S> b = s * a;
    return {b.x * a.x, b.y * a.y, b.z * a.z, b.x * a.y, b.x * a.z, b.y * a.z};
  }
  /// The symmetric part is taken from the diagonal and the upper triangle.
  static CUTTLE_INLINE SymmetricMatrix3T from_upper(const Matrix3T<S>& m) {
    return {m.row0.x, m.row1.y, m.row2.z, m.row0.y, m.row0.z, m.row1.z};
  }

  CUTTLE_INLINE Matrix3T<S> matrix() const { return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}; }
  CUTTLE_INLINE Vector3T<S> column(int j) const {
    return j == 0 ? Vector3T<S>{xx, xy, xz} : (j == 1 ? Vector3T<S>{xy, yy, yz} : Vector3T<S>{xz, yz, zz});
  }
  CUTTLE_INLINE SymmetricMatrix3T& operator+=(const SymmetricMatrix3T& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  CUTTLE_INLINE SymmetricMatrix3T& operator-=(const SymmetricMatrix3T& b) {
    xx -= b.xx, yy -= b.yy, zz -= b.zz, xy -= b.xy, xz -= b.xz, yz -= b.yz;
    return *this;
  }
  /// R A R^T: the same tensor in the axes that R maps to.
  CUTTLE_INLINE SymmetricMatrix3T rotated(const Matrix3T<S>& R) const {
    const Matrix3T<S> RA = R * matrix();
    return {dot(RA.row0, R.row0), dot(RA.row1, R.row1), dot(RA.row2, R.row2),
            dot(RA.row0, R.row1), dot(RA.row0, R.row2), dot(RA.row1, R.row2)};
  }

  template <typename T>
  SymmetricMatrix3T<T> cast() const {
    return {scalar_cast<T>(xx), scalar_cast<T>(yy), scalar_cast<T>(zz),
            scalar_cast<T>(xy), scalar_cast<T>(xz), scalar_cast<T>(yz)};
  }
};
using SymmetricMatrix3 = SymmetricMatrix3T<double>;

template <typename S>
CUTTLE_INLINE SymmetricMatrix3T<S> operator+(SymmetricMatrix3T<S> a, const SymmetricMatrix3T<S>& b) {
  return a += b;
}
template <typename S>
CUTTLE_INLINE SymmetricMatrix3T<S> operator-(SymmetricMatrix3T<S> a, const SymmetricMatrix3T<S>& b) {
  return a -= b;
}
template <typename S>
CUTTLE_INLINE Vector3T<S> operator*(const SymmetricMatrix3T<S>& a, const Vector3T<S>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}

}  // namespace cuttle
