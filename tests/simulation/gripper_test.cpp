// Simulation 2 of [P], models/pustina2025/simulation2: the gripper at the end of the hybrid arm opens with its
// pressure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.1, k_bore = 0.02, k_radius = 0.03, k_c1 = 22.2e6;

struct Simulated {
  ScenarioFile file;
  Outcome outcome;
  std::vector<Sample> samples;

  explicit Simulated(const Overrides& overrides)
      : file(load_scenario_file(test::k_source_dir + "/models/pustina2025/simulation2_scenario.yaml", overrides)) {
    MemoryRecorder memory;
    outcome = Simulator(Model(file.robot), file.scenario).run({&memory});
    samples = memory.samples();
  }
};
double stretch(const Sample& x) { return x.q[9]; }
double source(const Sample& x) { return x.q[10]; }

TEST(GripperTest, OpensWithItsPressureAndEnergyBalances) {
  const Simulated run({});
  EXPECT_LT(run.outcome.energy_error, 20e-6 * run.outcome.peak_kinetic);
  for (const Sample& x : run.samples) {
    // the bore's radius^2 is r^2 / (1 + e') + c, and c goes on growing beyond L: integrated over the stretched length
    const double volume =
        std::numbers::pi *
        (k_bore * k_bore * k_length + source(x) * std::pow(k_length + stretch(x), 3) / (3 * k_length * k_length));
    EXPECT_NEAR(x.y[3], volume, 1e-8 * volume) << x.time;
    EXPECT_EQ(x.u[3], x.time < 5.0 ? 0.0 : 2e6) << x.time;
    if (x.time < 5.0) {
      EXPECT_LT(std::abs(source(x)), 1e-8) << x.time;
    }
    if (x.time > 5.5) {
      EXPECT_GT(source(x), 4.5e-5) << x.time;  // 2.2 mm at the end's bore of 40 mm
    }
  }
  // the tendons bring the soft arm to the paper's configuration; it still swings a little
  const VectorXd arm = run.samples.back().q.segment(6, 3);
  EXPECT_LT((arm - Eigen::Vector3d(-std::numbers::pi / 2, std::numbers::pi / 4, -0.02)).norm(), 0.03);
}

TEST(GripperTest, ClosesWhenThePressureGoes) {
  const Simulated run({"simulation.duration=1.5", "simulation.inputs.pressure.time=0.8",
                       "simulation.inputs.pressure.before=2.0e6", "simulation.inputs.pressure.after=0"});
  double open = 0.0;
  for (const Sample& x : run.samples) open = std::max(open, source(x));
  EXPECT_GT(open, 5e-5);
  EXPECT_LT(std::abs(source(run.samples.back())), 1e-3 * open);
}

// Linear elasticity, stretch aside: radial and hoop strain -+ c / (2 r^2), shear c' / (2 r), energy density
// c1 (4 strain^2 + shear^2), c = q (z / L)^2; p pi L / 3 = dW/dq. The stretch that goes along changes q in second
// order.
TEST(GripperTest, SmallPressuresOpenItAsLinearElasticitySays) {
  const double pressure = 2e4, a = k_bore, b = k_radius, L = k_length;
  const Simulated run({"simulation.duration=1.5", "simulation.inputs.pressure.time=0.1", "robot.gravity=[0,0,0]",
                       "simulation.inputs.pressure.after=" + std::to_string(pressure)});
  const double strain = 2 * std::numbers::pi * L / 5 * (1 / (a * a) - 1 / (b * b)) / 2;
  const double shear = std::numbers::pi / 2 * std::log(b / a) * 4 / (3 * L);
  const double expected = pressure * std::numbers::pi * L / 3 / (2 * k_c1 * (strain + shear));
  EXPECT_NEAR(source(run.samples.back()), expected, 0.02 * expected);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
