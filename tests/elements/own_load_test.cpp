// A load of a user: one class, in motions, in statics, in batches, and by its derivatives.
#include "support/own_load.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::TetherLaw;

constexpr double k_stiffness = 30.0, k_damping = 0.8, k_mass = 0.5;

/// A cart on a rail along an axis, tied to the world's origin.
Robot tethered_cart(const Vector3& axis, const Vector3& gravity, const std::string& name = "cart") {
  Robot robot;
  robot.name = name;
  robot.gravity = gravity;
  robot.links.push_back({.name = "cart",
                         .joint = make_prismatic_joint<double>(axis),
                         .body = test::rigid_body(k_mass, {0, 0, 0}, {1e-3, 1e-3, 1e-3}, {0, 0, 0})});
  robot.loads.push_back({{"cart"}, std::make_shared<TetherLaw<double>>(k_stiffness, k_damping, 0.0)});
  return robot;
}

double damped_vibration(double start, double t, double mass = k_mass) {
  const double decay = k_damping / (2 * mass), omega = std::sqrt(k_stiffness / mass - decay * decay);
  return start * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
}

Scenario scenario(const std::string& type) {
  Scenario s;
  s.duration = 2.0, s.output_step = 0.1;
  s.integrator.type = type;
  if (type == "tsit5" || type == "newmark" || type == "midpoint") s.integrator.step = 1e-3;
  s.initial["cart"] = {{0.2}, {0.0}};
  return s;
}

// The closed form of a damped vibration, by all kinds of methods, and the account of energy: what the tether does is
// work of a load.
TEST(OwnLoad, MovesAMassAsItsClosedForm) {
  const Model model(tethered_cart({1, 0, 0}, {}));
  for (const char* type : {"bdf", "erk", "tsit5", "newmark", "midpoint"}) {
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, scenario(type)).run({&memory});
    for (const Sample& sample : memory.samples()) {
      EXPECT_NEAR(sample.q[0], damped_vibration(0.2, sample.time), 2e-5) << type << " at " << sample.time;
    }
    EXPECT_LT(outcome.energy_error, 1e-5) << type;
    const Sample &first = memory.samples().front(), &last = memory.samples().back();
    EXPECT_NEAR(last.load, last.kinetic - first.kinetic, 1e-5) << type;
  }
}

// Mass that a law adds is mass: the vibration is that of both together.
TEST(OwnLoad, AddsInertia) {
  Robot robot = tethered_cart({1, 0, 0}, {});
  robot.loads[0].law = std::make_shared<TetherLaw<double>>(k_stiffness, k_damping, 0.3);
  const Model model(robot);
  for (const char* type : {"bdf", "newmark"}) {
    MemoryRecorder memory;
    Simulator(model, scenario(type)).run({&memory});
    for (const Sample& sample : memory.samples()) {
      EXPECT_NEAR(sample.q[0], damped_vibration(0.2, sample.time, k_mass + 0.3), 2e-5) << type << " " << sample.time;
    }
  }
}

