// Controlled robots that are shipped, beside those of [P]: each run does what its scenario says, and without its law
// not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

std::vector<Sample> run_of(const std::string& scenario, const Overrides& overrides = {}) {
  const ScenarioFile file =
      load_scenario_file(fmt::format("{}/models/{}_scenario.yaml", test::k_source_dir, scenario), overrides);
  const Model model(file.robot);
  MemoryRecorder recorder;
  const Outcome outcome = Simulator(model, file.scenario).run({&recorder});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  EXPECT_TRUE(outcome.warnings.empty() || !overrides.empty()) << outcome.warnings.front();
  return recorder.samples();
}

const Overrides k_without_law{"simulation.controllers=[]"};

TEST(DroneWithArm, HoldsItsPlaceWhileTheArmReaches) {
  const auto farthest = [](const std::vector<Sample>& samples, double until) {
    double most = 0.0;
    for (const Sample& x : samples) {
      if (x.time <= until) most = std::max(most, norm(x.tips[0].position));
    }
    return most;
  };
  const std::vector<Sample> held = run_of("examples/drone_arm"), free = run_of("examples/drone_arm", k_without_law);
  EXPECT_LT(farthest(held, 6.0), 1e-3);
  EXPECT_GT(farthest(free, 2.0), 0.5);
  // the drone hardly turns, and the hand has been at two places
  for (const Sample& x : held) {
    const Matrix3& R = x.tips[0].rotation;
    const double turned = std::acos(std::min(1.0, 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1.0)));
    EXPECT_LT(turned * 180.0 / M_PI, 0.2) << x.time;
  }
  const Vector3 first = held[145].tips[2].position, second = held.back().tips[2].position;
  EXPECT_NEAR(first.x, 0.15, 0.006);
  EXPECT_NEAR(second.y, -0.15, 0.006);
  // what it took: the torque of what hangs aside, 0.36 kg
  EXPECT_GT(std::abs(held[145].u[1]), 0.1);
}

TEST(ParallelRobot, TracksAPathThroughItsLoop) {
  const std::vector<Sample> samples = run_of("boyer2023/parallel_robot_path");
  const double turn = 2.0 * M_PI * 0.25;
  double trails = 0.0;
  for (const Sample& x : samples) {
    const Vector3 wanted{0.8 + 0.03 * std::sin(turn * x.time), 0.03 - 0.03 * std::cos(turn * x.time), 0.0};
    EXPECT_LT(norm(x.tips[0].position - wanted), 3e-3) << x.time;  // of a circle of 30 mm
    EXPECT_LT(norm(x.tips[0].position - x.tips[1].position), 1e-9) << x.time;
    trails = std::max(trails, norm(x.tips[0].position - wanted));
  }
  EXPECT_GT(trails, 1e-4) << "it is no path by definition: what the legs bend is seen";
  // with the torques of its first equilibrium alone it stays there
  const std::vector<Sample> without = run_of("boyer2023/parallel_robot_path", k_without_law);
  for (const Sample& x : without) EXPECT_LT(norm(x.tips[0].position - Vector3{0.8, 0.0, 0.0}), 1e-4) << x.time;
}

TEST(Swimmer, KeepsItsHeading) {
  // mean of a beat of the tail, 20 samples, about the world's z, which is y of the base
  const auto heading = [](const std::vector<Sample>& samples, double time) {
    const auto last = static_cast<std::size_t>(std::lround(time / 0.02));
    double sum = 0.0;
    for (std::size_t i = last - 19; i <= last; ++i) sum += 2.0 * std::atan2(samples[i].q[5], samples[i].q[3]) / 20.0;
    return sum * 180.0 / M_PI;
  };
  const std::vector<Sample> held = run_of("boyer2023/swimmer_heading"),
                            free = run_of("boyer2023/swimmer_heading", k_without_law);
  for (double t = 0.5; t < 15.001; t += 0.1) EXPECT_LT(std::abs(heading(held, t)), 2.0) << t;
  for (double t = 7.0; t < 15.001; t += 0.1) EXPECT_LT(std::abs(heading(held, t)), 0.1) << t;
  EXPECT_LT(heading(free, 10.0), -20.0);
  EXPECT_NEAR(heading(free, 15.0), -39.6, 1.0);
  EXPECT_GT(held.back().tips[0].position.x, 8.0);  // and it swims
  EXPECT_LT(std::abs(held.back().tips[0].position.y), 0.1);
  EXPECT_LT(free.back().tips[0].position.y, -2.0);
  for (const Sample& x : held) EXPECT_GE(x.u.minCoeff(), -1e-12) << x.time;  // tendons pull
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
