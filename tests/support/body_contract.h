#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "body_contract/comparison.h"
#include "body_contract/consistency.h"
#include "body_contract/dynamics.h"
#include "body_contract/elasticity.h"
#include "body_contract/elimination.h"
#include "body_contract/evaluation.h"
#include "body_contract/kinematics.h"
#include "body_contract/options.h"
#include "body_contract/state.h"
#include "cuttle/bodies/body.h"
#include "cuttle/spatial/eigen.h"

/// The contract of a body, for any class derived from Body:
/// @code
/// TEST(MyBodyTest, KeepsTheContract) { cuttle::test::expect_body_contract(MyBody(..), "my body"); }
/// @endcode
/// Every statement of cuttle/bodies/body.h is checked from outside, against differences of what the body itself says
/// about poses, energies and momenta. Needs GoogleTest and Eigen, and nothing else of Cuttle's tests;
/// the parts in body_contract/ are found beside this header, wherever both lie.
namespace cuttle::test {

namespace contract {

inline void expect_description(const Body& body) {
  EXPECT_FALSE(body.type_name().empty());
  ASSERT_GE(body.coordinate_count(), 0);
  ASSERT_GE(body.port_count(), 1) << "port 0 is the tip";
  const auto info = body.coordinates();
  ASSERT_EQ(static_cast<int>(info.size()), body.coordinate_count());
  for (std::size_t i = 0; i < info.size(); ++i) {
    EXPECT_FALSE(info[i].name.empty());
    EXPECT_TRUE(info[i].unit == "rad" || info[i].unit == "m") << info[i].name << ": unit " << info[i].unit;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(info[i].name, info[j].name);
  }
}

}  // namespace contract

/// Checks everything that a body promises, at random states of a fixed seed, which every failure prints.
inline void expect_body_contract(const Body& body, const std::string& name, const BodyContractOptions& options = {}) {
  using namespace contract;
  SCOPED_TRACE(name + ", seed " + std::to_string(options.seed));
  ASSERT_NO_FATAL_FAILURE(expect_description(body));
  Numbers numbers(options.seed);

  State<double> zero;
  zero.q = zero.v = zero.a = Vector<double>::Zero(body.coordinate_count());
  const Matrix<double> rest = to_eigen(ArticulatedInertia::from(body.rest_inertia()));
  expect_near(evaluate(body, zero).whole().topLeftCorner(6, 6).eval(), rest,
              100 * std::numeric_limits<double>::epsilon(), size_of(rest), "rest inertia");

  for (int sample = 0; sample < options.samples; ++sample) {
    SCOPED_TRACE("sample " + std::to_string(sample));
    const State<double> state = random_state(body, options, numbers), other = random_state(body, options, numbers);
    expect_exact_motions(body, state, options);
    expect_blocks(body, state, numbers);
    expect_lagrange(body, state, options);
    expect_elasticity(body, state, options, numbers);
    expect_elimination(body, state, numbers, true);
    expect_elimination(body, state, numbers, false);
    expect_no_memory(body, state, other, numbers);
    expect_same_in_long_double(body, state, numbers);
  }
}

}  // namespace cuttle::test
