// Contact of two links with what there is beside it: integrators, loops, states of elements, controllers, a floating
// base, derivatives both ways, batches and live simulations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/both_ways.h"
#include "simulation/link_pairs.h"
#include "support/random_state.h"
#include "support/residual_slopes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

IntegratorOptions method(const std::string& type) {
  IntegratorOptions options{.type = type};
  if (type == "rk4" || type == "tsit5") {
    options.step = 2e-5;
  } else if (type == "bdf" || type == "erk") {
    options.relative_tolerance = 1e-7, options.absolute_tolerance = 1e-9;
  } else {
    options.step = 2e-4;
  }
  return options;
}
constexpr const char* k_methods[] = {
    "bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"};

/// Volumes with many points on their surface are slow: fewer cases, shorter runs.
bool is_slow(Tool tool) { return tool == Tool::volume; }

/// The ball comes with spin, the cart goes towards it.
Scenario meeting(Tool tool, const std::string& type, double longest = 0.1) {
  const double duration = is_slow(tool) ? std::min(longest, 0.04) : longest;
  Scenario scenario{.duration = duration, .output_step = 0.25 * duration, .integrator = method(type)};
  if (is_slow(tool) && type == "tsit5") scenario.integrator.step = 1e-4;
  if (is_slow(tool) && type == "generalized_alpha") scenario.integrator.step = 4e-4;
  scenario.initial["ball"] = {{2e-3, 0, 0, 1, 0, 0, 0}, {3, -5, 8, -0.25, 0.05, 0.02}};
  scenario.initial["cart"] = {{0.0}, {0.2}};
  scenario.inputs["motor"] = Signal::sine(0.1, 5.0, 0.0, 0.3);
  return scenario;
}

std::vector<Sample> run(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}
double book(const std::vector<Sample>& samples) {
  const Sample &first = samples.front(), &last = samples.back();
  return last.energy() - first.energy() - last.input - last.load + last.dissipated;
}

/// A spring behind a damper: a state that follows.
template <typename S>
class MaxwellLaw final : public EffortLaw<MaxwellLaw, S, 1, 0, 1> {
 public:
  std::string type_name() const override { return "maxwell"; }
  std::vector<ElementStateInfo> states() const override { return {{"extension", "m", 0.002}}; }
  template <typename T>
  MaxwellLaw<T> cast() const {
    return {};
  }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    const T e = at.y[0] - at.state[0];
    efforts[0] = T(-30.0) * e;
    state_rates[0] = e / T(0.01);
  }
};

enum class Beside { nothing, floating_base, loop, element_states, controller, swapped, static_friction };
constexpr Beside k_beside[] = {Beside::nothing,        Beside::floating_base, Beside::loop,
                               Beside::element_states, Beside::controller,    Beside::swapped,
                               Beside::static_friction};

Robot robot_of(Tool tool, Beside beside) {
  ToolOptions options;
  options.floating = beside == Beside::floating_base, options.loop = beside == Beside::loop;
  options.tool_is_b = beside == Beside::swapped;
  if (beside == Beside::static_friction) options.friction = "{static: 0.6, kinetic: 0.4}";
  Robot robot = read_robot_text(tool_robot(tool, options), "r.yaml");
  if (beside == Beside::element_states) {
    robot.elements.push_back(
        {"give", {std::make_shared<const JointTransmission>("cart")}, std::make_shared<MaxwellLaw<double>>()});
  }
  return robot;
}
Scenario scenario_of(Tool tool, Beside beside, const std::string& type) {
  Scenario scenario = meeting(tool, type);
  if (beside == Beside::controller) {
    const ScenarioFile file = read_scenario_text(
        "cuttle: 1\nrobot: r.yaml\nsimulation:\n  controllers: [{name: hold, type: pid, inputs: [motor], reference: "
        "[{type: sine, amplitude: 0.01, frequency: 8}], kp: 20, kd: 1, ki: 5}]\n",
        "s.yaml", tool_robot(tool));
    scenario.controllers = file.scenario.controllers;
  }
  return scenario;
}

class EveryTool : public testing::TestWithParam<Tool> {};
INSTANTIATE_TEST_SUITE_P(Tools, EveryTool, testing::ValuesIn(k_tools),
                         [](const auto& tool) { return std::string(name_of(tool.param)); });

