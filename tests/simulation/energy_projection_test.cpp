// The projection onto the energy balance, and the method that makes it after every step.
#include "simulation/energy_projection.h"

#include <gtest/gtest.h>

#include "cuttle/algorithms/energy.h"
#include "simulation/integrator_runs.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

double energy_of(const Model& model, const State& state) {
  Data data(model);
  return kinetic_energy<double>(model, data, state.q, state.v) + gravity_energy<double>(model, data, state.q) +
         elastic_energy<double>(model, data, state.q);
}

State random_start(const Model& model, Random& random) {
  const RandomState found = random_state(model, random, 0.5);
  State state = start_of(model);
  state.q = found.q, state.v = found.v;
  return state;
}

// Whatever the robot, the missing energy is found, and a floating one keeps its momentum.
TEST(EnergyProjection, RestoresTheEnergyAndKeepsMomentum) {
  int floating = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 0;
    options.min_links = 2, options.max_links = 6;
    const Model model(to_robot(random_robot(seed, options)));
    Random random(seed);
    const State start = random_start(model, random);
    RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()))});
    EnergyProjection projection(system);
    projection.begin(start);

    State disturbed = start;
    for (Eigen::Index i = 0; i < disturbed.v.size(); ++i) disturbed.v[i] *= 1.0 + random.uniform(-0.01, 0.01);
    VectorXd v = disturbed.v;
    ASSERT_TRUE(projection.project(disturbed.q, disturbed.auxiliary, v));
    State projected = disturbed;
    projected.v = v;

    Data data(model);
    const double kinetic = kinetic_energy<double>(model, data, start.q, start.v);
    EXPECT_NEAR(energy_of(model, projected), energy_of(model, start),
                1e-12 * (kinetic + std::abs(energy_of(model, start))))
        << seed;
    if (!options.floating) continue;
    ++floating;
    const Wrench before = momentum<double>(model, data, disturbed.q, disturbed.v);
    const Wrench after = momentum<double>(model, data, projected.q, projected.v);
    EXPECT_LT(norm(after.force - before.force), 1e-12 * (1.0 + norm(before.force))) << seed;
    EXPECT_LT(norm(after.torque - before.torque), 1e-12 * (1.0 + norm(before.torque))) << seed;
  }
  EXPECT_EQ(floating, 10);
}

TEST(EnergyProjection, TakesAtMostATenthAtOnce) {
  const Model model(pendulum());
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()))});
  State start = start_of(model);
  start.v[0] = 2.0;
  EnergyProjection projection(system);
  projection.begin(start);
  VectorXd v = VectorXd::Constant(1, 1.0);  // a quarter of the kinetic energy
  EXPECT_TRUE(projection.project(start.q, start.auxiliary, v));
  EXPECT_NEAR(v[0] * v[0], 1.1, 1e-12);
  VectorXd rest = VectorXd::Zero(1);
  EXPECT_FALSE(projection.project(start.q, start.auxiliary, rest));  // none to scale
}

// Long steps of random undamped robots: the balance, works of springs and inputs included, stays exact.
TEST(EnergyProjection, KeepsTheBalanceOfLongSteps) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 0;
    options.min_links = 2, options.max_links = 4;
    const Model model(to_robot(random_robot(seed, options)));
    Random random(seed);
    const State start = random_start(model, random);
    const auto error = [&](const char* method) {
      RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()), Signal(0.3))});
      const auto integrator = make_integrator(system, fixed(method, 0.01));
      integrator->restart(start);
      integrator->advance(1.0, 1.0);
      const State& end = integrator->state();
      const auto balance = system.energy_balance(end.q, end.v, end.auxiliary);
      return std::abs(balance->energy - balance->work - energy_of(model, start)) /
             (balance->kinetic + std::abs(balance->work));
    };
    EXPECT_LT(error("energy_conserving"), 1e-11) << seed;
    EXPECT_GT(error("midpoint"), 1e-7) << seed;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
