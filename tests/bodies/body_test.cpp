#include "cuttle/bodies/body.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <vector>

#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/exponential.h"
#include "support/angles.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A body of numbers: its matrices are given, so that elimination can be held against the equations themselves.
class NumbersBody final : public Body {
 public:
  NumbersBody(test::Random& random, int coordinates, int ports) : n(coordinates) {
    // any positive definite inertia whose base block is a rigid body's: M_BB = B^T B + coupling^T M_00^-1 coupling
    base = SpatialInertia::from_com(2.0, test::random_vector<double>(random, 0.3), {0.3, 0.4, 0.5, 0.01, 0.02, 0.03});
    coupling = numbers(random, 6, n);
    const Matrix B = numbers(random, n, n) + RowMatrix(RowMatrix::Identity(n, n));
    mass = B.transpose() * B + coupling.transpose() * base_matrix().inverse() * coupling;
    force_bias = numbers(random, n, 1);
    wrench_bias = test::random_wrench<double>(random);
    for (int k = 0; k < ports; ++k) {
      port_poses.push_back(exponential(test::random_twist<double>(random, 2.0)));
      port_biases.push_back(test::random_twist<double>(random));
      jacobians.push_back(numbers(random, 6, n));
    }
  }
  static RowMatrix numbers(test::Random& random, int rows, int columns) {
    RowMatrix m(rows, columns);
    for (int i = 0; i < m.size(); ++i) m.data()[i] = random.uniform();
    return m;
  }
  Eigen::Matrix<double, 6, 6> base_matrix() const { return to_eigen(ArticulatedInertia::from(base)); }
  /// The motion of the ports at a = 0, A_0 = 0.
  std::vector<PortMotionT<double>> bias_motion() const {
    std::vector<PortMotionT<double>> motions(port_poses.size());
    for (std::size_t k = 0; k < motions.size(); ++k) motions[k] = {port_poses[k], {}, port_biases[k]};
    return motions;
  }

  std::string type_name() const override { return "numbers"; }
  int coordinate_count() const override { return n; }
  std::vector<CoordinateInfo> coordinates() const override { return std::vector<CoordinateInfo>(n); }
  SpatialInertia rest_inertia() const override { return base; }
  int add_port(const PortLocation&) override { return 0; }
  int port_count() const override { return static_cast<int>(port_poses.size()); }
  std::unique_ptr<Body> clone() const override { return std::make_unique<NumbersBody>(*this); }
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override { return clone(); }
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override { return nullptr; }
  WorkspaceSize workspace_size() const override { return {0, 0, dense_elimination_size(n, port_count())}; }
  void forward(MotionLevel, const BodyStateT<double>&, const WorkspaceT<double>&, PortMotionT<double>*) const override {
  }
  void backward(const BodyStateT<double>&, const Wrench* wrenches, const WorkspaceT<double>&, Wrench& base_wrench,
                double* force) const override {
    Eigen::Map<Vector> f(force, n);
    f = force_bias;
    base_wrench = wrench_bias;
    for (std::size_t k = 0; k < port_poses.size(); ++k) {
      f += jacobians[k].transpose() * to_eigen(wrenches[k]);
      base_wrench += port_poses[k].act(wrenches[k]);
    }
  }
  void inertia_blocks(const BodyStateT<double>&, const WorkspaceT<double>&,
                      InertiaBlocksT<double>& blocks) const override {
    Eigen::Map<RowMatrix>(blocks.mass, n, n) = mass;
    Eigen::Map<RowMatrix>(blocks.coupling, 6, n) = coupling;
    blocks.base = base;
  }
  const double* port_jacobian(const WorkspaceT<double>&, int port) const override { return jacobians[port].data(); }
  void add_elastic_force(const double*, double*) const override {}
  void add_damping_force(const double*, const double*, double*) const override {}
  void stiffness_matrix(const double*, double*) const override {}
  void damping_matrix(const double*, const double*, double*) const override {}
  double elastic_energy(const double*) const override { return 0; }
  double kinetic_energy(const BodyStateT<double>&, const WorkspaceT<double>&) const override { return 0; }
  Vector3 mass_moment(const WorkspaceT<double>&) const override { return {}; }

  int n;
  SpatialInertia base;
  RowMatrix mass, coupling;
  Vector force_bias;
  Wrench wrench_bias;
  std::vector<Pose> port_poses;
  std::vector<Twist> port_biases;
  std::vector<RowMatrix> jacobians;
};

