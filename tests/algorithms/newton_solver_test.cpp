// Newton's method where displacements have very different sizes.

#include "algorithms/newton_solver.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Of x: x0 = 1, and y + y^2 / 2 = 1 of y = x1 / size.
class BesideALargeOne final : public NewtonProblem {
 public:
  explicit BesideALargeOne(double size) : size_(size) {}
  bool equations(const Eigen::VectorXd& z, Eigen::VectorXd& result, std::string& /*trouble*/) override {
    const double y = z[1] / size_;
    result[0] = z[0] - 1.0, result[1] = y + 0.5 * y * y - 1.0;
    return true;
  }
  void tangent(const Eigen::VectorXd& z, Eigen::MatrixXd& result) override {
    result << 1.0, 0.0, 0.0, (1.0 + z[1] / size_) / size_;
  }

 private:
  double size_;
};

TEST(NewtonSolverTest, SolvesForWhatIsSmallBesideTheLargest) {
  for (const double size : {1.0, 1e-3, 1e-6, 1e-8}) {
    BesideALargeOne problem(size);
    NewtonSolver newton(2, 2);
    Eigen::VectorXd z = Eigen::Vector2d::Zero();
    ASSERT_TRUE(newton.solve(problem, z));
    EXPECT_NEAR(z[0], 1.0, 1e-12);
    EXPECT_NEAR(z[1] / size, std::sqrt(3.0) - 1.0, std::max(1e-9, 1e-9 / size)) << size;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
