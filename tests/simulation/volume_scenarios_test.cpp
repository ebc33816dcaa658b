// The volumes of models/examples: their energies balance, and they come to rest where their weight leaves them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

struct Simulated {
  Outcome outcome;
  std::vector<Sample> samples;
};
Simulated simulate(const std::string& name, const Overrides& overrides) {
  const ScenarioFile file =
      load_scenario_file(test::k_source_dir + "/models/examples/" + name + "_scenario.yaml", overrides);
  MemoryRecorder memory;
  Simulated run;
  run.outcome = Simulator(Model(file.robot), file.scenario).run({&memory});
  run.samples = memory.samples();
  return run;
}

// As docs/accuracy.md promises for every robot: 20 rtol of the peak kinetic energy, rtol = 1e-6.
TEST(VolumeScenariosTest, EnergyBalances) {
  for (const char* name : {"lvp_finger", "ritz_block", "neural_arm", "fem_beam", "fem_finger"}) {
    const Simulated run = simulate(name, {"simulation.duration=0.4"});
    EXPECT_LT(run.outcome.energy_error, 20e-6 * run.outcome.peak_kinetic) << name;
    // damping is at play: a balance that forgot it would be seen
    EXPECT_GT(std::abs(run.samples.back().dissipated), 1e-3 * run.outcome.peak_kinetic) << name;
  }
}

TEST(VolumeScenariosTest, EnergyStaysWithoutDamping) {
  const Simulated run = simulate("lvp_finger", {"simulation.duration=0.3", "robot.materials.rubber.damping_time=0"});
  EXPECT_EQ(run.samples.back().dissipated, 0.0);
  EXPECT_LT(std::abs(run.samples.back().energy() - run.samples.front().energy()), 20e-6 * run.outcome.peak_kinetic);
}

// A bar of axial modulus M under its weight sinks by rho g L^2 / (2 M) in a uniform strain: M = lambda + 2 mu if it
// cannot widen, Young's modulus if it may. The block's sides are free but for its foot.
TEST(VolumeScenariosTest, TheBlockComesToRestUnderItsWeight) {
  const Simulated run = simulate("ritz_block", {"simulation.duration=3"});
  const Sample& last = run.samples.back();
  EXPECT_LT(last.kinetic, 1e-9);
  const double L = 0.15, pressure = 300 * 9.81 * L / 2.0, mu = 2 * 1e4, lambda = 3e4;
  const double held = lambda + 2 * mu, free = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  const double sunk = L - last.tips[0].position.z;
  EXPECT_GT(sunk, L * pressure / held);
  EXPECT_LT(sunk, 1.02 * L * pressure / free);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
