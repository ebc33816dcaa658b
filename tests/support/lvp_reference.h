#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuttle/bodies/lvp_kinematics.h"
#include "support/random.h"

/// Volume-preserving primitives written down plainly, for any scalar: no derivatives, nothing shared with the library.
namespace cuttle::test {

/// m(t) = sum of q_k phi_k(t), t = x3/L, and dm/dt.
template <typename T>
struct PlainCurvature {
  std::vector<T> coefficients;

  PlainCurvature(const LvpPrimitive::Modes& modes, const T* q) {
    for (std::size_t k = 0; k < modes.size(); ++k) {
      if (coefficients.size() < modes[k].size()) coefficients.resize(modes[k].size(), T(0.0));
      for (std::size_t i = 0; i < modes[k].size(); ++i) coefficients[i] = coefficients[i] + q[k] * T(modes[k][i]);
    }
  }
  T value(const T& t) const {
    T sum(0.0), power(1.0);
    for (const T& c : coefficients) sum = sum + c * power, power = power * t;
    return sum;
  }
  T slope(const T& t) const {
    T sum(0.0), power(1.0);
    for (std::size_t i = 1; i < coefficients.size(); ++i) {
      sum = sum + T(double(i)) * coefficients[i] * power, power = power * t;
    }
    return sum;
  }
};

/// Coefficients of c(t0 + t) in t.
template <typename T>
std::vector<T> shifted(std::vector<T> c, const T& t0) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = c.size() - 1; j-- > i;) c[j] = c[j] + t0 * c[j + 1];
  }
  return c;
}

/// R(t) and r(t)/L of the backbone R' = R hat(kx, ky, 0), r' = R e3, by power series in t over a few pieces. They
/// converge for every polynomial; pieces keep their terms small.
template <typename T>
void plain_backbone(const PlainCurvature<T>& kx, const PlainCurvature<T>& ky, const T& t, Matrix3T<T>& R,
                    Vector3T<T>& r) {
  constexpr int k_pieces = 8, k_terms = 30;
  R = Matrix3T<T>::identity(), r = Vector3T<T>{};
  const T h = t / T(double(k_pieces));
  for (int piece = 0; piece < k_pieces; ++piece) {
    const std::vector<T> x = shifted(kx.coefficients, T(double(piece)) * h);
    const std::vector<T> y = shifted(ky.coefficients, T(double(piece)) * h);
    const auto at = [](const std::vector<T>& c, std::size_t i) { return i < c.size() ? c[i] : T(0.0); };
    std::vector<Matrix3T<T>> series{Matrix3T<T>::identity()};
    for (int k = 0; k + 1 < k_terms; ++k) {
      Matrix3T<T> next{};
      for (int j = 0; j < static_cast<int>(std::max(x.size(), y.size())) && j <= k; ++j) {
        next += series[k - j] * Matrix3T<T>::skew({at(x, j), at(y, j), T(0.0)});
      }
      series.push_back(T(1.0) / T(double(k + 1)) * next);
    }
    Matrix3T<T> turn{};
    Vector3T<T> way{};
    for (int k = k_terms; k-- > 0;) {
      turn = h * turn + series[k];
      way = h * way + T(1.0) / T(double(k + 1)) * series[k].column(2);
    }
    r += R * (h * way);
    R = R * turn;
  }
}

/// rho > 0 of rho^2 + (2/3) z rho^3 = 1.
template <typename T>
T plain_bend_scale(const T& z) {
  T u = T(1.0) + z / T(3.0);
  for (int i = 0; i < 60; ++i) u = u - (u * u * u - u - T(2.0) / T(3.0) * z) / (T(3.0) * u * u - T(1.0));
  return T(1.0) / u;
}

/// f(x, q) of a composition of primitives.
template <typename T>
Vector3T<T> plain_position(const LvpParameters& lvp, Vector3T<T> y, const T* q) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  using Type = LvpPrimitive::Type;
  const T L(lvp.length);
  for (const LvpPrimitive& primitive : lvp.primitives) {
    const PlainCurvature<T> m(primitive.modes, q), my(primitive.y_modes, q + primitive.modes.size());
    q += primitive.modes.size() + primitive.y_modes.size();
    const T t = y.z / L;
    if (primitive.type == Type::stretch) {
      const T scale = T(1.0) / sqrt(T(1.0) + m.slope(t) / L);
      y = {scale * y.x, scale * y.y, y.z + m.value(t)};
    } else if (primitive.type == Type::shear) {
      y[primitive.axis] = y[primitive.axis] + m.value(t);
    } else if (primitive.type == Type::twist) {
      const T c = cos(m.value(t)), s = sin(m.value(t));
      y = {c * y.x - s * y.y, s * y.x + c * y.y, y.z};
    } else if (primitive.type == Type::source) {
      const T r = sqrt(y.x * y.x + y.y * y.y);
      const T scale = sqrt(r * r + m.value(t)) / r;
      y = {scale * y.x, scale * y.y, y.z};
    } else {
      Matrix3T<T> R;
      Vector3T<T> r;
      plain_backbone(m, my, t, R, r);
      const T rho = plain_bend_scale((m.value(t) * y.y - my.value(t) * y.x) / L);
      y = L * r + R * Vector3T<T>{rho * y.x, rho * y.y, T(0.0)};
    }
  }
  return y;
}

/// A primitive with random modes, for bodies of some 0.3 m length and radii from 0.03 to 0.06 m: coordinates below
/// k_lvp_size keep them in one piece, whatever their units.
inline constexpr double k_lvp_size = 0.5;
inline LvpPrimitive random_primitive(LvpPrimitive::Type type, Random& random) {
  const double size = std::array{0.02, 0.06, 1.0, 1.0, 2.0e-4}[static_cast<int>(type)];
  const auto modes = [&](int count) {
    LvpPrimitive::Modes all(count);
    for (auto& mode : all) {
      mode.resize(1 + random.index(4));
      for (double& c : mode) c = size * random.uniform();
    }
    return all;
  };
  LvpPrimitive primitive;
  primitive.type = type;
  primitive.axis = random.index(2);
  primitive.modes = modes(1 + random.index(2));
  if (type == LvpPrimitive::Type::bend) primitive.y_modes = modes(1 + random.index(2));
  return primitive;
}
inline std::vector<double> lvp_sizes(const LvpParameters& lvp) {
  std::size_t count = 0;
  for (const LvpPrimitive& primitive : lvp.primitives) count += primitive.modes.size() + primitive.y_modes.size();
  return std::vector<double>(count, k_lvp_size);
}

}  // namespace cuttle::test
