#include "support/lagrange_reference.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace cuttle::test {

namespace {

using Real = long double;
constexpr Real k_pi = 3.141592653589793238462643383279502884L;

// --- numbers
// ----------------------------------------------------------------------------------------------------------

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

Real value_of(Real a) { return a; }
template <typename X>
Real value_of(const Dual<X>& a) {
  return value_of(a.x);
}

// --- 4 x 4 matrices whose last row is (0 0 0 1), poses, or (0 0 0 0), se(3)
// -------------------------------------------

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

// --- plain descriptions
// -----------------------------------------------------------------------------------------------

Top<Real> turn(const Triple& axis, Real angle) {
  const Real length = std::sqrt(static_cast<Real>(axis[0]) * axis[0] + static_cast<Real>(axis[1]) * axis[1] +
                                static_cast<Real>(axis[2]) * axis[2]);
  return exponential(
      hat<Real>({angle * axis[0] / length, angle * axis[1] / length, angle * axis[2] / length, 0, 0, 0}));
}
Top<Real> pose_of(const PlainPose& plain) {
  Top<Real> g = times_pose(times_pose(turn({0, 0, 1}, plain.rpy[2]), turn({0, 1, 0}, plain.rpy[1])),
                           turn({1, 0, 0}, plain.rpy[0]));
  for (int i = 0; i < 3; ++i) g.at[i][3] = plain.position[i];
  return g;
}
Real profile_at(const PlainProfile& profile, Real t) {
  const int pieces = static_cast<int>(profile.size()) - 1;
  if (pieces == 0) return profile[0];
  const int i = std::min(static_cast<int>(t * pieces), pieces - 1);
  const Real f = t * pieces - i;
  return (1 - f) * profile[i] + f * profile[i + 1];
}

/// Shape functions of design 4.1.
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

/// Points and weights of Gauss and Legendre on [a, b].
struct Quadrature {
  std::vector<Real> s, weight;
};
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

/// Area, Ix = int y^2 dA, Iy = int x^2 dA, Jz.
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

Real law_at(const PlainLaw& law, Real x) {
  if (!law.tanh.empty()) return law.tanh[0] + law.tanh[1] * std::pow(std::tanh(law.tanh[2] * x), 2.0L);
  Real sum = 0, power = 1;
  for (const double k : law.polynomial) sum += k * power, power *= x * x;
  return sum;
}
/// int_0^x k(e) e de, by quadrature.
Real law_energy(const PlainLaw& law, Real x) {
  const Quadrature rule = gauss_legendre(24, 0, x);
  Real sum = 0;
  for (std::size_t i = 0; i < rule.s.size(); ++i) sum += rule.weight[i] * law_at(law, rule.s[i]) * rule.s[i];
  return sum;
}

// --- rods
// -------------------------------------------------------------------------------------------------------------

using Strain = std::array<Real, 6>;

struct Mass {
  Real mass = 0;
  std::array<Real, 3> com{};
  std::array<std::array<Real, 3>, 3> inertia{};  // about the com
};

/// What a rod's strain is at one place: xi_0 and the rows of d xi / dq.
struct StrainAt {
  Strain rest{};
  std::vector<std::pair<int, Real>> modes;  // component of coordinate k, phi_k / L
};

struct Rod {
  PlainRod plain;
  std::array<std::optional<PlainBasis>, 6> strain;
  int coordinates = 0;
  int substeps = 0;  // 0: Magnus

  struct Step {
    Real from = 0, to = 0;
    std::vector<StrainAt> places;  // Magnus: two; Runge-Kutta: 2 substeps + 1, at the ends and the middles
  };
  std::vector<Step> steps;
  std::vector<int> section_of_step;  // index of the section that the step leads to, -1: none
  struct Node {
    Real weight = 0;
    StrainAt strain;
    Strain stiffness{}, damping{};
    Mass mass;  // times the weight
  };
  std::vector<Node> sections;

