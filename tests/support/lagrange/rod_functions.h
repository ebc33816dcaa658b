#pragma once

#include <array>
#include <vector>

#include "support/lagrange/dual.h"
#include "support/plain_robot.h"

/// What the numbers of a plain rod say as functions along it, and their quadrature.
namespace cuttle::test::lagrange {

/// Value of a profile at t = s / L.
Real profile_at(const PlainProfile& profile, Real t);

/// Shape functions of docs/format.md at t = s / L.
std::vector<Real> shape_functions(const PlainBasis& basis, Real t, Real length);

/// Points and weights of Gauss and Legendre on [a, b].
struct Quadrature {
  std::vector<Real> s, weight;
};
Quadrature gauss_legendre(int n, Real a, Real b);

/// Area, Ix = int y^2 dA, Iy = int x^2 dA, Jz.
std::array<Real, 4> section_at(const PlainSection& section, Real t);
/// Saint-Venant's torsion constant; Jz of general sections.
Real torsion_constant_at(const PlainSection& section, Real t);

/// Stiffness k(x) of a hyperelastic law.
Real law_at(const PlainLaw& law, Real x);
/// int_0^x k(e) e de, by quadrature.
Real law_energy(const PlainLaw& law, Real x);

}  // namespace cuttle::test::lagrange
