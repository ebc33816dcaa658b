#pragma once

namespace cuttle::test::lagrange {

using Real = long double;

/// x + dx e with e^2 = 0. Nested once, Dual<Dual<Real>>, it carries a mixed second derivative.
template <typename X>
struct Dual {
  X x{}, dx{};
  Dual() = default;
  Dual(Real value) : x(value) {}  // NOLINT(google-explicit-constructor): constants mix in
  Dual(const X& value, const X& slope) : x(value), dx(slope) {}
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.dx + b.dx}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.dx - b.dx}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.x * b.x, a.x * b.dx + a.dx * b.x}; }
  friend Dual operator*(Real a, const Dual& b) { return {a * b.x, a * b.dx}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const X quotient = a.x / b.x;
    return {quotient, (a.dx - quotient * b.dx) / b.x};
  }
};
using Dual1 = Dual<Real>;
using Dual2 = Dual<Dual1>;

inline Real value_of(Real a) { return a; }
template <typename X>
Real value_of(const Dual<X>& a) {
  return value_of(a.x);
}

}  // namespace cuttle::test::lagrange
