#pragma once

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>

#include "cuttle/spatial/exponential.h"

/// Fifty-digit references for the spatial algebra: matrices, plain power series, nothing of the library's formulas.
/// Costly to compile: include it only in the tests of spatial.
namespace cuttle::test {

using Real50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

template <std::size_t N>
using Vector50 = std::array<Real50, N>;

/// Square matrix of Real50, by rows, zero at first.
template <std::size_t N>
struct Matrix50 {
  std::array<std::array<Real50, N>, N> at{};

  static Matrix50 identity() {
    Matrix50 m;
    for (std::size_t i = 0; i < N; ++i) m.at[i][i] = 1;
    return m;
  }
  Matrix50 transpose() const {
    Matrix50 r;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) r.at[i][j] = at[j][i];
    }
    return r;
  }
};
template <std::size_t N>
Matrix50<N> operator*(const Matrix50<N>& a, const Matrix50<N>& b) {
  Matrix50<N> r;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t k = 0; k < N; ++k) {
      if (a.at[i][k].is_zero()) continue;
      for (std::size_t j = 0; j < N; ++j) r.at[i][j] += a.at[i][k] * b.at[k][j];
    }
  }
  return r;
}
template <std::size_t N>
Vector50<N> operator*(const Matrix50<N>& a, const Vector50<N>& b) {
  Vector50<N> r{};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) r[i] += a.at[i][j] * b[j];
  }
  return r;
}
template <std::size_t N>
Matrix50<N> operator+(Matrix50<N> a, const Matrix50<N>& b) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) a.at[i][j] += b.at[i][j];
  }
  return a;
}
template <std::size_t N>
Matrix50<N> operator*(const Real50& s, Matrix50<N> a) {
  for (auto& row : a.at) {
    for (auto& x : row) x *= s;
  }
  return a;
}
template <std::size_t N>
Real50 norm(const Matrix50<N>& a) {
  Real50 sum = 0;
  for (const auto& row : a.at) {
    for (const auto& x : row) sum += x * x;
  }
  return sqrt(sum);
}
template <std::size_t N>
Real50 norm(const Vector50<N>& a) {
  Real50 sum = 0;
  for (const auto& x : a) sum += x * x;
  return sqrt(sum);
}

template <typename S>
Vector50<3> to50(const Vector3T<S>& a) {
  return {Real50(a.x), Real50(a.y), Real50(a.z)};
}
template <typename S>
Vector50<6> to50(const TwistT<S>& a) {
  return {Real50(a.angular.x), Real50(a.angular.y), Real50(a.angular.z),
          Real50(a.linear.x),  Real50(a.linear.y),  Real50(a.linear.z)};
}
template <typename S>
Vector50<6> to50(const WrenchT<S>& a) {
  return {Real50(a.torque.x), Real50(a.torque.y), Real50(a.torque.z),
          Real50(a.force.x),  Real50(a.force.y),  Real50(a.force.z)};
}
template <typename S>
Matrix50<3> to50(const Matrix3T<S>& a) {
  Matrix50<3> m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.at[i][j] = Real50(a(i, j));
  }
  return m;
}
template <typename S>
Matrix50<4> to50(const PoseT<S>& a) {
  Matrix50<4> m = Matrix50<4>::identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.at[i][j] = Real50(a.rotation(i, j));
    m.at[i][3] = Real50(a.position[i]);
  }
  return m;
}
template <typename S>
Matrix50<6> to50(const TangentMapT<S>& a) {
  Matrix50<6> m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      m.at[i][j] = m.at[i + 3][j + 3] = Real50(a.diagonal(i, j));
      m.at[i + 3][j] = Real50(a.lower(i, j));
    }
  }
  return m;
}

