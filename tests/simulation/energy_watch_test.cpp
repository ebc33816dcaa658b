// What is said of a run whose energies do not balance: nothing, a warning, or that it has failed, and which rows it
// keeps.
#include "simulation/energy_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Sample sample_of(double kinetic, double gravity, double elastic = 0.0) {
  Sample sample;
  sample.q.setZero(1), sample.v.setZero(1);
  sample.kinetic = kinetic, sample.gravity = gravity, sample.elastic = elastic;
  return sample;
}

TEST(EnergyWatchTest, EnergyThatCameFromSomewhereIsNoProblem) {
  EnergyWatch watch(true);
  EXPECT_EQ(watch.problem(sample_of(0.0, 0.0)), "");
  EXPECT_EQ(watch.problem(sample_of(50.0, -50.0)), "");       // fallen
  EXPECT_EQ(watch.problem(sample_of(0.0, -50.0, 50.0)), "");  // caught by a spring
  EXPECT_EQ(watch.problem(sample_of(50.0, -100.0, 50.0)), "");
  Sample driven = sample_of(1e6, -100.0, 50.0);
  driven.input = 1e6 - 50.0;
  EXPECT_EQ(watch.problem(driven), "");
  Sample braked = sample_of(0.0, -100.0, 50.0);
  braked.input = 1e6, braked.dissipated = 1e6 + 50.0;
  EXPECT_EQ(watch.problem(braked), "");
  Sample returned = sample_of(5e5, -100.0, 50.0);  // work of a load that was taken before
  returned.input = 1e6, returned.dissipated = 1e6 + 50.0, returned.load = 5e5;
  EXPECT_EQ(watch.problem(returned), "");
}

TEST(EnergyWatchTest, TenTimesWhatCameInIsSenseless) {
  EnergyWatch watch(true);
  EXPECT_EQ(watch.problem(sample_of(1.0, 0.0)), "");
  EXPECT_EQ(watch.problem(sample_of(10.9, 0.0)), "");
  EXPECT_THAT(watch.problem(sample_of(11.1, 0.0)), HasSubstr("10.1 J from nowhere, more than 10 times the 1 J"));
  Sample wasted = sample_of(1.0, 0.0);  // damping can take no more either
  wasted.dissipated = 11.0;
  EXPECT_THAT(watch.problem(wasted), HasSubstr("11 J from nowhere"));
  EXPECT_EQ(EnergyWatch(false).problem(sample_of(1e6, 0.0)), "");
}

// At rest nothing comes in, and rounding is all there is.
TEST(EnergyWatchTest, RoundingAtRestIsNoProblem) {
  EnergyWatch weightless(true);
  EXPECT_EQ(weightless.problem(sample_of(0.0, 0.0)), "");
  EXPECT_EQ(weightless.problem(sample_of(1e-25, 0.0, 1e-20)), "");
  EnergyWatch heavy(true);
  EXPECT_EQ(heavy.problem(sample_of(0.0, -1e6)), "");
  EXPECT_EQ(heavy.problem(sample_of(1e-9, -1e6 + 1e-6)), "");
  EXPECT_NE(heavy.problem(sample_of(2.0, -1e6)), "");
}

TEST(EnergyWatchTest, NumbersThatAreNotFiniteMakeNoSense) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool balances : {true, false}) {
    EnergyWatch watch(balances);
    EXPECT_EQ(watch.problem(sample_of(1.0, 0.0)), "");
    EXPECT_NE(watch.problem(sample_of(infinity, 0.0)), "");
    Sample far = sample_of(1.0, 0.0);
    far.q[0] = std::nan("");
    EXPECT_NE(watch.problem(far), "");
  }
}

class Rows final : public Recorder {
 public:
  std::vector<Sample> samples;
  Outcome outcome;
  void begin(const Model&, const Scenario&) override { samples.clear(); }
  void record(const Sample& sample) override { samples.push_back(sample); }
  void finish(const Outcome& found) override { outcome = found; }
};

/// The arm swings from an angle [rad] in steps of rk4, each of them an output.
Scenario swing(double duration, double step, double angle) {
  Scenario s;
  s.duration = duration, s.output_step = step;
  s.integrator.type = "rk4", s.integrator.step = step;
  s.initial["arm"].q = {angle};
  return s;
}
/// Steps that are too long for the rods of an arm.
Scenario unstable() { return swing(5.0, 0.02, 1.0); }

TEST(DivergedRunTest, KeepsNoRowThatMakesNoSense) {
  const Model model(test::mixed_arm());
  Rows rows;
  try {
    Simulator(model, unstable()).run({&rows});
    FAIL() << "the step is not too long";
  } catch (const SimulationError& error) {
    EXPECT_EQ(rows.outcome.message, error.what());
  }
  EXPECT_EQ(rows.outcome.status, RunStatus::failed);
  ASSERT_FALSE(rows.samples.empty());
  EXPECT_EQ(rows.outcome.time, rows.samples.back().time);
  EXPECT_EQ(rows.outcome.last.v, rows.samples.back().v);
  const Sample& first = rows.samples.front();
  double fallen = 0.0;
  for (const Sample& sample : rows.samples) {
    fallen = std::max(fallen, first.gravity - sample.gravity);
    EXPECT_LT(sample.kinetic, 12.0 * (first.kinetic + first.elastic + fallen) + 1e-3) << sample.time;
  }
}

// A pendulum that swings through long steps gains or loses more than its kinetic energy allows.
Scenario coarse() { return swing(20.0, 0.4, 1.5); }

TEST(EnergyErrorTest, BeyondTheLimitWarnsAndStrictFails) {
  const Model model(test::pendulum());
  Rows rows;
  Scenario s = coarse();
  const Outcome outcome = Simulator(model, s).run({&rows});
  const double part = outcome.energy_error / outcome.peak_kinetic;
  ASSERT_GT(part, 0.1);
  EXPECT_EQ(outcome.status, RunStatus::complete);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_THAT(outcome.warnings[0], HasSubstr("% of the peak kinetic energy"));
  EXPECT_THAT(outcome.warnings[0], HasSubstr("energy_error_limit = 10 %"));
  EXPECT_EQ(rows.outcome.warnings, outcome.warnings);
  const std::size_t all = rows.samples.size();

  s.energy_error_limit = 1.01 * part;
  EXPECT_THAT(Simulator(model, s).run({&rows}).warnings, IsEmpty());
  s.strict = true;
  EXPECT_EQ(Simulator(model, s).run({&rows}).status, RunStatus::complete);

  s.energy_error_limit = 0.99 * part;
  try {
    Simulator(model, s).run({&rows});
    FAIL() << "strict is not";
  } catch (const SimulationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the energy balance is off by"));
  }
  EXPECT_EQ(rows.outcome.status, RunStatus::failed);
  EXPECT_EQ(rows.samples.size(), all);
}

// What moves by rounding alone has no kinetic energy worth comparing with.
TEST(EnergyErrorTest, RoundingIsNoReasonToWarn) {
  Scenario scenario;
  Outcome outcome;
  outcome.peak_kinetic = 1e-16, outcome.peak_energy = 10.0, outcome.energy_error = 1e-13;
  EXPECT_FALSE(judge_energy(scenario, outcome));
  outcome.energy_error = 1e-11;
  EXPECT_TRUE(judge_energy(scenario, outcome));
}

TEST(EnergyErrorTest, RefusesLimitsThatAreNone) {
  const Model model(test::pendulum());
  Scenario s = coarse();
  s.energy_error_limit = 0.0;
  EXPECT_THROW(Simulator(model, s), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
