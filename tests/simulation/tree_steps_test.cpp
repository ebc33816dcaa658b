// Runs whose tangents follow the tree, beside runs of the same robots whose tangents are matrices.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/control/controllers.h"
#include "cuttle/elements/coupling.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/input_lag.h"
#include "cuttle/elements/joint_friction.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/mass_damping.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/robot_file.h"
#include "simulation/integrator_runs.h"
#include "simulation/rod_chains.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

std::shared_ptr<const RodBody> soft_rod() {
  RodParameters p;
  p.length = 0.12;
  p.section.radius = 0.008;
  p.material = {.density = 1080.0, .young_modulus = 4e5, .poisson_ratio = 0.45, .damping_time = 0.02};
  p.strain = strain_shorthand<double>("pcs", p.length);
  p.quadrature_points = 4;
  return std::make_shared<RodBody>(p);
}

/// Nine rods: a chain that branches, one joint with a spring; tendons along some.
Robot branched_rods() {
  Robot robot;
  robot.gravity = {3.0, -2.0, -8.0};
  const auto rod = soft_rod();
  for (int i = 0; i < 9; ++i) {
    Link link;
    link.name = "rod" + std::to_string(i), link.body = rod;
    if (i == 6) link.parent.link = "rod2";
    if (i == 4) {
      link.joint = make_revolute_joint<double>({0.0, 1.0, 0.0});
      link.joint_dynamics = dynamics({0.3}, {0.01});
    }
    robot.links.push_back(link);
  }
  for (const char* on : {"rod0", "rod7"}) {
    Routing routing;
    routing.link = on, routing.offset = {{0.005, 0.002}};
    robot.actuators.push_back(Actuator::tendon(std::string("tendon_") + on, {routing}));
  }
  return robot;
}

/// Eight rods on a base that is free, and one that hangs at a ball.
Robot free_rods() {
  Robot robot = branched_rods();
  robot.actuators.clear();
  robot.floating_base = true;
  robot.links[7].joint = make_spherical_joint<double>();
  return robot;
}

/// With what acts across links besides: a joint that rubs and has a limit, a spring on coordinates of two rods.
Robot coupled_rods() {
  Robot robot = branched_rods();
  robot.elements = {
      make_joint_friction<double>("rub", "rod4", 0, {.friction = 2e-3, .velocity = 0.05}),
      make_joint_limit<double>("stop", "rod4", 0,
                               {.lower = -0.01, .upper = 0.01, .stiffness = 1.0, .damping = 0.02, .range = 0.01}),
      make_coupling<double>("tie", {"rod3", "rod6"}, {0.1, 0.3, -0.2, 0.5, 0.4, -0.6, 0.2, 0.1, -0.3, 0.7, -0.1, 0.2},
                            {.stiffness = 0.4, .damping = 0.01})};
  return robot;
}

/// Holds the lengths of both tendons.
std::vector<NamedController> holding() {
  PidSettings hold;
  hold.inputs = {"tendon_rod0", "tendon_rod7"};
  hold.reference = {Signal(0.001), Signal(-0.002)}, hold.kp = {400.0}, hold.kd = {20.0};
  return {{"hold", make_pid(hold)}};
}

/// In water that flows past, which adds mass; one rod is slowed down by its mass.
Robot wet_rods() {
  Robot robot = free_rods();
  Fluid water;
  water.density = 900.0, water.normal_drag = 1.1, water.tangential_drag = 0.05;
  water.radius_x = water.radius_y = Profile(0.008);
  for (const char* link : {"rod0", "rod5", "rod8"}) robot.loads.push_back(make_fluid_load(link, water));
  robot.loads.push_back(make_mass_damping<double>("rod3", 0.7));
  return robot;
}

