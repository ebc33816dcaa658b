#include "support/body_contract.h"

#include <gtest/gtest.h>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

BodyContractOptions seeded(unsigned seed, int samples = 1) {
  BodyContractOptions options;
  options.seed = seed, options.samples = samples;
  return options;
}

/// The rod with ports at places that matter: both ends, a break, inside.
std::unique_ptr<RodBody> rod_with_ports(const PlainRod& plain, Random& random) {
  auto rod = std::make_unique<RodBody>(to_rod_parameters(plain));
  rod->add_port(PortLocation::section(plain.length * random.uniform(0.1, 0.9)));
  rod->add_port(PortLocation::section(0.0));
  rod->add_port(PortLocation::section(plain.length));
  for (const auto& basis : plain.strain) {
    if (!basis || basis->breaks.empty()) continue;
    rod->add_port(PortLocation::section(basis->breaks[0]));
    break;
  }
  return rod;
}

TEST(BodyContractTest, RigidBodies) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    expect_body_contract(RigidBody(to_rigid_parameters(random_rigid(random))), "rigid", seeded(seed, 2));
    PlainRigid point = random_rigid(random);
    point.inertia = {};
    expect_body_contract(RigidBody(to_rigid_parameters(point)), "point mass", seeded(seed, 2));
  }
}

TEST(BodyContractTest, RodsOfEveryBasisAndSection) {
  unsigned seed = 10;
  for (const std::string& basis : all_bases()) {
    for (const std::string& shape : all_shapes()) {
      Random random(++seed);
      RandomRodOptions options;
      options.max_sections = 5;
      const PlainRod plain = random_rod(random, options, basis, shape);
      expect_body_contract(*rod_with_ports(plain, random), basis + ", " + shape, seeded(seed));
    }
  }
}

TEST(BodyContractTest, RodsOfEveryShorthand) {
  unsigned seed = 100;
  for (const std::string& shorthand : all_shorthands()) {
    PlainRod plain;
    plain.length = 0.4;
    plain.shorthand = shorthand;
    plain.section.lengths["radius"] = {0.03, 0.01};
    plain.density = 1050.0, plain.young_modulus = 3e5, plain.damping_time = 0.07;
    plain.sections = 6;
    Random random(++seed);
    expect_body_contract(*rod_with_ports(plain, random), shorthand, seeded(seed, 2));
  }
}

TEST(BodyContractTest, HyperelasticRods) {
  unsigned seed = 200;
  const PlainLaw polynomial{{0.3, 0.12, 0.05}, {}}, tanh{{}, {0.2, 0.15, 1.3}};
  for (const auto& [stretch, bend] : std::vector<std::pair<std::optional<PlainLaw>, std::optional<PlainLaw>>>{
           {polynomial, tanh}, {tanh, polynomial}, {polynomial, std::nullopt}, {std::nullopt, tanh}}) {
    for (const char* shorthand : {"pcc", "planar_cc", "pcs", "kirchhoff"}) {
      PlainRod plain;
      plain.length = 0.3;
      plain.shorthand = shorthand;
      plain.section.lengths["radius"] = {0.02};
      plain.density = 1050.0, plain.young_modulus = 3e5, plain.damping_time = 0.07;
      plain.sections = 4;
      plain.hyperelastic_stretch = stretch, plain.hyperelastic_bend = bend;
      Random random(++seed);
      expect_body_contract(
          *rod_with_ports(plain, random),
          std::string("hyperelastic ") + shorthand + (stretch ? ", stretch" : "") + (bend ? ", bend" : ""),
          seeded(seed));
    }
  }
}

TEST(BodyContractTest, OneSectionAndManyModes) {
  PlainRod plain;
  plain.length = 0.4;
  plain.section.lengths["radius"] = {0.03, 0.02};
  plain.density = 1050.0, plain.young_modulus = 3e5, plain.viscosity = 300.0;
  plain.sections = 1;
  plain.shorthand = "pcc";
  Random random(5);
  expect_body_contract(*rod_with_ports(plain, random), "one section", seeded(301));

  plain.shorthand.clear();
  plain.sections = 12;
  for (const int component : {0, 1, 2, 5}) {
    plain.strain[component].emplace();
    plain.strain[component]->basis = "legendre", plain.strain[component]->order = 9;
  }
  BodyContractOptions options = seeded(302);
  options.coordinates.assign(40, 0.3);
  for (int i = 30; i < 40; ++i) options.coordinates[i] = 0.01;
  expect_body_contract(*rod_with_ports(plain, random), "forty modes", options);
}

TEST(BodyContractTest, RodWithoutStrain) {
  PlainRod plain;
  plain.length = 0.3;
  plain.section.shape = "rectangle";
  plain.section.lengths["width"] = {0.02, 0.03}, plain.section.lengths["height"] = {0.03};
  plain.density = 900.0, plain.young_modulus = 1e5;
  plain.rest_strain[0] = {3.0, -2.0}, plain.rest_strain[2] = {1.0};
  expect_body_contract(RodBody(to_rod_parameters(plain)), "rod without strain");
}

// Exact time derivatives whatever the number of sections: two sections, large curvature that varies, so that the
// discrete rod is far from the continuous one, and a quadrature of the twist equation would be off by percents.
TEST(BodyContractTest, TwoSectionsAndLargeVaryingCurvature) {
  PlainRod plain;
  plain.length = 0.5;
  plain.sections = 2;
  for (const int component : {0, 1, 2, 3, 4, 5}) {
    plain.strain[component].emplace();
    plain.strain[component]->basis = "legendre", plain.strain[component]->order = 1;
  }
  plain.section.lengths["radius"] = {0.03, 0.01};
  plain.rest_strain[0] = {4.0, -6.0, 2.0};
  plain.density = 1050.0, plain.young_modulus = 3e5;
  Random random(7);
  const auto rod = rod_with_ports(plain, random);
  BodyContractOptions options;
  options.samples = 4;
  options.coordinates.assign(12, 4.0);  // bending by 4 rad within the rod
  for (int i = 6; i < 12; ++i) options.coordinates[i] = 0.2;
  options.step = 1e-3;  // rates of 4 rad/s: the seventh derivative is 4^7
  expect_body_contract(*rod, "two sections", options);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