// For accelerations a_B, A_0 and what hangs at the ports, the equations of motion of the body must hold: the force on
// the coordinates is the applied one, and the base wrench is what the reduced body promised.
TEST(Elimination, SatisfiesTheEquationsOfMotion) {
  constexpr unsigned seed = 7;
  test::Random random(seed);
  for (const int n : {0, 1, 2, 3, 5, 6, 8, 13, 24}) {
    for (const int port_count : {1, 2, 5}) {
      NumbersBody body(random, n, port_count);
      const std::size_t size = body.workspace_size().elimination;
      constexpr double guard = -77.25;
      std::vector<double> memory(size + 1, guard);
      const WorkspaceT<double> workspace{nullptr, nullptr, memory.data()};

      std::vector<ArticulatedLoadT<double>> loads(port_count);
      std::vector<const ArticulatedLoadT<double>*> ports(port_count, nullptr);
      for (int k = 0; k < port_count; ++k) {
        // positive definite, with nothing special: a sum of rigid bodies seen from elsewhere, less an outer product
        for (int i = 0; i < 2; ++i) {
          loads[k].inertia += SpatialInertia::from_com(random.uniform(0.5, 1.0), test::random_vector<double>(random),
                                                       {0.3, 0.4, 0.5, 0.01, 0.02, 0.03});
        }
        loads[k].inertia.subtract_outer(0.01, test::random_wrench<double>(random));
        loads[k].bias = test::random_wrench<double>(random);
        if (k != 1) ports[k] = &loads[k];  // nothing hangs at port 1
      }
      const Vector applied = NumbersBody::numbers(random, n, 1);
      std::vector<PortMotionT<double>> motions = body.bias_motion();
      ArticulatedLoadT<double> reduced;
      reduced.bias = test::random_wrench<double>(random);  // must be overwritten
      ASSERT_TRUE(body.eliminate({}, applied.data(), ports.data(), motions.data(), workspace, reduced));
      const Twist A = test::random_twist<double>(random);
      Vector a(n);
      body.back_substitute(A, workspace, a.data(), motions.data());
      EXPECT_EQ(memory.back(), guard) << "writes beyond its memory: n " << n << ", ports " << port_count;

      Vector force = body.mass * a + body.coupling.transpose() * to_eigen(A) + body.force_bias;
      Eigen::Matrix<double, 6, 1> wrench =
          body.coupling * a + body.base_matrix() * to_eigen(A) + to_eigen(body.wrench_bias);
      // scale of the terms that cancel
      double scale = force.norm() + wrench.norm() + body.mass.norm() * a.norm();
      for (int k = 0; k < port_count; ++k) {
        const Eigen::Matrix<double, 6, 1> motion =
            to_eigen(body.port_poses[k].act_inverse(A)) + body.jacobians[k] * a + to_eigen(body.port_biases[k]);
        EXPECT_LT((motion - to_eigen(motions[k].acceleration)).norm(),
                  50 * std::numeric_limits<double>::epsilon() * (1 + n) * 10 * (1 + a.norm()));
        if (!ports[k]) continue;
        const Wrench load = loads[k].inertia * motions[k].acceleration + loads[k].bias;
        force += body.jacobians[k].transpose() * to_eigen(load);
        wrench += to_eigen(body.port_poses[k].act(load));
        scale += 10 * to_eigen(load).norm();
      }
      const double tolerance = 100 * std::numeric_limits<double>::epsilon() * (1 + n) * scale;
      EXPECT_LT((force - applied).norm(), tolerance) << "n " << n << ", ports " << port_count << ", seed " << seed;
      EXPECT_LT((to_eigen(reduced.inertia * A + reduced.bias) - wrench).norm(), tolerance)
          << "n " << n << ", ports " << port_count << ", seed " << seed;
    }
  }
}

TEST(Elimination, RefusesCoordinatesThatMoveNoMass) {
  test::Random random(8);
  NumbersBody body(random, 4, 1);
  body.mass.row(2).setZero();
  body.mass.col(2).setZero();
  std::vector<double> memory(body.workspace_size().elimination);
  const WorkspaceT<double> workspace{nullptr, nullptr, memory.data()};
  std::vector<PortMotionT<double>> motions = body.bias_motion();
  const std::vector<double> applied(4);
  const ArticulatedLoadT<double>* ports[1] = {nullptr};
  ArticulatedLoadT<double> reduced;
  EXPECT_FALSE(body.eliminate({}, applied.data(), ports, motions.data(), workspace, reduced));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
