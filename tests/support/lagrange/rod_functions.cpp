#include "support/lagrange/rod_functions.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace cuttle::test::lagrange {

namespace {
constexpr Real k_pi = 3.141592653589793238462643383279502884L;
}  // namespace

Real profile_at(const PlainProfile& profile, Real t) {
  const int pieces = static_cast<int>(profile.size()) - 1;
  if (pieces == 0) return profile[0];
  const int i = std::min(static_cast<int>(t * pieces), pieces - 1);
  const Real f = t * pieces - i;
  return (1 - f) * profile[i] + f * profile[i + 1];
}

std::vector<Real> shape_functions(const PlainBasis& basis, Real t, Real length) {
  const Real x = 2 * t - 1;
  std::vector<Real> phi;
  if (basis.basis == "constant") {
    phi = {1};
  } else if (basis.basis == "monomial") {
    for (int k = 0; k <= basis.order; ++k) phi.push_back(std::pow(t, static_cast<Real>(k)));
  } else if (basis.basis == "legendre") {
    for (int k = 0; k <= basis.order; ++k) phi.push_back(std::legendre(k, x));
  } else if (basis.basis == "chebyshev") {
    for (int k = 0; k <= basis.order; ++k) phi.push_back(std::cos(k * std::acos(x)));
  } else if (basis.basis == "fourier") {
    phi = {1};
    for (int k = 1; k <= basis.order; ++k) {
      phi.push_back(std::sin(2 * k_pi * k * t));
      phi.push_back(std::cos(2 * k_pi * k * t));
    }
  } else if (basis.basis == "gaussian") {
    phi = {1};
    for (std::size_t k = 0; k < basis.centers.size(); ++k) {
      phi.push_back(std::exp(-std::pow((t * length - basis.centers[k]) / basis.widths[k], 2.0L)));
    }
  } else if (basis.basis == "hermite") {
    const Real h = 1.0L / (basis.nodes - 1);
    phi.assign(2 * basis.nodes, 0);
    const int e = std::min(static_cast<int>(t / h), basis.nodes - 2);
    const Real u = (t - e * h) / h;
    phi[2 * e] = 2 * u * u * u - 3 * u * u + 1;
    phi[2 * e + 1] = h * (u * u * u - 2 * u * u + u);
    phi[2 * e + 2] = -2 * u * u * u + 3 * u * u;
    phi[2 * e + 3] = h * (u * u * u - u * u);
  } else if (basis.basis == "piecewise") {
    phi.assign(basis.breaks.size() + 1, 0);
    std::size_t piece = 0;
    while (piece < basis.breaks.size() && t * length >= basis.breaks[piece]) ++piece;
    phi[piece] = 1;
  } else if (basis.basis == "function") {
    for (const auto& f : basis.functions) phi.push_back(f(static_cast<double>(t)));
  } else {
    throw std::invalid_argument("basis " + basis.basis);
  }
  return phi;
}

Quadrature gauss_legendre(int n, Real a, Real b) {
  Quadrature rule;
  for (int k = n; k >= 1; --k) {
    Real x = std::cos(k_pi * (k - 0.25L) / (n + 0.5L)), slope = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      Real p0 = 1, p1 = x;
      for (int j = 2; j <= n; ++j) {
        const Real p2 = ((2 * j - 1) * x * p1 - (j - 1) * p0) / j;
        p0 = p1, p1 = p2;
      }
      slope = n * (x * p1 - p0) / (x * x - 1);
      x -= p1 / slope;
    }
    rule.s.push_back(a + (b - a) * (1 + x) / 2);
    rule.weight.push_back((b - a) / ((1 - x * x) * slope * slope));
  }
  return rule;
}

std::array<Real, 4> section_at(const PlainSection& section, Real t) {
  const auto length = [&](const char* key) { return profile_at(section.lengths.at(key), t); };
  Real A = 0, Ix = 0, Iy = 0;
  if (section.shape == "circle") {
    const Real r = length("radius");
    A = k_pi * r * r, Ix = Iy = k_pi * r * r * r * r / 4;
  } else if (section.shape == "annulus") {
    const Real r = length("radius"), i = length("inner_radius");
    A = k_pi * (r * r - i * i), Ix = Iy = k_pi * (r * r * r * r - i * i * i * i) / 4;
  } else if (section.shape == "ellipse") {
    const Real a = length("radius_x"), b = length("radius_y");
    A = k_pi * a * b, Ix = k_pi * a * b * b * b / 4, Iy = k_pi * a * a * a * b / 4;
  } else if (section.shape == "rectangle") {
    const Real w = length("width"), h = length("height");
    A = w * h, Ix = w * h * h * h / 12, Iy = h * w * w * w / 12;
  } else {
    return {length("area"), length("Ix"), length("Iy"), length("Jz")};
  }
  return {A, Ix, Iy, Ix + Iy};
}

Real torsion_constant_at(const PlainSection& section, Real t) {
  const auto length = [&](const char* key) { return profile_at(section.lengths.at(key), t); };
  if (section.shape == "ellipse") {
    const Real a = length("radius_x"), b = length("radius_y");
    return k_pi * a * a * a * b * b * b / (a * a + b * b);
  }
  if (section.shape != "rectangle") return section_at(section, t)[3];
  // the series as textbooks have it; it holds whichever edge is longer
  const Real a = length("width"), b = length("height");
  Real sum = 0;
  for (int n = 1; n < 3000; n += 2) sum += std::tanh(n * k_pi * a / (2 * b)) / std::pow(static_cast<Real>(n), 5.0L);
  return a * b * b * b * (1.0L / 3 - 64 / std::pow(k_pi, 5.0L) * b / a * sum);
}

Real law_at(const PlainLaw& law, Real x) {
  if (!law.tanh.empty()) return law.tanh[0] + law.tanh[1] * std::pow(std::tanh(law.tanh[2] * x), 2.0L);
  Real sum = 0, power = 1;
  for (const double k : law.polynomial) sum += k * power, power *= x * x;
  return sum;
}
Real law_energy(const PlainLaw& law, Real x) {
  const Quadrature rule = gauss_legendre(24, 0, x);
  Real sum = 0;
  for (std::size_t i = 0; i < rule.s.size(); ++i) sum += rule.weight[i] * law_at(law, rule.s[i]) * rule.s[i];
  return sum;
}

}  // namespace cuttle::test::lagrange