  Rod(const PlainRod& rod, const RodIntegration& integration)
      : plain(rod), strain(strain_of(rod)), substeps(integration.sections > 0 ? integration.substeps : 0) {
    for (const auto& basis : strain) coordinates += basis ? mode_count(*basis) : 0;
    std::vector<Real> ends{0, plain.length};
    for (const auto& basis : strain) {
      if (basis && basis->basis == "piecewise") ends.insert(ends.end(), basis->breaks.begin(), basis->breaks.end());
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    const int count = integration.sections > 0 ? integration.sections : plain.sections;
    for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece) {
      Real at = ends[piece];
      const Quadrature rule = gauss_legendre(count, ends[piece], ends[piece + 1]);
      for (int i = 0; i < count; ++i) {
        add_step(at, rule.s[i], static_cast<int>(sections.size()));
        add_section(rule.s[i], rule.weight[i]);
        at = rule.s[i];
      }
      add_step(at, ends[piece + 1], -1);
    }
  }

  StrainAt strain_at(Real s) const {
    StrainAt at;
    const Real t = s / plain.length;
    for (int c = 0; c < 6; ++c) {
      at.rest[c] = plain.rest_strain[c].empty() ? (c == 5 ? 1 : 0) : profile_at(plain.rest_strain[c], t);
      if (!strain[c]) continue;
      for (const Real phi : shape_functions(*strain[c], t, plain.length)) at.modes.emplace_back(c, phi / plain.length);
    }
    return at;
  }
  Step step_between(Real from, Real to) const {
    Step step{from, to, {}};
    const Real h = to - from;
    if (substeps == 0) {
      for (const Real sign : {-1.0L, 1.0L})
        step.places.push_back(strain_at(from + h * (0.5L + sign * std::sqrt(3.0L) / 6)));
    } else {
      // ends of a piece belong to it: stay inside by far less than rounding matters
      for (int k = 0; k <= 2 * substeps; ++k) {
        const Real x = k == 0 ? 1e-15L : k == 2 * substeps ? 1 - 1e-15L : k / (2.0L * substeps);
        step.places.push_back(strain_at(from + h * x));
      }
    }
    return step;
  }
  void add_step(Real from, Real to, int section) {
    steps.push_back(step_between(from, to));
    section_of_step.push_back(section);
  }
  void add_section(Real s, Real weight) {
    const Real t = s / plain.length;
    Node node;
    node.weight = weight;
    node.strain = strain_at(s);
    std::array<Real, 4> A{};
    const bool has_section = !plain.section.lengths.empty();
    if (has_section) A = section_at(plain.section, t);
    Real mu = has_section && plain.density ? *plain.density * A[0] : 0;
    if (!plain.mass_per_length.empty()) mu = profile_at(plain.mass_per_length, t);
    node.mass.mass = weight * mu;
    for (int i = 0; i < 3; ++i) {
      Real rotary = plain.density ? *plain.density * A[i + 1] : 0;
      if (!plain.rotary_inertia.empty()) rotary = profile_at(plain.rotary_inertia[i], t);
      node.mass.inertia[i][i] = weight * rotary;
    }
    const Real E = plain.c1 ? 6 * static_cast<Real>(*plain.c1) : static_cast<Real>(plain.young_modulus.value_or(0));
    const Real G = E / (2 * (1 + (plain.c1 ? 0.5L : static_cast<Real>(plain.poisson_ratio))));
    const Real torsion = plain.torsion_constant.empty() ? A[3] : profile_at(plain.torsion_constant, t);
    const Real k = plain.shear_factor;
    node.stiffness = {E * A[1], E * A[2], G * torsion, k * G * A[0], k * G * A[0], E * A[0]};
    for (int c = 0; c < 6; ++c) {
      if (!plain.stiffness.empty()) node.stiffness[c] = profile_at(plain.stiffness[c], t);
      if (plain.damping_time) node.damping[c] = *plain.damping_time * node.stiffness[c];
    }
    if (plain.viscosity) {
      const Real eta = *plain.viscosity;
      node.damping = {3 * eta * A[1], 3 * eta * A[2], eta * A[3], eta * A[0], eta * A[0], 3 * eta * A[0]};
    }
    // the laws take the place of the linear terms
    for (Strain* diagonal : {&node.stiffness, &node.damping}) {
      if (plain.hyperelastic_bend) (*diagonal)[0] = (*diagonal)[1] = 0;
      if (plain.hyperelastic_stretch) (*diagonal)[5] = 0;
    }
    sections.push_back(node);
  }

