#include "cuttle/algorithms/constraints.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "support/loop_robots.h"
#include "support/random_state.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Wide = VectorXT<long double>;

/// The standard robot with one loop of every type between its markers that move against each other; no loops if it has
/// no two such markers.
Robot with_loops(const RobotCase& robot) {
  Robot looped = robot.model.robot();
  Random random(robot.seed + 77);
  const auto& markers = looped.markers;
  for (const LoopType type : k_loop_types) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const int count = static_cast<int>(markers.size());
      const Marker &a = markers[random.index(count)], &b = markers[random.index(count)];
      if (robot.model.marker_frame(a.name).node == robot.model.marker_frame(b.name).node) continue;
      Loop loop;
      loop.name = loop_type_name(type), loop.type = type, loop.a = a.place, loop.b = b.place;
      loop.axis = {random.uniform(), random.uniform(), random.uniform()};
      if (attempt == 0) loop.b = {"base", PortLocation::base(), b.place.pose};
      const int node = attempt == 0 ? robot.model.base_frame().node : robot.model.marker_frame(b.name).node;
      if (node == robot.model.marker_frame(a.name).node) continue;
      looped.loops.push_back(loop);
      break;
    }
  }
  return looped;
}

/// Calls check(model, wide model, state, multipliers) for the standard robots with loops. Where a relative rotation is
/// half a turn, log(R) jumps: such robots are passed over.
template <typename Check>
void for_every_looped_robot(const Check& check) {
  int count = 0;
  for_every_robot(
      [&](const RobotCase& robot, Data&, const RandomState& s) {
        if (robot.plain.markers.size() < 2 || robot.name.find("functions") != std::string::npos) return;
        const Model model(with_loops(robot));
        if (model.loops().empty()) return;
        Data data(model);
        const auto& kinematics = forward_kinematics(model, data, s.q);
        for (const BoundLoop& loop : model.loops()) {
          const Matrix3 R = kinematics.pose(loop.a).rotation.transpose() * kinematics.pose(loop.b).rotation;
          if (norm(rotation_logarithm(R)) > 3.0) return;
        }
        const ModelT<long double> wide(model.robot().cast<long double>());
        Random random(robot.seed + 9);
        VectorXd lambda(model.constraint_count());
        for (double& x : lambda) x = random.uniform(-2.0, 2.0);
        check(model, wide, s, lambda);
        ++count;
      },
      70);
  EXPECT_GE(count, 10);
}

/// d f / dt at 0 in long double; the rounding error of the difference is that of long double over h.
template <typename F>
auto wide_derivative(const F& f) {
  const long double h = 1e-3L;
  auto slope = (45.0L * (f(h) - f(-h)) - 9.0L * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))).eval();
  slope /= 60.0L * h;
  return slope;
}

Wide moved(const ModelT<long double>& model, const Wide& q, const Wide& d, long double t) {
  Wide result(model.nq());
  const Wide step = t * d;
  integrate(model, q, step, result);
  return result;
}

/// The sixth-order difference leaves h^6 / 140 of the seventh derivative: 1e-20 times rates of up to 10 to the seventh.
constexpr double k_difference = 1e-11;

