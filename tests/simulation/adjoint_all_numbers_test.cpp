// All numbers of a robot at once, backwards along a run against forward along it; the numbers of a few parts beside
// them in another order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Paths = std::vector<std::string>;

struct Case {
  const char* scenario;
  const char* method;
  double duration, step;
};

class AllNumbersOf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Robots, AllNumbersOf,
    testing::Values(Case{"pustina2025/hybrid_arm", "generalized_alpha", 0.1, 0.01},
                    Case{"pustina2025/hybrid_arm", "bdf", 0.01, 0.0}, Case{"examples/tendon_arm", "bdf", 0.01, 0.0},
                    Case{"jensen2022/arm", "midpoint", 0.1, 0.01}, Case{"examples/pcc_arm", "newmark", 0.1, 0.01},
                    Case{"examples/pcc_arm", "rk4", 4e-4, 1e-5}, Case{"examples/floating_rod", "hht", 0.1, 0.01}),
    [](const auto& given) {
      std::string name = std::string(given.param.scenario) + "_" + given.param.method;
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

TEST_P(AllNumbersOf, ARobotGoBackAsForward) {
  const Case& given = GetParam();
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/" + given.scenario + "_scenario.yaml");
  file.scenario.duration = file.scenario.output_step = given.duration;
  const bool chooses = given.step == 0.0;
  file.scenario.integrator = chooses ? test::adaptive(given.method, 1e-9) : test::fixed(given.method, given.step);
  const Model model(file.robot);
  Paths by;
  for (const ParameterInfo& info : model.parameters()) by.push_back(info.path);
  const std::vector<double> times{given.duration};
  const test::BothWays both = test::both_ways(model, file.scenario, times, by);
  test::expect_alike(both, by, 0.0, chooses ? 1e-5 : 1e-9);

  // each number is the same whatever is asked beside it
  Paths few;
  for (std::size_t k = by.size(); k-- > 0;) {
    if (k % 7 == 3) few.push_back(by[k]);
  }
  few.insert(few.begin() + 1, "gravity[2]");
  const MotionGradient alone = motion_adjoint(
      model, file.scenario, times,
      [&](double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v) {
        return test::some_term(model, time, q, v, by_q, by_v);
      },
      few);
  const auto size_of = [&](std::size_t k) {
    const double own = std::abs(both.found.parameters[k].value);
    return own > 0.0 ? own : 1.0;
  };
  double largest = 0.0;
  for (std::size_t k = 0; k < by.size(); ++k) {
    largest = std::max(largest, std::abs(both.found.by[static_cast<Eigen::Index>(k)]) * size_of(k));
  }
  for (std::size_t i = 0; i < few.size(); ++i) {
    const auto k = static_cast<std::size_t>(std::find(by.begin(), by.end(), few[i]) - by.begin());
    EXPECT_NEAR(alone.by[static_cast<Eigen::Index>(i)] * size_of(k),
                both.found.by[static_cast<Eigen::Index>(k)] * size_of(k), 1e-12 * largest)
        << few[i];
  }
}

// Where all numbers are given ends of tendons lie just where their rods end, and a length parts them from these.
TEST(AllNumbersGiven, OfARobotWithTendonsGoBackAsForward) {
  for (const char* scenario : {"examples/tendon_arm", "examples/servo_finger"}) {
    ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/" + scenario + "_scenario.yaml");
    file.scenario.duration = file.scenario.output_step = 0.1;
    file.scenario.integrator = test::fixed("generalized_alpha", 0.01);
    const Model plain(file.robot);
    std::vector<ParameterChange> all;
    Paths by;
    for (const ParameterInfo& info : plain.parameters()) {
      all.push_back({info.path, info.value}), by.push_back(info.path);
    }
    const Model given = plain.with(all);
    test::expect_alike(test::both_ways(given, file.scenario, {0.04, 0.1}, by), by, 0.0, 1e-9);
    Paths lengths;  // of which the ends are not asked for
    std::copy_if(by.begin(), by.end(), std::back_inserter(lengths),
                 [](const std::string& path) { return path.ends_with("body.length"); });
    ASSERT_FALSE(lengths.empty());
    test::expect_alike(test::both_ways(given, file.scenario, {0.04, 0.1}, lengths), lengths, 1e-8, 0.0);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
