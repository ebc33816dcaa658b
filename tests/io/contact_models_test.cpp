// What the shipped robots of models/contact claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuttle/io/result_columns.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

struct Ran {
  ScenarioFile file;
  std::vector<Sample> samples;
  /// A quantity of a contact, one number a row.
  std::vector<double> contact(const std::string& name, const std::string& quantity) const {
    Eigen::Index first = 0;
    for (const RecordedContact& recorded : recorded_contacts(Model(file.robot))) {
      if (recorded.contact == name && recorded.quantity == quantity) break;
      first += static_cast<Eigen::Index>(recorded.columns.size());
    }
    std::vector<double> values;
    for (const Sample& sample : samples) values.push_back(sample.contacts[first]);
    return values;
  }
  double mass() const {
    double mass = 0.0;
    for (const auto& link : Model(file.robot).links()) mass += link.rest_inertia.mass;
    return mass;
  }
  double energy_error() const {
    double error = 0.0;
    for (const Sample& s : samples) {
      error = std::max(error, std::abs(s.energy() - samples.front().energy() - s.input - s.load + s.dissipated));
    }
    return error;
  }
};
Ran run_model(const std::string& name, const Overrides& overrides = {}) {
  Ran ran{load_scenario_file(test::k_source_dir + "/models/contact/" + name + "_scenario.yaml", overrides), {}};
  const Model model(ran.file.robot);
  MemoryRecorder memory;
  EXPECT_EQ(Simulator(model, ran.file.scenario).run({&memory}).status, RunStatus::complete);
  ran.samples = memory.samples();
  return ran;
}

TEST(FallingRod, BouncesAndComesToRest) {
  const Ran ran = run_model("falling_rod");
  const std::vector<double> gap = ran.contact("floor", "gap"), normal = ran.contact("floor", "normal");
  const auto touched = std::find_if(gap.begin(), gap.end(), [](double x) { return x < 0.0; });
  ASSERT_NE(touched, gap.end());
  EXPECT_NE(std::find_if(touched, gap.end(), [](double x) { return x > 1e-4; }), gap.end());
  double kinetic = 0.0;
  for (const Sample& s : ran.samples) kinetic = std::max(kinetic, s.kinetic);
  EXPECT_LT(ran.samples.back().kinetic, 1e-6 * kinetic);
  // the ground carries all of it
  EXPECT_NEAR(normal.back(), 9.81 * ran.mass(), 2e-3 * 9.81 * ran.mass());
  EXPECT_LT(ran.energy_error(), 1e-3 * kinetic);
  for (const double x : gap) EXPECT_GT(x, -0.001);  // of a radius of 5 mm
}

/// Where the snake's head, its tip, looks to from above.
double heading(const Sample& sample) {
  const Vector3 forward = sample.tips.back().rotation * Vector3{0, 0, 1};
  return std::atan2(forward.y, forward.x);
}

TEST(Snake, CrawlsAndTurnsToTheSideThatItIsBentTo) {
  const Ran ran = run_model("snake");
  const std::string other = "simulation.inputs.muscles.0={type: cubic, start: 3, end: 3.5, from: 0, to: -3.0e-4}";
  const Ran mirrored = run_model("snake", {other});
  const auto row = [&](double t) { return static_cast<std::size_t>(std::lround(t / 0.02)); };
  const auto place = [](const Sample& s) { return s.tips.back().position; };
  const double length = 0.35;
  // whole waves, between which it has the same shape
  EXPECT_GT((place(ran.samples[row(3.0)]) - place(ran.samples[row(1.0)])).x, 0.05 * length);
  const double turn = heading(ran.samples[row(6.0)]) - heading(ran.samples[row(4.0)]);
  const double other_turn = heading(mirrored.samples[row(6.0)]) - heading(mirrored.samples[row(4.0)]);
  EXPECT_GT(std::abs(turn), 0.1);
  EXPECT_LT(turn * other_turn, 0.0);
  // it stays on the ground, which carries it
  const std::vector<double> normal = ran.contact("belly", "normal");
  EXPECT_NEAR(normal.back(), 9.81 * ran.mass(), 1e-2 * 9.81 * ran.mass());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