  template <typename T>
  Top<T> strain_matrix(const StrainAt& at, const T* q) const {
    std::array<T, 6> xi;
    for (int c = 0; c < 6; ++c) xi[c] = T(at.rest[c]);
    for (std::size_t k = 0; k < at.modes.size(); ++k) {
      xi[at.modes[k].first] = xi[at.modes[k].first] + at.modes[k].second * q[k];
    }
    return hat(xi);
  }
  template <typename T>
  Top<T> advance(const Top<T>& g, const Step& step, const T* q) const {
    const Real h = step.to - step.from;
    if (substeps == 0) {
      const Top<T> a = strain_matrix(step.places[0], q), b = strain_matrix(step.places[1], q);
      const Top<T> bracket = times_algebra(a, b) + (-1.0L) * times_algebra(b, a);
      return times_pose(g, exponential(h / 2 * (a + b) + std::sqrt(3.0L) / 12 * h * h * bracket));
    }
    Top<T> at = g;
    const Real e = h / substeps;
    for (int k = 0; k < substeps; ++k) {
      const Top<T> x0 = strain_matrix(step.places[2 * k], q), x1 = strain_matrix(step.places[2 * k + 1], q),
                   x2 = strain_matrix(step.places[2 * k + 2], q);
      const Top<T> k1 = times_algebra(at, x0);
      const Top<T> k2 = times_algebra(at + e / 2 * k1, x1);
      const Top<T> k3 = times_algebra(at + e / 2 * k2, x1);
      const Top<T> k4 = times_algebra(at + e * k3, x2);
      at = at + e / 6 * (k1 + 2.0L * k2 + 2.0L * k3 + k4);
    }
    return at;
  }

  /// Coordinate of the constant mode of a component; only for constant strain.
  Real constant_mode(int component, const Real* q) const {
    int k = 0;
    for (int c = 0; c < component; ++c) k += strain[c] ? mode_count(*strain[c]) : 0;
    return strain[component] ? q[k] : 0;
  }
  void add_to_constant_mode(int component, Real value, Real* force) const {
    int k = 0;
    for (int c = 0; c < component; ++c) k += strain[c] ? mode_count(*strain[c]) : 0;
    if (strain[component]) force[k] += value;
  }

  /// Linear terms: int d xi/dq^T diagonal (d xi/dq x).
  void add_linear_force(const Real* x, bool elastic, Real* force) const {
    for (const Node& node : sections) {
      const Strain& diagonal = elastic ? node.stiffness : node.damping;
      Strain delta{};
      for (std::size_t k = 0; k < node.strain.modes.size(); ++k) {
        delta[node.strain.modes[k].first] += node.strain.modes[k].second * x[k];
      }
      for (std::size_t k = 0; k < node.strain.modes.size(); ++k) {
        const int c = node.strain.modes[k].first;
        force[k] += node.weight * node.strain.modes[k].second * diagonal[c] * delta[c];
      }
    }
  }
  void add_elastic_force(const Real* q, Real* force) const {
    add_linear_force(q, true, force);
    if (plain.hyperelastic_bend) {
      const Real x = constant_mode(0, q), y = constant_mode(1, q);
      const Real k = law_at(*plain.hyperelastic_bend, std::sqrt(x * x + y * y));
      add_to_constant_mode(0, k * x, force);
      add_to_constant_mode(1, k * y, force);
    }
    if (plain.hyperelastic_stretch) {
      const Real e = constant_mode(5, q) / plain.length;
      add_to_constant_mode(5, law_at(*plain.hyperelastic_stretch, e) * e / plain.length, force);
    }
  }
  void add_damping_force(const Real* v, Real* force) const {
    add_linear_force(v, false, force);
    const Real tau = plain.damping_time.value_or(0);
    if (plain.hyperelastic_bend) {
      const Real d = tau * law_at(*plain.hyperelastic_bend, 0);
      for (const int c : {0, 1}) add_to_constant_mode(c, d * constant_mode(c, v), force);
    }
    if (plain.hyperelastic_stretch) {
      const Real d = tau * law_at(*plain.hyperelastic_stretch, 0) / (plain.length * plain.length);
      add_to_constant_mode(5, d * constant_mode(5, v), force);
    }
  }
  Real elastic_energy(const Real* q) const {
    Real energy = 0;
    for (const Node& node : sections) {
      Strain delta{};
      for (std::size_t k = 0; k < node.strain.modes.size(); ++k) {
        delta[node.strain.modes[k].first] += node.strain.modes[k].second * q[k];
      }
      for (int c = 0; c < 6; ++c) energy += node.weight * node.stiffness[c] * delta[c] * delta[c] / 2;
    }
    if (plain.hyperelastic_bend) {
      const Real x = constant_mode(0, q), y = constant_mode(1, q);
      energy += law_energy(*plain.hyperelastic_bend, std::sqrt(x * x + y * y));
    }
    if (plain.hyperelastic_stretch) {
      energy += law_energy(*plain.hyperelastic_stretch, constant_mode(5, q) / plain.length);
    }
    return energy;
  }
};

/// (w; v) in body axes from a pose that moves along its outer dual part.
template <typename X>
std::array<X, 6> body_velocity(const Top<Dual<X>>& g) {
  Top<X> at, rate;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) at.at[i][j] = g.at[i][j].x, rate.at[i][j] = g.at[i][j].dx;
  }
  Top<X> rotation = at;
  for (int i = 0; i < 3; ++i) rotation.at[i][3] = X(0.0L);
  const Top<X> velocity = times_algebra(inverse(rotation), rate);
  return {velocity.at[2][1], velocity.at[0][2], velocity.at[1][0],
          velocity.at[0][3], velocity.at[1][3], velocity.at[2][3]};
}