/// A ball joint between the ends of two rods in a row, a strut and a bungee between links that are far apart.
Robot closed_rods(bool floating) {
  Robot robot = floating ? free_rods() : branched_rods();
  for (int i = 9; i < 15; ++i) robot.links.push_back({.name = "rod" + std::to_string(i), .body = soft_rod()});
  Loop loop;
  loop.name = "ball", loop.type = LoopType::spherical;
  loop.a.link = "rod10", loop.b.link = "rod12";
  loop.b.pose.position = {0.0, 0.0, -0.24};  // where rod10 ends while the robot is straight
  robot.loops = {loop};
  robot.actuators = {Actuator::distance("strut", {"rod1"}, {"rod7"})};
  robot.elements = {make_spring<double>("bungee", {"rod0"}, {"rod5"}, {.stiffness = 3.0, .damping = 0.1})};
  return robot;
}

/// A strut between two links whose force lags behind its input: a state of an element.
Robot lagging_rods(bool floating) {
  Robot robot = floating ? free_rods() : branched_rods();
  robot.actuators = {with_input_lag(Actuator::distance("strut", {"rod1"}, {"rod7"}), 0.03, "N")};
  robot.elements = {make_joint_friction<double>("rub", "rod4", 0, {.friction = 2e-3, .velocity = 0.05})};
  return robot;
}

std::vector<State> states_of(const Robot& robot, const IntegratorOptions& options, double target,
                             IntegratorStatistics* statistics = nullptr, std::vector<NamedController> controllers = {},
                             bool matrices = false) {
  const Model model(robot);
  State start = start_of(model);
  for (int k = 0; k < model.nv(); ++k) start.v[k] = 0.1 * std::sin(3.0 + 5.0 * k);
  std::vector<Signal> inputs;
  for (int i = 0; i < model.nu(); ++i) inputs.push_back(Signal::sine(0.3, 2.0, 0.2 * i, 0.5));
  RobotSystemSetup setup{.inputs = inputs, .controllers = std::move(controllers)};
  if (!model.loops().empty()) {
    Data data(model);
    ConstraintData constraints(model);
    close_loops(model, data, constraints, start.q);
    setup.rows = select_constraint_rows(model, data, constraints, start.q);
    close_velocities(model, data, constraints, setup.rows, start.q, start.v);
  }
  RobotSystem system(model, setup);
  if (matrices) system.keep_to_matrices();
  EXPECT_EQ(system.follows_tree(), !matrices);
  start.auxiliary = system.with_controllers(start_of_auxiliary(model));
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  std::vector<State> states;
  for (int i = 1; i <= 3; ++i) {
    integrator->advance(target * i / 3, target);
    states.push_back(integrator->state());
  }
  if (statistics != nullptr) *statistics = integrator->statistics();
  return states;
}

void expect_alike(const Robot& robot, const IntegratorOptions& options, double target, double tolerance,
                  const std::vector<NamedController>& controllers = {}) {
  SCOPED_TRACE(options.type);
  const Model model(robot);
  const auto along = states_of(robot, options, target, nullptr, controllers),
             with = states_of(robot, options, target, nullptr, controllers, true);
  for (std::size_t i = 0; i < along.size(); ++i) {
    EXPECT_LT(distance(model, along[i], with[i]), tolerance) << i;
    EXPECT_LT((along[i].auxiliary - with[i].auxiliary).norm(), tolerance) << i;
  }
}

