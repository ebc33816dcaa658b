// Numbers of robots on which more acts than actuators: laws of elements and actuators, contacts, fluids, loops and
// controllers. Backwards they go along the tree, and through what acts alone; forward through the whole equation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
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
  double step;               ///< 0: it chooses them
  int every = 1;             ///< how many of the numbers are left out between two
  double tolerance = 1e-9;   ///< of the largest derivative; controllers have differences
  const char* of = nullptr;  ///< only numbers whose path holds one of these words, separated by spaces
};

bool holds_any(const std::string& path, std::string words) {
  for (std::size_t end; !words.empty(); words.erase(0, end == words.npos ? end : end + 1)) {
    end = words.find(' ');
    if (path.find(words.substr(0, end)) != path.npos) return true;
  }
  return false;
}

/// Products of inertia of a point mass exist at zero alone: copies of controllers have nowhere to stand.
bool is_free(const Model& model, const ParameterInfo& info) {
  for (const double side : {1.0, -1.0}) {
    try {
      model.with(info.path, info.value + side * 1e-10 * (info.value != 0.0 ? std::abs(info.value) : 1.0));
      return true;
    } catch (const Error&) {
    }
  }
  return false;
}

class NumbersWhereOf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    More, NumbersWhereOf,
    testing::Values(
        Case{"examples/servo_finger", "generalized_alpha", 4e-3}, Case{"examples/servo_finger", "rk4", 1e-5},
        Case{"examples/servo_finger", "midpoint", 4e-3, 3}, Case{"examples/spring_leg", "newmark", 4e-3},
        Case{"examples/spring_leg", "hht", 4e-3, 3}, Case{"examples/drone_arm", "generalized_alpha", 4e-3, 4},
        Case{"contact/gripper", "generalized_alpha", 2e-3, 5}, Case{"boyer2023/swimmer", "generalized_alpha", 4e-3, 11},
        Case{"examples/twisted_rod", "midpoint", 4e-3, 1, 1e-9, "radius modulus density damping torsion matrix"},
        Case{"boyer2023/parallel_robot_path", "generalized_alpha", 4e-3, 1, 1e-8,
             "young_modulus density damping .mass"},
        Case{"boyer2023/parallel_robot_path", "midpoint", 4e-3, 2, 1e-8, "young_modulus density .mass"},
        Case{"jensen2022/arm_valves", "generalized_alpha", 4e-3, 5},
        Case{"pustina2025/simulation2_controlled", "generalized_alpha", 4e-3, 9, 1e-8},
        Case{"caasenbrood2021/hyperelastic_arm", "newmark", 4e-3, 2, 1e-8},
        Case{"pustina2025/simulation2_controlled", "bdf", 0.0, 9, 1e-5}),
    [](const auto& given) {
      std::string name = std::string(given.param.scenario) + "_" + given.param.method;
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

TEST_P(NumbersWhereOf, ActsGoBackAsForward) {
  const Case& given = GetParam();
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/" + given.scenario + "_scenario.yaml");
  const bool chooses = given.step == 0.0;
  const double T = file.scenario.duration = file.scenario.output_step = chooses ? 0.01 : 10 * given.step;
  file.scenario.integrator = chooses ? test::adaptive(given.method, 1e-9) : test::fixed(given.method, given.step);
  const Model model(file.robot);
  Paths by;
  int next = 0;
  for (const ParameterInfo& info : model.parameters()) {
    if (given.of != nullptr && !holds_any(info.path, given.of)) continue;
    if (next++ % given.every == 0 && is_free(model, info)) by.push_back(info.path);
  }
  for (const NamedController& controller : file.scenario.controllers) {
    const auto numbers = controller.controller->numbers();
    if (!numbers.empty()) by.push_back("simulation.controllers." + controller.name + "." + numbers.front().key);
  }
  ASSERT_GT(by.size(), 2u);
  test::expect_alike(test::both_ways(model, file.scenario, {0.5 * T, T}, by), by, 0.0, given.tolerance);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
