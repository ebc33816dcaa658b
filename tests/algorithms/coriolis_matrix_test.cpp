// C(q, v): C v = c, dM/dt - 2 C skew-symmetric, and [C]'s matrix differential equation for a rod.

#include <gtest/gtest.h>

#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/rod_body.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// dM/dt along v, by sixth-order differences.
MatrixXd mass_rate(const Model& model, Data& data, const VectorXd& q, const VectorXd& v) {
  const auto at = [&](double h) -> MatrixXd {
    VectorXd moved(q.size());
    integrate<double>(model, q, h * v, moved);
    return mass_matrix<double>(model, data, moved);
  };
  const double h = 2e-3;
  return (45.0 * (at(h) - at(-h)) - 9.0 * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) / (60.0 * h);
}

void expect_coriolis(const Model& model, const std::string& name) {
  SCOPED_TRACE(name);
  Data data(model);
  DerivativeData derivatives(model);
  Random random(17);
  const RandomState s = random_state(model, random);
  const MatrixXd C = coriolis_matrix(model, data, derivatives, s.q, s.v);
  const VectorXd c = coriolis_force<double>(model, data, s.q, s.v);
  EXPECT_LT((C * s.v - c).norm(), 1e-12 * (1e-3 + c.norm()));
  const MatrixXd rest = mass_rate(model, data, s.q, s.v) - 2.0 * C;
  EXPECT_LT((rest + rest.transpose()).norm(), 1e-8 * (1e-3 + C.norm()));
  EXPECT_GT(C.norm(), 1e-6);
}

// It has a place of its own: derivatives that are taken afterwards leave it, and its reference is not one of theirs.
TEST(CoriolisMatrixTest, StaysWhileDerivativesAreTaken) {
  Random random(3);
  const Model model(to_robot(random_robot(3, {})));
  Data data(model);
  DerivativeData derivatives(model);
  const RandomState s = random_state(model, random);
  const MatrixXd& C = coriolis_matrix(model, data, derivatives, s.q, s.v);
  const MatrixXd before = C;
  inverse_dynamics_derivatives(model, data, derivatives, s.q, s.v, s.a);
  EXPECT_EQ(C, before);
  EXPECT_NE(derivatives.by_v, before);
}

TEST(CoriolisMatrixTest, RandomTrees) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 1;
    options.max_links = 6;
    expect_coriolis(Model(to_robot(random_robot(300 + seed, options))), "seed " + std::to_string(seed));
  }
}

TEST(CoriolisMatrixTest, PointBodies) {
  for (const auto& body : {lvp_tube(), ritz_block()}) {
    Robot robot;
    robot.links.push_back({.name = "root", .joint = make_spherical_joint<double>(), .body = body});
    robot.links.push_back({.name = "next", .joint = make_revolute_joint<double>({1, 0, 0}), .body = body});
    expect_coriolis(Model(robot), "two volumes");
  }
}

// [C]'s way to M and C of a rod: one matrix differential equation along s,
//   J' = -ad_xi J + Phi, V = J v, (dJ/dt)' = -ad_xi (dJ/dt) - ad_(dxi/dt) J,
//   M' = J^T m J, C' = J^T ((m ad_V - ad_V^T m) J + m dJ/dt),
// with the right signs and the full dJ/dt (errata). It holds for the continuous rod; C is another matrix with C v = c.
class MatrixDifferentialEquation {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  MatrixDifferentialEquation(const RodBody& rod, const VectorXd& q, const VectorXd& v)
      : rod_(rod), q_(q), v_(v), n_(static_cast<int>(q.size())) {
    J = rate = MatrixXd::Zero(6, n_);
    M = C = MatrixXd::Zero(n_, n_);
    const int steps = 400;
    const double h = rod.parameters().length / steps;
    for (int i = 0; i < steps; ++i) step(i * h, h);
  }
  MatrixXd J, rate, M, C;