TEST_P(EveryTool, TouchesAlikeWithEveryIntegratorAndWhateverIsBesideIt) {
  for (const Beside beside : k_beside) {
    const bool is_one_of_few = beside == Beside::nothing || beside == Beside::floating_base;
    if (is_slow(GetParam()) && !is_one_of_few) continue;
    const Model model(robot_of(GetParam(), beside));
    const bool loop = beside == Beside::loop;
    Scenario fine = scenario_of(GetParam(), beside, loop ? "generalized_alpha" : "bdf");
    if (loop) fine.integrator.step = 5e-5;
    const std::vector<Sample> expected = run(model, fine);
    const Sample& last = expected.back();
    const double size = (last.q - expected.front().q).norm();
    EXPECT_GT(last.dissipated, 1e-5) << static_cast<int>(beside);  // they met
    for (const char* type : k_methods) {
      const bool is_explicit = std::string(type) == "rk4" || std::string(type) == "tsit5" || std::string(type) == "erk";
      if (loop && (is_explicit || std::string(type) == "bdf")) continue;
      // explicit steps take long for soft bodies: one case is enough
      if (is_explicit && GetParam() != Tool::rigid && beside != Beside::nothing) continue;
      const bool is_alike = std::string(type) == "rk4" || std::string(type) == "newmark" || std::string(type) == "hht";
      if (is_slow(GetParam()) && is_alike) continue;
      const std::vector<Sample> samples = run(model, scenario_of(GetParam(), beside, type));
      EXPECT_LT((samples.back().q - last.q).norm(), 3e-3 * size) << type << " beside " << static_cast<int>(beside);
      EXPECT_LT(std::abs(book(samples)), 2e-3 * expected.front().energy())
          << type << " beside " << static_cast<int>(beside);
    }
  }
}

// Deep in each other, so that nothing ends within the steps of the differences.
TEST_P(EveryTool, ResidualsHaveTheSlopesOfDifferences) {
  for (const Beside beside : {Beside::nothing, Beside::floating_base, Beside::swapped, Beside::static_friction}) {
    const Model model(robot_of(GetParam(), beside));
    RobotSystem system(model);
    ASSERT_GT(system.layout().sites, 0);
    Random random(11);
    if (is_slow(GetParam()) && beside == Beside::static_friction) continue;
    for (int sample = 0; sample < (is_slow(GetParam()) ? 1 : 2); ++sample) {
      VectorXd q = model.neutral(), step(model.nv()), v(model.nv()), a(model.nv());
      for (double& x : step) x = random.uniform(-2e-3, 2e-3);
      for (double& x : v) x = random.uniform(-0.1, 0.1);
      for (double& x : a) x = random.uniform(-1.0, 1.0);
      step[model.nv() - 3] = -2e-3;  // of the ball, into the tool
      VectorXd start(model.nq());
      integrate<double>(model, q, step, start);
      VectorXd states = start_of_auxiliary(model);
      for (double& x : system.layout().sites_of(states)) x = random.uniform(-1e-5, 1e-5);
      for (const double stiff_factor : {0.0, 1e-3}) {
        expect_residual_slopes(system, 0.0, start, v, a, {states, 1e-3, stiff_factor},
                               std::string(name_of(GetParam())) + " " + std::to_string(static_cast<int>(beside)), 2e-7,
                               1e-6);
      }
      VectorXd r(model.nv()), rates(states.size());
      system.residual(0.0, start, v, a, {states, 1e-3, 0.0}, r, rates);
      EXPECT_GT(system.energy_balance_at(0.0, start, v, states)->contacts, 0.0);
    }
  }
}

TEST_P(EveryTool, GradientsGoBackAsForward) {
  std::vector<std::string> by{
      "simulation.initial.cart.v[0]", "simulation.initial.ball.v[0]", "simulation.initial.ball.v[5]",
      "contacts.hit.friction",        "contacts.hit.modulus",         "contacts.hit.dissipation",
      "links.ball.contact.radius",    "links.ball.body.mass",         "links.cart.body.mass"};
  const double end = is_slow(GetParam()) ? 0.016 : 0.04;
  if (is_slow(GetParam())) by.resize(6);
  for (const char* type : {"generalized_alpha", "midpoint"}) {
    if (is_slow(GetParam()) && std::string(type) == "midpoint") continue;
    const Model model(robot_of(GetParam(), Beside::nothing));
    const Scenario scenario = meeting(GetParam(), type, end);
    const BothWays both = both_ways(model, scenario, {0.5 * end, end}, by);
    expect_alike(both, by, 1e-6, 1e-8);
  }
}

