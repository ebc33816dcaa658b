#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "support/lagrange/dual.h"

/// Poses and twists as 4 x 4 matrices of plain or dual numbers, with their exponential and logarithm by series.
namespace cuttle::test::lagrange {

/// A matrix whose last row is (0 0 0 1), a pose, or (0 0 0 0), an element of se(3).
template <typename T>
struct Top {
  std::array<std::array<T, 4>, 3> at{};  // the upper three rows
};
template <typename T>
Top<T> identity() {
  Top<T> m;
  for (int i = 0; i < 3; ++i) m.at[i][i] = T(1.0L);
  return m;
}
template <typename T>
Top<T> operator+(Top<T> a, const Top<T>& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) a.at[i][j] = a.at[i][j] + b.at[i][j];
  }
  return a;
}
template <typename T>
Top<T> operator*(Real s, Top<T> a) {
  for (auto& row : a.at) {
    for (T& x : row) x = s * x;
  }
  return a;
}
/// Product with a right factor whose last row is (0 0 0 0).
template <typename T>
Top<T> times_algebra(const Top<T>& a, const Top<T>& b) {
  Top<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      r.at[i][j] = a.at[i][0] * b.at[0][j] + a.at[i][1] * b.at[1][j] + a.at[i][2] * b.at[2][j];
    }
  }
  return r;
}
/// Product with a right factor whose last row is (0 0 0 1).
template <typename T>
Top<T> times_pose(const Top<T>& a, const Top<T>& b) {
  Top<T> r = times_algebra(a, b);
  for (int i = 0; i < 3; ++i) r.at[i][3] = r.at[i][3] + a.at[i][3];
  return r;
}
/// hat of (w; v).
template <typename T>
Top<T> hat(const std::array<T, 6>& t) {
  Top<T> m;
  const T zero(0.0L);
  m.at[0] = {zero, zero - t[2], t[1], t[3]};
  m.at[1] = {t[2], zero, zero - t[0], t[4]};
  m.at[2] = {zero - t[1], t[0], zero, t[5]};
  return m;
}
/// Exponential of an element of se(3) by scaling and squaring of its power series.
template <typename T>
Top<T> exponential(Top<T> a) {
  Real size = 0.0L;
  for (const auto& row : a.at) {
    for (const T& x : row) size += value_of(x) * value_of(x);
  }
  int squarings = 0;
  for (size = std::sqrt(size); size > 0.5L; size /= 2) ++squarings;
  a = std::ldexp(1.0L, -squarings) * a;
  Top<T> term = a, sum = identity<T>() + a;
  for (int k = 2; k <= 17; ++k) {  // 0.5^18 / 18! < 1e-21
    term = (1.0L / k) * times_algebra(term, a);
    sum = sum + term;
  }
  for (int k = 0; k < squarings; ++k) sum = times_pose(sum, sum);
  return sum;
}
/// Rotation matrix transposed, position likewise.
template <typename T>
Top<T> inverse(const Top<T>& g) {
  Top<T> r;
  for (int i = 0; i < 3; ++i) {
    T p(0.0L);
    for (int j = 0; j < 3; ++j) {
      r.at[i][j] = g.at[j][i];
      p = p - g.at[j][i] * g.at[j][3];
    }
    r.at[i][3] = p;
  }
  return r;
}
template <typename T>
Top<T> lift(const Top<Real>& a) {
  Top<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) r.at[i][j] = T(a.at[i][j]);
  }
  return r;
}

template <typename T>
using Square = std::array<std::array<T, 4>, 4>;

/// Inverse of a 4 x 4 matrix by Gauss and Jordan, with pivoting.
template <typename T>
Square<T> inverse(Square<T> a) {
  Square<T> b{};
  for (int i = 0; i < 4; ++i) b[i][i] = T(1.0L);
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 4; ++i) {
      if (std::abs(value_of(a[i][k])) > std::abs(value_of(a[pivot][k]))) pivot = i;
    }
    std::swap(a[k], a[pivot]), std::swap(b[k], b[pivot]);
    const T scale = T(1.0L) / a[k][k];
    for (int j = 0; j < 4; ++j) a[k][j] = scale * a[k][j], b[k][j] = scale * b[k][j];
    for (int i = 0; i < 4; ++i) {
      if (i == k) continue;
      const T f = a[i][k];
      for (int j = 0; j < 4; ++j) a[i][j] = a[i][j] - f * a[k][j], b[i][j] = b[i][j] - f * b[k][j];
    }
  }
  return b;
}
/// Logarithm of a pose, (w; v): four square roots by Denman and Beavers' iteration, then 2 artanh((A - 1)(A + 1)^-1).
template <typename T>
std::array<T, 6> logarithm(const Top<T>& g) {
  Square<T> y{};
  for (int i = 0; i < 3; ++i) y[i] = g.at[i];
  y[3][3] = T(1.0L);
  constexpr int roots = 4;
  for (int k = 0; k < roots; ++k) {
    Square<T> z{};
    for (int i = 0; i < 4; ++i) z[i][i] = T(1.0L);
    for (int step = 0; step < 14; ++step) {  // quadratic: six to eight steps suffice, more keep it
      const Square<T> iy = inverse(y), iz = inverse(z);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          const T next = 0.5L * (y[i][j] + iz[i][j]);
          z[i][j] = 0.5L * (z[i][j] + iy[i][j]);
          y[i][j] = next;
        }
      }
    }
  }
  Square<T> minus = y, plus = y;
  for (int i = 0; i < 4; ++i) minus[i][i] = minus[i][i] - T(1.0L), plus[i][i] = plus[i][i] + T(1.0L);
  const auto product = [](const Square<T>& a, const Square<T>& b) {
    Square<T> r{};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < 4; ++k) r[i][j] = r[i][j] + a[i][k] * b[k][j];
      }
    }
    return r;
  };
  const Square<T> z = product(minus, inverse(plus)), z2 = product(z, z);
  Square<T> power = z, sum = z;
  for (int k = 1; k < 14; ++k) {  // |z| < 0.11 for an angle up to pi: 0.11^28 < 1e-26
    power = product(power, z2);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) sum[i][j] = sum[i][j] + (1.0L / (2 * k + 1)) * power[i][j];
    }
  }
  const Real scale = 2.0L * (1 << roots);
  return {scale * sum[2][1], scale * sum[0][2], scale * sum[1][0],
          scale * sum[0][3], scale * sum[1][3], scale * sum[2][3]};
}

}  // namespace cuttle::test::lagrange
