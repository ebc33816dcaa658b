// Equilibria that are found along the tree beside matrices of the same robots: stiffness, its smallest eigenvalue, and
// how many of its eigenvalues are negative.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <string>

#include "algorithms/static_problem.h"
#include "algorithms/tendon_robots.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/elements/spring.h"
#include "support/random_state.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Rods that hang and bend, each a little stiffer than its weight; no quaternions, so that stiffness is symmetric.
Robot hanging_rods(int count, bool closed) {
  Robot robot;
  robot.gravity = {0.6, -0.4, 9.0};
  for (int i = 0; i < count; ++i) {
    Link link;
    link.name = "rod" + std::to_string(i), link.body = plain_rod(0.1, "pcs", 4);
    if (i == count / 2) link.parent.link = "rod1";
    robot.links.push_back(link);
  }
  robot.elements = {make_spring<double>("bungee", {"rod0"}, {"rod6"}, {.stiffness = 40.0, .damping = 0.1})};
  robot.actuators = {Actuator::tendon("next", {parallel("rod2", 0.005, 0.001), parallel("rod3", 0.005, 0.001)}),
                     Actuator::distance("strut", {"rod1"}, {"rod7"})};
  if (!closed) return robot;
  Loop loop;
  loop.name = "ball", loop.type = LoopType::spherical;
  loop.a.link = "rod2", loop.b.link = "rod4";
  loop.b.pose.position = {0.0, 0.0, -0.2};  // where rod2 ends while the robot is straight
  robot.loops = {loop};
  return robot;
}

StaticLoads pulling(const Model& model) {
  StaticLoads loads;
  loads.u = VectorXd::Constant(model.nu(), 0.2);
  return loads;
}

/// Orthonormal columns with G x = 0.
MatrixXd allowed(const MatrixXd& G, Eigen::Index nv) {
  if (G.rows() == 0) return MatrixXd::Identity(nv, nv);
  const Eigen::HouseholderQR<MatrixXd> qr(G.transpose());
  return MatrixXd(qr.householderQ()).rightCols(nv - G.rows());
}

TEST(TreeStatics, EquilibriumBalancesAndItsStiffnessIsThatOfMatrices) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model(hanging_rods(16, closed));
    Data data(model);
    const StaticLoads loads = pulling(model);
    const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
    EXPECT_TRUE(StaticProblem(model, data, loads, model.neutral(), Stepping::loads).follows_tree());
    EXPECT_EQ(found.stability, Stability::stable);
    EXPECT_LT(found.residual, 1e-9);
    const LinearizedMotion motion = linearized_motion(model, data, loads, found);
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (motion.stiffness + motion.stiffness.transpose())).eigenvalues();
    EXPECT_GT(values[0], 0.0);
    EXPECT_NEAR(found.smallest_stiffness, values[0], 1e-7 * values[0]);
    EXPECT_EQ(stability_of(motion).stability, Stability::stable);
  }
}

// Newton's matrix at places that are no equilibria, with multipliers, held coordinates and a drag.
TEST(TreeStatics, TangentIsTheDenseOne) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model(hanging_rods(16, closed));
    Data data(model);
    StaticProblem problem(model, data, pulling(model), model.neutral(), Stepping::imbalance);
    std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
    held[7] = held[20] = 1;
    problem.hold(held);
    problem.drag(0.3);
    problem.begin(model.neutral(), 0.7);
    Random random(5);
    VectorXd z(model.nv() + problem.kept()), left(z.size());
    for (double& entry : z) entry = random.uniform(-0.1, 0.1);
    z[7] = z[20] = 0.0;
    std::string trouble;
    ASSERT_TRUE(problem.equations(z, left, trouble)) << trouble;
    MatrixXd dense(z.size(), z.size());
    problem.tangent(z, dense);
    VectorXd right(z.size()), found;
    for (double& entry : right) entry = random.uniform(-1.0, 1.0);
    right[7] = right[20] = 0.0;  // rows of what is held say z = 0
    const TangentSolver* along = problem.factored(z);
    ASSERT_NE(along, nullptr);
    along->solve(right, found);
    EXPECT_LT((dense * found - right).norm() / (dense.norm() * found.norm() + right.norm()), 1e-12);
    EXPECT_LT((found - dense.partialPivLu().solve(right)).norm(), 1e-9 * found.norm());
  }
}

// What resists as inertia does, with a base that turns freely: the tangent against differences of the equations, of
// sixth order, and along the tree against matrices.
TEST(TreeStatics, InertiaDragsAsItsEquationsSay) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    Robot robot = hanging_rods(16, closed);
    robot.floating_base = true;
    const Model model(robot);
    Data data(model);
    StaticProblem problem(model, data, pulling(model), model.neutral(), Stepping::imbalance);
    std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
    held[9] = 1;
    problem.hold(held);
    problem.drag_on_inertia(model.neutral());
    problem.drag(40.0);
    problem.begin(model.neutral(), 0.7);
    Random random(5);
    const Eigen::Index n = model.nv() + problem.kept();
    VectorXd z(n), left(n), right(n), found;
    for (double& entry : z) entry = random.uniform(-0.1, 0.1);
    for (double& entry : right) entry = random.uniform(-1.0, 1.0);
    z[9] = right[9] = 0.0;
    std::string trouble;
    VectorXd slope = VectorXd::Zero(n);
    const double h = 1e-3, weights[] = {0.75, -0.15, 1.0 / 60.0};
    for (int k = 1; k <= 3; ++k) {
      for (const double side : {1.0, -1.0}) {
        ASSERT_TRUE(problem.equations(z + side * k * h * right, left, trouble)) << trouble;
        slope += side * weights[k - 1] / h * left;
      }
    }
    ASSERT_TRUE(problem.equations(z, left, trouble)) << trouble;
    MatrixXd dense(n, n);
    problem.tangent(z, dense);
    EXPECT_LT((dense * right - slope).norm(), 1e-9 * slope.norm());
    const TangentSolver* along = problem.factored(z);
    ASSERT_NE(along, nullptr);
    along->solve(right, found);
    EXPECT_LT((found - dense.partialPivLu().solve(right)).norm(), 1e-9 * found.norm());

    // but for what is added to coordinates that move next to no mass
    const MatrixXd mass = mass_matrix<double>(model, data, problem.q());
    const VectorXd force = left.head(model.nv()), way = problem.dragged_way(force);
    EXPECT_LT((mass * way - force).norm(), 1e-5 * mass.diagonal().maxCoeff() * way.norm());
  }
}