// Differences cross corners of the law, in proportion to their steps. By a velocity, which moves the touch, they are of
// runs by bdf, which finds it: fixed steps do not see when within one it begins. For the volume that takes too long.
TEST_P(EveryTool, SensitivitiesAreThoseOfDifferences) {
  const std::vector<std::string> by{"contacts.hit.modulus", "links.ball.body.mass", "simulation.initial.cart.v[0]"};
  const double steps[] = {1.0, 2e-6, 1e-3};
  const Robot robot = robot_of(GetParam(), Beside::nothing);
  const Model model(robot);
  const double end = is_slow(GetParam()) ? 0.016 : 0.04;
  Scenario scenario = meeting(GetParam(), "generalized_alpha", end);
  const Sensitivities found = sensitivities(model, scenario, {"q"}, {by[0], by[1]}, {end});
  const auto source = parameter_source(robot);
  for (std::size_t k = 0; k < by.size(); ++k) {
    if (k == 2 && is_slow(GetParam())) continue;
    if (k == 2) scenario.integrator.step = 5e-5;
    const auto at = [&](int n) {
      Scenario changed = k == 2 ? meeting(GetParam(), "bdf", end) : scenario;
      Robot other = robot;
      if (k == 2) {
        changed.initial["cart"].v[0] += n * steps[k];
      } else {
        other = source->with({{by[k], source->parameter(by[k]).value + n * steps[k]}});
      }
      return VectorXd(run(Model(other), changed).back().q);
    };
    const VectorXd slope =
        k == 2 ? VectorXd((at(1) - at(-1)) / (2 * steps[k]))
               : VectorXd((45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * steps[k]));
    const VectorXd exact = k == 2
                               ? VectorXd(sensitivities(model, scenario, {"q"}, {by[k]}, {end}).derivatives[0].col(0))
                               : VectorXd(found.derivatives[0].col(static_cast<Eigen::Index>(k)));
    EXPECT_LT((slope - exact).norm(), 1e-3 * exact.norm()) << by[k];  // a difference crosses corners of the law
  }
}

TEST_P(EveryTool, BatchesAreTheRunsOfTheirRobots) {
  const Model model(robot_of(GetParam(), Beside::nothing));
  constexpr int k_count = 3;
  Batch batch(model, {"contacts.hit.modulus"}, RowMatrixXd{{1e4}, {2e4}, {3e4}}, 1);
  Scenario scenario = meeting(GetParam(), "rk4", 0.02);
  scenario.integrator.step = 5e-5;
  RowMatrixXd q(k_count, model.nq()), v(k_count, model.nv());
  const Sample first = run(model,
                           [&] {
                             Scenario s = scenario;
                             s.duration = 1e-4, s.output_step = 1e-4;
                             return s;
                           }())
                           .front();
  q.rowwise() = first.q.transpose(), v.rowwise() = first.v.transpose();
  RolloutOptions options{.method = "rk4", .step = 5e-5, .duration = 0.02};
  options.inputs["motor"] = scenario.inputs["motor"];
  const Rollout rollout = batch.rollout(q, v, options);
  const auto source = parameter_source(robot_of(GetParam(), Beside::nothing));
  for (int k = 0; k < k_count; ++k) {
    const Model own(source->with({{"contacts.hit.modulus", 1e4 * (k + 1)}}));
    const Sample last = run(own, scenario).back();
    EXPECT_LT((rollout.q.row(k).transpose() - last.q).norm(), 1e-10) << k;
    EXPECT_LT((rollout.v.row(k).transpose() - last.v).norm(), 1e-8) << k;
  }
  EXPECT_GT((rollout.q.row(0) - rollout.q.row(2)).norm(), 1e-5);  // they touch
}

TEST_P(EveryTool, LiveIsTheRunIfNobodyInterferes) {
  const Robot robot = robot_of(GetParam(), Beside::nothing);
  const Scenario scenario = meeting(GetParam(), "generalized_alpha");
  LiveSimulation live(robot, scenario);
  for (const Sample& expected : run(Model(robot), scenario)) {
    live.advance(expected.time - live.time());
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT((live.sample().q - expected.q).norm(), 1e-10) << expected.time;
    EXPECT_NEAR(live.sample().contact, expected.contact, 1e-9) << expected.time;
  }
  live.push(0, {0, 0, 0}, {0.3, 0, 0});
  live.advance(0.05);
  EXPECT_EQ(live.failure(), "");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
