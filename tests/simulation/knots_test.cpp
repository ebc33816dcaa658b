// Inputs of many knots: methods with error control end a step at each, and go on with their past.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::adaptive;
using Paths = std::vector<std::string>;

ScenarioFile tendon_arm(double duration) {
  ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/tendon_arm_scenario.yaml");
  file.scenario.duration = file.scenario.output_step = duration;
  file.scenario.inputs.clear(), file.scenario.initial.clear();
  return file;
}

/// A signal of knots up to a time. @param jag  by how much values are off a sine, up and down.
Signal sampled(int count, double until, double jag) {
  std::vector<double> times, values;
  for (int k = 0; k < count; ++k) {
    times.push_back(until * k / (count - 1));
    values.push_back(1.5 + 0.5 * std::sin(5.0 * times.back()) + jag * test::number_at(k, 0.0));
  }
  return Signal::points(std::move(times), std::move(values));
}
Signal jagged(int count, double until) { return sampled(count, until, 0.3); }

struct End {
  Sample sample;
  Outcome outcome;
};
End end_of(const ScenarioFile& file) {
  MemoryRecorder memory;
  const Outcome outcome = Simulator(Model(file.robot), file.scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete);
  return {memory.samples().back(), outcome};
}

TEST(Knots, LeadToTheSameEndAsShortSteps) {
  ScenarioFile file = tendon_arm(0.3);
  for (const int count : {2, 17, 300}) {
    file.scenario.inputs["right"] = jagged(count, 0.3);
    file.scenario.inputs["left"] = Signal::step(0.1, 0.5, 1.5);  // at a knot or between two: integration begins anew
    file.scenario.integrator = {.type = "tsit5", .step = 1e-4};
    const End reference = end_of(file);
    for (const char* type : {"bdf", "erk"}) {
      SCOPED_TRACE(std::string(type) + ", " + std::to_string(count) + " knots");
      file.scenario.integrator = adaptive(type, 1e-8);
      const End found = end_of(file);
      EXPECT_LT((found.sample.q - reference.sample.q).norm(), 1e-6 * reference.sample.q.norm());
      EXPECT_LT((found.sample.v - reference.sample.v).norm(), 1e-5 * reference.sample.v.norm());
    }
  }
}

// With a new beginning at each knot bdf takes many more.
TEST(Knots, CostFewSteps) {
  ScenarioFile file = tendon_arm(1.0);
  file.scenario.integrator = {.type = "bdf"};
  file.scenario.inputs["right"] = sampled(2, 1.0, 0.0);
  const long few = end_of(file).outcome.statistics.steps;
  file.scenario.inputs["right"] = sampled(300, 1.0, 0.0);
  EXPECT_LT(end_of(file).outcome.statistics.steps, few + 12 * 300);
}

// A method that only looks where its long steps end would not see it.
TEST(Knots, OfAShortPulseAreNotSteppedOver) {
  ScenarioFile file = tendon_arm(1.0);
  file.robot.gravity = {};
  file.scenario.inputs["right"] = Signal::points({0.7, 0.7005, 0.701}, {0.0, 20.0, 0.0});
  file.scenario.integrator = {.type = "tsit5", .step = 1e-4};
  const End reference = end_of(file);
  EXPECT_GT(reference.sample.q.norm(), 1e-4);
  for (const char* type : {"bdf", "erk"}) {
    file.scenario.integrator = adaptive(type, 1e-7);
    EXPECT_LT((end_of(file).sample.q - reference.sample.q).norm(), 1e-4 * reference.sample.q.norm()) << type;
  }
}

// Knots closer together than the steps of the run would be, samples between them, and jumps at a knot.
TEST(Knots, GoBackAsForward) {
  ScenarioFile file = tendon_arm(0.1);
  file.scenario.output_step = 0.03;
  file.scenario.inputs["left"] = Signal::step(0.05, 0.5, 1.5);
  const Model model(file.robot);
  for (const int count : {3, 21, 101}) {
    file.scenario.inputs["right"] = jagged(count, 0.1);
    Paths by{"simulation.inputs.left.after", "materials.silicone.young_modulus", "simulation.initial.lower.v[1]"};
    for (int k = 0; k < count; k += 1 + count / 12) {
      by.push_back("simulation.inputs.right.value[" + std::to_string(k) + "]");
    }
    for (const char* type : {"bdf", "erk"}) {
      SCOPED_TRACE(std::string(type) + ", " + std::to_string(count) + " knots");
      file.scenario.integrator = adaptive(type, 1e-9);
      test::expect_alike(test::both_ways(model, file.scenario, {0.0, 0.033, 0.0501, 0.1}, by), by, 0.0, 1e-6);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
