// Runs of robots that touch: every integrator against a run of high accuracy and the book of energy, derivatives of
// runs against differences of runs.

#include <gtest/gtest.h>

#include "algorithms/forward_numbers.h"
#include "elements/element_checks.h"
#include "simulation/forward_integrator.h"
#include "simulation/integrator_runs.h"
#include "support/toy_contact.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_duration = 0.25;

/// A body that falls onto a plane and slides, with an arm on a spring.
Robot faller() {
  Robot robot;
  robot.floating_base = true;
  robot.links.push_back(
      {.name = "trunk", .body = rigid_body(0.8, {0.02, 0.01, 0.03}, {4e-3, 5e-3, 6e-3}, {0.1, 0, 0})});
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0.2, 1, 0.3}),
                         .joint_dynamics = dynamics({2.0}, {0.02}),
                         .body = rigid_body(0.3, {0.05, 0.01, 0.02}, {2e-3, 3e-3, 2e-3}, {0.15, 0, 0})});
  return robot;
}

ToyContactNumbers ground(bool moving) {
  ToyContactNumbers numbers;
  numbers.stiffness = 4e5, numbers.slip_length = 5e-3, numbers.damping = 20.0;
  if (moving) numbers.plane_velocity = {0.2, -0.1, 0.05};
  return numbers;
}

Model touching_model(bool moving, bool between) {
  Model model(faller());
  add_toy_contact<double>(model, ground(moving), {0, 1}, between);
  return model;
}

State start_in_the_air(const Model& model) {
  State state;
  state.q = model.neutral(), state.v = VectorXd::Zero(model.nv());
  VectorXd step = VectorXd::Zero(model.nv());
  step << 0.05, -0.03, 0.2, 0.0, 0.0, 0.06, 0.1;
  integrate<double>(model, model.neutral(), step, state.q);
  state.v << 0.3, -0.2, 0.5, 0.4, 0.1, -0.3, 0.6;
  state.auxiliary = start_of_auxiliary(model);
  return state;
}

class Runs : public testing::TestWithParam<std::tuple<std::string, bool, bool>> {};

TEST_P(Runs, EndWhereAnAccurateOneDoes) {
  const auto& [type, moving, between] = GetParam();
  const Model model = touching_model(moving, between);
  const State start = start_in_the_air(model);
  const State truth = run(model, adaptive("erk", 1e-10), start, k_duration);
  RobotSystem system(model);
  const double before = system.energy_balance_at(0.0, start.q, start.v, start.auxiliary)->energy;
  const bool chooses = type == "bdf" || type == "erk";
  const double tolerance = 1e-7, step = 1e-4;
  State end;
  IntegratorStatistics statistics;
  end = run(model, chooses ? adaptive(type, tolerance) : fixed(type, step), start, k_duration, {}, &statistics);
  const auto after = system.energy_balance_at(k_duration, end.q, end.v, end.auxiliary);
  EXPECT_GT(after->dissipated, 0.01);
  EXPECT_GT(truth.auxiliary.tail(system.layout().sites).norm(), 1e-4);  // still in contact
  const double error = distance(model, end, truth), book = std::abs(after->energy - after->work - before);
  const double peak = 0.5 * start.v.squaredNorm();
  if (chooses) {
    EXPECT_LT(error, 2e-3);
    // erk: an impact is over before its energy is seen to be off
    EXPECT_LT(book, (type == "erk" ? 60.0 : 20.0) * tolerance * peak);
  } else {  // bristles begin to move within a step: order one there
    EXPECT_LT(error, 3e-2);
    EXPECT_LT(book, type == "energy_conserving" ? 1e-9 : 3e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIntegrator, Runs,
                         testing::Combine(testing::Values("bdf", "erk", "rk4", "tsit5", "newmark", "hht",
                                                          "generalized_alpha", "midpoint", "energy_conserving"),
                                          testing::Bool(), testing::Bool()));

/// All sites as deep as this in the ground.
State start_in_contact(const Model& model, double depth) {
  State state;
  state.q = model.neutral(), state.v = VectorXd::Zero(model.nv());
  VectorXd step = VectorXd::Zero(model.nv());
  step[5] = 0.05 - depth;
  integrate<double>(model, model.neutral(), step, state.q);
  state.auxiliary = start_of_auxiliary(model);
  return state;
}

class Gradients : public testing::TestWithParam<std::tuple<std::string, bool>> {};

// Along the start's velocities, of methods with fixed steps: exact derivatives of their own map, while what touches
// stays.
TEST_P(Gradients, AreThoseOfDifferencesOfRuns) {
  const auto& [type, moving] = GetParam();
  const Model model = touching_model(moving, true);
  const IntegratorOptions options = fixed(type, 1e-3);
  constexpr double k_contact = 8e-3;
  State start = start_in_contact(model, 5e-3);
  start.v << 0.1, 0.2, 0.3, 0.4, 0.1, -0.05, 0.2;
  ModelT<ForwardDual> variable(model.robot().cast<ForwardDual>());
  add_toy_contact<ForwardDual>(variable, ground(moving), {0, 1}, true);
  RobotSystem plain(model);
  ForwardSystem system(plain, variable, {}, {}, std::vector<double>(7, 1.0), nullptr);
  const auto integrator = make_forward_integrator(system, options);
  ForwardState begin{0.0, start.q.cast<ForwardDual>(), start.v.cast<ForwardDual>(), system.start_of_auxiliary()};
  for (int k = 0; k < model.nv(); ++k) begin.v[k].derivative[k] = 1.0;
  integrator->begin(begin, k_duration);
  integrator->advance(k_contact, k_contact);
  const MatrixXd found = derivatives_of(integrator->state().v);
  const MatrixXd found_q = derivatives_of(integrator->state().q);
  EXPECT_GT(values_of(integrator->state().auxiliary).norm(), 1e-4);
  for (int k = 0; k < model.nv(); ++k) {
    const auto end = [&](double h) {
      State moved = start;
      moved.v[k] += h;
      const State reached = run(model, options, moved, k_contact);
      VectorXd both(reached.q.size() + reached.v.size());
      both << reached.q, reached.v;
      return both;
    };
    const VectorXd slope = slope_at_zero(end, 1e-3);
    EXPECT_LT((found.col(k) - slope.tail(model.nv())).norm(), 1e-7 * (1.0 + slope.norm())) << k;
    EXPECT_LT((found_q.col(k) - slope.head(model.nq())).norm(), 1e-7 * (1.0 + slope.norm())) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(FixedSteps, Gradients,
                         testing::Combine(testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha",
                                                          "midpoint"),
                                          testing::Bool()));

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