// What the rows mean, from poses alone and rotations of Eigen.
TEST(ConstraintsTest, ResidualIsTheDistanceOfTheFrames) {
  for_every_looped_robot([](const Model& model, const ModelT<long double>&, const RandomState& s, const VectorXd&) {
    Data data(model);
    ConstraintData constraints(model);
    const VectorXd phi = constraint_residual(model, data, constraints, s.q);
    ASSERT_EQ(phi.size(), model.constraint_count());
    const auto& kinematics = forward_kinematics(model, data, s.q);
    for (std::size_t i = 0; i < model.loops().size(); ++i) {
      const BoundLoop& loop = model.loops()[i];
      const Pose a = kinematics.pose(loop.a), b = kinematics.pose(loop.b);
      const Eigen::Matrix3d A = to_eigen(a.rotation), R = A.transpose() * to_eigen(b.rotation);
      const Eigen::Vector3d apart = to_eigen(b.position) - to_eigen(a.position);
      const Eigen::Vector3d axis = to_eigen(model.robot().loops[i].axis).normalized();
      const Eigen::AngleAxisd turn(R);
      const Eigen::Vector3d rotation = turn.angle() * turn.axis();
      const auto rows = [&](int first, int count) { return phi.segment(loop.row + first, count); };
      const double tolerance = 1e-13 * (1.0 + apart.norm());
      switch (loop.type) {
        case LoopType::fixed:
          EXPECT_LE(size_of(rows(0, 3) - apart), tolerance);
          EXPECT_LE(size_of(rows(3, 3) - rotation), 1e-12);
          break;
        case LoopType::spherical:
          EXPECT_LE(size_of(rows(0, 3) - apart), tolerance);
          break;
        case LoopType::revolute:  // the rows are what of b's axis is across a's
          EXPECT_LE(size_of(rows(0, 3) - apart), tolerance);
          EXPECT_NEAR(rows(3, 2).norm(), axis.cross(R * axis).norm(), 1e-14);
          break;
        case LoopType::prismatic:
          EXPECT_LE(size_of(rows(0, 3) - rotation), 1e-12);
          EXPECT_NEAR(rows(3, 2).norm(), axis.cross(A.transpose() * apart).norm(), tolerance);
          break;
        case LoopType::universal:
          EXPECT_LE(size_of(rows(0, 3) - apart), tolerance);
          EXPECT_NEAR(phi[loop.row + 3], axis.dot(R * to_eigen(loop.axis_b)), 1e-14);
          EXPECT_NEAR(axis.dot(to_eigen(loop.axis_b)), 0.0, 1e-15);
          break;
      }
    }
  });
}

TEST(ConstraintsTest, JacobianAndBiasAreDerivativesOfTheResidual) {
  for_every_looped_robot(
      [](const Model& model, const ModelT<long double>& wide, const RandomState& s, const VectorXd&) {
        Data data(model);
        ConstraintData constraints(model);
        DataT<long double> wide_data(wide);
        ConstraintDataT<long double> wide_constraints(wide);
        const MatrixXd G = constraint_jacobian(model, data, constraints, s.q);
        const VectorXd residual = constraints.residual;
        EXPECT_EQ(size_of(residual - constraint_residual(model, data, constraints, s.q)), 0.0);
        const VectorXd bias = constraint_bias(model, data, constraints, s.q, s.v);
        const Wide q = s.q.cast<long double>(), v = s.v.cast<long double>();
        const Wide rate = wide_derivative([&](long double t) -> Wide {
          return constraint_residual(wide, wide_data, wide_constraints, moved(wide, q, v, t));
        });
        const double scale = (1.0 + size_of(G)) * s.v.lpNorm<1>();
        EXPECT_LE(size_of(G * s.v - rate.cast<double>()), k_difference * scale);
        const Wide second = wide_derivative([&](long double t) -> Wide {
          return constraint_jacobian(wide, wide_data, wide_constraints, moved(wide, q, v, t)) * v;
        });
        EXPECT_LE(size_of(bias - second.cast<double>()), k_difference * scale * (1.0 + s.v.lpNorm<1>()));
      });
}

TEST(ConstraintsTest, ForceAndItsDerivative) {
  for_every_looped_robot(
      [](const Model& model, const ModelT<long double>& wide, const RandomState& s, const VectorXd& lambda) {
        Data data(model);
        ConstraintData constraints(model);
        DataT<long double> wide_data(wide);
        ConstraintDataT<long double> wide_constraints(wide);
        const MatrixXd G = constraint_jacobian(model, data, constraints, s.q);
        const double scale = 1.0 + size_of(G.cwiseAbs().transpose() * lambda.cwiseAbs());
        EXPECT_LE(size_of(constraint_force(model, data, constraints, s.q, lambda) - G.transpose() * lambda),
                  100 * k_eps * scale);
        const MatrixXd K = constraint_force_derivative(model, data, constraints, s.q, lambda);
        EXPECT_EQ(size_of(constraints.jacobian - G), 0.0);
        const Wide q = s.q.cast<long double>(), wide_lambda = lambda.cast<long double>();
        for (const VectorXd& direction : {s.v, s.a}) {
          const Wide d = direction.cast<long double>();
          const Wide expected = wide_derivative([&](long double t) -> Wide {
            return constraint_force(wide, wide_data, wide_constraints, moved(wide, q, d, t), wide_lambda);
          });
          EXPECT_LE(size_of(K * direction - expected.cast<double>()), k_difference * scale * direction.lpNorm<1>());
        }
        // the same source, three more digits
        const MatrixXd wide_K =
            constraint_force_derivative(wide, wide_data, wide_constraints, q, wide_lambda).cast<double>();
        EXPECT_LE(size_of(K - wide_K), 1e4 * k_eps * (scale + size_of(K)));
      });
}

