#include "cuttle/bodies/strain_basis.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

/// P_0 .. P_order, value 1 at x = 1: (n + 1) P_{n+1} = (2n + 1) x P_n - n P_{n-1}.
template <typename S>
void legendre_polynomials(const S& x, int order, S* values) {
  values[0] = S(1.0);
  if (order > 0) values[1] = x;
  for (int n = 1; n < order; ++n) {
    values[n + 1] = (S(2.0 * n + 1.0) * x * values[n] - S(1.0 * n) * values[n - 1]) / S(n + 1.0);
  }
}

/// T_0 .. T_order of the first kind: T_{n+1} = 2 x T_n - T_{n-1}.
template <typename S>
void chebyshev_polynomials(const S& x, int order, S* values) {
  values[0] = S(1.0);
  if (order > 0) values[1] = x;
  for (int n = 1; n < order; ++n) values[n + 1] = S(2.0) * x * values[n] - values[n - 1];
}

}  // namespace

template <typename S>
int StrainBasisT<S>::mode_count() const {
  switch (kind) {
    case Kind::constant:
      return 1;
    case Kind::monomial:
    case Kind::legendre:
    case Kind::chebyshev:
      return order + 1;
    case Kind::fourier:
      return 2 * order + 1;
    case Kind::gaussian:
      return static_cast<int>(centers.size()) + 1;
    case Kind::hermite:
      return 2 * nodes;
    case Kind::piecewise:
      return static_cast<int>(breaks.size()) + 1;
    case Kind::function:
      return static_cast<int>(functions.size());
  }
  return 0;
}

template <typename S>
std::string StrainBasisT<S>::mode_meaning(int k, const S& length) const {
  if (is_constant()) return "";
  const std::string number = std::to_string(k);
  const auto at = [&length](int i, int count) { return number_text(S(1.0 * i) * length / S(1.0 * count)); };
  switch (kind) {
    case Kind::constant:
      break;
    case Kind::monomial:
      return k == 0 ? "coefficient of 1" : "coefficient of (s/L)^" + number;
    case Kind::legendre:
      return "coefficient of the Legendre polynomial P_" + number + "(2 s/L - 1)";
    case Kind::chebyshev:
      return "coefficient of the Chebyshev polynomial T_" + number + "(2 s/L - 1)";
    case Kind::fourier:
      if (k == 0) return "coefficient of 1";
      return std::string("coefficient of ") + (k % 2 == 1 ? "sin(" : "cos(") + std::to_string(k + k % 2) + " pi s/L)";
    case Kind::gaussian: {
      if (k == 0) return "coefficient of 1";
      const auto i = static_cast<std::size_t>(k) - 1;
      return "coefficient of the bell exp(-((s - " + number_text(centers[i]) + " m) / " + number_text(widths[i]) +
             " m)^2)";
    }
    case Kind::hermite:
      return (k % 2 == 0 ? "its value at s = " : "its slope in s/L at s = ") + at(k / 2, nodes - 1) + " m";
    case Kind::piecewise: {
      const auto i = static_cast<std::size_t>(k);
      return "from s = " + (i == 0 ? "0" : number_text(breaks[i - 1])) + " m to " +
             number_text(i == breaks.size() ? length : breaks[i]) + " m";
    }
    case Kind::function:
      return "coefficient of function " + number;
  }
  return "";
}

template <typename S>
bool StrainBasisT<S>::is_constant() const {
  return kind != Kind::function && mode_count() == 1;
}

