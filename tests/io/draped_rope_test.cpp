// What models/contact/draped_rope.yaml claims: it falls across the bar, swings and hangs over it at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/contact_run.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(DrapedRope, HangsOverTheBarAtRest) {
  const ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/contact/draped_rope_scenario.yaml");
  const Model model(file.robot);
  MemoryRecorder memory;
  ASSERT_EQ(Simulator(model, file.scenario).run({&memory}).status, RunStatus::complete);
  const std::vector<Sample>& samples = memory.samples();
  double kinetic = 0.0, error = 0.0;
  for (const Sample& s : samples) {
    kinetic = std::max(kinetic, s.kinetic);
    error = std::max(error, std::abs(s.energy() - samples.front().energy() + s.dissipated));
  }
  const double weight = 9.81 * model.links()[1].rest_inertia.mass;
  double carried = 0.0;  // mean of the last half second: the bar, stiff as it is, swings a little
  const std::size_t last = samples.size() - 1, first = last - 50;
  for (std::size_t i = first + 1; i <= last; ++i)
    carried += test::contact_number(model, samples[i], "drape", "normal") / 50.0;
  EXPECT_NEAR(carried, weight, 0.05 * weight);
  EXPECT_LT(samples.back().kinetic, 1e-2 * kinetic);
  EXPECT_LT(error, 2e-3 * samples.front().energy());
  // both ends hang below the bar, which is at 0.2 m; the base began at 0.215 m, with its y axis up
  EXPECT_LT(samples.back().tips[1].position.z, 0.16);
  EXPECT_LT(0.215 + samples.back().q[5], 0.16);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