// log(R) of a revolute joint would be singular there (errata of [B] (36)).
TEST(ConstraintsTest, RevoluteAtHalfATurnIsRegular) {
  FourBar bars;
  const Model model(bars.robot());
  Data data(model);
  ConstraintData constraints(model);
  const double pi = 3.14159265358979323846;
  for (const double angle : {pi - 1e-9, pi, pi + 1e-9}) {
    const VectorXd q{{0.3, 0.4, 0.7 + angle}};  // coupler against rocker: half a turn
    const MatrixXd G = constraint_jacobian(model, data, constraints, q);
    ASSERT_TRUE(G.allFinite());
    EXPECT_LE(size_of(constraints.residual.tail(2)), 1e-15);
    EXPECT_LE(size_of(G.bottomRows(2)), 1e-15);  // in a planar robot nothing tilts the axis
    // d/dq of the coupler's tip, (c1 + c12, s1 + s12), less the rocker's
    const double s1 = std::sin(0.3), c1 = std::cos(0.3), s12 = std::sin(0.7), c12 = std::cos(0.7);
    EXPECT_NEAR(G(0, 0), 0.2 * s1 + 0.5 * s12, 1e-15);
    EXPECT_NEAR(G(2, 0), -0.2 * c1 - 0.5 * c12, 1e-15);
    EXPECT_NEAR(G(2, 1), -0.5 * c12, 1e-15);
    EXPECT_NEAR(G(2, 2), 0.4 * std::cos(0.7 + angle), 1e-15);
    EXPECT_TRUE(constraint_force_derivative(model, data, constraints, q, VectorXd::Constant(5, 0.7)).allFinite());
  }
}

TEST(ConstraintsTest, RefuseWrongSizes) {
  const Model model(FourBar{}.robot());
  FourBar other;
  other.type = LoopType::spherical;
  const Model spherical(other.robot());
  Data data(model);
  ConstraintData constraints(model), foreign(spherical);
  const VectorXd q = model.neutral();
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      message([&] { constraint_residual(model, data, foreign, q); }),
      "constraint_residual: constraints: found one made for 'four_bar' (nv = 3, 3 rows of loops), expected one made "
      "for 'four_bar' (nv = 3, 5 rows of loops) or a robot of the same sizes");
  EXPECT_EQ(message([&] { constraint_force(model, data, constraints, q, VectorXd::Zero(4)); }),
            "constraint_force: lambda: found size 4, expected 5 (rows of the loops of 'four_bar')");
  EXPECT_EQ(message([&] { constraint_bias(model, data, constraints, q, VectorXd::Zero(4)); }),
            "constraint_bias: v: found size 4, expected 3 (nq of 'four_bar')");
}

// The same derivative from the dynamics with the wrenches as loads, and the part in which these turn.
TEST(ConstraintsTest, WrenchesAsLoadsHaveTheSameDerivative) {
  for_every_looped_robot(
      [&](const Model& model, const ModelT<long double>&, const RandomState& s, const VectorXd& lambda) {
        if (model.nv() > 40) return;
        Data data(model);
        ConstraintData constraints(model);
        const MatrixXd expected = constraint_force_derivative(model, data, constraints, s.q, lambda);
        std::vector<ExternalWrench> wrenches(2 * model.loops().size());
        constraint_wrenches<double>(model, data, constraints, s.q, lambda, wrenches);
        const VectorXd force = constraint_force(model, data, constraints, s.q, lambda);
        EXPECT_LT((external_force(model, data, s.q, wrenches) - force).norm(), 1e-11 * (1.0 + force.norm()));
        DerivativeData derivatives(model);
        const VectorXd zero = VectorXd::Zero(model.nv());
        inverse_dynamics_derivatives(model, data, derivatives, s.q, zero, zero);
        MatrixXd found = derivatives.by_q;
        for (ExternalWrench& wrench : wrenches) wrench.wrench = -1.0 * wrench.wrench;
        inverse_dynamics_derivatives(model, data, derivatives, s.q, zero, zero, {nullptr, wrenches});
        found = derivatives.by_q - found + constraint_wrench_derivative(model, data, constraints, s.q, lambda);
        EXPECT_LT((found - expected).norm(), 1e-9 * (1.0 + expected.norm() + derivatives.by_q.norm())) << model.name();
      });
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