// The same matrix less a multiple of 1, between whose eigenvalues zero then lies elsewhere.
TEST(TreeStatics, NegativeEigenvaluesAreCounted) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model(hanging_rods(16, closed));
    Data data(model);
    const StaticLoads loads = pulling(model);
    const StaticEquilibrium at = static_equilibrium(model, data, loads, model.neutral());
    StaticProblem problem(model, data, loads, at.q, Stepping::imbalance);
    problem.begin(at.q, 1.0);
    const VectorXd lambda = problem.kept_of(at.multipliers);
    std::string trouble;
    VectorXd z = VectorXd::Zero(model.nv() + problem.kept()), left(z.size());
    z.tail(problem.kept()) = lambda;
    ASSERT_TRUE(problem.equations(z, left, trouble));
    const MatrixXd K = problem.stiffness(lambda), G = problem.jacobian();
    const MatrixXd Z = allowed(G, model.nv());
    const MatrixXd on_motions = Z.transpose() * K * Z;
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (on_motions + on_motions.transpose())).eigenvalues();
    EquationOfMotion equation(model, state_layout(model).without_works(), {problem.kept_rows(), {}, {}});
    const VectorXd none = VectorXd::Zero(model.nv()), states;
    const std::vector<ExternalWrench> no_loads;
    TreeDerivatives& d = equation.resting_along_tree(
        {.q = at.q, .v = none, .a = none, .u = loads.u, .states = states, .loads = no_loads, .time = {}}, 1.0, lambda,
        false);
    StepDirections directions;
    StepCoordinates(model).motion_directions(1.0, 0.0, 0.0, directions);
    BorderedTangent tangent(model);
    for (const Eigen::Index count : {Eigen::Index{0}, Eigen::Index{1}, Eigen::Index{5}, values.size() / 2}) {
      const double shift = count == 0 ? -1.0 : 0.5 * (values[count - 1] + values[count]);
      if (count > 0 && values[count] - values[count - 1] < 1e-9 * values[count]) continue;  // of two planes
      d.form(model, directions, tangent.tree());
      tangent.tree().add_to_diagonal(-shift);
      tangent.border(G.transpose(), G);
      tangent.factor();
      EXPECT_EQ(tangent.negative_eigenvalues(), count) << shift;
    }
  }
}

// Of robots that stand instead of hanging, whose stiffness and damping are those of matrices too.
TEST(TreeStatics, GrowthRatesAreThoseOfMatrices) {
  for (const bool closed : {false, true}) {
    for (const double weight : {-1.0, -6.0}) {
      for (const bool holds : {false, true}) {
        SCOPED_TRACE(fmt::format("closed {}, {} times its weight, holds {}", closed, weight, holds));
        Robot robot = hanging_rods(16, closed);
        robot.gravity = {0.0, 0.0, 9.0 * weight};
        const Model model(robot);
        Data data(model);
        StaticProblem problem(model, data, pulling(model), model.neutral(), Stepping::imbalance);
        std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
        held[7] = held[20] = 1;
        if (holds) problem.hold(held);
        problem.begin(model.neutral(), 1.0);
        std::string trouble;
        VectorXd z = VectorXd::Zero(model.nv() + problem.kept()), left(z.size());
        const VectorXd lambda = VectorXd::Constant(problem.kept(), 0.05);
        Random random(7);
        for (int i = 0; i < model.nv() && !closed; ++i) z[i] = random.uniform(-0.05, 0.05);  // loops stay closed
        if (holds) z[7] = z[20] = 0.0;
        z.tail(problem.kept()) = lambda;
        ASSERT_TRUE(problem.equations(z, left, trouble));
        StaticEquilibrium judged;
        ASSERT_EQ(problem.describe(lambda, judged), "");
        const LinearizedMotion motion = problem.linearized(lambda);
        const double smallest =
            Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (motion.stiffness + motion.stiffness.transpose()))
                .eigenvalues()[0];
        EXPECT_NEAR(judged.smallest_stiffness, smallest, 1e-7 * std::abs(smallest));
        const StabilityOfMotion expected = stability_of(motion);
        ASSERT_EQ(expected.stability, Stability::unstable);
        EXPECT_EQ(judged.stability, Stability::unstable);
        EXPECT_GT(expected.growth_rate, 0.1);
        EXPECT_NEAR(judged.growth_rate, expected.growth_rate, 1e-8 * expected.growth_rate);
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