// Along gravity the cart hangs at m g / k; the stiffness of the equilibrium is that of the tether.
TEST(OwnLoad, HoldsInStatics) {
  const Model model(tethered_cart({0, 0, 1}, {0, 0, -9.81}));
  Data data(model);
  StaticLoads loads;
  loads.state_loads_at = 0.0;
  const StaticEquilibrium found = static_equilibrium(model, data, loads, VectorXd::Zero(1));
  EXPECT_NEAR(found.q[0], -k_mass * 9.81 / k_stiffness, 1e-12);
  EXPECT_NEAR(found.smallest_stiffness, k_stiffness, 1e-10);

  // the same for a tether at an arm that turns: its moment's change is geometry too
  Robot arm;
  arm.links.push_back({.name = "arm",
                       .joint = make_revolute_joint<double>({0, 1, 0}),
                       .body = test::rigid_body(0.4, {0.05, 0, 0.1}, {2e-3, 2e-3, 1e-3}, {0.1, 0, 0.2})});
  arm.loads.push_back(
      {{"arm"}, std::make_shared<TetherLaw<double>>(k_stiffness, k_damping, 0.0, Vector3{0.5, 0, 0.1})});
  const Model turning(arm);
  Data arm_data(turning);
  const StaticEquilibrium rest = static_equilibrium(turning, arm_data, loads, VectorXd::Zero(1));
  const auto moment = [&](double angle) {
    const VectorXd q = VectorXd::Constant(1, angle), zero = VectorXd::Zero(1);
    std::vector<ExternalWrench> wrenches(1);
    state_load_wrenches<double>(turning, arm_data, 0.0, q, zero, zero, VectorXd(), wrenches);
    return inverse_dynamics<double>(turning, arm_data, q, zero, zero, wrenches)[0];
  };
  const double h = 1e-5;
  EXPECT_NEAR(moment(rest.q[0]), 0.0, 1e-9);
  EXPECT_NEAR((moment(rest.q[0] + h) - moment(rest.q[0] - h)) / (2 * h), rest.smallest_stiffness, 1e-7);
}

TEST(OwnLoad, RunsInBatches) {
  const Model model(tethered_cart({1, 0, 0}, {}));
  constexpr int k_count = 3;
  RowMatrixXd q(k_count, 1), v = RowMatrixXd::Zero(k_count, 1);
  for (int i = 0; i < k_count; ++i) q(i, 0) = 0.1 + 0.1 * i;
  RolloutOptions options;
  options.step = 1e-3, options.duration = 1.0;
  Batch batch(model, k_count);
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  for (int i = 0; i < k_count; ++i) {
    EXPECT_NEAR(rollout.q(i, 0), damped_vibration(q(i, 0), 1.0), 1e-9);
  }
}

// The robot for another scalar has the law for that scalar: its force has the derivative by the place of the cart.
TEST(OwnLoad, ExistsForOtherScalars) {
  const Robot robot = tethered_cart({1, 0, 0}, {});
  const ModelT<ForwardDual> model(robot.cast<ForwardDual>());
  ASSERT_EQ(model.state_loads().size(), 1u);
  DataT<ForwardDual> data(model);
  VectorXT<ForwardDual> q(1), zero = VectorXT<ForwardDual>::Constant(1, ForwardDual(0.0));
  q[0] = ForwardDual::variable(0.3, 0);
  std::vector<ExternalWrenchT<ForwardDual>> wrenches(1);
  state_load_wrenches<ForwardDual>(model, data, 0.0, q, zero, zero, VectorXT<ForwardDual>(), wrenches);
  EXPECT_NEAR(wrenches[0].wrench.force.x.value, -0.3 * k_stiffness, 1e-14);
  EXPECT_NEAR(wrenches[0].wrench.force.x.derivative[0], -k_stiffness, 1e-14);
}

TEST(OwnLoad, OfOneScalarIsLeftOutOfOthers) {
  Robot robot = tethered_cart({1, 0, 0}, {});
  robot.loads[0].law = std::make_shared<test::OneScalarLaw<double>>();
  EXPECT_EQ(Model(robot).state_loads().size(), 1u);
  EXPECT_TRUE(ModelT<ForwardDual>(robot.cast<ForwardDual>()).state_loads().empty());
}

TEST(OwnLoad, ErrorsNameIt) {
  const auto message = [](const Robot& robot) -> std::string {
    try {
      const Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  Robot robot = tethered_cart({1, 0, 0}, {});
  robot.loads[0].law = std::make_shared<TetherLaw<double>>(-1.0, 0.0, 0.0);
  EXPECT_EQ(message(robot), "loads[0]: stiffness: found -1, expected a number >= 0 [N/m]");
  robot.loads[0].law = std::make_shared<test::NoLaw>();
  EXPECT_EQ(message(robot),
            "loads[0]: law: found neither a wrench in time nor one by the motion of a nothing, expected one");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
