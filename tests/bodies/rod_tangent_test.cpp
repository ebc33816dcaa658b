#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "support/body_contract.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/tangent_check.h"
#include "support/to_robot.h"

// The contract suite (tests/bodies/body_contract_test.cpp) compares the tangent of every rod with differences in
// double. Here it is held against automatic differentiation of the same rod, which is exact, for all rods that exist
// for dual numbers, and against differences in long double.

namespace cuttle::test::CUTTLE_FILE {
namespace {

using namespace contract;

std::unique_ptr<RodBody> with_ports(const PlainRod& plain, Random& random) {
  auto rod = std::make_unique<RodBody>(to_rod_parameters(plain));
  for (int k = random.index(3); k > 0; --k) {
    rod->add_port(PortLocation::section(plain.length * random.uniform(0.01, 0.99)));
  }
  rod->add_port(PortLocation::section(0.0));
  rod->add_port(PortLocation::section(1e-3 * plain.length));  // leaves the base, not a stop
  return rod;
}

PlainRod plain_rod(const std::string& shorthand, int sections) {
  PlainRod plain;
  plain.length = 0.4;
  plain.shorthand = shorthand;
  plain.section.lengths["radius"] = {0.03, 0.01};
  plain.density = 1050.0, plain.young_modulus = 3e5, plain.damping_time = 0.07;
  plain.sections = sections;
  return plain;
}

TEST(RodTangentTest, AgreesWithAutomaticDifferentiationForEveryShorthand) {
  unsigned seed = 1;
  for (const std::string& shorthand : all_shorthands()) {
    for (const int sections : {1, 2, 7, 8, 10}) {
      Random random(++seed);
      expect_exact(*with_ports(plain_rod(shorthand, sections), random), seed,
                   shorthand + ", " + std::to_string(sections) + " sections");
    }
  }
}

TEST(RodTangentTest, AgreesWithAutomaticDifferentiationForEveryBasis) {
  unsigned seed = 50;
  for (const std::string& basis : all_bases()) {
    if (basis == "function") continue;  // for double only
    for (int i = 0; i < 3; ++i) {
      Random random(++seed);
      RandomRodOptions options;
      options.max_modes = 20;
      expect_exact(*with_ports(random_rod(random, options, basis), random), seed, basis);
    }
  }
}

TEST(RodTangentTest, AgreesWithDifferencesInLongDouble) {
  unsigned seed = 100;
  for (const std::string& basis : all_bases()) {
    if (basis == "function") continue;
    Random random(++seed);
    const auto rod = with_ports(random_rod(random, {}, basis), random);
    const auto wide = rod->clone_as(ScalarTag<long double>{});
    Numbers numbers(seed);
    const State<double> state = random_state(*rod, {}, numbers);
    const std::vector<PortLoad> loads = random_loads(rod->port_count(), 0.3, numbers);
    Findings findings;
    check_tangent(
        findings, evaluate_tangent<double>(*rod, state, loads), state,
        [&](const Direction& direction) { return wide_slope(*wide, state, direction, loads); }, 1e-11);
    for (const std::string& text : findings.texts()) ADD_FAILURE() << basis << ": " << text;
    // and the same computed in long double
    const auto narrow = evaluate_tangent<double>(*rod, state, loads);
    const auto found = evaluate_tangent<long double>(*wide, state.cast<long double>(), loads);
    const auto near = [](const auto& a, const auto& b) {
      EXPECT_LT((a.template cast<double>() - b).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + b.cwiseAbs().maxCoeff()));
    };
    near(found.force_by_q, narrow.force_by_q), near(found.force_by_v, narrow.force_by_v);
    near(found.mass, narrow.mass), near(found.base_by_q, narrow.base_by_q), near(found.turn, narrow.turn);
    for (int k = 0; k < rod->port_count(); ++k) near(found.second[k], narrow.second[k]);
  }
}

// The strain that makes steps turn by more than pi, where the Stumpff functions come from sine and cosine.
TEST(RodTangentTest, HoldsForLargeRotationsWithinAStep) {
  for (const char* shorthand : {"pcs", "pac"}) {
    Random random(3);
    const auto rod = with_ports(plain_rod(shorthand, 2), random);
    Numbers numbers(7);
    State<double> state = random_state(*rod, {}, numbers);
    state.q[0] = 9.0, state.q[1] = 4.0;
    const std::vector<PortLoad> loads = random_loads(rod->port_count(), 0.3, numbers);
    Findings findings;
    check_tangent(findings, evaluate_tangent<double>(*rod, state, loads), state, Automatic(*rod, state, loads), 1e-11);
    for (const std::string& text : findings.texts()) ADD_FAILURE() << shorthand << ": " << text;
  }
}

TEST(RodTangentTest, RodWithoutStrain) {
  PlainRod plain = plain_rod("", 4);
  plain.rest_strain[0] = {3.0, -2.0}, plain.rest_strain[2] = {1.0};
  Random random(4);
  expect_exact(*with_ports(plain, random), 4, "without strain");
}

TEST(RodTangentTest, OnlyRealNumbersHaveOne) {
  Random random(5);
  const auto rod = with_ports(plain_rod("pcc", 3), random);
  EXPECT_NE(rod->tangent(), nullptr);
  EXPECT_NE(rod->clone()->tangent(), nullptr);
  EXPECT_NE(rod->clone_as(ScalarTag<long double>{})->tangent(), nullptr);
  EXPECT_EQ(rod->clone_as(ScalarTag<ForwardDual>{})->tangent(), nullptr);
  EXPECT_FALSE(rod->damping_depends_on_shape());
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
