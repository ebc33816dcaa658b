// Contact of volumes with what there is beside it: slopes of residuals, derivatives both ways, reduced bodies, live
// simulations, static friction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/model/parameters.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/live_simulation.h"
#include "simulation/both_ways.h"
#include "support/contact_run.h"
#include "support/random_state.h"
#include "support/residual_slopes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Blocks of few modes: the lower one stands, the upper one flies.
std::string ritz_pair(const char* friction, const char* sides = "a: upper, b: lower", double height = 0.0801) {
  const auto link = [](const char* name, const char* place) {
    return fmt::format(
        "  - {{name: {}, parent: base{}, body: {{type: volume, shape: {{type: box, size: [0.03, 0.03, 0.04]}}, "
        "material: soft, quadrature: {{points: [3, 2, 2]}}, kinematics: {{type: ritz, modes: [[{{powers: [0, 0, 1], "
        "vector: [0, 0, 1]}}], [{{powers: [0, 0, 1], vector: [1, 0, 0]}}], [{{powers: [1, 0, 1], vector: [0, 0, "
        "1]}}]]}}}}}}\n",
        name, place);
  };
  return "cuttle: 1\ngravity: [0, 0, 0]\nmaterials: {soft: {model: st_venant_kirchhoff, density: 1000, young_modulus: "
         "1.0e5, poisson_ratio: 0.3, damping_time: 5.0e-3}}\nlinks:\n" +
         link("lower", "") +
         link("upper",
              fmt::format(
                  ", attach: {{pose: {{position: [0.004, -0.003, {}], rpy: [3.141592653589793, 0.03, 0.4]}}}}, joint: "
                  "{{type: free}}",
                  height)
                  .c_str()) +
         fmt::format(
             "contacts: [{{name: press, {}, friction: {}, modulus: 4.0e4, dissipation: 0.3, spacing: 0.014}}]\n", sides,
             friction);
}
Scenario meeting(const std::string& type, double step, double duration) {
  Scenario scenario{.duration = duration, .output_step = 0.25 * duration};
  scenario.integrator.type = type, scenario.integrator.step = step;
  scenario.initial["upper"] = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {1, 2, -1, 0.05, 0.1, 0.3, 0, 0, 0}};
  return scenario;
}
std::vector<Sample> run(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}
constexpr const char* k_frictions[] = {"0", "0.4", "{static: 0.6, kinetic: 0.4}",
                                       "{forward: 0.2, backward: 0.9, sideways: 0.5}"};

TEST(VolumeContactCrossed, ResidualsHaveTheSlopesOfDifferences) {
  for (const char* friction : k_frictions) {
    const bool is_plain = friction == k_frictions[1];
    for (const char* sides : {"a: upper, b: lower", "a: lower, b: upper"}) {
      if (is_plain && sides[3] == 'l') continue;
      const Model model(read_robot_text(ritz_pair(friction, sides), "r.yaml"));
      RobotSystem system(model);
      Random random(11);
      for (int sample = 0; sample < 1; ++sample) {
        VectorXd q = model.neutral(), step(model.nv()), v(model.nv()), a(model.nv());
        for (double& x : step) x = random.uniform(-1e-3, 1e-3);
        for (double& x : v) x = random.uniform(-0.1, 0.1);
        for (double& x : a) x = random.uniform(-1.0, 1.0);
        step[3 + 3 + 2] = 1.5e-3;  // of the upper one, towards the lower one: its z axis points down
        VectorXd start(model.nq());
        integrate<double>(model, q, step, start);
        VectorXd states = start_of_auxiliary(model);
        for (double& x : system.layout().sites_of(states)) x = random.uniform(-1e-5, 1e-5);
        for (const double stiff_factor : {0.0, 1e-3}) {
          expect_residual_slopes(system, 0.0, start, v, a, {states, 1e-3, stiff_factor}, friction, 2e-7, 1e-6);
        }
        VectorXd r(model.nv()), rates(states.size());
        system.residual(0.0, start, v, a, {states, 1e-3, 0.0}, r, rates);
        EXPECT_GT(system.energy_balance_at(0.0, start, v, states)->contacts, 0.0) << friction << sides;
      }
    }
  }
}