template <typename X>
using Momentum = std::array<X, 6>;
/// Angular momentum about the frame's origin, and momentum.
template <typename X>
Momentum<X> momentum_of(const Mass& m, const std::array<X, 6>& V) {
  const auto& c = m.com;
  const std::array<X, 3> v{V[3] + c[2] * V[1] - c[1] * V[2], V[4] + c[0] * V[2] - c[2] * V[0],
                           V[5] + c[1] * V[0] - c[0] * V[1]};
  Momentum<X> h;
  for (int i = 0; i < 3; ++i) {
    h[i] = m.inertia[i][0] * V[0] + m.inertia[i][1] * V[1] + m.inertia[i][2] * V[2];
    h[i + 3] = m.mass * v[i];
  }
  h[0] = h[0] + c[1] * h[5] - c[2] * h[4];
  h[1] = h[1] + c[2] * h[3] - c[0] * h[5];
  h[2] = h[2] + c[0] * h[4] - c[1] * h[3];
  return h;
}
template <typename X>
X product(const std::array<X, 6>& a, const std::array<X, 6>& b) {
  X sum(0.0L);
  for (int i = 0; i < 6; ++i) sum = sum + a[i] * b[i];
  return sum;
}

}  // namespace

// --- the robot
// --------------------------------------------------------------------------------------------------------

struct LagrangeReference::Implementation {
  PlainRobot robot;
  RodIntegration integration;
  struct LinkData {
    int joint_q, joint_v, body_q, body_v;
    std::optional<Rod> rod;
    Mass rigid;
  };
  std::vector<LinkData> links;
  int nq = 0, nv = 0;

  Implementation(PlainRobot plain, const RodIntegration& given) : robot(std::move(plain)), integration(given) {
    if (robot.floating) nq = 7, nv = 6;
    for (const PlainLink& link : robot.links) {
      LinkData data{nq, nv, 0, 0, {}, {}};
      nq += joint_nq(link.joint.type), nv += joint_nv(link.joint.type);
      data.body_q = nq, data.body_v = nv;
      if (link.rod) {
        data.rod.emplace(*link.rod, integration);
        nq += data.rod->coordinates, nv += data.rod->coordinates;
      }
      if (link.rigid) {
        const auto& I = link.rigid->inertia;
        data.rigid.mass = link.rigid->mass;
        for (int i = 0; i < 3; ++i) data.rigid.com[i] = link.rigid->com[i];
        data.rigid.inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
      }
      links.push_back(std::move(data));
    }
  }

