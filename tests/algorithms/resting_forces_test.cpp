// What acts on a robot at rest, as equilibria ask the equation of motion for it: against the residual that runs solve,
// and slopes against differences.

#include <gtest/gtest.h>

#include "algorithms/static_problem.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/io/robot_file.h"
#include "elements/element_checks.h"
#include "support/random.h"
#include "support/random_state.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A chain in water and under a load in time, with a valve (an element with a state) and two tendons.
const char* const k_arm = R"(cuttle: 1
name: arm
materials: {silicone: {young_modulus: 3.0e5, poisson_ratio: 0.5, density: 1100}}
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2}, body: {type: rigid, mass: 0.3, com: [0, 0, -0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0], tip: {position: [0.02, 0, -0.2]}}}
- name: rod
  body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 5}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}
actuators:
- {name: pull, type: tendon, routing: [{link: rod, offset: [0.006, 0.002]}]}
- {name: wind, type: tendon, routing: [{link: rod, offset: [-0.006, 0.001]}], drive: length, stiffness: 300, pretension: 0.4}
- {name: valve, type: linear, links: [bar], matrix: [[0.2]], lag: 0.1}
loads:
- {type: wrench, link: rod, at: tip, force: [0.02, 0.05, {type: sine, amplitude: 0.1, frequency: 1.5}]}
)";

class RestingForces : public testing::Test {
 protected:
  static Robot robot() {
    Robot robot = read_robot_text(k_arm, "arm.yaml");
    Fluid water;
    water.density = 700, water.radius_x = 0.02, water.radius_y = 0.015;
    robot.loads.push_back(make_fluid_load("rod", water));
    return robot;
  }
  const Model model{robot()};
  Data data{model};
  Random random{7};
  VectorXd q = 0.2 * random_state(model, random).q;  // so that no tendon is slack
  VectorXd u = (VectorXd(3) << 1.5, 0.05, 2.0).finished();
  const double time = 0.4;
};

// The residual of a run at v = a = 0, where states of elements rest: two sweeps that share no sum.
TEST_F(RestingForces, AreThoseOfARunThatDoesNotMove) {
  const StaticLoads loads{.u = u, .external = loads_at(model, time), .state_loads_at = time};
  StaticProblem problem(model, data, loads, q, Stepping::imbalance);
  problem.begin(q, 1.0);
  const VectorXd balance = problem.balance(q);

  const StateLayout layout = state_layout(model);
  EquationOfMotion equation(model, layout);
  const VectorXd zero = VectorXd::Zero(model.nv());
  VectorXd r(model.nv()), rates(layout.size()), states = start_of_auxiliary(model);
  // the valve comes to rest in long steps
  for (int i = 0; i < 60; ++i) {
    equation.residual({.time = time, .q = q, .v = zero, .u = u, .states = states, .factor = 0.0, .stiff_factor = 10.0},
                      zero, r, rates);
    states.tail(layout.elements) = equation.element_data().states;
  }
  EXPECT_LT((r - balance).norm(), 1e-11 * (1.0 + balance.norm()));
  EXPECT_GT(balance.norm(), 1e-2);
}

// By coordinates, for a part of the forces too, and by inputs: the tendon whose length is given pulls by its law alone.
TEST_F(RestingForces, HaveTheSlopesOfDifferences) {
  for (const Stepping stepping : {Stepping::loads, Stepping::imbalance}) {
    for (const double part : {1.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(stepping) << " part " << part);
      StaticLoads loads{.u = u, .external = loads_at(model, time), .state_loads_at = time};
      StaticProblem problem(model, data, loads, q, stepping);
      problem.begin(q, part);
      (void)problem.balance(q);
      VectorXd z = VectorXd::Zero(model.nv()), left(model.nv());
      std::string trouble;
      ASSERT_TRUE(problem.equations(z, left, trouble)) << trouble;
      const MatrixXd K = problem.stiffness(VectorXd()), by_input = problem.input_forces();
      for (int k = 0; k < model.nv(); ++k) {
        const VectorXd slope = slope_at_zero(
            [&](double t) -> VectorXd {
              VectorXd moved = q;
              integrate<double>(model, q, VectorXd(t * VectorXd::Unit(model.nv(), k)), moved);
              return problem.balance(moved);
            },
            1e-3);
        EXPECT_LT((K.col(k) - slope).norm(), 1e-8 * K.norm()) << k;
      }
      const double acting = stepping == Stepping::loads ? part : 1.0;
      for (int k = 0; k < model.nu(); ++k) {
        const VectorXd slope = slope_at_zero(
            [&](double t) -> VectorXd {
              problem.set_inputs(u + t * VectorXd::Unit(model.nu(), k));
              problem.begin(q, part);
              return -problem.balance(q);
            },
            1e-4);
        EXPECT_LT((acting * by_input.col(k) - slope).norm(), 1e-8 * (1e-3 + slope.norm())) << k;
        EXPECT_GT(slope.norm(), 0.0) << k;
      }
      problem.set_inputs(u);
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
