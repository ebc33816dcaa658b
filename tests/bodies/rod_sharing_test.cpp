// Equal rods share one set of tables, others do not, whoever makes and drops them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bodies/rod/rod_packing.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

RodParameters slender() {
  RodParameters p;
  p.length = 0.3;
  p.section.radius = Profile(std::vector<double>{0.02, 0.015});
  p.material = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  p.quadrature_points = 7;
  p.strain[kappa_x] = StrainBasis::of_order(StrainBasis::Kind::legendre, 2);
  p.strain[sigma_z] = StrainBasis::constant();
  return p;
}

const void* tables_of(const Body& rod) { return &static_cast<const RodPacking&>(*rod.packing()).tables(); }

TEST(RodSharing, EqualRodsAndTheirCopiesShare) {
  const RodBody a(slender()), b(slender());
  EXPECT_EQ(tables_of(a), tables_of(b));
  EXPECT_EQ(tables_of(a), tables_of(*a.clone()));
}

TEST(RodSharing, EveryParameterTellsRodsApart) {
  const RodBody plain(slender());
  const std::vector<std::pair<const char*, std::function<void(RodParameters&)>>> changes = {
      {"length", [](RodParameters& p) { p.length = 0.31; }},
      {"radius", [](RodParameters& p) { p.section.radius.values[1] = 0.016; }},
      {"shape",
       [](RodParameters& p) {
         p.section.shape = SectionT<double>::Shape::ellipse;
         p.section.radius_x = p.section.radius_y = p.section.radius;
       }},
      {"density", [](RodParameters& p) { p.material.density = 1071.0; }},
      {"young_modulus", [](RodParameters& p) { p.material.young_modulus = 5.1e5; }},
      {"poisson_ratio", [](RodParameters& p) { p.material.poisson_ratio = 0.4; }},
      {"damping_time", [](RodParameters& p) { p.material.damping_time = 0.2; }},
      {"no damping", [](RodParameters& p) { p.material.damping_time.reset(); }},
      {"viscosity", [](RodParameters& p) { p.material.damping_time.reset(), p.material.viscosity = 3.0; }},
      {"points", [](RodParameters& p) { p.quadrature_points = 8; }},
      {"order", [](RodParameters& p) { p.strain[kappa_x]->order = 3; }},
      {"kind", [](RodParameters& p) { p.strain[kappa_x]->kind = StrainBasis::Kind::monomial; }},
      {"component", [](RodParameters& p) { std::swap(p.strain[kappa_x], p.strain[kappa_y]); }},
      {"rest", [](RodParameters& p) { p.rest_strain[kappa_y] = 0.5; }},
      {"shear_factor", [](RodParameters& p) { p.shear_factor = 0.9; }},
      {"torsion", [](RodParameters& p) { p.torsion_constant = TorsionConstant::polar; }},
      {"stiffness", [](RodParameters& p) { p.stiffness.emplace().fill(1.0); }},
      {"damping", [](RodParameters& p) { p.material.damping_time.reset(), p.damping.emplace().fill(1.0); }},
      {"stiffening",
       [](RodParameters& p) {
         p.stiffening[kappa_x] = {0.0, 0.1};
       }},
      {"mass_per_length", [](RodParameters& p) { p.mass_per_length = 1.0; }},
      {"rotary_inertia", [](RodParameters& p) { p.rotary_inertia.emplace().fill(1e-3); }},
  };
  for (const auto& [name, change] : changes) {
    RodParameters p = slender();
    change(p);
    const RodBody other(p), again(p);
    EXPECT_NE(tables_of(other), tables_of(plain)) << name;
    EXPECT_EQ(tables_of(other), tables_of(again)) << name;
  }
}

TEST(RodSharing, APortIsOneRodsOwn) {
  RodBody a(slender()), b(slender());
  EXPECT_EQ(b.add_port(PortLocation::section(0.1)), 1);
  EXPECT_EQ(a.port_count(), 1);
  EXPECT_EQ(b.port_count(), 2);
  EXPECT_NE(tables_of(a), tables_of(b));
  EXPECT_EQ(b.clone()->port_count(), 2);
  RodBody c(slender());
  c.add_port(PortLocation::section(0.2));
  EXPECT_NE(tables_of(b), tables_of(c));
  a.add_port(PortLocation::section(0.1));
  EXPECT_EQ(tables_of(a), tables_of(b));
  EXPECT_THROW(a.add_port(PortLocation::section(0.4)), Error);
  EXPECT_EQ(a.port_count(), 2);  // as it was
}

// Nobody knows what a function does.
TEST(RodSharing, FunctionsAreNeverShared) {
  RodParameters p = slender();
  p.strain[kappa_x]->kind = StrainBasis::Kind::function;
  p.strain[kappa_x]->functions = {[](const double& t) { return t; }};
  const RodBody a(p), b(p);
  EXPECT_NE(tables_of(a), tables_of(b));
  EXPECT_EQ(tables_of(a), tables_of(*a.clone()));
}

// Threads make and drop rods of few kinds: each has the mass that its length says.
TEST(RodSharing, ThreadsMakeAndDropRods) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([t, &wrong] {
      std::vector<std::unique_ptr<RodBody>> kept(5);
      for (std::size_t i = 0; i < 300; ++i) {
        RodParameters p = slender();
        p.section.radius = 0.01;
        p.length = 0.1 * static_cast<double>(1 + (i * (t + 1)) % 7);
        auto& rod = kept[i % kept.size()] = std::make_unique<RodBody>(p);
        const double mass = 1070.0 * M_PI * 1e-4 * p.length;
        if (std::abs(rod->rest_inertia().mass - mass) > 1e-12 * mass) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