  /// A configuration that moves along tangent vectors: q exp(inner e2) exp(outer e1).
  struct Path {
    const VectorXl* q;
    const VectorXl* outer = nullptr;
    const VectorXl* inner = nullptr;
  };
  static void coordinate(const Path& path, int q, int, Real& x) { x = (*path.q)[q]; }
  static void coordinate(const Path& path, int q, int v, Dual1& x) { x = {(*path.q)[q], (*path.outer)[v]}; }
  static void coordinate(const Path& path, int q, int v, Dual2& x) {
    x = {{(*path.q)[q], (*path.inner)[v]}, {(*path.outer)[v], 0.0L}};
  }
  /// exp(inner e2) exp(outer e1) for `count` (3: SO(3), 6: SE(3)) velocities from v; exact, as e^2 = 0.
  static Top<Real> tangent(const Path&, int, int, Real) { return identity<Real>(); }
  static std::array<Real, 6> direction(const VectorXl& d, int v, int count) {
    std::array<Real, 6> t{};
    for (int i = 0; i < count; ++i) t[i] = d[v + i];
    return t;
  }
  static Top<Dual1> tangent(const Path& path, int v, int count, Dual1) {
    Top<Dual1> g = identity<Dual1>();
    const Top<Real> d = hat(direction(*path.outer, v, count));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) g.at[i][j].dx = d.at[i][j];
    }
    return g;
  }
  static Top<Dual2> tangent(const Path& path, int v, int count, Dual2) {
    Top<Dual2> outer = identity<Dual2>(), inner = identity<Dual2>();
    const Top<Real> a = hat(direction(*path.outer, v, count)), b = hat(direction(*path.inner, v, count));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) outer.at[i][j].dx.x = a.at[i][j], inner.at[i][j].x.dx = b.at[i][j];
    }
    return times_pose(inner, outer);
  }
  static Top<Real> quaternion_pose(const Real* quaternion, const Real* position) {
    const Real w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const Real n = w * w + x * x + y * y + z * z;
    Top<Real> g;
    g.at[0] = {(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n, 0};
    g.at[1] = {2 * (x * y + w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n, 0};
    g.at[2] = {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (w * w - x * x - y * y + z * z) / n, 0};
    for (int i = 0; position != nullptr && i < 3; ++i) g.at[i][3] = position[i];
    return g;
  }
  template <typename T>
  static Top<T> screw(const Triple& axis, bool rotates, const T& q) {
    Real length = 0;
    for (const double x : axis) length += static_cast<Real>(x) * x;
    length = std::sqrt(length);
    std::array<T, 6> t;
    for (int i = 0; i < 6; ++i) t[i] = T(0.0L);
    for (int i = 0; i < 3; ++i) t[rotates ? i : i + 3] = (axis[i] / length) * q;
    return exponential(hat(t));
  }
  template <typename T>
  Top<T> joint_pose(const PlainJoint& joint, const Path& path, int q, int v) const {
    const VectorXl& at = *path.q;
    std::array<T, 3> x;
    if (joint_nq(joint.type) == joint_nv(joint.type)) {
      for (int i = 0; i < std::min(3, joint_nv(joint.type)); ++i) coordinate(path, q + i, v + i, x[i]);
    }
    if (joint.type == "fixed") return identity<T>();
    if (joint.type == "revolute") return screw(joint.axis, true, x[0]);
    if (joint.type == "prismatic") return screw(joint.axis, false, x[0]);
    if (joint.type == "cylindrical") return times_pose(screw(joint.axis, true, x[0]), screw(joint.axis, false, x[1]));
    if (joint.type == "universal") return times_pose(screw(joint.axis, true, x[0]), screw(joint.axis2, true, x[1]));
    if (joint.type == "planar") {
      return times_pose(times_pose(screw({1, 0, 0}, false, x[0]), screw({0, 1, 0}, false, x[1])),
                        screw({0, 0, 1}, true, x[2]));
    }
    if (joint.type == "spherical") {
      return times_pose(lift<T>(quaternion_pose(&at[q], nullptr)), tangent(path, v, 3, T()));
    }
    if (joint.type == "free") {
      return times_pose(lift<T>(quaternion_pose(&at[q + 3], &at[q])), tangent(path, v, 6, T()));
    }
    throw std::invalid_argument("joint " + joint.type);
  }

  template <typename T>
  struct LinkPoses {
    Top<T> base, tip;
    std::vector<Top<T>> stops;     // after each step of the rod
    std::vector<Top<T>> sections;  // of the rod
    std::vector<T> q;              // of the rod
  };
  template <typename T>
  struct Poses {
    Top<T> base;
    std::vector<LinkPoses<T>> links;
  };

  template <typename T>
  Top<T> place_pose(const Poses<T>& poses, const PlainPlace& place) const {
    const Top<T> offset = lift<T>(pose_of(place.pose));
    if (place.link < 0) return times_pose(poses.base, offset);
    const LinkPoses<T>& link = poses.links[place.link];
    if (place.at == "base") return times_pose(link.base, offset);
    if (place.at == "tip") return times_pose(link.tip, offset);
    const Rod& rod = *links[place.link].rod;
    if (place.s >= rod.plain.length) return times_pose(link.tip, offset);
    Top<T> g = link.base;
    Real from = 0;
    for (std::size_t k = 0; k < rod.steps.size() && rod.steps[k].to <= place.s; ++k) {
      from = rod.steps[k].to, g = link.stops[k];
    }
    if (place.s > from) g = rod.advance(g, rod.step_between(from, place.s), link.q.data());
    return times_pose(g, offset);
  }

  template <typename T>
  Poses<T> poses(const Path& path) const {
    Poses<T> all;
    all.base = lift<T>(pose_of(robot.base));
    if (robot.floating) {
      const VectorXl& q = *path.q;
      all.base = times_pose(all.base, times_pose(lift<T>(quaternion_pose(&q[3], &q[0])), tangent(path, 0, 6, T())));
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      const LinkData& data = links[i];
      LinkPoses<T> link;
      link.base = times_pose(place_pose(all, robot.links[i].parent),
                             joint_pose<T>(robot.links[i].joint, path, data.joint_q, data.joint_v));
      link.tip = link.base;
      if (robot.links[i].rigid) link.tip = times_pose(link.base, lift<T>(pose_of(robot.links[i].rigid->tip)));
      if (data.rod) {
        link.q.resize(data.rod->coordinates);
        for (int k = 0; k < data.rod->coordinates; ++k) coordinate(path, data.body_q + k, data.body_v + k, link.q[k]);
        for (std::size_t k = 0; k < data.rod->steps.size(); ++k) {
          link.tip = data.rod->advance(link.tip, data.rod->steps[k], link.q.data());
          link.stops.push_back(link.tip);
          if (data.rod->section_of_step[k] >= 0) link.sections.push_back(link.tip);
        }
      }
      all.links.push_back(std::move(link));
    }
    return all;
  }

  /// Calls f(pose, mass) for every rigid body and section.
  template <typename T, typename F>
  void for_each_mass(const Poses<T>& poses, const F& f) const {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (robot.links[i].rigid) f(poses.links[i].base, links[i].rigid);
      if (!links[i].rod) continue;
      for (std::size_t k = 0; k < links[i].rod->sections.size(); ++k) {
        f(poses.links[i].sections[k], links[i].rod->sections[k].mass);
      }
    }
  }

  /// Velocities and momenta of all masses for the velocity `outer`; X = Real, or Dual1: with derivatives along `inner`.
  template <typename X>
  void motion(const Path& path, std::vector<std::array<X, 6>>& velocities, std::vector<Momentum<X>>* momenta) const {
    velocities.clear();
    if (momenta) momenta->clear();
    for_each_mass(poses<Dual<X>>(path), [&](const Top<Dual<X>>& g, const Mass& m) {
      velocities.push_back(body_velocity(g));
      if (momenta) momenta->push_back(momentum_of(m, velocities.back()));
    });
  }

  Real potential(const Poses<Real>& at) const {
    Real energy = 0;
    for_each_mass(at, [&](const Top<Real>& g, const Mass& m) {
      for (int i = 0; i < 3; ++i) {
        const Real p = g.at[i][3] + g.at[i][0] * m.com[0] + g.at[i][1] * m.com[1] + g.at[i][2] * m.com[2];
        energy -= m.mass * robot.gravity[i] * p;
      }
    });
    return energy;
  }

  /// Spring elongation e of a joint: q - rest, or log(rest^-1 q).
  template <typename T>
  std::array<T, 6> elongation(int index, const Path& path) const {
    const PlainJoint& joint = robot.links[index].joint;
    const int q = links[index].joint_q, v = links[index].joint_v;
    std::array<T, 6> e;
    for (T& x : e) x = T(0.0L);
    if (joint_nq(joint.type) == joint_nv(joint.type)) {
      for (int i = 0; i < joint_nv(joint.type); ++i) {
        coordinate(path, q + i, v + i, e[i]);
        if (!joint.rest.empty()) e[i] = e[i] - T(joint.rest[i]);
      }
      return e;
    }
    Top<Real> rest = identity<Real>();
    if (!joint.rest.empty()) {
      std::array<Real, 7> values{};
      for (std::size_t i = 0; i < joint.rest.size(); ++i) values[i] = joint.rest[i];
      rest = joint.type == "spherical" ? quaternion_pose(values.data(), nullptr)
                                       : quaternion_pose(values.data() + 3, values.data());
    }
    return logarithm(times_pose(lift<T>(inverse(rest)), joint_pose<T>(joint, path, q, v)));
  }
};

