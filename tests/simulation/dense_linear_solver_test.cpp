// Newton's matrix of bdf in its own room, against the whole matrix.
#include "simulation/dense_linear_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/kinematics.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// The Jacobian of a robot's rates with `states` auxiliary states, of which those in `with_column` act on others: rows
/// of q as the robot's dq/dt has them, by differences, and all others at random.
MatrixXd jacobian_of(const Model& model, int states, const std::vector<int>& with_column, test::Random& random) {
  const int nq = model.nq(), nv = model.nv(), n = nq + nv + states;
  MatrixXd J = MatrixXd::NullaryExpr(n, n, [&] { return random.uniform(); });
  for (int k = 0; k < states; ++k) {
    if (std::find(with_column.begin(), with_column.end(), k) == with_column.end()) J.col(nq + nv + k).setZero();
  }
  VectorXd at = VectorXd::NullaryExpr(nq + nv, [&] { return random.uniform(); }), low(nq), high(nq);
  J.topRows(nq).setZero();
  for (int c = 0; c < nq + nv; ++c) {
    VectorXd moved = at;
    for (const double side : {-1.0, 1.0}) {  // dq/dt is linear in each
      moved[c] = at[c] + side;
      configuration_rate<double>(model, moved.head(nq), moved.tail(nv), side < 0.0 ? low : high);
    }
    J.col(c).head(nq) = (high - low) / 2.0;
  }
  return J;
}

TEST(DenseLinearSolver, SolvesAsTheWholeMatrix) {
  const SundialsContext context = new_sundials_context();
  int with_quaternions = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Model model(test::to_robot(test::random_robot(seed)));
    test::Random random(seed);
    const int motion = model.nq() + model.nv(), states = static_cast<int>(seed % 8),
              blocks = 1 + static_cast<int>(seed % 3);
    with_quaternions += model.nq() != model.nv();
    std::vector<int> with_column;
    for (int k = 0; k < states; k += 2) with_column.push_back(k);
    const MatrixXd J = jacobian_of(model, states, with_column, random);
    const int n = motion + states;

    DenseLinearSolver solver(model, n, blocks, context.get());
    SundialsVector x(N_VNew_Serial(n * blocks, context.get())), b(N_VNew_Serial(n * blocks, context.get()));
    for (const double gamma : {1e-6, 0.02, 0.3}) {  // with one Jacobian, as CVODE does
      if (gamma == 1e-6) {
        solver.clear();
        for (int c = 0; c < motion; ++c) solver.add_column(c) = J.col(c);
        for (const int k : with_column) solver.add_column(motion + k) = J.col(motion + k);
      }
      ASSERT_TRUE(solver.factor(gamma));
      Eigen::Map<MatrixXd> right(N_VGetArrayPointer(b.get()), n, blocks), found(N_VGetArrayPointer(x.get()), n, blocks);
      right.setRandom();
      const MatrixXd expected = (MatrixXd::Identity(n, n) - gamma * J).partialPivLu().solve(MatrixXd(right));
      const auto solve = [&](N_Vector into) {
        return solver.solver()->ops->solve(solver.solver(), solver.matrix(), into, b.get(), 0.0);
      };
      ASSERT_EQ(solve(x.get()), 0);
      EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << "seed " << seed << ", gamma " << gamma;
      ASSERT_EQ(solve(b.get()), 0);  // CVODE gives one vector for both
      EXPECT_EQ(right, found) << "seed " << seed;
    }
  }
  EXPECT_GT(with_quaternions, 10);
}

TEST(DenseLinearSolver, SaysThatAMatrixHasNoInverse) {
  const SundialsContext context = new_sundials_context();
  const Model model(test::to_robot(test::random_robot(1)));
  const int n = model.nq() + model.nv();
  DenseLinearSolver solver(model, n, 1, context.get());
  for (int c = 0; c < n; ++c) solver.add_column(c) = 2.0 * VectorXd::Unit(n, c);
  EXPECT_FALSE(solver.factor(0.5));
  solver.clear();
  for (int c = 0; c < n; ++c) solver.add_column(c).setConstant(std::nan(""));
  EXPECT_FALSE(solver.factor(0.5));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
