// What the energies of a robot say about a simulation: the change of energy is the work of damping, inputs and loads,
// which are integrated as states of their own; the momentum of a robot that nothing touches stays.
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/energy.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "simulation/simulation_robots.h"

namespace cuttle {
namespace {

Scenario scenario(const std::string& type, double tolerance, double duration) {
  Scenario s;
  s.duration = duration;
  s.output_step = 0.02;
  s.integrator.type = type;
  s.integrator.relative_tolerance = tolerance;
  s.integrator.absolute_tolerance = 1e-2 * tolerance;
  return s;
}

// |dE - W| <= 1e3 rtol max|E| over 10 s, falling with rtol, with damping, an input that jumps and loads at work.
TEST(EnergyBalanceTest, ChangeOfEnergyIsTheWorkDone) {
  const Model model(test::mixed_arm());
  for (const char* type : {"bdf", "erk"}) {
    double last = 1e300;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Scenario s = scenario(type, tolerance, 10.0);
      s.initial["arm"] = {{0.7}, {0.5}};
      s.initial["ball"] = {{0.5, 0.5, -0.5, 0.5}, {0.3, -0.2, 0.4}};
      s.inputs["motor"] = Signal::step(3.21, 0.3, -1.5);
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, s).run({&memory});
      ASSERT_EQ(outcome.status, RunStatus::complete);
      const Sample &first = memory.samples().front(), &end = memory.samples().back();
      // the work of each kind is large against what is allowed, so none could be forgotten
      for (const double work : {end.dissipated, end.input, end.load}) {
        EXPECT_GT(std::abs(work), 1e3 * outcome.energy_error) << type << " at " << tolerance;
      }
      double largest = 0.0, error = 0.0;
      for (const Sample& x : memory.samples()) {
        largest = std::max(largest, std::abs(x.energy()));
        error = std::max(error, std::abs(x.energy() - first.energy() - (x.input + x.load - x.dissipated)));
      }
      EXPECT_EQ(error, outcome.energy_error);
      EXPECT_EQ(largest, outcome.peak_energy);
      EXPECT_LT(error, 1e3 * tolerance * largest) << type << " at " << tolerance;
      EXPECT_LT(error, 0.2 * last) << type << " at " << tolerance;
      last = error;
    }
  }
}

// A fixed step says the same: the balance error falls with its order.
TEST(EnergyBalanceTest, FixedStepsBalanceWithTheirOrder) {
  const Model model(test::mixed_arm());
  for (const auto& [type, least_order] : {std::pair("rk4", 3.5), std::pair("tsit5", 4.5)}) {
    double last = 0.0;
    for (const double step : {2e-3, 1e-3, 5e-4}) {
      Scenario s = scenario("", 0, 1.0);
      s.integrator = {};
      s.integrator.type = type;
      s.integrator.step = step;
      s.initial["arm"] = {{0.7}, {0.5}};
      s.inputs["motor"] = Signal::step(0.5, 0.3, -0.5);
      const double error = Simulator(model, s).run({}).energy_error;
      if (last > 0.0) {
        EXPECT_GT(std::log2(last / error), least_order) << type << ", step " << step << ", error " << error;
      }
      last = error;
    }
  }
}

// Undamped and untouched: energy stays. Damping only takes: dissipated grows from sample to sample.
TEST(EnergyBalanceTest, DampingOnlyTakes) {
  for (const double damping : {0.0, 0.05}) {
    const Model model(test::floating_hub(damping));
    Scenario s = scenario("erk", 1e-8, 2.0);
    s.initial["rod1"] = {{0.5, -0.3, 0.01}, {}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_LT(outcome.energy_error, 1e-6 * outcome.peak_energy);
    double last = 0.0;
    for (const Sample& sample : memory.samples()) {
      EXPECT_GE(sample.dissipated, last);
      EXPECT_EQ(sample.input, 0.0);
      EXPECT_EQ(sample.load, 0.0);
      last = sample.dissipated;
    }
    EXPECT_EQ(last > 0.0, damping > 0.0);
  }
}

// Momentum about the world's origin of a floating robot without gravity, internal damping or not.
TEST(MomentumTest, FloatingRobotKeepsIt) {
  const Model model(test::floating_hub(0.05));
  Data data(model);
  for (const char* type : {"bdf", "erk", "rk4"}) {
    double last = 1e300;
    for (const double tolerance : {1e-5, 1e-7}) {
      Scenario s = scenario(type, tolerance, 3.0);
      if (s.integrator.type == "rk4") {
        s.integrator = {};
        s.integrator.type = type;
        s.integrator.step = tolerance == 1e-5 ? 1e-3 : 5e-4;
      }
      s.initial["base"] = {{0.1, 0.2, -0.3, 0.5, -0.5, 0.5, 0.5}, {0.9, -0.6, 0.7, 0.2, 0.1, -0.3}};
      s.initial["rod1"] = {{0.5, -0.3, 0.01}, {1.0, 2.0, 0.0}};
      MemoryRecorder memory;
      Simulator(model, s).run({&memory});
      const auto momentum_of = [&](const Sample& x) { return to_eigen(momentum<double>(model, data, x.q, x.v)); };
      const auto start = momentum_of(memory.samples().front());
      double error = 0.0;
      for (const Sample& sample : memory.samples()) error = std::max(error, (momentum_of(sample) - start).norm());
      error /= start.norm();
      EXPECT_LT(error, s.integrator.step ? 1e-6 : 1e3 * tolerance) << type;
      EXPECT_LT(error, 0.3 * last) << type;
      last = error;
    }
  }
}

}  // namespace
}  // namespace cuttle