LagrangeReference::LagrangeReference(PlainRobot robot, RodIntegration integration)
    : implementation_(std::make_unique<Implementation>(std::move(robot), integration)) {}
LagrangeReference::~LagrangeReference() = default;
LagrangeReference::LagrangeReference(LagrangeReference&&) noexcept = default;
int LagrangeReference::nq() const { return implementation_->nq; }
int LagrangeReference::nv() const { return implementation_->nv; }

MatrixXl LagrangeReference::mass_matrix(const VectorXl& q) const {
  const int n = nv();
  std::vector<std::vector<std::array<Real, 6>>> V(n);
  std::vector<std::vector<Momentum<Real>>> h(n);
  for (int j = 0; j < n; ++j) {
    const VectorXl unit = VectorXl::Unit(n, j);
    implementation_->motion<Real>({&q, &unit}, V[j], &h[j]);
  }
  MatrixXl M = MatrixXl::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < V[i].size(); ++k) M(i, j) += product(V[i][k], h[j][k]);
    }
  }
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const auto& armature = implementation_->robot.links[i].joint.armature;
    const int v = implementation_->links[i].joint_v;
    for (std::size_t k = 0; k < armature.size(); ++k) M(v + k, v + k) += armature[k];
  }
  return M;
}

VectorXl LagrangeReference::coriolis_force(const VectorXl& q, const VectorXl& v) const {
  const int n = nv();
  std::vector<std::array<Dual1, 6>> V, unit_V;
  std::vector<Momentum<Dual1>> h;
  VectorXl p(n), c(n);
  for (int k = 0; k < n; ++k) {
    const VectorXl unit = VectorXl::Unit(n, k);
    implementation_->motion<Dual1>({&q, &v, &unit}, V, &h);  // velocity v, differentiated along e_k
    Dual1 energy;
    for (std::size_t i = 0; i < V.size(); ++i) energy = energy + 0.5L * product(V[i], h[i]);
    c[k] = -energy.dx;
  }
  implementation_->motion<Dual1>({&q, &v, &v}, V, &h);  // velocity v, differentiated along v
  for (int k = 0; k < n; ++k) {
    const VectorXl unit = VectorXl::Unit(n, k);
    implementation_->motion<Dual1>({&q, &unit, &v}, unit_V, nullptr);
    Dual1 momentum;  // dT/dv_k
    for (std::size_t i = 0; i < V.size(); ++i) momentum = momentum + product(unit_V[i], h[i]);
    p[k] = momentum.x;
    c[k] += momentum.dx;
  }
  // Hamel: -ad_v^T p on the blocks whose velocities are those of a group
  const auto cross = [](const Real* a, const Real* b) {
    return std::array<Real, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto add_hamel = [&](int at, bool translates) {
    const auto torque = cross(&v[at], &p[at]);
    for (int i = 0; i < 3; ++i) c[at + i] += torque[i];
    if (!translates) return;
    const auto moment = cross(&v[at + 3], &p[at + 3]), force = cross(&v[at], &p[at + 3]);
    for (int i = 0; i < 3; ++i) c[at + i] += moment[i], c[at + 3 + i] += force[i];
  };
  if (implementation_->robot.floating) add_hamel(0, true);
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const std::string& type = implementation_->robot.links[i].joint.type;
    // armature adds 1/2 v^T A v to the energy and A to M, but no velocity-dependent force (design section 2)
    if (type == "spherical") add_hamel(implementation_->links[i].joint_v, false);
    if (type == "free") add_hamel(implementation_->links[i].joint_v, true);
  }
  return c;
}

