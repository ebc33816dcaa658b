// Contact of rods with what there is beside it: slopes of residuals, derivatives both ways, batches, a floating base,
// parallel rods and rods that meet at an end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "simulation/rod_pairs.h"
#include "support/random_state.h"
#include "support/residual_slopes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

enum class Pair { across, parallel, at_an_end, static_friction };
constexpr Pair k_pairs[] = {Pair::across, Pair::parallel, Pair::at_an_end, Pair::static_friction};

Robot robot_of(Pair pair, int points = 5) {
  return read_robot_text(
      free_rods(pair == Pair::static_friction ? "{static: 0.6, kinetic: 0.4}" : "0.4", points, pair == Pair::parallel),
      "r.yaml");
}
Scenario scenario_of(Pair pair, const std::string& type, double step, double duration) {
  Scenario scenario{.duration = duration, .output_step = 0.25 * duration};
  scenario.integrator.type = type, scenario.integrator.step = step;
  const double along =
      pair == Pair::at_an_end ? 0.054 : 0.0;  // the second rod, so that it crosses the tip of the first
  scenario.initial["first"] = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {0.5, -1, 2, 0.3, 0.05, 0.1, 0, 0, 0}};
  scenario.initial["second"] = {{0, along, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, -1, -0.3, 0.05, 0, 0, 0, 0, 0}};
  return scenario;
}
std::vector<Sample> run(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}

TEST(RodContactCrossed, ResidualsHaveTheSlopesOfDifferences) {
  for (const Pair pair : k_pairs) {
    const Model model(robot_of(pair));
    RobotSystem system(model);
    ASSERT_GT(system.layout().sites, 0);
    Random random(11);
    for (int sample = 0; sample < 2; ++sample) {
      const Scenario scenario = scenario_of(pair, "", 1e-3, 0.1);
      std::vector<double> both = scenario.initial.at("first").q;
      const std::vector<double>& second = scenario.initial.at("second").q;
      both.insert(both.end(), second.begin(), second.end());
      const VectorXd q = Eigen::Map<const VectorXd>(both.data(), model.nq());
      VectorXd step(model.nv()), v(model.nv()), a(model.nv());
      for (double& x : step) x = random.uniform(-2e-3, 2e-3);
      for (double& x : v) x = random.uniform(-0.1, 0.1);
      for (double& x : a) x = random.uniform(-1.0, 1.0);
      step[9 + 3] = -1.5e-3;  // of the second one, into the first
      VectorXd start(model.nq());
      integrate<double>(model, q, step, start);
      VectorXd states = start_of_auxiliary(model);
      for (double& x : system.layout().sites_of(states)) x = random.uniform(-1e-5, 1e-5);
      for (const double stiff_factor : {0.0, 1e-3}) {
        expect_residual_slopes(system, 0.0, start, v, a, {states, 1e-3, stiff_factor},
                               "pair " + std::to_string(static_cast<int>(pair)), 2e-7, 1e-6);
      }
      VectorXd r(model.nv()), rates(states.size());
      system.residual(0.0, start, v, a, {states, 1e-3, 0.0}, r, rates);
      EXPECT_GT(system.energy_balance_at(0.0, start, v, states)->contacts, 0.0) << static_cast<int>(pair);
    }
  }
}

TEST(RodContactCrossed, GradientsGoBackAsForward) {
  const std::vector<std::string> by{"simulation.initial.first.v[3]", "simulation.initial.second.v[0]",
                                    "contacts.cross.friction",       "contacts.cross.modulus",
                                    "contacts.cross.dissipation",    "links.first.body.section.radius"};
  for (const Pair pair : {Pair::across, Pair::parallel, Pair::at_an_end}) {
    const Model model(robot_of(pair));
    const Scenario scenario = scenario_of(pair, "generalized_alpha", 2e-4, 0.012);
    SCOPED_TRACE(static_cast<int>(pair));
    const BothWays both = both_ways(model, scenario, {0.006, 0.012}, by);
    expect_alike(both, by, 1e-6, 1e-8);
    EXPECT_GT(run(model, scenario).back().dissipated, 1e-6) << static_cast<int>(pair);
  }
}

// Where touches begin within steps, derivatives are those of the solution, and differences of fixed steps are not: by a
// velocity, which moves the touch, they are differences of runs by bdf, which finds it. By the modulus they see touches
// of further pieces alone. Along or at the end of each other bdf takes too long for a test.
TEST(RodContactCrossed, SensitivitiesAreThoseOfDifferences) {
  const std::vector<std::string> by{"contacts.cross.modulus", "simulation.initial.first.v[3]"};
  const double steps[] = {5.0, 1e-3}, steps_of_run[] = {2e-4, 5e-5}, tolerances[] = {4e-3, 2e-3};
  for (const Pair pair : {Pair::across, Pair::parallel, Pair::at_an_end}) {
    SCOPED_TRACE(static_cast<int>(pair));
    const Robot robot = robot_of(pair);
    const Model model(robot);
    const auto source = parameter_source(robot);
    for (std::size_t k = 0; k < by.size(); ++k) {
      if (k == 1 && pair != Pair::across) continue;
      const Scenario scenario = scenario_of(pair, "generalized_alpha", steps_of_run[k], 0.012);
      const auto at = [&](int n) {
        Scenario changed = scenario;
        if (k == 1) {
          changed.integrator = {.type = "bdf"};
          changed.integrator.relative_tolerance = 1e-7, changed.integrator.absolute_tolerance = 1e-10;
        }
        Robot other = robot;
        if (k == 1) {
          changed.initial["first"].v[3] += n * steps[k];
        } else {
          other = source->with({{by[k], source->parameter(by[k]).value + n * steps[k]}});
        }
        return VectorXd(run(Model(other), changed).back().q);
      };
      const VectorXd slope =
          k == 1 ? VectorXd((at(1) - at(-1)) / (2 * steps[k]))
                 : VectorXd((45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * steps[k]));
      const VectorXd exact = sensitivities(model, scenario, {"q"}, {by[k]}, {0.012}).derivatives[0].col(0);
      EXPECT_LT((slope - exact).norm(), tolerances[k] * exact.norm()) << by[k];
    }
  }
}

TEST(RodContactCrossed, BatchesAreTheRunsOfTheirRobots) {
  const Robot robot = robot_of(Pair::across);
  const Model model(robot);
  Batch batch(model, {"contacts.cross.modulus"}, RowMatrixXd{{5e4}, {1e5}, {2e5}}, 1);
  const Scenario scenario = scenario_of(Pair::across, "rk4", 4e-5, 0.012);
  const Sample first = run(model, scenario).front();
  RowMatrixXd q(3, model.nq()), v(3, model.nv());
  q.rowwise() = first.q.transpose(), v.rowwise() = first.v.transpose();
  const Rollout rollout = batch.rollout(q, v, {.method = "rk4", .step = 4e-5, .duration = 0.012});
  const auto source = parameter_source(robot);
  for (int k = 0; k < 3; ++k) {
    const Model own(source->with({{"contacts.cross.modulus", 5e4 * (1 << k)}}));
    const Sample last = run(own, scenario).back();
    EXPECT_LT((rollout.q.row(k).transpose() - last.q).norm(), 1e-10) << k;
    EXPECT_LT((rollout.v.row(k).transpose() - last.v).norm(), 1e-7) << k;
  }
  EXPECT_GT((rollout.q.row(0) - rollout.q.row(2)).norm(), 1e-5);  // they touch
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
