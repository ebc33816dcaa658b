// Gradients back along runs whose tangents follow the tree, beside those forward along the same runs, which have
// matrices; and what one step needs of them, along the tree and as matrices.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/elements/spring.h"
#include "simulation/both_ways.h"
#include "simulation/equation_slopes.h"
#include "simulation/integrator_runs.h"
#include "simulation/rod_chains.h"
#include "support/random_state.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Rods with a hinge, a ball and a branch; a strut and a spring between links that are far apart.
Robot strutted_rods(bool closed) {
  Robot robot = jointed_rods(15);
  robot.gravity = {1.0, -2.0, -8.0};
  robot.actuators = {Actuator::distance("strut", {"rod1"}, {"rod9"})};
  robot.elements = {make_spring<double>("bungee", {"rod0"}, {"rod6"}, {.stiffness = 3.0, .damping = 0.1})};
  if (!closed) {
    robot.actuators.push_back(Actuator::joint("hinge", "rod4"));
    return robot;
  }
  Loop loop;
  loop.name = "ball", loop.type = LoopType::spherical;
  loop.a.link = "rod1", loop.b.link = "rod7";
  loop.b.at = PortLocation::base();
  loop.b.pose.position = {0.0, 0.0, -0.12};  // which is where rod1 ends
  robot.loops = {loop};
  return robot;
}

TEST(AdjointAlongTree, GoesBackAsForward) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model(strutted_rods(closed));
    ASSERT_TRUE(RobotSystem(model).follows_tree());
    const char* const method = closed ? "generalized_alpha" : "midpoint";
    Scenario scenario{.duration = 0.004, .output_step = 0.004, .integrator = fixed(method, 2e-3)};
    scenario.initial["rod4"] = {{0.05, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0}, {1.0, 0.3, 0.1, 0.2, 0.1, -0.1, 0.1}};
    scenario.inputs["strut"] = Signal::points({0.0, 0.002, 0.004}, {0.3, 0.6, -0.4});
    std::vector<std::string> by{"simulation.inputs.strut.value[0]", "simulation.inputs.strut.value[1]",
                                "simulation.initial.rod4.q[1]", "simulation.initial.rod4.v[0]"};
    if (!closed) {
      scenario.inputs["hinge"] = Signal(0.2);
      by.push_back("simulation.inputs.hinge");
    }
    expect_alike(both_ways(model, scenario, {0.002, 0.004}, by), by, 1e-8, 1e-10);
  }
}

double difference_between(const MatrixXd& found, const MatrixXd& expected) {
  return (found - expected).norm() / (1e-12 + expected.norm());
}

TEST(AdjointAlongTree, OfOneStepIsThatOfMatrices) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model(strutted_rods(closed));
    Random random(17);
    const RandomState state = random_state(model, random);
    const auto random_vector = [&random](Eigen::Index size) {
      VectorXd x(size);
      for (double& entry : x) entry = random.uniform(-1.0, 1.0);
      return x;
    };
    RobotSystemSetup setup{.inputs = {Signal(0.4)}};
    setup.inputs.resize(static_cast<std::size_t>(model.nu()), Signal(0.3));
    if (closed) {
      Data data(model);
      ConstraintData constraints(model);
      setup.rows = select_constraint_rows(model, data, constraints, state.q);
    }
    RobotSystem along(model, setup), with(model, setup);
    with.keep_to_matrices();
    EquationSlopes tree(along), dense(with);
    const Eigen::Index nv = model.nv(), m = along.constraint_count();
    const VectorXd auxiliary = along.with_controllers(start_of_auxiliary(model)), lambda = random_vector(m);
    StepMap map;
    map.scale = 1.0, map.rate = 550.0, map.second = 3e5;
    const VectorXd x = 0.1 * random_vector(nv), w_rate = random_vector(nv);
    const StepCoordinates coordinates(model);
    MatrixXd columns(nv, m), rows(m, nv);
    if (closed) {
      columns = along.constraint_jacobian(state.q).transpose();
      coordinates.chain(x, state.q, 1.0, columns.transpose(), rows);
    }
    const VectorXd gradient = random_vector(nv + m);
    VectorXd worth[2][2];
    MatrixXd of_motion[2][3];
    int k = 0;
    for (EquationSlopes* slopes : {&tree, &dense}) {
      slopes->take(0.2, state.q, state.v, state.a, {auxiliary, 1e-3, 7e-4}, lambda);
      worth[k][0] = worth[k][1] = gradient;
      slopes->form_step(x, w_rate, state.q, state.v, map, columns, rows);
      slopes->solve_transposed(worth[k][0]);
      slopes->form_masses(columns, rows);
      slopes->solve_transposed(worth[k][1]);
      slopes->worth_of_motion(gradient.head(nv), of_motion[k][0], of_motion[k][1], of_motion[k][2]);
      ++k;
    }
    for (int i = 0; i < 2; ++i) EXPECT_LT(difference_between(worth[0][i], worth[1][i]), 1e-10) << i;
    for (int i = 0; i < 3; ++i) EXPECT_LT(difference_between(of_motion[0][i], of_motion[1][i]), 1e-10) << i;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