VectorXl LagrangeReference::gravity_force(const VectorXl& q) const {
  const auto& robot = implementation_->robot;
  VectorXl force(nv());
  for (int k = 0; k < nv(); ++k) {
    const VectorXl unit = VectorXl::Unit(nv(), k);
    Dual1 energy;
    implementation_->for_each_mass(implementation_->poses<Dual1>({&q, &unit}), [&](const Top<Dual1>& g, const Mass& m) {
      for (int i = 0; i < 3; ++i) {
        const Dual1 p = g.at[i][3] + m.com[0] * g.at[i][0] + m.com[1] * g.at[i][1] + m.com[2] * g.at[i][2];
        energy = energy - (m.mass * robot.gravity[i]) * p;
      }
    });
    force[k] = energy.dx;
  }
  return force;
}

VectorXl LagrangeReference::elastic_force(const VectorXl& q) const {
  VectorXl force = VectorXl::Zero(nv());
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const auto& data = implementation_->links[i];
    if (data.rod) data.rod->add_elastic_force(q.data() + data.body_q, force.data() + data.body_v);
    const PlainJoint& joint = implementation_->robot.links[i].joint;
    if (joint.stiffness.empty()) continue;
    for (int k = 0; k < joint_nv(joint.type); ++k) {
      const VectorXl unit = VectorXl::Unit(nv(), data.joint_v + k);
      const auto e = implementation_->elongation<Dual1>(static_cast<int>(i), {&q, &unit});
      for (int j = 0; j < joint_nv(joint.type); ++j) {
        force[data.joint_v + k] += joint.stiffness[j] * e[j].x * e[j].dx;
      }
    }
  }
  return force;
}