// Newton's method ends at the same place: what it leaves is 1e-9 of a step.
TEST(TreeSteps, OfImplicitMethodsAreThoseOfMatrices) {
  for (const Robot& robot : {branched_rods(), free_rods()}) {
    for (const char* method : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"})
      expect_alike(robot, fixed(method, 2e-3), 0.06, 1e-7);
  }
}

TEST(TreeSteps, ByTheErrorAreThoseOfMatrices) {
  for (const Robot& robot : {branched_rods(), free_rods()}) {
    for (const char* method : {"newmark", "generalized_alpha", "midpoint"})
      expect_alike(robot, adaptive(method, 1e-5), 0.03, 1e-6);
  }
}

TEST(TreeSteps, WithElementsAndControllersAreThoseOfMatrices) {
  for (const char* method : {"newmark", "generalized_alpha", "midpoint"}) {
    expect_alike(coupled_rods(), fixed(method, 2e-3), 0.06, 1e-7);
    expect_alike(branched_rods(), fixed(method, 2e-3), 0.06, 1e-7, holding());
    expect_alike(coupled_rods(), fixed(method, 2e-3), 0.06, 1e-7, holding());
  }
  expect_alike(coupled_rods(), adaptive("bdf", 1e-9), 0.03, 1e-5, holding());
}

TEST(TreeSteps, InWaterAreThoseOfMatrices) {
  for (const char* method : {"newmark", "generalized_alpha", "midpoint"})
    expect_alike(wet_rods(), fixed(method, 2e-3), 0.06, 1e-7);
  expect_alike(wet_rods(), adaptive("generalized_alpha", 1e-5), 0.03, 1e-6);
}

TEST(TreeSteps, OfClosedRobotsAreThoseOfMatrices) {
  // few steps: those of matrices take most of the time
  expect_alike(closed_rods(true), fixed("newmark", 2e-3), 0.006, 1e-7);
  expect_alike(closed_rods(false), fixed("midpoint", 2e-3), 0.006, 1e-7);
  expect_alike(closed_rods(false), adaptive("generalized_alpha", 1e-4), 1e-3, 1e-6);
}

// Quaternions, states of elements and of contacts, controllers: another Newton matrix, and steps that are no more.
TEST(TreeSteps, OfBdfWithAllAgreeWithinTheTolerances) {
  struct Case {
    const char* name;
    Robot robot;
    double tolerance, error;
  };
  for (const Case& c :
       {Case{"free", free_rods(), 1e-8, 1e-5}, Case{"wet", wet_rods(), 1e-8, 1e-5},
        Case{"lagging", lagging_rods(true), 1e-8, 1e-5}, Case{"ground", rods_on_the_ground(8, 0.009), 1e-6, 1e-3}}) {
    SCOPED_TRACE(c.name);
    const Model model(c.robot);
    IntegratorStatistics along, with;
    const auto a = states_of(c.robot, adaptive("bdf", c.tolerance), 0.01, &along);
    const auto b = states_of(c.robot, adaptive("bdf", c.tolerance), 0.01, &with, {}, true);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_LT(distance(model, a[i], b[i]), c.error * (1.0 + b[i].v.norm())) << i;
    }
    EXPECT_LT(static_cast<double>(along.steps), 1.25 * static_cast<double>(with.steps));
    if (model.site_laws().empty()) {
      EXPECT_LT(along.evaluations, with.evaluations);
    } else {  // with contacts there are no columns by differences either way
      EXPECT_LE(along.evaluations, with.evaluations);
    }
  }
}

// Where it touches, steps are found to 1e-9 of themselves, and touching stretches what is left.
TEST(TreeSteps, OnTheGroundAreThoseOfMatrices) {
  for (const char* method : {"newmark", "generalized_alpha", "midpoint"})
    expect_alike(rods_on_the_ground(8, 0.009), fixed(method, 5e-4), 0.03, 1e-5);
}

// Another Newton matrix, so other steps, within the same tolerances; and no more of them.
TEST(TreeSteps, OfBdfAgreeWithinTheTolerances) {
  const Robot robot = branched_rods();
  const Model model(robot);
  IntegratorStatistics along, with;
  const auto a = states_of(robot, adaptive("bdf", 1e-8), 0.06, &along);
  const auto b = states_of(robot, adaptive("bdf", 1e-8), 0.06, &with, {}, true);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(distance(model, a[i], b[i]), 1e-5 * (1.0 + b[i].v.norm())) << i;
    EXPECT_LT((a[i].auxiliary - b[i].auxiliary).norm(), 1e-6) << i;
  }
  EXPECT_LT(static_cast<double>(along.steps), 1.2 * static_cast<double>(with.steps));
  EXPECT_LT(along.evaluations, with.evaluations);
}

// Coordinates without any mass are named, as with matrices.
TEST(TreeSteps, AMassMatrixThatIsSingularIsNamed) {
  Robot robot = branched_rods();
  Link empty;
  empty.name = "pointer", empty.joint = make_revolute_joint<double>({0.0, 0.0, 1.0});
  robot.links.push_back(empty);
  const Model model(robot);
  RobotSystem system(model);
  const auto integrator = make_integrator(system, fixed("newmark", 1e-3));
  try {
    integrator->restart(start_of(model));
    FAIL() << "expected a refusal";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("pointer"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