 private:
  struct Slope {
    MatrixXd J, rate, M, C;
  };
  static Matrix6 ad(const Vector6& x) {
    const auto skew = [](double a, double b, double c) {
      Eigen::Matrix3d m;
      m << 0, -c, b, c, 0, -a, -b, a, 0;
      return m;
    };
    Matrix6 m = Matrix6::Zero();
    m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = skew(x[0], x[1], x[2]);
    m.bottomLeftCorner<3, 3>() = skew(x[3], x[4], x[5]);
    return m;
  }
  Vector6 strain(double s, const VectorXd& q) const {
    const Twist xi = rod_.strain_at(s, q.data());
    return Vector6{xi[0], xi[1], xi[2], xi[3], xi[4], xi[5]};
  }
  Slope slope(double s, const MatrixXd& J_s, const MatrixXd& rate_s) const {
    const VectorXd zero = VectorXd::Zero(n_);
    const Vector6 rest = strain(s, zero);
    MatrixXd shape(6, n_);
    for (int k = 0; k < n_; ++k) shape.col(k) = strain(s, VectorXd::Unit(n_, k)) - rest;
    const Vector6 xi = strain(s, q_), xi_rate = shape * v_;
    const auto section = rod_.parameters().section.at(s / rod_.parameters().length);
    const double density = *rod_.parameters().material.density;
    Vector6 m;
    m << density * section.Ix, density * section.Iy, density * section.Jz, density * section.area,
        density * section.area, density * section.area;
    const Matrix6 mass = m.asDiagonal(), ad_V = ad(J_s * v_);
    return {-ad(xi) * J_s + shape, -ad(xi) * rate_s - ad(xi_rate) * J_s, J_s.transpose() * mass * J_s,
            J_s.transpose() * ((mass * ad_V - ad_V.transpose() * mass) * J_s + mass * rate_s)};
  }
  /// The classical Runge-Kutta method.
  void step(double s, double h) {
    const Slope a = slope(s, J, rate);
    const Slope b = slope(s + 0.5 * h, J + 0.5 * h * a.J, rate + 0.5 * h * a.rate);
    const Slope c = slope(s + 0.5 * h, J + 0.5 * h * b.J, rate + 0.5 * h * b.rate);
    const Slope d = slope(s + h, J + h * c.J, rate + h * c.rate);
    J += h / 6.0 * (a.J + 2.0 * b.J + 2.0 * c.J + d.J);
    rate += h / 6.0 * (a.rate + 2.0 * b.rate + 2.0 * c.rate + d.rate);
    M += h / 6.0 * (a.M + 2.0 * b.M + 2.0 * c.M + d.M);
    C += h / 6.0 * (a.C + 2.0 * b.C + 2.0 * c.C + d.C);
  }

  const RodBody& rod_;
  VectorXd q_, v_;
  int n_;
};

TEST(CoriolisMatrixTest, MatrixDifferentialEquationOfARodAgrees) {
  for (const char* strain : {"pcs", "pac"}) {
    RodParameters p;
    p.length = 0.4;
    p.section.radius = Profile(std::vector<double>{0.03, 0.02});
    p.material = {.density = 1050.0, .young_modulus = 4e5};
    p.strain = strain_shorthand<double>(strain, p.length);
    p.quadrature_points = 40;
    const auto rod = std::make_shared<RodBody>(p);
    Robot robot;
    robot.links.push_back({.name = "rod", .body = rod});
    const Model model(robot);
    Data data(model);
    DerivativeData derivatives(model);
    Random random(23);
    const RandomState s = random_state(model, random);
    const MatrixDifferentialEquation equation(*rod, s.q, s.v);
    const MatrixXd M = mass_matrix<double>(model, data, s.q);
    const MatrixXd C = coriolis_matrix(model, data, derivatives, s.q, s.v);
    EXPECT_LT((equation.M - M).norm(), 1e-6 * M.norm()) << strain;
    EXPECT_LT(((equation.C - C) * s.v).norm(), 1e-5 * (C * s.v).norm()) << strain;
    const MatrixXd symmetric = equation.C + equation.C.transpose();
    EXPECT_LT((symmetric - C - C.transpose()).norm(), 1e-5 * symmetric.norm()) << strain;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
