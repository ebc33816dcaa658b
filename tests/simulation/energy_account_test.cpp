// The balance of energy, by samples that are written down here.

#include "cuttle/simulation/energy_account.h"

#include <gtest/gtest.h>

namespace cuttle::test::CUTTLE_FILE {
namespace {

Sample sample_of(double kinetic, double dissipated, std::initializer_list<double> multipliers,
                 std::initializer_list<double> residuals) {
  Sample sample;
  sample.kinetic = kinetic, sample.gravity = -2.0, sample.dissipated = dissipated;
  sample.multipliers = VectorXd::Map(multipliers.begin(), static_cast<Eigen::Index>(multipliers.size()));
  sample.loop_residual = VectorXd::Map(residuals.begin(), static_cast<Eigen::Index>(residuals.size()));
  return sample;
}

// 5 J go into 4.5 J and 0.4 J of heat.
TEST(EnergyAccount, CountsFromTheFirstSample) {
  EnergyAccount account;
  Outcome outcome;
  account.add(sample_of(5.0, 0.0, {}, {}), outcome);
  EXPECT_EQ(outcome.energy_error, 0.0);
  account.add(sample_of(4.5, 0.4, {}, {}), outcome);
  EXPECT_NEAR(outcome.energy_error, 0.1, 1e-15);
  EXPECT_EQ(outcome.peak_kinetic, 5.0);
}

// A row that is taken up while it is open by 1e-5 m stays so: 100 N do no work there, but 1e-4 J when it goes on
// opening by 1e-6 m.
TEST(EnergyAccount, WhatARowIsOpenByWhenItIsTakenUpIsWorthNothing) {
  EnergyAccount account;
  Outcome outcome;
  account.add(sample_of(1.0, 0.0, {3.0, 0.0}, {0.0, 0.0}), outcome);
  account.add(sample_of(1.0, 0.0, {3.0, 0.0}, {0.0, 4e-6}), outcome);
  account.add(sample_of(1.0, 0.0, {3.0, -100.0}, {0.0, 1e-5}), outcome);
  EXPECT_EQ(outcome.loop_energy, 0.0);
  account.add(sample_of(1.0, 0.0, {3.0, -100.0}, {1e-5, 1.1e-5}), outcome);
  EXPECT_NEAR(outcome.loop_energy, 3.0 * 1e-5 + 100.0 * 1e-6, 1e-12);
}

// The middle of a step that is not there yet has no multipliers.
TEST(EnergyAccount, MultipliersMayBeUnknown) {
  EnergyAccount account;
  Outcome outcome;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  account.add(sample_of(1.0, 0.0, {unknown}, {0.0}), outcome);
  account.add(sample_of(1.0, 0.0, {2.0}, {0.0}), outcome);
  account.add(sample_of(1.0, 0.0, {2.0}, {1e-7}), outcome);
  EXPECT_NEAR(outcome.loop_energy, 2e-7, 1e-20);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