/// w^ of so(3).
inline Matrix50<3> hat(const Vector50<3>& w) {
  Matrix50<3> m;
  m.at[0][1] = -w[2], m.at[0][2] = w[1], m.at[1][2] = -w[0];
  m.at[1][0] = w[2], m.at[2][0] = -w[1], m.at[2][1] = w[0];
  return m;
}
/// t^ of se(3), 4 x 4.
inline Matrix50<4> hat(const Vector50<6>& t) {
  Matrix50<4> m;
  const Matrix50<3> w = hat(Vector50<3>{t[0], t[1], t[2]});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.at[i][j] = w.at[i][j];
    m.at[i][3] = t[i + 3];
  }
  return m;
}
/// ad_t, 6 x 6, angular part first.
inline Matrix50<6> ad(const Vector50<6>& t) {
  Matrix50<6> m;
  const Matrix50<3> w = hat(Vector50<3>{t[0], t[1], t[2]});
  const Matrix50<3> v = hat(Vector50<3>{t[3], t[4], t[5]});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.at[i][j] = m.at[i + 3][j + 3] = w.at[i][j], m.at[i + 3][j] = v.at[i][j];
  }
  return m;
}

/// Matrix exponential by scaling and squaring of the plain series.
template <std::size_t N>
Matrix50<N> matrix_exponential(Matrix50<N> a) {
  int squarings = 0;
  for (Real50 size = norm(a); size > 0.5; size /= 2) ++squarings;
  a = Real50(ldexp(Real50(1), -squarings)) * a;
  Matrix50<N> sum = Matrix50<N>::identity(), term = sum;
  for (int k = 1; k < 40; ++k) {  // 0.5^40 / 40! < 1e-59
    term = Real50(Real50(1) / k) * (term * a);
    sum = sum + term;
  }
  for (int k = 0; k < squarings; ++k) sum = sum * sum;
  return sum;
}

/// sum_k (-ad)^k / (k+1)!, the right tangent map. The terms of |t| <= 10 grow to e^10, so 46 of the 50 digits stay.
template <std::size_t N>
Matrix50<N> tangent_series(const Matrix50<N>& ad) {
  const Matrix50<N> a = Real50(-1) * ad;
  Matrix50<N> sum = Matrix50<N>::identity(), term = sum;
  for (int k = 1; k < 110; ++k) {  // 10^110 / 111! < 1e-69
    term = Real50(Real50(1) / (k + 1)) * (term * a);
    sum = sum + term;
  }
  return sum;
}
/// d/de sum_k (-ad_{t + e d})^k u / (k+1)! at e = 0, term by term by the product rule.
inline Vector50<6> tangent_series_derivative(const Vector50<6>& t, const Vector50<6>& d, const Vector50<6>& u) {
  const Matrix50<6> a = Real50(-1) * ad(t), da = Real50(-1) * ad(d);
  Vector50<6> term = u, dterm{}, sum{};
  for (int k = 1; k < 110; ++k) {
    const Vector50<6> first = a * dterm, second = da * term;
    for (int i = 0; i < 6; ++i) dterm[i] = (first[i] + second[i]) / (k + 1);
    term = a * term;
    for (int i = 0; i < 6; ++i) term[i] /= k + 1, sum[i] += dterm[i];
  }
  return sum;
}

/// Solves a x = b by Gaussian elimination with pivoting.
template <std::size_t N>
Matrix50<N> inverse(Matrix50<N> a) {
  Matrix50<N> b = Matrix50<N>::identity();
  for (std::size_t k = 0; k < N; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < N; ++i) {
      if (abs(a.at[i][k]) > abs(a.at[pivot][k])) pivot = i;
    }
    std::swap(a.at[k], a.at[pivot]), std::swap(b.at[k], b.at[pivot]);
    for (std::size_t i = 0; i < N; ++i) {
      if (i == k) continue;
      const Real50 f = a.at[i][k] / a.at[k][k];
      for (std::size_t j = 0; j < N; ++j) a.at[i][j] -= f * a.at[k][j], b.at[i][j] -= f * b.at[k][j];
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) b.at[i][j] /= a.at[i][i];
  }
  return b;
}

/// Largest |a - b| of the entries, as a double (errors need no more digits).
template <std::size_t N>
double distance(const Matrix50<N>& a, const Matrix50<N>& b) {
  Real50 worst = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      const Real50 d = abs(a.at[i][j] - b.at[i][j]);
      if (!(d <= worst)) worst = d;  // also takes a NaN
    }
  }
  return static_cast<double>(worst);
}
template <std::size_t N>
double distance(const Vector50<N>& a, const Vector50<N>& b) {
  Real50 worst = 0;
  for (std::size_t i = 0; i < N; ++i) {
    const Real50 d = abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;
  }
  return static_cast<double>(worst);
}

}  // namespace cuttle::test
