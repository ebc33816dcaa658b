// Rods whose sections damp by component and whose stiffness is a polynomial of the strain.
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.3;

RodParameters rod() {
  RodParameters p;
  p.length = k_length;
  p.section.shape = Section::Shape::rectangle;
  p.section.width = Profile({0.03, 0.02}), p.section.height = 0.025;
  p.material = {.density = 1050.0, .young_modulus = 3e5, .poisson_ratio = 0.4};
  p.quadrature_points = 4;
  p.strain = strain_shorthand("pcs", k_length);
  p.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 2);
  p.strain[sigma_z] = StrainBasis::of_order(StrainBasis::Kind::monomial, 1);
  return p;
}
RodParameters stiffening_rod() {
  RodParameters p = rod();
  p.stiffening = {{{0.02}, {0.01, 0.003}, {0.0, 0.002}, {0.4}, {0.0, 0.7}, {-0.5, 0.8, 0.3}}};
  return p;
}
RodParameters damped_rod() {
  RodParameters p = stiffening_rod();
  p.material.damping_time = 0.3;  // which `damping` replaces
  p.damping = {Profile({0.02, 0.05}), 0.03, 0.01, 0.4, 0.5, Profile({0.9, 0.6})};
  return p;
}

TEST(RodLaws, KeepTheContract) {
  unsigned seed = 500;
  for (const RodParameters& p : {stiffening_rod(), damped_rod()}) {
    RodBody body(p);
    body.add_port(PortLocation::section(0.4 * k_length));
    BodyContractOptions options;
    options.seed = ++seed, options.samples = 2;
    expect_body_contract(body, p.damping ? "damped" : "stiffening", options);
  }
  // beside laws of the whole rod, which damping by component replaces too
  RodParameters p = damped_rod();
  p.strain = strain_shorthand("pcs", k_length);
  p.stiffening = {};
  p.stiffening[kappa_z] = {0.1, 0.02};
  p.hyperelastic_bend.emplace().polynomial = {0.3, 0.12};
  p.hyperelastic_stretch.emplace().polynomial = {2.0, 0.5};
  expect_body_contract(RodBody(p), "hyperelastic");
}

// Closed form: of uniform strain e the stress is K e (1 + c1 e + c2 e^2), the energy its integral, the stiffness its
// slope.
TEST(RodLaws, OfUniformStrainAreThoseOfASection) {
  RodParameters p = rod();
  p.section.width = 0.03;
  p.strain = strain_shorthand("pcs", k_length);
  p.rest_strain[kappa_y] = 0.7;  // counts from rest
  p.damping = {0.02, 0.03, 0.01, 0.4, 0.5, 0.9};
  const double E = 3e5, G = E / 2.8, w = 0.03, h = 0.025, A = w * h;
  const double Ix = w * h * h * h / 12, Iy = h * w * w * w / 12;
  const double rigidities[6] = {E * Ix, E * Iy, G * p.section.torsion_constant(0.5), G * A, G * A, E * A};
  for (int c = 0; c < 6; ++c) {
    const double K = rigidities[c], L = k_length, c1 = c < 3 ? 0.05 : -0.4, c2 = c < 3 ? 0.03 : 1.7;
    p.stiffening = {};
    p.stiffening[c] = {c1, c2};
    const RodBody body(p);
    for (const double e : {-0.3, 0.0, 0.2, 0.6}) {
      std::vector<double> q(6, 0.0), v(6, 0.0), force(6, 0.0), damping(6, 0.0), stiffness(36);
      q[c] = e * L, v[c] = 0.7 * L;
      const double stress = K * e * (1 + c1 * e + c2 * e * e);
      const double energy = K * L * e * e * (0.5 + c1 * e / 3 + c2 * e * e / 4);
      body.add_elastic_force(q.data(), force.data());
      body.stiffness_matrix(q.data(), stiffness.data());
      body.add_damping_force(q.data(), v.data(), damping.data());
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(force[i], i == c ? stress : 0.0, 1e-13 * K) << c << ", " << e;
        EXPECT_NEAR(damping[i], i == c ? (*p.damping)[c].at(0.5) * 0.7 : 0.0, 1e-14) << c;
      }
      EXPECT_NEAR(stiffness[7 * c], K / L * (1 + 2 * c1 * e + 3 * c2 * e * e), 1e-12 * K / L) << c << ", " << e;
      EXPECT_NEAR(body.elastic_energy(q.data()), energy, 1e-13 * K * L) << c << ", " << e;
      const Vector3 middle{0, 0, 0.4 * L};
      double density = 0.0;
      body.energy_density(q.data(), &middle, 1, &density);
      EXPECT_NEAR(density * A * L, energy, 1e-13 * K * L) << c << ", " << e;
    }
  }
}

// Of a strain that varies, the energy is the integral along the rod: by Simpson's rule over many points, which share
// nothing with the sections.
TEST(RodLaws, OfVaryingStrainAddUpToTheIntegral) {
  RodParameters p = stiffening_rod();
  p.quadrature_points = 8;
  const RodBody body(p);
  Random random(3);
  std::vector<double> q(body.coordinate_count());
  for (double& x : q) x = 0.3 * random.uniform(-1.0, 1.0);
  const auto density = [&](double t) {
    const auto section = p.section.at(t);
    const double E = 3e5, G = E / 2.8;
    const double K[6] = {E * section.Ix,   E * section.Iy,   G * p.section.torsion_constant(t),
                         G * section.area, G * section.area, E * section.area};
    const Twist strain = body.strain_at(t * k_length, q.data());
    double energy = 0.0;
    for (int c = 0; c < 6; ++c) {
      const double e = strain[c] - (c == sigma_z ? 1.0 : 0.0);
      double power = e * e, sum = 0.5 * power;
      for (std::size_t m = 0; m < p.stiffening[c].size(); ++m)
        power *= e, sum += p.stiffening[c][m] * power / (m + 3.0);
      energy += K[c] * sum;
    }
    return energy;
  };
  double integral = 0.0;
  constexpr int k_pieces = 400;
  for (int k = 0; k < k_pieces; ++k) {
    const double a = k / double{k_pieces}, h = 1.0 / k_pieces;
    integral += h / 6 * (density(a) + 4 * density(a + h / 2) + density(a + h));
  }
  integral *= k_length;
  // the torsion constant of a tapered rectangle is no polynomial: what is left is the sections' quadrature of it
  EXPECT_NEAR(body.elastic_energy(q.data()), integral, 1e-8 * integral);
}

std::string error_of(const RodParameters& p) {
  try {
    const RodBody body(p);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(RodLaws, ErrorsNameTheKey) {
  RodParameters p = damped_rod();
  (*p.damping)[4] = -0.5;
  EXPECT_EQ(error_of(p), "damping[4]: found -0.5, expected a number >= 0 [N s]");
  p = stiffening_rod();
  p.stiffening[kappa_y][1] = NAN;
  EXPECT_EQ(error_of(p), "stiffening.kappa_y[1]: found nan, expected a finite number [m^2]");
  p = stiffening_rod();
  p.strain = strain_shorthand("pcc", k_length);
  p.hyperelastic_stretch.emplace().polynomial = {2.0};
  EXPECT_EQ(error_of(p), "stiffening.sigma_z: found it beside hyperelastic.stretch, expected at most one of the two");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
