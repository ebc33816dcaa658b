// The factor on the tolerances, from energies written down here.
#include "simulation/energy_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/error.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// Knows what it is told.
class ToldSystem final : public System {
 public:
  const Model& model() const override { return model_; }
  int auxiliary_count() const override { return 0; }
  void rates(double, VectorInT<double>, VectorInT<double>, VectorInT<double>, VectorOutT<double>,
             VectorOutT<double>) override {}
  std::optional<EnergyBalance> energy_balance(VectorInT<double>, VectorInT<double>, VectorInT<double>) override {
    if (throws) throw ArgumentError("no energy here");
    return balance;
  }

  std::optional<EnergyBalance> balance = EnergyBalance{2.0, 5.0, 0.0};
  bool throws = false;

 private:
  Model model_{test::pendulum()};
};

class EnergyControlTest : public testing::Test {
 protected:
  static constexpr double k_tolerance = 1e-6, k_allowed = 20 * k_tolerance * 2.0;  // of 2 J of kinetic energy

  void restart(double time) { control.restart(time, x, x, x); }
  double factor(double time) { return control.factor(time, 1.0, x, x, x); }
  /// From `from` to `to` in 1000 steps a unit of time, with errors per time of `pace` x factor. @return the last
  /// factor.
  double run(double from, double to, double pace) {
    double last = 1.0;
    for (int k = 1; k <= std::lround(1000 * (to - from)); ++k) {
      last = factor(from + 1e-3 * k);
      system.balance->energy += 1e-3 * pace * last;
    }
    return last;
  }

  ToldSystem system;
  EnergyControl control{system, k_tolerance};
  const VectorXd x;
};

// Left alone, the errors would come to 50 times what is allowed.
TEST_F(EnergyControlTest, ErrorsThatAddUpEndWithinThePromise) {
  restart(0.0);
  run(0.0, 1.0, 50 * k_allowed);
  const double error = system.balance->energy - 5.0;
  EXPECT_LT(error, k_allowed);
  EXPECT_GT(error, 0.2 * k_allowed);  // and no step is shorter than it must be
}

TEST_F(EnergyControlTest, SmallErrorsLeaveTheTolerances) {
  restart(0.0);
  EXPECT_LT(factor(1e-3), 1.0);  // nothing is known yet
  EXPECT_EQ(run(1e-3, 0.3, 0.1 * k_allowed), 1.0);
}

TEST_F(EnergyControlTest, ErrorsOfOneMomentAreForgiven) {
  restart(0.0);
  run(0.0, 0.1, 0.0);
  system.balance->energy += 0.3 * k_allowed;
  EXPECT_LT(run(0.1, 0.11, 0.0), 0.5);
  EXPECT_EQ(run(0.11, 0.5, 0.0), 1.0);
}

// In a run that is to last a million times as long as the motion, what the motion's errors were is no foretelling.
TEST_F(EnergyControlTest, MotionIsNotExpectedToLastForever) {
  restart(0.0);
  double least = 1.0, time = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    time = 1e-3 * k;
    const double now = control.factor(time, 1e6, x, x, x);
    least = std::min(least, now);
    system.balance->energy += 1e-3 * now * k_allowed;
  }
  EXPECT_LT(least, 0.1);    // it may last half a minute
  EXPECT_GT(least, 0.002);  // not a million times as long
  double last = least;
  while (last < 1.0 && time < 1e3) last = control.factor(time *= 1.01, 1e6, x, x, x);
  EXPECT_LT(time, 10.0);
}

// A step that fails gets looser tolerances until they are those given, and what failed is not tried again in this run.
TEST_F(EnergyControlTest, RelaxesForTheRestOfTheRun) {
  restart(0.0);
  const double least = run(0.0, 0.5, 1e9);
  ASSERT_LT(least, 0.001);
  EXPECT_TRUE(control.relax());
  EXPECT_DOUBLE_EQ(factor(0.5), 10 * least);
  EXPECT_GE(run(0.5, 0.6, 1e9), 10 * least);
  int times = 0;
  while (control.relax()) ++times;
  EXPECT_LT(times, 4);
  EXPECT_EQ(run(0.6, 0.7, 1e9), 1.0);
  restart(0.0);
  EXPECT_LT(run(0.0, 0.5, 1e9), 0.001);
}

// A jump of the state is no error; a new run owes nothing.
TEST_F(EnergyControlTest, RestartTakesTheStateAsItIs) {
  restart(0.0);
  run(0.0, 0.3, 0.0);
  system.balance = EnergyBalance{2.0, -40.0, 3.0};
  restart(0.3);
  EXPECT_EQ(run(0.3, 0.5, 0.0), 1.0);
  const double first = factor(0.0);
  EXPECT_EQ(first, 1.0);  // a time that was there before changes nothing
  restart(0.0);
  EXPECT_LT(factor(1e-3), 1.0);
}

// A robot that rests without any energy, one without known energies, one that fails or overflows.
TEST_F(EnergyControlTest, WorksWithoutEnergies) {
  system.balance = EnergyBalance{};
  restart(0.0);
  EXPECT_EQ(run(0.0, 0.5, 0.0), 1.0);
  system.throws = true;
  EXPECT_EQ(run(0.5, 0.6, 0.0), 1.0);
  system.throws = false;
  system.balance->energy = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run(0.6, 0.7, 0.0), 1.0);
  ToldSystem other;
  other.balance.reset();
  EnergyControl none(other, k_tolerance);
  none.restart(0.0, x, x, x);
  EXPECT_EQ(none.factor(0.5, 1.0, x, x, x), 1.0);
}

// Tolerances never fall below what double precision allows.
TEST_F(EnergyControlTest, FinestTolerancesStay) {
  EnergyControl fine(system, 1e-13);
  fine.restart(0.0, x, x, x);
  for (int k = 1; k <= 500; ++k) {
    system.balance->energy += 1e-3;
    EXPECT_EQ(fine.factor(1e-3 * k, 1.0, x, x, x), 1.0);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