TEST(VolumeContactCrossed, GradientsGoBackAsForwardAndAreThoseOfDifferences) {
  const std::vector<std::string> by{"contacts.press.modulus", "simulation.initial.upper.v[3]",
                                    "contacts.press.friction", "contacts.press.dissipation"};
  const Robot robot = read_robot_text(ritz_pair("0.4"), "r.yaml");
  const Model model(robot);
  const Scenario scenario = meeting("generalized_alpha", 2e-4, 0.012);
  const BothWays both = both_ways(model, scenario, {0.006, 0.012}, by);
  expect_alike(both, by, 1e-6, 1e-8);
  EXPECT_GT(run(model, scenario).back().dissipated, 1e-6);
  const Sensitivities found = sensitivities(model, scenario, {"q"}, by, {0.012});
  const auto source = parameter_source(robot);
  for (std::size_t k = 0; k < 2; ++k) {
    const double step = k == 0 ? 4.0 : 1e-5;
    const auto at = [&](int n) {
      Scenario changed = scenario;
      Robot other = robot;
      if (k == 1) {
        changed.initial["upper"].v[3] += n * step;
      } else {
        other = source->with({{by[k], source->parameter(by[k]).value + n * step}});
      }
      return VectorXd(run(Model(other), changed).back().q);
    };
    const VectorXd slope = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * step);
    const VectorXd exact = found.derivatives[0].col(static_cast<Eigen::Index>(k));
    // a difference crosses corners of the law; one by a velocity does not see when within a step a touch begins
    EXPECT_LT((slope - exact).norm(), (k == 0 ? 2e-3 : 4e-3) * exact.norm()) << by[k];
  }
}

TEST(VolumeContactCrossed, EveryIntegratorMovesAlike) {
  const Model model(read_robot_text(ritz_pair("0.4"), "r.yaml"));
  Scenario fine = meeting("generalized_alpha", 2e-5, 0.02);
  const std::vector<Sample> expected = run(model, fine);
  const double size = (expected.back().q - expected.front().q).norm();
  EXPECT_GT(expected.back().dissipated, 1e-6);
  for (const char* type : {"rk4", "newmark", "midpoint"}) {
    const bool is_explicit = std::string(type) == "rk4";
    Scenario scenario = meeting(type, is_explicit ? 2e-5 : 1e-4, 0.02);
    const std::vector<Sample> samples = run(model, scenario);
    EXPECT_LT((samples.back().q - expected.back().q).norm(), 5e-3 * size) << type;
    const Sample &first = samples.front(), &last = samples.back();
    EXPECT_LT(std::abs(last.energy() - first.energy() + last.dissipated), 3e-3 * first.energy()) << type;
  }
}

// It begins apart: bristles of a run that begins in touch are in balance.
TEST(VolumeContactCrossed, BatchesAreRuns) {
  const Robot robot = read_robot_text(ritz_pair("0.4", "a: upper, b: lower", 0.0807), "r.yaml");
  const Model model(robot);
  constexpr int k_count = 3;
  Batch batch(model, {"contacts.press.modulus"}, RowMatrixXd{{2e4}, {4e4}, {8e4}}, 1);
  const Scenario scenario = meeting("rk4", 5e-5, 0.01);
  RowMatrixXd q(k_count, model.nq()), v(k_count, model.nv());
  const Sample first = run(model, scenario).front();
  q.rowwise() = first.q.transpose(), v.rowwise() = first.v.transpose();
  const Rollout rollout = batch.rollout(q, v, {.method = "rk4", .step = 5e-5, .duration = 0.01});
  const auto source = parameter_source(robot);
  for (int k = 0; k < k_count; ++k) {
    const Model own(source->with({{"contacts.press.modulus", 2e4 * (1 << k)}}));
    const Sample last = run(own, scenario).back();
    EXPECT_LT((rollout.q.row(k).transpose() - last.q).norm(), 1e-10) << k;
  }
  EXPECT_GT((rollout.q.row(0) - rollout.q.row(2)).norm(), 1e-5);  // they touch
}

TEST(VolumeContactCrossed, LiveSimulationsAreRuns) {
  const Robot robot = read_robot_text(ritz_pair("0.4"), "r.yaml");
  const Model model(robot);
  const Scenario slow = meeting("generalized_alpha", 2e-4, 0.02);
  LiveSimulation live(robot, slow);
  for (const Sample& expected : run(model, slow)) {
    live.advance(expected.time - live.time());
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT((live.sample().q - expected.q).norm(), 1e-10) << expected.time;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