VectorXl LagrangeReference::damping_force(const VectorXl&, const VectorXl& v) const {
  VectorXl force = VectorXl::Zero(nv());
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const auto& data = implementation_->links[i];
    if (data.rod) data.rod->add_damping_force(v.data() + data.body_v, force.data() + data.body_v);
    const auto& damping = implementation_->robot.links[i].joint.damping;
    for (std::size_t k = 0; k < damping.size(); ++k) force[data.joint_v + k] += damping[k] * v[data.joint_v + k];
  }
  return force;
}

long double LagrangeReference::kinetic_energy(const VectorXl& q, const VectorXl& v) const {
  std::vector<std::array<Real, 6>> V;
  std::vector<Momentum<Real>> h;
  implementation_->motion<Real>({&q, &v}, V, &h);
  Real energy = 0;
  for (std::size_t i = 0; i < V.size(); ++i) energy += product(V[i], h[i]) / 2;
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const auto& armature = implementation_->robot.links[i].joint.armature;
    const int at = implementation_->links[i].joint_v;
    for (std::size_t k = 0; k < armature.size(); ++k) energy += armature[k] * v[at + k] * v[at + k] / 2;
  }
  return energy;
}
long double LagrangeReference::gravity_energy(const VectorXl& q) const {
  return implementation_->potential(implementation_->poses<Real>({&q}));
}
long double LagrangeReference::elastic_energy(const VectorXl& q) const {
  Real energy = 0;
  for (std::size_t i = 0; i < implementation_->links.size(); ++i) {
    const auto& data = implementation_->links[i];
    if (data.rod) energy += data.rod->elastic_energy(q.data() + data.body_q);
    const PlainJoint& joint = implementation_->robot.links[i].joint;
    if (joint.stiffness.empty()) continue;
    const auto e = implementation_->elongation<Real>(static_cast<int>(i), {&q});
    for (int j = 0; j < joint_nv(joint.type); ++j) energy += joint.stiffness[j] * e[j] * e[j] / 2;
  }
  return energy;
}

namespace {
Matrix4l matrix_of(const Top<Real>& g) {
  Matrix4l m = Matrix4l::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) m(i, j) = g.at[i][j];
  }
  return m;
}
}  // namespace

Matrix4l LagrangeReference::pose(const VectorXl& q, const PlainPlace& place) const {
  return matrix_of(implementation_->place_pose(implementation_->poses<Real>({&q}), place));
}
Matrix4l LagrangeReference::base_pose(const VectorXl& q, int link) const {
  return matrix_of(implementation_->poses<Real>({&q}).links[link].base);
}

}  // namespace cuttle::test