template <typename S>
void StrainBasisT<S>::evaluate(const S& t, const S& length, S* values) const {
  using std::cos;
  using std::exp;
  using std::sin;
  const S one(1.0), two(2.0);
  const S s = t * length;
  switch (kind) {
    case Kind::constant:
      values[0] = one;
      break;
    case Kind::monomial:
      values[0] = one;
      for (int i = 1; i <= order; ++i) values[i] = t * values[i - 1];
      break;
    case Kind::legendre:
      legendre_polynomials(two * t - one, order, values);
      break;
    case Kind::chebyshev:
      chebyshev_polynomials(two * t - one, order, values);
      break;
    case Kind::fourier:
      values[0] = one;
      for (int i = 1; i <= order; ++i) {
        const S angle = cuttle::constant<S>(2.0L * i * std::numbers::pi_v<long double>) * t;
        values[2 * i - 1] = sin(angle);
        values[2 * i] = cos(angle);
      }
      break;
    case Kind::gaussian:
      values[0] = one;
      for (std::size_t i = 0; i < centers.size(); ++i) {
        const S x = (s - centers[i]) / widths[i];
        values[i + 1] = exp(-x * x);
      }
      break;
    case Kind::hermite: {
      const S elements(nodes - 1.0);
      for (int i = 0; i < nodes; ++i) {
        // distance to the node in elements; both shapes vanish from one element on
        const S x = elements * t - S(1.0 * i);
        const S distance = select(x < S(0.0), -x, x);
        const S m = select(distance < one, one - distance, S(0.0));
        values[2 * i] = m * m * (one + two * distance);
        values[2 * i + 1] = m * m * x / elements;
      }
      break;
    }
    case Kind::piecewise:
      // a break belongs to the piece that it begins
      for (std::size_t i = 0; i <= breaks.size(); ++i) {
        const S begun = i == 0 ? one : select(s < breaks[i - 1], S(0.0), one);
        values[i] = i == breaks.size() ? begun : select(s < breaks[i], begun, S(0.0));
      }
      break;
    case Kind::function:
      for (std::size_t i = 0; i < functions.size(); ++i) values[i] = functions[i](t);
      break;
  }
}

template <typename S>
void StrainBasisT<S>::check(const S& length) const {
  using std::isfinite;
  switch (kind) {
    case Kind::constant:
      break;
    case Kind::monomial:
    case Kind::legendre:
    case Kind::chebyshev:
    case Kind::fourier:
      if (order < 0) throw ModelError("order", std::to_string(order), "an integer >= 0");
      break;
    case Kind::gaussian:
      if (widths.size() != centers.size()) {
        throw ModelError("widths", number_text(widths.size()) + " values",
                         number_text(centers.size()) + ", one for each of the centers");
      }
      for (const S& center : centers) {
        if (!isfinite(center)) throw ModelError("centers", number_text(center), "a finite number [m]");
      }
      for (const S& width : widths) {
        if (!(width > S(0.0)) || !isfinite(width)) throw ModelError("widths", number_text(width), "a number > 0 [m]");
      }
      break;
    case Kind::hermite:
      if (nodes < 2) throw ModelError("nodes", std::to_string(nodes), "an integer >= 2");
      break;
    case Kind::piecewise:
      for (std::size_t i = 0; i < breaks.size(); ++i) {
        if (!(breaks[i] > S(0.0) && breaks[i] < length)) {
          throw ModelError("breaks", number_text(breaks[i]),
                           "a point inside the rod, between 0 and " + number_text(length) + " [m]");
        }
        if (i > 0 && !(breaks[i] > breaks[i - 1])) {
          throw ModelError("breaks", number_text(breaks[i]) + " after " + number_text(breaks[i - 1]),
                           "ascending points [m]");
        }
      }
      break;
    case Kind::function:
      if (functions.empty()) throw ModelError("functions", "none", "at least one");
      for (const auto& function : functions) {
        if (!function) throw ModelError("functions", "an empty function", "one that can be called");
      }
      break;
  }
}

template <typename S>
template <typename T>
StrainBasisT<T> StrainBasisT<S>::cast() const {
  if constexpr (std::is_same_v<S, T>) {
    return *this;
  } else {
    if (kind == Kind::function) {
      throw ModelError("strain", "functions of one scalar type", "a basis that exists for every scalar");
    }
    StrainBasisT<T> other;
    other.kind = static_cast<typename StrainBasisT<T>::Kind>(kind);
    other.order = order;
    for (const S& x : centers) other.centers.push_back(scalar_cast<T>(x));
    for (const S& x : widths) other.widths.push_back(scalar_cast<T>(x));
    other.nodes = nodes;
    for (const S& x : breaks) other.breaks.push_back(scalar_cast<T>(x));
    return other;
  }
}

template <typename S>
S ProfileT<S>::at(const S& t) const {
  assert(!values.empty());
  const int segments = static_cast<int>(values.size()) - 1;
  if (segments == 0) return values[0];
  const S x = S(1.0 * segments) * t;
  S value = values[0] + x * (values[1] - values[0]);
  for (int i = 1; i < segments; ++i) {
    const S start(1.0 * i);
    value = select(x < start, value, values[i] + (x - start) * (values[i + 1] - values[i]));
  }
  return value;
}

#define CUTTLE_INSTANTIATE(S)      \
  template struct StrainBasisT<S>; \
  template struct ProfileT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template StrainBasisT<T> StrainBasisT<S>::cast<T>() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
